//! From slopes of values to slopes of parameters: every step of `forward.rs`, the other way round.

use crate::batch::Batch;
use crate::forward::{Outputs, Raw, State, Trace, Weights, gather};
use crate::layout::{Block, Dense, LANES, Layout, Mlp, Triple};
use crate::norm::NormBack;
use crate::product::{End, LEAK, Product, Start, WeightGradient};
use crate::rows::{AddRows, DotsBack, SumRows, Way, room, zeros};

/// The slopes of the features between two passes: `hidden` a row, each.
#[derive(Debug, Default)]
pub(crate) struct Slopes {
    pub(crate) edge: Vec<f32>,
    pub(crate) node: Vec<f32>,
    pub(crate) global: Vec<f32>,
}

/// Buffers for what a step needs.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Slopes of a layer and of the layer before.
    layers: [Vec<f32>; 2],
    rows: Vec<f32>,
    ends: Vec<f32>,
    graph: Vec<f32>,
    gathered: Vec<f32>,
    head: Head,
}

/// Slopes of the decoder's last outputs.
#[derive(Debug, Default)]
struct Head {
    graph: Vec<f32>,
    node: Vec<f32>,
    at_node: Vec<f32>,
}

/// Everything that a way back reads and writes.
pub(crate) struct Back<'a> {
    pub(crate) weights: Weights<'a>,
    /// Hidden weights the other way round, in panels over inputs, each in its weight's range.
    pub(crate) transposed: &'a [f32],
    pub(crate) batch: &'a Batch,
    pub(crate) gradient: &'a mut [f32],
    pub(crate) scratch: &'a mut Scratch,
}

/// Turns the weights of all passes round.
pub(crate) fn transpose(layout: &Layout, params: &[f32], transposed: &mut Vec<f32>) {
    let transposed = room(transposed, params.len());
    for block in &layout.blocks {
        for mlp in [&block.edge, &block.node, &block.global] {
            for Dense { weight, inputs, outputs, .. } in &mlp.layers {
                turn(&params[weight.clone()], &mut transposed[weight.clone()], *inputs, *outputs);
            }
        }
    }
}

/// Turns a weight round: panels over its inputs, of which there is a multiple of a panel.
pub(crate) fn turn(from: &[f32], to: &mut [f32], inputs: usize, outputs: usize) {
    for output in 0..outputs {
        let panel = &from[output / LANES * inputs * LANES + output % LANES..];
        for input in 0..inputs {
            to[(input / LANES * outputs + output) * LANES + input % LANES] = panel[input * LANES];
        }
    }
}

impl Back<'_> {
    /// Back through the output layers; `edge` and `global` hold the slopes of the raw outputs, `edge` is changed.
    pub(crate) fn output(
        &mut self,
        state: &State,
        raw: &Raw,
        edge: &mut [f32],
        global: &[f32],
        slopes: &mut Slopes,
    ) {
        let Weights { params, layout, hidden: h, instructions } = self.weights;
        let batch = self.batch;
        let (nodes, edges, graphs) = (batch.nodes(), batch.edges(), batch.graphs());
        let Head { graph, node, at_node } = &mut self.scratch.head;
        let gradient = &mut *self.gradient;
        zeros(&mut slopes.edge, edges * h);
        zeros(&mut slopes.node, nodes * h);
        zeros(&mut slopes.global, graphs * h);
        let Triple { edge: edge_layer, node: node_layer, global: global_layer } = &layout.head;
        let dots = |first: usize,
                    x: &[f32],
                    x_stride: usize,
                    slope: &[f32],
                    x_slope: &mut [f32],
                    gradient: &mut [f32]| {
            let weight = &params[first..first + h];
            let gradient = &mut gradient[first..first + h];
            instructions.run(DotsBack { x, x_stride, weight, slope, x_slope, gradient });
        };

        // The global output: from the global, the sum of edge outputs and the sum of node outputs.
        let outputs = global_layer.outputs;
        let node = zeros(node, nodes);
        let graph = room(graph, graphs);
        for k in 0..outputs {
            let first = global_layer.weight.start + k * (h + 2);
            for (g, slope) in graph.iter_mut().enumerate() {
                *slope = global[g * outputs + k];
                gradient[global_layer.bias.start + k] += *slope;
                gradient[first + h] += *slope * raw.in_graph[g][0];
                gradient[first + h + 1] += *slope * raw.in_graph[g][1];
            }
            dots(first, &state.global, 3 * h, graph, &mut slopes.global, gradient);
            for (slope, &g) in edge.iter_mut().zip(&batch.edge_graph) {
                *slope += graph[g as usize] * params[first + h] * batch.graph_scale[g as usize][0];
            }
            for (slope, &g) in node.iter_mut().zip(&batch.node_graph) {
                *slope +=
                    graph[g as usize] * params[first + h + 1] * batch.graph_scale[g as usize][1];
            }
        }

        // The node outputs: from the node, the sum of its edges' outputs and the global.
        let first = node_layer.weight.start;
        dots(first, &state.node, 2 * h, node, &mut slopes.node, gradient);
        graph.fill(0.0);
        let at_node = room(at_node, nodes);
        for (n, &slope) in node.iter().enumerate() {
            graph[batch.node_graph[n] as usize] += slope;
            gradient[first + h] += slope * raw.at_node[n];
            gradient[node_layer.bias.start] += slope;
            at_node[n] = slope * params[first + h] * batch.node_scale[n];
        }
        dots(first + h + 1, &state.global, 3 * h, graph, &mut slopes.global, gradient);
        for ends in &batch.ends {
            for (slope, &n) in edge.iter_mut().zip(&ends.node_of) {
                *slope += at_node[n as usize];
            }
        }

        // The edge outputs: from the edge, its ends and the global.
        let first = edge_layer.weight.start;
        dots(first, &state.edge, h, edge, &mut slopes.edge, gradient);
        for (end, ends) in batch.ends.iter().enumerate() {
            at_node.fill(0.0);
            for (&slope, &n) in edge.iter().zip(&ends.node_of) {
                at_node[n as usize] += slope;
            }
            let first = first + (1 + end) * h;
            dots(first, &state.node, 2 * h, at_node, &mut slopes.node, gradient);
        }
        graph.fill(0.0);
        for (&slope, &g) in edge.iter().zip(&batch.edge_graph) {
            graph[g as usize] += slope;
            gradient[edge_layer.bias.start] += slope;
        }
        dots(first + 3 * h, &state.global, 3 * h, graph, &mut slopes.global, gradient);
    }

    /// Back through a message pass: `after` are the slopes of its results, which are changed, `before` those of what
    /// it read.
    pub(crate) fn pass(
        &mut self,
        block: &Block,
        state: &State,
        trace: &Trace,
        after: &mut Slopes,
        before: &mut Slopes,
    ) {
        let h = self.weights.hidden;
        let batch = self.batch;
        let (nodes, edges, graphs) = (batch.nodes(), batch.edges(), batch.graphs());

        // The global: its own slopes, those of the edges' sum and those of the nodes' sum.
        let slope = self.network(&block.global, &trace.global, graphs, &after.global);
        let first = &block.global.layers[0];
        self.layer(first, 0, &state.global, 3 * h, 3 * h, &slope, graphs);
        self.bias(first, &slope, graphs);
        let mut rows = std::mem::take(&mut self.scratch.rows);
        let sums = room(&mut rows, graphs * 3 * h);
        self.back(first, 0, 3 * h, &slope, graphs, Start::Zero, sums);
        let global = room(&mut before.global, graphs * h);
        for (g, sums) in sums.chunks_exact_mut(3 * h).enumerate() {
            global[g * h..][..h].copy_from_slice(&sums[..h]);
            let scale = batch.graph_scale[g];
            times(&mut sums[h..2 * h], scale[0]);
            times(&mut sums[2 * h..], scale[1]);
        }
        self.add(&mut after.edge, &sums[h..], 3 * h, &batch.edge_graph, Way::Gather);
        self.add(&mut after.node, &sums[2 * h..], 3 * h, &batch.node_graph, Way::Gather);
        self.scratch.rows = rows;
        self.keep(slope);

        // The nodes: their own slopes, those of their edges' sum and those of the global.
        let slope = self.network(&block.node, &trace.node, nodes, &after.node);
        let first = &block.node.layers[0];
        self.layer(first, 0, &state.node, 2 * h, 2 * h, &slope, nodes);
        let mut rows = std::mem::take(&mut self.scratch.rows);
        let sums = room(&mut rows, nodes * 2 * h);
        self.back(first, 0, 2 * h, &slope, nodes, Start::Zero, sums);
        let node = room(&mut before.node, nodes * h);
        for (n, sums) in sums.chunks_exact_mut(2 * h).enumerate() {
            node[n * h..][..h].copy_from_slice(&sums[..h]);
            times(&mut sums[h..], batch.node_scale[n]);
        }
        for ends in &batch.ends {
            self.add(&mut after.edge, &sums[h..], 2 * h, &ends.node_of, Way::Gather);
        }
        self.scratch.rows = rows;
        self.graph_term(first, 2 * h, &batch.node_graph, &slope, state, before);
        self.keep(slope);

        // The edges: their own slopes, those of their ends and those of the global.
        let slope = self.network(&block.edge, &trace.edge, edges, &after.edge);
        let first = &block.edge.layers[0];
        self.layer(first, 0, &state.edge, h, h, &slope, edges);
        let edge = room(&mut before.edge, edges * h);
        self.back(first, 0, h, &slope, edges, Start::Zero, edge);
        for (end, ends) in batch.ends.iter().enumerate() {
            let count = ends.nodes.len();
            let mut sums = std::mem::take(&mut self.scratch.ends);
            zeros(&mut sums, count * h);
            self.add(&mut sums, &slope, h, &ends.place_of, Way::Scatter);
            let mut gathered = std::mem::take(&mut self.scratch.gathered);
            gather(&ends.nodes, &state.node, 2 * h, h, &mut gathered);
            let from = (1 + end) * h;
            self.layer(first, from, &gathered, h, h, &sums, count);
            self.back(first, from, h, &sums, count, Start::Zero, &mut gathered);
            self.add(&mut before.node, &gathered, h, &ends.nodes, Way::Scatter);
            if end == 0 {
                // Each edge has one first end, so these sums add up to those of the graphs.
                self.graph_term(first, 3 * h, &ends.graph, &sums[..count * h], state, before);
            }
            self.scratch.gathered = gathered;
            self.scratch.ends = sums;
        }
        self.keep(slope);
    }

    /// Back through the embedding.
    pub(crate) fn embed(&mut self, state: &State, slopes: &mut Slopes) {
        let h = self.weights.hidden;
        let batch = self.batch;
        let Triple { edge, node, global } = &self.weights.layout.embedding;
        for (layer, x, results, stride, slope) in [
            (edge, &batch.edge_x, &state.edge, h, &mut slopes.edge),
            (node, &batch.node_x, &state.node, 2 * h, &mut slopes.node),
            (global, &batch.global_x, &state.global, 3 * h, &mut slopes.global),
        ] {
            let rows = x.len() / layer.inputs;
            let slopes = slope.chunks_exact_mut(h).zip(results.chunks_exact(stride));
            for (slope, result) in slopes.take(rows) {
                for (slope, &result) in slope.iter_mut().zip(result) {
                    *slope *= if result > 0.0 { 1.0 } else { LEAK };
                }
            }
            self.layer(layer, 0, x, layer.inputs, layer.inputs, slope, rows);
            self.bias(layer, slope, rows);
        }
    }

    /// Back through a network up to the slopes of its first layer's sums, which the caller hands back with `keep`.
    /// The first layer's own gradients are left to the caller.
    fn network(&mut self, mlp: &Mlp, outputs: &Outputs, rows: usize, slope: &[f32]) -> Vec<f32> {
        let h = self.weights.hidden;
        let [mut now, mut before] = std::mem::take(&mut self.scratch.layers);
        // They change places, so both have room for anything from the start.
        let most = self.batch.edges().max(self.batch.nodes()).max(rows) * h;
        room(&mut now, most);
        room(&mut before, most);
        let (gain_gradient, shift_gradient) = {
            let both = &mut self.gradient[mlp.gain.start..mlp.shift.end];
            both.split_at_mut(h)
        };
        let last = mlp.layers.len() - 1;
        self.weights.instructions.run(NormBack {
            rows,
            width: h,
            x: &outputs.layers[last],
            stats: &outputs.stats,
            gain: self.weights.get(&mlp.gain),
            slope,
            out: &mut now,
            gain_gradient,
            shift_gradient,
        });
        for i in (1..=last).rev() {
            let layer = &mlp.layers[i];
            let results = &outputs.layers[i - 1];
            self.layer(layer, 0, results, h, h, &now, rows);
            self.bias(layer, &now, rows);
            Product {
                rows,
                x: &now,
                x_stride: h,
                weight: &self.transposed[layer.weight.clone()],
                panel: h,
                inputs: h,
                outputs: h,
                start: Start::Zero,
                y: room(&mut before, rows * h),
                y_stride: h,
                end: End::Slope(results),
            }
            .run(self.weights.instructions);
            std::mem::swap(&mut now, &mut before);
        }
        self.scratch.layers = [Vec::new(), before];
        now
    }

    fn keep(&mut self, slope: Vec<f32>) {
        self.scratch.layers[0] = slope;
    }

    /// The gradient of a layer's weights for inputs from `first` on.
    #[allow(clippy::too_many_arguments)]
    fn layer(
        &mut self,
        layer: &Dense,
        first: usize,
        x: &[f32],
        x_stride: usize,
        inputs: usize,
        slope: &[f32],
        rows: usize,
    ) {
        WeightGradient {
            rows,
            x,
            x_stride,
            inputs,
            slope,
            outputs: layer.outputs,
            gradient: &mut self.gradient[layer.weight.clone()][first * LANES..],
            panel: layer.inputs,
        }
        .run(self.weights.instructions);
    }

    fn bias(&mut self, layer: &Dense, slope: &[f32], rows: usize) {
        let total = &mut self.gradient[layer.bias.clone()];
        self.weights.instructions.run(SumRows { rows, from: slope, total });
    }

    /// The slopes of `inputs` inputs of a layer from `first` on.
    #[allow(clippy::too_many_arguments)]
    fn back(
        &mut self,
        layer: &Dense,
        first: usize,
        inputs: usize,
        slope: &[f32],
        rows: usize,
        start: Start<'_>,
        y: &mut [f32],
    ) {
        Product {
            rows,
            x: slope,
            x_stride: layer.outputs,
            weight: &self.transposed[layer.weight.clone()][first * layer.outputs..],
            panel: layer.outputs,
            inputs: layer.outputs,
            outputs: inputs,
            start,
            y,
            y_stride: inputs,
            end: End::Plain,
        }
        .run(self.weights.instructions);
    }

    /// The share of the global and the bias in a layer whose rows belong to graphs.
    fn graph_term(
        &mut self,
        layer: &Dense,
        first: usize,
        graph_of: &[u32],
        slope: &[f32],
        state: &State,
        before: &mut Slopes,
    ) {
        let h = self.weights.hidden;
        let graphs = self.batch.graphs();
        let mut sums = std::mem::take(&mut self.scratch.graph);
        zeros(&mut sums, graphs * h);
        self.add(&mut sums, slope, h, graph_of, Way::Scatter);
        self.layer(layer, first, &state.global, 3 * h, h, &sums, graphs);
        self.bias(layer, &sums, graphs);
        self.back(layer, first, h, &sums, graphs, Start::Add, &mut before.global);
        self.scratch.graph = sums;
    }

    fn add(&self, to: &mut [f32], from: &[f32], from_stride: usize, index: &[u32], way: Way) {
        let width = self.weights.hidden;
        let rows = AddRows { width, to, to_stride: width, from, from_stride, index, way };
        self.weights.instructions.run(rows);
    }
}

fn times(row: &mut [f32], scale: f32) {
    if scale != 1.0 {
        for x in row {
            *x *= scale;
        }
    }
}
