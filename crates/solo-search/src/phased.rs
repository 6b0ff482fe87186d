//! One search while something may still come, another once nothing can.

use crate::Lookahead;
use crate::lookahead::undisturbed;
use solo_core::{Agent, Decision, Failure, Meter, Policy, Problem, Rng};

/// While something may come, candidates are played by a guide that knows what to expect; once nothing can, what is
/// left is planned, and a rule that keeps plans plays.
pub struct Phased<P: Problem, S> {
    /// While something may come.
    pub open: Box<dyn Agent<P>>,
    /// Once nothing can.
    pub closed: Lookahead<P, S>,
}

impl<P, S> Agent<P> for Phased<P, S>
where
    P: Problem,
    S: Policy<P> + Clone + Sync,
{
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        if problem.closing_time(state).is_none() {
            self.closed.decide(problem, state, meter, rng)
        } else {
            // The other one, too, is to know that the day began open: then it plans at every decision.
            self.closed.began_closed = Some(false);
            self.open.decide(problem, state, meter, rng)
        }
    }

    fn ponder(
        &mut self,
        problem: &P,
        state: &P::State,
        action: P::Action,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) {
        // Who will be asked next is who ponders.
        let next = undisturbed(problem, state, action);
        if next.is_some_and(|next| problem.closing_time(&next).is_none()) {
            self.closed.ponder(problem, state, action, meter, rng);
        } else {
            self.open.ponder(problem, state, action, meter, rng);
        }
    }

    fn explain(&mut self, problem: &P, state: &P::State, decision: &mut Decision<P::Action>) {
        if problem.closing_time(state).is_none() {
            self.closed.explain(problem, state, decision);
        } else {
            self.open.explain(problem, state, decision);
        }
    }
}
