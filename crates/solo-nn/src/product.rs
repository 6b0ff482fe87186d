//! The product of activations and weights, with what comes before and after it fused in.

use crate::dispatch::{Set, Task, mul_add};
use crate::layout::LANES;
use crate::norm::Norm;
use std::ops::Range;

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
    fn run<S: Set>(mut self) {
        assert!(self.outputs.is_multiple_of(LANES));
        let mut first = 0;
        while first < self.rows {
            let last = self.rows.min(first + BLOCK);
            let mut panel = 0;
            while panel < self.outputs / LANES {
                panel += match self.outputs / LANES - panel {
                    // A single row has few sums at a time; more panels keep the processor busy.
                    4.. if last - first == 1 => self.strip::<S, 4>(first..last, panel),
                    2.. if S::VECTOR == LANES => self.strip::<S, 2>(first..last, panel),
                    _ => self.strip::<S, 1>(first..last, panel),
                }
            }
            if let End::LeakNorm(norm) = &mut self.end {
                norm.rows::<S>(first..last, self.y, self.y_stride, self.outputs);
            }
            first = last;
        }
    }
}

impl Product<'_> {
    /// A block of rows times `P` panels; returns `P`.
    #[inline(always)]
    fn strip<S: Set, const P: usize>(&mut self, rows: Range<usize>, panel: usize) -> usize {
        let mut row = rows.start;
        while row < rows.end {
            row += match rows.end - row {
                1 => self.tile::<S, 1, P>(row, panel),
                2 => self.tile::<S, 2, P>(row, panel),
                _ if S::VECTOR < 8 || P == 4 => self.tile::<S, 2, P>(row, panel),
                3 => self.tile::<S, 3, P>(row, panel),
                4 => self.tile::<S, 4, P>(row, panel),
                5 => self.tile::<S, 5, P>(row, panel),
                _ => self.tile::<S, 6, P>(row, panel),
            }
        }
        P
    }

    /// `M` rows times `P` panels; returns `M`.
    #[inline(always)]
    fn tile<S: Set, const M: usize, const P: usize>(&mut self, row: usize, panel: usize) -> usize {
        let inputs = self.inputs;
        let x: [&[f32]; M] = std::array::from_fn(|i| {
            let from = (row + i) * self.x_stride;
            &self.x[from..from + inputs]
        });
        let panels: [&[[f32; LANES]]; P] = std::array::from_fn(|p| {
            let from = (panel + p) * LANES * self.panel;
            self.weight[from..from + inputs * LANES].as_chunks().0
        });
        let mut sums = [[[0.0; LANES]; P]; M];
        for i in 0..M {
            for p in 0..P {
                sums[i][p] = self.start(row + i, (panel + p) * LANES);
            }
        }
        accumulate::<S, M, P>(x, panels, &mut sums);
        for i in 0..M {
            for p in 0..P {
                self.finish(row + i, (panel + p) * LANES, sums[i][p]);
            }
        }
        M
    }

    #[inline(always)]
    fn finish(&mut self, row: usize, column: usize, mut sum: [f32; LANES]) {
        let from = row * self.y_stride + column;
        match &self.end {
            End::Plain => {}
            End::Leak | End::LeakNorm(_) => {
                for z in &mut sum {
                    *z = z.max(LEAK * *z);
                }
            }
            End::Slope(results) => {
                let results = &results[from..from + LANES];
                for j in 0..LANES {
                    sum[j] *= if results[j] > 0.0 { 1.0 } else { LEAK };
                }
            }
        }
        self.y[from..from + LANES].copy_from_slice(&sum);
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

/// `sums += x panels`, for rows of as many numbers as a panel has.
#[inline(always)]
fn accumulate<S: Set, const M: usize, const P: usize>(
    x: [&[f32]; M],
    panels: [&[[f32; LANES]]; P],
    sums: &mut [[[f32; LANES]; P]; M],
) {
    let inputs = x[0].len();
    let x = x.map(|row| &row[..inputs]);
    let panels = panels.map(|panel| &panel[..inputs]);
    let mut local = *sums; // in registers
    for k in 0..inputs {
        for i in 0..M {
            let a = x[i][k];
            for p in 0..P {
                for j in 0..LANES {
                    local[i][p][j] = mul_add::<S>(a, panels[p][k][j], local[i][p][j]);
                }
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
    fn run<S: Set>(mut self) {
        let mut first = 0;
        while first < self.rows {
            let last = self.rows.min(first + BLOCK);
            let mut panel = 0;
            while panel < self.outputs / LANES {
                panel += match self.outputs / LANES - panel {
                    2.. if S::VECTOR == LANES => self.strip::<S, 2>(first..last, panel),
                    _ => self.strip::<S, 1>(first..last, panel),
                }
            }
            first = last;
        }
    }
}

impl WeightGradient<'_> {
    /// All inputs of `P` panels; returns `P`.
    #[inline(always)]
    fn strip<S: Set, const P: usize>(&mut self, rows: Range<usize>, panel: usize) -> usize {
        let mut input = 0;
        while input < self.inputs {
            let rows = rows.clone();
            input += match self.inputs - input {
                1 => self.tile::<S, 1, P>(rows, input, panel),
                2 | 3 => self.tile::<S, 2, P>(rows, input, panel),
                _ if S::VECTOR < 8 => self.tile::<S, 2, P>(rows, input, panel),
                4 | 5 => self.tile::<S, 4, P>(rows, input, panel),
                _ => self.tile::<S, 6, P>(rows, input, panel),
            }
        }
        P
    }

    /// `M` inputs of `P` panels; returns `M`.
    #[inline(always)]
    fn tile<S: Set, const M: usize, const P: usize>(
        &mut self,
        rows: Range<usize>,
        input: usize,
        panel: usize,
    ) -> usize {
        let place = |p: usize| ((panel + p) * self.panel + input) * LANES;
        let mut sums = [[[0.0; LANES]; P]; M];
        for p in 0..P {
            for (i, from) in self.gradient[place(p)..].as_chunks().0[..M].iter().enumerate() {
                sums[i][p] = *from;
            }
        }
        let x = &self.x[rows.start * self.x_stride + input..];
        let slope = &self.slope[rows.start * self.outputs + panel * LANES..];
        outer::<S, M, P>(rows.len(), x, slope, (self.x_stride, self.outputs), &mut sums);
        for p in 0..P {
            let to = self.gradient[place(p)..].as_chunks_mut().0;
            for (i, to) in to[..M].iter_mut().enumerate() {
                *to = sums[i][p];
            }
        }
        M
    }
}

/// `sums += x' slope`, for the first `M` and `P LANES` numbers of rows with these strides.
#[inline(always)]
fn outer<S: Set, const M: usize, const P: usize>(
    rows: usize,
    x: &[f32],
    slope: &[f32],
    strides: (usize, usize),
    sums: &mut [[[f32; LANES]; P]; M],
) {
    let mut local = *sums; // in registers
    for row in 0..rows {
        let x = &x[row * strides.0..][..M];
        let slope: &[[f32; LANES]] = &slope[row * strides.1..].as_chunks().0[..P];
        for i in 0..M {
            let a = x[i];
            for p in 0..P {
                for j in 0..LANES {
                    local[i][p][j] = mul_add::<S>(a, slope[p][j], local[i][p][j]);
                }
            }
        }
    }
    *sums = local;
}
