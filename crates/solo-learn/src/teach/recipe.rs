//! Recipes of guides.

use super::evolve::EvolutionParams;
use super::fit::FitParams;
use super::label::LabelParams;
use super::value::ValueRecipe;
use crate::dqn::recipe_name;
use crate::recipe_file::{MANY, MANY_OR_NONE, Makes, PART, RATE, RecipeFile, SCALE};
use crate::validate::Validation;
use serde::Deserialize;
use solo_core::Faults;
use solo_core::file::Range;

/// How a guide is taught, and how it is judged.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuideRecipe {
    /// Its name: the file's, without folder and ending.
    #[serde(skip)]
    pub name: String,
    /// The preset whose days are simulated.
    pub preset: String,
    /// How it is judged.
    pub validation: GuideValidation,
    /// Hidden numbers of the scorer; a multiple of 8.
    pub hidden: usize,
    /// Rounds of labelling and fitting. In the first the problem's rollout policy plays, afterwards
    /// the guide itself.
    pub rounds: u64,
    /// Days that are labelled in a round.
    pub days: u64,
    /// How many earlier rounds' labels a scorer is also fitted to; those of the first are left out.
    pub memory: usize,
    /// On how many futures every option is played.
    pub futures: usize,
    /// After how many arrivals futures are cut.
    pub arrivals: usize,
    /// How many options of a state are played at most.
    pub options: usize,
    /// How often a labelled day goes on with a random option.
    pub strays: f64,
    /// Epochs of fitting by cross-entropy.
    pub epochs: u64,
    /// Epochs of fitting by expected regret, after that.
    pub regret_epochs: u64,
    /// States in a batch of fitting.
    pub batch: usize,
    /// The learning rate of fitting.
    pub rate: f64,
    /// The temperature of the labels, in units of the mean regret of an option drawn at random.
    pub tau: f64,
    /// Steps of evolution.
    pub steps: u64,
    /// Changes that are tried in a step of evolution, each added and subtracted.
    pub pairs: u64,
    /// Days that each decides.
    pub evolution_days: u64,
    /// The standard deviation of the change of a weight.
    pub sigma: f64,
    /// The learning rate of evolution.
    pub evolution_rate: f64,
    /// How much of the average weights stays from step to step.
    pub average: f64,
    /// How a value at the horizon is taught once the guide is done, if at all.
    pub value: Option<ValueRecipe>,
}

/// How a guide is judged along the way: by days that are neither learned from nor tested on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuideValidation {
    /// How many days.
    pub days: u64,
    /// After how many steps of evolution each time.
    pub every: u64,
    /// The agent to beat.
    pub rule: String,
    /// The agent to come close to, with its budget.
    pub reference: String,
}

impl GuideRecipe {
    /// Reads the text of a recipe file.
    pub fn parse(file: &str, text: &str) -> Result<Self, Faults> {
        let (mut checked, mut recipe): (_, Self) = RecipeFile::read(file, text, Makes::Guide)?;
        recipe.check(&mut checked);
        recipe.name = recipe_name(file);
        checked.finish(recipe)
    }

    /// Notes what is out of range.
    fn check(&self, file: &mut RecipeFile<'_>) {
        self.validation().check(file);
        file.check_width("hidden", self.hidden, 8, 1024);
        for (name, number, range) in [
            ("rounds", self.rounds as f64, MANY),
            ("days", self.days as f64, MANY),
            ("memory", self.memory as f64, MANY_OR_NONE),
            ("futures", self.futures as f64, MANY),
            ("arrivals", self.arrivals as f64, MANY),
            ("options", self.options as f64, Range::whole(2.0, 1e6)),
            ("strays", self.strays, PART),
            ("epochs", self.epochs as f64, MANY_OR_NONE),
            ("regret_epochs", self.regret_epochs as f64, MANY_OR_NONE),
            ("batch", self.batch as f64, MANY),
            ("rate", self.rate, RATE),
            ("tau", self.tau, SCALE),
            ("steps", self.steps as f64, MANY_OR_NONE),
            ("pairs", self.pairs as f64, MANY),
            ("evolution_days", self.evolution_days as f64, MANY),
            ("sigma", self.sigma, RATE),
            ("evolution_rate", self.evolution_rate, RATE),
            ("average", self.average, PART),
        ] {
            file.check(name, number, range);
        }
        if let Some(value) = &self.value {
            value.check(file);
        }
    }

    /// How labels are made.
    pub fn label_params(&self) -> LabelParams {
        let Self { futures, arrivals, options, strays, .. } = *self;
        LabelParams { futures, arrivals, options, strays }
    }

    /// How the scorer is fitted to them.
    pub fn fit_params(&self) -> FitParams {
        let Self { epochs, regret_epochs, batch, rate, tau, .. } = *self;
        FitParams { epochs, regret_epochs, batch, rate, tau }
    }

    /// How it evolves.
    pub fn evolution_params(&self) -> EvolutionParams {
        let Self { pairs, evolution_days: days, sigma, evolution_rate: rate, average, .. } = *self;
        EvolutionParams { pairs, days, sigma, rate, average }
    }

    /// The validation with the preset of its days.
    pub fn validation(&self) -> Validation {
        let GuideValidation { days, every, rule, reference } = self.validation.clone();
        Validation { preset: self.preset.clone(), days, every, rule, reference }
    }

    /// All steps: labelled days, steps of evolution, and days for the value.
    pub fn total(&self) -> u64 {
        self.rounds * self.days + self.steps + self.value.as_ref().map_or(0, |value| value.days)
    }

    /// A fingerprint of everything that the learned weights depend on except the seed.
    pub fn fingerprint(&self) -> [u8; 32] {
        let Self { preset, validation, hidden, rounds, days, memory, steps, .. } = self;
        let GuideValidation { days: judged, every, .. } = validation;
        let text = format!(
            "guide {preset} {judged} {every} {hidden} {rounds} {days} {memory} {steps} \
             {:?} {:?} {:?} {:?}",
            self.value,
            self.label_params(),
            self.fit_params(),
            self.evolution_params()
        );
        *blake3::hash(text.as_bytes()).as_bytes()
    }
}
