//! The trips of a solution as linked customers, changed in place and taken back step by step.

use super::places::Places;

/// One trip. An empty one has the depot as its first and last stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trip {
    pub(super) first: u32,
    pub(super) last: u32,
    /// The place it starts from: the depot, or where a vehicle is.
    pub(super) start: u32,
    pub(super) stops: u32,
}

/// A customer and how it is linked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) prev: u32,
    pub(super) next: u32,
    pub(super) trip: u32,
    /// The leg that leads here.
    pub(super) into: f64,
    /// The leg that leads on.
    pub(super) out: f64,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Inserted(u32),
    Removed { customer: u32, trip: u32, after: u32 },
}

/// Trips 0 to m - 1 belong to the m vehicles: where a vehicle is away from the depot, what it does before it comes back;
/// where it is not, always empty. The others start at the depot, and are free while they are empty.
///
/// Every change is noted; [`Tours::undo`] takes back all since the last [`Tours::commit`], in reverse, so that the
/// stack of free trips comes back as it was.
#[derive(Clone, Debug)]
pub(super) struct Tours {
    pub(super) stops: Vec<Stop>,
    pub(super) trips: Vec<Trip>,
    /// What each trip can still load; behind the trips, a negative number for [`Tours::nowhere`].
    pub(super) room: Vec<i64>,
    /// What is driven in all, the vehicles' own ways home included.
    pub(super) distance: f64,
    /// Trips with customers.
    pub(super) used: u32,
    pub(super) vehicles: u32,
    free: Vec<u32>,
    steps: Vec<Step>,
    committed: f64,
}

impl Tours {
    /// Everybody is out.
    pub(super) fn new(places: &Places, room: impl Fn(usize) -> u32) -> Self {
        let (n, m) = (places.customers, places.starts.len());
        let depot = places.depot();
        let nowhere = (m + n) as u32;
        let out = Stop { prev: depot, next: depot, trip: nowhere, into: 0.0, out: 0.0 };
        let trip = |t: usize| {
            let start = if t < m { places.start(t) } else { depot };
            Trip { first: depot, last: depot, start, stops: 0 }
        };
        let trips: Vec<Trip> = (0..m + n).map(trip).collect();
        let room = |t: usize| i64::from(if t < m { room(t) } else { places.capacity });
        let room = (0..m + n).map(room).chain([-1]).collect();
        let distance = trips[..m].iter().map(|trip| places.distance(trip.start, depot)).sum();
        Self {
            stops: vec![out; n],
            trips,
            room,
            distance,
            used: 0,
            vehicles: m as u32,
            free: (m as u32..(m + n) as u32).rev().collect(),
            steps: Vec::with_capacity(8 * n + 64),
            committed: distance,
        }
    }

    /// Becomes a copy without allocating; what `from` has not committed cannot be undone here.
    pub(super) fn copy(&mut self, from: &Self) {
        self.stops.clone_from(&from.stops);
        self.trips.clone_from(&from.trips);
        self.room.clone_from(&from.room);
        self.free.clone_from(&from.free);
        self.steps.clear();
        (self.distance, self.used, self.committed) = (from.distance, from.used, from.distance);
    }

    /// The trip of customers who are out.
    pub(super) fn nowhere(&self) -> u32 {
        self.trips.len() as u32
    }

    /// Whether a customer is out.
    #[inline]
    pub(super) fn is_out(&self, customer: u32) -> bool {
        self.stops[customer as usize].trip == self.nowhere()
    }

    /// Whether a trip can still load this much.
    #[inline]
    pub(super) fn fits(&self, trip: u32, demand: u32) -> bool {
        self.room[trip as usize] >= i64::from(demand)
    }

    /// A trip from the depot without customers.
    pub(super) fn unused(&self) -> u32 {
        self.spare().expect("there are as many trips as customers")
    }

    /// A trip from the depot without customers; `None` if every customer has a trip alone.
    pub(super) fn spare(&self) -> Option<u32> {
        self.free.last().copied()
    }

    /// The leg that leaves `place`, which is on the trip or its start.
    #[inline]
    pub(super) fn leg_out(&self, places: &Places, trip: u32, place: u32) -> f64 {
        if (place as usize) < self.stops.len() {
            self.stops[place as usize].out
        } else {
            let trip = &self.trips[trip as usize];
            if trip.stops == 0 {
                places.distance(trip.start, places.depot())
            } else {
                self.stops[trip.first as usize].into
            }
        }
    }

    /// Puts a customer who is out behind `after`, a customer of the trip or its start.
    pub(super) fn insert(&mut self, places: &Places, customer: u32, trip: u32, after: u32) {
        self.link(places, customer, trip, after);
        self.steps.push(Step::Inserted(customer));
    }

    /// Takes a customer out.
    pub(super) fn remove(&mut self, places: &Places, customer: u32) {
        let Stop { prev, trip, .. } = self.stops[customer as usize];
        self.unlink(places, customer);
        self.steps.push(Step::Removed { customer, trip, after: prev });
    }

    /// Keeps what has been done.
    #[inline]
    pub(super) fn commit(&mut self) {
        self.steps.clear();
        self.committed = self.distance;
    }

    /// Takes back what has been done since the last commit.
    pub(super) fn undo(&mut self, places: &Places) {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Inserted(customer) => self.unlink(places, customer),
                Step::Removed { customer, trip, after } => self.link(places, customer, trip, after),
            }
        }
        self.distance = self.committed; // exactly, without rounding
    }

    fn link(&mut self, places: &Places, customer: u32, trip: u32, after: u32) {
        let n = self.stops.len();
        let old = self.leg_out(places, trip, after);
        let from_start = after as usize >= n;
        let (index, t) = (trip, &mut self.trips[trip as usize]);
        if t.stops == 0 {
            self.used += 1;
            if index >= self.vehicles {
                let taken = self.free.pop();
                debug_assert_eq!(taken, Some(index), "free trips are taken from the top");
            }
        }
        let next = if from_start { t.first } else { self.stops[after as usize].next };
        let (into, out) = (places.distance(after, customer), places.distance(customer, next));
        self.stops[customer as usize] = Stop { prev: after, next, trip, into, out };
        if from_start {
            t.first = customer;
        } else {
            let before = &mut self.stops[after as usize];
            (before.next, before.out) = (customer, into);
        }
        if next as usize >= n {
            t.last = customer;
        } else {
            let behind = &mut self.stops[next as usize];
            (behind.prev, behind.into) = (customer, out);
        }
        t.stops += 1;
        self.room[trip as usize] -= i64::from(places.demand[customer as usize]);
        self.distance += into + out - old;
    }

    fn unlink(&mut self, places: &Places, customer: u32) {
        let n = self.stops.len();
        let Stop { prev, next, trip, into, out } = self.stops[customer as usize];
        self.stops[customer as usize].trip = self.trips.len() as u32;
        let leg = places.distance(prev, next);
        let t = &mut self.trips[trip as usize];
        if prev as usize >= n {
            t.first = next;
        } else {
            let before = &mut self.stops[prev as usize];
            (before.next, before.out) = (next, leg);
        }
        if next as usize >= n {
            // an empty trip ends at the depot, wherever it starts
            t.last = if prev as usize >= n { next } else { prev };
        } else {
            let behind = &mut self.stops[next as usize];
            (behind.prev, behind.into) = (prev, leg);
        }
        t.stops -= 1;
        self.room[trip as usize] += i64::from(places.demand[customer as usize]);
        self.distance += leg - into - out;
        if t.stops == 0 {
            self.used -= 1;
            if trip >= self.vehicles {
                self.free.push(trip);
            }
        }
    }

    /// The customers of a trip in order.
    pub(super) fn customers(&self, trip: u32) -> impl Iterator<Item = u32> + '_ {
        let n = self.stops.len() as u32;
        let first = self.trips[trip as usize].first;
        std::iter::successors(Some(first).filter(|&c| c < n), move |&c| {
            Some(self.stops[c as usize].next).filter(|&c| c < n)
        })
    }
}
