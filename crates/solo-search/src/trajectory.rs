//! The best complete trajectory of a closed state: nothing more can come, so what was found can be kept.

use crate::common::{DECISION, play};
use solo_core::{Cost, Menu, Meter, Policy, Problem, Rng, StateKey, Status, Tape, Time, settle};

/// The best trajectory found so far, from the state that is expected next to the end.
pub(crate) struct Trajectory<P: Problem> {
    /// Actions to come, the next one last.
    ahead: Vec<P::Action>,
    cost: Cost,
    /// The state that it starts from; `None` before anything was found.
    from: Option<StateKey>,
    scratch: Scratch<P>,
}

struct Scratch<P: Problem> {
    state: P::State,
    menu: Menu<P::Action>,
    tape: Tape<P::Event>,
    path: Vec<P::Action>,
}

impl<P: Problem> Trajectory<P> {
    pub(crate) fn new(problem: &P) -> Self {
        let scratch = Scratch {
            state: problem.initial(),
            menu: Menu::default(),
            tape: Tape::default(),
            path: Vec::new(),
        };
        Self { ahead: Vec::new(), cost: Cost::INFINITY, from: None, scratch }
    }

    /// Forgets what does not start from `state`.
    pub(crate) fn expect(&mut self, key: StateKey) {
        if self.from != Some(key) {
            self.ahead.clear();
            self.cost = Cost::INFINITY;
            self.from = Some(key);
        }
    }

    /// The cost from here on; infinite if nothing was found.
    pub(crate) fn cost(&self) -> Cost {
        self.cost
    }

    /// The next action.
    pub(crate) fn next(&self) -> Option<P::Action> {
        self.ahead.last().copied()
    }

    /// Takes over a whole trajectory from here, if it is the best.
    pub(crate) fn offer(&mut self, path: &[P::Action], cost: Cost) {
        if cost < self.cost {
            self.cost = cost;
            self.ahead.clear();
            self.ahead.extend(path.iter().rev());
        }
    }

    /// The next action is carried out.
    pub(crate) fn advance(&mut self, problem: &P, state: &P::State) {
        let Some(action) = self.ahead.pop() else { return };
        let Scratch { state: next, tape, .. } = &mut self.scratch;
        next.clone_from(state);
        tape.clear();
        let mut cost = problem.apply(next, action);
        cost += settle(problem, next, tape);
        self.cost -= cost;
        self.from = Some(problem.key(next));
    }

    /// Plays `first` (or nothing out of the ordinary), then `guide` to the end; keeps it if it is the best. `None` if
    /// there was no time.
    pub(crate) fn try_first(
        &mut self,
        problem: &P,
        state: &P::State,
        first: Option<P::Action>,
        guide: &mut impl Policy<P>,
        rng: &mut Rng,
        meter: &Meter<'_>,
    ) -> Option<Cost> {
        self.scratch.state.clone_from(state);
        self.scratch.path.clear();
        self.finish(problem, 0.0, first, guide, rng, meter)
    }

    /// Follows the best trajectory for a while, does something else, and goes on by `guide`.
    pub(crate) fn stray(
        &mut self,
        problem: &P,
        state: &P::State,
        guide: &mut impl Policy<P>,
        rng: &mut Rng,
        meter: &Meter<'_>,
    ) -> Option<Cost> {
        let Scratch { state: here, menu, tape, path } = &mut self.scratch;
        here.clone_from(state);
        path.clear();
        tape.clear();
        let mut cost = 0.0;
        for &action in self.ahead.iter().rev().take(rng.below(self.ahead.len())) {
            if meter.cuts(DECISION) {
                return None;
            }
            path.push(action);
            cost += problem.apply(here, action);
            cost += settle(problem, here, tape);
        }
        problem.menu(here, menu);
        if meter.cuts(menu.len()) {
            return None;
        }
        let other = menu.actions()[menu.legal()[rng.below(menu.legal().len())] as usize];
        self.finish(problem, cost, Some(other), guide, rng, meter)
    }

    fn finish(
        &mut self,
        problem: &P,
        mut cost: Cost,
        first: Option<P::Action>,
        guide: &mut impl Policy<P>,
        rng: &mut Rng,
        meter: &Meter<'_>,
    ) -> Option<Cost> {
        let Scratch { state, tape, path, .. } = &mut self.scratch;
        debug_assert!(problem.status(state) == Status::Decide);
        tape.clear();
        if let Some(action) = first {
            path.push(action);
            cost += problem.apply(state, action);
        }
        cost += play(problem, state, tape, guide, rng, meter, Time::INFINITY, |action| {
            path.push(action);
        })?;
        let path = std::mem::take(path);
        self.offer(&path, cost);
        self.scratch.path = path;
        Some(cost)
    }
}
