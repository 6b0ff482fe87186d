//! What speaks for driving to a customer, for going home and for waiting, in a few numbers.
//!
//! The sketch is a plan kept by insertion ([`InsertionPlan`]), which follows the state. Options of every free vehicle: the plan's
//! next stop, the customers nearest to it that fit, at the depot the ends of the plan's trips, the depot, and waiting.
//!
//! Who may still call follows from the law, the clock and the number of calls alone, so that a shortened future looks like the
//! day it was cut from. Distances are of the unit square; ages are in 10 units of time, loads in full loads.
//!
//! | global | scale |
//! |---|---|
//! | 0 the first free vehicle is at the depot | 0 or 1 |
//! | 1 its remaining load | full loads |
//! | 2 open load, 4 at most | / 2 |
//! | 3 open customers, 40 at most | / 10 |
//! | 4 the share of all customers still to come | 1 |
//! | 5 customers expected within 1 unit of time, 10 at most | / 2 |
//! | 6 customers expected within 4 units of time, 20 at most | / 5 |
//! | 7 customers expected within 12 units of time, 40 at most | / 10 |
//! | 8 the mean age of the open, 3 at most | ages |
//! | 9 the greatest age of the open, 3 at most | ages |
//! | 10 the depot's distance from the middle of the square | 1 |
//! | 11 the plan holds at the depot | 0 or 1 |
//! | 12 open load near the first free vehicle, 2 at most | full loads |
//! | 13 calls expected near it within 4 units of time, 8 at most | / 2 |
//! | 14 calls expected near the depot within 4 units of time, 8 at most | / 2 |
//!
//! For a customer c, seen from a vehicle at v that is to be home at h in the end:
//!
//! | option | scale |
//! |---|---|
//! | 0 a customer | 0 or 1 |
//! | 1 the depot | 0 or 1 |
//! | 2 waiting | 0 or 1 |
//! | 3 what the plan does next | 0 or 1 |
//! | 4 c's, or the depot's, distance from v | 2 |
//! | 5 c's distance from the depot | 2 |
//! | 6 the detour by c on the way home | 1 |
//! | 7 c's demand | 4 |
//! | 8 the load left after c | full loads |
//! | 9 c's age, 3 at most | ages |
//! | 10 how near the others are: the sum of 0.1 / (0.1 + distance), 10 at most | / 5 |
//! | 11 the nearest other open customer's distance from c, 1 at most | 4 |
//! | 12 c is the nearest that fits | 0 or 1 |
//! | 13 c before the plan's next stop: the detour, 1 at most | 2 |
//! | 14 at the depot: the load of c's trip | full loads |
//! | 15 at the depot: the length of c's trip for each of its stops, 2 at most | 1 |
//! | 16 at the depot: stops of c's trip, 12 at most | / 6 |
//! | 17 at the depot: the mean age of c's trip, 3 at most | ages |
//! | 18 at the depot: the length of c's trip, 4 at most | / 2 |
//! | 19 depot: stops that the plan still has for the vehicle, 12 at most | / 6 |
//! | 20 depot: the nearest open customer that fits, 1 at most; 1 if there is none | 2 |
//! | 21 depot: open load that fits, 1 at most | full loads |
//! | 22 waiting at the depot | 0 or 1 |
//! | 23 waiting: the load of the trip that the plan would start | full loads |
//! | 24 waiting: its length for each stop, 2 at most | 1 |
//! | 25 waiting: the nearest open customer that fits, 1 at most; 1 if there is none | 2 |
//! | 26 customers expected within 4 units of time, for waiting, 20 at most | / 5 |
//! | 27 distance home, for waiting | 2 |
//! | 28 calls expected near c within 4 units of time, 8 at most | / 2 |
//! | 29 open load near c, 2 at most | full loads |
//! | 30 depot: calls expected near v within 4 units of time, 8 at most | / 2 |
//! | 31 waiting: calls expected near v within 4 units of time, 8 at most | / 2 |
//!
//! A customer at distance d counts 0.1 / (0.1 + d) of one nearby; a call that may come, as [`crate::arrivals::Mixture::nearness`] says.

use crate::arrivals::Law;
use crate::dynamics::{Routing, position};
use crate::insertion::InsertionPlan;
use crate::scenario::Place;
use crate::state::{Action, Open, State, Vehicle};
use solo_core::{Features, Options, Time};

/// So many of the nearest customers are options.
const NEAR: usize = 4;
/// So many of the plan's trips offer their ends.
const TRIPS: usize = 4;
/// Points of the table of who is still to come.
const TABLE: usize = 128;

/// A plan that follows the state, and room to compute in.
#[derive(Debug, Default)]
pub struct Sketch {
    /// The plan.
    pub plan: InsertionPlan,
    /// The share of calls after each point of the day, and the horizon that it is for.
    after: Vec<f64>,
    horizon: Time,
    /// Positions of customers that are options, for the vehicle that is looked at.
    chosen: Vec<u32>,
    /// The nearest customers that fit: distances and positions.
    near: Vec<(f64, u32)>,
}

impl Clone for Sketch {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, from: &Self) {
        self.plan.clone_from(&from.plan);
        if self.horizon != from.horizon && !from.after.is_empty() {
            self.after.clone_from(&from.after);
            self.horizon = from.horizon;
        }
    }
}

/// What the plan says of a trip from the depot.
#[derive(Clone, Copy, Debug, Default)]
struct Trip {
    load: f64,
    length: f64,
    stops: f64,
    age: f64,
}

/// The open customers around a place, the nearer the more.
struct Around {
    count: f64,
    load: f64,
    /// The distance of the nearest, 1 at most.
    nearest: f64,
}

/// A number that may be infinite, cut to `most`.
fn cut(x: f64, most: f64) -> f64 {
    if x < most { x } else { most }
}

impl Sketch {
    /// The expected number of calls within some times from now.
    fn expected<const N: usize>(
        &mut self,
        problem: &Routing,
        state: &State,
        within: [Time; N],
    ) -> [f64; N] {
        let Law::Mixture { count, mixture } = &problem.law else { return [0.0; N] };
        if self.horizon != problem.horizon || self.after.is_empty() {
            self.horizon = problem.horizon;
            let point = |i: usize| problem.horizon * i as f64 / TABLE as f64;
            self.after.clear();
            self.after.extend((0..=TABLE).map(|i| mixture.share_after(point(i))));
        }
        let after = |time: Time| {
            let at = (time / problem.horizon * TABLE as f64).clamp(0.0, TABLE as f64);
            let i = (at as usize).min(TABLE - 1);
            let part = at - i as f64;
            self.after[i] * (1.0 - part) + self.after[i + 1] * part
        };
        let left = f64::from(count.saturating_sub(state.arrived));
        let now = after(state.now);
        within.map(|time| {
            let later = after(state.now + time);
            if now > 1e-9 { left * (1.0 - later / now).max(0.0) } else { left }
        })
    }

    /// Finds the nearest customers that fit.
    fn find_near(&mut self, problem: &Routing, state: &State, vehicle: &Vehicle) {
        self.near.clear();
        for (i, open) in (0u32..).zip(&state.open) {
            if open.demand > vehicle.load_left {
                continue;
            }
            let distance = problem.distance(vehicle.place, open.place());
            if self.near.len() < NEAR || distance < self.near[NEAR - 1].0 {
                let at = self.near.partition_point(|&(other, _)| other <= distance);
                self.near.truncate(NEAR - 1);
                self.near.insert(at, (distance, i));
            }
        }
    }

    fn choose(&mut self, state: &State, customer: u32) {
        if let Some(at) = position(&state.open, customer) {
            let at = at as u32;
            if !self.chosen.contains(&at) {
                self.chosen.push(at);
            }
        }
    }
}

impl Routing {
    /// What a trip of these stops is like.
    fn trip(&self, state: &State, stops: &[Open]) -> Trip {
        if stops.is_empty() {
            return Trip::default();
        }
        let count = stops.len() as f64;
        let load: u32 = stops.iter().map(|stop| stop.demand).sum();
        let age: f64 = stops.iter().map(|stop| state.now - stop.arrival).sum();
        Trip {
            load: f64::from(load) / f64::from(self.capacity),
            length: crate::insertion::length(self, stops),
            stops: count,
            age: age / count / 10.0,
        }
    }

    /// The open customers other than `not` around a place.
    fn surroundings(&self, state: &State, here: Place, not: Option<usize>) -> Around {
        let mut around = Around { count: 0.0, load: 0.0, nearest: 1.0 };
        for (i, other) in state.open.iter().enumerate() {
            if Some(i) != not {
                let distance = self.distance(here, other.place());
                let near = 0.1 / (0.1 + distance);
                around.count += near;
                around.load += near * f64::from(other.demand);
                around.nearest = cut(distance, around.nearest);
            }
        }
        around.load /= f64::from(self.capacity);
        around
    }

    /// How near a call is expected to come to a place.
    fn nearness(&self, place: Place) -> f64 {
        match &self.law {
            Law::Mixture { mixture, .. } => mixture.nearness(place.at),
            Law::Unknown => 0.0,
        }
    }
}

fn flag(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

fn age(state: &State, open: &Open) -> f64 {
    (state.now - open.arrival) / 10.0
}

/// The vehicles that stand, by number.
fn free(state: &State) -> impl Iterator<Item = (u32, &Vehicle)> {
    (0u32..).zip(&state.vehicles).filter(|(_, vehicle)| !vehicle.driving)
}

/// What all options of a state share.
struct View<'v> {
    problem: &'v Routing,
    state: &'v State,
    /// What the plan does next.
    planned: Action,
    /// Calls expected within 1, 4 and 12 time units.
    expected: [f64; 3],
    /// The first vehicle that stands.
    first: Option<&'v Vehicle>,
}

impl View<'_> {
    fn capacity(&self) -> f64 {
        f64::from(self.problem.capacity)
    }

    /// The calls expected soon near a place.
    fn calls(&self, place: Place) -> f64 {
        cut(self.expected[1] * self.problem.nearness(place), 8.0) / 2.0
    }

    fn put(&self, out: &mut Options<Action>, action: Action, numbers: &[(usize, f64)]) {
        let row = out.push(action, Routing::OPTION);
        row[3] = if action == self.planned { 1.0 } else { 0.0 };
        for &(i, x) in numbers {
            row[i] = x as f32;
        }
    }

    /// The numbers about the whole state.
    fn global(&self, holds: bool) -> [f64; Routing::GLOBAL] {
        let Self { problem, state, expected: [soon, later, much_later], first, .. } = *self;
        let full = self.capacity();
        let count = state.open.len() as f64;
        let load: u32 = state.open.iter().map(|open| open.demand).sum();
        let ages: f64 = state.open.iter().map(|open| age(state, open)).sum();
        let oldest = state.open.iter().map(|open| age(state, open)).fold(0.0, f64::max);
        let to_come = match problem.law {
            Law::Mixture { count, .. } if count > 0 => {
                1.0 - f64::from(state.arrived) / f64::from(count)
            }
            _ => 0.0,
        };
        let middle = crate::scenario::Point { x: 0.5, y: 0.5 };
        let load_near = |vehicle: &Vehicle| problem.surroundings(state, vehicle.place, None).load;
        [
            flag(first.is_some_and(Vehicle::at_depot)),
            first.map_or(0.0, |vehicle| f64::from(vehicle.load_left)) / full,
            cut(f64::from(load) / full, 4.0) / 2.0,
            cut(count, 40.0) / 10.0,
            to_come,
            cut(soon, 10.0) / 2.0,
            cut(later, 20.0) / 5.0,
            cut(much_later, 40.0) / 10.0,
            cut(ages / count.max(1.0), 3.0),
            cut(oldest, 3.0),
            cut(problem.depot.at.distance(middle), 3.0),
            flag(holds),
            cut(first.map_or(0.0, load_near), 2.0),
            first.map_or(0.0, |vehicle| self.calls(vehicle.place)),
            self.calls(problem.depot),
        ]
    }

    /// Fills `sketch.chosen` with the customers that are options of a vehicle; returns the plan's next one.
    fn choose(&self, sketch: &mut Sketch, v: u32, vehicle: &Vehicle) -> Option<u32> {
        let Self { problem, state, planned, .. } = *self;
        sketch.chosen.clear();
        sketch.find_near(problem, state, vehicle);
        let next = match planned {
            Action::Visit { vehicle, customer } if vehicle == v => Some(customer),
            _ if vehicle.at_depot() => sketch.plan.first_trip(problem),
            _ => sketch.plan.stops(v).first().map(|stop| stop.id),
        };
        if let Some(customer) = next {
            sketch.choose(state, customer);
        }
        if vehicle.at_depot() {
            for trip in 0..sketch.plan.trips().len().min(TRIPS) {
                let stops = &sketch.plan.trips()[trip];
                let ends = [stops.first(), stops.last()].map(|stop| stop.map(|stop| stop.id));
                for customer in ends.into_iter().flatten() {
                    sketch.choose(state, customer);
                }
            }
        }
        for i in 0..sketch.near.len() {
            let at = sketch.near[i].1;
            if !sketch.chosen.contains(&at) {
                sketch.chosen.push(at);
            }
        }
        next
    }

    /// Describes the visit of the customer at `at`; `next` is the plan's next customer.
    fn visit(
        &self,
        sketch: &Sketch,
        (v, vehicle): (u32, &Vehicle),
        at: u32,
        next: Option<&Open>,
        out: &mut Options<Action>,
    ) {
        let Self { problem, state, .. } = *self;
        let (full, open) = (self.capacity(), &state.open[at as usize]);
        let place = open.place();
        let home = problem.distance(vehicle.place, problem.depot);
        let there = problem.distance(vehicle.place, place);
        let back = problem.distance(place, problem.depot);
        let around = problem.surroundings(state, place, Some(at as usize));
        let before = next.filter(|next| next.id != open.id).map_or(0.0, |next| {
            let direct = problem.distance(vehicle.place, next.place());
            there + problem.distance(place, next.place()) - direct
        });
        let mut trip = Trip::default();
        if vehicle.at_depot() {
            let of = sketch.plan.trips().iter().find(|t| t.iter().any(|s| s.id == open.id));
            trip = of.map_or(trip, |stops| problem.trip(state, stops));
        }
        let left = f64::from(vehicle.load_left - open.demand) / full;
        self.put(
            out,
            Action::Visit { vehicle: v, customer: open.id },
            &[
                (0, 1.0),
                (4, there * 2.0),
                (5, back * 2.0),
                (6, there + back - home),
                (7, f64::from(open.demand) / full * 4.0),
                (8, left),
                (9, cut(age(state, open), 3.0)),
                (10, cut(around.count, 10.0) / 5.0),
                (11, around.nearest * 4.0),
                (12, flag(sketch.near.first().is_some_and(|&(_, near)| near == at))),
                (13, cut(before, 1.0) * 2.0),
                (14, trip.load),
                (15, cut(trip.length / trip.stops.max(1.0), 2.0)),
                (16, cut(trip.stops, 12.0) / 6.0),
                (17, cut(trip.age, 3.0)),
                (18, cut(trip.length, 4.0) / 2.0),
                (28, self.calls(place)),
                (29, cut(around.load, 2.0)),
            ],
        );
    }

    /// Describes the way to the depot; `nearest` is the distance of the nearest customer that fits.
    fn depot(
        &self,
        sketch: &Sketch,
        (v, vehicle): (u32, &Vehicle),
        nearest: f64,
        out: &mut Options<Action>,
    ) {
        let Self { problem, state, .. } = *self;
        let full = self.capacity();
        let fits = |open: &&Open| open.demand <= vehicle.load_left;
        let fitting: u32 = state.open.iter().filter(fits).map(|open| open.demand).sum();
        self.put(
            out,
            Action::Depot { vehicle: v },
            &[
                (1, 1.0),
                (4, problem.distance(vehicle.place, problem.depot) * 2.0),
                (8, f64::from(vehicle.load_left) / full),
                (19, cut(sketch.plan.stops(v).len() as f64, 12.0) / 6.0),
                (20, nearest * 2.0),
                (21, cut(f64::from(fitting) / full, 1.0)),
                (30, self.calls(vehicle.place)),
            ],
        );
    }

    /// Describes waiting; `nearest` is the least distance of a customer from any vehicle that it fits.
    fn wait(&self, sketch: &Sketch, nearest: f64, out: &mut Options<Action>) {
        let Self { problem, state, first, .. } = *self;
        let shortest = sketch.plan.shortest_trip(problem);
        let trip = shortest.map_or(Trip::default(), |stops| problem.trip(state, stops));
        let home = first.map_or(0.0, |vehicle| problem.distance(vehicle.place, problem.depot));
        self.put(
            out,
            Action::Wait,
            &[
                (2, 1.0),
                (22, flag(first.is_some_and(Vehicle::at_depot))),
                (23, cut(trip.load, 1.0)),
                (24, cut(trip.length / trip.stops.max(1.0), 2.0)),
                (25, nearest * 2.0),
                (26, cut(self.expected[1], 20.0) / 5.0),
                (27, home * 2.0),
                (31, first.map_or(0.0, |vehicle| self.calls(vehicle.place))),
            ],
        );
    }
}

impl Features for Routing {
    type Sketch = Sketch;
    const GLOBAL: usize = 15;
    const OPTION: usize = 32;

    fn features(&self, state: &State, sketch: &mut Sketch, out: &mut Options<Action>) {
        out.clear();
        sketch.plan.follow(self, state);
        let planned = sketch.plan.next(self, state);
        if free(state).any(|(_, vehicle)| vehicle.at_depot()) {
            // Also where the plan would hold: whoever goes nevertheless goes by a plan that knows all.
            sketch.plan.rebuild(self, state);
        }
        let expected = sketch.expected(self, state, [1.0, 4.0, 12.0]);
        let first = free(state).next().map(|(_, vehicle)| vehicle);
        let view = View { problem: self, state, planned, expected, first };
        out.global.extend(view.global(sketch.plan.holds(self, state)).map(|x| x as f32));
        let mut nearest_of_all = 1.0;
        for (v, vehicle) in free(state) {
            let next = view.choose(sketch, v, vehicle);
            let next = next.and_then(|id| position(&state.open, id)).map(|at| &state.open[at]);
            let nearest = sketch.near.first().map_or(1.0, |&(distance, _)| cut(distance, 1.0));
            nearest_of_all = cut(nearest, nearest_of_all);
            for &at in &sketch.chosen {
                if state.open[at as usize].demand <= vehicle.load_left {
                    view.visit(sketch, (v, vehicle), at, next, out);
                }
            }
            if !vehicle.at_depot() {
                view.depot(sketch, (v, vehicle), nearest, out);
            }
        }
        if self.may_wait(state) {
            view.wait(sketch, nearest_of_all, out);
        }
    }
}
