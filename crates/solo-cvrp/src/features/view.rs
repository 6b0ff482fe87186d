//! The numbers about a state and about each of its options.

use super::{Sketch, TRIPS, Trip, age, cut, flag};
use crate::dynamics::Routing;
use crate::scenario::Place;
use crate::state::{Action, Open, State, Vehicle};
use solo_core::{Features, Options};

/// What all options of a state share.
pub(super) struct View<'v> {
    pub(super) problem: &'v Routing,
    pub(super) state: &'v State,
    /// What the plan does next.
    pub(super) planned: Action,
    /// Calls expected within 1, 4 and 12 time units.
    pub(super) expected: [f64; 3],
    /// The first vehicle that stands.
    pub(super) first: Option<&'v Vehicle>,
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
    pub(super) fn global(&self, holds: bool) -> [f64; Routing::GLOBAL] {
        let Self { problem, state, expected: [soon, later, much_later], first, .. } = *self;
        let full = self.capacity();
        let count = state.open.len() as f64;
        let load: u32 = state.open.iter().map(|open| open.demand).sum();
        let ages: f64 = state.open.iter().map(|open| age(state, open)).sum();
        let oldest = state.open.iter().map(|open| age(state, open)).fold(0.0, f64::max);
        let to_come = match problem.law.count() {
            Some(count) if count > 0 => 1.0 - f64::from(state.arrived) / f64::from(count),
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
    pub(super) fn choose(&self, sketch: &mut Sketch, v: u32, vehicle: &Vehicle) -> Option<u32> {
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
    pub(super) fn visit(
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
    pub(super) fn depot(
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
    pub(super) fn wait(&self, sketch: &Sketch, nearest: f64, out: &mut Options<Action>) {
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
