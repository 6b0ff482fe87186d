//! `solo teach`: teaching a guide by search.

use crate::args::TeachArgs;
use crate::progress::interrupt;
use crate::train::{Screen, ended, task};
use crate::ui::{Exit, Out};
use solo::{bundled, learning};
use solo_core::SystemClock;

/// Runs it.
pub(crate) fn run(args: &TeachArgs, out: &mut Out) -> Result<(), Exit> {
    let (recipe, problem) = learning::read_guide_recipe(bundled(), &args.lesson.recipe)?;
    let clock = SystemClock::start();
    let task = task(&args.lesson, &recipe.name, problem, &recipe.validation(), &clock)?;
    out.line(&format!("{}, seed {}", recipe.name, args.lesson.seed))?;
    out.flush()?;
    let mut screen = Screen::new(recipe.total(), "steps", &task.marks, &clock, interrupt(), out);
    let summary = problem.teach(&recipe, &task, &mut screen);
    screen.finish();
    ended(summary, &task.out, "step", out)
}
