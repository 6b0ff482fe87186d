//! Deep Q-learning: worlds are simulated by exploring and by the network, their decisions are
//! remembered, and the network is moved towards what it should have expected.
//!
//! Everything random is drawn from streams numbered by the decision or the step of the weights. So
//! a learner is a function of its recipe, its seed and what a checkpoint holds; the number of
//! threads changes nothing.

use super::hyper::{Gather, Hyper};
use super::lane::{Lane, MakePolicy, next_day};
use super::replay::{Replay, ReplayOutcome, View};
use super::schedule::Linear;
use super::values::BatchValues;
use crate::days::TrainingDays;
use crate::greedy::best;
use serde::{Deserialize, Serialize};
use solo_core::{Encode, Rng, RulesOf, Scenario, Seed, Stream, pool};
use solo_nn::{Adam, Aggregate, Config, Qnet, Sample, Trainer, clip_by_norm};

/// Sums over the steps of the weights since they were last taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// How many steps.
    pub steps: u64,
    /// The sum of their losses.
    pub loss: f64,
    /// The sum of the mean absolute TD errors.
    pub td_error: f64,
    /// The sum of the mean values of the chosen actions.
    pub value: f64,
}

/// Learns one network.
pub struct Dqn<S: Scenario> {
    pub(crate) hyper: Hyper,
    pub(crate) seed: Seed,
    pub(crate) days: TrainingDays<S>,
    pub(crate) baseline: Option<MakePolicy<RulesOf<S>>>,
    pub(crate) net: Qnet,
    pub(crate) target: Qnet,
    /// The running mean of the weights.
    pub(crate) average: Vec<f32>,
    pub(crate) adam: Adam,
    pub(crate) lanes: Vec<Lane<RulesOf<S>>>,
    pub(crate) replay: Replay<RulesOf<S>>,
    /// Decisions so far.
    pub(crate) step: u64,
    /// Steps of the weights so far.
    pub(crate) updates: u64,
    /// The next day that no world has begun.
    pub(crate) next_day: u64,
    pub(crate) tally: Tally,
    threads: usize,
    trainer: Trainer,
    values: BatchValues,
    places: Vec<usize>,
    outcomes: Vec<ReplayOutcome>,
    first: Vec<View<RulesOf<S>>>,
    last: Vec<View<RulesOf<S>>>,
    targets: Vec<f64>,
    picks: Vec<u32>,
    grad: Vec<f32>,
    errors: Vec<f32>,
}

impl<S: Scenario<Problem: Encode>> Dqn<S> {
    /// A learner at its beginning. With a baseline, rewards are what decisions save against it.
    pub fn new(
        hyper: Hyper,
        days: TrainingDays<S>,
        baseline: Option<MakePolicy<S::Problem>>,
        seed: Seed,
        threads: usize,
    ) -> Self {
        let mut next = 0;
        let mut open = || Lane::open(&hyper, baseline, seed, next_day(&days, &mut next));
        let lanes: Vec<_> = (0..hyper.worlds).map(|_| open()).collect();
        let config = config(&hyper, &**lanes[0].world.problem());
        let net = Qnet::new(config, &mut seed.stream(Stream::Init, 0));
        let mut replay = Replay::new(hyper.replay, hyper.n_step);
        for lane in &lanes {
            replay.begin(lane.day, lane.world.problem(), lane.world.state());
        }
        let views = || (0..hyper.batch).map(|_| View::new(hyper.features)).collect();
        Self {
            seed,
            days,
            baseline,
            target: net.clone(),
            average: net.params().to_vec(),
            adam: Adam::new(net.params().len()),
            trainer: Trainer::new(&net, threads),
            values: BatchValues::new(threads),
            lanes,
            replay,
            step: 0,
            updates: 0,
            next_day: next,
            tally: Tally::default(),
            threads,
            places: Vec::new(),
            outcomes: Vec::new(),
            first: views(),
            last: views(),
            targets: Vec::new(),
            picks: Vec::new(),
            grad: vec![0.0; net.params().len()],
            errors: vec![0.0; hyper.batch],
            net,
            hyper,
        }
    }

    /// The network that is judged: the running mean of the weights so far.
    pub fn net(&self) -> Qnet {
        let mut net = self.net.clone();
        net.params_mut().copy_from_slice(&self.average);
        net
    }

    /// Decisions so far.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Steps of the weights so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// The sums since they were last taken.
    pub fn take_tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }

    /// How often decisions are random now.
    pub fn exploration(&self) -> f64 {
        let Hyper { total_steps, exploration_fraction, exploration_final, .. } = self.hyper;
        let over = total_steps as f64 * exploration_fraction;
        Linear { from: 1.0, to: exploration_final, over }.at(self.step)
    }

    /// The learning rate of Adam now.
    pub fn learning_rate(&self) -> f64 {
        let Hyper { total_steps, learning_rate, learning_rate_final, .. } = self.hyper;
        let to = learning_rate * learning_rate_final;
        Linear { from: learning_rate, to, over: total_steps as f64 }.at(self.step)
    }

    /// Every world makes one decision; then the weights make the steps that are due.
    pub fn tick(&mut self) {
        self.decide();
        let before = self.step;
        self.step += self.lanes.len() as u64;
        let due = self.step.saturating_sub(self.hyper.learning_starts) / self.hyper.train_frequency;
        while self.updates < due {
            if self.replay.len() >= self.hyper.batch {
                self.update();
            }
            self.updates += 1;
        }
        if self.step / self.hyper.target_update > before / self.hyper.target_update {
            self.target.params_mut().copy_from_slice(self.net.params());
        }
    }

    fn decide(&mut self) {
        let threads = self.threads;
        pool::spread(&mut self.lanes, threads, |lane| {
            lane.view.show(lane.world.problem(), lane.world.state());
        });
        let slots = self.choose();
        let (hyper, seed) = (&self.hyper, self.seed);
        let mut work: Vec<(&mut Lane<_>, u32, f32)> =
            self.lanes.iter_mut().zip(slots).map(|(lane, slot)| (lane, slot, 0.0)).collect();
        pool::spread(&mut work, threads, |(lane, slot, reward)| {
            *reward = lane.act(hyper, seed, *slot);
        });
        for (lane, slot, reward) in work {
            let state = (!lane.world.done()).then(|| lane.world.state());
            self.replay.extend(lane.day, slot, reward, state);
            if lane.world.done() {
                let day = next_day(&self.days, &mut self.next_day);
                *lane = Lane::open(hyper, self.baseline, seed, day);
                self.replay.begin(lane.day, lane.world.problem(), lane.world.state());
            }
        }
    }

    /// A slot for every world: random, by the baseline, or by the network.
    fn choose(&mut self) -> Vec<u32> {
        let exploration = self.exploration();
        let over = self.hyper.total_steps as f64 * self.hyper.rule_fraction;
        let imitation = Linear { from: 1.0, to: 0.0, over }.at(self.step);
        let (lanes, step, seed) = (&self.lanes, self.step, self.seed);
        let mut picks = vec![0; lanes.len()];
        let seen: Vec<_> = lanes.iter().map(|lane| lane.view.seen()).collect();
        self.values.of(&self.net, &seen, |i, q| {
            let (lane, legal) = (&lanes[i], lanes[i].view.menu.legal());
            let mut rng = acting_rng(seed, step + i as u64);
            let random = step < self.hyper.initial_random_steps || rng.unit() < exploration;
            picks[i] = if random {
                legal[rng.below(legal.len())]
            } else if imitation > 0.0 && rng.unit() < imitation {
                lane.imitate(seed).unwrap_or_else(|| best(q, legal))
            } else {
                best(q, legal)
            };
        });
        picks
    }

    /// One step of the weights.
    fn update(&mut self) {
        let mut rng = learning_rng(self.seed, self.updates);
        self.replay.draw(self.hyper.batch, &mut rng, &mut self.places);
        self.outcomes.clear();
        for (i, &place) in self.places.iter().enumerate() {
            self.outcomes.push(self.replay.outcome(place, self.hyper.discount));
            let (first, last) = (&mut self.first[i], &mut self.last[i]);
            let problem = self.replay.show(place, first, last);
            if self.hyper.symmetry && problem.views() > 1 {
                let view = rng.below(problem.views());
                problem.turn(&mut first.graph, view);
                if !self.outcomes[i].ends {
                    problem.turn(&mut last.graph, view);
                }
            }
        }
        self.expect();
        let hyper = &self.hyper;
        let beta = Linear { from: hyper.priority_beta, to: 1.0, over: hyper.total_steps as f64 };
        let beta = beta.at(self.step);
        let count = self.replay.len() as f64;
        let weigh = |place: &usize| (count * self.replay.probability(*place)).powf(-beta);
        let largest = self.places.iter().map(weigh).fold(f64::MIN_POSITIVE, f64::max);
        let batch: Vec<Sample<'_>> = (0..hyper.batch)
            .map(|i| {
                let (graph, legal) = self.first[i].seen();
                let weight = (weigh(&self.places[i]) / largest) as f32;
                let (slot, target) = (self.outcomes[i].slot, self.targets[i] as f32);
                Sample { graph, legal, slot, target, weight }
            })
            .collect();
        let loss = self.trainer.gradient(&self.net, &batch, &mut self.grad, &mut self.errors);
        clip_by_norm(&mut self.grad, hyper.clip as f32);
        let rate = self.learning_rate() as f32;
        self.adam.step(rate, self.net.params_mut(), &self.grad);
        let stays = self.memory();
        for (mean, weight) in self.average.iter_mut().zip(self.net.params()) {
            *mean = weight + stays * (*mean - weight);
        }
        let mut td_error = 0.0;
        for (place, error) in self.places.iter().zip(&self.errors) {
            let error = f64::from(error.abs());
            td_error += error;
            let priority = (error + self.hyper.priority_floor).powf(self.hyper.priority_alpha);
            self.replay.prioritise(*place, priority);
        }
        let values = self.targets.iter().zip(&self.errors).map(|(t, e)| t + f64::from(*e));
        let size = self.hyper.batch as f64;
        self.tally.steps += 1;
        self.tally.loss += f64::from(loss);
        self.tally.td_error += td_error / size;
        self.tally.value += values.sum::<f64>() / size;
    }

    /// How much of the running mean stays: at first less, so that the random weights of the
    /// beginning do not last.
    fn memory(&self) -> f32 {
        let steps = self.updates as f64;
        self.hyper.average.min(steps / (steps + 10.0)) as f32
    }

    /// Fills `targets`: rewards, and the value of what comes after them by the target network.
    fn expect(&mut self) {
        self.targets.clear();
        self.targets.extend(self.outcomes.iter().map(|outcome| outcome.rewards));
        let open: Vec<usize> =
            (0..self.outcomes.len()).filter(|&i| !self.outcomes[i].ends).collect();
        let seen: Vec<_> = open.iter().map(|&i| self.last[i].seen()).collect();
        if self.hyper.double {
            self.picks.clear();
            self.values.of(&self.net, &seen, |j, q| self.picks.push(best(q, seen[j].1)));
        }
        self.values.of(&self.target, &seen, |j, q| {
            let pick = if self.hyper.double { self.picks[j] } else { best(q, seen[j].1) };
            let weight = self.outcomes[open[j]].weight;
            self.targets[open[j]] += weight * f64::from(q[pick as usize]);
        });
    }
}

/// The network of a recipe for this problem.
pub(crate) fn config<P: Encode>(hyper: &Hyper, problem: &P) -> Config {
    Config {
        shape: problem.shape(hyper.features),
        hidden: hyper.hidden,
        layers: 3,
        encoder: hyper.passes,
        decoder: 1,
        dueling: hyper.dueling,
        aggregate: match hyper.aggregate {
            Gather::Sum => Aggregate::Sum,
            Gather::Mean => Aggregate::Mean,
        },
    }
}

fn acting_rng(seed: Seed, step: u64) -> Rng {
    seed.stream(Stream::Explore, 2 * step)
}

fn learning_rng(seed: Seed, update: u64) -> Rng {
    seed.stream(Stream::Explore, 2 * update + 1)
}
