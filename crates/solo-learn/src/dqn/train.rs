//! A recipe's network, from its first decision to its last.

use super::hyper::{Hyper, NO_BASELINE};
use super::lane::MakePolicy;
use super::learner::{Dqn, config};
use super::recipe::Recipe;
use super::saved::SavedDqn;
use crate::card::{ModelFile, header, rounded};
use crate::days::TrainingDays;
use crate::greedy::Greedy;
use crate::history::{CurvePoint, Marks};
use crate::memory::{self, LargestDay};
use crate::runner::{self, BEST, CARD, Learner, Work};
use crate::task::{LearnError, Summary, Task, Watch};
use crate::validate::{VALIDATION, Validation, mean_cost};
use solo_core::{Encode, Graph, GraphShape, Presets, Scenario, Seed};
use std::sync::Arc;

/// Trains a network by a recipe. `baseline` makes the policy that the recipe names; a recipe
/// without one needs none.
pub fn train<S: Scenario>(
    recipe: &Recipe,
    presets: &Presets<S>,
    baseline: Option<MakePolicy<S::Problem>>,
    task: &Task<'_>,
    watch: &mut dyn Watch,
) -> Result<Summary, LearnError>
where
    S::Problem: Encode,
{
    let Recipe { hyper, validation, .. } = recipe;
    let baseline = match baseline {
        _ if hyper.baseline == NO_BASELINE => None,
        Some(make) => Some(make),
        None => {
            let (name, known) = (hyper.baseline.clone(), NO_BASELINE.to_string());
            return Err(LearnError::Baseline { name, known });
        }
    };
    let days = TrainingDays::new(presets, &recipe.presets, training_seed(task.seed))?;
    let validation = std::slice::from_ref(&validation.preset);
    let validation = TrainingDays::new(presets, validation, VALIDATION)?;
    memory::check(&recipe.name, &needs(hyper, &LargestDay::of(&days)))?;
    let dqn = Dqn::new(hyper.clone(), days, baseline, task.seed, task.threads);
    let (seed, threads) = (task.seed, task.threads);
    runner::run(NetworkTraining { recipe, dqn, validation, seed, threads }, task, watch)
}

/// What takes memory, by the field that says how much.
fn needs<P: Encode + 'static>(hyper: &Hyper, day: &LargestDay<P>) -> [(&'static str, f64); 4] {
    let config = config(hyper, &*day.problem);
    // Nodes and edges, and the numbers of a graph with its menu.
    let graph = |count: fn(&Graph, GraphShape) -> usize| {
        day.scaled(100, |problem, state| {
            let mut graph = Graph::default();
            problem.encode(state, hyper.features, &mut graph);
            count(&graph, config.shape) as f64
        })
    };
    let rows = graph(|graph, shape| graph.edges.len() + graph.node_features.len() / shape.node);
    let numbers = graph(|graph, _| {
        graph.edge_features.len() + graph.node_features.len() + 8 * graph.edges.len()
    });
    // What a pass leaves of each row for the gradient, layer by layer.
    let traces = rows * (config.hidden * (config.layers + 3) * (config.encoder + 2)) as f64;
    // The network, its target, mean, gradients of the trainer's parts, the optimiser and checkpoints.
    let copies = 24.0;
    [
        ("replay", hyper.replay as f64 * (day.state() + 64.0)),
        ("worlds", hyper.worlds as f64 * (3.0 * day.state() + 4.0 * numbers)),
        ("batch", hyper.batch as f64 * 4.0 * (2.0 * numbers + traces)),
        ("hidden", copies * 4.0 * config.params() as f64),
    ]
}

/// Days to learn from are of other seeds than those to validate and to test on.
fn training_seed(seed: Seed) -> Seed {
    Seed(seed.0.wrapping_add(1_000_000))
}

/// A network being trained, as the runner sees it.
struct NetworkTraining<'r, S: Scenario> {
    recipe: &'r Recipe,
    dqn: Dqn<S>,
    validation: TrainingDays<S>,
    seed: Seed,
    threads: usize,
}

impl<S: Scenario<Problem: Encode>> Learner for NetworkTraining<'_, S> {
    type Saved = SavedDqn;
    const UNIT: &'static str = "decisions";

    fn title(&self) -> String {
        format!("{} ({})", self.recipe.name, self.recipe.variant.word())
    }

    fn fingerprint(&self) -> [u8; 32] {
        self.recipe.fingerprint()
    }

    fn step(&self) -> u64 {
        self.dqn.step()
    }

    fn finished(&self) -> bool {
        self.dqn.step() >= self.recipe.hyper.total_steps
    }

    fn work(&mut self, _best: Option<&[f32]>, _watch: &mut dyn Watch) -> Work {
        let (before, every) = (self.dqn.step(), self.recipe.validation.every);
        self.dqn.tick();
        let due = self.dqn.step() / every > before / every || self.finished();
        if due { Work::Validate } else { Work::Done }
    }

    fn validate(&mut self) -> Result<CurvePoint, LearnError> {
        let tally = self.dqn.take_tally();
        let (steps, step) = (tally.steps.max(1) as f64, self.dqn.step());
        if !tally.loss.is_finite() {
            return Err(LearnError::Diverged(step));
        }
        let net = Arc::new(self.dqn.net());
        let policy = || Greedy::new(Arc::clone(&net));
        let days = self.recipe.validation.days;
        Ok(CurvePoint {
            step,
            updates: self.dqn.updates(),
            cost: mean_cost(&self.validation, days, self.threads, policy),
            loss: tally.loss / steps,
            td_error: tally.td_error / steps,
            value: tally.value / steps,
            exploration: self.dqn.exploration(),
            learning_rate: self.dqn.learning_rate(),
            seconds: 0.0,
        })
    }

    fn weights(&self) -> Vec<f32> {
        self.dqn.net().params().to_vec()
    }

    fn model(&self, weights: &[f32], point: &CurvePoint, marks: &Marks) -> ModelFile {
        let Recipe { name, variant, presets, .. } = self.recipe;
        let Validation { preset, days, .. } = &self.recipe.validation;
        let seed = self.seed.0;
        let mut header = header([
            ("recipe", name.clone()),
            ("variant", variant.word().to_string()),
            ("presets", presets.join(" ")),
            ("seed", seed.to_string()),
            ("decisions", point.step.to_string()),
            ("updates", point.updates.to_string()),
            ("validation", format!("{days} x {preset}")),
            ("cost", rounded(point.cost)),
        ]);
        header.extend(marks.header());
        let mut net = self.dqn.net();
        net.params_mut().copy_from_slice(weights);
        let command = self.recipe.command(seed);
        ModelFile {
            file: BEST,
            card: CARD,
            title: name.clone(),
            contents: net.to_safetensors(&header),
            header,
            time: Some(("hours", format!("{:.2}", point.seconds / 3600.0))),
            about: format!(
                "Costs are means over the validation days, decided by the network alone. Made by\n\
                 `{command}`."
            ),
        }
    }

    fn save(&self) -> SavedDqn {
        self.dqn.save()
    }

    fn load(&mut self, saved: SavedDqn) -> Option<()> {
        self.dqn.load(saved)
    }
}
