//! Gradients of rewrites, the same on any number of threads.

use super::RewriterNet;
use super::back::{Lane, Task, transpose};
use crate::dispatch::Instructions;
use solo_core::{Role, pool};

/// Parts that a batch is cut into. The gradient is the sum of theirs in order, whoever has computed them.
const PARTS: usize = 4;
/// So many rewrites of a part are computed side by side: their numbers stay near the processor.
const SIDE_BY_SIDE: usize = 32;

/// One rewrite to learn from.
#[derive(Clone, Copy, Debug)]
pub struct RewriteSample<'a> {
    /// The numbers of the solution's nodes.
    pub features: &'a [f32],
    /// What may happen to them.
    pub roles: &'a [Role],
    /// The node that was picked.
    pub picked: u32,
    /// The node that it changed places with.
    pub partner: u32,
    /// What was gained.
    pub target: f32,
}

/// Sums over samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RewriteLosses {
    /// Smooth-L1 of the values.
    pub region: f64,
    /// Minus advantage times the logarithm of the partner's probability.
    pub rule: f64,
    /// The absolute error of the values.
    pub error: f64,
    /// The values.
    pub value: f64,
}

/// Buffers to compute gradients in.
#[derive(Debug)]
pub struct RewriteTrainer {
    lanes: Vec<Lane>,
    threads: usize,
    transposed: Vec<f32>,
}

impl RewriteTrainer {
    /// Buffers for up to `threads` threads.
    pub fn new(threads: usize) -> Self {
        let lanes = (0..PARTS).map(|_| Lane::default()).collect();
        Self { lanes, threads: threads.clamp(1, PARTS), transposed: Vec::new() }
    }

    /// With these instructions.
    pub fn with_instructions(mut self, instructions: Instructions) -> Self {
        self.lanes.iter_mut().for_each(|lane| lane.encoder.instructions = instructions);
        self
    }

    /// Writes the gradient of the mean over `batch` of
    ///
    /// smooth-L1(Q(picked) - target) - `policy_weight` (target - Q(picked)) log P(partner),
    ///
    /// the value in the second part being taken as a constant; returns sums over the batch.
    ///
    /// # Panics
    /// If `grad` is not as long as the parameters, or a sample does not fit the network.
    pub fn gradient(
        &mut self,
        net: &RewriterNet,
        batch: &[RewriteSample<'_>],
        policy_weight: f32,
        grad: &mut [f32],
    ) -> RewriteLosses {
        assert_eq!(grad.len(), net.params().len(), "the gradient has another length");
        transpose(net, &mut self.transposed);
        let share = 1.0 / batch.len().max(1) as f32;
        let task = Task { net, transposed: &self.transposed, share, policy_weight };
        let mut work: Vec<_> = (0..PARTS)
            .zip(&mut self.lanes)
            .map(|(i, lane)| (lane, &batch[i * batch.len() / PARTS..(i + 1) * batch.len() / PARTS]))
            .collect();
        pool::spread(&mut work, self.threads, |(lane, samples)| {
            lane.gradient.clear();
            lane.gradient.resize(net.params().len(), 0.0);
            lane.losses = RewriteLosses::default();
            samples.chunks(SIDE_BY_SIDE).for_each(|samples| lane.add(&task, samples));
        });
        grad.fill(0.0);
        let mut losses = RewriteLosses::default();
        for lane in &self.lanes {
            grad.iter_mut().zip(&lane.gradient).for_each(|(grad, part)| *grad += part);
            losses.region += lane.losses.region;
            losses.rule += lane.losses.rule;
            losses.error += lane.losses.error;
            losses.value += lane.losses.value;
        }
        losses
    }
}
