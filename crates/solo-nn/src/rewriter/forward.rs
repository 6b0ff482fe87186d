//! From nodes to what the two pickers think of them.

use super::lstm::{Pass, Weights};
use super::rows::Rows;
use super::{Direction, RewriterNet};
use crate::dispatch::Instructions;
use crate::layout::Dense;
use crate::product::{End, Product, Start};
use crate::rows::{Dots, room};
use solo_core::Meter;

/// Buffers to encode solutions in, and what was last encoded. Allocates nothing when warm.
#[derive(Clone, Debug)]
pub struct Encoder {
    pub(crate) instructions: Instructions,
    pub(crate) rows: Rows,
    /// The features in the order of the rows, forwards and backwards.
    pub(crate) features: [Vec<f32>; 2],
    pub(crate) passes: [Pass; 2],
    /// The states of both directions side by side.
    pub(crate) states: Vec<f32>,
    pub(crate) keys: Vec<f32>,
    base: Vec<f32>,
    hidden: Vec<f32>,
    values: Vec<f32>,
    query: Vec<f32>,
}

impl Default for Encoder {
    fn default() -> Self {
        let none = Vec::new;
        Self {
            instructions: Instructions::best(),
            rows: Rows::default(),
            features: [none(), none()],
            passes: [Pass::default(), Pass::default()],
            states: none(),
            keys: none(),
            base: none(),
            hidden: none(),
            values: none(),
            query: none(),
        }
    }
}

impl RewriterNet {
    pub(crate) fn weights<'w>(
        &'w self,
        direction: &'w Direction,
        instructions: Instructions,
    ) -> Weights<'w> {
        let (features, hidden) = (self.shape().features, self.shape().hidden);
        Weights { params: self.params(), direction, features, hidden, instructions }
    }

    /// The product of rows with the inputs of a layer from `first` on; `y` has as many numbers a row as there are
    /// outputs.
    #[expect(clippy::too_many_arguments)] // a product has as many parts
    pub(crate) fn layer<'a>(
        &'a self,
        layer: &Dense,
        first: usize,
        rows: usize,
        (x, x_stride, inputs): (&'a [f32], usize, usize),
        start: Start<'a>,
        y: &'a mut [f32],
        end: End<'a>,
    ) -> Product<'a> {
        Product {
            rows,
            x,
            x_stride,
            weight: &self.params()[layer.weight.clone()][first * crate::layout::LANES..],
            panel: layer.inputs,
            inputs,
            outputs: layer.outputs,
            start,
            y,
            y_stride: layer.outputs,
            end,
        }
    }

    /// Where the rows of a layer begin.
    pub(crate) fn bias(&self, layer: &Dense) -> Start<'_> {
        Start::Bias(&self.params()[layer.bias.clone()])
    }
}

impl Encoder {
    /// With these instructions.
    pub fn with_instructions(self, instructions: Instructions) -> Self {
        Self { instructions, ..self }
    }

    /// Encodes solutions side by side, each a row of nodes with the numbers of the network's shape. False if the meter
    /// cut that off; nothing can be asked then.
    ///
    /// # Panics
    /// If a solution is empty, or its numbers are not those of whole nodes.
    pub fn encode(&mut self, net: &RewriterNet, solutions: &[&[f32]], meter: &Meter<'_>) -> bool {
        self.states(net, solutions, meter) && self.pick(net, meter)
    }

    /// The states of all nodes.
    pub(crate) fn states(
        &mut self,
        net: &RewriterNet,
        solutions: &[&[f32]],
        meter: &Meter<'_>,
    ) -> bool {
        let (width, hidden) = (net.shape().features, net.shape().hidden);
        for solution in solutions {
            assert!(!solution.is_empty() && solution.len().is_multiple_of(width), "no nodes");
        }
        self.rows.lay_out(solutions.iter().map(|solution| solution.len() / width));
        let rows = &self.rows;
        let [forth, back] = &mut self.features;
        let (forth, back) = (room(forth, rows.len() * width), room(back, rows.len() * width));
        for t in 0..rows.steps() {
            for (slot, row) in (rows.step[t]..rows.step[t + 1]).enumerate() {
                let from = &solutions[rows.order()[slot] as usize][t * width..][..width];
                forth[row * width..][..width].copy_from_slice(from);
                let mirror = rows.mirror[row] as usize;
                back[mirror * width..][..width].copy_from_slice(from);
            }
        }
        let states = room(&mut self.states, rows.len() * 2 * hidden);
        for (d, pass) in self.passes.iter_mut().enumerate() {
            let weights = net.weights(&net.layout.directions[d], self.instructions);
            if !pass.forward(&weights, rows, &self.features[d], meter) {
                return false;
            }
            for row in 0..rows.len() {
                let from = if d == 0 { row } else { rows.mirror[row] as usize };
                let state = &pass.state[from * hidden..][..hidden];
                states[row * 2 * hidden + d * hidden..][..hidden].copy_from_slice(state);
            }
        }
        true
    }

    /// The keys of all nodes.
    pub(crate) fn keys(&mut self, net: &RewriterNet) {
        let (hidden, attention) = (net.shape().hidden, net.shape().attention);
        let keys = room(&mut self.keys, self.rows.len() * attention);
        let (layer, x) = (&net.layout.key, (&self.states[..], 2 * hidden, 2 * hidden));
        net.layer(layer, 0, self.rows.len(), x, net.bias(layer), keys, End::Plain)
            .run(self.instructions);
    }

    /// What both pickers need: the value of every node and its key.
    fn pick(&mut self, net: &RewriterNet, meter: &Meter<'_>) -> bool {
        let shape = net.shape();
        let (all, solutions) = (self.rows.len(), self.rows.length.len());
        if meter.cuts(all * shape.hidden * (2 * shape.region + 2 * shape.attention) / 32) {
            return false;
        }
        self.keys(net);
        let layer = &net.layout.region;
        let wide = 2 * shape.hidden;
        let x = (&self.states[..], wide, wide);
        // The first rows are the first nodes, in the order of the slots.
        let base = room(&mut self.base, solutions * shape.region);
        net.layer(layer, wide, solutions, x, net.bias(layer), base, End::Plain)
            .run(self.instructions);
        let hidden = room(&mut self.hidden, all * shape.region);
        let start = Start::Row(&self.base, &self.rows.slot_of);
        net.layer(layer, 0, all, x, start, hidden, End::Leak).run(self.instructions);
        let value = &net.layout.value;
        let values = room(&mut self.values, all);
        values.fill(net.params()[value.bias.start]);
        let weight = &net.params()[value.weight.clone()];
        let hidden = &self.hidden;
        self.instructions.run(Dots { x: hidden, x_stride: shape.region, weight, out: values });
        true
    }

    /// What rewriting at each node of a solution is expected to gain.
    pub fn gains(&self, solution: usize, gains: &mut Vec<f32>) {
        let nodes = 0..self.rows.length[solution];
        gains.clear();
        gains.extend(nodes.map(|node| self.values[self.rows.row(solution, node)]));
    }

    /// How much the rule picker likes each node of a solution as the partner of `picked`: the logarithms of
    /// probabilities, but for a constant.
    pub fn partners(
        &mut self,
        net: &RewriterNet,
        solution: usize,
        picked: usize,
        scores: &mut Vec<f32>,
    ) {
        let (wide, attention) = (2 * net.shape().hidden, net.shape().attention);
        let from = self.rows.row(solution, picked) * wide;
        let layer = &net.layout.query;
        let query = room(&mut self.query, attention);
        let x = (&self.states[from..], wide, wide);
        net.layer(layer, 0, 1, x, net.bias(layer), query, End::Plain).run(self.instructions);
        scores.clear();
        let nodes = 0..self.rows.length[solution];
        scores.extend(nodes.map(|node| {
            let row = self.rows.row(solution, node);
            score(&self.query[..attention], &self.keys[row * attention..][..attention])
        }));
    }
}

/// How well a key answers a query.
#[inline]
pub(crate) fn score(query: &[f32], key: &[f32]) -> f32 {
    let dot: f32 = query.iter().zip(key).map(|(q, k)| q * k).sum();
    dot / (query.len() as f32).sqrt()
}
