//! The sweep algorithm: customers by angle around the depot, cut into loads, each load driven as a short tour.

use crate::dynamics::Routing;
use crate::plan::{Instance, Plan, Route};
use crate::scenario::Place;
use crate::state::Open;
use solo_core::{Failure, Meter, Rng, Solver};
use std::collections::VecDeque;

/// Sweeps a ray around the depot, starting to the left and turning against the clock, and closes a trip when the next
/// customer does not fit. A vehicle away from the depot first takes customers from its own angle on. Each trip is then
/// shortened by 2-opt moves until none helps.
///
/// The published figures for sweep come from a flawed variant; see `docs/decisions/0003-routing-as-published.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sweep;

/// The most passes of 2-opt over one trip; far more than trips of ordinary length need.
const PASSES: usize = 50;

impl Solver<Routing> for Sweep {
    fn solve(
        &mut self,
        problem: &Routing,
        instance: &Instance,
        meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> Result<Plan, Failure> {
        Ok(self.plan(problem, instance, meter))
    }
}

impl Sweep {
    /// The plan; where the meter cuts the work off, with trips that are not shortened.
    pub fn plan(&self, problem: &Routing, instance: &Instance, meter: &Meter<'_>) -> Plan {
        let angle = |place: Place| {
            let (centre, at) = (problem.depot.at, place.at);
            libm::atan2(at.y - centre.y, at.x - centre.x)
        };
        let mut waiting: VecDeque<(f64, &Open)> =
            instance.open.iter().map(|customer| (angle(customer.place()), customer)).collect();
        let by_angle = |waiting: &mut VecDeque<(f64, &Open)>| {
            waiting.make_contiguous().sort_by(|a, b| a.0.total_cmp(&b.0));
        };
        by_angle(&mut waiting);

        let mut routes = Vec::new();
        let away = (0u32..).zip(&instance.vehicles).filter(|(_, vehicle)| !vehicle.at_depot());
        for (v, vehicle) in away {
            let from = angle(vehicle.place);
            let start = waiting.partition_point(|(angle, _)| *angle < from);
            waiting.rotate_left(start);
            let trip = take_load(&mut waiting, vehicle.load_left);
            by_angle(&mut waiting);
            routes.push((Some(v), vehicle.place, trip));
        }
        while !waiting.is_empty() {
            let mut trip = take_load(&mut waiting, problem.capacity);
            if trip.is_empty() {
                trip.extend(waiting.pop_front().map(|(_, customer)| customer)); // who never fits
            }
            routes.push((None, problem.depot, trip));
        }
        let plan = routes.into_iter().filter(|(_, _, trip)| !trip.is_empty()).map(
            |(vehicle, start, mut trip)| {
                shorten(problem, start, &mut trip, meter);
                Route { vehicle, stops: trip.iter().map(|customer| customer.id).collect() }
            },
        );
        Plan { routes: plan.collect() }
    }
}

/// Takes customers from the front until one does not fit.
fn take_load<'i>(waiting: &mut VecDeque<(f64, &'i Open)>, room: u32) -> Vec<&'i Open> {
    let mut left = room;
    let count = waiting
        .iter()
        .take_while(|(_, customer)| {
            let fits = customer.demand <= left;
            left = left.saturating_sub(customer.demand);
            fits
        })
        .count();
    waiting.drain(..count).map(|(_, customer)| customer).collect()
}

/// 2-opt on the trip from `start` through the stops to the depot. Asymmetric ways are left as they are.
fn shorten(problem: &Routing, start: Place, trip: &mut [&Open], meter: &Meter<'_>) {
    if !problem.travel.symmetric() {
        return;
    }
    let n = trip.len();
    for _ in 0..PASSES {
        let mut improved = false;
        for i in 0..n {
            if meter.cuts(4 * (n - i)) {
                return;
            }
            for j in i + 1..n {
                let before = if i == 0 { start } else { trip[i - 1].place() };
                let after = if j + 1 == n { problem.depot } else { trip[j + 1].place() };
                let (first, last) = (trip[i].place(), trip[j].place());
                let now = problem.distance(before, first) + problem.distance(last, after);
                let turned = problem.distance(before, last) + problem.distance(first, after);
                if turned < now - 1e-12 {
                    trip[i..=j].reverse();
                    improved = true;
                }
            }
        }
        if !improved {
            return;
        }
    }
}
