//! A problem and its scenarios with their types erased: the registry's doors.

use crate::entry::Entry;
use crate::simulation::{self, EpisodeError, NO_LAW, Outcome, Settings};
use crate::solution::Verdict;
use serde_json::{Map, Value};
use solo_core::file::{Object, Range, Reader};
use solo_core::params::{Field, JsonMap, SpecError};
use solo_core::{
    ActionOf, AgentKind, AgentSpec, Audit, Cost, Faults, LawError, Log, Preset, RulesOf, Scenario,
    Seed, Timed, preset_of,
};
use solo_learn::{GuideRecipe, LearnError, Recipe, RewriterRecipe, Summary, Task, Watch};
use std::sync::Arc;

/// An agent's name and parameters.
#[derive(Clone, Debug)]
pub struct AgentInfo {
    /// How it is typed.
    pub name: &'static str,
    /// One line.
    pub about: String,
    /// What can be set.
    pub fields: Vec<Field>,
    /// What the fields are unless they are set.
    pub defaults: JsonMap,
    /// What kind of agent it is.
    pub kind: AgentKind,
}

/// A file format's name, ending and a line about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatInfo {
    /// How it is asked for.
    pub name: &'static str,
    /// How such files end.
    pub extension: &'static str,
    /// One line.
    pub about: &'static str,
}

/// A problem. Implemented once, for every [`Entry`].
pub trait AnyProblem: Send + Sync {
    /// The problem's name in files and presets.
    fn name(&self) -> &'static str;
    /// Agents shown when none is asked for, on online days and on days that are known from the start.
    fn shown(&self, online: bool) -> &'static [&'static str];
    /// The agent that solves instances when none is asked for.
    fn solver(&self) -> &'static str;
    /// The strongest simple agent that could be run instead of a search that expects something.
    fn opponent(&self) -> &'static str;
    /// The presets.
    fn presets(&self) -> &'static [Preset];
    /// What can be changed of a preset.
    fn changes(&self) -> Vec<Field>;
    /// The agents.
    fn agents(&self) -> Vec<AgentInfo>;
    /// Checks an agent's name and parameters.
    fn check_agent(&self, spec: &AgentSpec) -> Result<(), SpecError>;
    /// Scenario `index` of a preset.
    fn draw(&self, preset: &str, seed: Seed, index: u64)
    -> Result<Box<dyn AnyScenario>, SpecError>;
    /// Reads a scenario from its JSON object.
    fn read(
        &self,
        reader: &mut Reader,
        object: &Map<String, Value>,
    ) -> Option<Box<dyn AnyScenario>>;
    /// Other people's scenario formats.
    fn scenario_formats(&self) -> Vec<FormatInfo>;
    /// Reads a scenario of other people's format by the format's name.
    fn read_foreign(
        &self,
        format: &str,
        file: &str,
        text: &str,
    ) -> Option<Result<Box<dyn AnyScenario>, Faults>>;
    /// The endings of other people's solution files.
    fn solution_extensions(&self) -> Vec<&'static str>;
    /// Trains a network by a recipe whose presets are of this problem.
    fn train(
        &self,
        recipe: &Recipe,
        task: &Task<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Summary, LearnError>;
    /// Trains a rewriter by a recipe whose presets are of this problem.
    fn train_rewriter(
        &self,
        recipe: &RewriterRecipe,
        task: &Task<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Summary, LearnError>;
    /// Teaches a guide by a recipe whose preset is of this problem.
    fn teach(
        &self,
        recipe: &GuideRecipe,
        task: &Task<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Summary, LearnError>;
}

/// One day of some problem.
pub trait AnyScenario: Send + Sync {
    /// The problem's name.
    fn problem(&self) -> &'static str;
    /// The agent that solves instances of the problem.
    fn solver(&self) -> &'static str;
    /// The scenario's name.
    fn name(&self) -> &str;
    /// The day in a few words.
    fn summary(&self) -> String;
    /// How many events it has.
    fn events(&self) -> usize;
    /// Whether something comes after the start.
    fn online(&self) -> bool;
    /// As JSON.
    fn write(&self) -> Value;
    /// As text of other people's format, if the problem knows the ending; the inner error says why it cannot be held.
    fn write_foreign(&self, extension: &str) -> Option<Result<String, String>>;
    /// The arrival law that its name begins with, if that is a preset of the problem.
    fn own_law(&self) -> Option<&str>;
    /// Simulates the day with an agent.
    fn simulate(&self, agent: &AgentSpec, settings: &Settings<'_>)
    -> Result<Outcome, EpisodeError>;
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

/// An entry behind the door.
pub(crate) struct Registered<S: Scenario>(pub(crate) Arc<Entry<S>>);

impl<S: Scenario> Registered<S> {
    fn day(&self, scenario: S) -> Box<dyn AnyScenario> {
        Box::new(RegisteredDay { entry: Arc::clone(&self.0), scenario })
    }
}

impl<S: Scenario> Entry<S> {
    /// A day of this problem, ready to be simulated, without any registry.
    pub fn day(self: &Arc<Self>, scenario: S) -> Box<dyn AnyScenario> {
        Box::new(RegisteredDay { entry: Arc::clone(self), scenario })
    }
}

impl<S: Scenario> AnyProblem for Registered<S> {
    fn name(&self) -> &'static str {
        S::PROBLEM
    }

    fn shown(&self, online: bool) -> &'static [&'static str] {
        if online { self.0.shown } else { self.0.shown_offline }
    }

    fn solver(&self) -> &'static str {
        self.0.solver
    }

    fn opponent(&self) -> &'static str {
        self.0.opponent.unwrap_or(self.0.solver)
    }

    fn presets(&self) -> &'static [Preset] {
        self.0.presets.as_ref().map_or(&[], |presets| presets.list)
    }

    fn changes(&self) -> Vec<Field> {
        self.0.presets.as_ref().map_or(Vec::new(), |presets| (presets.changes)())
    }

    fn agents(&self) -> Vec<AgentInfo> {
        let info = |agent: &crate::agents::AgentEntry<S>| AgentInfo {
            name: agent.name,
            about: agent.about.clone(),
            fields: agent.fields.clone(),
            defaults: agent.defaults.clone(),
            kind: agent.kind,
        };
        self.0.agents().iter().map(info).collect()
    }

    fn check_agent(&self, spec: &AgentSpec) -> Result<(), SpecError> {
        self.0.check_agent(spec)
    }

    fn draw(
        &self,
        preset: &str,
        seed: Seed,
        index: u64,
    ) -> Result<Box<dyn AnyScenario>, SpecError> {
        match &self.0.presets {
            Some(presets) => Ok(self.day((presets.draw)(preset, seed, index)?)),
            None => Err(SpecError(format!("'{}' has no presets", S::PROBLEM))),
        }
    }

    fn read(
        &self,
        reader: &mut Reader,
        object: &Map<String, Value>,
    ) -> Option<Box<dyn AnyScenario>> {
        Some(self.day(S::read(reader, object)?))
    }

    fn scenario_formats(&self) -> Vec<FormatInfo> {
        let info = |format: &solo_core::ScenarioFormat<S>| FormatInfo {
            name: format.name,
            extension: format.extension,
            about: format.about,
        };
        self.0.scenario_formats.iter().map(info).collect()
    }

    fn read_foreign(
        &self,
        format: &str,
        file: &str,
        text: &str,
    ) -> Option<Result<Box<dyn AnyScenario>, Faults>> {
        let format = self.0.scenario_formats.iter().find(|known| known.name == format)?;
        Some((format.read)(file, text).map(|scenario| self.day(scenario)))
    }

    fn solution_extensions(&self) -> Vec<&'static str> {
        self.0.solution_formats.iter().map(|format| format.extension).collect()
    }

    fn train(
        &self,
        recipe: &Recipe,
        task: &Task<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Summary, LearnError> {
        match &self.0.networks {
            Some(networks) => (networks.train)(&self.0, recipe, task, watch),
            None => Err(missing::<S>("an encoding")),
        }
    }

    fn train_rewriter(
        &self,
        recipe: &RewriterRecipe,
        task: &Task<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Summary, LearnError> {
        match &self.0.rewriters {
            Some(rewriters) => (rewriters.train)(&self.0, recipe, task, watch),
            None => Err(missing::<S>("solutions that can be rewritten")),
        }
    }

    fn teach(
        &self,
        recipe: &GuideRecipe,
        task: &Task<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Summary, LearnError> {
        match &self.0.guides {
            Some(guides) => (guides.teach)(&self.0, recipe, task, watch),
            None => Err(missing::<S>("features")),
        }
    }
}

/// Learning needs something that the problem does not have.
fn missing<S: Scenario>(what: &str) -> LearnError {
    SpecError(format!("learning needs {what}, which '{}' does not have", S::PROBLEM)).into()
}

struct RegisteredDay<S: Scenario> {
    entry: Arc<Entry<S>>,
    scenario: S,
}

impl<S: Scenario> AnyScenario for RegisteredDay<S> {
    fn problem(&self) -> &'static str {
        S::PROBLEM
    }

    fn solver(&self) -> &'static str {
        self.entry.solver
    }

    fn name(&self) -> &str {
        self.scenario.name()
    }

    fn summary(&self) -> String {
        self.scenario.summary()
    }

    fn events(&self) -> usize {
        self.scenario.events().len()
    }

    fn online(&self) -> bool {
        self.scenario.online()
    }

    fn write(&self) -> Value {
        serde_json::to_value(&self.scenario).expect("a scenario is plain data")
    }

    fn write_foreign(&self, extension: &str) -> Option<Result<String, String>> {
        let formats = self.entry.scenario_formats;
        let format = formats.iter().find(|format| format.extension == extension)?;
        Some((format.write)(&self.scenario))
    }

    fn own_law(&self) -> Option<&str> {
        let law = preset_of(self.name());
        let known = !matches!(self.scenario.rules(Some(law)), Err(LawError::Unknown(_)));
        known.then_some(law)
    }

    fn simulate(
        &self,
        agent: &AgentSpec,
        settings: &Settings<'_>,
    ) -> Result<Outcome, EpisodeError> {
        let law = settings.law.or_else(|| self.own_law()).filter(|law| *law != NO_LAW);
        simulation::simulate(&self.entry, &self.scenario, agent, law, settings)
    }

    fn audit(&self, reader: &mut Reader, object: &mut Object<'_>) -> Option<Verdict> {
        let stated = match object.optional("cost") {
            Some(_) => Some(object.number(reader, "cost", Range::ANY)?),
            None => None,
        };
        let name = object.field("decisions");
        let list = object.list(reader, "decisions")?;
        let decisions: Vec<Option<_>> = list
            .iter()
            .enumerate()
            .map(|(i, value)| decision::<S>(reader, &format!("{name}[{i}]"), value))
            .collect();
        self.judge(decisions.into_iter().collect::<Option<_>>()?, stated)
    }

    fn audit_foreign(
        &self,
        extension: &str,
        file: &str,
        text: &str,
    ) -> Option<Result<Verdict, Faults>> {
        let formats = self.entry.solution_formats;
        let format = formats.iter().find(|format| format.extension == extension)?;
        match (format.read)(&self.scenario, file, text) {
            Ok((decisions, stated)) => self.judge(decisions, stated).map(Ok),
            Err(faults) => Some(Err(faults)),
        }
    }
}

/// A decision of a solution file: an action with its time in one object.
fn decision<S: Scenario>(
    reader: &mut Reader,
    field: &str,
    value: &Value,
) -> Option<Timed<ActionOf<RulesOf<S>>>> {
    let Value::Object(fields) = value else {
        reader.fault(field, "should be an object in braces");
        return None;
    };
    let mut fields = fields.clone();
    let time = fields.remove("time").and_then(|time| time.as_f64());
    let time = time.filter(|time| Range::NOT_NEGATIVE.contains(*time));
    if time.is_none() {
        reader.fault(format!("{field}.time"), format!("should be {}", Range::NOT_NEGATIVE));
    }
    let what = reader.parse(field, &Value::Object(fields));
    Some(Timed { time: time?, what: what? })
}

impl<S: Scenario> RegisteredDay<S> {
    /// An audit looks at what happened, not at what was expected, so that no law is needed.
    fn judge(
        &self,
        decisions: Vec<Timed<ActionOf<RulesOf<S>>>>,
        stated: Option<Cost>,
    ) -> Option<Verdict> {
        let problem = self.scenario.rules(None).ok()?;
        let cost = problem.audit(&Log::of(self.scenario.events(), decisions));
        Some(Verdict { scenario: self.name().to_string(), stated, cost })
    }
}
