//! Judging what was learned by days that it was not learned from.

use crate::days::TrainingDays;
use crate::recipe_file::{MANY, RecipeFile, STEPS};
use serde::Deserialize;
use solo_core::{Cost, Policy, Scenario, Seed, Stream, pool};

/// Validation days are of this seed: other days than any that are learned from or tested on.
pub const VALIDATION: Seed = Seed(2000);

/// How a model is judged along the way: by days that are neither learned from nor tested on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// Days of which preset.
    pub preset: String,
    /// How many days.
    pub days: u64,
    /// After how many decisions each time; when teaching, after how many steps of evolution.
    pub every: u64,
    /// The agent to beat.
    pub rule: String,
    /// The agent to come close to, with its budget.
    pub reference: String,
}

impl Validation {
    /// Notes what is out of range.
    pub(crate) fn check(&self, file: &mut RecipeFile<'_>) {
        file.check("validation.days", self.days as f64, MANY);
        file.check("validation.every", self.every as f64, STEPS);
    }
}

/// The mean cost of days `0..count`, decided by a policy, which is made anew for each day.
pub fn mean_cost<S: Scenario, R: Policy<S::Problem>>(
    days: &TrainingDays<S>,
    count: u64,
    threads: usize,
    policy: impl Fn() -> R + Sync,
) -> Cost {
    let costs = pool::map(count, threads, |day| {
        let world = days.open(day);
        let mut rng = VALIDATION.stream(Stream::Agent, day);
        world.cost() + world.cost_to_go(&mut policy(), &mut rng)
    });
    costs.iter().sum::<Cost>() / count as f64
}
