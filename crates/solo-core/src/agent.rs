//! Who decides.

use crate::offline::{Offline, Solver};
use crate::{Cost, Menu, Meter, Problem, Rng};
use std::fmt;
use thiserror::Error;

/// Picks an action by a rule: fast, and usable inside rollouts. Never asked where no decision is due.
pub trait Policy<P: Problem>: Send {
    /// A legal action of `state`.
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action;

    /// A legal action of `state`: the same as [`Policy::choose`] chooses, unless `meter` cuts the work off
    /// ([`Meter::has_cut`]). Then it is one that can be found at once. To be implemented where the work of a choice grows
    /// with the state.
    fn choose_within(
        &mut self,
        problem: &P,
        state: &P::State,
        _meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> P::Action {
        self.choose(problem, state, rng)
    }
}

/// A policy that can also say how good each action looks, for pruning and for explanations.
pub trait Guide<P: Problem>: Policy<P> {
    /// Fills `out` with a value for every slot of `menu`, the state's menu; larger is better. Values of masked slots
    /// mean nothing. They need not be costs: only their order counts.
    fn values(&mut self, problem: &P, state: &P::State, menu: &Menu<P::Action>, out: &mut Vec<f64>);

    /// The same, unless `meter` cuts the work off: then false, and what is in `out` means nothing.
    fn values_within(
        &mut self,
        problem: &P,
        state: &P::State,
        menu: &Menu<P::Action>,
        _meter: &Meter<'_>,
        out: &mut Vec<f64>,
    ) -> bool {
        self.values(problem, state, menu, out);
        true
    }
}

/// A policy that keeps a plan and leads a search: good in rollouts, and helped by a planner at the root. Copies are for
/// rollouts: they go on from the plan that the original has.
pub trait RolloutPolicy<P: Offline>: Policy<P> + Clone + Default + Sync + 'static {
    /// Who plans at the root, from one decision of a day to the next.
    type Planner: Solver<P> + Default + 'static;

    /// Takes over a plan of the open work of `state`.
    fn adopt(&mut self, problem: &P, state: &P::State, plan: &P::Plan, meter: &Meter<'_>);

    /// Appends the actions worth trying in `state`, the most promising first, waiting among them; `most` different ones
    /// are enough. They may be illegal or come twice.
    fn shortlist(
        &mut self,
        problem: &P,
        state: &P::State,
        most: usize,
        meter: &Meter<'_>,
        out: &mut Vec<P::Action>,
    );
}

/// What kind of thing an agent is: tables are grouped by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentKind {
    /// A simple rule, without learning or search.
    Rule,
    /// Plans the open work, as if nothing more would come.
    Solver,
    /// Compares actions on sampled futures, without anything learned.
    Search,
    /// Uses a network or a guide, alone or in a search.
    Learned,
    /// No agent but what somebody would have paid who knew the whole day.
    Bound,
}

/// What an agent answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<A> {
    /// The order to carry out.
    pub action: A,
    /// How many rollouts or iterations went into it.
    pub rollouts: u64,
    /// What there was no time for, if the answer would otherwise have been thought through.
    pub no_time: Option<NoTime>,
    /// Why this one, if the agent can say.
    pub evidence: Option<Box<Evidence<A>>>,
}

impl<A> Decision<A> {
    /// A decision without further explanation.
    pub fn plain(action: A, rollouts: u64) -> Self {
        Self { action, rollouts, no_time: None, evidence: None }
    }
}

/// What an agent had no time for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoTime {
    /// A rollout of more than one action: the answer is the guide's choice or the plan's own step.
    Rollout,
    /// To improve a plan: the answer is a step of the one at hand.
    Plan,
    /// The guide or the network: the answer is a step of the plan at hand or of a simple rule.
    Guide,
}

impl NoTime {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rollout, Self::Plan, Self::Guide];
}

impl fmt::Display for NoTime {
    /// Completes "had no time for".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoTime::Rollout => "a rollout",
            NoTime::Plan => "a better plan",
            NoTime::Guide => "its guide",
        })
    }
}

/// Why an action was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence<A> {
    /// How the answer was reached, in a few words: `searched`, `guide alone: no time for a rollout`, ...
    pub how: &'static str,
    /// What was considered, best first; once it is explained ([`Agent::explain`]), then what was masked or pruned.
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

    /// Adds to a decision just made in `state` what takes too long to say every time. It changes nothing else.
    fn explain(&mut self, _problem: &P, _state: &P::State, _decision: &mut Decision<P::Action>) {}
}

/// A rule as an agent: answers at once.
#[derive(Clone, Copy, Debug)]
pub struct Reflex<R>(pub R);

impl<P: Problem, R: Policy<P>> Agent<P> for Reflex<R> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        Ok(reflex(&mut self.0, problem, state, meter, rng))
    }
}

/// The choice of a rule or a guide as a decision.
pub(crate) fn reflex<P: Problem>(
    policy: &mut impl Policy<P>,
    problem: &P,
    state: &P::State,
    meter: &Meter<'_>,
    rng: &mut Rng,
) -> Decision<P::Action> {
    let action = policy.choose_within(problem, state, meter, rng);
    let no_time = meter.has_cut().then_some(NoTime::Guide);
    Decision { no_time, ..Decision::plain(action, 0) }
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
