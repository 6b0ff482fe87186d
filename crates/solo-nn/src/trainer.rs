//! Gradients of a batch, the same on any number of threads.

use crate::backward::{Back, Scratch, Slopes, transpose};
use crate::batch::Batch;
use crate::dispatch::Instructions;
use crate::forward::{Raw, State, Terms, Trace};
use crate::infer::{fitting, values};
use crate::rows::{room, zeros};
use crate::{Config, Qnet};
use solo_core::{Graph, pool};

/// Parts that a batch is cut into. The gradient is the sum of theirs in order, whoever has computed them.
pub const LANES: usize = 8;

/// One decision to learn from.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The state.
    pub graph: &'a Graph,
    /// The legal slots.
    pub legal: &'a [u32],
    /// The slot that was chosen.
    pub slot: u32,
    /// What its value should be.
    pub target: f32,
    /// How much it counts.
    pub weight: f32,
}

/// How an error becomes a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Half the square.
    Square,
    /// Half the square up to this error, and then a straight line.
    Huber(f32),
}

impl Loss {
    /// The loss and its slope.
    fn of(self, error: f32) -> (f32, f32) {
        match self {
            Self::Huber(knee) if error.abs() > knee => {
                (knee * (error.abs() - 0.5 * knee), knee.copysign(error))
            }
            _ => (0.5 * error * error, error),
        }
    }
}

/// Buffers to compute gradients in.
#[derive(Debug)]
pub struct Trainer {
    instructions: Instructions,
    loss: Loss,
    lanes: Vec<Lane>,
    threads: usize,
    transposed: Vec<f32>,
}

impl Trainer {
    /// Buffers for gradients of networks like `net`, computed by up to `threads` threads. The loss is Huber's with
    /// knee 1.
    pub fn new(net: &Qnet, threads: usize) -> Self {
        let lane = || Lane { gradient: vec![0.0; net.params().len()], ..Lane::default() };
        Self {
            instructions: Instructions::best(),
            loss: Loss::Huber(1.0),
            lanes: (0..LANES).map(|_| lane()).collect(),
            threads: threads.clamp(1, LANES),
            transposed: Vec::new(),
        }
    }

    /// With another loss.
    pub fn with_loss(self, loss: Loss) -> Self {
        Self { loss, ..self }
    }

    /// With these instructions.
    pub fn with_instructions(self, instructions: Instructions) -> Self {
        Self { instructions, ..self }
    }

    /// Writes the gradient of the mean over `batch` of weight times loss of `q[slot] - target`, and each sample's error
    /// `q[slot] - target`; returns that mean. The numbers do not depend on the number of threads.
    ///
    /// # Panics
    /// If `grad` is not as long as the parameters, `td` not as long as the batch, a slot is not in its graph, or a graph is
    /// not one that the network was made for.
    pub fn gradient(
        &mut self,
        net: &Qnet,
        batch: &[Sample<'_>],
        grad: &mut [f32],
        td: &mut [f32],
    ) -> f32 {
        assert_eq!(grad.len(), net.params().len(), "the gradient has another length");
        assert_eq!(td.len(), batch.len(), "there is an error for every sample");
        let weights = net.weights(self.instructions);
        transpose(weights.layout, weights.params, &mut self.transposed);
        let share = 1.0 / batch.len().max(1) as f32;
        let task = Task {
            net,
            instructions: self.instructions,
            loss: self.loss,
            transposed: &self.transposed,
            share,
        };

        // Lane i has the samples from i n / LANES on.
        let mut rest = &mut *td;
        let mut from = 0;
        let lanes = self.lanes.iter_mut().enumerate().map(|(i, lane)| {
            let to = (i + 1) * batch.len() / LANES;
            let (errors, later) = std::mem::take(&mut rest).split_at_mut(to - from);
            rest = later;
            let samples = &batch[from..to];
            from = to;
            (lane, samples, errors)
        });
        if self.threads == 1 {
            lanes.for_each(|(lane, samples, errors)| lane.run(&task, samples, errors));
        } else {
            let mut work: Vec<_> = lanes.collect();
            pool::spread(&mut work, self.threads, |(lane, samples, errors)| {
                lane.run(&task, samples, errors);
            });
        }
        grad.copy_from_slice(&self.lanes[0].gradient);
        for lane in &self.lanes[1..] {
            for (grad, lane) in grad.iter_mut().zip(&lane.gradient) {
                *grad += lane;
            }
        }
        self.lanes.iter().map(|lane| lane.loss).sum::<f32>() * share
    }
}

/// What all lanes do.
struct Task<'a> {
    net: &'a Qnet,
    instructions: Instructions,
    loss: Loss,
    transposed: &'a [f32],
    share: f32,
}

/// A part of a batch and its gradient.
#[derive(Debug, Default)]
struct Lane {
    gradient: Vec<f32>,
    loss: f32,
    batch: Batch,
    states: Vec<State>,
    traces: Vec<Trace>,
    terms: Terms,
    raw: Raw,
    slopes: [Slopes; 2],
    edge_slope: Vec<f32>,
    global_slope: Vec<f32>,
    values: Vec<f32>,
    scratch: Scratch,
}

impl Lane {
    fn run(&mut self, task: &Task<'_>, samples: &[Sample<'_>], errors: &mut [f32]) {
        self.gradient.fill(0.0);
        self.loss = 0.0;
        let (mut samples, mut errors) = (samples, errors);
        while !samples.is_empty() {
            let count = fitting(task.net.config(), samples.iter().map(|sample| sample.graph));
            let (now, later) = samples.split_at(count);
            let (now_errors, later_errors) = errors.split_at_mut(count);
            self.pack(task, now, now_errors);
            (samples, errors) = (later, later_errors);
        }
    }

    /// Forward and back for a few graphs.
    fn pack(&mut self, task: &Task<'_>, samples: &[Sample<'_>], errors: &mut [f32]) {
        let config = task.net.config();
        self.batch.pack(config, samples.iter().map(|sample| sample.graph));
        let weights = task.net.weights(task.instructions);
        let (passes, unlimited) = (&weights.layout.passes, solo_core::Meter::unlimited());
        self.states.resize_with(passes.len() + 1, State::default);
        self.traces.resize_with(passes.len(), Trace::default);
        weights.embed(&self.batch, &mut self.states[0]);
        for (i, (&block, trace)) in passes.iter().zip(&mut self.traces).enumerate() {
            let block = &weights.layout.blocks[block];
            let [state, next] = &mut self.states[i..i + 2] else { unreachable!("one more state") };
            weights.pass(block, &self.batch, state, next, trace, &mut self.terms, &unlimited);
        }
        weights.output(&self.batch, &self.states[passes.len()], &mut self.raw);
        self.errors(task, samples, errors);

        let mut back = Back {
            weights,
            transposed: task.transposed,
            batch: &self.batch,
            gradient: &mut self.gradient,
            scratch: &mut self.scratch,
        };
        let [after, before] = &mut self.slopes;
        let edge_slope = &mut self.edge_slope[..self.batch.edges()];
        back.output(&self.states[passes.len()], &self.raw, edge_slope, &self.global_slope, after);
        for (i, &block) in passes.iter().enumerate().rev() {
            let block = &weights.layout.blocks[block];
            back.pass(block, &self.states[i], &self.traces[i], after, before);
            std::mem::swap(after, before);
        }
        back.embed(&self.states[0], after);
    }

    /// The errors of the samples, and the slopes of the decoder's outputs.
    fn errors(&mut self, task: &Task<'_>, samples: &[Sample<'_>], errors: &mut [f32]) {
        let config: &Config = task.net.config();
        let outputs = config.global_outputs();
        let edge = zeros(&mut self.edge_slope, self.batch.edges());
        let global = room(&mut self.global_slope, samples.len() * outputs);
        for (g, (sample, error)) in samples.iter().zip(errors).enumerate() {
            self.values.clear();
            values(config, &self.batch, &self.raw, g, sample.legal, &mut self.values);
            *error = self.values[sample.slot as usize] - sample.target;
            let (loss, slope) = task.loss.of(*error);
            self.loss += sample.weight * loss;
            let slope = slope * sample.weight * task.share;
            let global = &mut global[g * outputs..][..outputs];
            global.fill(0.0);
            let edges = &mut edge[self.batch.edge_start[g]..self.batch.edge_start[g + 1]];
            let mut add = |slot: u32, slope: f32| match edges.get_mut(slot as usize) {
                Some(edge) => *edge += slope,
                None => global[outputs - 1] += slope,
            };
            add(sample.slot, slope);
            if config.dueling {
                let each = slope / sample.legal.len().max(1) as f32;
                sample.legal.iter().for_each(|&slot| add(slot, -each));
                global[0] += slope;
            }
        }
    }
}
