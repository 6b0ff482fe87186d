//! Weights evolve by the cost of whole days.
//!
//! Evolution strategies: the weights are changed by random numbers one way and the other way, both live the same days, and
//! the weights move towards the ways that cost less. What is kept is a running average of the weights.

use crate::codec::{Reader, Writer};
use crate::episode::{Days, Episode};
use solo_core::dist::normal_quantile;
use solo_core::{Cost, Domain, Features, Rng, Seed, Stream};
use solo_nn::{Adam, Scored, Scorer};
use std::sync::Arc;
use std::thread;

/// How weights evolve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evolve {
    /// Ways that are tried in a step, each there and back.
    pub pairs: u64,
    /// Days that each lives.
    pub days: u64,
    /// The standard deviation of the change of a weight.
    pub sigma: f64,
    /// How far Adam steps.
    pub rate: f64,
    /// How much of the average stays from step to step.
    pub average: f64,
}

/// Weights under way.
#[derive(Clone, Debug)]
pub struct Evolution {
    /// The weights.
    pub now: Scorer,
    /// Their running average.
    pub average: Scorer,
    adam: Adam,
    /// Steps made.
    pub step: u64,
}

/// The change of the weights that belongs to pair `pair` of step `step`.
fn noise(seed: Seed, step: u64, pair: u64, pairs: u64, out: &mut Vec<f32>, length: usize) {
    let mut rng = seed.stream(Stream::Init, 1 + step * pairs + pair);
    let normal = |rng: &mut Rng| normal_quantile((rng.unit() + 0.5f64.powi(54)).min(1.0 - 1e-16));
    out.clear();
    out.extend((0..length).map(|_| normal(&mut rng) as f32));
}

impl Evolution {
    /// Begins with these weights.
    pub fn new(scorer: Scorer) -> Self {
        let adam = Adam::new(scorer.params().len());
        Self { now: scorer.clone(), average: scorer, adam, step: 0 }
    }

    /// One step, on the days from `first` on; returns the mean cost of all who lived them. The result does not depend on
    /// the number of threads.
    pub fn step<D: Domain>(
        &mut self,
        days: &Days<D>,
        first: u64,
        how: &Evolve,
        seed: Seed,
        threads: usize,
    ) -> Cost
    where
        D::Problem: Features,
    {
        let episodes: Vec<Episode<D::Problem>> =
            (first..first + how.days).map(|day| days.open(day)).collect();
        let length = self.now.params().len();
        let pairs: Vec<u64> = (0..how.pairs).collect();
        let mut costs = vec![[0.0; 2]; pairs.len()];
        let each = pairs.len().div_ceil(threads.max(1)).max(1);
        let (now, step) = (&self.now, self.step);
        let live = |pairs: &[u64], costs: &mut [[Cost; 2]]| {
            let mut change = Vec::new();
            for (&pair, costs) in pairs.iter().zip(costs) {
                noise(seed, step, pair, how.pairs, &mut change, length);
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    let mut other = now.clone();
                    let sigma = sign * how.sigma as f32;
                    let params = other.params_mut().iter_mut();
                    params.zip(&change).for_each(|(param, change)| *param += sigma * change);
                    let mut guide = Scored::<D::Problem>::new(Arc::new(other));
                    let cost = |episode: &Episode<D::Problem>| {
                        let mut dice = seed.stream(Stream::Agent, 0); // the guide throws none
                        episode.cost() + episode.cost_by(&mut guide, &mut dice)
                    };
                    costs[side] = episodes.iter().map(cost).sum::<Cost>() / how.days as f64;
                }
            }
        };
        if threads < 2 {
            live(&pairs, &mut costs);
        } else {
            thread::scope(|scope| {
                for (pairs, costs) in pairs.chunks(each).zip(costs.chunks_mut(each)) {
                    let live = &live;
                    scope.spawn(move || live(pairs, costs));
                }
            });
        }
        let differences = costs.iter().map(|[up, down]| up - down);
        let square: f64 = differences.clone().map(|difference| difference * difference).sum();
        let spread = (square / how.pairs as f64).sqrt();
        if spread > 0.0 {
            let (mut grad, mut change) = (vec![0.0; length], Vec::new());
            for (pair, difference) in pairs.iter().zip(differences) {
                noise(seed, step, *pair, how.pairs, &mut change, length);
                let weight = (difference / spread / how.pairs as f64) as f32;
                grad.iter_mut().zip(&change).for_each(|(grad, change)| *grad += weight * change);
            }
            self.adam.step(how.rate as f32, self.now.params_mut(), &grad);
        }
        self.step += 1;
        // At first the average forgets faster, so that the beginning does not last.
        let stays = how.average.min(self.step as f64 / (self.step as f64 + 1.0)) as f32;
        for (average, now) in self.average.params_mut().iter_mut().zip(self.now.params()) {
            *average = stays * *average + (1.0 - stays) * now;
        }
        costs.iter().flatten().sum::<Cost>() / (2 * costs.len()) as f64
    }

    /// Writes everything that the next step depends on.
    pub fn save(&self, to: &mut Writer) {
        to.whole(self.step);
        to.floats(self.now.params());
        to.floats(self.average.params());
        let (steps, mean, square) = self.adam.state();
        to.whole(steps);
        to.floats(mean);
        to.floats(square);
    }

    /// Makes this the one that was saved. `None` if what was saved makes no sense.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let length = self.now.params().len();
        let floats = |from: &mut Reader<'_>| from.floats().filter(|list| list.len() == length);
        self.step = from.whole()?;
        let (now, average) = (floats(from)?, floats(from)?);
        self.now.params_mut().copy_from_slice(&now);
        self.average.params_mut().copy_from_slice(&average);
        let steps = from.whole()?;
        self.adam = Adam::resumed(steps, &floats(from)?, &floats(from)?);
        Some(())
    }
}
