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

mod view;

use crate::dynamics::{Routing, position};
use crate::insertion::InsertionPlan;
use crate::scenario::Place;
use crate::state::{Action, Open, State, Vehicle};
use solo_core::{Features, Meter, Options, Time};
use view::View;

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
        let Some(count) = problem.law.count() else { return [0.0; N] };
        if self.horizon != problem.horizon || self.after.is_empty() {
            self.horizon = problem.horizon;
            let point = |i: usize| problem.horizon * i as f64 / TABLE as f64;
            self.after.clear();
            self.after.extend((0..=TABLE).map(|i| problem.law.share_after(point(i))));
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
        self.law.nearness(place.at)
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

impl Features for Routing {
    type Sketch = Sketch;
    const GLOBAL: usize = 15;
    const OPTION: usize = 32;

    fn features(&self, state: &State, sketch: &mut Sketch, out: &mut Options<Action>) {
        self.features_within(state, sketch, &Meter::unlimited(), out);
    }

    fn features_within(
        &self,
        state: &State,
        sketch: &mut Sketch,
        meter: &Meter<'_>,
        out: &mut Options<Action>,
    ) -> bool {
        let described = self.describe(state, sketch, meter, out);
        if !described {
            out.only(sketch.plan.at_hand(self, state, meter));
        }
        described
    }
}

impl Routing {
    /// Fills `out` with the options of a state; false if the meter cut that off.
    fn describe(
        &self,
        state: &State,
        sketch: &mut Sketch,
        meter: &Meter<'_>,
        out: &mut Options<Action>,
    ) -> bool {
        out.clear();
        sketch.plan.follow_within(self, state, meter);
        let (planned, _) = sketch.plan.next(self, state, meter);
        if free(state).any(|(_, vehicle)| vehicle.at_depot()) {
            // Also where the plan would hold: whoever goes nevertheless goes by a plan that knows all.
            sketch.plan.rebuild(self, state, meter);
        }
        // Sums over all who are open, and over the trips.
        if meter.cuts(10 * state.open.len()) {
            return false;
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
                if meter.cuts(3 * state.open.len()) {
                    return false;
                }
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
        true
    }
}
