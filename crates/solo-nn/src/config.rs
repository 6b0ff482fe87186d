//! What a network looks like: widths, passes and the options that the paper leaves open.

use crate::LoadError;
use crate::layout::Layout;
use solo_core::GraphShape;

/// How the features of a node's edges, and of all edges and nodes, become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Their sum, as in the authors' earlier public network. The paper does not say.
    Sum,
    /// Their mean: the size of a graph does not change the size of the numbers.
    Mean,
}

/// The form of a network. Two networks of one configuration differ in their weights only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The lengths of the feature vectors that it reads.
    pub shape: GraphShape,
    /// The width of every hidden layer: a multiple of 16.
    pub hidden: usize,
    /// Fully connected layers of each network of the encoder.
    pub layers: usize,
    /// Message passes of the encoder, all with the same weights.
    pub encoder: usize,
    /// Message passes of the decoder, at least one. The last one writes the Q-values; those before it, if any, have one
    /// hidden layer and share its weights.
    pub decoder: usize,
    /// Whether the output is a value of the state and advantages of the actions.
    pub dueling: bool,
    /// How features are gathered.
    pub aggregate: Aggregate,
}

impl Config {
    /// The paper's network for scheduling: width 32, three layers, four passes.
    pub const fn paper_pmsp(shape: GraphShape) -> Self {
        Self { hidden: 32, encoder: 4, dueling: false, ..Self::paper_cvrp(shape) }
    }

    /// The paper's network for routing: width 256, three layers, two passes, dueling.
    pub const fn paper_cvrp(shape: GraphShape) -> Self {
        Self {
            shape,
            hidden: 256,
            layers: 3,
            encoder: 2,
            decoder: 1,
            dueling: true,
            aggregate: Aggregate::Sum,
        }
    }

    /// The length of the global output: the value of waiting, and with dueling that of the state before it.
    pub(crate) const fn global_outputs(&self) -> usize {
        if self.dueling { 2 } else { 1 }
    }

    /// Why no network can have this form, if so.
    pub(crate) fn fault(&self) -> Option<String> {
        let Self { hidden, layers, encoder, decoder, shape, .. } = *self;
        let within = |what: &str, value: usize, low: usize, high: usize| {
            let bad = value < low || value > high;
            bad.then(|| format!("{what} is {value}, not from {low} to {high}"))
        };
        within("hidden", hidden, 16, 4096)
            .or_else(|| {
                (hidden % 16 != 0).then(|| format!("hidden is {hidden}, no multiple of 16"))
            })
            .or_else(|| within("layers", layers, 1, 64))
            .or_else(|| within("encoder", encoder, 0, 64))
            .or_else(|| within("decoder", decoder, 1, 64))
            .or_else(|| within("node features", shape.node, 1, 4096))
            .or_else(|| within("edge features", shape.edge, 1, 4096))
            .or_else(|| within("global features", shape.global, 1, 4096))
    }

    /// How many parameters networks of this form have.
    pub fn params(&self) -> usize {
        Layout::new(self).len
    }

    /// The configuration as names and values, for the header of a weight file.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let aggregate = match self.aggregate {
            Aggregate::Sum => "sum",
            Aggregate::Mean => "mean",
        };
        [
            ("node_features", self.shape.node.to_string()),
            ("edge_features", self.shape.edge.to_string()),
            ("global_features", self.shape.global.to_string()),
            ("hidden", self.hidden.to_string()),
            ("layers", self.layers.to_string()),
            ("encoder", self.encoder.to_string()),
            ("decoder", self.decoder.to_string()),
            ("dueling", self.dueling.to_string()),
            ("aggregate", aggregate.to_string()),
        ]
        .map(|(name, value)| (format!("{PREFIX}{name}"), value))
        .to_vec()
    }

    /// Reads what [`Config::to_pairs`] wrote; `find` gives the value of a name.
    pub fn from_pairs<'v>(find: impl Fn(&str) -> Option<&'v str>) -> Result<Self, LoadError> {
        let text = |name: &str| {
            let name = format!("{PREFIX}{name}");
            find(&name).ok_or(LoadError::Config(format!("'{name}' is missing")))
        };
        let bad = |name: &str, value: &str| LoadError::Config(format!("'{name}' is '{value}'"));
        let number = |name: &str| -> Result<usize, LoadError> {
            let value = text(name)?;
            value.parse().map_err(|_| bad(name, value))
        };
        let config = Self {
            shape: GraphShape {
                node: number("node_features")?,
                edge: number("edge_features")?,
                global: number("global_features")?,
            },
            hidden: number("hidden")?,
            layers: number("layers")?,
            encoder: number("encoder")?,
            decoder: number("decoder")?,
            dueling: match text("dueling")? {
                "true" => true,
                "false" => false,
                other => return Err(bad("dueling", other)),
            },
            aggregate: match text("aggregate")? {
                "sum" => Aggregate::Sum,
                "mean" => Aggregate::Mean,
                other => return Err(bad("aggregate", other)),
            },
        };
        config.fault().map_or(Ok(config), |fault| Err(LoadError::Config(fault)))
    }
}

/// Before the names in a header, so that they never meet those of others.
pub(crate) const PREFIX: &str = "solo.";
