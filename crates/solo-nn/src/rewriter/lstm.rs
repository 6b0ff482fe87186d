//! One direction of the LSTM, there and back.

use super::Direction;
use super::rows::Rows;
use crate::dispatch::{Instructions, Set, Task, mul_add};
use crate::layout::LANES;
use crate::product::{End, Product, Start, WeightGradient};
use crate::rows::{SumRows, room, zeros};
use solo_core::Meter;

/// Rows whose features are taken in between two looks at the meter.
const BLOCK: usize = 512;
/// About so many terms of four gates are a unit of work.
const SUMS: usize = 8;

/// What a pass over the sequences leaves: for each row the activated gates, the cell, and the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pass {
    gates: Vec<f32>,
    cell: Vec<f32>,
    pub(crate) state: Vec<f32>,
    /// Slopes of the gates before their activation, and of the cells.
    slope: Vec<f32>,
    cell_slope: Vec<f32>,
}

/// The network as a pass sees it.
#[derive(Clone, Copy)]
pub(crate) struct Weights<'w> {
    pub(crate) params: &'w [f32],
    pub(crate) direction: &'w Direction,
    pub(crate) features: usize,
    pub(crate) hidden: usize,
    pub(crate) instructions: Instructions,
}

impl Weights<'_> {
    /// Rows of as many inputs as a weight has, times the weight: the sums of the gates.
    fn product(
        &self,
        rows: usize,
        (x, inputs): (&[f32], usize),
        weight: &[f32],
        start: Start<'_>,
        y: &mut [f32],
    ) {
        let outputs = 4 * self.hidden;
        Product {
            rows,
            x,
            x_stride: inputs,
            weight,
            panel: inputs,
            inputs,
            outputs,
            start,
            y,
            y_stride: outputs,
            end: End::Plain,
        }
        .run(self.instructions);
    }

    /// The way back of [`Weights::product`]: adds to the gradient of the weight.
    fn gradient(
        &self,
        rows: usize,
        (x, inputs): (&[f32], usize),
        slope: &[f32],
        gradient: &mut [f32],
    ) {
        let (x_stride, outputs, panel) = (inputs, 4 * self.hidden, inputs);
        WeightGradient { rows, x, x_stride, inputs, slope, outputs, gradient, panel }
            .run(self.instructions);
    }
}

impl Pass {
    /// From features in rows to states in rows; false if the meter cut that off.
    pub(crate) fn forward(
        &mut self,
        weights: &Weights<'_>,
        rows: &Rows,
        x: &[f32],
        meter: &Meter<'_>,
    ) -> bool {
        let Weights { params, direction, features, hidden, instructions } = *weights;
        let all = rows.len();
        let gates = room(&mut self.gates, all * 4 * hidden);
        let cell = room(&mut self.cell, all * hidden);
        let state = room(&mut self.state, all * hidden);
        let (input, weight) = (&direction.input, &params[direction.input.weight.clone()]);
        let bias = Start::Bias(&params[input.bias.clone()]);
        for from in (0..all).step_by(BLOCK) {
            let count = BLOCK.min(all - from);
            if meter.cuts(count * hidden * features / SUMS) {
                return false;
            }
            let (x, y) = (&x[from * features..], &mut gates[from * 4 * hidden..]);
            weights.product(count, (x, features), weight, bias, y);
        }
        for t in 0..rows.steps() {
            let (from, active) = (rows.step[t], rows.active(t));
            // A product, and as much as 16 more of its terms for each activation.
            if meter.cuts(active * hidden * (hidden + 16) / SUMS) {
                return false;
            }
            let (before, later) = state.split_at_mut(from * hidden);
            let (cell_before, cell_later) = cell.split_at_mut(from * hidden);
            let mut old: &[f32] = &[];
            if t > 0 {
                let at = rows.step[t - 1] * hidden;
                let (weight, here) =
                    (&params[direction.state.clone()], &mut gates[from * 4 * hidden..]);
                weights.product(active, (&before[at..], hidden), weight, Start::Add, here);
                old = &cell_before[at..];
            }
            instructions.run(Activate {
                rows: active,
                hidden,
                gates: &mut gates[from * 4 * hidden..],
                old,
                cell: cell_later,
                state: later,
            });
        }
        true
    }

    /// From the slopes of the states, which are changed, to the gradient. `transposed` is the state's weight the other
    /// way round.
    pub(crate) fn back(
        &mut self,
        weights: &Weights<'_>,
        transposed: &[f32],
        rows: &Rows,
        x: &[f32],
        state_slope: &mut [f32],
        gradient: &mut [f32],
    ) {
        let Weights { direction, features, hidden, instructions, .. } = *weights;
        let all = rows.len();
        let slope = room(&mut self.slope, all * 4 * hidden);
        let carried = zeros(&mut self.cell_slope, rows.active(0) * hidden);
        for t in (0..rows.steps()).rev() {
            let (from, active) = (rows.step[t], rows.active(t));
            let (here, next) = (from * 4 * hidden, rows.step[t + 1] * 4 * hidden);
            if t + 1 < rows.steps() {
                Product {
                    rows: rows.active(t + 1),
                    x: &slope[next..],
                    x_stride: 4 * hidden,
                    weight: transposed,
                    panel: 4 * hidden,
                    inputs: 4 * hidden,
                    outputs: hidden,
                    start: Start::Add,
                    y: &mut state_slope[from * hidden..],
                    y_stride: hidden,
                    end: End::Plain,
                }
                .run(instructions);
            }
            let old = t.checked_sub(1).map(|before| &self.cell[rows.step[before] * hidden..]);
            instructions.run(Deactivate {
                rows: active,
                hidden,
                gates: &self.gates[here..],
                old: old.unwrap_or(&[]),
                cell: &self.cell[from * hidden..],
                state_slope: &state_slope[from * hidden..],
                carried,
                slope: &mut slope[here..],
            });
        }
        let of_input = &mut gradient[direction.input.weight.clone()];
        weights.gradient(all, (x, features), slope, of_input);
        let total = &mut gradient[direction.input.bias.clone()];
        instructions.run(SumRows { rows: all, from: slope, total });
        for t in 1..rows.steps() {
            let before = &self.state[rows.step[t - 1] * hidden..];
            let slope = &slope[rows.step[t] * 4 * hidden..];
            let of_state = &mut gradient[direction.state.clone()];
            weights.gradient(rows.active(t), (before, hidden), slope, of_state);
        }
    }
}

/// From the sums of gates to their activations, new cells and states. Without `old` cells these are 0.
struct Activate<'a> {
    rows: usize,
    hidden: usize,
    gates: &'a mut [f32],
    old: &'a [f32],
    cell: &'a mut [f32],
    state: &'a mut [f32],
}

impl Task for Activate<'_> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let Self { rows, hidden, gates, old, cell, state } = self;
        // Arrays of fixed size, so that the compiler makes vectors of them.
        let gates = gates.as_chunks_mut::<LANES>().0;
        let (old, cell) = (old.as_chunks::<LANES>().0, cell.as_chunks_mut::<LANES>().0);
        let state = state.as_chunks_mut::<LANES>().0;
        let width = hidden / LANES;
        for row in 0..rows {
            let gates = &mut gates[row * 4 * width..][..4 * width];
            for at in 0..width {
                let [input, forget, new, output] = [0, 1, 2, 3].map(|gate| gate * width + at);
                each(&mut gates[input], sigmoid::<S>);
                each(&mut gates[forget], sigmoid::<S>);
                each(&mut gates[new], tanh::<S>);
                each(&mut gates[output], sigmoid::<S>);
                let mut sum = [0.0; LANES];
                for j in 0..LANES {
                    sum[j] = gates[input][j] * gates[new][j];
                }
                if let Some(old) = old.get(row * width + at) {
                    for j in 0..LANES {
                        sum[j] = mul_add::<S>(gates[forget][j], old[j], sum[j]);
                    }
                }
                cell[row * width + at] = sum;
                each(&mut sum, tanh::<S>);
                for j in 0..LANES {
                    sum[j] *= gates[output][j];
                }
                state[row * width + at] = sum;
            }
        }
    }
}

/// Applies a function to every number.
#[inline(always)]
fn each(numbers: &mut [f32; LANES], function: impl Fn(f32) -> f32) {
    for j in 0..LANES {
        numbers[j] = function(numbers[j]);
    }
}

/// The way back of [`Activate`]. `carried` are the slopes of the cells: of the step after at first, of the step before
/// in the end.
struct Deactivate<'a> {
    rows: usize,
    hidden: usize,
    gates: &'a [f32],
    old: &'a [f32],
    cell: &'a [f32],
    state_slope: &'a [f32],
    carried: &'a mut [f32],
    slope: &'a mut [f32],
}

impl Task for Deactivate<'_> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let Self { rows, hidden, gates, old, cell, state_slope, carried, slope } = self;
        let (gates, slope) = (gates.as_chunks::<LANES>().0, slope.as_chunks_mut::<LANES>().0);
        let (old, cell) = (old.as_chunks::<LANES>().0, cell.as_chunks::<LANES>().0);
        let state_slope = state_slope.as_chunks::<LANES>().0;
        let carried = carried.as_chunks_mut::<LANES>().0;
        let width = hidden / LANES;
        for row in 0..rows {
            for at in 0..width {
                let place = row * width + at;
                let of_gate = [0, 1, 2, 3].map(|gate| (row * 4 + gate) * width + at);
                let [input, forget, new, output] = of_gate.map(|at| gates[at]);
                let (from, carried) = (state_slope[place], &mut carried[place]);
                let before = old.get(place).copied().unwrap_or([0.0; LANES]);
                let mut bent = cell[place];
                each(&mut bent, tanh::<S>);
                let mut slopes = [[0.0; LANES]; 4];
                for j in 0..LANES {
                    let d_cell = carried[j] + from[j] * output[j] * (1.0 - bent[j] * bent[j]);
                    slopes[0][j] = d_cell * new[j] * input[j] * (1.0 - input[j]);
                    slopes[1][j] = d_cell * before[j] * forget[j] * (1.0 - forget[j]);
                    slopes[2][j] = d_cell * input[j] * (1.0 - new[j] * new[j]);
                    slopes[3][j] = from[j] * bent[j] * output[j] * (1.0 - output[j]);
                    carried[j] = d_cell * forget[j];
                }
                for (at, slopes) in of_gate.into_iter().zip(slopes) {
                    slope[at] = slopes;
                }
            }
        }
    }
}

/// e to the power of x, to about one in ten million; written so that the compiler makes vectors of it.
#[inline(always)]
fn exp<S: Set>(x: f32) -> f32 {
    // Added and taken away again, this rounds to a whole number, which is then in the last bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 87.0);
    let rounded = mul_add::<S>(x, std::f32::consts::LOG2_E, ROUND);
    let whole = rounded - ROUND;
    // What is left of ln 2 after its first bits, so that the rest is exact.
    let rest = mul_add::<S>(whole, -0.693_359_4, x);
    let rest = mul_add::<S>(whole, 2.121_944_4e-4, rest);
    // The series of the exponential up to the sixth power; the rest is at most ln 2 / 2.
    let mut sum = 1.0 / 720.0;
    for term in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = mul_add::<S>(sum, rest, term);
    }
    let exponent = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127);
    sum * f32::from_bits(exponent << 23)
}

#[inline(always)]
fn sigmoid<S: Set>(x: f32) -> f32 {
    1.0 / (1.0 + exp::<S>(-x))
}

#[inline(always)]
fn tanh<S: Set>(x: f32) -> f32 {
    2.0 / (1.0 + exp::<S>(-2.0 * x)) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest error of the three functions, each relative to what it is near.
    struct Errors<'e>(&'e mut [f64; 3]);

    impl Task for Errors<'_> {
        #[inline(always)]
        fn run<S: Set>(self) {
            for i in -20_000..=20_000 {
                let x = i as f32 * 5e-3;
                let exact = f64::from(x);
                let pairs = [
                    (f64::from(exp::<S>(x)) / exact.clamp(-87.0, 87.0).exp(), 1.0),
                    (f64::from(sigmoid::<S>(x)), 1.0 / (1.0 + (-exact).exp())),
                    (f64::from(tanh::<S>(x)), exact.tanh()),
                ];
                for (most, (found, wanted)) in self.0.iter_mut().zip(pairs) {
                    *most = most.max((found - wanted).abs());
                }
            }
        }
    }

    #[test]
    fn functions_are_close_to_exact() {
        for instructions in Instructions::all() {
            let mut errors = [0.0; 3];
            instructions.run(Errors(&mut errors));
            assert!(errors.iter().all(|error| *error < 5e-7), "{errors:?}");
        }
    }
}
