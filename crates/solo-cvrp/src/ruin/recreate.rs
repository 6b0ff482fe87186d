//! Recreate: the removed customers are put back one by one where each costs least (section 5.2 of the paper).

use super::params::{Blinks, Params};
use super::places::Places;
use super::tour::{OUT, Tours};
use solo_core::Rng;

/// Brings the removed customers into one of the paper's orders, picked with weights 4, 4, 2, 1: random, most demanding
/// first, farthest first, nearest first. Where waiting costs, also oldest call first, with weight 3.
pub(super) fn sort(removed: &mut [u32], places: &Places, timed: bool, rng: &mut Rng) {
    for i in (1..removed.len()).rev() {
        removed.swap(i, rng.below(i + 1));
    }
    let by = |key: &dyn Fn(u32) -> f64, removed: &mut [u32]| {
        removed.sort_unstable_by(|&a, &b| key(a).total_cmp(&key(b)));
    };
    match rng.below(if timed { 14 } else { 11 }) {
        0..4 => {}
        4..8 => removed.sort_unstable_by_key(|&c| std::cmp::Reverse(places.demand[c as usize])),
        8..10 => by(&|c| -places.remote[c as usize], removed),
        10 => by(&|c| places.remote[c as usize], removed),
        _ => by(&|c| places.arrival[c as usize], removed),
    }
}

/// Puts each back where it adds least distance: beside one of its nearest neighbours, first in the trip of a vehicle
/// that is away, or alone in a new trip.
pub(super) fn insert_nearby(
    tours: &mut Tours,
    places: &Places,
    params: &Params,
    removed: &[u32],
    blinks: &mut Blinks,
    rng: &mut Rng,
) {
    let depot = places.depot();
    for &customer in removed {
        let demand = places.demand[customer as usize];
        let (mut best, mut trip, mut after) = (places.remote[customer as usize], OUT, depot);
        for v in 0..tours.vehicles {
            let own = &tours.trips[v as usize];
            if own.load + demand > own.room {
                continue;
            }
            let added = places.distance(own.start, customer) + places.distance(customer, own.first)
                - tours.leg_out(places, v, own.start);
            // only a place that would be chosen needs to be overlooked
            if added < best && !blinks.blink(rng) {
                (best, trip, after) = (added, v, own.start);
            }
        }
        let near = places.near(customer);
        for &other in &near[..near.len().min(params.near)] {
            let stop = &tours.stops[other as usize];
            if stop.trip == OUT {
                continue;
            }
            let t = &tours.trips[stop.trip as usize];
            if t.load + demand > t.room {
                continue;
            }
            let to = places.distance(customer, other);
            let before = places.distance(stop.prev, customer) + to - stop.into;
            if before < best && !blinks.blink(rng) {
                (best, trip, after) = (before, stop.trip, stop.prev);
            }
            let from = places.distance(other, customer);
            let behind = from + places.distance(customer, stop.next) - stop.out;
            if behind < best && !blinks.blink(rng) {
                (best, trip, after) = (behind, stop.trip, other);
            }
        }
        if trip == OUT {
            trip = tours.unused();
        }
        tours.insert(places, customer, trip, after);
    }
}
