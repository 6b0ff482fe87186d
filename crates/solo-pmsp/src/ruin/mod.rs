//! Ruin and recreate: the strong local search.
//!
//! A few strings of adjacent jobs are taken out (Christiaens and Vanden Berghe's ruin, in time instead of space) and
//! put back one by one where they cost least; the change is kept by simulated annealing. The solution is a line of
//! jobs per machine with the completion time and the weight from there on kept at every job, so that the cost of an
//! insertion is known in O(1). Where jobs come later than the machines are ready (the clairvoyant's instances), lines
//! can have idle times; a delay is then carried from one busy stretch to the next.

mod params;
mod piece;
mod recreate;
mod removal;
mod schedule;
mod search;
mod share;
mod shop;
#[cfg(test)]
mod tests;

pub use params::RuinParams;

use crate::check::plan_cost;
use crate::dynamics::Scheduling;
use crate::plan::{Instance, Plan};
use crate::wspt::WsptPlan;
use search::Search;
use share::Share;
use solo_core::{Cost, Failure, Meter, Rng, Solver};
use std::time::Duration;

/// Takes improving plans with their costs, as they are found.
pub type Sink<'s> = &'s mut dyn FnMut(&Plan, Cost);

/// Improving plans are handed on at most this often.
const HAND_ON_EVERY: Duration = Duration::from_millis(20);
/// About this many positions are tried between two looks at the clock: some tens of microseconds.
const POSITIONS_PER_LOOK: usize = 8_192;
/// Larger instances are not started by WSPT, whose time grows with the square of the jobs.
const MOST_FOR_WSPT: usize = 400;

/// The local search as a solver: plans anew from its own last plan, repaired, and never ends with a plan that costs
/// more than the one it started from.
#[derive(Clone, Debug, Default)]
pub struct Ruin {
    params: RuinParams,
    search: Search,
    last: Option<Plan>,
}

impl Ruin {
    /// With other settings than the usual ones.
    pub fn new(params: RuinParams) -> Self {
        Self { params, ..Self::default() }
    }

    /// Improves `start` (its unknown jobs dropped, missing ones put in), or a plan by WSPT if there is none, until the
    /// budget is spent. Improving plans go to `sink`: the first at once, then some fifty a second, the last always.
    pub fn improve(
        &mut self,
        problem: &Scheduling,
        instance: &Instance,
        start: Option<&Plan>,
        meter: &Meter<'_>,
        rng: &mut Rng,
        sink: Sink<'_>,
    ) -> Result<(Plan, Cost), Failure> {
        if instance.machines.is_empty() && !instance.jobs.is_empty() {
            return Err(Failure::Refused("there is no machine to plan for".to_string()));
        }
        self.search.shop.load(problem, instance);
        if self.search.shop.releases {
            self.run::<true>(problem, instance, start, meter, rng, sink)
        } else {
            self.run::<false>(problem, instance, start, meter, rng, sink)
        }
    }

    fn run<const RELEASES: bool>(
        &mut self,
        problem: &Scheduling,
        instance: &Instance,
        start: Option<&Plan>,
        meter: &Meter<'_>,
        rng: &mut Rng,
        sink: Sink<'_>,
    ) -> Result<(Plan, Cost), Failure> {
        let jobs = instance.jobs.len();
        self.begin::<RELEASES>(problem, instance, start);
        let evaluated = |search: &Search| {
            let plan = search.plan(instance);
            let cost = plan_cost(problem, instance, &plan).map_err(Failure::Infeasible)?;
            Ok((plan, cost))
        };
        let mut answer = evaluated(&self.search)?;
        sink(&answer.0, answer.1);
        if jobs < 2 {
            return Ok(answer);
        }
        // better than the last plan handed on: always, but for rounding
        let mut hand_on = |search: &Search| {
            let found = evaluated(search)?;
            if found.1 < answer.1 {
                sink(&found.0, found.1);
                answer = found;
            }
            Ok(())
        };

        let mut current = self.search.recount::<RELEASES>();
        let mut best = current;
        let mut handed_on = best;
        let mut next_time = meter.elapsed() + HAND_ON_EVERY;
        let per_job = (current - self.search.shop.earliest()) / jobs as f64;
        let RuinParams { hot, cold, .. } = self.params;
        let share = Share::start(meter);
        let batch = (POSITIONS_PER_LOOK / (jobs * 4)).max(1) as u64;
        while !meter.exhausted() {
            let temperature = per_job * hot * (cold / hot).powf(share.used(meter));
            for _ in 0..batch.min(share::left(meter)) {
                meter.spend();
                current += self.step::<RELEASES>(temperature, rng);
                if current < best {
                    current = self.search.recount::<RELEASES>();
                    best = current;
                    self.search.remember();
                }
            }
            if best < handed_on && meter.elapsed() >= next_time {
                hand_on(&self.search)?;
                (handed_on, next_time) = (best, meter.elapsed() + HAND_ON_EVERY);
            }
        }
        if best < handed_on {
            hand_on(&self.search)?;
        }
        Ok(answer)
    }

    /// One iteration; returns the change in cost, 0 if it was taken back.
    #[inline]
    fn step<const RELEASES: bool>(&mut self, temperature: f64, rng: &mut Rng) -> Cost {
        self.search.ruin::<RELEASES>(&self.params, rng);
        self.search.recreate::<RELEASES>(&self.params, rng);
        self.search.polish::<RELEASES>();
        let change = self.search.change();
        if change <= -temperature * (1.0 - rng.unit()).ln() {
            self.search.keep();
            change
        } else {
            self.search.undo();
            0.0
        }
    }

    /// Makes the start the current and the best solution.
    fn begin<const RELEASES: bool>(
        &mut self,
        problem: &Scheduling,
        instance: &Instance,
        start: Option<&Plan>,
    ) {
        // a single job is simply put where it costs least
        let jobs = instance.jobs.len();
        let rule_fits = start.is_none() && jobs <= MOST_FOR_WSPT;
        let by_rule = rule_fits.then(|| WsptPlan::default().plan(problem, instance)).flatten();
        let start = start.or(by_rule.as_ref()).filter(|_| jobs > 1);
        self.search.start::<RELEASES>(instance, start);
        self.search.complete::<RELEASES>();
        self.search.remember();
    }
}

impl Solver<Scheduling> for Ruin {
    fn solve(
        &mut self,
        problem: &Scheduling,
        instance: &Instance,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Plan, Failure> {
        let last = self.last.take();
        let (plan, _) =
            self.improve(problem, instance, last.as_ref(), meter, rng, &mut |_, _| {})?;
        self.last = Some(plan.clone());
        Ok(plan)
    }
}
