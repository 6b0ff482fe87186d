//! The registry's agents on tiny problems, with guides that are taught for them.

use super::{Case, DAYS};
use solo::{AnyProblem, Settings};
use solo_core::{AgentSpec, Seed, SystemClock, pool};
use solo_learn::{CurvePoint, GuideRecipe, Marks, Task, VALUE, Watch};
use solo_nn::Scorer;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The number of threads that simulate agents; the result does not depend on it.
const THREADS: usize = 2;

/// A guide that was taught on a problem.
pub(super) struct Taught {
    folder: PathBuf,
    /// How long that took.
    pub(super) seconds: f64,
}

/// Teaches in silence.
struct Quiet;

impl Watch for Quiet {
    fn begun(&mut self, _step: u64, _marks: &Marks) {}

    fn ticked(&mut self, _step: u64) {}

    fn validated(&mut self, _point: &CurvePoint, _best: f64) {}

    fn stop(&self) -> bool {
        false
    }
}

impl Taught {
    /// Teaches a guide by the recipe of the case, on its preset, in a folder of its own that is made anew.
    pub(super) fn by(case: &Case, problem: &dyn AnyProblem) -> Result<Self, String> {
        let started = Instant::now();
        let (file, text) = case.recipe;
        let mut recipe = GuideRecipe::parse(file, text).map_err(|error| error.to_string())?;
        recipe.preset = case.preset.to_string();
        let name = format!("solo-optima-{}-{}", case.preset, std::process::id());
        let folder = std::env::temp_dir().join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        }
        let clock = SystemClock::start();
        let task = Task {
            seed: Seed(0),
            threads: THREADS,
            out: folder.clone(),
            resume: false,
            marks: &|| Ok(Some(Marks::default())),
            wall_time: 0.0,
            clock: &clock,
        };
        problem.teach(&recipe, &task, &mut Quiet).map_err(|error| error.to_string())?;
        Ok(Self { folder, seconds: started.elapsed().as_secs_f64() })
    }

    /// The value at the horizon that was taught with the guide, if there is one.
    pub(super) fn value(&self) -> Option<Arc<Scorer>> {
        let bytes = std::fs::read(self.folder.join(VALUE)).ok()?;
        Scorer::from_safetensors(&bytes).ok().map(|(scorer, _)| Arc::new(scorer))
    }

    /// What an agent costs on each of the days.
    pub(super) fn simulate(
        &self,
        problem: &dyn AnyProblem,
        preset: &str,
        typed: &str,
        days: u64,
    ) -> Result<Vec<f64>, String> {
        let model = |file: &str| self.folder.join(file).display().to_string();
        let guide = format!("model={}", model(solo_learn::BEST));
        let mut typed = typed.replace("model=MODEL", &guide);
        if typed.starts_with("solo2") && self.value().is_some() {
            typed = typed.replace(&guide, &format!("{guide},value={}", model(VALUE)));
        }
        let spec = AgentSpec::parse(&typed).map_err(|error| error.to_string())?;
        problem.check_agent(&spec).map_err(|error| error.to_string())?;
        let simulate = |index: u64| {
            let day = problem.draw(preset, DAYS, index).map_err(|error| error.to_string())?;
            let settings = Settings { seed: DAYS, index, ..Settings::default() };
            let outcome = day.simulate(&spec, &settings).map_err(|error| error.to_string())?;
            Ok(outcome.cost)
        };
        let costs = pool::map(days, THREADS, simulate);
        costs.into_iter().collect::<Result<_, String>>().map_err(|what| format!("{typed}: {what}"))
    }
}

impl Drop for Taught {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder); // it is in the folder for such things
    }
}
