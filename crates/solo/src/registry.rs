//! The problems, and how presets and agents are found by name.

use crate::Error;
use crate::any::{AnyProblem, AnyScenario, Registered};
use crate::entry::Entry;
use crate::problems;
use crate::simulation::NO_LAW;
use solo_core::params::nearest;
use solo_core::{AgentKind, AgentSpec, PresetSpec, Scenario, Seed};
use std::sync::{Arc, LazyLock};

/// Problems by name. [`bundled`] has those that come with the program; [`Registry::add`] adds others.
#[derive(Default)]
pub struct Registry {
    problems: Vec<Box<dyn AnyProblem>>,
}

/// The problems that come with the program.
pub fn bundled() -> &'static Registry {
    static BUNDLED: LazyLock<Registry> = LazyLock::new(|| {
        let mut registry = Registry::default();
        registry.add(problems::pmsp()).add(problems::cvrp());
        registry
    });
    &BUNDLED
}

impl Registry {
    /// Adds a problem.
    pub fn add<S: Scenario>(&mut self, entry: Entry<S>) -> &mut Self {
        self.problems.push(Box::new(Registered(Arc::new(entry))));
        self
    }

    /// All problems.
    pub fn problems(&self) -> impl Iterator<Item = &dyn AnyProblem> {
        self.problems.iter().map(|problem| &**problem)
    }

    /// The problem of this name.
    pub fn problem(&self, name: &str) -> Result<&dyn AnyProblem, String> {
        self.problems().find(|problem| problem.name() == name).ok_or_else(|| {
            let names = || self.problems().map(AnyProblem::name);
            let known = match nearest(name, names()) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("known are {}", names().collect::<Vec<_>>().join(", ")),
            };
            format!("'{name}' is not a known problem; {known}")
        })
    }

    /// The problem that has a preset of this name; changes are left aside.
    pub fn owner(&self, preset: &str) -> Option<&dyn AnyProblem> {
        let name = PresetSpec::name_of(preset);
        self.problems().find(|problem| problem.presets().iter().any(|preset| preset.name == name))
    }

    /// The problem of a preset, which is checked with its changes.
    pub fn preset(&self, preset: &str) -> Result<&dyn AnyProblem, Error> {
        let Some(owner) = self.owner(preset) else {
            let names = self.problems().flat_map(AnyProblem::presets);
            let near = near(PresetSpec::name_of(preset), names.map(|preset| preset.name));
            return Err(Error::Usage(format!(
                "unknown preset '{preset}'{near}; 'solo list' lists all"
            )));
        };
        let drawn = owner.draw(preset, Seed(0), 0);
        drawn.map(|_| owner).map_err(|error| Error::Usage(error.to_string()))
    }

    /// Scenario `index` of a preset, drawn with `seed`.
    pub fn draw(&self, preset: &str, seed: u64, index: u64) -> Result<Box<dyn AnyScenario>, Error> {
        let owner = self.preset(preset)?;
        owner.draw(preset, Seed(seed), index).map_err(|error| Error::Usage(error.to_string()))
    }

    /// Checks that `law` is a preset of the problem, or [`NO_LAW`].
    pub fn check_law(&self, problem: &dyn AnyProblem, law: &str) -> Result<(), Error> {
        match self.owner(law) {
            None if law == NO_LAW => Ok(()),
            Some(owner) if owner.name() == problem.name() => self.preset(law).map(drop),
            Some(owner) => Err(Error::Usage(format!(
                "the law '{law}' is one of {}, but the scenarios are of {}",
                owner.name(),
                problem.name()
            ))),
            None => {
                let near = near(law, problem.presets().iter().map(|preset| preset.name));
                let what = format!("unknown law '{law}'{near}; laws are presets: see 'solo list'");
                Err(Error::Usage(what))
            }
        }
    }

    /// Reads an agent as it was typed and checks it against what the problem has.
    pub fn agent(&self, problem: &dyn AnyProblem, typed: &str) -> Result<AgentSpec, Error> {
        let usage = |message: String| Error::Usage(message);
        let spec = AgentSpec::parse(typed).map_err(|error| usage(error.to_string()))?;
        let has =
            |problem: &dyn AnyProblem| problem.agents().iter().any(|agent| agent.name == spec.name);
        let elsewhere = self.problems().find(|other| has(*other)).map(AnyProblem::name);
        if let Some(elsewhere) = elsewhere.filter(|_| !has(problem)) {
            let names: Vec<_> = problem.agents().iter().map(|agent| agent.name).collect();
            return Err(usage(format!(
                "agent '{}' is one of {elsewhere}, not of {}, whose agents are {}",
                spec.name,
                problem.name(),
                names.join(", ")
            )));
        }
        problem.check_agent(&spec).map_err(|error| usage(error.to_string()))?;
        Ok(spec)
    }

    /// What kind of agent this is, as it is typed; `None` if no problem has one of this name.
    ///
    /// ```
    /// use solo::bundled;
    /// use solo::core::AgentKind;
    ///
    /// assert_eq!(bundled().kind("solo2(k=12)@10ms"), Some(AgentKind::Learned));
    /// assert_eq!(bundled().kind("hold"), Some(AgentKind::Rule));
    /// assert_eq!(bundled().kind("nobody"), None);
    /// ```
    pub fn kind(&self, typed: &str) -> Option<AgentKind> {
        let spec = AgentSpec::parse(typed).ok()?;
        let mut all = self.problems().flat_map(AnyProblem::agents);
        all.find(|agent| agent.name == spec.name).map(|agent| agent.kind)
    }
}

fn near<'n>(typed: &str, known: impl Iterator<Item = &'n str>) -> String {
    nearest(typed, known).map_or(String::new(), |near| format!(" (did you mean '{near}'?)"))
}
