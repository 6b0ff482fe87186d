//! Many days of many agents, simulated in parallel and kept as they end.

use crate::Error;
use crate::any::{AnyProblem, AnyScenario};
use crate::cores;
use crate::files::{self, read_scenarios};
use crate::registry::Registry;
use crate::simulation::{EpisodeError, Outcome, Settings};
use solo_core::pool::{self, Progress};
use solo_core::{AgentSpec, Budget, Seed};
use solo_eval::record::{Figures, Key, Record};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Where days come from.
pub enum DaySource<'r> {
    /// Drawn one by one.
    Preset {
        /// Whose preset.
        problem: &'r dyn AnyProblem,
        /// Which, as it was typed.
        preset: String,
    },
    /// Read from a file.
    File {
        /// The problem they are of.
        problem: &'r dyn AnyProblem,
        /// All of them.
        scenarios: Vec<Box<dyn AnyScenario>>,
    },
}

impl<'r> DaySource<'r> {
    /// A preset of this name, else a file.
    pub fn open(registry: &'r Registry, text: &str) -> Result<Self, Error> {
        let is_a_name = !text.contains(['/', '\\', '.']) || registry.owner(text).is_some();
        if text != "-" && is_a_name && !Path::new(text).exists() {
            let problem = registry.preset(text)?;
            return Ok(DaySource::Preset { problem, preset: text.to_string() });
        }
        Self::file(registry, text, None)
    }

    /// The scenarios of a file, read in this format if one is named.
    pub fn file(registry: &'r Registry, file: &str, format: Option<&str>) -> Result<Self, Error> {
        let scenarios = read_scenarios(registry, file, format)?;
        let problem = files::one_problem(registry, file, &scenarios)?;
        Ok(DaySource::File { problem, scenarios })
    }

    /// The problem of all days.
    pub fn problem(&self) -> &'r dyn AnyProblem {
        match self {
            DaySource::Preset { problem, .. } | DaySource::File { problem, .. } => *problem,
        }
    }

    /// How many days there are, `asked` being how many are wanted: of a preset 1 unless asked, of a file all.
    pub fn episodes(&self, asked: Option<u64>) -> u64 {
        match self {
            DaySource::Preset { .. } => asked.unwrap_or(1),
            DaySource::File { scenarios, .. } => {
                let all = scenarios.len() as u64;
                asked.map_or(all, |asked| asked.min(all))
            }
        }
    }

    /// Does something with scenario `index`; `None` if there is no such scenario.
    pub fn with<T>(
        &self,
        seed: Seed,
        index: u64,
        task: impl FnOnce(&dyn AnyScenario) -> T,
    ) -> Option<T> {
        match self {
            DaySource::Preset { problem, preset } => {
                problem.draw(preset, seed, index).ok().map(|scenario| task(scenario.as_ref()))
            }
            DaySource::File { scenarios, .. } => {
                let scenario = scenarios.get(usize::try_from(index).ok()?)?;
                Some(task(scenario.as_ref()))
            }
        }
    }
}

/// Which days are simulated by whom.
pub struct Comparison<'d, 'r> {
    /// Where the days come from.
    pub source: &'d DaySource<'r>,
    /// How many of them.
    pub episodes: u64,
    /// Who decides each of them.
    pub agents: &'d [AgentSpec],
    /// How.
    pub settings: Settings<'d>,
    /// How many at the same time.
    pub threads: usize,
    /// Where finished days are kept, if anywhere. Days that are there are not simulated again.
    pub record: Option<&'d Record>,
    /// Whether every decision of every day is explained, or only those of the first agent's first day.
    pub explain_all: bool,
}

/// How one agent's day went.
pub struct Simulated {
    /// Which day.
    pub episode: u64,
    /// Which of the agents.
    pub agent: usize,
    /// The scenario's name.
    pub scenario: String,
    /// How it went.
    pub result: Result<Outcome, EpisodeError>,
}

/// What is heard of many days under way.
pub enum DaysProgress {
    /// A day has ended; days come in order, those that were interrupted are left out.
    Day(Box<Simulated>),
    /// Heard now and then.
    Tick {
        /// Days done.
        days: u64,
        /// Decisions made.
        decisions: u64,
    },
}

impl Comparison<'_, '_> {
    /// Simulates every day with every agent. `keep` says of which day and agent the log is wanted. Returns whether all
    /// was done.
    pub fn run<E>(
        &self,
        keep: impl Fn(u64, usize) -> bool + Sync,
        mut hear: impl FnMut(DaysProgress) -> Result<(), E>,
    ) -> Result<bool, E> {
        let decided = AtomicU64::new(0);
        let stop: &AtomicBool = self.settings.stop;
        let agents = self.agents.len() as u64;
        let count = self.episodes * agents;
        let work = |piece: u64| {
            let (episode, agent) = (piece / agents, (piece % agents) as usize);
            let simulated = self.source.with(self.settings.seed, episode, |scenario| {
                let settings = Settings {
                    index: episode,
                    keep: keep(episode, agent),
                    explain: self.settings.explain && (self.explain_all || piece == 0),
                    progress: &decided,
                    ..self.settings.clone()
                };
                let result = self.one(scenario, &self.agents[agent], &settings);
                Simulated { episode, agent, scenario: scenario.name().to_string(), result }
            });
            simulated.filter(|day| !matches!(day.result, Err(EpisodeError::Interrupted)))
        };
        let mut done = 0;
        pool::run(
            count,
            self.threads,
            stop,
            |_| (),
            work,
            |progress| match progress {
                Progress::Done(_, Some(day)) => {
                    done += 1;
                    hear(DaysProgress::Day(Box::new(day)))
                }
                Progress::Done(_, None) => Ok(()),
                Progress::Tick(days) => {
                    hear(DaysProgress::Tick { days, decisions: decided.load(Ordering::Relaxed) })
                }
            },
        )?;
        Ok(done == count && !stop.load(Ordering::Relaxed))
    }

    /// One day of one agent, from the record where it was simulated before.
    fn one(
        &self,
        scenario: &dyn AnyScenario,
        agent: &AgentSpec,
        settings: &Settings<'_>,
    ) -> Result<Outcome, EpisodeError> {
        let budget: Budget = agent.budget.unwrap_or(settings.budget);
        let typed = agent.to_string();
        let key = Key::new(scenario.name(), &typed, budget, settings.seed, settings.law);
        if let Some(figures) = self.record.and_then(|record| record.find(&key)) {
            return Ok(Outcome::known(&key.scenario, &typed, &figures));
        }
        let (outcome, figures) = simulate_timed(scenario, agent, settings)?;
        if let Some(record) = self.record {
            record.add(key, figures).map_err(|e| EpisodeError::Record(e.to_string()))?;
        }
        Ok(outcome)
    }
}

/// A day with a smaller part of a core than this is said to be starved, if it took longer than so many seconds.
const STARVED: f64 = 0.9;
const LONG: f64 = 0.1;
const NO_CORE: &str = "did not have a core for itself, so it searched less, or took longer, than its budget says; use \
    fewer --threads, or stop other programs";

/// Simulates a day and tells its figures, with the part of the time that it had a core for itself.
pub fn simulate_timed(
    scenario: &dyn AnyScenario,
    agent: &AgentSpec,
    settings: &Settings<'_>,
) -> Result<(Outcome, Figures), EpisodeError> {
    let (began, busy) = (Instant::now(), cores::busy());
    let mut outcome = scenario.simulate(agent, settings)?;
    let wall = began.elapsed().as_secs_f64();
    let core = busy.zip(cores::busy()).map(|(before, after)| ((after - before) / wall).min(1.0));
    let core = core.filter(|part| part.is_finite()).map(|part| (part * 1e3).round() / 1e3);
    let figures = Figures { core, ..outcome.figures() };
    let timed = matches!(agent.budget.unwrap_or(settings.budget), Budget::Wall(_));
    if timed && wall > LONG && core.is_some_and(|part| part < STARVED) {
        outcome.notes.push(NO_CORE.to_string());
    }
    Ok((outcome, figures))
}
