//! `solo train`: training a network by a recipe.

use crate::args::{LessonArgs, TrainArgs};
use crate::progress::interrupt;
use crate::ui::{Digits, Exit, Out, count, say};
use indicatif::{ProgressBar, ProgressStyle};
use solo::{AnyProblem, Error, bundled, learning};
use solo_core::file::escaped;
use solo_core::{Clock, Seed, SystemClock};
use solo_learn::{
    BEST, CurvePoint, LearnError, Marks, Recipe, RecipeVariant, RewriterRecipe, Summary, Task,
    Validation, Watch,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs it.
pub(crate) fn run(args: &TrainArgs, out: &mut Out) -> Result<(), Exit> {
    let variant = if args.paper { RecipeVariant::Paper } else { RecipeVariant::Default };
    let file = &args.lesson.recipe;
    let title = |name: &str| {
        let mut title = format!("{name} ({})", variant.word());
        title.extend(args.set.iter().map(|change| format!(", {change}")));
        title
    };
    if learning::makes_rewriter(file)? {
        let read = learning::read_recipe(bundled(), file, variant, &args.set)?;
        let (recipe, problem): (RewriterRecipe, _) = read;
        let (name, total) = (&recipe.name, recipe.hyper.days);
        let lesson = Lesson { args: &args.lesson, name, title: title(name), total, unit: "day" };
        return lesson.learn(problem, &recipe.validation, out, |task, screen| {
            problem.train_rewriter(&recipe, task, screen)
        });
    }
    let read = learning::read_recipe(bundled(), file, variant, &args.set)?;
    let (recipe, problem): (Recipe, _) = read;
    let (name, total) = (&recipe.name, recipe.hyper.total_steps);
    let lesson = Lesson { args: &args.lesson, name, title: title(name), total, unit: "decision" };
    lesson.learn(problem, &recipe.validation, out, |task, screen| {
        problem.train(&recipe, task, screen)
    })
}

/// What is the same for every recipe.
pub(crate) struct Lesson<'l> {
    pub(crate) args: &'l LessonArgs,
    /// The recipe's name.
    pub(crate) name: &'l str,
    /// What is said at the beginning.
    pub(crate) title: String,
    /// How many steps there are.
    pub(crate) total: u64,
    /// What they are.
    pub(crate) unit: &'static str,
}

impl Lesson<'_> {
    /// Learns with the progress on the screen, and says how it ended.
    pub(crate) fn learn(
        &self,
        problem: &dyn AnyProblem,
        validation: &Validation,
        out: &mut Out,
        learn: impl FnOnce(&Task<'_>, &mut Screen<'_>) -> Result<Summary, LearnError>,
    ) -> Result<(), Exit> {
        let Lesson { args, name, title, total, unit } = self;
        let (stop, clock) = (interrupt(), SystemClock::start());
        let folder: PathBuf = learning::folder(args.out.as_deref(), name);
        let threads = args.threads.number();
        let measure = || {
            let bar = ProgressBar::new(validation.days).with_style(style(MEASURING));
            let hear = |agent: &str, done| {
                bar.set_message(escaped(agent).into_owned());
                bar.set_position(done);
            };
            let marks = learning::marks(problem, validation, &folder, threads, stop, hear);
            bar.finish_and_clear();
            marks
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let task = Task {
            seed: Seed(args.seed),
            threads,
            out: folder.clone(),
            resume: args.resume,
            marks: &measure,
            wall_time: now.map_or(0.0, |time| time.as_secs_f64()),
            clock: &clock,
        };
        out.line(&format!("{title}, seed {}", args.seed))?;
        out.flush()?;
        let mut screen = Screen::new(*total, unit, &clock, stop, out);
        let summary = learn(&task, &mut screen);
        screen.finish();
        ended(summary, &folder, unit, out)
    }
}

/// Says how it ended; `unit` is what steps are counted in.
fn ended(
    summary: Result<Summary, LearnError>,
    folder: &Path,
    unit: &str,
    out: &mut Out,
) -> Result<(), Exit> {
    let summary = summary.map_err(|error| Error::Failed(error.to_string()))?;
    if !summary.finished {
        say("note", "interrupted; --resume goes on from here");
        return Err(Exit::Interrupted);
    }
    if let Some(best) = summary.best {
        let file = folder.join(BEST);
        out.line(&format!(
            "{}: validation cost {} at {unit} {}",
            file.display(),
            Digits::fit([best.cost]).cost(best.cost),
            count(best.step as f64)
        ))?;
    }
    Ok(())
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The progress of learning.
const LEARNING: &str = "{bar:15} {pos}/{len} UNITs, {eta} left; {wide_msg}";
/// The progress of finding out what the rule and the reference cost.
const MEASURING: &str = "{bar:15} {pos}/{len} validation days, {eta} left, by {wide_msg}";
/// Whose cost a model is compared with.
const WHOSE: [&str; 2] = ["rule", "reference"];

/// Shows learning on the terminal: a bar on standard error, a line for each validation on standard output.
pub(crate) struct Screen<'s> {
    bar: ProgressBar,
    marks: Marks,
    digits: Digits,
    stop: &'s AtomicBool,
    out: &'s mut Out,
    clock: &'s SystemClock,
    /// What steps are.
    unit: &'static str,
    /// Where learning began this time, and when.
    from: (u64, f64),
}

impl<'s> Screen<'s> {
    /// For this many steps of this unit.
    fn new(
        total: u64,
        unit: &'static str,
        clock: &'s SystemClock,
        stop: &'s AtomicBool,
        out: &'s mut Out,
    ) -> Self {
        let template = LEARNING.replace("UNIT", unit);
        let bar = ProgressBar::new(total).with_style(style(&template));
        let (marks, digits) = (Marks::default(), Digits::fit([]));
        Self { bar, marks, digits, stop, out, clock, unit, from: (0, 0.0) }
    }

    /// Takes the bar away.
    fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// A row of the table of validations.
    fn row(&mut self, [step, rate, cost, best]: [&str; 4], to: impl IntoIterator<Item = String>) {
        let mut line = format!("{step:>13} {rate:>9} {cost:>12} {best:>12}");
        line.extend(to.into_iter().map(|to| format!(" {to:>12}")));
        self.line(&line);
    }

    /// A line to the output. Whoever closes it does not stop the learning.
    fn line(&mut self, line: &str) {
        let out = &mut *self.out;
        let _ = self.bar.suspend(|| out.line(line).and_then(|()| out.flush()));
    }
}

impl Watch for Screen<'_> {
    fn begun(&mut self, step: u64, marks: &Marks) {
        self.marks = marks.clone();
        self.digits = Digits::fit(marks.costs.iter().map(|(_, cost)| *cost));
        self.from = (step, self.clock.elapsed().as_secs_f64());
        self.bar.set_position(step);
        self.bar.reset_eta();
        self.bar.set_message("not validated yet");
        for ((name, cost), whose) in marks.costs.iter().zip(WHOSE) {
            let cost = self.digits.cost(*cost);
            self.line(&format!("{whose}: {name}, validation cost {cost}"));
        }
        let steps = format!("{}s", self.unit);
        self.row([&steps, "a second", "cost", "best"], WHOSE.map(|whose| format!("to {whose}")));
    }

    fn ticked(&mut self, step: u64) {
        self.bar.set_position(step);
    }

    fn validated(&mut self, point: &CurvePoint, best: f64) {
        let digits = self.digits;
        let to =
            |(_, cost): &(String, f64)| format!("{:+.2} %", 100.0 * (point.cost - cost) / cost);
        let to: Vec<String> = self.marks.costs.iter().map(to).collect();
        let (cost, best) = (digits.cost(point.cost), digits.cost(best));
        self.bar.set_message(format!("cost {cost}, best {best}"));
        let (from, began) = self.from;
        let seconds = self.clock.elapsed().as_secs_f64() - began;
        let rate = count((point.step - from) as f64 / seconds.max(1e-9));
        self.row([&count(point.step as f64), &rate, &cost, &best], to);
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::widest;

    #[test]
    fn progress_fits_80_columns() {
        assert!(widest(&LEARNING.replace("UNIT", "decision")) + "cost 34,181".len() <= 80);
        assert!(widest(MEASURING) + "ruin@300r".len() <= 80);
    }
}
