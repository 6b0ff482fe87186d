//! States as graphs, for networks.

use crate::Problem;

/// The lengths of the feature vectors of a problem's graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphShape {
    /// Features of a node.
    pub node: usize,
    /// Features of an edge.
    pub edge: usize,
    /// Features of the whole graph.
    pub global: usize,
}

/// One state as a graph: flat feature arrays, allocated once and reused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// `nodes x shape.node`, row by row.
    pub node_features: Vec<f32>,
    /// The two ends of each edge; edge i is slot i of the menu.
    pub edges: Vec<[u32; 2]>,
    /// `edges x shape.edge`, row by row.
    pub edge_features: Vec<f32>,
    /// `shape.global` numbers.
    pub global_features: Vec<f32>,
}

impl Graph {
    /// Removes everything.
    pub fn clear(&mut self) {
        self.node_features.clear();
        self.edges.clear();
        self.edge_features.clear();
        self.global_features.clear();
    }
}

/// A problem whose states can be shown to a network.
pub trait Encode: Problem {
    /// The lengths of the feature vectors.
    fn shape(&self) -> GraphShape;
    /// Writes `state` into `graph`. Its edges are the menu's slots but the last, which is waiting.
    fn encode(&self, state: &Self::State, graph: &mut Graph);
}
