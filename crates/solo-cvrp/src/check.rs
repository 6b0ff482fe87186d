//! What a plan means and costs, worked out step by step: the judge of every solver's plans, ours and others'.

use crate::dynamics::{Routing, position};
use crate::plan::{Instance, Plan, Route};
use crate::scenario::Place;
use crate::state::Action;
use solo_core::{Cost, Time, Timed};

/// A plan as it is driven.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven {
    /// The orders in order of time; waiting needs none.
    pub decisions: Vec<Timed<Action>>,
    /// Distance from now on, ways home included, and the weighted waiting of the open customers.
    pub cost: Cost,
}

/// The cost of a plan, or what is wrong with it; see [`drive`].
pub fn plan_cost(problem: &Routing, instance: &Instance, plan: &Plan) -> Result<Cost, String> {
    drive(problem, instance, plan).map(|driven| driven.cost)
}

/// A vehicle on its way through the plan.
struct Van {
    index: u32,
    place: Place,
    free: Time,
    left: u32,
}

/// Drives a plan: each vehicle first the route that names it, then the others in order, each by the vehicle that is
/// back at the depot first (ties: the lowest). A vehicle leaves for a customer as soon as it is free and the call has
/// come. Fails if a customer is not open, visited twice or never, if a load is too large, or if a vehicle does not
/// exist or is named twice.
pub fn drive(problem: &Routing, instance: &Instance, plan: &Plan) -> Result<Driven, String> {
    let mut vans: Vec<Van> = (0..)
        .zip(&instance.vehicles)
        .map(|(index, vehicle)| Van {
            index,
            place: vehicle.place,
            free: vehicle.ready.max(instance.now),
            left: vehicle.load_left,
        })
        .collect();
    let mut day = Day {
        problem,
        instance,
        visited: vec![false; instance.open.len()],
        distance: 0.0,
        waited: 0.0,
        decisions: Vec::new(),
    };
    let mut named = vec![false; vans.len()];
    for route in &plan.routes {
        let Some(v) = route.vehicle else { continue };
        let Some(van) = vans.get_mut(v as usize) else {
            return Err(format!("there is no vehicle {v}"));
        };
        if std::mem::replace(&mut named[v as usize], true) {
            return Err(format!("vehicle {v} has two routes of its own"));
        }
        day.trip(van, route)?;
    }
    for van in vans.iter_mut().filter(|van| van.place.node != 0) {
        day.home(van);
    }
    for route in plan.routes.iter().filter(|route| route.vehicle.is_none()) {
        let first = vans.iter_mut().min_by(|a, b| a.free.total_cmp(&b.free));
        let van = first.ok_or("there are no vehicles")?;
        day.trip(van, route)?;
        day.home(van);
    }
    if let Some(missing) = day.visited.iter().position(|visited| !visited) {
        return Err(format!("customer {} is never visited", instance.open[missing].id));
    }
    day.decisions.sort_by(|a, b| a.time.total_cmp(&b.time));
    let cost = day.distance + problem.waiting_weight * day.waited;
    Ok(Driven { decisions: day.decisions, cost })
}

struct Day<'d> {
    problem: &'d Routing,
    instance: &'d Instance,
    visited: Vec<bool>,
    distance: f64,
    waited: Time,
    decisions: Vec<Timed<Action>>,
}

impl Day<'_> {
    fn trip(&mut self, van: &mut Van, route: &Route) -> Result<(), String> {
        for &id in &route.stops {
            let at = position(&self.instance.open, id)
                .ok_or_else(|| format!("customer {id} is not open"))?;
            let customer = &self.instance.open[at];
            if std::mem::replace(&mut self.visited[at], true) {
                return Err(format!("customer {id} is visited twice"));
            }
            van.left = van.left.checked_sub(customer.demand).ok_or_else(|| {
                format!(
                    "customer {id} demands {}, the vehicle has {} left",
                    customer.demand, van.left
                )
            })?;
            let leave = van.free.max(customer.arrival);
            let what = Action::Visit { vehicle: van.index, customer: id };
            self.go(van, customer.place(), leave, what);
            self.waited += van.free - customer.arrival;
        }
        Ok(())
    }

    fn home(&mut self, van: &mut Van) {
        if van.place.node != 0 {
            self.go(van, self.problem.depot, van.free, Action::Depot { vehicle: van.index });
            van.left = self.problem.capacity;
        }
    }

    fn go(&mut self, van: &mut Van, to: Place, leave: Time, what: Action) {
        let leg = self.problem.distance(van.place, to);
        self.distance += leg;
        self.decisions.push(Timed { time: leave, what });
        (van.place, van.free) = (to, leave + leg * self.problem.pace);
    }
}
