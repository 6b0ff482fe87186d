//! A recipe's rewriter, from its first day to its last.

use super::hyper::RewriterHyper;
use super::lessons::{Lessons, SavedRewriter, shape};
use super::solver::Rewriter;
use crate::card::{ModelFile, header, rounded};
use crate::days::TrainingDays;
use crate::dqn::RewriterRecipe;
use crate::history::{CurvePoint, Marks};
use crate::memory::{self, LargestDay};
use crate::runner::{self, BEST, CARD, Learner, Work};
use crate::task::{LearnError, Summary, Task, Watch};
use crate::validate::{VALIDATION, Validation};
use solo_core::{
    Agent, Cost, Meter, Presets, Replan, Rewrite, RulesOf, Scenario, Seed, Stream, When, pool,
};
use solo_nn::RewriterNet;
use std::sync::Arc;

/// Trains a rewriter by a recipe, from the weights of `start` if the recipe names some.
pub fn train_rewriter<S: Scenario<Problem: Rewrite>>(
    recipe: &RewriterRecipe,
    presets: &Presets<S>,
    start: Option<&RewriterNet>,
    task: &Task<'_>,
    watch: &mut dyn Watch,
) -> Result<Summary, LearnError> {
    let hyper = &recipe.hyper;
    // Days to learn from are of other seeds than those to validate and to test on.
    let seed = Seed(task.seed.0.wrapping_add(1_000_000));
    let days = TrainingDays::new(presets, &recipe.presets, seed)?;
    let validation = std::slice::from_ref(&recipe.validation.preset);
    let validation = TrainingDays::new(presets, validation, VALIDATION)?;
    let largest = LargestDay::of(&days);
    memory::check(&recipe.name, &needs::<S>(hyper, &largest))?;
    let wanted = shape(hyper, &*largest.problem);
    if let Some(start) = start.filter(|start| start.shape() != wanted) {
        return Err(LearnError::Start(format!(
            "start = \"{}\" has other widths than the recipe: {:?}, not {wanted:?}",
            hyper.start,
            start.shape()
        )));
    }
    let start_hash = start.map(|start| {
        let bytes: Vec<u8> = start.params().iter().flat_map(|x| x.to_le_bytes()).collect();
        *blake3::hash(&bytes).as_bytes()
    });
    let lessons = Lessons::new(hyper.clone(), days, start, task.seed, task.threads);
    let (seed, threads) = (task.seed, task.threads);
    let training = RewriterTraining { recipe, lessons, validation, start_hash, seed, threads };
    runner::run(training, task, watch)
}

/// Models are judged by as many rewrites as the paper allows.
const REWRITES: u64 = 50;

/// What takes memory, by the field that says how much.
fn needs<S: Scenario<Problem: Rewrite>>(
    hyper: &RewriterHyper,
    day: &LargestDay<RulesOf<S>>,
) -> [(&'static str, f64); 3] {
    let shape = shape(hyper, &*day.problem);
    // Depot visits or machines come between the items.
    let nodes = 2.0 * day.items() + 2.0;
    let numbers = 4.0 * nodes * (shape.features + 1) as f64;
    let rewrites = (hyper.batch * hyper.rewrites) as f64;
    // Both directions leave gates, cells, states and their slopes, of a few dozen solutions at a time.
    let traces = 4.0 * 64.0 * 8.0 * nodes * (24 * shape.hidden + shape.region) as f64;
    [
        ("rewrites", rewrites * (numbers + 64.0)),
        ("batch", hyper.batch as f64 * 3.0 * numbers),
        ("hidden", traces + 4.0 * 16.0 * shape.params() as f64),
    ]
}

/// A rewriter being trained, as the runner sees it.
struct RewriterTraining<'r, S: Scenario> {
    recipe: &'r RewriterRecipe,
    lessons: Lessons<S>,
    validation: TrainingDays<S>,
    /// Of the weights that it began with.
    start_hash: Option<[u8; 32]>,
    seed: Seed,
    threads: usize,
}

impl<S: Scenario<Problem: Rewrite>> RewriterTraining<'_, S> {
    /// The mean cost of the validation days, planned as an agent does: the open work where it is
    /// published to be planned anew.
    fn mean_cost(&self) -> Result<Cost, LearnError> {
        let net = Arc::new(self.lessons.net());
        let days = self.recipe.validation.days;
        let costs = pool::map(days, self.threads, |day| {
            let rewriter = Rewriter::new(String::new(), Arc::clone(&net), REWRITES);
            let mut agent = Replan::<RulesOf<S>, _>::new(rewriter, When::AtRest);
            let mut world = self.validation.open(day);
            let mut rng = VALIDATION.stream(Stream::Agent, day);
            while !world.done() {
                let meter = Meter::unlimited();
                let decision = agent.decide(world.problem(), world.state(), &meter, &mut rng);
                let action = decision.map_err(|error| LearnError::Marks(error.to_string()))?.action;
                world.act(action).map_err(|error| LearnError::Marks(error.to_string()))?;
            }
            Ok(world.cost())
        });
        let costs: Result<Vec<Cost>, LearnError> = costs.into_iter().collect();
        Ok(costs?.iter().sum::<Cost>() / days as f64)
    }
}

impl<S: Scenario<Problem: Rewrite>> Learner for RewriterTraining<'_, S> {
    type Saved = SavedRewriter;
    const UNIT: &'static str = "days";

    fn title(&self) -> String {
        format!("{} ({})", self.recipe.name, self.recipe.variant.word())
    }

    fn fingerprint(&self) -> [u8; 32] {
        let recipe = self.recipe.fingerprint();
        match self.start_hash {
            Some(start) => *blake3::hash(&[recipe, start].concat()).as_bytes(),
            None => recipe,
        }
    }

    fn step(&self) -> u64 {
        self.lessons.step()
    }

    fn finished(&self) -> bool {
        self.lessons.step() >= self.recipe.hyper.days
    }

    fn work(&mut self, _best: Option<&[f32]>, _watch: &mut dyn Watch) -> Work {
        let (before, every) = (self.step(), self.recipe.validation.every);
        self.lessons.tick();
        let due = self.step() / every > before / every || self.finished();
        if due { Work::Validate } else { Work::Done }
    }

    fn validate(&mut self) -> Result<CurvePoint, LearnError> {
        let tally = self.lessons.take_tally();
        let (step, rewrites) = (self.step(), tally.rewrites.max(1) as f64);
        if !tally.loss.is_finite() {
            return Err(LearnError::Diverged(step));
        }
        Ok(CurvePoint {
            step,
            updates: self.lessons.updates(),
            cost: self.mean_cost()?,
            loss: tally.loss / rewrites,
            td_error: tally.error / rewrites,
            value: tally.value / rewrites,
            exploration: 0.0,
            learning_rate: self.lessons.learning_rate(),
            seconds: 0.0,
        })
    }

    fn weights(&self) -> Vec<f32> {
        self.lessons.net().params().to_vec()
    }

    fn model(&self, weights: &[f32], point: &CurvePoint, marks: &Marks) -> ModelFile {
        let RewriterRecipe { name, variant, presets, hyper, .. } = self.recipe;
        let Validation { preset, days, .. } = &self.recipe.validation;
        let seed = self.seed.0;
        let mut header = header([
            ("recipe", name.clone()),
            ("variant", variant.word().to_string()),
            ("presets", presets.join(" ")),
            ("start", hyper.start.clone()),
            ("seed", seed.to_string()),
            ("days", point.step.to_string()),
            ("updates", point.updates.to_string()),
            ("validation", format!("{days} x {preset}")),
            ("cost", rounded(point.cost)),
        ]);
        header.extend(marks.header());
        let mut net = self.lessons.net();
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
                "Costs are means over the validation days, planned by {REWRITES} rewrites where the paper's\n\
                 baselines plan. Made by `{command}`."
            ),
        }
    }

    fn save(&self) -> SavedRewriter {
        self.lessons.save()
    }

    fn load(&mut self, saved: SavedRewriter) -> Option<()> {
        self.lessons.load(&saved)
    }
}
