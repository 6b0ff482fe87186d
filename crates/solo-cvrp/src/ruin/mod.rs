//! Ruin and recreate, after Christiaens and Vanden Berghe, "Slack induction by string removals for vehicle routing
//! problems" (2020): remove a few strings of neighbouring customers, put them back greedily, and keep the result by
//! the rule of simulated annealing.
//!
//! Beyond the paper: vehicles may start away from the depot with part of a load; waiting may cost, and then the order
//! of trips counts; calls may come in the future, for the clairvoyant.

mod objective;
mod params;
mod places;
mod recreate;
#[allow(clippy::module_inception)] // the paper's own word for the step
mod ruin;
mod solution;
mod timed;
mod tour;

pub use params::RuinParams;

use crate::check::plan_cost;
use crate::dynamics::Routing;
use crate::plan::{Instance, Plan, Urgent};
use crate::savings::Savings;
use crate::sweep::Sweep;
use objective::{Driven, Objective, Waited};
use params::{Blinks, Cooling};
use places::Places;
use ruin::Strings;
use solo_core::{Budget, Cost, Failure, Meter, Rng, Solver};
use std::time::Duration;
use tour::Tours;

/// The solver. It remembers its last plan and starts the next one from it, so one of it serves one day.
#[derive(Clone, Debug, Default)]
pub struct Ruin {
    /// What can be set.
    pub params: RuinParams,
    last: Option<Plan>,
}

/// Where improving plans go while the search runs.
pub type Sink<'s> = &'s mut dyn FnMut(&Plan, Cost);

/// Setting up takes about so long for each pair of customers.
const PAIR: Duration = Duration::from_nanos(80);

/// So many iterations pass at least between two plans pushed to the sink.
const PUSH_EVERY: u64 = 1_000;

impl Ruin {
    /// A solver with these settings.
    pub fn new(params: RuinParams) -> Self {
        Self { params, last: None }
    }

    /// Improves a plan until the budget is used; a rollout is one iteration. The plan and its cost ([`plan_cost`]) are
    /// never worse than those of `start`, which may lack customers or name some who are no longer open. Better plans
    /// are pushed to `sink` now and then; the last one is only returned.
    ///
    /// The loop allocates nothing once it is warm. By the wall it ends within a few iterations of the limit. Setting up
    /// grows with the square of the customers; without time for it the better of `start` and a sweep is the answer.
    pub fn improve(
        &mut self,
        problem: &Routing,
        instance: &Instance,
        start: Option<&Plan>,
        meter: &Meter<'_>,
        rng: &mut Rng,
        sink: Sink<'_>,
    ) -> (Plan, Cost) {
        if instance.open.is_empty() || instance.vehicles.is_empty() {
            let plan = Plan::default();
            let cost = plan_cost(problem, instance, &plan).unwrap_or(0.0);
            return (plan, cost);
        }
        let pairs = instance.open.len().pow(2) as u32;
        if matches!(meter.budget(), Budget::Wall(limit) if limit < meter.elapsed() + PAIR * pairs) {
            return quick(problem, instance, start, meter, rng);
        }
        let run = Run { params: &self.params, problem, instance, meter };
        let places = Places::new(problem, instance);
        let future = instance.open.iter().any(|customer| customer.arrival > instance.now);
        if problem.waiting_weight == 0.0 {
            run.search::<Driven>(&places, start, rng, sink)
        } else if future {
            run.search::<Waited<true>>(&places, start, rng, sink)
        } else {
            run.search::<Waited<false>>(&places, start, rng, sink)
        }
    }
}

/// The better of `start`, if it still fits, and a sweep: n log n.
fn quick(
    problem: &Routing,
    instance: &Instance,
    start: Option<&Plan>,
    meter: &Meter<'_>,
    rng: &mut Rng,
) -> (Plan, Cost) {
    let swept = Urgent(Sweep).solve(problem, instance, meter, rng).unwrap_or_default();
    let plans = [Some(&swept), start].into_iter().flatten();
    let priced = plans.filter_map(|plan| Some((plan, plan_cost(problem, instance, plan).ok()?)));
    let best = priced.min_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or((swept.clone(), Cost::INFINITY), |(plan, cost)| (plan.clone(), cost))
}

impl Solver<Routing> for Ruin {
    fn solve(
        &mut self,
        problem: &Routing,
        instance: &Instance,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Plan, Failure> {
        let last = self.last.take();
        let (plan, _) = self.improve(problem, instance, last.as_ref(), meter, rng, &mut |_, _| {});
        self.last = Some(plan.clone());
        Ok(plan)
    }
}

/// One search.
struct Run<'r> {
    params: &'r RuinParams,
    problem: &'r Routing,
    instance: &'r Instance,
    meter: &'r Meter<'r>,
}

impl Run<'_> {
    fn search<O: Objective>(
        &self,
        places: &Places,
        start: Option<&Plan>,
        rng: &mut Rng,
        sink: Sink<'_>,
    ) -> (Plan, Cost) {
        let (mut tours, mut objective) = self.first::<O>(places, start, rng);
        let (tours, mut objective) = self.anneal(places, &mut tours, &mut objective, rng, sink);
        let plan = self.export(places, &tours, &mut objective);
        let cost = plan_cost(self.problem, self.instance, &plan);
        (plan, cost.expect("the search keeps to the rules"))
    }

    /// The best of the given plan, savings and, where calls come in the future, insertion in order of arrival.
    fn first<O: Objective>(
        &self,
        places: &Places,
        start: Option<&Plan>,
        rng: &mut Rng,
    ) -> (Tours, O) {
        let savings = if self.problem.waiting_weight == 0.0 {
            Savings.solve(self.problem, self.instance, self.meter, rng)
        } else {
            Urgent(Savings).solve(self.problem, self.instance, self.meter, rng)
        };
        let by_arrival = Plan::default();
        let mut plans = Vec::from_iter(start);
        plans.extend(savings.as_ref().ok());
        plans.extend(O::RELEASES.then_some(&by_arrival));
        let mut best: Option<(Cost, Tours, O)> = None;
        for plan in plans {
            let (tours, mut objective): (_, O) = self.import(places, plan, rng);
            let cost = objective.cost(&tours, places);
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, tours, objective));
            }
        }
        let (_, tours, objective) = best.expect("savings always answers");
        (tours, objective)
    }

    /// Section 4: simulated annealing over ruin and recreate. Returns the best solution met.
    fn anneal<O: Objective>(
        &self,
        places: &Places,
        tours: &mut Tours,
        objective: &mut O,
        rng: &mut Rng,
        sink: Sink<'_>,
    ) -> (Tours, O) {
        let mut current = objective.cost(tours, places);
        let mut best = (current, tours.clone(), objective.clone());
        let mut scratch = Scratch {
            strings: Strings::new(tours),
            removed: Vec::with_capacity(places.customers),
            blinks: Blinks::new(self.params.blink, rng),
        };
        let legs = places.customers as f64 + f64::from(tours.used);
        let cooling = Cooling::new(self.params, current / legs);
        let mut temperature = 0.0;
        let mut pushed = (0, current);
        // The clock is read only so often; counting is cheap enough to be exact.
        let by_count = matches!(self.meter.budget(), Budget::Rollouts(_));
        let check_every = if by_count { 1 } else { O::CHECK_EVERY };
        for iteration in 0.. {
            if iteration % check_every == 0 {
                if self.meter.exhausted() || self.nothing_to_gain(iteration) {
                    break;
                }
                temperature = cooling.temperature(self.used());
                if best.0 < pushed.1 && iteration >= pushed.0 {
                    sink(&self.export(places, &best.1, &mut best.2), best.0);
                    pushed = (iteration + PUSH_EVERY + iteration / 16, best.0);
                }
            }
            self.meter.spend();
            // Equation 3: worse is accepted by up to an exponential variate of mean T.
            let limit = current - temperature * libm::log(1.0 - rng.unit());
            let give_up = if places.detours_cost { limit } else { f64::INFINITY };
            objective.change(tours, places, self.params, &mut scratch, give_up, rng);
            let cost = objective.cost(tours, places);
            if cost < limit {
                tours.commit();
                objective.commit();
                current = cost;
                if cost < best.0 {
                    best.0 = cost;
                    best.1.copy(tours);
                    best.2.copy(objective);
                }
            } else {
                tours.undo(places);
                objective.undo();
            }
        }
        (best.1, best.2)
    }

    /// With a single customer a few looks are enough.
    fn nothing_to_gain(&self, iteration: u64) -> bool {
        self.instance.open.len() == 1 && iteration >= 32
    }

    /// The share of the budget that is used.
    fn used(&self) -> f64 {
        let share = match self.meter.budget() {
            Budget::Rollouts(limit) => self.meter.spent() as f64 / limit.max(1) as f64,
            Budget::Wall(limit) => self.meter.elapsed().as_secs_f64() / limit.as_secs_f64(),
        };
        share.min(1.0)
    }
}

/// Buffers of the loop.
struct Scratch {
    strings: Strings,
    removed: Vec<u32>,
    blinks: Blinks,
}
