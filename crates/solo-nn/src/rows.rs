//! Sums over edges and nodes: adding rows to rows by index.

use crate::dispatch::{Set, Task, mul_add};
use crate::norm::fold;

/// Rows of `width` numbers with a stride; slices begin at the first number that takes part.
pub(crate) struct AddRows<'a> {
    pub(crate) width: usize,
    pub(crate) to: &'a mut [f32],
    pub(crate) to_stride: usize,
    pub(crate) from: &'a [f32],
    pub(crate) from_stride: usize,
    pub(crate) index: &'a [u32],
    pub(crate) way: Way,
}

/// Which side the index is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// `to[index[i]] += from[i]`
    Scatter,
    /// `to[i] += from[index[i]]`
    Gather,
}

impl Task for AddRows<'_> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let Self { width, to, to_stride, from, from_stride, index, way } = self;
        for (i, &other) in index.iter().enumerate() {
            let (t, f) = match way {
                Way::Scatter => (other as usize, i),
                Way::Gather => (i, other as usize),
            };
            let to = &mut to[t * to_stride..][..width];
            let from = &from[f * from_stride..][..width];
            for (to, from) in to.iter_mut().zip(from) {
                *to += from;
            }
        }
    }
}

/// `out[i] += x[i] . weight`, rows against one vector.
pub(crate) struct Dots<'a> {
    pub(crate) x: &'a [f32],
    pub(crate) x_stride: usize,
    pub(crate) weight: &'a [f32],
    pub(crate) out: &'a mut [f32],
}

impl Task for Dots<'_> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let Self { x, x_stride, weight, out } = self;
        let width = weight.len();
        for (row, out) in out.iter_mut().enumerate() {
            let x = &x[row * x_stride..][..width];
            let mut parts = [0.0f32; 8];
            for (x, weight) in x.chunks_exact(8).zip(weight.chunks_exact(8)) {
                for j in 0..8 {
                    parts[j] = mul_add::<S>(x[j], weight[j], parts[j]);
                }
            }
            *out += fold(parts);
        }
    }
}

/// The way back of [`Dots`]: `x_slope[i] += slope[i] weight` and `gradient += slope[i] x[i]`.
pub(crate) struct DotsBack<'a> {
    pub(crate) x: &'a [f32],
    pub(crate) x_stride: usize,
    pub(crate) weight: &'a [f32],
    pub(crate) slope: &'a [f32],
    pub(crate) x_slope: &'a mut [f32],
    pub(crate) gradient: &'a mut [f32],
}

impl Task for DotsBack<'_> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let Self { x, x_stride, weight, slope, x_slope, gradient } = self;
        let width = weight.len();
        let gradient = &mut gradient[..width];
        for (row, &slope) in slope.iter().enumerate() {
            let x = &x[row * x_stride..][..width];
            let x_slope = &mut x_slope[row * width..][..width];
            for j in 0..width {
                x_slope[j] = mul_add::<S>(slope, weight[j], x_slope[j]);
                gradient[j] = mul_add::<S>(slope, x[j], gradient[j]);
            }
        }
    }
}

/// `to[i] = scale[i] times the sum of the rows from start[i] to start[i + 1]`: the sums of graphs, whose rows lie
/// together.
pub(crate) struct SumSpans<'a> {
    pub(crate) width: usize,
    pub(crate) start: &'a [usize],
    pub(crate) scale: &'a [[f32; 2]],
    /// Which of the two scales.
    pub(crate) which: usize,
    pub(crate) to: &'a mut [f32],
    pub(crate) to_stride: usize,
    pub(crate) from: &'a [f32],
    pub(crate) from_stride: usize,
}

impl Task for SumSpans<'_> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let Self { width, start, scale, which, to, to_stride, from, from_stride } = self;
        for (i, (span, scale)) in start.windows(2).zip(scale).enumerate() {
            for column in (0..width).step_by(16) {
                let mut total = [0.0f32; 16]; // in registers
                for row in span[0]..span[1] {
                    let from = &from[row * from_stride + column..][..16];
                    for j in 0..16 {
                        total[j] += from[j];
                    }
                }
                let to = &mut to[i * to_stride + column..][..16];
                for j in 0..16 {
                    to[j] = total[j] * scale[which];
                }
            }
        }
    }
}

/// `total += the sum of all rows`.
pub(crate) struct SumRows<'a> {
    pub(crate) rows: usize,
    pub(crate) from: &'a [f32],
    pub(crate) total: &'a mut [f32],
}

impl Task for SumRows<'_> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let width = self.total.len();
        for from in self.from.chunks_exact(width).take(self.rows) {
            for (total, from) in self.total.iter_mut().zip(from) {
                *total += from;
            }
        }
    }
}

/// The first `len` numbers, making room if there are fewer. What was there before stays.
pub(crate) fn room<T: Copy + Default>(buffer: &mut Vec<T>, len: usize) -> &mut [T] {
    if buffer.len() < len {
        buffer.resize(len, T::default());
    }
    &mut buffer[..len]
}

/// The first `len` numbers, all zero.
pub(crate) fn zeros<T: Copy + Default>(buffer: &mut Vec<T>, len: usize) -> &mut [T] {
    let zeros = room(buffer, len);
    zeros.fill(T::default());
    zeros
}
