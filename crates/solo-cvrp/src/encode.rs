//! Routing states as graphs: a star for one vehicle, complete bipartite between vehicles and targets for a fleet.
//!
//! Nodes: the vehicles, the depot, the open customers. Edges, in menu order: for each vehicle, the open customers and
//! then the depot. Entries that a kind of node has no use for are 0.
//!
//! | node feature | vehicle | depot | customer |
//! |---|---|---|---|
//! | 0, 1 | x, y (of its target while driving) | x, y | x, y |
//! | 2 | remaining capacity / capacity | 0 | 0 |
//! | 3 | 0 | 0 | demand / capacity |
//! | 4, 5, 6 | 1 0 0 | 0 1 0 | 0 0 1 |
//! | 7 | 0 | 0 | 1 if the demand fits into some free vehicle |
//!
//! With a wide [`FeatureSet`] a node has four more, since customers of a star see nothing of each other:
//!
//! | node feature | vehicle | depot | customer |
//! |---|---|---|---|
//! | 8 | distance to the depot | 0 | distance to the depot |
//! | 9, 10, 11 | 0 | 0 | distances to the three nearest other open customers; to the depot where there are fewer |
//!
//! Offline days that are in other units than the unit square are seen in the square that holds them.
//! The edge feature is the distance. These are the paper's, demands and capacities being shares of a full load.
//! The paper leaves the first global feature open; ours are: time / horizon (0 offline), the share of all customers
//! still to come (0 where the law is unknown), and 1 while somebody may still call.

use crate::dynamics::Routing;
use crate::scenario::{Place, Point};
use crate::state::State;
use solo_core::{Encode, FeatureSet, Graph, GraphShape, Meter};

/// Features of a node as published, and with those around it.
const NODE: usize = 8;
const WIDE: usize = 12;
/// Where the distance to the depot stands, followed by those to the nearest customers.
const HOME: usize = 8;

fn width(feature_set: FeatureSet) -> usize {
    match feature_set {
        FeatureSet::Base => NODE,
        FeatureSet::Extended => WIDE,
    }
}

impl Encode for Routing {
    fn shape(&self, feature_set: FeatureSet) -> GraphShape {
        GraphShape { node: width(feature_set), edge: 1, global: 3 }
    }

    fn encode(&self, state: &State, feature_set: FeatureSet, graph: &mut Graph) {
        self.encode_within(state, feature_set, &Meter::unlimited(), graph);
    }

    fn encode_within(
        &self,
        state: &State,
        feature_set: FeatureSet,
        meter: &Meter<'_>,
        graph: &mut Graph,
    ) -> bool {
        let pairs = state.open.len() * state.open.len() / 2;
        if feature_set == FeatureSet::Extended && !meter.affords(2 * pairs) {
            meter.cut();
            return false;
        }
        graph.clear();
        let full = self.capacity as f32;
        let (corner, side) = self.square;
        let mut node = |at: Point, rest: [f32; 6]| {
            let along = |x: f64, corner: f64| ((x - corner) / side) as f32;
            graph.node_features.extend([along(at.x, corner.x), along(at.y, corner.y)]);
            graph.node_features.extend(rest);
            if feature_set == FeatureSet::Extended {
                graph.node_features.extend([0.0; WIDE - NODE]);
            }
        };
        for vehicle in &state.vehicles {
            let left = vehicle.load_left as f32 / full;
            node(vehicle.place.at, [left, 0.0, 1.0, 0.0, 0.0, 0.0]);
        }
        node(self.depot.at, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        let room = state.vehicles.iter().filter(|v| !v.driving).map(|v| v.load_left).max();
        for customer in &state.open {
            let fits = if room.is_some_and(|room| customer.demand <= room) { 1.0 } else { 0.0 };
            node(customer.at, [0.0, customer.demand as f32 / full, 0.0, 0.0, 1.0, fits]);
        }
        let all = match feature_set {
            FeatureSet::Base => true,
            FeatureSet::Extended => self.look_around(state, &mut graph.node_features, meter),
        };
        if !all || meter.cuts(2 * state.vehicles.len() * state.open.len()) {
            return false;
        }
        let depot = self.fleet as u32;
        for (v, vehicle) in (0u32..).zip(&state.vehicles) {
            for (node, customer) in (depot + 1..).zip(&state.open) {
                graph.edges.push([v, node]);
                graph.edge_features.push(self.seen(vehicle.place, customer.place()));
            }
            graph.edges.push([v, depot]);
            graph.edge_features.push(self.seen(vehicle.place, self.depot));
        }
        let time = if self.horizon > 0.0 { state.now / self.horizon } else { 0.0 };
        // A rollout's future may be cut: that is not the end of the day.
        let all_here = match self.law.count() {
            Some(count) if state.arrived >= count => true,
            _ => state.now >= self.horizon,
        };
        let over = state.closed && all_here;
        let to_come = match self.law.count() {
            Some(count) if count > 0 && !over => 1.0 - f64::from(state.arrived) / f64::from(count),
            _ => 0.0,
        };
        let open = if over { 0.0 } else { 1.0 };
        graph.global_features.extend([time as f32, to_come as f32, open]);
        true
    }

    /// The symmetries of the square.
    fn views(&self) -> usize {
        8
    }

    /// Bit 0 of `view` mirrors x, bit 1 mirrors y, bit 2 swaps them. Distances stay.
    fn turn(&self, graph: &mut Graph, view: usize) {
        let nodes = self.fleet + graph.edges.len() / self.fleet;
        let width = graph.node_features.len() / nodes;
        for node in graph.node_features.chunks_exact_mut(width) {
            if view & 1 != 0 {
                node[0] = 1.0 - node[0];
            }
            if view & 2 != 0 {
                node[1] = 1.0 - node[1];
            }
            if view & 4 != 0 {
                node.swap(0, 1);
            }
        }
    }
}

impl Routing {
    /// A distance as networks see it: 1 is the side of the square.
    #[inline]
    fn seen(&self, from: Place, to: Place) -> f32 {
        (self.distance(from, to) / self.square.1) as f32
    }

    /// Fills in the features of a wide feature_set. Grows with the square of the open customers. False if the meter cut
    /// that off.
    fn look_around(&self, state: &State, features: &mut [f32], meter: &Meter<'_>) -> bool {
        let (vehicles, rest) = features.split_at_mut(state.vehicles.len() * WIDE);
        for (vehicle, node) in state.vehicles.iter().zip(vehicles.chunks_exact_mut(WIDE)) {
            node[HOME] = self.seen(vehicle.place, self.depot);
        }
        let customers = &mut rest[WIDE..];
        for (i, customer) in state.open.iter().enumerate() {
            if meter.cuts(2 * i) {
                return false;
            }
            let (before, here) = customers.split_at_mut(i * WIDE);
            let home = self.seen(customer.place(), self.depot);
            let near = &mut here[HOME..WIDE];
            near.copy_from_slice(&[home, f32::INFINITY, f32::INFINITY, f32::INFINITY]);
            for (other, node) in state.open.iter().zip(before.chunks_exact_mut(WIDE)) {
                let distance = self.seen(customer.place(), other.place());
                insert(&mut near[1..], distance);
                insert(&mut node[HOME + 1..], distance);
            }
        }
        for node in customers.chunks_exact_mut(WIDE) {
            let home = node[HOME];
            node[HOME + 1..]
                .iter_mut()
                .filter(|near| near.is_infinite())
                .for_each(|near| *near = home);
        }
        true
    }
}

/// Puts a number where it belongs among the smallest so far, which are in order.
#[inline]
fn insert(smallest: &mut [f32], number: f32) {
    let mut number = number;
    for place in smallest {
        if number < *place {
            std::mem::swap(place, &mut number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::generate;

    #[test]
    fn offline_days_look_the_same_in_other_units() {
        let plain = generate("cvrp-20", Seed(5), 0).unwrap();
        let scaled = |corner: f64, side: f64| {
            let point = |at: Point| Point { x: corner + at.x * side, y: corner + at.y * side };
            let mut day = plain.clone();
            day.depot = point(day.depot);
            day.customers.iter_mut().for_each(|customer| customer.at = point(customer.at));
            let problem = day.rules(None).unwrap();
            let mut graph = Graph::default();
            let world = World::open(&problem, day.events());
            problem.encode(world.state(), FeatureSet::Extended, &mut graph);
            graph
        };
        let (one, other) = (scaled(0.0, 100.0), scaled(-300.0, 4000.0));
        let numbers = |graph: &Graph| [&graph.node_features[..], &graph.edge_features].concat();
        for (one, other) in numbers(&one).iter().zip(numbers(&other)) {
            assert!((one - other).abs() < 1e-5, "{one} {other}");
            assert!((0.0..=2.0).contains(one));
        }
    }
    use solo_core::{Menu, Problem, Scenario, Seed, World};

    #[test]
    fn extended_features_tell_what_is_near() {
        let scenario = generate("cvrp-20", Seed(5), 0).unwrap();
        let problem = scenario.rules(None).unwrap();
        let mut world = World::open(&problem, scenario.events());
        let (mut menu, mut narrow, mut wide) =
            (Menu::default(), Graph::default(), Graph::default());
        while problem.status(world.state()) == solo_core::Status::Decide {
            let state = world.state();
            problem.encode(state, FeatureSet::Base, &mut narrow);
            problem.encode(state, FeatureSet::Extended, &mut wide);
            let rows = narrow.node_features.chunks(NODE).zip(wide.node_features.chunks(WIDE));
            assert!(rows.clone().all(|(narrow, wide)| wide[..NODE] == *narrow));
            for (customer, (_, row)) in state.open.iter().zip(rows.skip(2)) {
                let distance = |other: Point| customer.at.distance(other) as f32;
                let others = state.open.iter().filter(|other| other.id != customer.id);
                let mut all: Vec<f32> = others.map(|other| distance(other.at)).collect();
                all.sort_by(f32::total_cmp);
                all.resize(all.len().max(3), distance(scenario.depot));
                assert_eq!(row[HOME], distance(scenario.depot));
                assert_eq!(row[HOME + 1..], all[..3]);
            }
            let views = (0..problem.views()).map(|view| {
                let mut turned = wide.clone();
                problem.turn(&mut turned, view);
                turned
            });
            let views: Vec<Graph> = views.collect();
            assert!((1..8).all(|view| !views[..view].contains(&views[view])), "views differ");
            problem.menu(state, &mut menu);
            let first = menu.actions()[menu.legal()[0] as usize];
            world.act(first).unwrap();
        }
    }

    #[test]
    fn a_cut_future_does_not_look_like_the_end_of_the_day() {
        let day = generate("cvrp-dispatch-20", Seed(5), 0).unwrap();
        let problem = day.rules(Some("cvrp-dispatch-20")).unwrap();
        let mut graph = Graph::default();
        let mut seen = |state: &crate::State| {
            problem.encode(state, FeatureSet::Base, &mut graph);
            graph.global_features.clone()
        };
        let mut state = World::open(&problem, day.events()).state().clone();
        let before = seen(&state);
        problem.close(&mut state);
        assert_eq!(seen(&state), before);
        state.arrived = 20;
        assert_eq!(seen(&state)[1..], [0.0, 0.0]);
    }
}
