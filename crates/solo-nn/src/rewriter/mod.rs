//! The network of NeuralRewriter (Chen and Tian, 2019): a bidirectional LSTM over the nodes of a solution, a region
//! picker `Q(i) = MLP[h_i; h_0]` and a rule picker, pointer attention from the picked node to the others.
//!
//! Node 0 is the depot's first visit or the first machine. Gates are in PyTorch's order: input, forget, cell, output.

mod back;
mod file;
mod forward;
mod lstm;
mod rows;
mod trainer;

pub use forward::Encoder;
pub use trainer::{RewriteLosses, RewriteSample, RewriteTrainer};

use crate::aligned::Aligned;
use crate::layout::{Book, Dense, LANES, Tensor};
use solo_core::Rng;
use std::ops::Range;

/// The lengths of a rewriter's vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewriterShape {
    /// Numbers of a node.
    pub features: usize,
    /// Units of the LSTM in each direction; a multiple of 16.
    pub hidden: usize,
    /// Hidden numbers of the region picker; a multiple of 16.
    pub region: usize,
    /// Numbers of a query and a key of the rule picker; a multiple of 16.
    pub attention: usize,
}

impl RewriterShape {
    /// What is wrong with it.
    pub fn fault(&self) -> Option<String> {
        let Self { features, hidden, region, attention } = *self;
        for (name, width) in [("hidden", hidden), ("region", region), ("attention", attention)] {
            if width == 0 || !width.is_multiple_of(LANES) || width > 4096 {
                return Some(format!(
                    "{name} must be a multiple of {LANES} up to 4096, not {width}"
                ));
            }
        }
        (features == 0 || features > 1 << 16)
            .then(|| format!("a node cannot have {features} numbers"))
    }

    /// How many parameters there are.
    pub fn params(&self) -> usize {
        let Self { features, hidden, region, attention } = *self;
        2 * 4 * hidden * (features + hidden + 1)
            + region * (4 * hidden + 1)
            + region
            + 1
            + 2 * attention * (2 * hidden + 1)
    }
}

/// One direction of the encoder.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    /// From the features of a node to its gates.
    pub(crate) input: Dense,
    /// From the state before to the gates.
    pub(crate) state: Range<usize>,
}

/// Where the parameters lie.
#[derive(Clone, Debug)]
pub(crate) struct RewriterLayout {
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) directions: [Direction; 2],
    pub(crate) region: Dense,
    pub(crate) value: Dense,
    pub(crate) query: Dense,
    pub(crate) key: Dense,
    pub(crate) len: usize,
}

impl RewriterLayout {
    fn new(shape: &RewriterShape) -> Self {
        let RewriterShape { features, hidden, region, attention } = *shape;
        let mut book = Book::default();
        let directions = ["forward", "backward"].map(|name| Direction {
            input: book.dense(&format!("{name}.input"), features, 4 * hidden),
            state: book.tensor(format!("{name}.state.weight"), vec![4 * hidden, hidden], true),
        });
        Self {
            directions,
            region: book.dense("region.hidden", 4 * hidden, region),
            value: book.rows("region.value", region, 1),
            query: book.dense("rule.query", 2 * hidden, attention),
            key: book.dense("rule.key", 2 * hidden, attention),
            tensors: book.tensors,
            len: book.len,
        }
    }
}

/// A network: its shape and its parameters.
#[derive(Clone, Debug)]
pub struct RewriterNet {
    shape: RewriterShape,
    pub(crate) layout: RewriterLayout,
    params: Aligned,
}

impl RewriterNet {
    /// A network with random weights, uniform within 1 / sqrt(inputs); of the LSTM within 1 / sqrt(hidden), as
    /// PyTorch's begin.
    ///
    /// # Panics
    /// If the shape has a fault.
    pub fn new(shape: RewriterShape, rng: &mut Rng) -> Self {
        let mut net = Self::zero(shape);
        let mut bound = 0.0;
        for tensor in &net.layout.tensors {
            if let [_, inputs] = tensor.shape[..] {
                let lstm =
                    tensor.name.starts_with("forward") || tensor.name.starts_with("backward");
                let inputs = if lstm { shape.hidden } else { inputs };
                bound = 1.0 / (inputs as f64).sqrt(); // also of the bias, which comes next
            }
            for output in 0..tensor.shape[0] {
                for input in 0..tensor.shape.get(1).copied().unwrap_or(1) {
                    let drawn = (2.0 * rng.unit() - 1.0) * bound;
                    net.params[tensor.position(output, input)] = drawn as f32;
                }
            }
        }
        net
    }

    /// A network whose parameters are all 0.
    ///
    /// # Panics
    /// If the shape has a fault.
    pub fn zero(shape: RewriterShape) -> Self {
        if let Some(fault) = shape.fault() {
            panic!("{fault}");
        }
        let layout = RewriterLayout::new(&shape);
        Self { shape, params: Aligned::zero(layout.len), layout }
    }

    /// The lengths of its vectors.
    pub fn shape(&self) -> RewriterShape {
        self.shape
    }

    /// The parameters, in an order of our own.
    pub fn params(&self) -> &[f32] {
        &self.params
    }

    /// The parameters, to be changed.
    pub fn params_mut(&mut self) -> &mut [f32] {
        &mut self.params
    }
}
