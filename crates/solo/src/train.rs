//! `solo train`: learning a network by a recipe.

use crate::args::TrainArgs;
use crate::days::interrupt;
use crate::ui::{Digits, Exit, Out, count, say};
use indicatif::{ProgressBar, ProgressStyle};
use solo::any::AnyDomain;
use solo::episode::Settings;
use solo::parallel::{self, Event};
use solo::{Error, registry};
use solo_core::spec::split_budget;
use solo_core::{Budget, Clock, SystemClock};
use solo_learn::atomic;
use solo_learn::history::{Marks, Point};
use solo_learn::recipe::{Recipe, Validation, Variant};
use solo_learn::run::{BEST, Job, LearnError, Summary, Watch};
use solo_learn::validate::VALIDATION;
use solo_rivals::Pool;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs it.
pub(crate) fn run(args: &TrainArgs, out: &mut Out) -> Result<(), Exit> {
    let recipe = read(args)?;
    let domain = owner(&recipe)?;
    for agent in [&recipe.validation.rule, &recipe.validation.reference] {
        registry::check_agent(domain, agent)?;
    }
    let folder = folder(args.lesson.out.as_deref(), &recipe.name)?;
    let threads = args.lesson.threads.number();
    let stop = interrupt();
    let marks = marks(domain, &recipe.validation, &folder, threads, stop)?;
    let clock = SystemClock::start();
    let wall_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64());
    let job = Job {
        recipe: &recipe,
        seed: solo_core::Seed(args.lesson.seed),
        threads,
        out: folder.clone(),
        resume: args.lesson.resume,
        marks,
        wall_time,
        clock: &clock,
    };
    out.line(&format!("{} ({}), seed {}", recipe.name, recipe.variant.word(), args.lesson.seed))?;
    out.flush()?;
    let total = recipe.hyper.total_steps;
    let mut screen = Screen::new(total, "decisions", &job.marks, &clock, stop, out);
    let summary = domain.learn(&job, &mut screen);
    screen.finish();
    ended(summary, &folder, "decision", out)
}

/// The folder for everything that is written, made if it is not there.
pub(crate) fn folder(typed: Option<&str>, recipe: &str) -> Result<PathBuf, Error> {
    let folder = match typed {
        Some(folder) => PathBuf::from(folder),
        None => Path::new("runs").join(recipe),
    };
    fs::create_dir_all(&folder).map_err(|e| {
        Error::Failed(format!("{}: cannot make this folder: {e}", folder.display()))
    })?;
    Ok(folder)
}

/// Tells how it ended; `unit` is what steps are counted in.
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

fn read(args: &TrainArgs) -> Result<Recipe, Error> {
    let file = &args.lesson.recipe;
    let text = fs::read_to_string(file).map_err(|e| Error::Failed(format!("{file}: {e}")))?;
    let variant = if args.paper { Variant::Paper } else { Variant::Default };
    Recipe::parse(file, &text, variant).map_err(|error| Error::Failed(error.to_string()))
}

/// The problem that all presets of a recipe are of.
fn owner(recipe: &Recipe) -> Result<&'static dyn AnyDomain, Error> {
    let find = |preset: &str| {
        registry::preset_owner(preset).ok_or_else(|| registry::unknown_preset(preset))
    };
    let domain = find(&recipe.validation.preset)?;
    for preset in &recipe.presets {
        let other = find(preset)?;
        if other.name() != domain.name() {
            return Err(Error::Usage(format!(
                "the recipe learns from {preset}, a preset of {}, but is validated on {}, one of {}",
                other.name(),
                recipe.validation.preset,
                domain.name()
            )));
        }
    }
    Ok(domain)
}

/// What the rule and the reference cost on the validation days; from `marks.csv` if it was found out before.
pub(crate) fn marks(
    domain: &'static dyn AnyDomain,
    validation: &Validation,
    folder: &Path,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Marks, Exit> {
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
            None => mean_cost(domain, validation, name, threads, stop)?,
        };
        costs.push((name.clone(), cost));
    }
    let lines = costs.iter().map(|(name, cost)| format!("\n{name},{cost}"));
    let text = format!("{head},0{}\n", lines.collect::<String>());
    atomic::write(&file, text.as_bytes()).map_err(|error| Error::Failed(error.to_string()))?;
    Ok(Marks { costs })
}

/// The mean cost of an agent on the validation days.
fn mean_cost(
    domain: &'static dyn AnyDomain,
    validation: &Validation,
    agent: &str,
    threads: usize,
    stop: &AtomicBool,
) -> Result<f64, Exit> {
    let (clock, progress, pool) = (SystemClock::start(), AtomicU64::new(0), Pool::default());
    let (name, budget) =
        split_budget(agent).map_err(|error| Error::Usage(format!("agent {error}")))?;
    let live = |day: u64| {
        let scenario = domain.generate(&validation.preset, VALIDATION, day);
        let scenario = scenario.ok_or_else(|| registry::unknown_preset(&validation.preset))?;
        let settings = Settings {
            law: scenario.own_law(),
            budget: budget.unwrap_or(Budget::Rollouts(200)),
            seed: VALIDATION,
            index: day,
            keep: false,
            explain: false,
            pool: &pool,
            clock: &clock,
            stop,
            finish: false,
            ponder: None,
            progress: &progress,
        };
        let outcome = scenario.live(name, &settings);
        outcome.map(|outcome| outcome.cost).map_err(|e| Error::Failed(format!("{agent}: {e}")))
    };
    let bar = ProgressBar::new(validation.days)
        .with_style(style("{bar:30} {pos}/{len} validation days by {msg}, {eta} left"))
        .with_message(agent.to_string());
    let mut sum = 0.0;
    parallel::run(
        validation.days,
        threads,
        stop,
        |_| (),
        live,
        |event| {
            match event {
                Event::Done(_, cost) => sum += cost?,
                Event::Tick(done) => bar.set_position(done),
            }
            Ok::<(), Error>(())
        },
    )?;
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) {
        return Err(Exit::Interrupted);
    }
    Ok(sum / validation.days as f64)
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
    /// For so many steps of this unit.
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

    fn validated(&mut self, point: &Point, best: f64) {
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
