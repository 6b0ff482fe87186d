//! Learning from rewrites, a batch of days at a time.
//!
//! A batch is a function of the weights, the seed and its number: there is nothing else to save.

use super::hyper::RewriterHyper;
use super::trace::Trace;
use crate::checkpoint::{SavedAdam, restore_weights};
use crate::days::TrainingDays;
use serde::{Deserialize, Serialize};
use solo_core::{Meter, Rewrite, RulesOf, Scenario, Seed, Stream, pool};
use solo_nn::{
    Adam, Encoder, RewriteLosses, RewriteSample, RewriteTrainer, RewriterNet, RewriterShape,
    clip_by_norm,
};

/// So many solutions are encoded side by side.
const SIDE_BY_SIDE: usize = 32;

/// Sums since they were last taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RewriteTally {
    pub(super) rewrites: u64,
    pub(super) loss: f64,
    pub(super) error: f64,
    pub(super) value: f64,
}

/// Learns one rewriter.
pub struct Lessons<S: Scenario> {
    hyper: RewriterHyper,
    seed: Seed,
    days: TrainingDays<S>,
    net: RewriterNet,
    /// The running mean of the weights.
    average: Vec<f32>,
    adam: Adam,
    /// Days so far.
    step: u64,
    /// Steps of the weights so far.
    updates: u64,
    tally: RewriteTally,
    threads: usize,
    trainer: RewriteTrainer,
    encoders: Vec<Encoder>,
    grad: Vec<f32>,
}

impl<S: Scenario<Problem: Rewrite>> Lessons<S> {
    /// A learner at its beginning, with the weights of `start` or, without, random ones.
    ///
    /// # Panics
    /// If `start` has another shape than the recipe says.
    pub fn new(
        hyper: RewriterHyper,
        days: TrainingDays<S>,
        start: Option<&RewriterNet>,
        seed: Seed,
        threads: usize,
    ) -> Self {
        let (problem, _) = days.start(0);
        let shape = shape(&hyper, &*problem);
        let mut net = RewriterNet::new(shape, &mut seed.stream(Stream::Init, 0));
        if let Some(start) = start {
            assert_eq!(start.shape(), shape, "the recipe is for another network");
            net.params_mut().copy_from_slice(start.params());
        }
        let params = net.params().len();
        Self {
            average: net.params().to_vec(),
            adam: Adam::new(params),
            trainer: RewriteTrainer::new(threads),
            grad: vec![0.0; params],
            step: 0,
            updates: 0,
            tally: RewriteTally::default(),
            encoders: Vec::new(),
            hyper,
            seed,
            days,
            net,
            threads,
        }
    }

    /// The network that is judged: the running mean of the weights so far.
    pub fn net(&self) -> RewriterNet {
        let mut net = self.net.clone();
        net.params_mut().copy_from_slice(&self.average);
        net
    }

    /// Days so far.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Steps of the weights so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// The learning rate now.
    pub fn learning_rate(&self) -> f64 {
        let RewriterHyper { learning_rate, decay, decay_every, .. } = self.hyper;
        learning_rate * decay.powf((self.updates / decay_every) as f64)
    }

    pub(super) fn take_tally(&mut self) -> RewriteTally {
        std::mem::take(&mut self.tally)
    }

    /// Rewrites the solutions of a batch of days, and learns from that.
    pub fn tick(&mut self) {
        let traces = self.rewrite();
        self.step += self.hyper.batch;
        let mut samples: Vec<RewriteSample<'_>> = traces
            .iter()
            .flat_map(|trace| &trace.steps)
            .map(|step| RewriteSample {
                features: &step.features,
                roles: &step.roles,
                picked: step.picked,
                partner: step.partner,
                target: step.gain,
            })
            .collect();
        if samples.is_empty() {
            return;
        }
        let mut rng = self.seed.stream(Stream::Resample, self.step);
        for i in (1..samples.len()).rev() {
            samples.swap(i, rng.below(i + 1));
        }
        let parts = (self.hyper.updates as usize).min(samples.len());
        for part in 0..parts {
            let part = part * samples.len() / parts..(part + 1) * samples.len() / parts;
            self.update(&samples[part]);
        }
    }

    /// The solutions of the next batch of days, rewritten.
    fn rewrite(&mut self) -> Vec<Trace<RulesOf<S>>> {
        let (days, seed, step) = (&self.days, self.seed, self.step);
        let begin = |i: u64| {
            let (problem, events) = days.start(step + i);
            Trace::begin(problem, &events, seed.stream(Stream::Explore, step + i))
        };
        let begun = pool::map(self.hyper.batch, self.threads, begin);
        let mut traces: Vec<_> = begun.into_iter().flatten().collect();
        let groups = traces.chunks_mut(SIDE_BY_SIDE);
        self.encoders.resize_with(groups.len(), Encoder::default);
        let (net, hyper) = (&self.net, &self.hyper);
        let mut work: Vec<_> = groups.zip(&mut self.encoders).collect();
        pool::spread(&mut work, self.threads, |(group, encoder)| {
            let mut numbers = Vec::new();
            for _ in 0..hyper.rewrites {
                let solutions: Vec<&[f32]> = group.iter().map(Trace::features).collect();
                encoder.encode(net, &solutions, &Meter::unlimited());
                for (i, trace) in group.iter_mut().enumerate() {
                    trace.rewrite(net, encoder, i, hyper.sharpness, &mut numbers);
                }
            }
            group.iter_mut().for_each(|trace| trace.reckon(hyper.discount));
        });
        traces
    }

    /// One step of the weights.
    fn update(&mut self, samples: &[RewriteSample<'_>]) {
        let weight = self.hyper.policy_weight;
        let RewriteLosses { region, rule, error, value } =
            self.trainer.gradient(&self.net, samples, weight as f32, &mut self.grad);
        clip_by_norm(&mut self.grad, self.hyper.clip as f32);
        let rate = self.learning_rate() as f32;
        self.adam.step(rate, self.net.params_mut(), &self.grad);
        self.updates += 1;
        // At first less of it stays, so that the random weights of the beginning do not last.
        let steps = self.updates as f64;
        let stays = self.hyper.average.min((steps - 1.0) / (steps + 9.0)) as f32;
        for (mean, weight) in self.average.iter_mut().zip(self.net.params()) {
            *mean = weight + stays * (*mean - weight);
        }
        self.tally.rewrites += samples.len() as u64;
        self.tally.loss += region + weight * rule;
        self.tally.error += error;
        self.tally.value += value;
    }

    /// Saves the learner.
    pub fn save(&self) -> SavedRewriter {
        SavedRewriter {
            step: self.step,
            updates: self.updates,
            tally: self.tally,
            net: self.net.params().to_vec(),
            average: self.average.clone(),
            adam: SavedAdam::new(&self.adam),
        }
    }

    /// Makes this learner, fresh from its recipe, the one that was saved. `None` if what was saved
    /// makes no sense.
    pub fn load(&mut self, saved: &SavedRewriter) -> Option<()> {
        let SavedRewriter { step, updates, tally, net, average, adam } = saved;
        let most = self.hyper.days.checked_add(self.hyper.batch)?;
        let batches = step / self.hyper.batch;
        let whole = step.is_multiple_of(self.hyper.batch) && *step <= most;
        if !whole || *updates > batches.checked_mul(self.hyper.updates)? {
            return None;
        }
        (self.step, self.updates, self.tally) = (*step, *updates, *tally);
        restore_weights(self.net.params_mut(), net)?;
        restore_weights(&mut self.average, average)?;
        self.adam = adam.restore(net.len())?;
        Some(())
    }
}

/// The shape of a recipe's network for this problem.
pub(super) fn shape<P: Rewrite>(hyper: &RewriterHyper, problem: &P) -> RewriterShape {
    let RewriterHyper { hidden, region, attention, .. } = *hyper;
    RewriterShape { features: problem.rewrite_features(), hidden, region, attention }
}

/// Everything that the rest of learning depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedRewriter {
    step: u64,
    updates: u64,
    tally: RewriteTally,
    net: Vec<f32>,
    average: Vec<f32>,
    adam: SavedAdam,
}
