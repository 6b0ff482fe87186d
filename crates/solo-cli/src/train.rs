//! `solo train`: training a network by a recipe.

use crate::args::{LessonArgs, TrainArgs};
use crate::progress::interrupt;
use crate::ui::{Digits, Exit, Out, count, say};
use indicatif::{ProgressBar, ProgressStyle};
use solo::{AnyProblem, Error, bundled, learning};
use solo_core::{Clock, Seed, SystemClock};
use solo_learn::{
    BEST, CurvePoint, LearnError, Marks, RecipeVariant, Summary, Task, Validation, Watch,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs it.
pub(crate) fn run(args: &TrainArgs, out: &mut Out) -> Result<(), Exit> {
    let variant = if args.paper { RecipeVariant::Paper } else { RecipeVariant::Default };
    let (recipe, problem) = learning::read_recipe(bundled(), &args.lesson.recipe, variant)?;
    let clock = SystemClock::start();
    let task = task(&args.lesson, &recipe.name, problem, &recipe.validation, &clock)?;
    out.line(&format!("{} ({}), seed {}", recipe.name, recipe.variant.word(), args.lesson.seed))?;
    out.flush()?;
    let total = recipe.hyper.total_steps;
    let mut screen = Screen::new(total, "decisions", &task.marks, &clock, interrupt(), out);
    let summary = problem.train(&recipe, &task, &mut screen);
    screen.finish();
    ended(summary, &task.out, "decision", out)
}

/// What is the same for every recipe: where things are written, what to compare with, how.
pub(crate) fn task<'t>(
    args: &LessonArgs,
    recipe: &str,
    problem: &dyn AnyProblem,
    validation: &Validation,
    clock: &'t SystemClock,
) -> Result<Task<'t>, Exit> {
    let folder: PathBuf = learning::folder(args.out.as_deref(), recipe)?;
    let threads = args.threads.number();
    let bar = ProgressBar::new(validation.days)
        .with_style(style("{bar:30} {pos}/{len} validation days by {msg}, {eta} left"));
    let marks =
        learning::marks(problem, validation, &folder, threads, interrupt(), |agent, done| {
            bar.set_message(agent.to_string());
            bar.set_position(done);
        });
    bar.finish_and_clear();
    let wall_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64());
    let (seed, resume, marks) = (Seed(args.seed), args.resume, marks?);
    Ok(Task { seed, threads, out: folder, resume, marks, wall_time, clock })
}

/// Says how it ended; `unit` is what steps are counted in.
pub(crate) fn ended(
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

/// Shows learning on the terminal: a bar on standard error, a line for each validation on standard output.
pub(crate) struct Screen<'s> {
    bar: ProgressBar,
    marks: &'s Marks,
    digits: Digits,
    stop: &'s AtomicBool,
    out: &'s mut Out,
    clock: &'s SystemClock,
    /// What steps are counted in.
    unit: &'static str,
    /// Where learning began this time, and when.
    from: (u64, f64),
}

impl<'s> Screen<'s> {
    /// For this many steps of this unit.
    pub(crate) fn new(
        total: u64,
        unit: &'static str,
        marks: &'s Marks,
        clock: &'s SystemClock,
        stop: &'s AtomicBool,
        out: &'s mut Out,
    ) -> Self {
        let template =
            format!("{{bar:30}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left; {{msg}}");
        let bar = ProgressBar::new(total).with_style(style(&template));
        let digits = Digits::fit(marks.costs.iter().map(|(_, cost)| *cost));
        Self { bar, marks, digits, stop, out, clock, unit, from: (0, 0.0) }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Screen<'_> {
    fn begun(&mut self, step: u64) {
        self.from = (step, self.clock.elapsed().as_secs_f64());
        self.bar.set_position(step);
        self.bar.reset_eta();
        self.bar.set_message("not validated yet");
    }

    fn ticked(&mut self, step: u64) {
        self.bar.set_position(step);
    }

    fn validated(&mut self, point: &CurvePoint, best: f64) {
        let digits = self.digits;
        let marks = self.marks.costs.iter().map(|(name, cost)| {
            let difference = 100.0 * (point.cost - cost) / cost;
            format!("{name} {} ({difference:+.2} %)", digits.cost(*cost))
        });
        let marks: Vec<String> = marks.collect();
        let cost = digits.cost(point.cost);
        let text = format!("cost {cost}, best {}; {}", digits.cost(best), marks.join(", "));
        let (from, began) = self.from;
        let seconds = self.clock.elapsed().as_secs_f64() - began;
        let rate = (point.step - from) as f64 / seconds.max(1e-9);
        let line =
            format!("{:>11} {}, {:>6}/s  {text}", count(point.step as f64), self.unit, count(rate));
        self.bar.set_message(text);
        let out = &mut *self.out;
        // Whoever closes the output does not stop the learning.
        let _ = self.bar.suspend(|| out.line(&line).and_then(|()| out.flush()));
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
