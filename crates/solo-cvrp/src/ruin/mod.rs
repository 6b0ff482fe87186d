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
mod start;
mod timed;
mod tour;

pub use params::RuinParams;

use crate::check::plan_cost;
use crate::dynamics::Routing;
use crate::plan::{Instance, Plan};
use objective::{Driven, Objective, Waited};
use params::{Blinks, Cooling};
use places::Places;
use ruin::Strings;
use solo_core::{Budget, Cost, Failure, Finder, Meter, Rng, Solver};
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

/// Setting up and answering is work for each customer.
const WORK_A_CUSTOMER: usize = 150;
/// Answering takes about so long for each customer.
const TO_ANSWER: Duration = Duration::from_nanos(60);

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
    /// The loop allocates nothing once it is warm. A budget in time is kept whatever the number of customers: without
    /// time for the square of them, the search begins with `start` or with a sweep instead of savings, and computes
    /// distances as it needs them; without time for an iteration the answer is `start` with who is new, or a sweep.
    pub fn improve(
        &mut self,
        problem: &Routing,
        instance: &Instance,
        start: Option<&Plan>,
        meter: &Meter<'_>,
        rng: &mut Rng,
        sink: Sink<'_>,
    ) -> (Plan, Cost) {
        let plan = self.find(problem, instance, start, meter, rng, sink);
        // Who never fits has no place in any plan.
        let cost = plan_cost(problem, instance, &plan).unwrap_or(Cost::INFINITY);
        (plan, cost)
    }

    fn find(
        &mut self,
        problem: &Routing,
        instance: &Instance,
        start: Option<&Plan>,
        meter: &Meter<'_>,
        rng: &mut Rng,
        sink: Sink<'_>,
    ) -> Plan {
        let customers = instance.open.len();
        if customers == 0 || instance.vehicles.is_empty() {
            return Plan::default();
        }
        let inside = match meter.budget() {
            Budget::Rollouts(_) => meter.inside(),
            Budget::Wall(limit) => {
                let to_answer = meter.elapsed() + TO_ANSWER * customers as u32;
                meter.part(Budget::Wall(limit.saturating_sub(to_answer)))
            }
        };
        if !meter.affords(WORK_A_CUSTOMER * customers) {
            meter.cut();
            return start::at_hand(problem, instance, start, meter);
        }
        let finder = Finder::new(instance.open.iter().map(|customer| customer.id));
        let run = Run { params: &self.params, problem, instance, finder, meter, inside: &inside };
        let places = Places::new(problem, instance, &inside);
        let future = instance.open.iter().any(|customer| customer.arrival > instance.now);
        let plan = if problem.waiting_weight == 0.0 {
            run.search::<Driven>(&places, start, rng, sink)
        } else if future {
            run.search::<Waited<true>>(&places, start, rng, sink)
        } else {
            run.search::<Waited<false>>(&places, start, rng, sink)
        };
        if inside.has_cut() {
            meter.cut();
        }
        plan
    }
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
        let plan = self.find(problem, instance, last.as_ref(), meter, rng, &mut |_, _| {});
        self.last = Some(plan.clone());
        Ok(plan)
    }
}

/// One search.
struct Run<'r> {
    params: &'r RuinParams,
    problem: &'r Routing,
    instance: &'r Instance,
    /// Where customers stand in the instance.
    finder: Finder,
    /// Counts iterations, and tells how far the budget is used.
    meter: &'r Meter<'r>,
    /// Ends in time to answer.
    inside: &'r Meter<'r>,
}

impl Run<'_> {
    fn search<O: Objective>(
        &self,
        places: &Places,
        start: Option<&Plan>,
        rng: &mut Rng,
        sink: Sink<'_>,
    ) -> Plan {
        let (mut tours, mut objective) = self.first::<O>(places, start, rng);
        let (tours, mut objective) = self.anneal(places, &mut tours, &mut objective, rng, sink);
        self.export(places, &tours, &mut objective)
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
            meter: self.inside,
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
                let ends = if by_count { self.meter } else { self.inside };
                if ends.exhausted() || self.nothing_to_gain(iteration) {
                    break;
                }
                temperature = cooling.temperature(self.used());
                if best.0 < pushed.1 && iteration >= pushed.0 {
                    sink(&self.export(places, &best.1, &mut best.2), best.0);
                    pushed = (iteration + PUSH_EVERY + iteration / 16, best.0);
                }
            }
            // Equation 3: worse is accepted by up to an exponential variate of mean T.
            let limit = current - temperature * libm::log(1.0 - rng.unit());
            let give_up = if places.detours_cost { limit } else { f64::INFINITY };
            objective.change(tours, places, self.params, &mut scratch, give_up, rng);
            if self.inside.has_cut() {
                break;
            }
            self.meter.spend();
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

/// Buffers of the loop, and what cuts it off.
struct Scratch<'m> {
    strings: Strings,
    removed: Vec<u32>,
    blinks: Blinks,
    meter: &'m Meter<'m>,
}
