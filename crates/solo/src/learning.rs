//! Training networks and teaching guides by recipes.

use crate::Error;
use crate::any::AnyProblem;
use crate::files::read_text;
use crate::registry::Registry;
use crate::simulation::Settings;
use solo_core::pool::{self, Progress};
use solo_core::{AgentSpec, Budget, atomic};
use solo_learn::{
    GuideRecipe, LearnError, Marks, Parameters, RecipeOf, RecipeVariant, VALIDATION, Validation,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Reads a recipe of a network with parameters changed as typed (`name=value`), and finds the problem that all its
/// presets are of.
pub fn read_recipe<'r, H: Parameters>(
    registry: &'r Registry,
    file: &str,
    variant: RecipeVariant,
    changes: &[String],
) -> Result<(RecipeOf<H>, &'r dyn AnyProblem), Error> {
    let text = read_text(file)?;
    let recipe = RecipeOf::<H>::parse(file, &text, variant).and_then(|mut recipe| {
        recipe.set(changes)?;
        Ok(recipe)
    });
    let recipe = recipe.map_err(|error| Error::Failed(error.to_string()))?;
    let problem = registry.preset(&recipe.validation.preset)?;
    for preset in recipe.presets.iter().chain([&recipe.validation.preset]) {
        check_units(preset)?;
    }
    for preset in &recipe.presets {
        let other = registry.preset(preset)?;
        if other.name() != problem.name() {
            return Err(Error::Usage(format!(
                "the recipe learns from {preset}, a preset of {}, but is validated on {}, one of {}",
                other.name(),
                recipe.validation.preset,
                problem.name()
            )));
        }
    }
    check_validation(registry, problem, &recipe.validation)?;
    Ok((recipe, problem))
}

/// Whether a recipe makes a rewriter; else it makes the paper's network.
pub fn makes_rewriter(file: &str) -> Result<bool, Error> {
    Ok(solo_learn::makes_rewriter(&read_text(file)?))
}

/// Reads a recipe of a guide, and finds the problem that its preset is of.
pub fn read_guide_recipe<'r>(
    registry: &'r Registry,
    file: &str,
) -> Result<(GuideRecipe, &'r dyn AnyProblem), Error> {
    let text = read_text(file)?;
    let recipe = GuideRecipe::parse(file, &text);
    let recipe = recipe.map_err(|error| Error::Failed(error.to_string()))?;
    let problem = registry.preset(&recipe.preset)?;
    check_units(&recipe.preset)?;
    check_validation(registry, problem, &recipe.validation())?;
    Ok((recipe, problem))
}

/// Models know the law's own units, and days are brought into these.
fn check_units(preset: &str) -> Result<(), Error> {
    let plain = crate::agents::without_units(preset);
    if plain == preset {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "models learn in the units of the law and serve days in all units: write {plain} instead of {preset}"
    )))
}

fn check_validation(
    registry: &Registry,
    problem: &dyn AnyProblem,
    validation: &Validation,
) -> Result<(), Error> {
    for agent in [&validation.rule, &validation.reference] {
        registry.agent(problem, agent)?;
    }
    Ok(())
}

/// The folder for everything that is written.
pub fn folder(given: Option<&str>, recipe: &str) -> PathBuf {
    given.map_or_else(|| Path::new("runs").join(recipe), PathBuf::from)
}

/// What the rule and the reference cost on the validation days; from `marks.csv` if it was found out before. `hear` is
/// told of whom and of how many days are done. `None` if it was stopped on the way.
pub fn marks(
    problem: &dyn AnyProblem,
    validation: &Validation,
    folder: &Path,
    threads: usize,
    stop: &AtomicBool,
    mut hear: impl FnMut(&str, u64),
) -> Result<Option<Marks>, LearnError> {
    let file = folder.join("marks.csv");
    let names = [&validation.rule, &validation.reference];
    let known = fs::read_to_string(&file).unwrap_or_default();
    let known: Vec<(&str, f64)> = known
        .lines()
        .filter_map(|line| line.rsplit_once(','))
        .filter_map(|(name, cost)| Some((name, cost.parse().ok()?)))
        .collect();
    let head = format!("{} x {}", validation.days, validation.preset);
    let found = |name: &str| {
        let mut known = known.iter().skip_while(|(title, _)| *title != head).skip(1);
        known.find(|(of, _)| *of == name).map(|(_, cost)| *cost)
    };
    let mut costs = Vec::new();
    for name in names {
        let cost = match found(name) {
            Some(cost) => cost,
            None => match mean_cost(problem, validation, name, threads, stop, &mut hear) {
                Ok(cost) => cost,
                Err(Error::Interrupted) => return Ok(None),
                Err(error) => return Err(LearnError::Marks(error.to_string())),
            },
        };
        costs.push((name.clone(), cost));
    }
    let lines = costs.iter().map(|(name, cost)| format!("\n{name},{cost}"));
    let text = format!("{head},0{}\n", lines.collect::<String>());
    atomic::write(&file, text.as_bytes())?;
    Ok(Some(Marks { costs }))
}

/// The mean cost of an agent on the validation days.
fn mean_cost(
    problem: &dyn AnyProblem,
    validation: &Validation,
    agent: &str,
    threads: usize,
    stop: &AtomicBool,
    hear: &mut impl FnMut(&str, u64),
) -> Result<f64, Error> {
    let progress = AtomicU64::new(0);
    let spec = AgentSpec::parse(agent).map_err(|error| Error::Usage(error.to_string()))?;
    let simulate = |day: u64| {
        let scenario = problem.draw(&validation.preset, VALIDATION, day);
        let scenario = scenario.map_err(|error| Error::Usage(error.to_string()))?;
        let settings = Settings {
            budget: Budget::Rollouts(200),
            seed: VALIDATION,
            index: day,
            stop,
            progress: &progress,
            ..Settings::default()
        };
        let outcome = scenario.simulate(&spec, &settings);
        outcome.map(|outcome| outcome.cost).map_err(|e| Error::Failed(format!("{agent}: {e}")))
    };
    let mut sum = 0.0;
    let summed = pool::run(
        validation.days,
        threads,
        stop,
        |_| (),
        simulate,
        |progress| {
            match progress {
                Progress::Done(_, cost) => sum += cost?,
                Progress::Tick(done) => hear(agent, done),
            }
            Ok::<(), Error>(())
        },
    );
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Interrupted);
    }
    summed?;
    Ok(sum / validation.days as f64)
}
