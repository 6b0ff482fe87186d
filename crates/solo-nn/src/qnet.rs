//! The network as others see it: a configuration and its parameters.

use crate::Config;
use crate::aligned::Aligned;
use crate::dispatch::Instructions;
use crate::forward::Weights;
use crate::layout::{Block, Layout, Tensor};
use solo_core::{Graph, Rng};

/// A graph Q-network. Its values are negative costs: the best action has the largest.
#[derive(Clone, Debug)]
pub struct Qnet {
    config: Config,
    layout: Layout,
    params: Aligned,
}

impl Qnet {
    /// A network with random weights as PyTorch's linear layers begin: uniform within 1 / sqrt(inputs), weights and
    /// biases alike; norms begin with gain 1 and shift 0.
    ///
    /// # Panics
    /// If no network can have this configuration, as when `hidden` is no multiple of 16.
    pub fn new(config: Config, rng: &mut Rng) -> Self {
        let mut net = Self::zero(config);
        let mut bound = 0.0;
        for tensor in &net.layout.tensors {
            if let [_, inputs] = tensor.shape[..] {
                bound = 1.0 / (inputs as f64).sqrt(); // also of the bias, which comes next
            }
            let norm = tensor.name.contains(".norm.");
            let gain = if tensor.name.ends_with("weight") { 1.0 } else { 0.0 };
            for output in 0..tensor.shape[0] {
                for input in 0..tensor.shape.get(1).copied().unwrap_or(1) {
                    net.params[tensor.position(output, input)] =
                        if norm { gain } else { ((2.0 * rng.unit() - 1.0) * bound) as f32 };
                }
            }
        }
        net
    }

    /// A network whose parameters are all 0.
    pub(crate) fn zero(config: Config) -> Self {
        if let Some(fault) = config.fault() {
            panic!("{fault}");
        }
        let layout = Layout::new(&config);
        Self { config, params: Aligned::zero(layout.len), layout }
    }

    /// Its form.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// All parameters, in an order of our own (see [`Qnet::tensors`]).
    pub fn params(&self) -> &[f32] {
        &self.params
    }

    /// All parameters, to be changed.
    pub fn params_mut(&mut self) -> &mut [f32] {
        &mut self.params
    }

    /// The tensors by name and where they lie in the parameters. Within a range the order is the kernels', not the
    /// file's.
    pub fn tensors(&self) -> &[Tensor] {
        &self.layout.tensors
    }

    /// Floating-point operations of the hidden layers' products for one graph, a multiply-add being two. What a plain
    /// product per edge would need is more: the ends' share of an edge is computed once per node.
    pub fn operations(&self, graph: &Graph) -> u64 {
        let h = self.config.hidden as u64;
        let nodes = (graph.node_features.len() / self.config.shape.node) as u64;
        let edges = graph.edges.len() as u64;
        let mut ends: u64 = 0;
        for end in 0..2 {
            let mut list: Vec<u32> = graph.edges.iter().map(|edge| edge[end]).collect();
            list.sort_unstable();
            list.dedup();
            ends += list.len() as u64;
        }
        let pass = |block: &Block| {
            let depth = block.edge.layers.len() as u64;
            // Rows of h inputs: the edge and the layers above; its ends; the node with its sum; the globals.
            edges * depth + ends + nodes * (depth + 1) + (depth + 2) + 2
        };
        let rows: u64 =
            self.layout.passes.iter().map(|&block| pass(&self.layout.blocks[block])).sum();
        2 * h * h * rows
    }

    pub(crate) fn weights(&self, instructions: Instructions) -> Weights<'_> {
        Weights {
            params: &self.params,
            layout: &self.layout,
            hidden: self.config.hidden,
            instructions,
        }
    }
}
