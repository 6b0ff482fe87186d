//! Ruin: strings of adjacent customers are removed around a seed customer (section 5.1 of the paper).

use super::params::RuinParams;
use super::places::Places;
use super::tour::Tours;
use solo_core::{Meter, Rng};

/// Scratch for removals.
#[derive(Clone, Debug, Default)]
pub(super) struct Strings {
    /// By trip, the last iteration that removed from it.
    ruined: Vec<u64>,
    iteration: u64,
}

/// A real number from 1 to `most`, cut to a whole one below.
fn whole(most: f64, rng: &mut Rng) -> u32 {
    (1.0 + rng.unit() * most) as u32
}

impl Strings {
    pub(super) fn new(tours: &Tours) -> Self {
        Self { ruined: vec![0; tours.trips.len()], iteration: 0 }
    }

    /// Removes strings from some trips near a random customer, and adds who was removed to `removed`.
    pub(super) fn remove(
        &mut self,
        tours: &mut Tours,
        places: &Places,
        params: &RuinParams,
        removed: &mut Vec<u32>,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) {
        self.iteration += 1;
        // equations 5 to 7: shorter trips lose shorter strings, and then more trips are ruined
        let mean = places.customers as f64 / f64::from(tours.used.max(1));
        let longest = params.longest.min(mean).max(1.0);
        let most = 4.0 * params.removed / (1.0 + longest) - 1.0;
        let mut strings = whole(most.max(1.0), rng);
        let seed = rng.below(places.customers) as u32;
        meter.cuts(places.near_work(seed));
        for &customer in std::iter::once(&seed).chain(places.near(seed)) {
            let trip = tours.stops[customer as usize].trip;
            if trip == tours.nowhere() || self.ruined[trip as usize] == self.iteration {
                continue;
            }
            self.ruined[trip as usize] = self.iteration;
            let stops = tours.trips[trip as usize].stops;
            // equations 8 and 9
            let length = whole(longest.min(f64::from(stops)), rng).min(stops);
            let mut kept = 0;
            if length > 1 && length < stops && rng.unit() < params.split {
                kept = 1;
                while length + kept < stops && rng.unit() < params.deeper {
                    kept += 1;
                }
            }
            remove_string(tours, places, customer, (length, kept), removed, rng);
            strings -= 1;
            if strings == 0 {
                break;
            }
        }
    }
}

/// Removes `length` customers of a random string of `length + kept` with `customer` in it; the kept ones are together
/// in its middle.
fn remove_string(
    tours: &mut Tours,
    places: &Places,
    customer: u32,
    (length, kept): (u32, u32),
    removed: &mut Vec<u32>,
    rng: &mut Rng,
) {
    let n = tours.stops.len() as u32;
    let whole = length + kept;
    let count = |step: &dyn Fn(u32) -> u32| {
        let (mut at, mut found) = (step(customer), 0);
        while found + 1 < whole && at < n {
            (at, found) = (step(at), found + 1);
        }
        found
    };
    let before = count(&|c| tours.stops[c as usize].prev);
    let behind = count(&|c| tours.stops[c as usize].next);
    let least = (whole - 1).saturating_sub(behind);
    let back = least + rng.below((before - least + 1) as usize) as u32;
    let mut at = customer;
    for _ in 0..back {
        at = tours.stops[at as usize].prev;
    }
    let keep_from = if kept > 0 { 1 + rng.below((length - 1) as usize) as u32 } else { whole };
    for i in 0..whole {
        let next = tours.stops[at as usize].next;
        if i < keep_from || i >= keep_from + kept {
            tours.remove(places, at);
            removed.push(at);
        }
        at = next;
    }
}
