//! Fitting a scorer to labelled states.

use super::labels::Labels;
use solo_core::Rng;
use solo_nn::{Adam, Scorer, Scratch, clip_by_norm};

/// How a scorer is fitted. Costs are in units of the mean regret of an option drawn at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitParams {
    /// Epochs by cross-entropy to softmax(-cost / tau).
    pub epochs: u64,
    /// Epochs by the expected regret of softmax(score), after that.
    pub regret_epochs: u64,
    /// States in a batch.
    pub batch: usize,
    /// The learning rate of Adam at first; it falls to a tenth.
    pub rate: f64,
    /// The temperature of the labels.
    pub tau: f64,
}

/// Longer gradients are shortened to this norm.
const CLIP: f32 = 5.0;

/// Fits the scorer, and returns the mean expected regret of the last epoch, in units of that of an
/// option drawn at random.
pub fn fit(scorer: &mut Scorer, labels: &Labels, params: &FitParams, rng: &mut Rng) -> f64 {
    if labels.is_empty() {
        return 0.0;
    }
    let shape = scorer.shape();
    let scale = labels.scale();
    let mut order: Vec<u32> = (0..labels.len() as u32).collect();
    let mut adam = Adam::new(scorer.params().len());
    let mut grad = vec![0.0; scorer.params().len()];
    let (mut scratch, mut scores, mut wanted) = (Scratch::default(), Vec::new(), Vec::new());
    let epochs = params.epochs + params.regret_epochs;
    let mut regret = 0.0;
    for epoch in 0..epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
        let part = epoch as f64 / epochs as f64;
        let rate = (params.rate * (1.0 - 0.9 * part)) as f32;
        let by_regret = epoch >= params.epochs;
        regret = 0.0;
        for batch in order.chunks(params.batch.max(1)) {
            grad.fill(0.0);
            let share = 1.0 / batch.len() as f32;
            for &index in batch {
                let label = labels.get(index as usize, shape.global, shape.option);
                let (global, rows) = (label.global, label.rows);
                scorer.learn(global, rows, &mut scratch, &mut scores, &mut grad, |scores| {
                    softmax(scores);
                    let lost = |(p, r): (&f32, &f32)| p * r / scale;
                    let expected: f32 = scores.iter().zip(label.regrets).map(lost).sum();
                    regret += f64::from(expected);
                    if by_regret {
                        for (p, r) in scores.iter_mut().zip(label.regrets) {
                            *p *= (r / scale - expected) * share;
                        }
                    } else {
                        wanted.clear();
                        let sharp = -1.0 / (params.tau as f32 * scale);
                        wanted.extend(label.regrets.iter().map(|r| r * sharp));
                        softmax(&mut wanted);
                        for (p, t) in scores.iter_mut().zip(&wanted) {
                            *p = (*p - t) * share;
                        }
                    }
                });
            }
            clip_by_norm(&mut grad, CLIP);
            adam.step(rate, scorer.params_mut(), &grad);
        }
        regret /= labels.len() as f64;
    }
    regret
}

/// Makes numbers the probabilities that are proportional to their exponentials.
fn softmax(numbers: &mut [f32]) {
    let most = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for number in numbers.iter_mut() {
        *number = libm::expf(*number - most);
        sum += *number;
    }
    for number in numbers {
        *number /= sum;
    }
}
