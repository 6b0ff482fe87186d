//! Playing on by a rule against a sampled future.

use crate::{Cost, Policy, Problem, Rng, Status, Tape, Time, settle_until};

/// Plays from `state` to the end against a sampled future, by a rule; returns the cost from here on.
///
/// Allocates nothing when the state, tape and policy are warm.
pub fn rollout<P: Problem>(
    problem: &P,
    state: &mut P::State,
    tape: &mut Tape<P::Event>,
    policy: &mut (impl Policy<P> + ?Sized),
    rng: &mut Rng,
) -> Cost {
    rollout_until(problem, state, tape, policy, rng, Time::INFINITY)
}

/// Plays on as [`rollout`] does, but no further than `stop`, where it takes in what happens at that moment.
pub fn rollout_until<P: Problem>(
    problem: &P,
    state: &mut P::State,
    tape: &mut Tape<P::Event>,
    policy: &mut (impl Policy<P> + ?Sized),
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
    tape: Tape<P::Event>,
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
