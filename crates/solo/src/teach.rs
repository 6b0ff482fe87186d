//! `solo teach`: teaching a guide by search.

use crate::args::TeachArgs;
use crate::days::interrupt;
use crate::train::{Screen, ended, folder, marks};
use crate::ui::{Exit, Out};
use solo::{Error, registry};
use solo_core::SystemClock;
use solo_learn::recipe::Validation;
use solo_learn::teach::recipe::GuideRecipe;
use solo_learn::teach::run::Lesson;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs it.
pub(crate) fn run(args: &TeachArgs, out: &mut Out) -> Result<(), Exit> {
    let file = &args.lesson.recipe;
    let text = fs::read_to_string(file).map_err(|e| Error::Failed(format!("{file}: {e}")))?;
    let recipe = GuideRecipe::parse(file, &text).map_err(|e| Error::Failed(e.to_string()))?;
    let unknown = || registry::unknown_preset(&recipe.preset);
    let domain = registry::preset_owner(&recipe.preset).ok_or_else(unknown)?;
    let judge = &recipe.validation;
    for agent in [&judge.rule, &judge.reference] {
        registry::check_agent(domain, agent)?;
    }
    let folder = folder(args.lesson.out.as_deref(), &recipe.name)?;
    let threads = args.lesson.threads.number();
    let stop = interrupt();
    let validation = Validation {
        preset: recipe.preset.clone(),
        days: judge.days,
        every: judge.every,
        rule: judge.rule.clone(),
        reference: judge.reference.clone(),
    };
    let marks = marks(domain, &validation, &folder, threads, stop)?;
    let clock = SystemClock::start();
    let wall_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64());
    let job = Lesson {
        recipe: &recipe,
        seed: solo_core::Seed(args.lesson.seed),
        threads,
        out: folder.clone(),
        resume: args.lesson.resume,
        marks,
        wall_time,
        clock: &clock,
    };
    out.line(&format!("{}, seed {}", recipe.name, args.lesson.seed))?;
    out.flush()?;
    let mut screen = Screen::new(recipe.total(), "steps", &job.marks, &clock, stop, out);
    let summary = domain.teach(&job, &mut screen);
    screen.finish();
    ended(summary, &folder, "step", out)
}
