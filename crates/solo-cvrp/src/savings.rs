//! The parallel savings algorithm of Clarke and Wright (1964), without improvement steps.

use crate::dynamics::Routing;
use crate::plan::{Instance, Plan, Route};
use crate::scenario::Place;
use crate::state::Open;
use solo_core::{Failure, Meter, Rng, Solver};

/// Joins the ends of routes in order of the distance that this saves against going through the depot: largest saving
/// first, ties to the shorter edge, then to the lowest numbers; stops at negative savings. A vehicle away from the
/// depot is the fixed first place of a route with the capacity it has left.
///
/// Cost: n^2 log n; beyond [`ALL_PAIRS`] customers only each one's [`NEAREST`] nearest are considered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Savings;

/// Up to this many customers every pair is considered.
pub const ALL_PAIRS: usize = 2_000;
/// Beyond that, only this many nearest neighbours of each customer.
pub const NEAREST: usize = 100;

struct Saving {
    saved: f64,
    edge: f64,
    from: u32,
    to: u32,
}

/// Routes under construction. Item i is open customer i, and beyond them the vehicles away from the depot.
struct Routes {
    /// Which route an item is in; routes are named by one of their items.
    route: Vec<u32>,
    /// The items of each route in order; empty once joined to another.
    items: Vec<Vec<u32>>,
    load: Vec<u32>,
    room: Vec<u32>,
    customers: usize,
}

impl Solver<Routing> for Savings {
    fn solve(
        &mut self,
        problem: &Routing,
        instance: &Instance,
        _meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> Result<Plan, Failure> {
        let open = &instance.open;
        let away: Vec<u32> = (0u32..)
            .zip(&instance.vehicles)
            .filter(|(_, v)| !v.at_depot())
            .map(|(v, _)| v)
            .collect();
        let mut places: Vec<Place> = open.iter().map(Open::place).collect();
        places.extend(away.iter().map(|&v| instance.vehicles[v as usize].place));

        let mut routes = Routes {
            route: (0..places.len() as u32).collect(),
            items: (0..places.len() as u32).map(|i| vec![i]).collect(),
            load: open.iter().map(|c| c.demand).chain(away.iter().map(|_| 0)).collect(),
            room: open
                .iter()
                .map(|_| problem.capacity)
                .chain(away.iter().map(|&v| instance.vehicles[v as usize].load_left))
                .collect(),
            customers: open.len(),
        };
        let symmetric = problem.travel.symmetric();
        for saving in savings(problem, &places, open.len(), symmetric) {
            routes.join(saving.from, saving.to, symmetric);
        }
        let in_use = |items: &&Vec<u32>| items.iter().any(|&item| (item as usize) < open.len());
        let plan = routes.items.iter().filter(in_use).map(|items| {
            let first = items[0] as usize;
            let vehicle = first.checked_sub(open.len()).map(|k| away[k]);
            let stops = &items[usize::from(vehicle.is_some())..];
            Route { vehicle, stops: stops.iter().map(|&item| open[item as usize].id).collect() }
        });
        Ok(Plan { routes: plan.collect() })
    }
}

impl Routes {
    /// Joins the routes of `a` and `b` by the edge a -> b, or b -> a where ways are symmetric, if both are at ends
    /// that can be joined and the vehicle can hold the sum.
    fn join(&mut self, a: u32, b: u32, symmetric: bool) {
        let (ra, rb) = (self.route[a as usize] as usize, self.route[b as usize] as usize);
        if ra == rb || (self.fixed(ra) && self.fixed(rb)) {
            return;
        }
        if self.load[ra] + self.load[rb] > self.room[ra].min(self.room[rb]) {
            return;
        }
        let first = |r: usize, item: u32| self.items[r][0] == item && !self.fixed(r);
        let last = |r: usize, item: u32| *self.items[r].last().expect("routes in use") == item;
        let (head, tail, flip_head, flip_tail) = if last(ra, a) && first(rb, b) {
            (ra, rb, false, false)
        } else if !symmetric {
            return;
        } else if last(rb, b) && first(ra, a) {
            (rb, ra, false, false)
        } else if last(ra, a) && last(rb, b) {
            // the fixed route, if any, keeps its direction
            if self.fixed(rb) { (rb, ra, false, true) } else { (ra, rb, false, true) }
        } else if first(ra, a) && first(rb, b) {
            (ra, rb, true, false)
        } else {
            return;
        };
        let mut moved = std::mem::take(&mut self.items[tail]);
        if flip_head {
            self.items[head].reverse();
        }
        if flip_tail {
            moved.reverse();
        }
        for &item in &moved {
            self.route[item as usize] = head as u32;
        }
        self.items[head].extend(moved);
        self.load[head] += self.load[tail];
        self.room[head] = self.room[head].min(self.room[tail]);
    }

    /// Whether a route begins with a vehicle that is under way.
    fn fixed(&self, route: usize) -> bool {
        self.items[route][0] as usize >= self.customers
    }
}

/// The savings of all considered edges that are not negative, best first.
fn savings(problem: &Routing, places: &[Place], customers: usize, symmetric: bool) -> Vec<Saving> {
    let out: Vec<f64> = places.iter().map(|&p| problem.distance(problem.depot, p)).collect();
    let home: Vec<f64> = places.iter().map(|&p| problem.distance(p, problem.depot)).collect();
    let mut list = Vec::new();
    let mut near: Vec<(f64, u32)> = Vec::new();
    for from in 0..places.len() {
        near.clear();
        for to in 0..customers {
            // Each pair once where ways are symmetric; a vehicle under way only ever comes first.
            let twice = symmetric && from < customers && to < from && customers <= ALL_PAIRS;
            if to != from && !twice {
                near.push((problem.distance(places[from], places[to]), to as u32));
            }
        }
        if customers > ALL_PAIRS && near.len() > NEAREST {
            near.select_nth_unstable_by(NEAREST, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            near.truncate(NEAREST);
        }
        list.extend(near.iter().map(|&(edge, to)| Saving {
            saved: home[from] + out[to as usize] - edge,
            edge,
            from: from as u32,
            to,
        }));
    }
    list.retain(|saving| saving.saved >= 0.0);
    list.sort_unstable_by(|a, b| {
        b.saved
            .total_cmp(&a.saved)
            .then(a.edge.total_cmp(&b.edge))
            .then(a.from.cmp(&b.from))
            .then(a.to.cmp(&b.to))
    });
    list
}
