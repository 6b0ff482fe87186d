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
//! The edge feature is the distance. These are the paper's, demands and capacities being shares of a full load.
//! The paper leaves the first global feature open; ours are: time / horizon (0 offline), the share of all customers
//! still to come (0 where the law is unknown), and 1 while somebody may still call.

use crate::arrivals::Law;
use crate::dynamics::Routing;
use crate::scenario::Point;
use crate::state::State;
use solo_core::{Encode, Graph, GraphShape};

const NODE: usize = 8;

impl Encode for Routing {
    fn shape(&self) -> GraphShape {
        GraphShape { node: NODE, edge: 1, global: 3 }
    }

    fn encode(&self, state: &State, graph: &mut Graph) {
        graph.clear();
        let full = self.capacity as f32;
        let mut node = |at: Point, rest: [f32; 6]| {
            graph.node_features.extend([at.x as f32, at.y as f32]);
            graph.node_features.extend(rest);
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
        let depot = self.fleet as u32;
        for (v, vehicle) in (0u32..).zip(&state.vehicles) {
            for (node, customer) in (depot + 1..).zip(&state.open) {
                graph.edges.push([v, node]);
                let distance = self.distance(vehicle.place, customer.place());
                graph.edge_features.push(distance as f32);
            }
            graph.edges.push([v, depot]);
            graph.edge_features.push(self.distance(vehicle.place, self.depot) as f32);
        }
        let time = if self.horizon > 0.0 { state.now / self.horizon } else { 0.0 };
        let to_come = match self.law {
            Law::Mixture { count, .. } if count > 0 && !state.closed => {
                1.0 - f64::from(state.arrived) / f64::from(count)
            }
            _ => 0.0,
        };
        let open = if state.closed { 0.0 } else { 1.0 };
        graph.global_features.extend([time as f32, to_come as f32, open]);
    }
}
