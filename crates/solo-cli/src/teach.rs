//! `solo teach`: teaching a guide by search.

use crate::args::TeachArgs;
use crate::train::Lesson;
use crate::ui::{Exit, Out};
use solo::{bundled, learning};

/// Runs it.
pub(crate) fn run(args: &TeachArgs, out: &mut Out) -> Result<(), Exit> {
    let (recipe, problem) = learning::read_guide_recipe(bundled(), &args.lesson.recipe)?;
    let (name, title, total) = (&recipe.name, recipe.name.clone(), recipe.total());
    let lesson = Lesson { args: &args.lesson, name, title, total, unit: "step" };
    lesson.learn(problem, &recipe.validation(), out, |task, screen| {
        problem.teach(&recipe, task, screen)
    })
}
