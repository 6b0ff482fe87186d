//! The product of activations and weights, with what comes before and after it fused in.

use crate::dispatch::{Task, mul_add};
use crate::layout::LANES;
use crate::norm::Norm;

/// The slope of the leaky ReLU below zero: PyTorch's default, the paper being silent.
pub(crate) const LEAK: f32 = 0.01;

/// Rows that pass through all panels before the next: they stay in the first cache, and so does the panel.
const BLOCK: usize = 48;

/// `y = end(start + x weight)`, row by row.
pub(crate) struct Product<'a> {
    pub(crate) rows: usize,
    pub(crate) x: &'a [f32],
    pub(crate) x_stride: usize,
    /// Panels, from the first input that takes part.
    pub(crate) weight: &'a [f32],
    /// Inputs of the whole matrix, hence rows from one panel to the next.
    pub(crate) panel: usize,
    /// Inputs that take part.
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) start: Start<'a>,
    pub(crate) y: &'a mut [f32],
    pub(crate) y_stride: usize,
    pub(crate) end: End<'a>,
}

/// What a row starts from. Tables have rows of `outputs` numbers.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    Zero,
    /// What is there.
    Add,
    /// The same for all rows.
    Bias(&'a [f32]),
    /// One row of a table.
    Row(&'a [f32], &'a [u32]),
    /// The sum of one row each of two tables.
    Rows([&'a [f32]; 2], [&'a [u32]; 2]),
}

/// What a row ends with.
pub(crate) enum End<'a> {
    Plain,
    /// Leaky ReLU.
    Leak,
    /// Leaky ReLU, whose result stays in `y`, then a layer norm into another place.
    LeakNorm(Norm<'a>),
    /// Times the slope of a leaky ReLU, given its results in rows of the same stride as `y`.
    Slope(&'a [f32]),
}

impl Task for Product<'_> {
    #[inline(always)]
    fn run<const FMA: bool>(mut self) {
        assert!(self.outputs.is_multiple_of(LANES));
        let tallest = if FMA { 6 } else { 2 };
        let mut first = 0;
        while first < self.rows {
            let last = self.rows.min(first + BLOCK);
            for column in (0..self.outputs).step_by(LANES) {
                let mut row = first;
                while row < last {
                    let left = (last - row).min(tallest);
                    match left {
                        1 => self.tile::<FMA, 1>(row, column),
                        2 => self.tile::<FMA, 2>(row, column),
                        3 => self.tile::<FMA, 3>(row, column),
                        4 => self.tile::<FMA, 4>(row, column),
                        5 => self.tile::<FMA, 5>(row, column),
                        _ => self.tile::<FMA, 6>(row, column),
                    }
                    row += left;
                }
            }
            if let End::LeakNorm(norm) = &mut self.end {
                norm.rows::<FMA>(first..last, self.y, self.y_stride, self.outputs);
            }
            first = last;
        }
    }
}

impl Product<'_> {
    /// `M` rows times one panel.
    #[inline(always)]
    fn tile<const FMA: bool, const M: usize>(&mut self, row: usize, column: usize) {
        let inputs = self.inputs;
        let x: [&[f32]; M] = std::array::from_fn(|i| {
            let from = (row + i) * self.x_stride;
            &self.x[from..from + inputs]
        });
        let panel = &self.weight[column * self.panel..][..inputs * LANES];
        let (panel, _) = panel.as_chunks::<LANES>();
        let mut sums: [[f32; LANES]; M] = std::array::from_fn(|i| self.start(row + i, column));
        accumulate::<FMA, M>(x, panel, &mut sums);
        for (i, mut sum) in sums.into_iter().enumerate() {
            let from = (row + i) * self.y_stride + column;
            match &self.end {
                End::Plain => {}
                End::Leak | End::LeakNorm(_) => sum = sum.map(|z| z.max(LEAK * z)),
                End::Slope(results) => {
                    let results = &results[from..from + LANES];
                    for j in 0..LANES {
                        sum[j] *= if results[j] > 0.0 { 1.0 } else { LEAK };
                    }
                }
            }
            self.y[from..from + LANES].copy_from_slice(&sum);
        }
    }

    #[inline(always)]
    fn start(&self, row: usize, column: usize) -> [f32; LANES] {
        let at = |table: &[f32], from: usize| -> [f32; LANES] {
            std::array::from_fn(|j| table[from..from + LANES][j])
        };
        let row_of =
            |table: &[f32], index: &[u32]| at(table, index[row] as usize * self.outputs + column);
        match &self.start {
            Start::Zero => [0.0; LANES],
            Start::Add => at(self.y, row * self.y_stride + column),
            Start::Bias(bias) => at(bias, column),
            Start::Row(table, index) => row_of(table, index),
            Start::Rows(tables, indices) => {
                let (one, other) = (row_of(tables[0], indices[0]), row_of(tables[1], indices[1]));
                std::array::from_fn(|j| one[j] + other[j])
            }
        }
    }
}

/// `sums += x panel`, for rows of as many numbers as the panel has.
#[inline(always)]
fn accumulate<const FMA: bool, const M: usize>(
    x: [&[f32]; M],
    panel: &[[f32; LANES]],
    sums: &mut [[f32; LANES]; M],
) {
    let x = x.map(|row| &row[..panel.len()]);
    let mut local = *sums; // in registers
    for k in 0..panel.len() {
        let weights = &panel[k];
        for i in 0..M {
            let a = x[i][k];
            for j in 0..LANES {
                local[i][j] = mul_add::<FMA>(a, weights[j], local[i][j]);
            }
        }
    }
    *sums = local;
}

/// `gradient += x' slope`, the gradient of a weight in panels.
pub(crate) struct WeightGradient<'a> {
    pub(crate) rows: usize,
    pub(crate) x: &'a [f32],
    pub(crate) x_stride: usize,
    pub(crate) inputs: usize,
    /// The slopes of the results before the leaky ReLU.
    pub(crate) slope: &'a [f32],
    pub(crate) outputs: usize,
    /// Panels, from the first input that takes part.
    pub(crate) gradient: &'a mut [f32],
    pub(crate) panel: usize,
}

impl Task for WeightGradient<'_> {
    #[inline(always)]
    fn run<const FMA: bool>(mut self) {
        let tallest = if FMA { 6 } else { 2 };
        let mut first = 0;
        while first < self.rows {
            let last = self.rows.min(first + BLOCK);
            for column in (0..self.outputs).step_by(LANES) {
                let mut input = 0;
                while input < self.inputs {
                    let left = (self.inputs - input).min(tallest);
                    match left {
                        1 => self.tile::<FMA, 1>(first, last, input, column),
                        2 => self.tile::<FMA, 2>(first, last, input, column),
                        3 => self.tile::<FMA, 3>(first, last, input, column),
                        4 => self.tile::<FMA, 4>(first, last, input, column),
                        5 => self.tile::<FMA, 5>(first, last, input, column),
                        _ => self.tile::<FMA, 6>(first, last, input, column),
                    }
                    input += left;
                }
            }
            first = last;
        }
    }
}

impl WeightGradient<'_> {
    /// `M` inputs of one panel.
    #[inline(always)]
    fn tile<const FMA: bool, const M: usize>(
        &mut self,
        first: usize,
        last: usize,
        input: usize,
        column: usize,
    ) {
        let from = (column / LANES * self.panel + input) * LANES;
        let gradient = &mut self.gradient[from..from + M * LANES];
        let (gradient, _) = gradient.as_chunks_mut::<LANES>();
        let x = &self.x[first * self.x_stride + input..];
        let slope = &self.slope[first * self.outputs + column..];
        let strides = (self.x_stride, self.outputs);
        let mut sums: [[f32; LANES]; M] = [[0.0; LANES]; M];
        sums.copy_from_slice(gradient);
        outer::<FMA, M>(last - first, x, slope, strides, &mut sums);
        gradient.copy_from_slice(&sums);
    }
}

/// `sums += x' slope`, for the first `M` and `LANES` numbers of rows with these strides.
#[inline(always)]
fn outer<const FMA: bool, const M: usize>(
    rows: usize,
    x: &[f32],
    slope: &[f32],
    strides: (usize, usize),
    sums: &mut [[f32; LANES]; M],
) {
    let mut local = *sums; // in registers
    for row in 0..rows {
        let x = &x[row * strides.0..][..M];
        let slope = &slope[row * strides.1..][..LANES];
        for i in 0..M {
            let a = x[i];
            for j in 0..LANES {
                local[i][j] = mul_add::<FMA>(a, slope[j], local[i][j]);
            }
        }
    }
    *sums = local;
}
