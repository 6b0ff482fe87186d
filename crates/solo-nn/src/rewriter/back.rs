//! From a batch of rewrites to the gradient of their loss.

use super::RewriterNet;
use super::forward::{Encoder, score};
use super::trainer::{RewriteLosses, RewriteSample};
use crate::backward::turn;
use crate::layout::{Dense, LANES};
use crate::product::{End, Product, Start, WeightGradient};
use crate::rows::{Dots, DotsBack, SumRows, room, zeros};
use solo_core::{Meter, Role};

/// Weights the other way round, in panels over inputs, each in its weight's range.
pub(super) fn transpose(net: &RewriterNet, transposed: &mut Vec<f32>) {
    let transposed = room(transposed, net.params().len());
    let hidden = net.shape().hidden;
    let of_states = net.layout.directions.iter().map(|d| (&d.state, hidden, 4 * hidden));
    let layers = [&net.layout.region, &net.layout.query, &net.layout.key];
    let of_layers = layers.map(|Dense { weight, inputs, outputs, .. }| (weight, *inputs, *outputs));
    for (weight, inputs, outputs) in of_states.chain(of_layers) {
        let (from, to) = (&net.params()[weight.clone()], &mut transposed[weight.clone()]);
        turn(from, to, inputs, outputs);
    }
}

/// What is the same for all parts of a batch.
#[derive(Clone, Copy)]
pub(super) struct Task<'t> {
    pub(super) net: &'t RewriterNet,
    pub(super) transposed: &'t [f32],
    /// What a sample counts.
    pub(super) share: f32,
    pub(super) policy_weight: f32,
}

/// Buffers for a part of a batch, and its gradient.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) gradient: Vec<f32>,
    pub(super) losses: RewriteLosses,
    pub(super) encoder: Encoder,
    /// Of each sample the states of the picked node and of the first.
    picked: Vec<f32>,
    hidden: Vec<f32>,
    values: Vec<f32>,
    queries: Vec<f32>,
    scores: Vec<f32>,
    value_slopes: Vec<f32>,
    hidden_slopes: Vec<f32>,
    query_slopes: Vec<f32>,
    key_slopes: Vec<f32>,
    picked_slopes: Vec<f32>,
    state_slopes: Vec<f32>,
    one_direction: Vec<f32>,
}

impl Lane {
    /// Adds the gradient of some samples.
    pub(super) fn add(&mut self, task: &Task<'_>, samples: &[RewriteSample<'_>]) {
        let net = task.net;
        let solutions: Vec<&[f32]> = samples.iter().map(|sample| sample.features).collect();
        let unlimited = Meter::unlimited();
        let encoded = self.encoder.states(net, &solutions, &unlimited);
        debug_assert!(encoded, "nothing cuts it off");
        self.encoder.keys(net);
        self.look(net, samples);
        self.regions(task, samples);
        self.rules(task, samples);
        self.back_to_states(task, samples);
        self.back_to_features(task);
    }

    /// Values and queries of the picked nodes.
    fn look(&mut self, net: &RewriterNet, samples: &[RewriteSample<'_>]) {
        let (shape, count, encoder) = (net.shape(), samples.len(), &self.encoder);
        let wide = 2 * shape.hidden;
        let picked = room(&mut self.picked, count * 2 * wide);
        for (i, (sample, pair)) in samples.iter().zip(picked.chunks_exact_mut(2 * wide)).enumerate()
        {
            let nodes = [sample.picked as usize, 0].map(|node| encoder.rows.row(i, node));
            for (to, row) in pair.chunks_exact_mut(wide).zip(nodes) {
                to.copy_from_slice(&encoder.states[row * wide..][..wide]);
            }
        }
        let x = (&self.picked[..], 2 * wide, 2 * wide);
        let (layer, hidden) = (&net.layout.region, room(&mut self.hidden, count * shape.region));
        net.layer(layer, 0, count, x, net.bias(layer), hidden, End::Leak).run(encoder.instructions);
        let values = room(&mut self.values, count);
        values.fill(net.params()[net.layout.value.bias.start]);
        let weight = &net.params()[net.layout.value.weight.clone()];
        let (x, x_stride) = (&self.hidden[..], shape.region);
        encoder.instructions.run(Dots { x, x_stride, weight, out: values });
        let x = (&self.picked[..], 2 * wide, wide);
        let (layer, queries) =
            (&net.layout.query, room(&mut self.queries, count * shape.attention));
        net.layer(layer, 0, count, x, net.bias(layer), queries, End::Plain)
            .run(encoder.instructions);
    }

    /// The loss of the values, back to the picked states.
    fn regions(&mut self, task: &Task<'_>, samples: &[RewriteSample<'_>]) {
        let (net, count) = (task.net, samples.len());
        let (region, wide) = (net.shape().region, 2 * net.shape().hidden);
        let instructions = self.encoder.instructions;
        let value_slopes = room(&mut self.value_slopes, count);
        for ((slope, value), sample) in value_slopes.iter_mut().zip(&self.values).zip(samples) {
            let error = value - sample.target;
            let (loss, bent) = if error.abs() > 1.0 {
                (error.abs() - 0.5, error.signum())
            } else {
                (0.5 * error * error, error)
            };
            self.losses.region += f64::from(loss);
            self.losses.error += f64::from(error.abs());
            self.losses.value += f64::from(*value);
            *slope = bent * task.share;
        }
        let layer = &net.layout.value;
        let hidden_slopes = zeros(&mut self.hidden_slopes, count * region);
        self.gradient[layer.bias.start] += value_slopes.iter().sum::<f32>();
        instructions.run(DotsBack {
            x: &self.hidden,
            x_stride: region,
            weight: &net.params()[layer.weight.clone()],
            slope: value_slopes,
            x_slope: hidden_slopes,
            gradient: &mut self.gradient[layer.weight.clone()],
        });
        for (slope, hidden) in hidden_slopes.iter_mut().zip(&self.hidden) {
            *slope *= if *hidden > 0.0 { 1.0 } else { crate::product::LEAK };
        }
        let to = room(&mut self.picked_slopes, count * 2 * wide);
        let x = (&self.picked[..], 2 * wide);
        let back = LayerBack { rows: count, layer: &net.layout.region, task, instructions };
        back.run(x, hidden_slopes, Start::Zero, (to, 2 * wide), &mut self.gradient);
    }

    /// The loss of the partners, back to queries and keys, and from the queries to the picked states.
    fn rules(&mut self, task: &Task<'_>, samples: &[RewriteSample<'_>]) {
        let (net, count) = (task.net, samples.len());
        let (attention, wide) = (net.shape().attention, 2 * net.shape().hidden);
        let rows = &self.encoder.rows;
        let key_slopes = zeros(&mut self.key_slopes, rows.len() * attention);
        let query_slopes = zeros(&mut self.query_slopes, count * attention);
        let scale = 1.0 / (attention as f32).sqrt();
        for (i, sample) in samples.iter().enumerate() {
            let query = &self.queries[i * attention..][..attention];
            let key =
                |node: usize| rows.row(i, node) * attention..(rows.row(i, node) + 1) * attention;
            let may = |node: usize| sample.may_swap(node);
            let nodes = 0..sample.roles.len();
            self.scores.clear();
            self.scores.extend(nodes.map(|node| {
                if may(node) {
                    score(query, &self.encoder.keys[key(node)])
                } else {
                    f32::NEG_INFINITY
                }
            }));
            softmax(&mut self.scores);
            let chosen = self.scores[sample.partner as usize];
            let advantage = sample.target - self.values[i];
            let loss = -advantage * libm::logf(chosen.max(f32::MIN_POSITIVE));
            self.losses.rule += f64::from(loss);
            let weight = advantage * task.policy_weight * task.share * scale;
            let query_slope = &mut query_slopes[i * attention..][..attention];
            for (node, &chance) in self.scores.iter().enumerate().filter(|&(node, _)| may(node)) {
                let wanted = if node == sample.partner as usize { 1.0 } else { 0.0 };
                let slope = weight * (chance - wanted);
                let (keys, to) = (&self.encoder.keys[key(node)], &mut key_slopes[key(node)]);
                for j in 0..attention {
                    to[j] += slope * query[j];
                    query_slope[j] += slope * keys[j];
                }
            }
        }
        let instructions = self.encoder.instructions;
        let x = (&self.picked[..], 2 * wide);
        let back = LayerBack { rows: count, layer: &net.layout.query, task, instructions };
        let to = (&mut self.picked_slopes[..], 2 * wide);
        back.run(x, query_slopes, Start::Add, to, &mut self.gradient);
    }

    /// From keys and picked states to the states of all nodes.
    fn back_to_states(&mut self, task: &Task<'_>, samples: &[RewriteSample<'_>]) {
        let (net, encoder) = (task.net, &self.encoder);
        let (all, wide) = (encoder.rows.len(), 2 * net.shape().hidden);
        let states = room(&mut self.state_slopes, all * wide);
        let x = (&encoder.states[..], wide);
        let instructions = encoder.instructions;
        let back = LayerBack { rows: all, layer: &net.layout.key, task, instructions };
        back.run(x, &self.key_slopes, Start::Zero, (&mut *states, wide), &mut self.gradient);
        let pairs = self.picked_slopes.chunks_exact(2 * wide);
        for (i, (sample, pair)) in samples.iter().zip(pairs).enumerate() {
            let nodes = [sample.picked as usize, 0].map(|node| encoder.rows.row(i, node));
            for (from, row) in pair.chunks_exact(wide).zip(nodes) {
                let to = &mut states[row * wide..][..wide];
                to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
            }
        }
    }

    /// Through both directions of the LSTM.
    fn back_to_features(&mut self, task: &Task<'_>) {
        let (net, hidden) = (task.net, task.net.shape().hidden);
        let Encoder { rows, features, passes, instructions, .. } = &mut self.encoder;
        for (d, pass) in passes.iter_mut().enumerate() {
            let slopes = room(&mut self.one_direction, rows.len() * hidden);
            for row in 0..rows.len() {
                let to = if d == 0 { row } else { rows.mirror[row] as usize };
                let from = &self.state_slopes[row * 2 * hidden + d * hidden..][..hidden];
                slopes[to * hidden..][..hidden].copy_from_slice(from);
            }
            let direction = &net.layout.directions[d];
            let weights = net.weights(direction, *instructions);
            let transposed = &task.transposed[direction.state.clone()];
            pass.back(&weights, transposed, rows, &features[d], slopes, &mut self.gradient);
        }
    }
}

/// The way back through a layer.
struct LayerBack<'b> {
    rows: usize,
    layer: &'b Dense,
    task: &'b Task<'b>,
    instructions: crate::dispatch::Instructions,
}

impl LayerBack<'_> {
    /// Given inputs and slopes of outputs, adds to the gradient and writes the slopes of the inputs.
    fn run(
        &self,
        (x, x_stride): (&[f32], usize),
        slope: &[f32],
        start: Start<'_>,
        (to, to_stride): (&mut [f32], usize),
        gradient: &mut [f32],
    ) {
        let Self { rows, layer, task, instructions } = *self;
        let Dense { inputs, outputs, .. } = *layer;
        debug_assert!(inputs.is_multiple_of(LANES));
        let total = &mut gradient[layer.bias.clone()];
        instructions.run(SumRows { rows, from: slope, total });
        let gradient = &mut gradient[layer.weight.clone()];
        let panel = inputs;
        WeightGradient { rows, x, x_stride, inputs, slope, outputs, gradient, panel }
            .run(instructions);
        Product {
            rows,
            x: slope,
            x_stride: outputs,
            weight: &task.transposed[layer.weight.clone()],
            panel: outputs,
            inputs: outputs,
            outputs: inputs,
            start,
            y: to,
            y_stride: to_stride,
            end: End::Plain,
        }
        .run(instructions);
    }
}

impl RewriteSample<'_> {
    /// Whether the picked node may change places with this one.
    fn may_swap(&self, node: usize) -> bool {
        self.roles[node] != Role::Fixed && node != self.picked as usize
    }
}

/// Makes numbers the probabilities that are proportional to their exponentials.
fn softmax(numbers: &mut [f32]) {
    let most = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for number in numbers.iter_mut() {
        *number = libm::expf(*number - most);
        sum += *number;
    }
    numbers.iter_mut().for_each(|number| *number /= sum);
}
