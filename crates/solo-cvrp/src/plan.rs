//! Routing plans: what is to be planned, how a plan is followed, which route goes first.

use crate::dynamics::{Routing, position};
use crate::scenario::Place;
use crate::state::{Action, Open, State, Vehicle};
use solo_core::{Cost, Failure, Meter, Offline, Rng, Solver, Time};

/// The open customers and where the vehicles stand. A customer whose arrival is after now may not be visited before.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The clock.
    pub now: Time,
    /// Who is to be visited.
    pub open: Vec<Open>,
    /// The fleet; a driving vehicle is planned from its target.
    pub vehicles: Vec<Vehicle>,
}

/// One trip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// The vehicle that drives it. A vehicle away from the depot goes on from where it is, with what it has left;
    /// `None` is a trip from the depot that the next vehicle there takes.
    pub vehicle: Option<u32>,
    /// The customers in order.
    pub stops: Vec<u32>,
}

/// Trips; those from the depot in the order in which they are to be started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The trips.
    pub routes: Vec<Route>,
}

impl Offline for Routing {
    type Instance = Instance;
    type Plan = Plan;

    fn snapshot(&self, state: &State) -> Instance {
        Instance { now: state.now, open: state.open.clone(), vehicles: state.vehicles.clone() }
    }

    fn follow(&self, state: &State, plan: &mut Plan) -> Action {
        let next = |route: &Route| {
            route.stops.iter().copied().find(|&id| position(&state.open, id).is_some())
        };
        for (v, vehicle) in (0u32..).zip(&state.vehicles).filter(|(_, v)| !v.driving) {
            let own = plan.routes.iter().find(|route| route.vehicle == Some(v));
            if let Some(customer) = own.and_then(next) {
                return Action::Visit { vehicle: v, customer };
            }
            if !vehicle.at_depot() {
                return Action::Depot { vehicle: v };
            }
            plan.routes.retain(|route| route.vehicle != Some(v));
            let waiting = plan.routes.iter_mut().find(|r| r.vehicle.is_none() && next(r).is_some());
            if let Some(route) = waiting {
                route.vehicle = Some(v);
                let customer = next(route).expect("just found");
                return Action::Visit { vehicle: v, customer };
            }
        }
        Action::Wait
    }

    fn at_rest(&self, state: &State) -> bool {
        state.vehicles.iter().any(|vehicle| !vehicle.driving && vehicle.at_depot())
    }
}

/// How much a route's oldest call weighs against its load when routes are put in order.
const AGE_WEIGHT: f64 = 0.2;

/// Puts another solver's trips in order ([`order_by_urgency`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct Urgent<S>(pub S);

impl<S: Solver<Routing>> Solver<Routing> for Urgent<S> {
    fn solve(
        &mut self,
        problem: &Routing,
        instance: &Instance,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Plan, Failure> {
        let mut plan = self.0.solve(problem, instance, meter, rng)?;
        order_by_urgency(problem, instance, &mut plan);
        Ok(plan)
    }
}

/// Puts trips from the depot in order of urgency, load + 0.2 x age of the oldest call, and turns each so that its
/// customers wait less.
pub fn order_by_urgency(problem: &Routing, instance: &Instance, plan: &mut Plan) {
    let customer = |id: u32| &instance.open[position(&instance.open, id).expect("open")];
    let urgency = |route: &Route| {
        let load: u32 = route.stops.iter().map(|&id| customer(id).demand).sum();
        let oldest = route.stops.iter().map(|&id| customer(id).arrival).fold(f64::MAX, f64::min);
        f64::from(load) + AGE_WEIGHT * (instance.now - oldest)
    };
    plan.routes.sort_by(|a, b| {
        let key = |route: &Route| (route.vehicle.is_none(), -urgency(route));
        let ((a_depot, a_rank), (b_depot, b_rank)) = (key(a), key(b));
        a_depot.cmp(&b_depot).then(a_rank.total_cmp(&b_rank))
    });
    if !problem.travel.symmetric() {
        return;
    }
    for route in plan.routes.iter_mut().filter(|route| route.vehicle.is_none()) {
        let places = |id: &u32| customer(*id).place();
        let forth = waiting(problem, route.stops.iter().map(places));
        let back = waiting(problem, route.stops.iter().rev().map(places));
        if back < forth {
            route.stops.reverse();
        }
    }
}

/// The sum of the distances driven from the depot until each stop.
fn waiting(problem: &Routing, stops: impl Iterator<Item = Place>) -> Cost {
    let (mut here, mut driven, mut sum) = (problem.depot, 0.0, 0.0);
    for stop in stops {
        driven += problem.distance(here, stop);
        sum += driven;
        here = stop;
    }
    sum
}
