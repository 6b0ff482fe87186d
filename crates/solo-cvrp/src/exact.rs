//! The least possible cost of small instances, for tests of everything else.

use crate::dynamics::Routing;
use crate::plan::Instance;
use crate::scenario::Place;
use solo_core::{Cost, Time};

/// Up to this many customers.
pub const MOST: usize = 9;

/// The least cost of any plan, in the sense of [`crate::check::plan_cost`]; `None` beyond [`MOST`] customers, and for
/// fleets where waiting costs.
pub fn optimum(problem: &Routing, instance: &Instance) -> Option<Cost> {
    if instance.open.len() > MOST || instance.vehicles.is_empty() {
        return None;
    }
    if problem.waiting_weight == 0.0 {
        return Some(shortest(problem, instance));
    }
    let [vehicle] = instance.vehicles[..] else { return None };
    let mut search = Search { problem, instance, best: f64::INFINITY };
    let start = Node {
        place: vehicle.place,
        time: vehicle.ready.max(instance.now),
        left: vehicle.load_left,
        open: (1 << instance.open.len()) - 1,
        cost: 0.0,
    };
    search.visit(start);
    Some(search.best)
}

/// Distance alone, by dynamic programming over sets of customers: the shortest single trip through each set, then the
/// best partition into trips.
fn shortest(problem: &Routing, instance: &Instance) -> Cost {
    let sets = 1usize << instance.open.len();
    let load: Vec<u32> =
        (0..sets).map(|set| members(set).map(|i| instance.open[i].demand).sum()).collect();
    let trip = trips(problem, instance, problem.depot);
    let mut best = vec![f64::INFINITY; sets];
    best[0] = 0.0;
    for set in 1..sets {
        let lowest = set & set.wrapping_neg();
        let mut part = set;
        while part > 0 {
            if part & lowest > 0 && load[part] <= problem.capacity {
                best[set] = best[set].min(trip[part] + best[set ^ part]);
            }
            part = (part - 1) & set;
        }
    }
    for vehicle in instance.vehicles.iter().filter(|vehicle| !vehicle.at_depot()) {
        let own = trips(problem, instance, vehicle.place);
        let before = best.clone();
        for set in 0..sets {
            best[set] = f64::INFINITY;
            let mut part = set;
            loop {
                if load[part] <= vehicle.load_left {
                    best[set] = best[set].min(own[part] + before[set ^ part]);
                }
                if part == 0 {
                    break;
                }
                part = (part - 1) & set;
            }
        }
    }
    best[sets - 1]
}

fn members(set: usize) -> impl Iterator<Item = usize> {
    (0..MOST).filter(move |i| set >> i & 1 == 1)
}

/// The shortest way from `start` through each set of customers to the depot (Held and Karp).
fn trips(problem: &Routing, instance: &Instance, start: Place) -> Vec<f64> {
    let n = instance.open.len();
    let place = |i: usize| instance.open[i].place();
    let sets = 1usize << n;
    let mut to = vec![f64::INFINITY; sets * n];
    let mut trip = vec![f64::INFINITY; sets];
    trip[0] = problem.distance(start, problem.depot);
    for set in 1..sets {
        for last in members(set) {
            let before = set & !(1 << last);
            to[set * n + last] = if before == 0 {
                problem.distance(start, place(last))
            } else {
                members(before)
                    .map(|i| to[before * n + i] + problem.distance(place(i), place(last)))
                    .fold(f64::INFINITY, f64::min)
            };
            trip[set] =
                trip[set].min(to[set * n + last] + problem.distance(place(last), problem.depot));
        }
    }
    trip
}

/// A vehicle in the middle of its day.
#[derive(Clone, Copy)]
struct Node {
    place: Place,
    time: Time,
    left: u32,
    open: usize,
    cost: Cost,
}

/// Distance and waiting of one vehicle: every order of customers, with or without the depot in between, cut off where
/// even the least conceivable rest is too much.
struct Search<'s> {
    problem: &'s Routing,
    instance: &'s Instance,
    best: Cost,
}

impl Search<'_> {
    fn visit(&mut self, node: Node) {
        if node.open == 0 {
            let home = self.problem.distance(node.place, self.problem.depot);
            self.best = self.best.min(node.cost + home);
            return;
        }
        if node.cost + self.at_least(node) >= self.best {
            return;
        }
        // Also where it is not needed: a vehicle may go home and await the next call there.
        let refilled = (node.place.node != 0).then(|| {
            let leg = self.problem.distance(node.place, self.problem.depot);
            Node {
                place: self.problem.depot,
                time: node.time + leg * self.problem.pace,
                left: self.problem.capacity,
                cost: node.cost + leg,
                ..node
            }
        });
        for from in std::iter::once(node).chain(refilled) {
            let mut next: Vec<Node> =
                members(node.open).filter_map(|i| self.serve(from, i)).collect();
            next.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            next.into_iter().for_each(|node| self.visit(node));
        }
    }

    fn serve(&self, from: Node, i: usize) -> Option<Node> {
        let customer = &self.instance.open[i];
        let left = from.left.checked_sub(customer.demand)?;
        let leg = self.problem.distance(from.place, customer.place());
        let time = from.time.max(customer.arrival) + leg * self.problem.pace;
        let waited = self.problem.waiting_weight * (time - customer.arrival);
        let open = from.open & !(1 << i);
        Some(Node { place: customer.place(), time, left, open, cost: from.cost + leg + waited })
    }

    /// Everyone open waits at least until now; whoever is served last is driven home from. (No shorter: ways need not
    /// obey the triangle inequality.)
    fn at_least(&self, node: Node) -> Cost {
        let waited: f64 =
            members(node.open).map(|i| (node.time - self.instance.open[i].arrival).max(0.0)).sum();
        let home = members(node.open)
            .map(|i| self.problem.distance(self.instance.open[i].place(), self.problem.depot))
            .fold(f64::INFINITY, f64::min);
        self.problem.waiting_weight * waited + home
    }
}
