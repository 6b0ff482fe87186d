//! The day as it really happens.

use crate::{
    Cost, Journal, Menu, Policy, Problem, Rng, Status, Tape, Time, Timed, settle, settle_until,
};
use thiserror::Error;

/// An order that the rules forbid.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("at time {time} '{action}' is not allowed: {reason}")]
pub struct Illegal {
    /// When.
    pub time: Time,
    /// The order.
    pub action: String,
    /// Why not.
    pub reason: String,
}

/// One day with its realised future, which nobody can read: it is not `Clone` and has no accessor for the tape.
pub struct World<'p, P: Problem> {
    problem: &'p P,
    state: P::State,
    tape: Tape<P::Arrival>,
    journal: Journal<P::Arrival, P::Action>,
    menu: Menu<P::Action>,
    cost: Cost,
}

impl<'p, P: Problem> World<'p, P> {
    /// Opens the day with these arrivals, and lets time run to the first decision.
    pub fn open(problem: &'p P, arrivals: Vec<Timed<P::Arrival>>) -> Self {
        let mut world = Self {
            problem,
            state: problem.initial(),
            tape: Tape::new(arrivals),
            journal: Journal::default(),
            menu: Menu::default(),
            cost: 0.0,
        };
        world.settle();
        world
    }

    /// Everything that has happened so far.
    pub fn state(&self) -> &P::State {
        &self.state
    }

    /// Whether the day is over.
    pub fn done(&self) -> bool {
        self.problem.status(&self.state) == Status::Done
    }

    /// The cost so far.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The record so far.
    pub fn journal(&self) -> &Journal<P::Arrival, P::Action> {
        &self.journal
    }

    /// Carries out a decision and lets time run to the next one; returns what that cost.
    pub fn act(&mut self, action: P::Action) -> Result<Cost, Illegal> {
        let time = self.problem.now(&self.state);
        let illegal =
            |reason: &str| Illegal { time, action: action.to_string(), reason: reason.to_string() };
        if self.done() {
            return Err(illegal("the day is over"));
        }
        self.problem.menu(&self.state, &mut self.menu);
        let slot = self.menu.slot(action).ok_or_else(|| illegal("it is not on the menu"))?;
        if let Some(reason) = self.menu.reason(slot) {
            return Err(illegal(reason));
        }
        let before = self.cost;
        self.journal.decisions.push(Timed { time, what: action });
        self.cost += self.problem.apply(&mut self.state, action);
        self.settle();
        Ok(self.cost - before)
    }

    /// Ends the day and hands over its record.
    pub fn into_journal(self) -> Journal<P::Arrival, P::Action> {
        self.journal
    }

    fn settle(&mut self) {
        self.cost += settle(self.problem, &mut self.state, &mut self.tape);
        let known = self.journal.arrivals.len();
        let read = self.tape.read();
        self.journal.arrivals.extend_from_slice(&self.tape.events()[known..read]);
    }
}

/// Plays from `state` to the end against a dreamt future, by a rule; returns the cost from here on.
///
/// Allocates nothing when the state, tape and policy are warm.
pub fn rollout<P: Problem>(
    problem: &P,
    state: &mut P::State,
    tape: &mut Tape<P::Arrival>,
    policy: &mut impl Policy<P>,
    rng: &mut Rng,
) -> Cost {
    rollout_until(problem, state, tape, policy, rng, Time::INFINITY)
}

/// Plays on as [`rollout`] does, but no further than `stop`, where it takes in what arrives at that moment.
pub fn rollout_until<P: Problem>(
    problem: &P,
    state: &mut P::State,
    tape: &mut Tape<P::Arrival>,
    policy: &mut impl Policy<P>,
    rng: &mut Rng,
    stop: Time,
) -> Cost {
    let mut cost = settle_until(problem, state, tape, stop);
    while problem.status(state) == Status::Decide && problem.now(state) < stop {
        let action = policy.choose(problem, state, rng);
        cost += problem.apply(state, action);
        cost += settle_until(problem, state, tape, stop);
    }
    cost
}

/// Scratch for many rollouts from given states, each against a fresh draw from the law.
pub struct Rollouts<P: Problem> {
    state: P::State,
    tape: Tape<P::Arrival>,
}

impl<P: Problem> Rollouts<P> {
    /// Empty scratch.
    pub fn new(problem: &P) -> Self {
        Self { state: problem.initial(), tape: Tape::default() }
    }

    /// Draws a future for `from`, plays it by `policy` to the end, and returns the cost from there on.
    pub fn run(
        &mut self,
        problem: &P,
        from: &P::State,
        policy: &mut impl Policy<P>,
        rng: &mut Rng,
    ) -> Cost {
        self.state.clone_from(from);
        self.tape.clear();
        problem.sample_future(from, Time::INFINITY, rng, &mut self.tape);
        rollout(problem, &mut self.state, &mut self.tape, policy, rng)
    }
}
