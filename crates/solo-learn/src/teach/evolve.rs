//! Weights evolve by the cost of whole days.
//!
//! Evolution strategies with mirrored sampling: the weights are changed by random numbers, once
//! added and once subtracted. Both decide the same days, and the weights move towards the changes
//! that cost less. What is kept is a running average of the weights.

use crate::checkpoint::{SavedAdam, restore_weights};
use crate::days::TrainingDays;
use serde::{Deserialize, Serialize};
use solo_core::dist::normal_quantile;
use solo_core::{Cost, Features, Rng, Scenario, Seed, Stream, World, pool};
use solo_nn::{Adam, Scored, Scorer};
use std::sync::Arc;

/// How weights evolve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvolutionParams {
    /// Changes that are tried in a step, each added and subtracted.
    pub pairs: u64,
    /// Days that each decides.
    pub days: u64,
    /// The standard deviation of the change of a weight.
    pub sigma: f64,
    /// The learning rate of Adam.
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

/// Everything that the next step depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedEvolution {
    step: u64,
    now: Vec<f32>,
    average: Vec<f32>,
    adam: SavedAdam,
}

impl Evolution {
    /// Begins with these weights.
    pub fn new(scorer: Scorer) -> Self {
        let adam = Adam::new(scorer.params().len());
        Self { now: scorer.clone(), average: scorer, adam, step: 0 }
    }

    /// One step, on the days from `first` on; returns the mean cost over all changes. The result
    /// does not depend on the number of threads.
    pub fn step<S: Scenario<Problem: Features>>(
        &mut self,
        days: &TrainingDays<S>,
        first: u64,
        params: &EvolutionParams,
        seed: Seed,
        threads: usize,
    ) -> Cost {
        let days: Vec<_> = (first..first + params.days).map(|day| days.open(day)).collect();
        let change = |pair| self.change(seed, params.pairs, pair);
        let costs = pool::map(params.pairs, threads, |pair| {
            let change = change(pair);
            let sigma = params.sigma as f32;
            [sigma, -sigma].map(|sigma| self.cost(sigma, &change, &days))
        });
        let differences = costs.iter().map(|[up, down]| up - down);
        let square: f64 = differences.clone().map(|difference| difference * difference).sum();
        let spread = (square / params.pairs as f64).sqrt();
        if spread > 0.0 {
            let mut grad = vec![0.0; self.now.params().len()];
            for (pair, difference) in (0..).zip(differences) {
                let weight = (difference / spread / params.pairs as f64) as f32;
                let change = change(pair);
                grad.iter_mut().zip(&change).for_each(|(grad, change)| *grad += weight * change);
            }
            self.adam.step(params.rate as f32, self.now.params_mut(), &grad);
        }
        self.step += 1;
        self.update_average(params.average);
        costs.iter().flatten().sum::<Cost>() / (2 * costs.len()) as f64
    }

    /// The random change of the weights that is pair `pair` of this step.
    fn change(&self, seed: Seed, pairs: u64, pair: u64) -> Vec<f32> {
        let mut rng = seed.stream(Stream::Init, 1 + self.step * pairs + pair);
        let normal =
            |rng: &mut Rng| normal_quantile((rng.unit() + 0.5f64.powi(54)).min(1.0 - 1e-16)) as f32;
        self.now.params().iter().map(|_| normal(&mut rng)).collect()
    }

    /// The mean cost of days decided by the weights with `sigma` times a change added.
    fn cost<P: Features>(&self, sigma: f32, change: &[f32], days: &[World<Arc<P>>]) -> Cost {
        let mut changed = self.now.clone();
        let weights = changed.params_mut().iter_mut();
        weights.zip(change).for_each(|(weight, change)| *weight += sigma * change);
        let mut guide = Scored::<P>::new(Arc::new(changed));
        let mut rng = Seed(0).stream(Stream::Agent, 0); // the guide draws nothing
        let cost = |day: &World<Arc<P>>| day.cost() + day.cost_to_go(&mut guide, &mut rng);
        days.iter().map(cost).sum::<Cost>() / days.len() as f64
    }

    fn update_average(&mut self, most: f64) {
        // At first less of it stays, so that the beginning does not last.
        let stays = most.min(self.step as f64 / (self.step as f64 + 1.0)) as f32;
        for (average, now) in self.average.params_mut().iter_mut().zip(self.now.params()) {
            *average = stays * *average + (1.0 - stays) * now;
        }
    }

    /// Saves everything that the next step depends on.
    pub fn save(&self) -> SavedEvolution {
        SavedEvolution {
            step: self.step,
            now: self.now.params().to_vec(),
            average: self.average.params().to_vec(),
            adam: SavedAdam::new(&self.adam),
        }
    }

    /// The one that was saved, for scorers like this one. `None` if it makes no sense.
    pub fn restore(like: &Scorer, saved: &SavedEvolution) -> Option<Self> {
        let mut evolution = Self::new(like.clone());
        restore_weights(evolution.now.params_mut(), &saved.now)?;
        restore_weights(evolution.average.params_mut(), &saved.average)?;
        evolution.adam = saved.adam.restore(like.params().len())?;
        evolution.step = saved.step;
        Some(evolution)
    }
}
