//! Laws of finite support as lists, and states without what does not matter.

use crate::arrivals::Law;
use crate::dynamics::Routing;
use crate::scenario::{Place, Travel};
use crate::state::{Event, Open, State, Vehicle};
use solo_core::outlook::multisets;
use solo_core::{Branch, Cost, Enumerable, Time};

impl Enumerable for Routing {
    fn not_enumerable(&self) -> Option<String> {
        let why = match (&self.law, &self.travel) {
            (Law::Mixture { .. }, _) => "calls may come from anywhere at any time",
            (_, Travel::Matrix(_)) => "customers of a distance matrix are all different",
            (Law::Sites { .. } | Law::Unknown, _) => return None,
        };
        Some(why.to_string())
    }

    fn next_moment(&self, state: &State, after: Time) -> Option<Time> {
        let Law::Sites { count, sites } = &self.law else { return None };
        let more = !state.closed && state.arrived < *count;
        sites.times_after(after).first().copied().filter(|_| more)
    }

    /// Whoever has not called yet calls at each of the times left with the same probability.
    fn branches(&self, state: &State, moment: Time) -> Vec<Branch<Event>> {
        let Law::Sites { count, sites } = &self.law else { return Vec::new() };
        let left = count.saturating_sub(state.arrived) as usize;
        let times = sites.times_after(moment.next_down());
        let due = times.iter().filter(|&&time| time == moment).count();
        let now = due as f64 / times.len() as f64;
        let place = 1.0 / sites.places().len() as f64;
        let mut found = Vec::new();
        for (calls, counts) in multisets(&[now, 1.0 - now], left) {
            if calls == 0.0 {
                continue; // at the last of the times nobody is left out
            }
            for (which, places) in multisets(&vec![place; sites.places().len()], counts[0]) {
                let calling = sites.places().iter().zip(places);
                let calling = calling.flat_map(|(site, number)| std::iter::repeat_n(site, number));
                let events = (state.next_id..).zip(calling).map(|(id, &(at, demand))| {
                    Event::Customer { id, at, demand: demand.min(self.capacity) }
                });
                found.push(Branch { probability: calls * which, events: events.collect() });
            }
        }
        found
    }

    fn numbered(&self, event: &Event, id: u32) -> Event {
        let Event::Customer { at, demand, .. } = *event;
        Event::Customer { id, at, demand }
    }

    /// Names, and when the open called, do not matter: what their waiting costs from now on is the same.
    fn unnamed(&self, state: &mut State) -> Cost {
        let place = |open: &Open| (open.at.x, open.at.y, open.demand);
        let ascending = |a: &Open, b: &Open| {
            let ((ax, ay, a), (bx, by, b)) = (place(a), place(b));
            ax.total_cmp(&bx).then(ay.total_cmp(&by)).then(a.cmp(&b))
        };
        state.open.sort_unstable_by(ascending);
        for (id, open) in (0..).zip(&mut state.open) {
            (open.id, open.arrival) = (id, 0.0);
        }
        for vehicle in state.vehicles.iter_mut().filter(|vehicle| !vehicle.driving) {
            vehicle.ready = 0.0;
        }
        let numbers = |v: &Vehicle| (v.driving, v.at_depot(), v.load_left);
        state.vehicles.sort_unstable_by(|a, b| {
            let places =
                (a.place.at.x.total_cmp(&b.place.at.x)).then(a.place.at.y.total_cmp(&b.place.at.y));
            numbers(a).cmp(&numbers(b)).then(places).then(a.ready.total_cmp(&b.ready))
        });
        let open = state.open.len() as u32;
        for (v, vehicle) in (0..).zip(&mut state.vehicles) {
            if !vehicle.at_depot() {
                vehicle.place = Place { node: open + v + 1, ..vehicle.place };
            }
        }
        state.next_id = open + state.vehicles.len() as u32;
        if state.closed {
            state.arrived = 0;
        }
        0.0
    }

    fn reset_clock(&self, state: &mut State) {
        if state.closed {
            let driving = state.vehicles.iter_mut().filter(|vehicle| vehicle.driving);
            driving.for_each(|vehicle| vehicle.ready -= state.now);
            state.now = 0.0;
        }
    }
}
