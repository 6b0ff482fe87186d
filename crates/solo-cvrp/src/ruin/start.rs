//! What a search begins with, and what is answered where there is no time for one.

use super::Run;
use super::objective::Objective;
use super::places::Places;
use super::solution::owner;
use super::tour::Tours;
use crate::dynamics::Routing;
use crate::plan::{Instance, Plan, Route, Urgent, order_by_urgency};
use crate::savings::Savings;
use crate::state::Open;
use crate::sweep::Sweep;
use solo_core::{Cost, Finder, Meter, Rng, Solver};

/// The work of savings for each pair of customers.
const SAVINGS_A_PAIR: usize = 25;

impl Run<'_> {
    /// The best of the given plan, savings and, where calls come in the future, insertion in order of arrival. Without
    /// time for any of them, a sweep.
    pub(super) fn first<O: Objective>(
        &self,
        places: &Places,
        start: Option<&Plan>,
        rng: &mut Rng,
    ) -> (Tours, O) {
        let savings = self.savings(rng);
        let by_arrival = Plan::default();
        let mut plans = Vec::from_iter(start);
        plans.extend(&savings);
        plans.extend(O::RELEASES.then_some(&by_arrival));
        let mut best: Option<(Cost, Tours, O)> = None;
        for plan in plans {
            let found = self.import::<O>(places, plan, false, rng);
            let Some((tours, mut objective)) = found else { continue };
            let cost = objective.cost(&tours, places);
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, tours, objective));
            }
        }
        match best {
            Some((_, tours, objective)) => (tours, objective),
            None => {
                let plan = swept(self.problem, self.instance, self.inside);
                self.import(places, &plan, true, rng).expect("it must be")
            }
        }
    }

    /// A plan by savings, if there is time.
    fn savings(&self, rng: &mut Rng) -> Option<Plan> {
        let pairs = self.instance.open.len().pow(2);
        if !self.inside.affords(SAVINGS_A_PAIR * pairs) {
            return None;
        }
        let plan = if self.problem.waiting_weight == 0.0 {
            Savings.solve(self.problem, self.instance, self.meter, rng)
        } else {
            Urgent(Savings).solve(self.problem, self.instance, self.meter, rng)
        };
        plan.ok()
    }
}

/// A plan by sweep.
fn swept(problem: &Routing, instance: &Instance, meter: &Meter<'_>) -> Plan {
    let mut plan = Sweep.plan(problem, instance, meter);
    if problem.waiting_weight > 0.0 {
        order_by_urgency(problem, instance, &mut plan);
    }
    plan
}

/// The last plan without who is no longer open, and with new trips for who is new; a sweep if there is none.
pub(super) fn at_hand(
    problem: &Routing,
    instance: &Instance,
    last: Option<&Plan>,
    meter: &Meter<'_>,
) -> Plan {
    let Some(last) = last else { return swept(problem, instance, meter) };
    let finder = Finder::new(instance.open.iter().map(|customer| customer.id));
    let mut planned = vec![false; instance.open.len()];
    let mut under_way = vec![false; instance.vehicles.len()];
    let mut routes = Vec::with_capacity(last.routes.len());
    for route in &last.routes {
        let owner = owner(&instance.vehicles, route);
        let away = owner.filter(|&v| !instance.vehicles[v as usize].at_depot());
        let away = away.filter(|&v| !std::mem::replace(&mut under_way[v as usize], true));
        let mut room = away.map_or(problem.capacity, |v| instance.vehicles[v as usize].load_left);
        let stops = route.stops.iter().copied().filter(|&id| {
            let at = finder.find(id).filter(|&at| !planned[at]);
            let left = at.and_then(|at| room.checked_sub(instance.open[at].demand));
            if let (Some(at), Some(left)) = (at, left) {
                (planned[at], room) = (true, left);
            }
            left.is_some()
        });
        let route = Route { vehicle: away, stops: stops.collect() };
        if !route.stops.is_empty() {
            routes.push(route);
        }
    }
    let lacking = instance.open.iter().zip(&planned).filter(|(_, planned)| !**planned);
    let open: Vec<Open> = lacking.map(|(customer, _)| *customer).collect();
    if !open.is_empty() {
        let new = Instance { now: instance.now, open, vehicles: Vec::new() };
        routes.extend(swept(problem, &new, meter).routes);
    }
    Plan { routes }
}
