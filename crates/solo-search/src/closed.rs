//! Where nothing more can come: the best complete trajectory is kept, improved and followed.

use crate::lookahead::Lookahead;
use crate::trajectory::Trajectory;
use crate::verdict::{decision, how, unplayed};
use solo_core::{Candidate, Decision, Failure, Meter, Policy, Problem, Seed, Stream};

/// The part of the time for the planner; the rest goes to straying from the best trajectory.
const SHARE: f64 = 0.5;
/// The same on a day that was closed when it began: there is one plan, and nobody plans better than the planner.
const SHARE_OFFLINE: f64 = 0.95;

impl<P, G> Lookahead<P, G>
where
    P: Problem,
    G: Policy<P> + Clone + Sync,
{
    /// The next step of the best trajectory. A day that was closed when it began is planned once, with the budget of
    /// its first decision; otherwise every decision uses its time to find something better.
    pub(crate) fn close(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        seed: Seed,
    ) -> Result<Decision<P::Action>, Failure> {
        let mut best = self.best.take().unwrap_or_else(|| Trajectory::new(problem));
        best.expect(problem.key(state));
        let mut candidates = Vec::new();
        if !(self.began_closed == Some(true) && best.next().is_some()) {
            candidates = self.improve(problem, state, &mut best, meter, seed)?;
        }
        let how = match best.next() {
            Some(_) => how::BEST,
            None if self.cut => how::AT_HAND,
            None => how::ALONE,
        };
        if let Some(action) = best.next() {
            candidates.retain(|candidate: &Candidate<P::Action>| candidate.action != action);
            let chosen = Candidate { mean: best.cost(), visits: 1, ..unplayed(action) };
            candidates.sort_by(|a, b| a.mean.total_cmp(&b.mean));
            candidates.insert(0, chosen);
        }
        let tied = candidates.get(1).is_some_and(|second| second.mean <= candidates[0].mean);
        best.advance(problem, state);
        self.best = Some(best);
        Ok(decision(candidates, how, tied, meter))
    }

    /// Plans, tries every candidate once, then strays from the best trajectory until the budget is spent. Returns what
    /// the candidates cost, the default first.
    pub(crate) fn improve(
        &mut self,
        problem: &P,
        state: &P::State,
        best: &mut Trajectory<P>,
        meter: &Meter<'_>,
        seed: Seed,
    ) -> Result<Vec<Candidate<P::Action>>, Failure> {
        let offline = self.began_closed == Some(true);
        let share = if offline { SHARE_OFFLINE } else { SHARE };
        let default = self.plan(problem, state, share, meter, seed)?;
        self.list(problem, state, default, self.params.k.max(1), meter);
        let mut candidates: Vec<_> = self.candidates.iter().map(|&a| unplayed(a)).collect();
        let guide = self.copy.get_or_insert_with(|| self.guide.clone());
        let mut rng = seed.stream(Stream::Agent, 0);
        // Inside a rollout only the clock and the stop count: a budget in rollouts ends between them.
        let within = meter.inside();
        let mut tried = 0;
        while !meter.exhausted() {
            guide.clone_from(&self.guide);
            let cost = match candidates.get(tried) {
                Some(candidate) => {
                    // The default is what the rule does anyway.
                    let first = (tried > 0).then_some(candidate.action);
                    best.try_first(problem, state, first, guide, &mut rng, &within)
                }
                None => best.stray(problem, state, guide, &mut rng, &within),
            };
            let Some(cost) = cost else { break };
            if let Some(candidate) = candidates.get_mut(tried) {
                (candidate.mean, candidate.visits) = (cost, 1);
            }
            tried += 1;
            meter.spend();
        }
        if best.next().is_none()
            && let Some(default) = self.plan_on(problem, state, meter, seed)?
        {
            candidates = vec![unplayed(default)];
        }
        Ok(candidates)
    }
}
