//! States as graphs, for networks.

use crate::{Meter, Problem};
use serde::{Deserialize, Serialize};

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

/// How much of a state a network sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureSet {
    /// The paper's features.
    #[default]
    Base,
    /// More of them, where a problem has more to tell; the graph is the same.
    Extended,
}

impl FeatureSet {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Base, Self::Extended];

    /// With which of them a problem's graphs are of this shape, if with any.
    pub fn with_shape<P: Encode>(problem: &P, shape: GraphShape) -> Option<Self> {
        Self::ALL.into_iter().find(|feature_set| problem.shape(*feature_set) == shape)
    }
}

/// A problem whose states can be shown to a network.
pub trait Encode: Problem {
    /// The lengths of the feature vectors.
    fn shape(&self, feature_set: FeatureSet) -> GraphShape;

    /// What sets two shapes apart, in words for people: `5 classes` and `6`.
    fn shapes_in_words(&self, one: GraphShape, other: GraphShape) -> (String, String) {
        let words =
            |shape: GraphShape| format!("{} / {} / {}", shape.node, shape.edge, shape.global);
        (
            format!("graphs with {} features of a node / an edge / the whole", words(one)),
            words(other),
        )
    }
    /// Writes `state` into `graph`. Its edges are the menu's slots but the last, which is waiting.
    fn encode(&self, state: &Self::State, feature_set: FeatureSet, graph: &mut Graph);

    /// The same, unless `meter` cuts the work off: then false, and what is in `graph` means nothing.
    fn encode_within(
        &self,
        state: &Self::State,
        feature_set: FeatureSet,
        _meter: &Meter<'_>,
        graph: &mut Graph,
    ) -> bool {
        self.encode(state, feature_set, graph);
        true
    }

    /// How many ways there are to show a state that mean the same, like a map held another way up.
    fn views(&self) -> usize {
        1
    }

    /// Turns a graph made by `encode` into the `view`th of those ways; 0 leaves it as it is. Slots stay where they are.
    fn turn(&self, _graph: &mut Graph, _view: usize) {}
}
