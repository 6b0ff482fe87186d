//! A plan kept by insertion, and a hold at the depot: the rule for rollouts, and for the root once somebody has
//! planned better.

use crate::dynamics::Routing;
use crate::plan::Plan;
use crate::scenario::Place;
use crate::state::{Action, Open, State, Vehicle};
use solo_core::{Cost, Menu, Policy, Rng, Time};

/// When to leave the depot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// Go when the open load reaches so many full loads.
    pub theta: f64,
    /// Go when a call is older than this.
    pub age: Time,
}

impl Patience {
    /// Waits for all.
    pub const ENDLESS: Self = Self { theta: f64::INFINITY, age: f64::INFINITY };

    /// What suits a problem: endless where waiting is free.
    pub fn of(problem: &Routing) -> Self {
        if problem.waiting_weight == 0.0 { Self::ENDLESS } else { Self { theta: 1.0, age: 10.0 } }
    }
}

/// Keeps trips for the open customers. Who calls is inserted where it costs least in distance and waiting, in the trip
/// that a vehicle is on, in one yet to be started, or in a new one. Vehicles at the depot hold ([`Patience`]), then
/// start the most urgent trip; vehicles without further stops go home.
///
/// The plan follows whatever state it is shown: who is driven to leaves it, who is new is inserted, and after a jump to
/// another day or another dream it is made anew. Allocates nothing when warm.
#[derive(Debug, Default)]
pub struct Keep {
    /// When to leave the depot; what suits the problem if `None`.
    pub patience: Option<Patience>,
    /// The stops ahead of each vehicle.
    own: Vec<Vec<Open>>,
    /// Trips from the depot; only the first `live` count, the rest are spare.
    trips: Vec<Vec<Open>>,
    live: usize,
    /// How many customers are planned.
    planned: usize,
    /// Customers below this number are planned, or were driven to.
    known: u32,
    /// The clock of the last state.
    now: Time,
    loose: Vec<Open>,
}

impl Clone for Keep {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Reuses the trips; a copy is for one rollout.
    fn clone_from(&mut self, from: &Self) {
        let Keep { patience, own, trips, live, planned, known, now, loose: _ } = from;
        copy(&mut self.own, own);
        copy(&mut self.trips, &trips[..*live]);
        self.patience = *patience;
        self.live = *live;
        self.planned = *planned;
        self.known = *known;
        self.now = *now;
    }
}

/// Copies lists into lists, keeping spare ones for later.
fn copy(to: &mut Vec<Vec<Open>>, from: &[Vec<Open>]) {
    if to.len() < from.len() {
        to.resize_with(from.len(), Vec::new);
    }
    for (to, from) in to.iter_mut().zip(from) {
        to.clone_from(from);
    }
    to[from.len()..].iter_mut().for_each(Vec::clear);
}

fn load(stops: &[Open]) -> u32 {
    stops.iter().map(|stop| stop.demand).sum()
}

/// The customer that a vehicle is driving to or has just served.
fn target(vehicle: &Vehicle) -> Option<u32> {
    vehicle.place.node.checked_sub(1)
}

/// Where a customer can go.
#[derive(Clone, Copy)]
enum Spot {
    Own(usize, usize),
    Trip(usize, usize),
    New,
}

impl Keep {
    /// With a hold of its own.
    pub fn new(patience: Option<Patience>) -> Self {
        Self { patience, ..Self::default() }
    }

    /// Takes over a plan of the open customers; those that it lacks are inserted.
    pub fn adopt(&mut self, problem: &Routing, state: &State, plan: &Plan) {
        self.clear(state);
        for route in &plan.routes {
            let away = route.vehicle.filter(|&v| !state.vehicles[v as usize].at_depot());
            let list = match away {
                Some(v) => &mut self.own[v as usize],
                None => self.new_trip(),
            };
            for &id in &route.stops {
                let at = crate::dynamics::position(&state.open, id);
                list.extend(at.map(|at| state.open[at]));
            }
        }
        self.drop_empty();
        self.planned = self.count();
        self.known = state.arrived;
        if self.planned != state.open.len() {
            for &customer in &state.open {
                let all = self.own.iter().chain(&self.trips[..self.live]).flatten();
                if !all.into_iter().any(|stop| stop.id == customer.id) {
                    self.insert(problem, state, customer);
                }
            }
        }
    }

    fn clear(&mut self, state: &State) {
        self.own.resize_with(state.vehicles.len().max(self.own.len()), Vec::new);
        self.own.iter_mut().chain(&mut self.trips).for_each(Vec::clear);
        self.live = 0;
        self.planned = 0;
        self.known = 0;
        self.now = state.now;
    }

    fn count(&self) -> usize {
        self.own.iter().chain(&self.trips[..self.live]).map(Vec::len).sum()
    }

    fn new_trip(&mut self) -> &mut Vec<Open> {
        if self.live == self.trips.len() {
            self.trips.push(Vec::new());
        }
        self.live += 1;
        &mut self.trips[self.live - 1]
    }

    /// Keeps trips with stops, in their order.
    fn drop_empty(&mut self) {
        let mut kept = 0;
        for i in 0..self.live {
            if !self.trips[i].is_empty() {
                self.trips.swap(kept, i);
                kept += 1;
            }
        }
        self.live = kept;
    }

    /// Brings the plan into step with the state.
    pub fn follow(&mut self, problem: &Routing, state: &State) {
        let jumped = state.now < self.now
            || state.arrived < self.known
            || self.own.len() < state.vehicles.len();
        if jumped {
            self.clear(state);
        }
        self.now = state.now;
        for (v, vehicle) in state.vehicles.iter().enumerate() {
            self.follow_vehicle(problem, state, v, vehicle);
        }
        let known = self.known;
        let old = state.open.partition_point(|customer| customer.id < known);
        if self.planned != old {
            self.drop_served(state);
            if self.planned != old {
                self.clear(state);
            }
        }
        let from = state.open.partition_point(|customer| customer.id < self.known);
        self.known = state.arrived;
        for &customer in &state.open[from..] {
            self.insert(problem, state, customer);
        }
    }

    fn follow_vehicle(&mut self, problem: &Routing, state: &State, v: usize, vehicle: &Vehicle) {
        let Some(customer) = target(vehicle) else {
            if !self.own[v].is_empty() {
                // It went home early: what it had ahead is a trip again.
                let mut stops = std::mem::take(&mut self.own[v]);
                std::mem::swap(self.new_trip(), &mut stops);
                self.own[v] = stops;
            }
            return;
        };
        let mut in_turn = true;
        if self.own[v].first().is_some_and(|stop| stop.id == customer) {
            self.own[v].remove(0);
            self.planned -= 1;
        } else {
            in_turn = self.out_of_turn(v, customer);
        }
        if !in_turn || load(&self.own[v]) > vehicle.load_left {
            let mut loose = std::mem::take(&mut self.loose);
            loose.clear();
            loose.append(&mut self.own[v]);
            self.planned -= loose.len();
            for &stop in &loose {
                self.insert(problem, state, stop);
            }
            self.loose = loose;
        }
    }

    /// Vehicle `v` has gone to somebody who was not its next stop: it has begun a trip, or turned aside. Says whether
    /// what is ahead of it can stay as it is.
    fn out_of_turn(&mut self, v: usize, customer: u32) -> bool {
        let find = |stops: &Vec<Open>| stops.iter().position(|stop| stop.id == customer);
        if let Some(at) = find(&self.own[v]) {
            self.own[v].remove(at);
            self.planned -= 1;
            return false;
        }
        let found = (0..self.live).find_map(|trip| Some((trip, find(&self.trips[trip])?)));
        let Some((trip, at)) = found else { return true };
        self.trips[trip].remove(at);
        self.planned -= 1;
        let begun = self.own[v].is_empty();
        if begun {
            std::mem::swap(&mut self.own[v], &mut self.trips[trip]);
        }
        if self.trips[trip].is_empty() {
            self.trips[trip..self.live].rotate_left(1);
            self.live -= 1;
        }
        begun && at == 0
    }

    /// Somebody else has decided: keeps only who is still open.
    fn drop_served(&mut self, state: &State) {
        for stops in self.own.iter_mut().chain(&mut self.trips[..self.live]) {
            stops.retain(|stop| {
                let at = crate::dynamics::position(&state.open, stop.id);
                at.is_some_and(|at| state.open[at] == *stop)
            });
        }
        self.drop_empty();
        self.planned = self.count();
    }

    /// Puts a customer where it costs least in distance and waiting.
    fn insert(&mut self, problem: &Routing, state: &State, customer: Open) {
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
        let alone = out + problem.distance(place, home) + rate * (rest + out);
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

    /// Whether vehicles at the depot stay there.
    fn holds(&self, problem: &Routing, state: &State) -> bool {
        let patience = self.patience.unwrap_or_else(|| Patience::of(problem));
        let trips = || self.trips[..self.live].iter().flatten();
        let oldest = trips().map(|stop| stop.arrival).fold(f64::MAX, f64::min);
        let load: u32 = trips().map(|stop| stop.demand).sum();
        !state.closed
            && f64::from(load) < patience.theta * f64::from(problem.capacity)
            && state.now - oldest <= patience.age
    }

    /// The first stop of the trip to be started next.
    fn most_urgent(&self, state: &State) -> Option<u32> {
        let urgency = |stops: &[Open]| {
            let oldest = stops.iter().map(|stop| stop.arrival).fold(f64::MAX, f64::min);
            f64::from(load(stops)) + AGE_WEIGHT * (state.now - oldest)
        };
        let trips = self.trips[..self.live].iter().filter(|stops| !stops.is_empty());
        let ranked = trips.map(|stops| (-urgency(stops), stops[0].id));
        ranked.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, first)| first)
    }
}

/// How much a trip's oldest call weighs against its load.
const AGE_WEIGHT: f64 = 0.2;

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

impl Policy<Routing> for Keep {
    fn choose(&mut self, problem: &Routing, state: &State, _rng: &mut Rng) -> Action {
        self.follow(problem, state);
        let free = (0u32..).zip(&state.vehicles).filter(|(_, vehicle)| !vehicle.driving);
        for (v, vehicle) in free {
            if let Some(stop) = self.own[v as usize].first() {
                return Action::Visit { vehicle: v, customer: stop.id };
            }
            if !vehicle.at_depot() {
                return Action::Depot { vehicle: v };
            }
            if !self.holds(problem, state)
                && let Some(customer) = self.most_urgent(state)
            {
                return Action::Visit { vehicle: v, customer };
            }
        }
        Action::Wait
    }
}

/// So many near customers are looked at for each free vehicle.
const NEAR: usize = 3;

/// The actions worth a closer look: waiting; for each free vehicle the plan's next stop, the depot, and the nearest
/// customers that fit.
pub fn shortlist(
    problem: &Routing,
    state: &State,
    _menu: &Menu<Action>,
    guide: &mut Keep,
    out: &mut Vec<Action>,
) {
    out.push(Action::Wait);
    guide.follow(problem, state);
    let mut near: Vec<(f64, u32)> = Vec::new();
    for (v, vehicle) in (0u32..).zip(&state.vehicles).filter(|(_, vehicle)| !vehicle.driving) {
        let own = guide.own[v as usize].first().map(|stop| stop.id);
        let planned = if vehicle.at_depot() { guide.most_urgent(state) } else { own };
        out.extend(planned.map(|customer| Action::Visit { vehicle: v, customer }));
        out.push(Action::Depot { vehicle: v });
        near.clear();
        let fitting = state.open.iter().filter(|open| open.demand <= vehicle.load_left);
        near.extend(fitting.map(|open| (problem.distance(vehicle.place, open.place()), open.id)));
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let nearest = near.iter().take(NEAR);
        out.extend(nearest.map(|&(_, customer)| Action::Visit { vehicle: v, customer }));
    }
}
