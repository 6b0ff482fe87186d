//! A recipe's guide, from its first labelled day to its last step of evolution.
//!
//! Everything random is a function of the seed and of how far the run is, so that a checkpoint is
//! little more than weights. A round of labels that was cut short is made again, to the same bits.

use super::evolve::{Evolution, SavedEvolution};
use super::fit::fit;
use super::label::{Labeller, MakeCostToGo, Teacher, Unranked};
use super::labels::Labels;
use super::recipe::GuideRecipe;
use super::value::{ValueFit, ValueLabels, ValueMethods, ValueRecipe, ValueTeaching, fit_values};
use crate::card::{ModelFile, header, rounded};
use crate::checkpoint::restore_weights;
use crate::days::TrainingDays;
use crate::history::{CurvePoint, Marks};
use crate::memory::{self, LargestDay};
use crate::runner::{self, BEST, CARD, Learner, Work, in_pieces};
use crate::task::{LearnError, Summary, Task, Watch};
use crate::validate::{VALIDATION, mean_cost};
use serde::{Deserialize, Serialize};
use solo_core::{Features, Policy, Presets, RulesOf, Scenario, Seed, Stream};
use solo_nn::{Scored, Scorer, ScorerShape};
use std::marker::PhantomData;
use std::sync::Arc;

/// The value at the horizon, in the folder of a taught guide.
pub const VALUE: &str = "value.safetensors";

/// Teaches a guide by a recipe. `R` plays the rollouts of the first round. `V` says whether the
/// problem has features for a value at the horizon.
pub fn teach<S, R, V>(
    recipe: &GuideRecipe,
    presets: &Presets<S>,
    task: &Task<'_>,
    watch: &mut dyn Watch,
) -> Result<Summary, LearnError>
where
    S: Scenario<Problem: Features>,
    R: Policy<S::Problem> + Clone + Default + Send + Sync + 'static,
    V: ValueTeaching<S::Problem>,
{
    let value = match (&recipe.value, V::methods()) {
        (None, _) => None,
        (Some(recipe), Some(methods)) => Some((recipe, methods)),
        (Some(_), None) => return Err(LearnError::NoValue(S::PROBLEM)),
    };
    let names = std::slice::from_ref(&recipe.preset);
    let (global, option) = (RulesOf::<S>::GLOBAL, RulesOf::<S>::OPTION);
    let shape = ScorerShape { global, option, hidden: recipe.hidden };
    let days = TrainingDays::new(presets, names, task.seed)?;
    let features = value.as_ref().map_or(0, |(_, methods)| methods.features);
    memory::check(&recipe.name, &needs(recipe, features, &LargestDay::of(&days)))?;
    let learner = GuideTeaching::<S, R> {
        recipe,
        seed: task.seed,
        threads: task.threads,
        days,
        validation: TrainingDays::new(presets, names, VALIDATION)?,
        scorer: Scorer::new(shape, &mut task.seed.stream(Stream::Init, 0)),
        round: 0,
        memory: Vec::new(),
        loss: 0.0,
        evolution: None,
        value: value.map(|(recipe, methods)| ValueStage { recipe, methods, taught: None }),
        first: PhantomData,
    };
    runner::run(learner, task, watch)
}

/// What takes memory, by the field that says how much.
fn needs<P: Features + 'static>(
    recipe: &GuideRecipe,
    value_features: usize,
    day: &LargestDay<P>,
) -> [(&'static str, f64); 4] {
    // Three decisions an item are more than a day has.
    let decisions = 3.0 * day.items();
    let options = (recipe.options as f64).min(64.0 + day.items());
    let label = 4.0 * (P::GLOBAL as f64 + options * (P::OPTION + 1) as f64);
    // The rounds that are remembered, this one, and all of them as one.
    let rounds = 2.0 * (recipe.memory as f64 + 1.0).min(recipe.rounds as f64);
    let value = recipe.value.as_ref().map_or(0.0, |value| {
        let states = value.share * day.items() * value.days.max(value.round_days) as f64;
        states * 8.0 * (value_features + 1) as f64
    });
    [
        ("days", rounds * recipe.days as f64 * decisions * label),
        ("futures", recipe.futures as f64 * options * 8.0),
        ("evolution_days", recipe.evolution_days as f64 * 3.0 * day.state()),
        ("value.days", value),
    ]
}

/// A guide being taught, as the runner sees it.
struct GuideTeaching<'r, S: Scenario<Problem: Features>, R> {
    recipe: &'r GuideRecipe,
    seed: Seed,
    threads: usize,
    days: TrainingDays<S>,
    validation: TrainingDays<S>,
    scorer: Scorer,
    /// Rounds that are done.
    round: u64,
    /// Labels of the last rounds, the oldest first, as long as there are rounds to come.
    memory: Vec<Labels>,
    /// The loss of the last fit.
    loss: f64,
    evolution: Option<Evolution>,
    value: Option<ValueStage<'r, RulesOf<S>>>,
    first: PhantomData<fn() -> R>,
}

/// The value at the horizon.
struct ValueStage<'r, P: Features> {
    recipe: &'r ValueRecipe,
    methods: ValueMethods<P>,
    /// Once it is taught.
    taught: Option<(Scorer, ValueFit)>,
}

/// Everything that the rest of teaching depends on.
#[derive(Serialize, Deserialize)]
struct SavedGuide {
    scorer: Vec<f32>,
    round: u64,
    memory: Vec<Labels>,
    loss: f64,
    evolution: Option<SavedEvolution>,
    value: Option<(Vec<f32>, ValueFit)>,
}

impl<S, R> GuideTeaching<'_, S, R>
where
    S: Scenario<Problem: Features>,
    R: Policy<S::Problem> + Clone + Default + Send + Sync,
{
    fn evolved(&self) -> u64 {
        self.evolution.as_ref().map_or(0, |evolution| evolution.step)
    }

    /// The scorer with these weights, or the one at hand.
    fn with_weights(&self, weights: Option<&[f32]>) -> Scorer {
        let mut scorer = self.scorer.clone();
        scorer.params_mut().copy_from_slice(weights.unwrap_or(self.scorer.params()));
        scorer
    }

    /// Labels the days of a round and fits the scorer to them; `None` if the watch asked to stop.
    fn teach_round(&mut self, watch: &mut dyn Watch) -> Option<()> {
        let recipe = self.recipe;
        let labels = if self.round == 0 {
            self.label(&Unranked(R::default()), None, watch)?
        } else {
            let guide = Arc::new(self.scorer.clone());
            let stage = self.value.as_ref().filter(|stage| self.round >= stage.recipe.from);
            match stage {
                None => self.label(&Scored::new(guide), None, watch)?,
                Some(stage) => {
                    let days = stage.recipe.round_days;
                    let step = self.step();
                    let (value, _) = self.fit_value(stage, days, &guide, watch, |_| step)?;
                    let value = Arc::new(value);
                    let make = || (stage.methods.estimator)(Arc::clone(&value));
                    let cut = Some((&make as MakeCostToGo<'_, _>, stage.recipe.arrivals));
                    self.label(&Scored::new(guide), cut, watch)?
                }
            }
        };
        let mut rng = self.seed.stream(Stream::Explore, u64::MAX - self.round);
        self.memory.push(labels);
        let mut all = Labels::default();
        self.memory.iter().for_each(|labels| all.append(labels));
        self.loss = fit(&mut self.scorer, &all, &recipe.fit_params(), &mut rng);
        // What options cost under the first round's policy says little about the guide.
        let kept = if self.round == 0 { 0 } else { recipe.memory };
        self.round += 1;
        let kept = if self.round < recipe.rounds { kept } else { 0 };
        self.memory.drain(..self.memory.len().saturating_sub(kept));
        Some(())
    }

    /// Labels the days of this round. With a value, futures are cut after so few arrivals that it
    /// estimates most of their cost.
    fn label<G: Teacher<S::Problem> + Sync>(
        &self,
        guide: &G,
        value: Option<(MakeCostToGo<'_, S::Problem>, usize)>,
        watch: &mut dyn Watch,
    ) -> Option<Labels> {
        let mut params = self.recipe.label_params();
        if let Some((_, arrivals)) = value {
            params.arrivals = arrivals;
        }
        let value = value.map(|(make, _)| make);
        let first = self.round * self.recipe.days;
        let labeller = Labeller { guide, params, value, seed: self.seed };
        labeller.days(&self.days, first..first + self.recipe.days, self.threads, watch)
    }

    /// One step of evolution, from the best guide on.
    fn evolve(&mut self, best: Option<&[f32]>) -> Work {
        let recipe = self.recipe;
        let start = self.with_weights(best);
        let evolution = self.evolution.get_or_insert_with(|| Evolution::new(start));
        let params = recipe.evolution_params();
        // Days that were not labelled.
        let first = recipe.rounds * recipe.days + evolution.step * params.days;
        evolution.step(&self.days, first, &params, self.seed, self.threads);
        self.scorer = evolution.average.clone();
        let step = evolution.step;
        let due = step.is_multiple_of(recipe.validation.every) || step == recipe.steps;
        if due { Work::Validate } else { Work::Done }
    }

    /// Teaches the value at the horizon for the best guide.
    fn teach_value(&mut self, best: Option<&[f32]>, watch: &mut dyn Watch) -> Work {
        let (guide, step) = (Arc::new(self.with_weights(best)), self.step());
        let Some(stage) = &self.value else { return Work::Done };
        let days = stage.recipe.days;
        let Some(value) = self.fit_value(stage, days, &guide, watch, |done| step + done) else {
            return Work::Stopped;
        };
        if let Some(stage) = &mut self.value {
            stage.taught = Some(value);
        }
        Work::Model
    }

    /// The value as it is written.
    fn value_model(&self, scorer: &Scorer, fit: &ValueFit) -> ModelFile {
        let mut header = self.header();
        header.push(("states".to_string(), fit.states.to_string()));
        header.push(("variance explained".to_string(), format!("{:.3}", fit.explained)));
        ModelFile {
            file: VALUE,
            card: "value.md",
            title: format!("{}, the value", self.recipe.name),
            contents: scorer.to_safetensors(&header),
            header,
            time: None,
            about: self.about(
                "The variance is that of what states cost more than an empty system, beyond the \
                 plan of what is there, on every tenth state, which was not learned from.",
            ),
        }
    }

    /// Teaches what states cost that `guide` leads to; `None` if the watch asked to stop.
    fn fit_value(
        &self,
        stage: &ValueStage<'_, S::Problem>,
        days: u64,
        guide: &Arc<Scorer>,
        watch: &mut dyn Watch,
        step: impl Fn(u64) -> u64,
    ) -> Option<(Scorer, ValueFit)> {
        let ValueStage { recipe, methods, .. } = stage;
        let GuideRecipe { rounds, days: labelled, steps, evolution_days, .. } = *self.recipe;
        // Days that were neither labelled nor evolved on.
        let first = rounds * labelled + steps * evolution_days;
        let one = |i| {
            let day = first + i;
            let (problem, events) = self.days.start(day);
            (methods.label)(problem, events, guide, recipe, (self.seed, day))
        };
        let mut all = ValueLabels::default();
        in_pieces(days, self.threads, watch, step, one, |labels| all.append(&labels)).then(|| {
            let mut rng = self.seed.stream(Stream::Init, u64::MAX);
            fit_values(&all, methods.shape(recipe.hidden), recipe, &mut rng)
        })
    }

    /// How a model came about, in short.
    fn header(&self) -> Vec<(String, String)> {
        let GuideRecipe { name, preset, .. } = self.recipe;
        let seed = self.seed.0.to_string();
        header([("recipe", name.clone()), ("presets", preset.clone()), ("seed", seed)])
    }

    /// The text under a card's table.
    fn about(&self, numbers: &str) -> String {
        let (name, seed) = (&self.recipe.name, self.seed.0);
        format!("{numbers} Made by\n`solo teach recipes/{name}.toml --seed {seed}`.")
    }
}

impl<S, R> Learner for GuideTeaching<'_, S, R>
where
    S: Scenario<Problem: Features>,
    R: Policy<S::Problem> + Clone + Default + Send + Sync,
{
    type Saved = SavedGuide;
    const UNIT: &'static str = "labelled days, then steps of evolution";

    fn title(&self) -> String {
        self.recipe.name.clone()
    }

    fn fingerprint(&self) -> [u8; 32] {
        self.recipe.fingerprint()
    }

    fn step(&self) -> u64 {
        let valued = self.value.as_ref().filter(|stage| stage.taught.is_some());
        let valued = valued.map_or(0, |stage| stage.recipe.days);
        self.round * self.recipe.days + self.evolved() + valued
    }

    fn finished(&self) -> bool {
        self.round >= self.recipe.rounds
            && self.evolved() >= self.recipe.steps
            && self.value.as_ref().is_none_or(|stage| stage.taught.is_some())
    }

    fn work(&mut self, best: Option<&[f32]>, watch: &mut dyn Watch) -> Work {
        if self.round < self.recipe.rounds {
            self.teach_round(watch).map_or(Work::Stopped, |()| Work::Validate)
        } else if self.evolved() < self.recipe.steps {
            self.evolve(best)
        } else {
            self.teach_value(best, watch)
        }
    }

    fn validate(&mut self) -> Result<CurvePoint, LearnError> {
        if !self.scorer.params().iter().all(|weight| weight.is_finite()) {
            return Err(LearnError::Diverged(self.step()));
        }
        let scorer = Arc::new(self.scorer.clone());
        let policy = || Scored::new(Arc::clone(&scorer));
        let days = self.recipe.validation.days;
        Ok(CurvePoint {
            step: self.step(),
            updates: self.evolved(),
            cost: mean_cost(&self.validation, days, self.threads, policy),
            loss: self.loss,
            ..CurvePoint::default()
        })
    }

    fn weights(&self) -> Vec<f32> {
        self.scorer.params().to_vec()
    }

    fn model(&self, weights: &[f32], point: &CurvePoint, marks: &Marks) -> ModelFile {
        let GuideRecipe { name, preset, validation, .. } = self.recipe;
        let mut header = self.header();
        header.extend(crate::card::header([
            ("labelled days and steps", point.step.to_string()),
            ("validation", format!("{} x {preset}", validation.days)),
            ("cost", rounded(point.cost)),
        ]));
        header.extend(marks.header());
        ModelFile {
            file: BEST,
            card: CARD,
            title: name.clone(),
            contents: self.with_weights(Some(weights)).to_safetensors(&header),
            header,
            time: Some(("minutes", format!("{:.1}", point.seconds / 60.0))),
            about: self
                .about("Costs are means over the validation days, decided by the guide alone."),
        }
    }

    fn others(&self) -> Vec<ModelFile> {
        let taught = self.value.as_ref().and_then(|stage| stage.taught.as_ref());
        taught.map(|(scorer, fit)| self.value_model(scorer, fit)).into_iter().collect()
    }

    fn save(&self) -> SavedGuide {
        let value = self.value.as_ref().and_then(|stage| stage.taught.as_ref());
        SavedGuide {
            scorer: self.scorer.params().to_vec(),
            round: self.round,
            memory: self.memory.clone(),
            loss: self.loss,
            evolution: self.evolution.as_ref().map(Evolution::save),
            value: value.map(|(scorer, fit)| (scorer.params().to_vec(), *fit)),
        }
    }

    fn load(&mut self, saved: SavedGuide) -> Option<()> {
        let SavedGuide { scorer, round, memory, loss, evolution, value } = saved;
        restore_weights(self.scorer.params_mut(), &scorer)?;
        if round > self.recipe.rounds || !memory.iter().all(Labels::fits::<S::Problem>) {
            return None;
        }
        (self.round, self.memory, self.loss) = (round, memory, loss);
        if let Some(evolution) = evolution {
            self.evolution = Some(Evolution::restore(&self.scorer, &evolution)?);
        }
        if let Some((weights, fit)) = value {
            let stage = self.value.as_mut()?;
            let mut scorer = Scorer::zero(stage.methods.shape(stage.recipe.hidden));
            restore_weights(scorer.params_mut(), &weights)?;
            stage.taught = Some((scorer, fit));
        }
        (self.evolved() <= self.recipe.steps).then_some(())
    }
}
