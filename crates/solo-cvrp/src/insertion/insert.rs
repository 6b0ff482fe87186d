//! Where a customer costs least.

use super::{InsertionPlan, load};
use crate::dynamics::Routing;
use crate::scenario::Place;
use crate::state::{Open, State};
use solo_core::Cost;

/// A new trip counts only this part of its way: others will share it. Without this the first trip collects whoever
/// calls, however far apart.
const NEW_TRIP: f64 = 0.3;

/// Where a customer can go.
#[derive(Clone, Copy)]
enum Spot {
    Own(usize, usize),
    Trip(usize, usize),
    New,
}

impl InsertionPlan {
    /// Puts a customer where it costs least in distance and waiting.
    pub(super) fn insert(&mut self, problem: &Routing, state: &State, customer: Open) {
        let rate = problem.waiting_weight * problem.pace;
        let home = problem.depot;
        let place = customer.place();
        let waiting_trips: usize = self.trips[..self.live].iter().map(Vec::len).sum();
        let (mut best, mut least) = (Spot::New, Cost::INFINITY);
        let mut rest = f64::INFINITY; // until the first vehicle is home
        for (v, vehicle) in state.vehicles.iter().enumerate() {
            let left = (vehicle.ready - state.now).max(0.0) / problem.pace;
            if vehicle.at_depot() {
                rest = rest.min(left);
                continue;
            }
            let stops = &self.own[v];
            let fits = load(stops) + customer.demand <= vehicle.load_left;
            let found = cheapest(problem, vehicle.place, stops, place, rate, waiting_trips);
            rest = rest.min(left + found.length);
            let cost = found.cost + rate * left;
            if fits && cost < least {
                (best, least) = (Spot::Own(v, found.at), cost);
            }
        }
        for (t, stops) in self.trips[..self.live].iter().enumerate() {
            if load(stops) + customer.demand > problem.capacity {
                continue;
            }
            let found = cheapest(problem, home, stops, place, rate, 0);
            let cost = found.cost + rate * rest;
            if cost < least {
                (best, least) = (Spot::Trip(t, found.at), cost);
            }
        }
        let out = problem.distance(home, place);
        let round = out + problem.distance(place, home);
        let alone = round * NEW_TRIP + rate * (rest + out);
        if alone < least {
            best = Spot::New;
        }
        self.planned += 1;
        match best {
            Spot::Own(v, at) => self.own[v].insert(at, customer),
            Spot::Trip(t, at) => self.trips[t].insert(at, customer),
            Spot::New => self.new_trip().push(customer),
        }
    }
}

/// The cheapest place in a list of stops.
struct Found {
    at: usize,
    cost: Cost,
    /// The length of the trip as it is, the leg home included.
    length: f64,
}

/// Where a customer costs least in a trip from `start` home: the detour, the waiting of those behind it (`later` more
/// of them come after the trip), and its own until it is reached.
fn cheapest(
    problem: &Routing,
    start: Place,
    stops: &[Open],
    customer: Place,
    rate: f64,
    later: usize,
) -> Found {
    let (mut here, mut driven) = (start, 0.0);
    let mut to_here = problem.distance(here, customer);
    let mut best = Found { at: 0, cost: Cost::INFINITY, length: 0.0 };
    for at in 0..=stops.len() {
        let next = stops.get(at).map_or(problem.depot, Open::place);
        let leg = problem.distance(here, next);
        let onward = problem.distance(customer, next);
        let detour = to_here + onward - leg;
        let behind = (stops.len() - at + later) as f64;
        let cost = detour + rate * (detour * behind + driven + to_here);
        if cost < best.cost {
            (best.at, best.cost) = (at, cost);
        }
        driven += leg;
        (here, to_here) = (next, onward);
    }
    best.length = driven;
    best
}
