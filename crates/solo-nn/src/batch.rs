//! Several graphs as one, without padding.

use crate::{Aggregate, Config};
use solo_core::Graph;

/// Graphs one after the other, their nodes numbered through.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) node_x: Vec<f32>,
    pub(crate) edge_x: Vec<f32>,
    pub(crate) global_x: Vec<f32>,
    /// The graph of each node and edge.
    pub(crate) node_graph: Vec<u32>,
    pub(crate) edge_graph: Vec<u32>,
    /// Where each graph's nodes and edges begin, and where the last one's end.
    pub(crate) node_start: Vec<usize>,
    pub(crate) edge_start: Vec<usize>,
    /// The two roles of a node in an edge.
    pub(crate) ends: [Ends; 2],
    /// What the sum over a node's edges, a graph's edges and a graph's nodes is multiplied by.
    pub(crate) node_scale: Vec<f32>,
    pub(crate) graph_scale: Vec<[f32; 2]>,
    place: Vec<u32>,
}

/// The nodes that are the first, or the second, end of some edge.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    /// These nodes, each once, and their graphs.
    pub(crate) nodes: Vec<u32>,
    pub(crate) graph: Vec<u32>,
    /// For each edge, the node, and its place in `nodes`.
    pub(crate) node_of: Vec<u32>,
    pub(crate) place_of: Vec<u32>,
}

/// No place yet.
const NONE: u32 = u32::MAX;

impl Batch {
    pub(crate) fn nodes(&self) -> usize {
        self.node_graph.len()
    }

    pub(crate) fn edges(&self) -> usize {
        self.edge_graph.len()
    }

    pub(crate) fn graphs(&self) -> usize {
        self.node_start.len() - 1
    }

    /// Takes these graphs instead of what was there.
    pub(crate) fn pack<'g>(&mut self, config: &Config, graphs: impl Iterator<Item = &'g Graph>) {
        for list in [&mut self.node_x, &mut self.edge_x, &mut self.global_x, &mut self.node_scale] {
            list.clear();
        }
        self.node_graph.clear();
        self.edge_graph.clear();
        self.graph_scale.clear();
        for start in [&mut self.node_start, &mut self.edge_start] {
            start.clear();
            start.push(0);
        }
        for ends in &mut self.ends {
            for list in [&mut ends.nodes, &mut ends.graph, &mut ends.node_of, &mut ends.place_of] {
                list.clear();
            }
        }
        for graph in graphs {
            self.push(config, graph);
        }
        let nodes = self.nodes();
        for ends in &mut self.ends {
            self.place.clear();
            self.place.resize(nodes, NONE);
            for &node in &ends.node_of {
                let place = &mut self.place[node as usize];
                if *place == NONE {
                    *place = ends.nodes.len() as u32;
                    ends.nodes.push(node);
                    ends.graph.push(self.node_graph[node as usize]);
                }
                ends.place_of.push(*place);
            }
        }
        self.node_scale.resize(nodes, 1.0);
        if config.aggregate == Aggregate::Mean {
            self.node_scale.fill(0.0);
            for &node in self.ends.iter().flat_map(|ends| &ends.node_of) {
                self.node_scale[node as usize] += 1.0;
            }
            for scale in &mut self.node_scale {
                *scale = 1.0 / scale.max(1.0);
            }
        }
    }

    fn push(&mut self, config: &Config, graph: &Graph) {
        let shape = config.shape;
        let (number, base) = (self.graphs() as u32, self.nodes());
        let (nodes, edges) = (graph.node_features.len() / shape.node, graph.edges.len());
        assert!(
            graph.node_features.len() == nodes * shape.node
                && graph.edge_features.len() == edges * shape.edge
                && graph.global_features.len() == shape.global,
            "the graph's features are not {shape:?}, which the network was made for"
        );
        self.node_x.extend_from_slice(&graph.node_features);
        self.edge_x.extend_from_slice(&graph.edge_features);
        self.global_x.extend_from_slice(&graph.global_features);
        self.node_graph.resize(base + nodes, number);
        self.edge_graph.resize(self.edge_graph.len() + edges, number);
        self.node_start.push(self.node_graph.len());
        self.edge_start.push(self.edge_graph.len());
        for edge in &graph.edges {
            for (ends, &node) in self.ends.iter_mut().zip(edge) {
                assert!((node as usize) < nodes, "an edge ends at node {node} of {nodes}");
                ends.node_of.push(base as u32 + node);
            }
        }
        self.graph_scale.push(match config.aggregate {
            Aggregate::Sum => [1.0; 2],
            Aggregate::Mean => [edges, nodes].map(|count| 1.0 / count.max(1) as f32),
        });
    }
}
