//! Each kernel against plain loops in double precision, and each gradient against finite differences of those, for
//! every instruction set of this machine.

use crate::dispatch::Instructions;
use crate::layout::LANES;
use crate::norm::{Norm, NormBack};
use crate::product::{End, LEAK, Product, Start, WeightGradient};
use crate::rows::{AddRows, Dots, DotsBack, SumRows, SumSpans, Way};
use solo_core::{Rng, Seed, Stream};

fn rng(index: u64) -> Rng {
    Seed(11).stream(Stream::Init, index)
}

fn random(rng: &mut Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| (2.0 * rng.unit() - 1.0) as f32).collect()
}

fn close(found: f32, expected: f64, scale: f64) {
    let error = (f64::from(found) - expected).abs();
    assert!(error <= 1e-5 * scale + 1e-6, "{found}, not {expected}");
}

fn leak(z: f64) -> f64 {
    if z > 0.0 { z } else { f64::from(LEAK) * z }
}

/// Panels of a matrix `[inputs][outputs]`.
fn panels(matrix: &[f32], inputs: usize, outputs: usize) -> Vec<f32> {
    let mut panels = vec![0.0; inputs * outputs];
    for k in 0..inputs {
        for j in 0..outputs {
            panels[(j / LANES * inputs + k) * LANES + j % LANES] = matrix[k * outputs + j];
        }
    }
    panels
}

/// A layer of random numbers, its rows wider than what takes part.
struct Layer {
    rows: usize,
    inputs: usize,
    outputs: usize,
    x: Vec<f32>,
    x_stride: usize,
    matrix: Vec<f32>,
    weight: Vec<f32>,
    bias: Vec<f32>,
}

fn layers() -> Vec<Layer> {
    let mut rng = rng(0);
    let mut made = Vec::new();
    for rows in [1, 2, 3, 4, 5, 6, 7, 11, 13, 48, 49, 101] {
        for (inputs, outputs) in [(1, 16), (3, 48), (16, 32), (33, 16), (32, 80), (64, 64)] {
            let x_stride = inputs + rows % 3;
            let matrix = random(&mut rng, inputs * outputs);
            made.push(Layer {
                rows,
                inputs,
                outputs,
                x: random(&mut rng, rows * x_stride),
                x_stride,
                weight: panels(&matrix, inputs, outputs),
                matrix,
                bias: random(&mut rng, outputs),
            });
        }
    }
    made
}

impl Layer {
    /// The product alone.
    fn plain(&self, row: usize, output: usize) -> f64 {
        let x = &self.x[row * self.x_stride..];
        let term = |k: usize| f64::from(x[k]) * f64::from(self.matrix[k * self.outputs + output]);
        (0..self.inputs).map(term).sum()
    }

    fn run(&self, instructions: Instructions, start: Start<'_>, end: End<'_>, y: &mut [f32]) {
        Product {
            rows: self.rows,
            x: &self.x,
            x_stride: self.x_stride,
            weight: &self.weight,
            panel: self.inputs,
            inputs: self.inputs,
            outputs: self.outputs,
            start,
            y,
            y_stride: self.outputs,
            end,
        }
        .run(instructions);
    }
}

#[test]
fn products_with_every_start_and_end() {
    for instructions in Instructions::all() {
        for layer in layers() {
            let Layer { rows, outputs, .. } = layer;
            let mut rng = rng(1);
            let tables = [random(&mut rng, 4 * outputs), random(&mut rng, 3 * outputs)];
            let indices =
                [4, 3].map(|size| (0..rows).map(|_| rng.below(size) as u32).collect::<Vec<u32>>());
            let before = random(&mut rng, rows * outputs);
            let from = |table: usize, row: usize, output: usize| {
                f64::from(tables[table][indices[table][row] as usize * outputs + output])
            };
            let check = |start: Start<'_>, expected: &dyn Fn(usize, usize) -> f64| {
                for end in 0..3 {
                    let mut y = before.clone();
                    let results: Vec<f32> = before.iter().rev().copied().collect();
                    let form = match end {
                        0 => End::Plain,
                        1 => End::Leak,
                        _ => End::Slope(&results),
                    };
                    layer.run(instructions, start, form, &mut y);
                    for row in 0..rows {
                        for output in 0..outputs {
                            let place = row * outputs + output;
                            let sum = expected(row, output) + layer.plain(row, output);
                            let expected = match end {
                                0 => sum,
                                1 => leak(sum),
                                _ if results[place] > 0.0 => sum,
                                _ => f64::from(LEAK) * sum,
                            };
                            close(y[place], expected, 1.0 + sum.abs());
                        }
                    }
                }
            };
            check(Start::Zero, &|_, _| 0.0);
            check(Start::Bias(&layer.bias), &|_, output| f64::from(layer.bias[output]));
            check(Start::Add, &|row, output| f64::from(before[row * outputs + output]));
            check(Start::Row(&tables[0], &indices[0]), &|row, output| from(0, row, output));
            let [one, other] = &tables;
            check(Start::Rows([one, other], [&indices[0], &indices[1]]), &|row, output| {
                from(0, row, output) + from(1, row, output)
            });
        }
    }
}

/// The slope of `sum(weights f(x))` in each of `x`, by finite differences.
fn slopes(x: &[f32], weights: &[f32], f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let x: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
    let total = |i: usize, by: f64| {
        let mut x = x.clone();
        x[i] += by;
        f(&x).iter().zip(weights).map(|(y, &w)| y * f64::from(w)).sum::<f64>()
    };
    (0..x.len()).map(|i| (total(i, 1e-6) - total(i, -1e-6)) / 2e-6).collect()
}

#[test]
fn gradients_of_a_layer_are_finite_differences() {
    for instructions in Instructions::all() {
        for layer in layers().into_iter().filter(|layer| layer.rows <= 13 && layer.inputs <= 33) {
            let Layer { rows, inputs, outputs, .. } = layer;
            let mut y = vec![0.0; rows * outputs];
            layer.run(instructions, Start::Bias(&layer.bias), End::Leak, &mut y);
            let weights = random(&mut rng(2), rows * outputs);
            // The slope before the leaky ReLU, then the gradients.
            let slope: Vec<f32> =
                weights.iter().zip(&y).map(|(w, &y)| if y > 0.0 { *w } else { LEAK * w }).collect();
            let mut gradient = vec![0.0; inputs * outputs];
            WeightGradient {
                rows,
                x: &layer.x,
                x_stride: layer.x_stride,
                inputs,
                slope: &slope,
                outputs,
                gradient: &mut gradient,
                panel: inputs,
            }
            .run(instructions);
            let mut bias_gradient = vec![0.0; outputs];
            instructions.run(SumRows { rows, from: &slope, total: &mut bias_gradient });
            let forward = |matrix: &[f64], bias: &[f64]| -> Vec<f64> {
                let one = |i: usize| {
                    let (row, output) = (i / outputs, i % outputs);
                    let x = &layer.x[row * layer.x_stride..];
                    let terms = (0..inputs).map(|k| f64::from(x[k]) * matrix[k * outputs + output]);
                    leak(bias[output] + terms.sum::<f64>())
                };
                (0..rows * outputs).map(one).collect()
            };
            let wide = |x: &[f32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
            let (matrix, bias) = (wide(&layer.matrix), wide(&layer.bias));
            if inputs * outputs <= 600 {
                let expected = slopes(&layer.matrix, &weights, |matrix| forward(matrix, &bias));
                let mut ordered = vec![0.0; inputs * outputs];
                for (i, &found) in gradient.iter().enumerate() {
                    let (panel, rest) = (i / (inputs * LANES), i % (inputs * LANES));
                    ordered[rest / LANES * outputs + panel * LANES + rest % LANES] = found;
                }
                for (&found, expected) in ordered.iter().zip(expected) {
                    close(found, expected, 10.0);
                }
            }
            let expected = slopes(&layer.bias, &weights, |bias| forward(&matrix, bias));
            for (&found, expected) in bias_gradient.iter().zip(expected) {
                close(found, expected, 10.0);
            }
        }
    }
}

#[test]
fn norms_and_their_gradients() {
    for instructions in Instructions::all() {
        for (rows, width) in [(1, 16), (3, 32), (7, 48), (50, 16)] {
            let mut rng = rng(3);
            let z = random(&mut rng, rows * width);
            let gain = random(&mut rng, width);
            let shift = random(&mut rng, width);
            let weights = random(&mut rng, rows * width);
            let f = |z: &[f64], gain: &[f64], shift: &[f64]| -> Vec<f64> {
                let mut out = Vec::new();
                for z in z.chunks_exact(width) {
                    let x: Vec<f64> = z.iter().map(|&z| leak(z)).collect();
                    let mean = x.iter().sum::<f64>() / width as f64;
                    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / width as f64;
                    let normed = x.iter().map(|x| (x - mean) / (variance + 1e-5).sqrt());
                    out.extend(
                        normed.zip(gain).zip(shift).map(|((n, gain), shift)| n * gain + shift),
                    );
                }
                out
            };
            let wide = |x: &[f32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();

            // A product with an identity, so that the norm is where it always is: behind one.
            let identity: Vec<f32> = (0..width * width)
                .map(|i| if i / width == i % width { 1.0 } else { 0.0 })
                .collect();
            let (mut x, mut out) = (vec![0.0; rows * width], vec![0.0; rows * 2 * width]);
            let mut stats = vec![[0.0; 2]; rows];
            let norm = Norm {
                gain: &gain,
                shift: &shift,
                out: &mut out,
                out_stride: 2 * width,
                stats: &mut stats,
            };
            Product {
                rows,
                x: &z,
                x_stride: width,
                weight: &panels(&identity, width, width),
                panel: width,
                inputs: width,
                outputs: width,
                start: Start::Zero,
                y: &mut x,
                y_stride: width,
                end: End::LeakNorm(norm),
            }
            .run(instructions);
            let expected = f(&wide(&z), &wide(&gain), &wide(&shift));
            for (i, expected) in expected.into_iter().enumerate() {
                close(out[i / width * 2 * width + i % width], expected, 3.0);
            }

            let mut slope = vec![0.0; rows * width];
            let (mut gain_gradient, mut shift_gradient) = (vec![0.0; width], vec![0.0; width]);
            instructions.run(NormBack {
                rows,
                width,
                x: &x,
                stats: &stats,
                gain: &gain,
                slope: &weights,
                out: &mut slope,
                gain_gradient: &mut gain_gradient,
                shift_gradient: &mut shift_gradient,
            });
            let (z64, gain64, shift64) = (wide(&z), wide(&gain), wide(&shift));
            let checks = [
                (&slope, slopes(&z, &weights, |z| f(z, &gain64, &shift64))),
                (&gain_gradient, slopes(&gain, &weights, |gain| f(&z64, gain, &shift64))),
                (&shift_gradient, slopes(&shift, &weights, |shift| f(&z64, &gain64, shift))),
            ];
            for (found, expected) in checks {
                assert_eq!(found.len(), expected.len());
                for (&found, expected) in found.iter().zip(expected) {
                    close(found, expected, 10.0);
                }
            }
        }
    }
}

#[test]
fn sums_by_index_and_by_span() {
    for instructions in Instructions::all() {
        let mut rng = rng(4);
        let (width, stride) = (32, 40);
        let from = random(&mut rng, 10 * stride);
        let index: Vec<u32> = (0..10).map(|_| rng.below(4) as u32).collect();
        let (mut scattered, mut gathered) = (vec![1.0; 4 * width], vec![1.0; 10 * width]);
        for (to, way) in [(&mut scattered, Way::Scatter), (&mut gathered, Way::Gather)] {
            let (to_stride, from_stride, index) = (width, stride, &index[..]);
            let from = &from;
            instructions.run(AddRows { width, to, to_stride, from, from_stride, index, way });
        }
        let mut spans = vec![0.0; 3 * stride];
        let start = [0, 4, 4, 10];
        let scale = [[9.0, 0.5]; 3];
        instructions.run(SumSpans {
            width,
            start: &start,
            scale: &scale,
            which: 1,
            to: &mut spans,
            to_stride: stride,
            from: &from,
            from_stride: stride,
        });
        for k in 0..width {
            let at = |row: usize| f64::from(from[row * stride + k]);
            for node in 0..4 {
                let sum: f64 = (0..10).filter(|&i| index[i] == node as u32).map(at).sum();
                close(scattered[node * width + k], 1.0 + sum, 1.0);
            }
            for (row, &i) in index.iter().enumerate() {
                close(gathered[row * width + k], 1.0 + at(i as usize), 1.0);
            }
            for (graph, span) in start.windows(2).enumerate() {
                let sum: f64 = (span[0]..span[1]).map(at).sum();
                close(spans[graph * stride + k], 0.5 * sum, 1.0);
            }
        }
    }
}

#[test]
fn dots_and_their_gradients() {
    for instructions in Instructions::all() {
        let mut rng = rng(5);
        let (rows, width, x_stride) = (9, 48, 50);
        let x = random(&mut rng, rows * x_stride);
        let weight = random(&mut rng, width);
        let weights = random(&mut rng, rows);
        let mut out = vec![2.0; rows];
        instructions.run(Dots { x: &x, x_stride, weight: &weight, out: &mut out });
        let f = |x: &[f64], weight: &[f64]| -> Vec<f64> {
            let row = |row: usize| (0..width).map(|k| x[row * x_stride + k] * weight[k]).sum();
            (0..rows).map(row).collect()
        };
        let wide = |x: &[f32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
        for (&out, expected) in out.iter().zip(f(&wide(&x), &wide(&weight))) {
            close(out, 2.0 + expected, 5.0);
        }
        let (mut x_slope, mut gradient) = (vec![0.0; rows * width], vec![0.0; width]);
        instructions.run(DotsBack {
            x: &x,
            x_stride,
            weight: &weight,
            slope: &weights,
            x_slope: &mut x_slope,
            gradient: &mut gradient,
        });
        let expected = slopes(&x, &weights, |x| f(x, &wide(&weight)));
        for (i, &found) in x_slope.iter().enumerate() {
            close(found, expected[i / width * x_stride + i % width], 1.0);
        }
        for (&found, expected) in
            gradient.iter().zip(slopes(&weight, &weights, |w| f(&wide(&x), w)))
        {
            close(found, expected, 5.0);
        }
    }
}
