//! What is to be made small: distance alone, or with waiting. The loop is compiled for each.

use super::Scratch;
use super::params::RuinParams;
use super::places::Places;
use super::recreate::{insert_nearby, sort};
use super::timed::Clock;
use super::tour::Tours;
use solo_core::{Cost, Rng};

/// An objective, with what it must know beside the trips. Its changes are kept or taken back together with those of
/// the trips.
pub(super) trait Objective: Clone {
    /// Whether calls come in the future.
    const RELEASES: bool;
    /// The wall clock is read once in this many iterations.
    const CHECK_EVERY: u64;

    /// For trips without customers.
    fn new(tours: &Tours) -> Self;
    /// The cost of the solution as it is; cheap after [`Objective::change`] or [`Objective::recreate`].
    fn cost(&mut self, tours: &Tours, places: &Places) -> Cost;
    /// One step of the search. It may be left undone when the cost is `limit` or more whatever is done, and when the
    /// meter cuts it off.
    fn change(
        &mut self,
        tours: &mut Tours,
        places: &Places,
        params: &RuinParams,
        scratch: &mut Scratch<'_>,
        limit: Cost,
        rng: &mut Rng,
    );
    /// Puts the removed customers back, in their order; the same holds for `limit`.
    fn recreate(
        &mut self,
        tours: &mut Tours,
        places: &Places,
        params: &RuinParams,
        scratch: &mut Scratch<'_>,
        limit: Cost,
        rng: &mut Rng,
    );
    /// Takes in new trips from the depot, each as the next one of its vehicle, or of the one that is back first.
    fn append(&mut self, trips: &[(u32, Option<u32>)], tours: &Tours, places: &Places);
    /// The trips from the depot in the order in which they are to be started.
    fn order(&mut self, tours: &Tours, places: &Places) -> Vec<u32>;
    /// Becomes a copy, without allocating.
    fn copy(&mut self, from: &Self);
    /// Keeps what has been done.
    fn commit(&mut self);
    /// Takes back what has been done since the last commit.
    fn undo(&mut self);
}

/// Distance alone: who drives which trip when makes no difference.
#[derive(Clone, Debug)]
pub(super) struct Driven;

impl Objective for Driven {
    const RELEASES: bool = false;
    const CHECK_EVERY: u64 = 8;

    fn new(_tours: &Tours) -> Self {
        Self
    }

    #[inline]
    fn cost(&mut self, tours: &Tours, _places: &Places) -> Cost {
        tours.distance
    }

    fn change(
        &mut self,
        tours: &mut Tours,
        places: &Places,
        params: &RuinParams,
        scratch: &mut Scratch<'_>,
        limit: Cost,
        rng: &mut Rng,
    ) {
        scratch.removed.clear();
        let Scratch { strings, removed, meter, .. } = scratch;
        strings.remove(tours, places, params, removed, meter, rng);
        sort(&mut scratch.removed, places, false, rng);
        self.recreate(tours, places, params, scratch, limit, rng);
    }

    fn recreate(
        &mut self,
        tours: &mut Tours,
        places: &Places,
        params: &RuinParams,
        scratch: &mut Scratch<'_>,
        limit: Cost,
        rng: &mut Rng,
    ) {
        let Scratch { removed, blinks, meter, .. } = scratch;
        insert_nearby(tours, places, params, (removed, limit), (blinks, meter), rng);
    }

    fn append(&mut self, _trips: &[(u32, Option<u32>)], _tours: &Tours, _places: &Places) {}

    /// Fullest first: later calls may still fill the others.
    fn order(&mut self, tours: &Tours, _places: &Places) -> Vec<u32> {
        let mut trips: Vec<u32> = (tours.vehicles..tours.trips.len() as u32).collect();
        trips.retain(|&t| tours.trips[t as usize].stops > 0);
        trips.sort_by_key(|&t| tours.room[t as usize]);
        trips
    }

    fn copy(&mut self, _from: &Self) {}

    fn commit(&mut self) {}

    fn undo(&mut self) {}
}

/// Distance and waiting.
#[derive(Clone, Debug)]
pub(super) struct Waited<const RELEASES: bool> {
    clock: Clock<RELEASES>,
    /// The sum of all waiting, while the clock is right.
    waited: Option<f64>,
}

impl<const RELEASES: bool> Objective for Waited<RELEASES> {
    const RELEASES: bool = RELEASES;
    const CHECK_EVERY: u64 = if RELEASES { 1 } else { 4 };

    fn new(tours: &Tours) -> Self {
        Self { clock: Clock::new(tours), waited: None }
    }

    fn cost(&mut self, tours: &Tours, places: &Places) -> Cost {
        let waited = *self.waited.get_or_insert_with(|| self.clock.set(tours, places));
        tours.distance + places.weight * waited
    }

    fn change(
        &mut self,
        tours: &mut Tours,
        places: &Places,
        params: &RuinParams,
        scratch: &mut Scratch<'_>,
        limit: Cost,
        rng: &mut Rng,
    ) {
        self.waited = None;
        scratch.removed.clear();
        if rng.unit() < params.trips {
            self.clock.shake(tours, places, &mut scratch.removed, rng);
            return;
        }
        let Scratch { strings, removed, meter, .. } = scratch;
        strings.remove(tours, places, params, removed, meter, rng);
        sort(&mut scratch.removed, places, true, rng);
        self.clock.drop_empty(tours);
        self.recreate(tours, places, params, scratch, limit, rng);
    }

    fn recreate(
        &mut self,
        tours: &mut Tours,
        places: &Places,
        _params: &RuinParams,
        scratch: &mut Scratch<'_>,
        limit: Cost,
        rng: &mut Rng,
    ) {
        let waited = self.clock.set(tours, places);
        let Scratch { removed, blinks, meter, .. } = scratch;
        let inserted =
            self.clock.insert(tours, places, (removed, limit), waited, (blinks, meter), rng);
        self.waited = Some(inserted);
    }

    fn append(&mut self, trips: &[(u32, Option<u32>)], tours: &Tours, places: &Places) {
        self.waited = None;
        self.clock.set(tours, places);
        self.clock.append(trips, tours, places);
    }

    fn order(&mut self, tours: &Tours, places: &Places) -> Vec<u32> {
        self.clock.set(tours, places);
        self.clock.by_departure(tours, places)
    }

    fn copy(&mut self, from: &Self) {
        self.clock.copy(&from.clock);
        self.waited = None;
    }

    fn commit(&mut self) {
        self.clock.commit();
    }

    fn undo(&mut self) {
        self.clock.undo();
        self.waited = None;
    }
}
