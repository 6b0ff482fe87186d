//! Where waiting costs: the order of trips matters, and an insertion delays everybody behind it.

use super::params::Blinks;
use super::places::Places;
use super::tour::Tours;
use solo_core::{Cost, Meter, Rng, Time};

/// Who drives which trips in which order, and when everybody is served.
///
/// With `RELEASES`, some calls come only in the future: a vehicle leaves for a customer at the earliest when the call
/// comes, and stands where it is until then. Without, every delay is passed on in full, and its cost is known from the
/// number of customers behind.
#[derive(Clone, Debug)]
pub(super) struct Clock<const RELEASES: bool> {
    /// All vehicles' trips in order; a vehicle's own trip (the lowest numbers) begins its part.
    queue: Vec<u32>,
    committed: Vec<u32>,
    /// When each customer is served.
    time: Vec<Time>,
    /// The customers of the same vehicle from each one on.
    rest: Vec<u32>,
    /// By trip: when its vehicle can begin it and is back, and how many customers it has after that.
    begin: Vec<Time>,
    end: Vec<Time>,
    later: Vec<u32>,
}

/// A place for a customer: behind `after` in a trip, or in a new trip behind place `turn` of the queue.
#[derive(Clone, Copy, Debug)]
struct Gap {
    trip: Option<u32>,
    after: u32,
    turn: usize,
}

/// Below this a delay is rounding.
const ABSORBED: Time = 1e-12;

impl<const RELEASES: bool> Clock<RELEASES> {
    pub(super) fn new(tours: &Tours) -> Self {
        let (n, trips) = (tours.stops.len(), tours.trips.len());
        let mut queue = Vec::with_capacity(trips);
        queue.extend(0..tours.vehicles);
        Self {
            committed: queue.clone(),
            queue,
            time: vec![0.0; n],
            rest: vec![0; n],
            begin: vec![0.0; trips],
            end: vec![0.0; trips],
            later: vec![0; trips],
        }
    }

    /// Takes over the order, without allocating; times must be set again.
    pub(super) fn copy(&mut self, from: &Self) {
        self.queue.clone_from(&from.queue);
    }

    pub(super) fn commit(&mut self) {
        self.committed.clone_from(&self.queue);
    }

    pub(super) fn undo(&mut self) {
        self.queue.clone_from(&self.committed);
    }

    /// Takes in trips, each as the last one of its vehicle, or of the one that is back first. Times must be set, and are
    /// not set any more afterwards.
    pub(super) fn append(&mut self, trips: &[(u32, Option<u32>)], tours: &Tours, places: &Places) {
        // Each vehicle's part of the queue, and when it is back from it.
        let mut parts: Vec<Vec<u32>> = Vec::new();
        for &t in &self.queue {
            if t < tours.vehicles {
                parts.push(Vec::new());
            }
            parts.last_mut().expect("a vehicle's own trip begins its part").push(t);
        }
        let last = |part: &Vec<u32>| self.end[part[part.len() - 1] as usize];
        let mut back: Vec<Time> = parts.iter().map(last).collect();
        for &(trip, vehicle) in trips {
            let first = (0..back.len()).min_by(|&a, &b| back[a].total_cmp(&back[b]));
            let to = vehicle.map(|v| v as usize).or(first).expect("there are vehicles");
            parts[to].push(trip);
            back[to] = Self::drive(tours, places, trip, back[to], |_, _| {});
        }
        self.queue.clear();
        self.queue.extend(parts.iter().flatten());
    }

    /// The trips from the depot in the order in which they leave it. Times must be set.
    pub(super) fn by_departure(&self, tours: &Tours, places: &Places) -> Vec<u32> {
        let departure =
            |t: u32| Self::leave(places, self.begin[t as usize], tours.trips[t as usize].first);
        let mut trips = self.queue.clone();
        trips.retain(|&t| t >= tours.vehicles);
        trips.sort_by(|&a, &b| departure(a).total_cmp(&departure(b)));
        trips
    }

    /// Drops trips that have become empty.
    pub(super) fn drop_empty(&mut self, tours: &Tours) {
        self.queue.retain(|&t| t < tours.vehicles || tours.trips[t as usize].stops > 0);
    }

    /// When a vehicle that is free at `time` leaves for a customer.
    #[inline]
    fn leave(places: &Places, time: Time, customer: u32) -> Time {
        if RELEASES { time.max(places.arrival[customer as usize]) } else { time }
    }

    /// Computes all times anew; returns the sum of all waiting.
    pub(super) fn set(&mut self, tours: &Tours, places: &Places) -> Time {
        let (mut now, mut left, mut waited) = (0.0, 0, 0.0);
        for (turn, &t) in self.queue.iter().enumerate() {
            if t < tours.vehicles {
                now = places.starts[t as usize].time;
                let others = self.queue[turn + 1..].iter().take_while(|&&o| o >= tours.vehicles);
                let stops = |t: &u32| tours.trips[*t as usize].stops;
                left = stops(&t) + others.map(stops).sum::<u32>();
            }
            self.begin[t as usize] = now;
            let (time, rest) = (&mut self.time, &mut self.rest);
            now = Self::drive(tours, places, t, now, |at, now| {
                waited += now - places.arrival[at as usize];
                time[at as usize] = now;
                rest[at as usize] = left;
                left -= 1;
            });
            self.end[t as usize] = now;
            self.later[t as usize] = left;
        }
        waited
    }

    /// Drives a trip from `now` on; tells when each customer is served, and returns when the vehicle is back.
    #[inline]
    fn drive(
        tours: &Tours,
        places: &Places,
        trip: u32,
        mut now: Time,
        mut served: impl FnMut(u32, Time),
    ) -> Time {
        let trip = &tours.trips[trip as usize];
        let mut at = trip.first;
        while let Some(stop) = tours.stops.get(at as usize) {
            now = Self::leave(places, now, at) + stop.into * places.pace;
            served(at, now);
            at = stop.next;
        }
        let home = if trip.stops == 0 {
            places.distance(trip.start, places.depot())
        } else {
            tours.stops[trip.last as usize].out
        };
        now + home * places.pace
    }

    /// Puts each back where it adds least cost, in a trip or as a new trip between two others; gives up once the
    /// cost would not be accepted, or time is up. Times must be set, with `waited` the sum of all waiting; they are set again after
    /// each, and the new sum is returned.
    pub(super) fn insert(
        &mut self,
        tours: &mut Tours,
        places: &Places,
        (removed, limit): (&[u32], Cost),
        mut waited: Time,
        (blinks, meter): (&mut Blinks, &Meter<'_>),
        rng: &mut Rng,
    ) -> Time {
        for &customer in removed {
            let cost = tours.distance + places.weight * waited;
            if cost >= limit || meter.cuts(4 * places.customers) {
                break;
            }
            let gap = self.cheapest(tours, places, customer, blinks, rng);
            let trip = gap.trip.unwrap_or_else(|| {
                let new = tours.unused();
                self.queue.insert(gap.turn + 1, new);
                new
            });
            tours.insert(places, customer, trip, gap.after);
            waited = self.set(tours, places);
        }
        waited
    }

    fn cheapest(
        &self,
        tours: &Tours,
        places: &Places,
        customer: u32,
        blinks: &mut Blinks,
        rng: &mut Rng,
    ) -> Gap {
        let depot = places.depot();
        let demand = places.demand[customer as usize];
        let last = self.queue.len() - 1;
        let (mut best, mut gap) = (f64::INFINITY, Gap { trip: None, after: depot, turn: last });
        for (turn, &t) in self.queue.iter().enumerate() {
            let trip = &tours.trips[t as usize];
            if tours.fits(t, demand) {
                let (mut after, mut free, mut next) =
                    (trip.start, self.begin[t as usize], trip.first);
                let mut leg = tours.leg_out(places, t, after);
                loop {
                    let end = next == depot;
                    let behind =
                        if end { self.later[t as usize] } else { self.rest[next as usize] };
                    let cost = self.added(
                        tours,
                        places,
                        (customer, free, best),
                        (after, next, leg),
                        (turn, behind),
                    );
                    if cost < best && !blinks.blink(rng) {
                        (best, gap) = (cost, Gap { trip: Some(t), after, turn });
                    }
                    if end {
                        break;
                    }
                    let stop = &tours.stops[next as usize];
                    (after, free, leg) = (next, self.time[next as usize], stop.out);
                    next = stop.next;
                }
            }
            let (free, behind) = (self.end[t as usize], self.later[t as usize]);
            let cost = self.added(
                tours,
                places,
                (customer, free, best),
                (depot, depot, 0.0),
                (turn, behind),
            );
            if cost < best && !blinks.blink(rng) {
                (best, gap) = (cost, Gap { trip: None, after: depot, turn });
            }
        }
        gap
    }

    /// What it costs to visit `customer` between two places of the trip at `turn`, from where the vehicle is free at
    /// `free`; anything that is not below `limit` may stand for it if it costs more.
    #[inline]
    fn added(
        &self,
        tours: &Tours,
        places: &Places,
        (customer, free, limit): (u32, Time, f64),
        (after, next, leg): (u32, u32, f64),
        (turn, behind): (usize, u32),
    ) -> f64 {
        let there = places.distance(after, customer);
        let on = places.distance(customer, next);
        let detour = there + on - leg;
        let served = Self::leave(places, free, customer) + there * places.pace;
        let own = detour + places.weight * (served - places.arrival[customer as usize]);
        if !RELEASES {
            return own + places.weight * places.pace * detour * f64::from(behind);
        }
        if own >= limit || behind == 0 {
            return own;
        }
        let allowed = (limit - own) / places.weight;
        own + places.weight * self.ripple(tours, places, (served, next, on), turn, allowed)
    }

    /// The waiting that is added if the vehicle is free at `free` to drive on to `next`; stops when it is more than
    /// `allowed` or nobody is late any more.
    fn ripple(
        &self,
        tours: &Tours,
        places: &Places,
        (mut free, mut next, mut leg): (Time, u32, f64),
        mut turn: usize,
        allowed: f64,
    ) -> Time {
        let mut added = 0.0;
        loop {
            while let Some(stop) = tours.stops.get(next as usize) {
                free = Self::leave(places, free, next) + leg * places.pace;
                let late = free - self.time[next as usize];
                added += late;
                if late.abs() <= ABSORBED || added >= allowed {
                    return added;
                }
                (next, leg) = (stop.next, stop.out);
            }
            free += leg * places.pace; // back at the depot
            turn += 1;
            match self.queue.get(turn) {
                Some(&t) if t >= tours.vehicles => {
                    next = tours.trips[t as usize].first;
                    leg = tours.stops[next as usize].into;
                }
                _ => return added,
            }
        }
    }

    /// Turns, moves, cuts or joins trips, picked at random; does nothing where the pick does not apply.
    pub(super) fn shake(
        &mut self,
        tours: &mut Tours,
        places: &Places,
        scratch: &mut Vec<u32>,
        rng: &mut Rng,
    ) {
        let turn = rng.below(self.queue.len());
        let t = self.queue[turn];
        let trip = tours.trips[t as usize];
        if trip.stops == 0 {
            return;
        }
        scratch.clear();
        scratch.extend(tours.customers(t));
        match rng.below(4) {
            0 => relink(tours, places, scratch.iter().rev(), t, trip.start),
            1 if t >= tours.vehicles => {
                self.queue.remove(turn);
                // behind any other trip; a vehicle's own is always first
                let to = 1 + rng.below(self.queue.len());
                self.queue.insert(to, t);
            }
            2 if trip.stops > 1 || t < tours.vehicles => {
                // a vehicle that is away may also go home at once
                let least = usize::from(t >= tours.vehicles);
                let kept = least + rng.below(scratch.len() - least);
                let cut = &scratch[kept..];
                let new = tours.unused();
                tours.remove(places, cut[0]);
                tours.insert(places, cut[0], new, places.depot());
                relink(tours, places, cut[1..].iter(), new, cut[0]);
                self.queue.insert(turn + 1, new);
            }
            3 => {
                let Some(&follower) = self.queue.get(turn + 1) else { return };
                scratch.clear();
                scratch.extend(tours.customers(follower));
                let load = scratch.iter().map(|&c| places.demand[c as usize]).sum();
                if follower < tours.vehicles || !tours.fits(t, load) {
                    return;
                }
                relink(tours, places, scratch.iter(), t, trip.last);
                self.queue.remove(turn + 1);
            }
            _ => {}
        }
    }
}

/// Takes customers out and puts them one behind the other, the first behind `after`.
fn relink<'c>(
    tours: &mut Tours,
    places: &Places,
    customers: impl Iterator<Item = &'c u32> + Clone,
    trip: u32,
    mut after: u32,
) {
    // A trip that is emptied and filled again is the top of the free ones in between.
    customers.clone().for_each(|&c| tours.remove(places, c));
    for &c in customers {
        tours.insert(places, c, trip, after);
        after = c;
    }
}
