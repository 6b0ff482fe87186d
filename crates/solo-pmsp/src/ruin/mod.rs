//! Ruin and recreate: the strong local search.
//!
//! A few strings of adjacent jobs are taken out (Christiaens and Vanden Berghe's ruin, in time instead of space) and
//! put back one by one where they cost least; the change is kept by simulated annealing. The solution is a line of
//! jobs per machine with the completion time and the weight from there on kept at every job, so that the cost of an
//! insertion is known in O(1). Where jobs come later than the machines are ready (the clairvoyant's instances), lines
//! can have idle times; a delay is then carried from one busy stretch to the next.

mod params;
mod recreate;
mod removal;
mod schedule;
mod search;
mod shop;

pub use params::Params;

use crate::check::plan_cost;
use crate::dynamics::Scheduling;
use crate::plan::{Instance, Plan};
use crate::wspt::WsptPlan;
use search::Search;
use solo_core::{Budget, Cost, Failure, Meter, Rng, Solver};
use std::time::Duration;

/// Takes improving plans with their costs, as they are found.
pub type Sink<'s> = &'s mut dyn FnMut(&Plan, Cost);

/// Improving plans are handed on at most this often.
const PUSH_EVERY: Duration = Duration::from_millis(20);
/// About so many positions are tried between two looks at the clock: some ten microseconds.
const POSITIONS_PER_LOOK: usize = 8_192;
/// Larger instances are not started by WSPT, whose time grows with the square of the jobs.
const MOST_FOR_WSPT: usize = 400;

/// The local search as a solver: plans anew from its own last plan, repaired, and never ends with a plan that costs
/// more than the one it started from.
#[derive(Clone, Debug, Default)]
pub struct Ruin {
    params: Params,
    search: Search,
    last: Option<Plan>,
}

impl Ruin {
    /// With other settings than the usual ones.
    pub fn new(params: Params) -> Self {
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
        let mut push = |search: &Search| {
            let plan = search.plan(instance);
            let cost = plan_cost(problem, instance, &plan).map_err(Failure::Infeasible)?;
            sink(&plan, cost);
            Ok((plan, cost))
        };
        let mut answer = push(&self.search)?;
        if jobs < 2 {
            return Ok(answer);
        }

        let mut current = self.search.recount::<RELEASES>();
        let mut best = current;
        let mut pushed = best;
        let mut next_push = meter.elapsed() + PUSH_EVERY;
        let scale = (current - self.search.shop.earliest()) / jobs as f64;
        let share = Share::start(meter);
        let batch = (POSITIONS_PER_LOOK / (jobs * 4)).max(1) as u64;
        while !meter.exhausted() {
            let used = share.used(meter);
            let temperature =
                scale * self.params.hot * (self.params.cold / self.params.hot).powf(used);
            for _ in 0..batch.min(share.left(meter)) {
                meter.spend();
                self.search.ruin::<RELEASES>(&self.params, rng);
                self.search.recreate::<RELEASES>(&self.params, rng);
                self.search.polish::<RELEASES>();
                let change = self.search.change();
                if change > -temperature * (1.0 - rng.unit()).ln() {
                    self.search.undo();
                    continue;
                }
                self.search.keep();
                current += change;
                if current < best {
                    current = self.search.recount::<RELEASES>();
                    best = current;
                    self.search.remember();
                }
            }
            if best < pushed && meter.elapsed() >= next_push {
                answer = push(&self.search)?;
                (pushed, next_push) = (best, meter.elapsed() + PUSH_EVERY);
            }
        }
        if best < pushed {
            let last = push(&self.search)?;
            // equal up to rounding, where it is not better
            if last.1 < answer.1 {
                answer = last;
            }
        }
        Ok(answer)
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
        let by_rule = if start.is_none() && (2..=MOST_FOR_WSPT).contains(&jobs) {
            WsptPlan::default().plan(problem, instance)
        } else {
            None
        };
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

/// How much of the rest of a budget has been used.
struct Share {
    spent: u64,
    elapsed: Duration,
}

impl Share {
    fn start(meter: &Meter<'_>) -> Self {
        Self { spent: meter.spent(), elapsed: meter.elapsed() }
    }

    /// From 0 to 1.
    fn used(&self, meter: &Meter<'_>) -> f64 {
        let share = match meter.budget() {
            Budget::Rollouts(limit) => {
                (meter.spent() - self.spent) as f64 / limit.saturating_sub(self.spent) as f64
            }
            Budget::Wall(limit) => {
                (meter.elapsed() - self.elapsed).as_secs_f64()
                    / limit.saturating_sub(self.elapsed).as_secs_f64()
            }
        };
        share.clamp(0.0, 1.0)
    }

    /// How many iterations may still be made, as far as they are counted.
    fn left(&self, meter: &Meter<'_>) -> u64 {
        match meter.budget() {
            Budget::Rollouts(limit) => limit.saturating_sub(meter.spent()),
            Budget::Wall(_) => u64::MAX,
        }
    }
}
