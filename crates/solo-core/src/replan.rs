//! Offline solvers run online: plan the open work, follow the plan, plan again.

use crate::{Agent, Decision, Failure, Meter, NoTime, Offline, Rng, Solver};

/// When a plan is made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Where the paper's baselines do: at the depot, or at any event on the machines.
    AtRest,
    /// At every decision.
    Always,
}

crate::words!(When { AtRest: "rest", Always: "always" });

/// Plans the open work as if nothing more would come, and follows the plan until the next planning point. A plan made
/// when indeed nothing more can come is followed to the end: offline that is one plan, with the whole budget. Only one that
/// there was no time for is made again.
pub struct Replan<P: Offline, S> {
    solver: S,
    when: When,
    plan: Option<P::Plan>,
    last: bool,
}

impl<P: Offline, S: Solver<P>> Replan<P, S> {
    /// Plans by `solver` at the points of `when`.
    pub fn new(solver: S, when: When) -> Self {
        Self { solver, when, plan: None, last: false }
    }

    fn due(&self, problem: &P, state: &P::State) -> bool {
        self.plan.is_none() || (!self.last && (self.when == When::Always || problem.at_rest(state)))
    }
}

impl<P: Offline, S: Solver<P>> Agent<P> for Replan<P, S> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        let mut no_time = None;
        if self.due(problem, state) {
            let instance = problem.snapshot(state);
            self.plan = Some(self.solver.solve(problem, &instance, meter, rng)?);
            no_time = (meter.has_cut() && meter.spent() == 0).then_some(NoTime::Plan);
            self.last = problem.closing_time(state).is_none() && no_time.is_none();
        }
        let plan = self.plan.as_mut().expect("a plan was just made");
        let action = problem.follow(state, plan);
        Ok(Decision { no_time, ..Decision::plain(action, meter.spent()) })
    }
}
