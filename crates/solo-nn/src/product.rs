//! The product of activations and weights, with what comes before and after it fused in.
//!
//! Plain loops over arrays of fixed size, on purpose: `map` and `from_fn` are calls that the compiler does not always
//! inline here, and then the sums leave their registers.

use crate::dispatch::{Instructions, Set, Task, mul_add};
use crate::layout::LANES;
use crate::norm::{Norm, NormRows};
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

impl Product<'_> {
    pub(crate) fn run(mut self, instructions: Instructions) {
        assert!(self.outputs.is_multiple_of(LANES));
        let tall = tallest(instructions);
        // Where a vector holds a whole panel there are registers for two panels at a time.
        let wide = instructions.vector() == LANES;
        let mut first = 0;
        while first < self.rows {
            let rows = first..self.rows.min(first + BLOCK);
            first = rows.end;
            let rest = rows.end - rows.len() % tall..rows.end;
            match tall {
                6 if wide => self.block::<6, 2>(instructions, rows.start..rest.start),
                6 => self.block::<6, 1>(instructions, rows.start..rest.start),
                _ => self.block::<2, 1>(instructions, rows.start..rest.start),
            }
            // Few rows have few sums at a time; more panels keep the processor busy.
            match rest.len() {
                0 => {}
                1 => self.block::<1, 4>(instructions, rest),
                2 => self.block::<2, 2>(instructions, rest),
                3 => self.block::<3, 2>(instructions, rest),
                4 if wide => self.block::<4, 2>(instructions, rest),
                4 => self.block::<4, 1>(instructions, rest),
                _ if wide => self.block::<5, 2>(instructions, rest),
                _ => self.block::<5, 1>(instructions, rest),
            }
            if let End::LeakNorm(norm) = &mut self.end {
                let (stride, width) = (self.y_stride, self.outputs);
                instructions.run(NormRows { norm, rows, x: self.y, stride, width });
            }
        }
    }

    /// Rows, a multiple of `M`, times all panels, `P` at a time as far as they go.
    fn block<const M: usize, const P: usize>(
        &mut self,
        instructions: Instructions,
        rows: Range<usize>,
    ) {
        if rows.is_empty() {
            return;
        }
        let panels = self.outputs / LANES;
        let mut panel = 0;
        while panel < panels {
            panel += match panels - panel {
                left if left >= P => self.strip::<M, P>(instructions, rows.clone(), panel),
                2.. if P > 2 => self.strip::<M, 2>(instructions, rows.clone(), panel),
                _ => self.strip::<M, 1>(instructions, rows.clone(), panel),
            }
        }
    }

    /// Rows, a multiple of `M`, times `P` panels; returns `P`.
    fn strip<const M: usize, const P: usize>(
        &mut self,
        instructions: Instructions,
        rows: Range<usize>,
        panel: usize,
    ) -> usize {
        instructions.run(Strip::<M, P, _> { of: self, rows, panel });
        P
    }

    /// `M` rows times `P` panels.
    #[inline(always)]
    fn tile<S: Set, const M: usize, const P: usize>(&mut self, row: usize, panel: usize) {
        let inputs = self.inputs;
        let (mut x, mut panels): ([&[f32]; M], [&[[f32; LANES]]; P]) = ([&[]; M], [&[]; P]);
        for i in 0..M {
            x[i] = &self.x[(row + i) * self.x_stride..][..inputs];
        }
        for p in 0..P {
            let from = (panel + p) * LANES * self.panel;
            panels[p] = self.weight[from..from + inputs * LANES].as_chunks().0;
        }
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
        let place = |index: &[u32]| index[row] as usize * self.outputs + column;
        let mut sum = [0.0; LANES];
        match &self.start {
            Start::Zero => {}
            Start::Add => sum.copy_from_slice(&self.y[row * self.y_stride + column..][..LANES]),
            Start::Bias(bias) => sum.copy_from_slice(&bias[column..][..LANES]),
            Start::Row(table, index) => sum.copy_from_slice(&table[place(index)..][..LANES]),
            Start::Rows(tables, indices) => {
                let one = &tables[0][place(indices[0])..][..LANES];
                let other = &tables[1][place(indices[1])..][..LANES];
                for j in 0..LANES {
                    sum[j] = one[j] + other[j];
                }
            }
        }
        sum
    }
}

/// Rows to be taken `M` at a time with `P` panels. Each kind is a function of its own, which is small enough for the
/// compiler to keep all sums in registers, whatever surrounds it.
struct Strip<const M: usize, const P: usize, T> {
    of: T,
    rows: Range<usize>,
    panel: usize,
}

impl<const M: usize, const P: usize> Task for Strip<M, P, &mut Product<'_>> {
    #[inline(always)]
    fn run<S: Set>(self) {
        for row in self.rows.step_by(M) {
            self.of.tile::<S, M, P>(row, self.panel);
        }
    }
}

impl<const M: usize, const P: usize> Task for Strip<M, P, (&mut WeightGradient<'_>, Range<usize>)> {
    #[inline(always)]
    fn run<S: Set>(self) {
        let (gradient, inputs) = self.of;
        for input in inputs.step_by(M) {
            gradient.tile::<S, M, P>(self.rows.clone(), input, self.panel);
        }
    }
}

/// The most rows at a time for which the sums fit into the registers.
fn tallest(instructions: Instructions) -> usize {
    if instructions.vector() < 8 { 2 } else { 6 }
}

/// `sums += x panels`, for rows of as many numbers as a panel has.
#[inline(always)]
fn accumulate<S: Set, const M: usize, const P: usize>(
    mut x: [&[f32]; M],
    mut panels: [&[[f32; LANES]]; P],
    sums: &mut [[[f32; LANES]; P]; M],
) {
    let inputs = x[0].len();
    // Cut once more where the compiler sees it, so that no index is checked inside the loop.
    for i in 0..M {
        x[i] = &x[i][..inputs];
    }
    for p in 0..P {
        panels[p] = &panels[p][..inputs];
    }
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

impl WeightGradient<'_> {
    pub(crate) fn run(mut self, instructions: Instructions) {
        let mut first = 0;
        while first < self.rows {
            let rows = first..self.rows.min(first + BLOCK);
            first = rows.end;
            let mut panel = 0;
            while panel < self.outputs / LANES {
                panel += match self.outputs / LANES - panel {
                    2.. if instructions.vector() == LANES => {
                        self.block::<2>(instructions, &rows, panel)
                    }
                    _ => self.block::<1>(instructions, &rows, panel),
                }
            }
        }
    }

    /// All inputs of `P` panels; returns `P`.
    fn block<const P: usize>(
        &mut self,
        instructions: Instructions,
        rows: &Range<usize>,
        panel: usize,
    ) -> usize {
        let tall = tallest(instructions);
        let mut input = 0;
        while input < self.inputs {
            let (left, rows) = (self.inputs - input, rows.clone());
            input += match left.min(tall) {
                1 => self.strip::<1, P>(instructions, rows, input..input + 1, panel),
                2 | 3 => self.strip::<2, P>(instructions, rows, input..input + 2, panel),
                4 | 5 => self.strip::<4, P>(instructions, rows, input..input + 4, panel),
                _ => self.strip::<6, P>(instructions, rows, input..input + left / 6 * 6, panel),
            };
        }
        P
    }

    /// Inputs, a multiple of `M`, of `P` panels; returns how many.
    fn strip<const M: usize, const P: usize>(
        &mut self,
        instructions: Instructions,
        rows: Range<usize>,
        inputs: Range<usize>,
        panel: usize,
    ) -> usize {
        let done = inputs.len();
        instructions.run(Strip::<M, P, _> { of: (self, inputs), rows, panel });
        done
    }

    /// `M` inputs of `P` panels.
    #[inline(always)]
    fn tile<S: Set, const M: usize, const P: usize>(
        &mut self,
        rows: Range<usize>,
        input: usize,
        panel: usize,
    ) {
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
