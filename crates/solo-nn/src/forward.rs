//! From graphs to values: embedding, message passes, output.

use crate::batch::Batch;
use crate::dispatch::Instructions;
use crate::layout::{Block, Dense, Layout, Mlp, Triple};
use crate::norm::Norm;
use crate::product::{End, Product, Start};
use crate::rows::{AddRows, Dots, SumSpans, Way, room, zeros};
use solo_core::Meter;
use std::ops::Range;

/// A network's parameters with what is needed to compute with them.
#[derive(Clone, Copy)]
pub(crate) struct Weights<'a> {
    pub(crate) params: &'a [f32],
    pub(crate) layout: &'a Layout,
    pub(crate) hidden: usize,
    pub(crate) instructions: Instructions,
}

/// The features between two passes. Rows leave room for what is gathered beside them, so that one product takes both.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// `hidden` a row.
    pub(crate) edge: Vec<f32>,
    /// `2 hidden` a row: the node, and the sum of its edges.
    pub(crate) node: Vec<f32>,
    /// `3 hidden` a row: the global, the sums of all edges and of all nodes.
    pub(crate) global: Vec<f32>,
}

/// What the layers of a pass have put out.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) edge: Outputs,
    pub(crate) node: Outputs,
    pub(crate) global: Outputs,
}

/// What the layers of one network have put out, before the norm.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    pub(crate) layers: Vec<Vec<f32>>,
    pub(crate) stats: Vec<[f32; 2]>,
}

/// Buffers for parts of an edge's first layer.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    ends: [Vec<f32>; 2],
    rows: Vec<f32>,
    graph: Vec<f32>,
}

/// The decoder's last outputs.
#[derive(Debug, Default)]
pub(crate) struct Raw {
    pub(crate) edge: Vec<f32>,
    pub(crate) node: Vec<f32>,
    /// One or two a graph.
    pub(crate) global: Vec<f32>,
    /// The sums of edges at each node, then of edges and of nodes in each graph.
    pub(crate) at_node: Vec<f32>,
    pub(crate) in_graph: Vec<[f32; 2]>,
    graph: Vec<f32>,
    node_terms: Vec<f32>,
}

/// The rows that a network reads, and what its first layer starts from.
struct Input<'a> {
    rows: usize,
    x: &'a [f32],
    stride: usize,
    inputs: usize,
    start: Start<'a>,
}

impl Weights<'_> {
    pub(crate) fn get(&self, range: &Range<usize>) -> &[f32] {
        &self.params[range.clone()]
    }

    /// `y = start + x weight[first..first + inputs]` without an activation.
    fn part(&self, layer: &Dense, first: usize, input: Input<'_>, y: &mut [f32]) {
        Product {
            rows: input.rows,
            x: input.x,
            x_stride: input.stride,
            weight: &self.get(&layer.weight)[first * crate::layout::LANES..],
            panel: layer.inputs,
            inputs: input.inputs,
            outputs: layer.outputs,
            start: input.start,
            y,
            y_stride: layer.outputs,
            end: End::Plain,
        }
        .run(self.instructions);
    }

    pub(crate) fn embed(&self, batch: &Batch, state: &mut State) {
        let Triple { edge, node, global } = &self.layout.embedding;
        let h = self.hidden;
        let embed = |layer: &Dense, rows: usize, x: &[f32], y: &mut Vec<f32>, y_stride| {
            Product {
                rows,
                x,
                x_stride: layer.inputs,
                weight: self.get(&layer.weight),
                panel: layer.inputs,
                inputs: layer.inputs,
                outputs: h,
                start: Start::Bias(self.get(&layer.bias)),
                y: room(y, rows * y_stride),
                y_stride,
                end: End::Leak,
            }
            .run(self.instructions);
        };
        embed(edge, batch.edges(), &batch.edge_x, &mut state.edge, h);
        embed(node, batch.nodes(), &batch.node_x, &mut state.node, 2 * h);
        embed(global, batch.graphs(), &batch.global_x, &mut state.global, 3 * h);
    }

    /// One message pass: the edges, then the nodes, then the global. False if the meter cut it off.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn pass(
        &self,
        block: &Block,
        batch: &Batch,
        state: &mut State,
        next: &mut State,
        trace: &mut Trace,
        terms: &mut Terms,
        meter: &Meter<'_>,
    ) -> bool {
        let h = self.hidden;
        let (nodes, edges, graphs) = (batch.nodes(), batch.edges(), batch.graphs());

        // The first layer of an edge is a sum: of its own features, of its two ends', and of the global's. Ends and
        // global are multiplied once per node and graph instead of once per edge.
        let first = &block.edge.layers[0];
        self.graph_term(first, 3 * h, graphs, &state.global, &mut terms.graph);
        for (end, (ends, term)) in batch.ends.iter().zip(&mut terms.ends).enumerate() {
            let rows = gather(&ends.nodes, &state.node, 2 * h, h, &mut terms.rows);
            let start = match end {
                0 => Start::Row(&terms.graph, &ends.graph),
                _ => Start::Zero,
            };
            let input = Input { rows: ends.nodes.len(), x: rows, stride: h, inputs: h, start };
            self.part(first, (1 + end) * h, input, room(term, ends.nodes.len() * h));
        }
        let [first_end, second_end] = &batch.ends;
        let start = Start::Rows(
            [&terms.ends[0], &terms.ends[1]],
            [&first_end.place_of, &second_end.place_of],
        );
        let input = Input { rows: edges, x: &state.edge, stride: h, inputs: h, start };
        let out = room(&mut next.edge, edges * h);
        if !self.network(&block.edge, input, &mut trace.edge, out, h, meter) {
            return false;
        }

        self.gather_edges(batch, &next.edge, state);
        let first = &block.node.layers[0];
        self.graph_term(first, 2 * h, graphs, &state.global, &mut terms.graph);
        let start = Start::Row(&terms.graph, &batch.node_graph);
        let input = Input { rows: nodes, x: &state.node, stride: 2 * h, inputs: 2 * h, start };
        let out = room(&mut next.node, nodes * 2 * h);
        if !self.network(&block.node, input, &mut trace.node, out, 2 * h, meter) {
            return false;
        }

        self.gather_nodes(batch, &next.node, state);
        let start = Start::Bias(self.get(&block.global.layers[0].bias));
        let input = Input { rows: graphs, x: &state.global, stride: 3 * h, inputs: 3 * h, start };
        let out = room(&mut next.global, graphs * 3 * h);
        self.network(&block.global, input, &mut trace.global, out, 3 * h, meter)
    }

    /// The bias and the global's share of a layer.
    fn graph_term(
        &self,
        layer: &Dense,
        first: usize,
        graphs: usize,
        x: &[f32],
        term: &mut Vec<f32>,
    ) {
        let h = self.hidden;
        let start = Start::Bias(self.get(&layer.bias));
        let input = Input { rows: graphs, x, stride: 3 * h, inputs: h, start };
        self.part(layer, first, input, room(term, graphs * h));
    }

    /// What a layer of `rows` counts as work.
    pub(crate) fn work(&self, rows: usize) -> usize {
        // A vector of products and sums takes little time; to bring the numbers there and back takes more.
        const VECTORS_A_UNIT: usize = 5;
        rows * self.hidden * self.hidden / (VECTORS_A_UNIT * self.instructions.vector())
    }

    /// All layers of a network and its norm. False if the meter cut it off.
    fn network(
        &self,
        mlp: &Mlp,
        input: Input<'_>,
        outputs: &mut Outputs,
        out: &mut [f32],
        out_stride: usize,
        meter: &Meter<'_>,
    ) -> bool {
        let (h, rows) = (self.hidden, input.rows);
        outputs.layers.resize_with(mlp.layers.len(), Vec::new);
        let stats = room(&mut outputs.stats, rows);
        let mut norm = Some(Norm {
            gain: self.get(&mlp.gain),
            shift: self.get(&mlp.shift),
            out,
            out_stride,
            stats,
        });
        for (i, layer) in mlp.layers.iter().enumerate() {
            let (before, after) = outputs.layers.split_at_mut(i);
            let last = after.len() == 1;
            let (x, x_stride, inputs, start) = match before.last() {
                None => (input.x, input.stride, input.inputs, input.start),
                Some(x) => (x.as_slice(), h, h, Start::Bias(self.get(&layer.bias))),
            };
            let end = match norm.take_if(|_| last) {
                Some(norm) => End::LeakNorm(norm),
                None => End::Leak,
            };
            Product {
                rows,
                x,
                x_stride,
                weight: self.get(&layer.weight),
                panel: layer.inputs,
                inputs,
                outputs: h,
                start,
                y: room(&mut after[0], rows * h),
                y_stride: h,
                end,
            }
            .run(self.instructions);
            if meter.cuts(self.work(rows)) {
                return false;
            }
        }
        true
    }

    /// The sums of edges at each node and in each graph.
    fn gather_edges(&self, batch: &Batch, edge: &[f32], state: &mut State) {
        let h = self.hidden;
        for node in state.node.chunks_exact_mut(2 * h).take(batch.nodes()) {
            node[h..].fill(0.0);
        }
        for ends in &batch.ends {
            self.add(&ends.node_of, edge, h, &mut state.node, h, 2 * h, Way::Scatter);
        }
        for (node, &scale) in state.node.chunks_exact_mut(2 * h).zip(&batch.node_scale) {
            times(&mut node[h..], scale);
        }
        self.sums(&batch.edge_start, batch, 0, edge, h, &mut state.global[h..]);
    }

    /// The sum of nodes in each graph.
    fn gather_nodes(&self, batch: &Batch, node: &[f32], state: &mut State) {
        let h = self.hidden;
        self.sums(&batch.node_start, batch, 1, node, 2 * h, &mut state.global[2 * h..]);
    }

    /// Sums of rows in each graph; `which` says whose.
    fn sums(
        &self,
        start: &[usize],
        batch: &Batch,
        which: usize,
        from: &[f32],
        from_stride: usize,
        to: &mut [f32],
    ) {
        let (width, to_stride, scale) = (self.hidden, 3 * self.hidden, &batch.graph_scale);
        self.instructions.run(SumSpans {
            width,
            start,
            scale,
            which,
            to,
            to_stride,
            from,
            from_stride,
        });
    }

    /// Adds rows, in `to` from column `column` on.
    #[allow(clippy::too_many_arguments)]
    fn add(
        &self,
        index: &[u32],
        from: &[f32],
        from_stride: usize,
        to: &mut [f32],
        column: usize,
        to_stride: usize,
        way: Way,
    ) {
        if index.is_empty() {
            return;
        }
        let to = &mut to[column..];
        let width = self.hidden;
        self.instructions.run(AddRows { width, to, to_stride, from, from_stride, index, way });
    }

    /// The decoder's last pass, which has no activation and no norm: a norm over one number would be constant.
    pub(crate) fn output(&self, batch: &Batch, state: &State, raw: &mut Raw) {
        let Triple { edge, node, global } = &self.layout.head;
        let h = self.hidden;
        let (nodes, edges, graphs) = (batch.nodes(), batch.edges(), batch.graphs());
        let dots = |x: &[f32], stride: usize, weight: &[f32], out: &mut [f32]| {
            self.instructions.run(Dots { x, x_stride: stride, weight, out });
        };

        let weight = self.get(&edge.weight);
        let graph = room(&mut raw.graph, graphs);
        graph.fill(self.params[edge.bias.start]);
        dots(&state.global, 3 * h, &weight[3 * h..], graph);
        let out = room(&mut raw.edge, edges);
        for (out, &g) in out.iter_mut().zip(&batch.edge_graph) {
            *out = graph[g as usize];
        }
        dots(&state.edge, h, &weight[..h], out);
        for (end, ends) in batch.ends.iter().enumerate() {
            let terms = zeros(&mut raw.node_terms, nodes);
            dots(&state.node, 2 * h, &weight[(1 + end) * h..(2 + end) * h], terms);
            for (out, &node) in out.iter_mut().zip(&ends.node_of) {
                *out += terms[node as usize];
            }
        }
        let at_node = zeros(&mut raw.at_node, nodes);
        for ends in &batch.ends {
            for (&node, value) in ends.node_of.iter().zip(&*out) {
                at_node[node as usize] += value;
            }
        }
        for (sum, scale) in at_node.iter_mut().zip(&batch.node_scale) {
            *sum *= scale;
        }
        let in_graph = zeros(&mut raw.in_graph, graphs);
        for (&g, value) in batch.edge_graph.iter().zip(&*out) {
            in_graph[g as usize][0] += value;
        }

        let weight = self.get(&node.weight);
        graph.fill(self.params[node.bias.start]);
        dots(&state.global, 3 * h, &weight[h + 1..], graph);
        let out = room(&mut raw.node, nodes);
        for ((out, &g), sum) in out.iter_mut().zip(&batch.node_graph).zip(&*at_node) {
            *out = graph[g as usize] + weight[h] * sum;
        }
        dots(&state.node, 2 * h, &weight[..h], out);
        for (&g, value) in batch.node_graph.iter().zip(&*out) {
            in_graph[g as usize][1] += value;
        }
        for (sums, scale) in in_graph.iter_mut().zip(&batch.graph_scale) {
            *sums = [sums[0] * scale[0], sums[1] * scale[1]];
        }

        let outputs = global.outputs;
        let out = room(&mut raw.global, graphs * outputs);
        for k in 0..outputs {
            let weight = &self.get(&global.weight)[k * (h + 2)..][..h + 2];
            graph.fill(self.params[global.bias.start + k]);
            dots(&state.global, 3 * h, &weight[..h], graph);
            for (g, sums) in in_graph.iter().enumerate() {
                out[g * outputs + k] = graph[g] + weight[h] * sums[0] + weight[h + 1] * sums[1];
            }
        }
    }
}

/// Copies rows by index into `rows`.
pub(crate) fn gather<'r>(
    index: &[u32],
    from: &[f32],
    stride: usize,
    width: usize,
    rows: &'r mut Vec<f32>,
) -> &'r [f32] {
    let rows = room(rows, index.len() * width);
    for (row, &i) in rows.chunks_exact_mut(width).zip(index) {
        row.copy_from_slice(&from[i as usize * stride..][..width]);
    }
    rows
}

fn times(row: &mut [f32], scale: f32) {
    if scale != 1.0 {
        for x in row {
            *x *= scale;
        }
    }
}
