//! Every agent of a problem: its own, the searches, those with networks, other people's solvers run by replanning, and the clairvoyant.

use crate::any::AgentInfo;
use crate::{guides, networks, searches};
use solo_core::spec::{Kind, Param, Spec, SpecError};
use solo_core::{Agent, AgentEntry, Domain, Replan, When};
use solo_rivals::{External, Pool, Rival};

/// Somebody who lives a day.
pub enum Mind<D: Domain> {
    /// Decides from what has happened.
    Agent(Box<dyn Agent<D::Problem>>),
    /// Knows the whole day from the start; its budget is for the whole day.
    Clairvoyant,
}

/// The clairvoyant's name.
pub const HINDSIGHT: &str = "hindsight";

const REPLAN: &[Param] = &[Param {
    name: "replan",
    about: "plan anew at the depot or machine, as published, or at every decision",
    kind: Kind::Choice(When::WORDS),
}];

/// The rivals with a line about each.
const RIVALS: [(Rival, &str); 6] = [
    (Rival::ORTOOLS, "OR-Tools' routing solver with default parameters, as the paper ran it"),
    (Rival::ORTOOLS_GLS, "OR-Tools' routing solver with guided local search"),
    (Rival::PYVRP, "PyVRP"),
    (Rival::CPSAT, "OR-Tools CP-SAT from a WSPT hint, one circuit through all machines"),
    (Rival::CPSAT_CIRCUITS, "OR-Tools CP-SAT from a WSPT hint, one circuit a machine"),
    (Rival::CPOPTIMIZER, "IBM CP Optimizer, where its engine is installed"),
];

fn rivals<D: Domain>() -> impl Iterator<Item = (Rival, &'static str)> {
    RIVALS.into_iter().filter(|(rival, _)| D::RIVALS.contains(&rival.name))
}

/// The problem's own agents and the searches.
fn entries<D: Domain>() -> impl Iterator<Item = AgentEntry<D::Problem>> {
    D::agents().into_iter().chain(searches::agents::<D>())
}

/// What can be asked for.
pub fn infos<D: Domain>() -> Vec<AgentInfo> {
    let own = entries::<D>().map(|agent| AgentInfo {
        name: agent.name,
        about: agent.about,
        params: agent.params,
    });
    let rivals =
        rivals::<D>().map(|(rival, about)| AgentInfo { name: rival.name, about, params: REPLAN });
    let hindsight = AgentInfo {
        name: HINDSIGHT,
        about: "the day planned with all arrivals known: a bound by a heuristic, not an agent; its budget is for the whole day",
        params: &[],
    };
    own.chain(networks::infos()).chain(guides::infos()).chain(rivals).chain([hindsight]).collect()
}

/// Makes the agent as it was typed, for days of the law `law`; children of rivals come from `pool`.
pub fn make<D: Domain>(text: &str, law: Option<&str>, pool: &Pool) -> Result<Mind<D>, SpecError> {
    let spec = Spec::parse(text)?;
    if spec.name == HINDSIGHT {
        spec.resolve(&[])?;
        return Ok(Mind::Clairvoyant);
    }
    if let Some((rival, _)) = rivals::<D>().find(|(rival, _)| rival.name == spec.name) {
        let when = When::from_word(spec.resolve(REPLAN)?.word("replan"));
        let solver = External::<D::Problem>::new(rival, pool.clone());
        return Ok(Mind::Agent(Box::new(Replan::new(solver, when))));
    }
    if let Some(agent) = networks::make::<D>(&spec, law) {
        return agent.map(Mind::Agent);
    }
    if let Some(agent) = guides::make::<D>(&spec, law) {
        return agent.map(Mind::Agent);
    }
    let entry = entries::<D>().find(|entry| entry.name == spec.name);
    let entry = entry.ok_or_else(|| SpecError(format!("{} has no agent '{text}'", D::NAME)))?;
    Ok(Mind::Agent((entry.make)(&spec.resolve(entry.params)?)))
}
