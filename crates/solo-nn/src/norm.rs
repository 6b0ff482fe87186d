//! Layer norm, forward and back.

use crate::dispatch::{Set, Task, mul_add};
use crate::product::LEAK;
use std::ops::Range;

/// Added to the variance: PyTorch's default.
const EPSILON: f32 = 1e-5;

/// A layer norm and where its results go.
pub(crate) struct Norm<'a> {
    pub(crate) gain: &'a [f32],
    pub(crate) shift: &'a [f32],
    pub(crate) out: &'a mut [f32],
    pub(crate) out_stride: usize,
    /// The mean and the inverse deviation of each row.
    pub(crate) stats: &'a mut [[f32; 2]],
}

/// The norm of some rows.
pub(crate) struct NormRows<'n, 'a> {
    pub(crate) norm: &'n mut Norm<'a>,
    pub(crate) rows: Range<usize>,
    pub(crate) x: &'n [f32],
    pub(crate) stride: usize,
    pub(crate) width: usize,
}

impl Task for NormRows<'_, '_> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let Self { norm, rows, x, stride, width } = self;
        let share = 1.0 / width as f32;
        // All statistics first: their long chains of dependent operations overlap from row to row.
        for row in rows.clone() {
            let x = &x[row * stride..][..width];
            let mean = sum(x, |x| x) * share;
            let variance = sum(x, |x| (x - mean) * (x - mean)) * share;
            norm.stats[row] = [mean, variance];
        }
        for [_, spread] in &mut norm.stats[rows.clone()] {
            *spread = 1.0 / (*spread + EPSILON).sqrt();
        }
        let (gain, shift) = (&norm.gain[..width], &norm.shift[..width]);
        for row in rows {
            let x = &x[row * stride..][..width];
            let [mean, inverse] = norm.stats[row];
            let out = &mut norm.out[row * norm.out_stride..][..width];
            for k in 0..width {
                out[k] = mul_add::<S>((x[k] - mean) * inverse, gain[k], shift[k]);
            }
        }
    }
}

/// The slopes of `z` in `norm(leak(z))`.
pub(crate) struct NormBack<'a> {
    pub(crate) rows: usize,
    pub(crate) width: usize,
    /// `leak(z)`.
    pub(crate) x: &'a [f32],
    pub(crate) stats: &'a [[f32; 2]],
    pub(crate) gain: &'a [f32],
    /// The slopes of the results.
    pub(crate) slope: &'a [f32],
    /// The slopes of `z`.
    pub(crate) out: &'a mut [f32],
    pub(crate) gain_gradient: &'a mut [f32],
    pub(crate) shift_gradient: &'a mut [f32],
}

impl Task for NormBack<'_> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let Self { rows, width, x, stats, gain, slope, out, gain_gradient, shift_gradient } = self;
        let share = 1.0 / width as f32;
        let (gain, gain_gradient) = (&gain[..width], &mut gain_gradient[..width]);
        let shift_gradient = &mut shift_gradient[..width];
        for row in 0..rows {
            let x = &x[row * width..][..width];
            let slope = &slope[row * width..][..width];
            let out = &mut out[row * width..][..width];
            let [mean, inverse] = stats[row];
            // With n = (x - mean) inverse and g the slope times the gain, the slope of x is
            // inverse (g - mean(g) - n mean(g n)).
            let mut totals = [[0.0f32; 8]; 2];
            for from in (0..width).step_by(8) {
                for j in 0..8 {
                    let k = from + j;
                    let normed = (x[k] - mean) * inverse;
                    shift_gradient[k] += slope[k];
                    gain_gradient[k] = mul_add::<S>(slope[k], normed, gain_gradient[k]);
                    let g = slope[k] * gain[k];
                    totals[0][j] += g;
                    totals[1][j] = mul_add::<S>(g, normed, totals[1][j]);
                }
            }
            let (mean_g, mean_gn) = (fold(totals[0]) * share, fold(totals[1]) * share);
            for k in 0..width {
                let normed = (x[k] - mean) * inverse;
                let g = slope[k] * gain[k];
                let inner = g - mean_g - normed * mean_gn;
                out[k] = inverse * inner * if x[k] > 0.0 { 1.0 } else { LEAK };
            }
        }
    }
}

/// The sum of `f` over a slice whose length is a multiple of sixteen.
#[inline(always)]
fn sum(x: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut total = [0.0f32; 8];
    for x in x.as_chunks::<16>().0 {
        for j in 0..8 {
            total[j] += f(x[j]) + f(x[j + 8]);
        }
    }
    fold(total)
}

#[inline(always)]
pub(crate) fn fold(parts: [f32; 8]) -> f32 {
    let [a, b, c, d, e, f, g, h] = parts;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
