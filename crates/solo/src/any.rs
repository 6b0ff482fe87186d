//! A problem and its scenarios with their types erased.

use crate::agents;
use crate::episode::{self, EpisodeError, Outcome, Settings};
use crate::solution::Verdict;
use serde_json::{Map, Value};
use solo_core::domain::preset_of;
use solo_core::file::{Object, Range, Reader};
use solo_core::spec::Param;
use solo_core::{Audit, Cost, Domain, Faults, Preset, Seed, Timed};
use solo_learn::run::{Job, LearnError, Summary, Watch};
use solo_learn::teach::run::Lesson;
use std::marker::PhantomData;

/// An agent's name and parameters.
#[derive(Clone, Copy, Debug)]
pub struct AgentInfo {
    /// How it is typed.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// What can be set.
    pub params: &'static [Param],
}

/// A problem. Implemented once, by [`Entry`], for every [`Domain`].
pub trait AnyDomain: Sync {
    /// The problem's name in files and presets.
    fn name(&self) -> &'static str;
    /// Agents shown when none is asked for.
    fn shown(&self) -> &'static [&'static str];
    /// The agent that solves instances when none is asked for.
    fn solver(&self) -> &'static str;
    /// The presets.
    fn presets(&self) -> &'static [Preset];
    /// The agents.
    fn agents(&self) -> Vec<AgentInfo>;
    /// Scenario `index` of a preset; `None` if there is no such preset.
    fn generate(&self, preset: &str, seed: Seed, index: u64) -> Option<Box<dyn AnyScenario>>;
    /// Reads a scenario from its JSON object, whose `name` and `problem` have been read already.
    fn read(
        &self,
        reader: &mut Reader,
        name: &str,
        object: &mut Object<'_>,
    ) -> Option<Box<dyn AnyScenario>>;
    /// The endings of other people's scenario files, each with a line about them.
    fn scenario_extensions(&self) -> Vec<(&'static str, &'static str)>;
    /// Reads a scenario of other people's format, if the problem knows the ending; `exact` keeps distances unrounded.
    fn read_foreign(
        &self,
        extension: &str,
        file: &str,
        text: &str,
        exact: bool,
    ) -> Option<Result<Box<dyn AnyScenario>, Faults>>;
    /// Learns a network by a recipe whose presets are of this problem.
    fn learn(&self, job: &Job<'_>, watch: &mut dyn Watch) -> Result<Summary, LearnError>;
    /// Teaches a guide by a recipe whose preset is of this problem.
    fn teach(&self, job: &Lesson<'_>, watch: &mut dyn Watch) -> Result<Summary, LearnError>;
    /// The endings of other people's solution files.
    fn solution_extensions(&self) -> Vec<&'static str>;
}

/// One day of some problem.
pub trait AnyScenario: Send + Sync {
    /// The problem's name.
    fn problem(&self) -> &'static str;
    /// The scenario's name.
    fn name(&self) -> &str;
    /// As a JSON object.
    fn write(&self) -> Map<String, Value>;
    /// As text of other people's format, if the problem knows the ending; the inner error says why it cannot be held.
    fn write_foreign(&self, extension: &str) -> Option<Result<String, String>>;
    /// The arrival law that its name speaks of, if that is a preset of the problem.
    fn own_law(&self) -> Option<&str>;
    /// Lives the day with an agent.
    fn live(&self, agent: &str, settings: &Settings<'_>) -> Result<Outcome, EpisodeError>;
    /// Reads the decisions of a solution's JSON object and recomputes their cost.
    fn audit(&self, reader: &mut Reader, object: &mut Object<'_>) -> Option<Verdict>;
    /// Reads a solution of other people's format, if the problem knows the ending, and recomputes its cost.
    fn audit_foreign(
        &self,
        extension: &str,
        file: &str,
        text: &str,
    ) -> Option<Result<Verdict, Faults>>;
}

/// A problem's entry in the registry.
pub struct Entry<D: Domain> {
    exact: Option<fn(&mut D::Scenario)>,
    domain: PhantomData<fn() -> D>,
}

impl<D: Domain> Entry<D> {
    /// The problem as its domain describes it.
    #[allow(clippy::new_without_default)] // a default cannot be const
    pub const fn new() -> Self {
        Self { exact: None, domain: PhantomData }
    }

    /// How a scenario of other people's format is freed from rounding.
    pub const fn with_exact(self, exact: fn(&mut D::Scenario)) -> Self {
        Self { exact: Some(exact), ..self }
    }
}

impl<D: Domain> AnyDomain for Entry<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn shown(&self) -> &'static [&'static str] {
        D::SHOWN
    }

    fn solver(&self) -> &'static str {
        D::SOLVER
    }

    fn presets(&self) -> &'static [Preset] {
        D::presets()
    }

    fn agents(&self) -> Vec<AgentInfo> {
        agents::infos::<D>()
    }

    fn generate(&self, preset: &str, seed: Seed, index: u64) -> Option<Box<dyn AnyScenario>> {
        Some(erase::<D>(D::generate(preset, seed, index)?))
    }

    fn read(
        &self,
        reader: &mut Reader,
        name: &str,
        object: &mut Object<'_>,
    ) -> Option<Box<dyn AnyScenario>> {
        Some(erase::<D>(D::read(reader, name, object)?))
    }

    fn scenario_extensions(&self) -> Vec<(&'static str, &'static str)> {
        D::scenario_formats().iter().map(|format| (format.extension, format.about)).collect()
    }

    fn read_foreign(
        &self,
        extension: &str,
        file: &str,
        text: &str,
        exact: bool,
    ) -> Option<Result<Box<dyn AnyScenario>, Faults>> {
        let formats = D::scenario_formats();
        let format = formats.iter().find(|format| format.extension == extension)?;
        Some((format.read)(file, text).map(|mut scenario| {
            if let Some(unround) = self.exact.filter(|_| exact) {
                unround(&mut scenario);
            }
            erase::<D>(scenario)
        }))
    }

    fn learn(&self, job: &Job<'_>, watch: &mut dyn Watch) -> Result<Summary, LearnError> {
        solo_learn::run::learn::<D>(job, watch)
    }

    fn teach(&self, job: &Lesson<'_>, watch: &mut dyn Watch) -> Result<Summary, LearnError> {
        solo_learn::teach::run::teach::<D>(job, watch)
    }

    fn solution_extensions(&self) -> Vec<&'static str> {
        D::solution_formats().iter().map(|format| format.extension).collect()
    }
}

fn erase<D: Domain>(scenario: D::Scenario) -> Box<dyn AnyScenario> {
    Box::new(Erased::<D>(scenario))
}

struct Erased<D: Domain>(D::Scenario);

impl<D: Domain> AnyScenario for Erased<D> {
    fn problem(&self) -> &'static str {
        D::NAME
    }

    fn name(&self) -> &str {
        D::name(&self.0)
    }

    fn write(&self) -> Map<String, Value> {
        D::write(&self.0)
    }

    fn write_foreign(&self, extension: &str) -> Option<Result<String, String>> {
        let formats = D::scenario_formats();
        let format = formats.iter().find(|format| format.extension == extension)?;
        Some((format.write)(&self.0))
    }

    fn own_law(&self) -> Option<&str> {
        let preset = preset_of(self.name());
        D::generate(preset, Seed(0), 0).map(|_| preset)
    }

    fn live(&self, agent: &str, settings: &Settings<'_>) -> Result<Outcome, EpisodeError> {
        episode::live::<D>(&self.0, agent, settings)
    }

    fn audit(&self, reader: &mut Reader, object: &mut Object<'_>) -> Option<Verdict> {
        let stated = match object.optional("cost") {
            Some(_) => Some(object.number(reader, "cost", Range::ANY)?),
            None => None,
        };
        let decisions = object.objects(reader, "decisions", |reader, object| {
            let time = object.number(reader, "time", Range::NOT_NEGATIVE);
            let what = D::read_action(reader, object);
            Some(Timed { time: time?, what: what? })
        })?;
        self.judge(&decisions, stated)
    }

    fn audit_foreign(
        &self,
        extension: &str,
        file: &str,
        text: &str,
    ) -> Option<Result<Verdict, Faults>> {
        let formats = D::solution_formats();
        let format = formats.iter().find(|format| format.extension == extension)?;
        match (format.read)(&self.0, file, text) {
            Ok((decisions, stated)) => self.judge(&decisions, stated).map(Ok),
            Err(faults) => Some(Err(faults)),
        }
    }
}

impl<D: Domain> Erased<D> {
    /// An audit looks at what arrived, not at what was expected, so that no law is needed.
    fn judge(
        &self,
        decisions: &[Timed<<D::Problem as solo_core::Problem>::Action>],
        stated: Option<Cost>,
    ) -> Option<Verdict> {
        let problem = D::problem(&self.0, None)?;
        let cost = problem.audit(&D::arrivals(&self.0), decisions);
        Some(Verdict { scenario: self.name().to_string(), stated, cost })
    }
}
