//! How a kept plan follows the state.

use super::{InsertionPlan, SMALL, load};
use crate::dynamics::{Routing, position};
use crate::state::{Open, State, Vehicle};
use crate::sweep::Sweep;
use solo_core::{Meter, Offline, Time};

/// The customer that a vehicle is driving to or has just served.
fn target(vehicle: &Vehicle) -> Option<u32> {
    vehicle.place.node.checked_sub(1)
}

impl InsertionPlan {
    /// Brings the plan into step with the state.
    pub fn follow(&mut self, problem: &Routing, state: &State) {
        self.follow_within(problem, state, &Meter::unlimited());
    }

    /// Brings the plan into step with the state. Where the meter cuts that off, the plan lacks some who are open, and
    /// they are inserted the next time.
    pub(crate) fn follow_within(&mut self, problem: &Routing, state: &State, meter: &Meter<'_>) {
        let jumped = state.now < self.now
            || state.next_id < self.known
            || self.own.len() < state.vehicles.len();
        if jumped {
            self.clear(state);
        }
        let last = std::mem::replace(&mut self.now, state.now);
        for (v, vehicle) in state.vehicles.iter().enumerate() {
            self.follow_vehicle(problem, state, v, vehicle, meter);
        }
        let old = self.known_among(&state.open, state.next_id);
        if self.planned != old {
            self.drop_served(state);
            if self.planned != old && !self.insert_low(problem, state, last, meter) {
                self.clear(state);
            }
        }
        let from = self.known_among(&state.open, state.next_id);
        self.known = state.next_id;
        self.settled &= from == state.open.len();
        let (new, all) = (state.open.len() - from, state.open.len());
        if new > SMALL.max(all / 2) && !meter.affords(new * all) && !meter.has_cut() {
            let plan = Sweep.plan(problem, &problem.snapshot(state), meter);
            return self.take_over(problem, state, &plan, meter);
        }
        self.insert_all(problem, state, &state.open[from..], meter);
    }

    /// Inserts customers while there is time. The next look finds those who are left out.
    fn insert_all(
        &mut self,
        problem: &Routing,
        state: &State,
        customers: &[Open],
        meter: &Meter<'_>,
    ) {
        let half = (customers.len() > SMALL).then(|| meter.half());
        let meter = half.as_ref().unwrap_or(meter);
        for &customer in customers {
            if meter.cuts(2 * self.planned) {
                self.known = self.known.min(customer.id);
                return;
            }
            self.insert(problem, state, customer);
        }
    }

    /// How many of the open customers, whose numbers are below `next_id`, the plan has been told of.
    #[inline]
    fn known_among(&self, open: &[Open], next_id: u32) -> usize {
        if next_id == self.known {
            return open.len();
        }
        open.partition_point(|customer| customer.id < self.known)
    }

    fn follow_vehicle(
        &mut self,
        problem: &Routing,
        state: &State,
        v: usize,
        vehicle: &Vehicle,
        meter: &Meter<'_>,
    ) {
        let Some(customer) = target(vehicle) else {
            if !self.own[v].is_empty() {
                // It went home early: what it had ahead is a trip again.
                let mut stops = std::mem::take(&mut self.own[v]);
                std::mem::swap(self.new_trip(), &mut stops);
                self.own[v] = stops;
            }
            return;
        };
        let mut in_turn = true;
        if self.own[v].first().is_some_and(|stop| stop.id == customer) {
            self.own[v].remove(0);
            self.planned -= 1;
        } else {
            in_turn = self.out_of_turn(v, customer);
        }
        if !in_turn || load(&self.own[v]) > vehicle.load_left {
            let mut loose = std::mem::take(&mut self.loose);
            loose.clear();
            loose.append(&mut self.own[v]);
            self.insert_again(problem, state, loose, meter);
        }
    }

    /// Vehicle `v` has gone to somebody who was not its next stop: it has begun a trip, or turned aside. Says whether
    /// what is ahead of it can stay as it is.
    fn out_of_turn(&mut self, v: usize, customer: u32) -> bool {
        let find = |stops: &Vec<Open>| stops.iter().position(|stop| stop.id == customer);
        if let Some(at) = find(&self.own[v]) {
            self.own[v].remove(at);
            self.planned -= 1;
            return false;
        }
        let found = (0..self.live).find_map(|trip| Some((trip, find(&self.trips[trip])?)));
        let Some((trip, at)) = found else { return true };
        self.trips[trip].remove(at);
        self.planned -= 1;
        let begun = self.own[v].is_empty();
        if begun {
            std::mem::swap(&mut self.own[v], &mut self.trips[trip]);
        }
        if self.trips[trip].is_empty() {
            self.trips[trip..self.live].rotate_left(1);
            self.live -= 1;
        }
        begun && at == 0
    }

    /// Somebody else has decided: keeps only who is still open.
    fn drop_served(&mut self, state: &State) {
        for stops in self.own.iter_mut().chain(&mut self.trips[..self.live]) {
            stops.retain(|stop| {
                let at = position(&state.open, stop.id);
                at.is_some_and(|at| state.open[at] == *stop)
            });
        }
        self.drop_empty();
        self.planned = self.count();
    }

    /// Inserts who has called since the `last` look under a number below others' who had called before. Says whether
    /// that is all that was missing.
    fn insert_low(
        &mut self,
        problem: &Routing,
        state: &State,
        last: Time,
        meter: &Meter<'_>,
    ) -> bool {
        let known = self.known;
        for &customer in state.open.iter().take_while(|customer| customer.id < known) {
            if meter.cuts(self.planned) {
                return false;
            }
            if self.all().any(|stop| stop.id == customer.id) {
                continue;
            }
            if customer.arrival < last {
                return false;
            }
            self.insert(problem, state, customer);
            self.settled = false;
        }
        true
    }
}
