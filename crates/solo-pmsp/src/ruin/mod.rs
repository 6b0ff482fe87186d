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
use solo_core::{Budget, Cost, Failure, Meter, Rng, Solver};
use std::time::Duration;

/// Takes improving plans with their costs, as they are found.
pub type Sink<'s> = &'s mut dyn FnMut(&Plan, Cost);

/// Improving plans are handed on at most this often.
const HAND_ON_EVERY: Duration = Duration::from_millis(20);
/// About this many positions are tried between two looks at the clock: some tens of microseconds.
const POSITIONS_PER_LOOK: usize = 8_192;
/// Larger instances are not started by WSPT, whose time grows with the square of the jobs.
const MOST_FOR_WSPT: usize = 400;
/// Answering takes about so long for each job.
const TO_ANSWER: Duration = Duration::from_nanos(30);

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
    ///
    /// A budget in time is kept whatever the number of jobs. Without time to put missing jobs where they cost least they
    /// go to the ends of the lines, and without time for an iteration that is the answer.
    pub fn improve(
        &mut self,
        problem: &Scheduling,
        instance: &Instance,
        start: Option<&Plan>,
        meter: &Meter<'_>,
        rng: &mut Rng,
        sink: Sink<'_>,
    ) -> Result<(Plan, Cost), Failure> {
        let mut hand_on = HandOn { problem, instance, sink, last: None };
        self.find(problem, instance, start, meter, rng, Some(&mut hand_on))?;
        hand_on.last.ok_or_else(|| Failure::Refused("nothing was planned".to_string()))
    }

    /// Searches; the best solution is then in `self.search`. Improving plans are judged and handed on, if wanted.
    fn find(
        &mut self,
        problem: &Scheduling,
        instance: &Instance,
        start: Option<&Plan>,
        meter: &Meter<'_>,
        rng: &mut Rng,
        hand_on: Option<&mut HandOn<'_, '_>>,
    ) -> Result<(), Failure> {
        if instance.machines.is_empty() && !instance.jobs.is_empty() {
            return Err(Failure::Refused("there is no machine to plan for".to_string()));
        }
        let inside = match meter.budget() {
            Budget::Rollouts(_) => meter.inside(),
            Budget::Wall(limit) => {
                let to_answer = meter.elapsed() + TO_ANSWER * instance.jobs.len() as u32;
                meter.part(Budget::Wall(limit.saturating_sub(to_answer)))
            }
        };
        self.search.shop.load(problem, instance);
        if self.search.shop.releases {
            self.begin::<true>(problem, instance, start, &inside);
            self.run::<true>(instance, (meter, &inside), rng, hand_on)?;
        } else {
            self.begin::<false>(problem, instance, start, &inside);
            self.run::<false>(instance, (meter, &inside), rng, hand_on)?;
        }
        if inside.has_cut() {
            meter.cut();
        }
        Ok(())
    }

    /// Improves the solution until the budget is spent: iterations are counted by `meter`, and `inside` ends in time to
    /// answer.
    fn run<const RELEASES: bool>(
        &mut self,
        instance: &Instance,
        (meter, inside): (&Meter<'_>, &Meter<'_>),
        rng: &mut Rng,
        mut hand_on: Option<&mut HandOn<'_, '_>>,
    ) -> Result<(), Failure> {
        let jobs = instance.jobs.len();
        if let Some(hand_on) = &mut hand_on {
            hand_on.judge(&self.search)?;
        }
        if jobs < 2 {
            return Ok(());
        }
        let mut current = self.search.recount::<RELEASES>();
        let mut best = current;
        let mut handed_on = best;
        let mut next_time = meter.elapsed() + HAND_ON_EVERY;
        let per_job = (current - self.search.shop.earliest()) / jobs as f64;
        let RuinParams { hot, cold, .. } = self.params;
        let share = Share::start(meter);
        let batch = (POSITIONS_PER_LOOK / (jobs * 4)).max(1) as u64;
        let ends = if matches!(meter.budget(), Budget::Wall(_)) { inside } else { meter };
        while !ends.exhausted() {
            let temperature = per_job * hot * (cold / hot).powf(share.used(meter));
            for _ in 0..batch.min(share::left(meter)) {
                let Some(change) = self.step::<RELEASES>(temperature, inside, rng) else { break };
                meter.spend();
                current += change;
                if current < best {
                    current = self.search.recount::<RELEASES>();
                    best = current;
                    self.search.remember();
                }
            }
            if let Some(hand_on) = hand_on.as_mut().filter(|_| best < handed_on)
                && meter.elapsed() >= next_time
            {
                hand_on.judge(&self.search)?;
                (handed_on, next_time) = (best, meter.elapsed() + HAND_ON_EVERY);
            }
        }
        match hand_on.filter(|_| best < handed_on) {
            Some(hand_on) => hand_on.judge(&self.search),
            None => Ok(()),
        }
    }

    /// One iteration; returns the change in cost, 0 if it was taken back, and `None` if the meter cut it off.
    #[inline]
    fn step<const RELEASES: bool>(
        &mut self,
        temperature: f64,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Option<Cost> {
        self.search.ruin::<RELEASES>(&self.params, rng);
        if !self.search.recreate::<RELEASES>(&self.params, meter, rng) {
            self.search.undo();
            return None;
        }
        self.search.polish::<RELEASES>();
        let change = self.search.change();
        Some(if change <= -temperature * (1.0 - rng.unit()).ln() {
            self.search.keep();
            change
        } else {
            self.search.undo();
            0.0
        })
    }

    /// Makes the start the current and the best solution.
    fn begin<const RELEASES: bool>(
        &mut self,
        problem: &Scheduling,
        instance: &Instance,
        start: Option<&Plan>,
        meter: &Meter<'_>,
    ) {
        // a single job is simply put where it costs least
        let jobs = instance.jobs.len();
        let rule_fits = start.is_none() && jobs <= MOST_FOR_WSPT && meter.affords(4 * jobs * jobs);
        let by_rule = rule_fits.then(|| WsptPlan::default().plan(problem, instance)).flatten();
        let start = start.or(by_rule.as_ref()).filter(|_| jobs > 1);
        self.search.start::<RELEASES>(instance, start);
        self.search.complete::<RELEASES>(meter);
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
        let plan = match meter.budget() {
            Budget::Rollouts(_) => {
                self.improve(problem, instance, last.as_ref(), meter, rng, &mut |_, _| {})?.0
            }
            // To judge a plan takes time that an answer does not have.
            Budget::Wall(_) => {
                self.find(problem, instance, last.as_ref(), meter, rng, None)?;
                self.search.plan(instance)
            }
        };
        self.last = Some(plan.clone());
        Ok(plan)
    }
}

/// Hands improving plans on.
struct HandOn<'h, 's> {
    problem: &'h Scheduling,
    instance: &'h Instance,
    sink: Sink<'s>,
    /// The last one that was.
    last: Option<(Plan, Cost)>,
}

impl HandOn<'_, '_> {
    /// Hands on the best solution, if it is better than the last one: always, but for rounding.
    fn judge(&mut self, search: &Search) -> Result<(), Failure> {
        let plan = search.plan(self.instance);
        let cost = plan_cost(self.problem, self.instance, &plan).map_err(Failure::Infeasible)?;
        if self.last.as_ref().is_none_or(|(_, last)| cost < *last) {
            (self.sink)(&plan, cost);
            self.last = Some((plan, cost));
        }
        Ok(())
    }
}
