//! Recreate: the removed customers are put back one by one where each costs least (section 5.2 of the paper).

use super::params::{Blinks, RuinParams};
use super::places::Places;
use super::tour::Tours;
use solo_core::{Cost, Meter, Rng};

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
/// that is away, or alone in a new trip. Gives up, leaving some out, once the way is so long that the result would not
/// be accepted, or time is up.
pub(super) fn insert_nearby(
    tours: &mut Tours,
    places: &Places,
    params: &RuinParams,
    (removed, limit): (&[u32], Cost),
    (blinks, meter): (&mut Blinks, &Meter<'_>),
    rng: &mut Rng,
) {
    for &customer in removed {
        let work = 4 * params.near + places.near_work(customer);
        if tours.distance >= limit || meter.cuts(work) {
            return;
        }
        let demand = places.demand[customer as usize];
        let alone = places.remote[customer as usize];
        let mut best = Gap { added: alone, trip: tours.nowhere(), after: places.depot() };
        for v in (0..tours.vehicles).filter(|&v| tours.fits(v, demand)) {
            let own = &tours.trips[v as usize];
            let detour =
                places.distance(own.start, customer) + places.distance(customer, own.first);
            let added = detour - tours.leg_out(places, v, own.start);
            // only a place that would be chosen needs to be overlooked
            if added < best.added && !blinks.blink(rng) {
                best = Gap { added, trip: v, after: own.start };
            }
        }
        let near = places.near(customer);
        let near = &near[..near.len().min(params.near)];
        match places.rows(customer) {
            Some((to, from)) => {
                let ways = (|p: u32| to[p as usize], |p: u32| from[p as usize]);
                beside(tours, near, demand, ways, &mut best, blinks, rng);
            }
            None => {
                let to = |p: u32| places.distance(p, customer);
                let from = |p: u32| places.distance(customer, p);
                beside(tours, near, demand, (to, from), &mut best, blinks, rng);
            }
        }
        if best.trip == tours.nowhere() {
            best.trip = tours.unused();
        }
        tours.insert(places, customer, best.trip, best.after);
    }
}

/// A place for a customer, and what it costs to go there.
struct Gap {
    added: f64,
    trip: u32,
    after: u32,
}

/// Looks for a better place before and behind each of these neighbours, given the ways to and from the customer. This
/// is where the search spends its time.
fn beside(
    tours: &Tours,
    near: &[u32],
    demand: u32,
    (to, from): (impl Fn(u32) -> f64, impl Fn(u32) -> f64),
    best: &mut Gap,
    blinks: &mut Blinks,
    rng: &mut Rng,
) {
    let (stops, room, demand) = (&tours.stops[..], &tours.room[..], i64::from(demand));
    let mut least = best.added;
    for &other in near {
        let stop = &stops[other as usize];
        let before = to(stop.prev) + from(other) - stop.into;
        let behind = to(other) + from(stop.next) - stop.out;
        let added = if behind < before { behind } else { before };
        // One branch, seldom taken: whether a trip is full cannot be foretold.
        if (added < least) & (room[stop.trip as usize] >= demand) && !blinks.blink(rng) {
            least = added;
            let after = if behind < before { other } else { stop.prev };
            *best = Gap { added, trip: stop.trip, after };
        }
    }
}
