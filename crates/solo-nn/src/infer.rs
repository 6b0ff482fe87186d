//! Values of graphs, without gradients.

use crate::batch::Batch;
use crate::dispatch::Instructions;
use crate::forward::{Raw, State, Terms, Trace};
use crate::{Config, Qnet};
use solo_core::{Graph, Meter};

/// Buffers to compute values in. They grow to the largest graphs seen, and then allocate nothing more.
#[derive(Debug)]
pub struct Infer {
    instructions: Instructions,
    batch: Batch,
    states: [State; 2],
    trace: Trace,
    terms: Terms,
    raw: Raw,
}

impl Default for Infer {
    fn default() -> Self {
        Self::new(Instructions::best())
    }
}

impl Infer {
    /// Computes with these instructions.
    pub fn new(instructions: Instructions) -> Self {
        Self {
            instructions,
            batch: Batch::default(),
            states: Default::default(),
            trace: Trace::default(),
            terms: Terms::default(),
            raw: Raw::default(),
        }
    }

    /// Writes the value of every slot of `graph` into `out`: the edges, then waiting. `legal` lists the legal slots;
    /// with dueling, the mean advantage is theirs.
    ///
    /// # Panics
    /// If the graph's features are not those that the network was made for.
    pub fn q_values(&mut self, net: &Qnet, graph: &Graph, legal: &[u32], out: &mut Vec<f32>) {
        self.q_values_within(net, graph, legal, &Meter::unlimited(), out);
    }

    /// Writes the same values, unless `meter` does not afford the work or cuts it off: then false.
    ///
    /// # Panics
    /// If the graph's features are not those that the network was made for.
    pub fn q_values_within(
        &mut self,
        net: &Qnet,
        graph: &Graph,
        legal: &[u32],
        meter: &Meter<'_>,
        out: &mut Vec<f32>,
    ) -> bool {
        if !meter.affords(self.work(net, graph)) {
            meter.cut();
            return false;
        }
        self.batch.pack(net.config(), std::iter::once(graph));
        if meter.cuts(graph.edges.len()) || !self.run(net, meter) {
            return false;
        }
        out.clear();
        values(net.config(), &self.batch, &self.raw, 0, legal, out);
        true
    }

    /// What the values of a graph count as work.
    fn work(&self, net: &Qnet, graph: &Graph) -> usize {
        let weights = net.weights(self.instructions);
        let (nodes, edges) =
            (graph.node_features.len() / net.config().shape.node, graph.edges.len());
        let pass = |block: &usize| {
            let depth = weights.layout.blocks[*block].edge.layers.len();
            // The ends of an edge are multiplied once per node, the sums beside a node once more.
            weights.work(edges * depth + nodes * (depth + 2))
        };
        weights.layout.passes.iter().map(pass).sum()
    }

    /// Writes the values of all graphs into `out`, one after the other; those of graph i begin at `offsets[i]` and
    /// end at `offsets[i + 1]`.
    ///
    /// # Panics
    /// If a graph's features are not those that the network was made for.
    pub fn q_values_batch(
        &mut self,
        net: &Qnet,
        graphs: &[(&Graph, &[u32])],
        out: &mut Vec<f32>,
        offsets: &mut Vec<usize>,
    ) {
        out.clear();
        offsets.clear();
        offsets.push(0);
        let mut rest = graphs;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(fitting(net.config(), rest.iter().map(|(g, _)| *g)));
            rest = later;
            self.batch.pack(net.config(), now.iter().map(|(graph, _)| *graph));
            self.run(net, &Meter::unlimited());
            for (g, (_, legal)) in now.iter().enumerate() {
                values(net.config(), &self.batch, &self.raw, g, legal, out);
                offsets.push(out.len());
            }
        }
    }

    /// Computes the values of the batch; false if the meter cut that off.
    fn run(&mut self, net: &Qnet, meter: &Meter<'_>) -> bool {
        let weights = net.weights(self.instructions);
        let [state, next] = &mut self.states;
        weights.embed(&self.batch, state);
        for &block in &weights.layout.passes {
            let block = &weights.layout.blocks[block];
            let (trace, terms) = (&mut self.trace, &mut self.terms);
            if !weights.pass(block, &self.batch, state, next, trace, terms, meter) {
                return false;
            }
            std::mem::swap(state, next);
        }
        weights.output(&self.batch, state, &mut self.raw);
        true
    }
}

/// How many of the next graphs to compute together: few enough that a layer's rows stay near the processor, at least
/// one.
pub(crate) fn fitting<'g>(config: &Config, graphs: impl Iterator<Item = &'g Graph>) -> usize {
    const NUMBERS: usize = 16 * 1024;
    let mut rows = 0;
    let fits = graphs.take_while(|graph| {
        rows += graph.edges.len() + graph.node_features.len() / config.shape.node;
        rows * config.hidden <= NUMBERS
    });
    fits.count().max(1)
}

/// Appends the values of one graph of a batch.
pub(crate) fn values(
    config: &Config,
    batch: &Batch,
    raw: &Raw,
    graph: usize,
    legal: &[u32],
    out: &mut Vec<f32>,
) {
    let first = out.len();
    out.extend_from_slice(&raw.edge[batch.edge_start[graph]..batch.edge_start[graph + 1]]);
    if !config.dueling {
        out.push(raw.global[graph]);
        return;
    }
    let [value, wait] = [0, 1].map(|k| raw.global[2 * graph + k]);
    out.push(wait);
    let advantages = &mut out[first..];
    let total: f32 = legal.iter().map(|&slot| advantages[slot as usize]).sum();
    let shift = value - total / legal.len().max(1) as f32;
    for advantage in advantages {
        *advantage += shift;
    }
}
