//! Many days, lived in parallel, with a progress bar and a way to stop.

use crate::cores;
use crate::ui::{Exit, say, span};
use indicatif::{ProgressBar, ProgressStyle};
use solo::any::{AnyDomain, AnyScenario};
use solo::episode::{EpisodeError, Outcome, Settings};
use solo::files::{self, read_scenarios};
use solo::parallel::{self, Event};
use solo::{Error, registry};
use solo_core::spec::split_budget;
use solo_core::{Budget, Seed, SystemClock};
use solo_eval::record::{Figures, Key, Record};
use solo_rivals::Pool;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Where days come from.
pub(crate) enum Source {
    /// Drawn one by one.
    Preset {
        /// Whose preset.
        domain: &'static dyn AnyDomain,
        /// Which.
        preset: String,
    },
    /// Read from a file.
    File {
        /// The problem they are of.
        domain: &'static dyn AnyDomain,
        /// All of them.
        scenarios: Vec<Box<dyn AnyScenario>>,
    },
}

impl Source {
    /// A preset of this name, else a file.
    pub(crate) fn open(text: &str) -> Result<Self, Error> {
        if let Some(domain) = registry::preset_owner(text) {
            return Ok(Source::Preset { domain, preset: text.to_string() });
        }
        let is_a_name = !text.contains(['/', '\\', '.']);
        if text != "-" && is_a_name && !Path::new(text).exists() {
            return Err(registry::unknown_preset(text));
        }
        Self::file(text, false)
    }

    /// The scenarios of a file.
    pub(crate) fn file(file: &str, exact: bool) -> Result<Self, Error> {
        let scenarios = read_scenarios(file, exact)?;
        let domain = files::one_problem(file, &scenarios)?;
        Ok(Source::File { domain, scenarios })
    }

    /// The problem of all days.
    pub(crate) fn domain(&self) -> &'static dyn AnyDomain {
        match self {
            Source::Preset { domain, .. } | Source::File { domain, .. } => *domain,
        }
    }

    /// How many days there are, `asked` being how many are wanted: of a preset 1 unless asked, of a file all.
    pub(crate) fn episodes(&self, asked: Option<u64>) -> u64 {
        match self {
            Source::Preset { .. } => asked.unwrap_or(1),
            Source::File { scenarios, .. } => {
                let all = scenarios.len() as u64;
                asked.map_or(all, |asked| asked.min(all))
            }
        }
    }

    /// Does something with scenario `index`, which exists.
    pub(crate) fn with<T>(
        &self,
        seed: Seed,
        index: u64,
        task: impl FnOnce(&dyn AnyScenario) -> T,
    ) -> Option<T> {
        match self {
            Source::Preset { domain, preset } => {
                domain.generate(preset, seed, index).map(|scenario| task(scenario.as_ref()))
            }
            Source::File { scenarios, .. } => {
                let scenario = scenarios.get(usize::try_from(index).ok()?)?;
                Some(task(scenario.as_ref()))
            }
        }
    }
}

/// What is to be lived.
pub(crate) struct Days<'d> {
    /// Which days.
    pub(crate) source: &'d Source,
    /// How many of them.
    pub(crate) episodes: u64,
    /// Who lives each of them.
    pub(crate) agents: &'d [String],
    /// For each decision.
    pub(crate) budget: Budget,
    /// For each unit of a day's time between decisions, if agents think then.
    pub(crate) ponder: Option<Budget>,
    /// What everything random follows from.
    pub(crate) seed: Seed,
    /// The law that agents expect, if not the scenario's own.
    pub(crate) law: Option<&'d str>,
    /// How many at the same time.
    pub(crate) threads: usize,
    /// Where finished days are kept, if anywhere.
    pub(crate) record: Option<&'d Record>,
    /// Whether days under way are finished quickly when Ctrl-C comes, rather than left.
    pub(crate) finish: bool,
    /// Whether decisions are explained: those of all days where a line is printed for each, else those of the first
    /// agent's first day.
    pub(crate) explain: bool,
    /// Whether a line is printed for each, for which a progress bar must step aside.
    pub(crate) prints: bool,
}

/// How one agent's day went.
pub(crate) struct Lived {
    /// Which day.
    pub(crate) episode: u64,
    /// Which of the agents.
    pub(crate) agent: usize,
    /// The scenario's name.
    pub(crate) scenario: String,
    /// How it went.
    pub(crate) result: Result<Outcome, EpisodeError>,
}

impl Days<'_> {
    /// Lives every day with every agent; `each` hears of them in order, and those that were interrupted are left out.
    /// `keep` says of which day and agent the record is wanted. Returns whether all was done.
    pub(crate) fn live(
        &self,
        keep: impl Fn(u64, usize) -> bool + Sync,
        mut each: impl FnMut(Lived) -> Result<(), Exit>,
    ) -> Result<bool, Exit> {
        let stop = interrupt();
        let (clock, decided, pool) = (SystemClock::start(), AtomicU64::new(0), Pool::default());
        let agents = self.agents.len() as u64;
        let count = self.episodes * agents;
        let work = |piece: u64| {
            let (episode, agent) = (piece / agents, (piece % agents) as usize);
            let lived = self.source.with(self.seed, episode, |scenario| Lived {
                episode,
                agent,
                scenario: scenario.name().to_string(),
                result: self.live_one(
                    scenario,
                    agent,
                    &Settings {
                        law: self.law.or(scenario.own_law()),
                        budget: self.budget,
                        ponder: self.ponder,
                        seed: self.seed,
                        index: episode,
                        keep: keep(episode, agent),
                        explain: self.explain && (self.prints || piece == 0),
                        pool: &pool,
                        clock: &clock,
                        stop,
                        finish: self.finish,
                        progress: &decided,
                    },
                ),
            });
            lived.filter(|lived| !matches!(lived.result, Err(EpisodeError::Interrupted)))
        };
        let prints = self.prints && io::stdout().is_terminal();
        let mut bar = Bar::new(count);
        let mut done = 0;
        parallel::run(
            count,
            self.threads,
            stop,
            |_| (),
            work,
            |event| match event {
                Event::Done(_, Some(lived)) => {
                    done += 1;
                    if prints || lived.result.is_err() {
                        bar.aside(|| each(lived))
                    } else {
                        each(lived)
                    }
                }
                Event::Done(_, None) => Ok(()),
                Event::Tick(finished) => {
                    bar.tick(finished, decided.load(Ordering::Relaxed));
                    Ok(())
                }
            },
        )?;
        bar.end();
        Ok(done == count && !stop.load(Ordering::Relaxed))
    }
}

impl Days<'_> {
    /// One day of one agent, from the record where it was lived before.
    fn live_one(
        &self,
        scenario: &dyn AnyScenario,
        agent: usize,
        settings: &Settings<'_>,
    ) -> Result<Outcome, EpisodeError> {
        let typed = &self.agents[agent];
        let (name, own) = split_budget(typed)?;
        let budget = own.unwrap_or(settings.budget);
        let key = Key::new(scenario.name(), typed, budget, self.seed, self.law);
        if let Some(figures) = self.record.and_then(|record| record.find(&key)) {
            return Ok(Outcome::known(&key.scenario, typed, &figures));
        }
        let settings = Settings { budget, ..*settings };
        let (outcome, figures) = live_timed(scenario, name, typed, &settings)?;
        if let Some(record) = self.record {
            record.add(key, figures).map_err(|e| EpisodeError::Record(e.to_string()))?;
        }
        Ok(outcome)
    }
}

/// Lives a day with the agent `name` and tells its figures, with the part of the time that it had a core for itself.
pub(crate) fn live_timed(
    scenario: &dyn AnyScenario,
    name: &str,
    typed: &str,
    settings: &Settings<'_>,
) -> Result<(Outcome, Figures), EpisodeError> {
    let (began, busy) = (Instant::now(), cores::busy());
    let outcome = scenario.live(name, settings)?;
    let wall = began.elapsed().as_secs_f64();
    let core = busy.zip(cores::busy()).map(|(before, after)| ((after - before) / wall).min(1.0));
    let core = core.filter(|part| part.is_finite()).map(|part| (part * 1e3).round() / 1e3);
    let outcome = Outcome { agent: typed.to_string(), ..outcome };
    let figures = Figures { core, ..outcome.figures() };
    Ok((outcome, figures))
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the program at once.
pub(crate) fn interrupt() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    // If no handler can be set Ctrl-C ends the program at once, which is no reason not to begin.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &STOP
}

/// A progress bar on standard error, if that is a terminal, once something takes longer than a second; else, now and
/// then, a line.
pub(crate) struct Bar {
    started: Instant,
    said: Instant,
    count: u64,
    bar: Option<ProgressBar>,
}

/// How often a line is said where there is no terminal.
const SAID: Duration = Duration::from_secs(60);

impl Bar {
    pub(crate) fn new(count: u64) -> Self {
        let now = Instant::now();
        Self { started: now, said: now, count, bar: None }
    }

    fn tick(&mut self, finished: u64, decided: u64) {
        self.show(
            finished,
            "{bar:30} {pos}/{len} days, {msg} decisions, {elapsed} gone, {eta} left",
            || decided.to_string(),
        );
    }

    /// Shows how far things are, in words of the caller's about what is left. The words are asked for only when shown.
    pub(crate) fn tick_with(&mut self, finished: u64, left: &dyn Fn() -> String) {
        if io::stderr().is_terminal() {
            self.show(finished, "{bar:30} {pos}/{len} days, {elapsed} gone, {msg}", left);
        } else if self.said.elapsed() >= SAID {
            self.said = Instant::now();
            let gone = span(self.started.elapsed().as_secs_f64());
            say("note", &format!("{finished} of {} days, {gone} gone, {}", self.count, left()));
        }
    }

    fn show(&mut self, finished: u64, template: &str, message: impl Fn() -> String) {
        if self.started.elapsed() < Duration::from_secs(1) {
            return;
        }
        let started = self.started;
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template(template);
            let bar = ProgressBar::new(self.count).with_elapsed(started.elapsed());
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        bar.set_message(message());
        bar.set_position(finished);
    }

    /// Does something that may print, with the bar out of the way.
    fn aside<T>(&self, task: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(task),
            None => task(),
        }
    }

    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
