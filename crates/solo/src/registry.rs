//! The problems, and how presets and agents are found by name.

use crate::Error;
use crate::any::{AnyDomain, Entry};
use solo_core::Seed;
use solo_core::spec::{Spec, nearest, split_budget};
use solo_cvrp::Cvrp;
use solo_pmsp::Pmsp;

/// Every problem. A further one is a crate of its own and one line here.
pub const PROBLEMS: &[&dyn AnyDomain] =
    &[&Entry::<Pmsp>::new(), &Entry::<Cvrp>::new().with_exact(solo_cvrp::vrplib::exact)];

/// The problem of this name.
pub fn problem(name: &str) -> Result<&'static dyn AnyDomain, String> {
    find(name).ok_or_else(|| {
        let names = || PROBLEMS.iter().map(|domain| domain.name());
        format!("'{name}' is not a known problem; {}", suggest(name, names))
    })
}

fn find(name: &str) -> Option<&'static dyn AnyDomain> {
    PROBLEMS.iter().copied().find(|domain| domain.name() == name)
}

/// The problem that has a preset of this name.
pub fn preset_owner(preset: &str) -> Option<&'static dyn AnyDomain> {
    PROBLEMS.iter().copied().find(|domain| has_preset(*domain, preset))
}

/// Whether a problem has a preset of this name, its changes included.
pub fn has_preset(domain: &dyn AnyDomain, preset: &str) -> bool {
    domain.generate(preset, Seed(0), 0).is_some()
}

/// What to say of a preset that nobody has.
pub fn unknown_preset(preset: &str) -> Error {
    let names = || PROBLEMS.iter().flat_map(|domain| domain.presets()).map(|preset| preset.name);
    let near = near(preset, names());
    Error::Usage(format!("unknown preset '{preset}'{near}; 'solo presets' lists all"))
}

/// Checks that `law` is a preset of the problem.
pub fn check_law(domain: &dyn AnyDomain, law: &str) -> Result<(), Error> {
    if has_preset(domain, law) {
        return Ok(());
    }
    if let Some(owner) = preset_owner(law) {
        return Err(Error::Usage(format!(
            "the law '{law}' is one of {}, but the scenarios are of {}",
            owner.name(),
            domain.name()
        )));
    }
    let near = near(law, domain.presets().iter().map(|preset| preset.name));
    Err(Error::Usage(format!("unknown law '{law}'{near}; laws are presets: see 'solo presets'")))
}

/// Checks an agent as it was typed against what the problem has.
pub fn check_agent(domain: &dyn AnyDomain, text: &str) -> Result<(), Error> {
    let usage = |message: String| Err(Error::Usage(message));
    let text = match split_budget(text) {
        Ok((text, _)) => text,
        Err(error) => return usage(format!("agent {error}")),
    };
    let spec = match Spec::parse(text) {
        Ok(spec) => spec,
        Err(error) => return usage(format!("agent {error}")),
    };
    let agents = domain.agents();
    if let Some(agent) = agents.iter().find(|agent| agent.name == spec.name) {
        return spec.resolve(agent.params).map(drop).or_else(|error| usage(error.to_string()));
    }
    let problem = domain.name();
    let elsewhere = PROBLEMS
        .iter()
        .find(|other| other.agents().iter().any(|agent| agent.name == spec.name))
        .map(|other| other.name());
    if let Some(elsewhere) = elsewhere {
        let names: Vec<_> = agents.iter().map(|agent| agent.name).collect();
        return usage(format!(
            "agent '{}' is one of {elsewhere}, not of {problem}, whose agents are {}",
            spec.name,
            names.join(", ")
        ));
    }
    let near = near(&spec.name, agents.iter().map(|agent| agent.name));
    usage(format!("{problem} has no agent '{}'{near}; 'solo presets' lists all", spec.name))
}

fn near<'n>(typed: &str, known: impl Iterator<Item = &'n str>) -> String {
    nearest(typed, known).map_or(String::new(), |near| format!(" (did you mean '{near}'?)"))
}

fn suggest<'n, I: Iterator<Item = &'n str>>(typed: &str, known: impl Fn() -> I) -> String {
    match nearest(typed, known()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("known are {}", known().collect::<Vec<_>>().join(", ")),
    }
}
