//! Between plans and the search's own solutions.

use super::objective::Objective;
use super::params::Blinks;
use super::places::Places;
use super::ruin::Strings;
use super::tour::Tours;
use super::{Run, Scratch};
use crate::plan::{Plan, Route};
use crate::state::Vehicle;
use solo_core::{Meter, Rng};

/// So many customers are inserted whatever the time.
const FEW: usize = 16;

/// Who drives a route. A trip that was to be started may be under way by now: then its vehicle stands at one of its
/// customers.
pub(super) fn owner(vehicles: &[Vehicle], route: &Route) -> Option<u32> {
    let driven_by = |v: &u32| {
        let here = vehicles[*v as usize].place.node.checked_sub(1);
        here.is_some_and(|id| route.stops.contains(&id))
    };
    let named = route.vehicle.filter(|&v| (v as usize) < vehicles.len());
    (0..vehicles.len() as u32).find(driven_by).or(named)
}

impl Run<'_> {
    /// A plan as a solution. Stops that are not open any more, or do not fit, are left out; open customers whom the plan
    /// lacks are then inserted where they cost least, in order of arrival. `None` if there is no time for that, unless
    /// it `must` be.
    pub(super) fn import<O: Objective>(
        &self,
        places: &Places,
        plan: &Plan,
        must: bool,
        rng: &mut Rng,
    ) -> Option<(Tours, O)> {
        let vehicles = &self.instance.vehicles;
        let room = |v: usize| if places.starts[v].away { vehicles[v].load_left } else { 0 };
        let mut tours = Tours::new(places, room);
        let mut objective = O::new(&tours);
        let mut at_depot = Vec::new();
        for route in &plan.routes {
            match owner(vehicles, route) {
                Some(v) if places.starts[v as usize].away && tours.trips[v as usize].stops == 0 => {
                    self.fill(&mut tours, places, v, route);
                }
                owner => at_depot.push((owner, route)),
            }
        }
        at_depot.sort_by_key(|(owner, _)| owner.is_none()); // a vehicle's own trips come first
        let mut trips = Vec::with_capacity(at_depot.len());
        for (owner, route) in at_depot {
            // Routes of an old plan may have nobody left.
            let Some(trip) = tours.spare() else { break };
            if self.fill(&mut tours, places, trip, route) {
                trips.push((trip, owner));
            }
        }
        objective.append(&trips, &tours, places);
        let out = |&c: &u32| tours.is_out(c);
        let mut removed: Vec<u32> = (0..places.customers as u32).filter(out).collect();
        let work = 8 * removed.len() * places.customers;
        if !must && removed.len() > FEW && !self.inside.affords(work) {
            return None;
        }
        removed.sort_by(|&a, &b| {
            places.arrival[a as usize].total_cmp(&places.arrival[b as usize]).then(a.cmp(&b))
        });
        let (blinks, meter) = (Blinks::new(0.0, rng), &Meter::unlimited());
        let mut scratch = Scratch { strings: Strings::new(&tours), removed, blinks, meter };
        objective.recreate(&mut tours, places, self.params, &mut scratch, f64::INFINITY, rng);
        tours.commit();
        objective.commit();
        Some((tours, objective))
    }

    /// Puts a route's open customers into an empty trip while they fit; whether there was any.
    fn fill(&self, tours: &mut Tours, places: &Places, trip: u32, route: &Route) -> bool {
        let mut after = tours.trips[trip as usize].start;
        let open = route.stops.iter().filter_map(|&id| self.finder.find(id));
        for customer in open.map(|at| at as u32) {
            let fits = tours.fits(trip, places.demand[customer as usize]);
            if fits && tours.is_out(customer) {
                tours.insert(places, customer, trip, after);
                after = customer;
            }
        }
        tours.trips[trip as usize].stops > 0
    }

    /// A solution as a plan.
    pub(super) fn export<O: Objective>(
        &self,
        places: &Places,
        tours: &Tours,
        objective: &mut O,
    ) -> Plan {
        let stops =
            |t: u32| tours.customers(t).map(|c| self.instance.open[c as usize].id).collect();
        let own = (0..tours.vehicles).filter(|&t| tours.trips[t as usize].stops > 0);
        let own = own.map(|v| Route { vehicle: Some(v), stops: stops(v) });
        let rest = objective.order(tours, places).into_iter();
        let rest = rest.map(|t| Route { vehicle: None, stops: stops(t) });
        Plan { routes: own.chain(rest).collect() }
    }
}
