//! Who decides.

use crate::offline::{Offline, Solver};
use crate::{Cost, Menu, Meter, Problem, Rng};
use thiserror::Error;

/// Picks an action by a rule: fast, and usable inside rollouts. Never asked where no decision is due.
pub trait Policy<P: Problem>: Send {
    /// A legal action of `state`.
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action;
}

/// A policy that can also say how good each action looks, for pruning and for explanations.
pub trait Guide<P: Problem>: Policy<P> {
    /// Fills `out` with a value for every slot of `menu`, the state's menu; larger is better. Values of masked slots
    /// mean nothing. They need not be costs: only their order counts.
    fn values(&mut self, problem: &P, state: &P::State, menu: &Menu<P::Action>, out: &mut Vec<f64>);
}

/// A policy that keeps a plan and leads a search: good in rollouts, and helped by a planner at the root. Copies are for
/// rollouts: they go on from the plan that the original has.
pub trait RolloutPolicy<P: Offline>: Policy<P> + Clone + Default + Sync + 'static {
    /// Who plans at the root, from one decision of a day to the next.
    type Planner: Solver<P> + Default + 'static;

    /// Takes over a plan of the open work of `state`.
    fn adopt(&mut self, problem: &P, state: &P::State, plan: &P::Plan);

    /// Appends the actions worth trying in `state`, the most promising first, waiting among them. They may be illegal
    /// or come twice.
    fn shortlist(&mut self, problem: &P, state: &P::State, out: &mut Vec<P::Action>);
}

/// What an agent answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<A> {
    /// The order to carry out.
    pub action: A,
    /// How many rollouts or iterations went into it.
    pub rollouts: u64,
    /// Why this one, if the agent can say.
    pub evidence: Option<Box<Evidence<A>>>,
}

impl<A> Decision<A> {
    /// A decision without further explanation.
    pub fn plain(action: A, rollouts: u64) -> Self {
        Self { action, rollouts, evidence: None }
    }
}

/// Why an action was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence<A> {
    /// How the answer was reached, in a few words: `searched`, `guide alone: no time for a rollout`, ...
    pub how: &'static str,
    /// What was considered, best first; then what was masked or pruned.
    pub candidates: Vec<Candidate<A>>,
    /// Whether the best and the second best are within noise of each other.
    pub tied: bool,
}

/// What is known of one action.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<A> {
    /// The action.
    pub action: A,
    /// Rollouts that began with it.
    pub visits: u64,
    /// The mean cost from here on, over those.
    pub mean: Cost,
    /// The standard error of its difference to the chosen action on common futures; `None` where none were shared.
    pub error: Option<Cost>,
    /// The guide's value.
    pub value: Option<f64>,
    /// Why it was not considered.
    pub masked: Option<&'static str>,
}

/// Why an agent could not answer. Each names who failed and what happened.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Failure {
    /// Something it needs is not installed.
    #[error("not available: {0}")]
    Missing(String),
    /// Its process ended.
    #[error("died: {0}")]
    Died(String),
    /// It took far longer than it was given.
    #[error("too slow: {0}")]
    Late(String),
    /// It answered something that cannot be understood.
    #[error("answered garbage: {0}")]
    Garbage(String),
    /// It answered a plan that breaks the rules.
    #[error("answered an infeasible plan: {0}")]
    Infeasible(String),
    /// It declined, and said why.
    #[error("declined: {0}")]
    Refused(String),
}

/// Decides within a budget; may remember between the decisions of one day. It is given `problem` as *it* believes it to
/// be, and the state, never the world.
pub trait Agent<P: Problem>: Send {
    /// A legal action for `state`.
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure>;

    /// Thinks ahead after `action` was ordered in `state`, while nothing is due. What is found helps the next decision.
    fn ponder(
        &mut self,
        _problem: &P,
        _state: &P::State,
        _action: P::Action,
        _meter: &Meter<'_>,
        _rng: &mut Rng,
    ) {
    }
}

/// A rule as an agent: answers at once, whatever the budget.
#[derive(Clone, Copy, Debug)]
pub struct Reflex<R>(pub R);

impl<P: Problem, R: Policy<P>> Agent<P> for Reflex<R> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        _meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        Ok(Decision::plain(self.0.choose(problem, state, rng), 0))
    }
}

/// Every legal action equally likely, waiting included.
#[derive(Debug)]
pub struct Uniform<P: Problem> {
    menu: Menu<P::Action>,
}

impl<P: Problem> Clone for Uniform<P> {
    fn clone(&self) -> Self {
        Self::default() // the menu is room to compute in
    }
}

impl<P: Problem> Default for Uniform<P> {
    fn default() -> Self {
        Self { menu: Menu::default() }
    }
}

impl<P: Problem> Policy<P> for Uniform<P> {
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action {
        problem.menu(state, &mut self.menu);
        let legal = self.menu.legal();
        self.menu.actions()[legal[rng.below(legal.len())] as usize]
    }
}

impl<P: Problem> Guide<P> for Uniform<P> {
    /// All actions look the same.
    fn values(
        &mut self,
        _problem: &P,
        _state: &P::State,
        menu: &Menu<P::Action>,
        out: &mut Vec<f64>,
    ) {
        out.clear();
        out.resize(menu.len(), 0.0);
    }
}
