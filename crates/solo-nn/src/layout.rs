//! Where each weight lies among the parameters.
//!
//! All parameters of a network are one flat array. A weight matrix of a hidden layer is kept in *panels*, which is
//! what the product kernels read: outputs in groups of [`LANES`], and in each group the inputs one after the other,
//! `panel[output / LANES][input][output % LANES]`. Weights of the output layers have so few outputs that they are
//! kept as rows. Files hold PyTorch's layout, `[output][input]`, for both.

use crate::Config;
use std::ops::Range;

/// Outputs in a panel.
pub(crate) const LANES: usize = 16;

/// A tensor by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The name in files.
    pub name: String,
    /// `[outputs, inputs]` of a weight, `[outputs]` of a bias or a norm.
    pub shape: Vec<usize>,
    /// Which of the parameters are its.
    pub range: Range<usize>,
    pub(crate) panels: bool,
}

impl Tensor {
    /// Where the element at row `output` and column `input` lies.
    pub(crate) fn position(&self, output: usize, input: usize) -> usize {
        let inputs = self.shape.get(1).copied().unwrap_or(1);
        self.range.start
            + if self.panels {
                (output / LANES * inputs + input) * LANES + output % LANES
            } else {
                output * inputs + input
            }
    }
}

/// A fully connected layer.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    pub(crate) weight: Range<usize>,
    pub(crate) bias: Range<usize>,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
}

/// Layers with leaky ReLU, then a layer norm.
#[derive(Clone, Debug)]
pub(crate) struct Mlp {
    pub(crate) layers: Vec<Dense>,
    pub(crate) gain: Range<usize>,
    pub(crate) shift: Range<usize>,
}

/// The three networks of a message pass.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) edge: Mlp,
    pub(crate) node: Mlp,
    pub(crate) global: Mlp,
}

/// One layer for edges, nodes and the global each.
#[derive(Clone, Debug)]
pub(crate) struct Triple {
    pub(crate) edge: Dense,
    pub(crate) node: Dense,
    pub(crate) global: Dense,
}

/// All parameters of a network.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) embedding: Triple,
    /// The encoder's, then the decoder's if it has hidden passes.
    pub(crate) blocks: Vec<Block>,
    /// Which block each hidden pass uses.
    pub(crate) passes: Vec<usize>,
    /// The decoder's last pass.
    pub(crate) head: Triple,
    pub(crate) len: usize,
}

impl Layout {
    pub(crate) fn new(config: &Config) -> Self {
        let Config { shape, hidden, layers, encoder, decoder, .. } = *config;
        let mut book = Book::default();
        let embedding = Triple {
            edge: book.dense("embedding.edge", shape.edge, hidden),
            node: book.dense("embedding.node", shape.node, hidden),
            global: book.dense("embedding.global", shape.global, hidden),
        };
        let mut blocks = vec![book.block("encoder", hidden, layers)];
        let mut passes = vec![0; encoder];
        if decoder > 1 {
            blocks.push(book.block("decoder", hidden, 1));
            passes.resize(encoder + decoder - 1, 1);
        }
        let head = Triple {
            edge: book.rows("output.edge", 4 * hidden, 1),
            node: book.rows("output.node", 2 * hidden + 1, 1),
            global: book.rows("output.global", hidden + 2, config.global_outputs()),
        };
        Self { tensors: book.tensors, embedding, blocks, passes, head, len: book.len }
    }
}

/// Gives out ranges.
#[derive(Default)]
pub(crate) struct Book {
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) len: usize,
}

impl Book {
    pub(crate) fn tensor(&mut self, name: String, shape: Vec<usize>, panels: bool) -> Range<usize> {
        let start = self.len;
        self.len += shape.iter().product::<usize>();
        let range = start..self.len;
        self.tensors.push(Tensor { name, shape, range: range.clone(), panels });
        range
    }

    fn layer(&mut self, name: &str, inputs: usize, outputs: usize, panels: bool) -> Dense {
        Dense {
            weight: self.tensor(format!("{name}.weight"), vec![outputs, inputs], panels),
            bias: self.tensor(format!("{name}.bias"), vec![outputs], false),
            inputs,
            outputs,
        }
    }

    pub(crate) fn dense(&mut self, name: &str, inputs: usize, outputs: usize) -> Dense {
        self.layer(name, inputs, outputs, true)
    }

    pub(crate) fn rows(&mut self, name: &str, inputs: usize, outputs: usize) -> Dense {
        self.layer(name, inputs, outputs, false)
    }

    fn mlp(&mut self, name: &str, inputs: usize, hidden: usize, layers: usize) -> Mlp {
        let layers = (0..layers)
            .map(|i| {
                self.dense(&format!("{name}.{i}"), if i == 0 { inputs } else { hidden }, hidden)
            })
            .collect();
        Mlp {
            layers,
            gain: self.tensor(format!("{name}.norm.weight"), vec![hidden], false),
            shift: self.tensor(format!("{name}.norm.bias"), vec![hidden], false),
        }
    }

    fn block(&mut self, name: &str, hidden: usize, layers: usize) -> Block {
        Block {
            edge: self.mlp(&format!("{name}.edge"), 4 * hidden, hidden, layers),
            node: self.mlp(&format!("{name}.node"), 3 * hidden, hidden, layers),
            global: self.mlp(&format!("{name}.global"), 3 * hidden, hidden, layers),
        }
    }
}
