//! A network of a few hundred to two thousand weights that scores options: fast enough to decide inside rollouts.
//!
//! With global numbers g and an option's numbers x, its score is `v . leaky(Wg g + b + Wx x)`: one hidden layer. The
//! part of the whole state is computed once, the part of each option added. Sums are made in a fixed order without
//! fused instructions, so that scores are the same bits on every machine.

use solo_core::Rng;
use std::slice::ChunksExact;

/// What is left of a negative number.
const LEAK: f32 = 0.1;
/// Hidden numbers are computed in groups of this many.
pub(crate) const LANES: usize = 8;

/// The lengths of a scorer's vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScorerShape {
    /// Numbers about the whole state.
    pub global: usize,
    /// Numbers about an option.
    pub option: usize,
    /// Hidden numbers; a multiple of 8.
    pub hidden: usize,
}

impl ScorerShape {
    /// What is wrong with it.
    pub fn fault(&self) -> Option<String> {
        let wrong = self.hidden == 0 || !self.hidden.is_multiple_of(LANES) || self.hidden > 1024;
        if wrong {
            return Some(format!(
                "hidden must be a multiple of {LANES} up to 1024, not {}",
                self.hidden
            ));
        }
        let most = 1 << 16;
        (self.global > most || self.option > most).then(|| "vectors are too long".to_string())
    }

    /// How many parameters there are.
    pub fn params(&self) -> usize {
        (self.global + self.option + 2) * self.hidden
    }
}

/// A scorer: its shape and its parameters.
///
/// Parameters are flat: `Wg` (a row of `hidden` for each global number), `b`, `Wx` (a row for each number of an
/// option), `v`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scorer {
    shape: ScorerShape,
    params: Vec<f32>,
}

/// The parts of the parameters.
struct Parts<'p> {
    global: &'p [f32],
    bias: &'p [f32],
    option: &'p [f32],
    out: &'p [f32],
}

/// Buffers to compute in.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The part of the whole state.
    base: Vec<f32>,
    /// Hidden numbers before the leak; of all options while learning.
    hidden: Vec<f32>,
    /// The gradient of the part of the whole state.
    base_grad: Vec<f32>,
}

#[inline]
fn leaky(x: f32) -> f32 {
    if x > 0.0 { x } else { LEAK * x }
}

/// Adds `x` times a row for every number, group by group. Numbers that are 0 cost nothing.
#[inline]
fn add_rows(sums: &mut [f32], numbers: &[f32], rows: &[f32]) {
    for (&x, row) in numbers.iter().zip(rows.chunks_exact(sums.len())) {
        if x != 0.0 {
            add_row(sums, x, row);
        }
    }
}

#[inline]
fn add_row(sums: &mut [f32], x: f32, row: &[f32]) {
    let (sums, _) = sums.as_chunks_mut::<LANES>();
    let (row, _) = row.as_chunks::<LANES>();
    for (sums, row) in sums.iter_mut().zip(row) {
        for lane in 0..LANES {
            sums[lane] += x * row[lane];
        }
    }
}

impl Scorer {
    /// A scorer with small random weights that scores everything nearly alike.
    ///
    /// # Panics
    /// If the shape has a fault.
    pub fn new(shape: ScorerShape, rng: &mut Rng) -> Self {
        let mut scorer = Self::zero(shape);
        let inputs = 1.0 / ((shape.global + shape.option).max(1) as f64).sqrt();
        let out = (shape.global + shape.option + 1) * shape.hidden;
        let bias = shape.global * shape.hidden..(shape.global + 1) * shape.hidden;
        for (i, param) in scorer.params.iter_mut().enumerate() {
            let bound = if i < out { inputs } else { 1.0 / (shape.hidden as f64).sqrt() };
            let drawn = (2.0 * rng.unit() - 1.0) * bound;
            *param = if bias.contains(&i) { 0.0 } else { drawn as f32 };
        }
        scorer
    }

    /// A scorer whose parameters are all 0.
    ///
    /// # Panics
    /// If the shape has a fault.
    pub fn zero(shape: ScorerShape) -> Self {
        if let Some(fault) = shape.fault() {
            panic!("{fault}");
        }
        Self { shape, params: vec![0.0; shape.params()] }
    }

    /// The lengths of its vectors.
    pub fn shape(&self) -> ScorerShape {
        self.shape
    }

    /// The parameters.
    pub fn params(&self) -> &[f32] {
        &self.params
    }

    /// The parameters, to be changed.
    pub fn params_mut(&mut self) -> &mut [f32] {
        &mut self.params
    }

    fn parts(&self) -> Parts<'_> {
        let ScorerShape { global, option, hidden } = self.shape;
        let (of_global, rest) = self.params.split_at(global * hidden);
        let (bias, rest) = rest.split_at(hidden);
        let (of_option, out) = rest.split_at(option * hidden);
        Parts { global: of_global, bias, option: of_option, out }
    }

    /// Fills `scores` with the score of every option; larger is better. `rows` holds the options row by row.
    ///
    /// # Panics
    /// If the vectors do not have the lengths of the shape.
    pub fn scores(
        &self,
        global: &[f32],
        rows: &[f32],
        scratch: &mut Scratch,
        scores: &mut Vec<f32>,
    ) {
        let ScorerShape { hidden, option, .. } = self.shape;
        assert!(global.len() == self.shape.global && rows.len().is_multiple_of(option.max(1)));
        let parts = self.parts();
        scores.clear();
        let options = rows.chunks_exact(option);
        // Usual widths are computed in registers; the sums are the same bits.
        match hidden {
            16 => return scores_of::<16>(&parts, global, options, scores),
            24 => return scores_of::<24>(&parts, global, options, scores),
            32 => return scores_of::<32>(&parts, global, options, scores),
            _ => {}
        }
        scratch.base.clear();
        scratch.base.extend_from_slice(parts.bias);
        add_rows(&mut scratch.base, global, parts.global);
        scratch.hidden.resize(hidden, 0.0);
        let sums = &mut scratch.hidden[..hidden];
        for row in options {
            sums.copy_from_slice(&scratch.base);
            add_rows(sums, row, parts.option);
            scores.push(output(sums, parts.out));
        }
    }

    /// Computes the scores as [`Scorer::scores`] does, asks `blame` for the gradient of a loss by them, and adds the
    /// loss's gradient by the parameters to `grad`. `blame` is given the scores and overwrites them.
    pub fn learn(
        &self,
        global: &[f32],
        rows: &[f32],
        scratch: &mut Scratch,
        scores: &mut Vec<f32>,
        grad: &mut [f32],
        blame: impl FnOnce(&mut [f32]),
    ) {
        let ScorerShape { global: globals, option, hidden } = self.shape;
        let parts = self.parts();
        scratch.base.clear();
        scratch.base.extend_from_slice(parts.bias);
        add_rows(&mut scratch.base, global, parts.global);
        let count = rows.len() / option;
        scratch.hidden.clear();
        scratch.hidden.resize(count * hidden, 0.0);
        scores.clear();
        for (row, sums) in rows.chunks_exact(option).zip(scratch.hidden.chunks_exact_mut(hidden)) {
            sums.copy_from_slice(&scratch.base);
            add_rows(sums, row, parts.option);
            scores.push(output(sums, parts.out));
        }
        blame(scores);
        let (grad_global, rest) = grad.split_at_mut(globals * hidden);
        let (grad_bias, rest) = rest.split_at_mut(hidden);
        let (grad_option, grad_out) = rest.split_at_mut(option * hidden);
        scratch.base_grad.clear();
        scratch.base_grad.resize(hidden, 0.0);
        let hiddens = scratch.hidden.chunks_exact_mut(hidden);
        for ((row, sums), &blame) in rows.chunks_exact(option).zip(hiddens).zip(&*scores) {
            for h in 0..hidden {
                grad_out[h] += blame * leaky(sums[h]);
                let slope = if sums[h] > 0.0 { 1.0 } else { LEAK };
                sums[h] = blame * parts.out[h] * slope;
                scratch.base_grad[h] += sums[h];
            }
            for (&x, grad) in row.iter().zip(grad_option.chunks_exact_mut(hidden)) {
                if x != 0.0 {
                    add_row(grad, x, sums);
                }
            }
        }
        add_row(grad_bias, 1.0, &scratch.base_grad);
        for (&x, grad) in global.iter().zip(grad_global.chunks_exact_mut(hidden)) {
            add_row(grad, x, &scratch.base_grad);
        }
    }
}

/// The scores of options by a scorer with `N` hidden numbers.
fn scores_of<const N: usize>(
    parts: &Parts<'_>,
    global: &[f32],
    options: ChunksExact<'_, f32>,
    scores: &mut Vec<f32>,
) {
    let mut base = [0.0; N];
    base.copy_from_slice(parts.bias);
    let base = summed(base, global, parts.global);
    for row in options {
        scores.push(output(&summed(base, row, parts.option), parts.out));
    }
}

/// The sums with `x` times a row added for every number. Numbers that are 0 cost nothing.
#[inline]
fn summed<const N: usize>(mut sums: [f32; N], numbers: &[f32], rows: &[f32]) -> [f32; N] {
    let (rows, _) = rows.as_chunks::<N>();
    let count = numbers.len().min(rows.len());
    let (numbers, rows) = (&numbers[..count], &rows[..count]);
    for i in 0..count {
        let x = numbers[i];
        if x != 0.0 {
            for lane in 0..N {
                sums[lane] += x * rows[i][lane];
            }
        }
    }
    sums
}

/// `v . leaky(sums)`, by a fixed tree of sums.
#[inline]
fn output(sums: &[f32], out: &[f32]) -> f32 {
    let (sums, _) = sums.as_chunks::<LANES>();
    let (out, _) = out.as_chunks::<LANES>();
    let mut total = [0.0; LANES];
    for (sums, out) in sums.iter().zip(out) {
        for lane in 0..LANES {
            total[lane] += leaky(sums[lane]) * out[lane];
        }
    }
    let half: [f32; 4] = std::array::from_fn(|lane| total[lane] + total[lane + 4]);
    (half[0] + half[2]) + (half[1] + half[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_core::{Seed, Stream};

    const SHAPE: ScorerShape = ScorerShape { global: 3, option: 4, hidden: 16 };

    #[test]
    fn widths_in_registers_give_the_same_bits() {
        let mut rng = Seed(4).stream(Stream::Init, 0);
        for hidden in [8, 16, 24, 32, 64] {
            let scorer = Scorer::new(ScorerShape { hidden, ..SHAPE }, &mut rng);
            let (global, mut rows) = (numbers(3, &mut rng), numbers(12, &mut rng));
            rows[5] = 0.0;
            let (mut scratch, mut scores) = (Scratch::default(), Vec::new());
            scorer.scores(&global, &rows, &mut scratch, &mut scores);
            let mut grad = vec![0.0; scorer.params().len()];
            let mut learnt = Vec::new();
            scorer.learn(&global, &rows, &mut scratch, &mut Vec::new(), &mut grad, |scores| {
                learnt.extend_from_slice(scores);
            });
            assert_eq!(scores, learnt, "{hidden}");
        }
    }

    fn numbers(count: usize, rng: &mut Rng) -> Vec<f32> {
        (0..count).map(|_| (2.0 * rng.unit() - 1.0) as f32).collect()
    }

    #[test]
    fn scores_are_what_the_formula_says() {
        let mut rng = Seed(1).stream(Stream::Init, 0);
        let scorer = Scorer::new(SHAPE, &mut rng);
        let (global, rows) = (numbers(3, &mut rng), numbers(8, &mut rng));
        let mut scores = Vec::new();
        scorer.scores(&global, &rows, &mut Scratch::default(), &mut scores);
        let p = scorer.params();
        for (row, score) in rows.chunks(4).zip(&scores) {
            let hidden = |h: usize| {
                let of_global: f32 = (0..3).map(|i| p[i * 16 + h] * global[i]).sum();
                let of_option: f32 = (0..4).map(|i| p[64 + i * 16 + h] * row[i]).sum();
                leaky(of_global + p[48 + h] + of_option)
            };
            let expected: f32 = (0..16).map(|h| hidden(h) * p[128 + h]).sum();
            assert!((score - expected).abs() < 1e-5, "{score} {expected}");
        }
    }

    #[test]
    fn gradients_are_slopes() {
        let mut rng = Seed(2).stream(Stream::Init, 0);
        let mut scorer = Scorer::new(SHAPE, &mut rng);
        let (global, rows) = (numbers(3, &mut rng), numbers(12, &mut rng));
        let blame = [0.7, -1.1, 0.4];
        let (mut scratch, mut scores) = (Scratch::default(), Vec::new());
        let mut grad = vec![0.0; SHAPE.params()];
        scorer.learn(&global, &rows, &mut scratch, &mut scores, &mut grad, |scores| {
            scores.copy_from_slice(&blame);
        });
        let mut loss = |scorer: &Scorer| {
            scorer.scores(&global, &rows, &mut scratch, &mut scores);
            scores.iter().zip(blame).map(|(s, b)| f64::from(s * b)).sum::<f64>()
        };
        for i in 0..grad.len() {
            let before = scorer.params()[i];
            let step = 1e-3; // small, for the bends of the activation
            scorer.params_mut()[i] = before + step;
            let up = loss(&scorer);
            scorer.params_mut()[i] = before - step;
            let slope = (up - loss(&scorer)) / f64::from(2.0 * step);
            scorer.params_mut()[i] = before;
            assert!((slope - f64::from(grad[i])).abs() < 2e-3, "{i}: {slope} {}", grad[i]);
        }
    }
}
