//! A plan kept by insertion, and a hold at the depot: the rule for rollouts, and for the root once somebody has
//! planned better.

mod insert;
mod root;

use crate::dynamics::{Routing, position};
use crate::state::{Action, Open, State, Vehicle};
use solo_core::{Policy, Rng, Time};

/// When to leave the depot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// Go when the open load reaches this many full loads.
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
/// that a vehicle is on, in one yet to be started, or in a new one. Vehicles at the depot hold ([`Patience`]); then the
/// trips are planned anew, and the one that drives least for each customer is started. Vehicles without further stops
/// go home.
///
/// The plan follows whatever state it is shown: who is driven to leaves it, who is new is inserted, and after a jump to
/// another day or another sampled future it is made anew. Allocates nothing when warm.
#[derive(Debug, Default)]
pub struct InsertionPlan {
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
    /// Whether the trips from the depot were planned with all who are in them known.
    settled: bool,
    /// Stops on their way from one place of the plan to another.
    loose: Vec<Open>,
}

impl Clone for InsertionPlan {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Reuses the trips; a copy is for one rollout.
    fn clone_from(&mut self, from: &Self) {
        let InsertionPlan { patience, own, trips, live, planned, known, now, settled, loose: _ } =
            from;
        copy(&mut self.own, own);
        copy(&mut self.trips, &trips[..*live]);
        self.patience = *patience;
        self.live = *live;
        self.planned = *planned;
        self.known = *known;
        self.now = *now;
        self.settled = *settled;
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

impl InsertionPlan {
    /// With a hold of its own.
    pub fn new(patience: Option<Patience>) -> Self {
        Self { patience, ..Self::default() }
    }

    fn clear(&mut self, state: &State) {
        self.own.resize_with(state.vehicles.len().max(self.own.len()), Vec::new);
        self.own.iter_mut().chain(&mut self.trips).for_each(Vec::clear);
        self.live = 0;
        self.planned = 0;
        self.known = 0;
        self.settled = false;
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
            || state.next_id < self.known
            || self.own.len() < state.vehicles.len();
        if jumped {
            self.clear(state);
        }
        let last = std::mem::replace(&mut self.now, state.now);
        for (v, vehicle) in state.vehicles.iter().enumerate() {
            self.follow_vehicle(problem, state, v, vehicle);
        }
        let old = self.known_among(&state.open, state.next_id);
        if self.planned != old {
            self.drop_served(state);
            if self.planned != old && !self.insert_low(problem, state, last) {
                self.clear(state);
            }
        }
        let from = self.known_among(&state.open, state.next_id);
        self.known = state.next_id;
        self.settled &= from == state.open.len();
        for &customer in &state.open[from..] {
            self.insert(problem, state, customer);
        }
    }

    /// How many of the open customers, whose numbers are below `next_id`, the plan has been told of.
    #[inline]
    fn known_among(&self, open: &[Open], next_id: u32) -> usize {
        if next_id == self.known {
            return open.len();
        }
        open.partition_point(|customer| customer.id < self.known)
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
            self.insert_again(problem, state, loose);
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
                let at = position(&state.open, stop.id);
                at.is_some_and(|at| state.open[at] == *stop)
            });
        }
        self.drop_empty();
        self.planned = self.count();
    }

    /// Inserts who has called since the `last` look under a number below others' who had called before. Says whether
    /// that is all that was missing.
    fn insert_low(&mut self, problem: &Routing, state: &State, last: Time) -> bool {
        let known = self.known;
        for &customer in state.open.iter().take_while(|customer| customer.id < known) {
            let mut all = self.own.iter().chain(&self.trips[..self.live]).flatten();
            if all.any(|stop| stop.id == customer.id) {
                continue;
            }
            if customer.arrival < last {
                return false;
            }
            self.insert(problem, state, customer);
            self.settled = false;
        }
        true
    }

    /// Whether vehicles at the depot stay there.
    pub(crate) fn holds(&self, problem: &Routing, state: &State) -> bool {
        let patience = self.patience.unwrap_or_else(|| Patience::of(problem));
        let trips = || self.trips[..self.live].iter().flatten();
        let oldest = trips().map(|stop| stop.arrival).fold(f64::MAX, f64::min);
        let load: u32 = trips().map(|stop| stop.demand).sum();
        !state.closed
            && f64::from(load) < patience.theta * f64::from(problem.capacity)
            && state.now - oldest <= patience.age
    }

    /// The first stop of the trip to be started next: the one that drives least for each customer, by which all
    /// together wait least.
    pub(crate) fn first_trip(&self, problem: &Routing) -> Option<u32> {
        self.shortest_trip(problem).map(|stops| stops[0].id)
    }

    /// The trip that drives least for each customer.
    pub(crate) fn shortest_trip(&self, problem: &Routing) -> Option<&[Open]> {
        let trips = self.trips().iter().filter(|stops| !stops.is_empty());
        let ranked = trips.map(|stops| (length(problem, stops) / stops.len() as f64, stops));
        ranked.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, stops)| stops.as_slice())
    }

    /// The trips from the depot that are planned.
    pub(crate) fn trips(&self) -> &[Vec<Open>] {
        &self.trips[..self.live]
    }

    /// The stops ahead of a vehicle.
    pub(crate) fn stops(&self, vehicle: u32) -> &[Open] {
        self.own.get(vehicle as usize).map_or(&[], Vec::as_slice)
    }

    /// Plans the trips from the depot anew, unless nobody has called since they were planned. Who is far goes first:
    /// the far ones make the trips, the near ones fill them.
    pub(crate) fn rebuild(&mut self, problem: &Routing, state: &State) {
        if self.settled {
            return;
        }
        let mut loose = std::mem::take(&mut self.loose);
        loose.clear();
        for stops in &mut self.trips[..self.live] {
            loose.append(stops);
        }
        self.live = 0;
        let far = |stop: &Open| problem.distance(problem.depot, stop.place());
        loose.sort_unstable_by(|a, b| far(b).total_cmp(&far(a)).then(a.id.cmp(&b.id)));
        self.insert_again(problem, state, loose);
        self.settled = true;
    }

    /// Puts stops that were taken out of the plan back in.
    fn insert_again(&mut self, problem: &Routing, state: &State, loose: Vec<Open>) {
        self.planned -= loose.len();
        for &stop in &loose {
            self.insert(problem, state, stop);
        }
        self.loose = loose;
    }
}

/// The way from the depot along the stops and home.
pub(crate) fn length(problem: &Routing, stops: &[Open]) -> f64 {
    let (mut here, mut sum) = (problem.depot, 0.0);
    for stop in stops {
        sum += problem.distance(here, stop.place());
        here = stop.place();
    }
    sum + problem.distance(here, problem.depot)
}

impl InsertionPlan {
    /// What the plan does next in the state that it follows.
    pub(crate) fn next(&mut self, problem: &Routing, state: &State) -> Action {
        let free = (0u32..).zip(&state.vehicles).filter(|(_, vehicle)| !vehicle.driving);
        for (v, vehicle) in free {
            if let Some(stop) = self.own[v as usize].first() {
                return Action::Visit { vehicle: v, customer: stop.id };
            }
            if !vehicle.at_depot() {
                return Action::Depot { vehicle: v };
            }
            if self.holds(problem, state) {
                continue;
            }
            self.rebuild(problem, state);
            if let Some(customer) = self.first_trip(problem) {
                return Action::Visit { vehicle: v, customer };
            }
        }
        Action::Wait
    }
}

impl Policy<Routing> for InsertionPlan {
    fn choose(&mut self, problem: &Routing, state: &State, _rng: &mut Rng) -> Action {
        self.follow(problem, state);
        let action = self.next(problem, state);
        let Action::Visit { vehicle, customer } = action else { return action };
        let mut planned = self.own.iter().chain(&self.trips[..self.live]).flatten();
        let open = position(&state.open, customer).map(|at| state.open[at]);
        let room = state.vehicles[vehicle as usize].load_left;
        if open.is_some_and(|open| open.demand <= room && planned.any(|stop| *stop == open)) {
            return action;
        }
        // A jump that looked like a step.
        self.clear(state);
        self.follow(problem, state);
        self.next(problem, state)
    }
}
