//! A suite being run: what is missing in its folder is simulated, one day per core.

use super::plan::{PlannedCell, SuitePlan};
use crate::Error;
use crate::cores::Cores;
use crate::days::simulate_timed;
use crate::machine;
use crate::simulation::{EpisodeError, Settings, Solvers};
use solo_core::pool::{self, Progress};
use solo_core::{Clock, Failure, SystemClock};
use solo_eval::EvalError;
use solo_eval::folder::{Failed, Folder, RunInfo};
use solo_eval::record::{Figures, Record};
use solo_eval::suite::Suite;
use solo_eval::table::Digits;
use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A cell that has failed on this many days and never gone well is given up.
const PATIENCE: u64 = 5;

/// Who runs, on what.
fn this_run(suite: &Suite) -> RunInfo {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    RunInfo {
        run: 0,
        started,
        version: env!("CARGO_PKG_VERSION").to_string(),
        program: machine::program(),
        commit: machine::commit(),
        suite: suite.fingerprint.clone(),
        command: machine::command(),
        machine: machine::describe(),
        cores: String::new(),
    }
}

/// What is heard of an evaluation under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationProgress {
    /// Days simulated so far in this run.
    pub done: u64,
    /// Of how many.
    pub count: u64,
    /// About how many seconds are left.
    pub seconds_left: f64,
}

/// What came of a run of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// What agents were that nobody asked for: column, row and what is to be said.
    pub notes: Vec<(String, String, String)>,
    /// Days that were simulated.
    pub done: u64,
    /// Days that are still missing.
    pub left: u64,
    /// Cells that failed.
    pub failed: Vec<Failed>,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

/// A day of a cell.
type Piece = (usize, u64);

/// What all days share.
struct Shared<'s> {
    clock: Arc<dyn Clock + Send>,
    solvers: Solvers,
    stop: &'s AtomicBool,
}

/// How a cell fares.
#[derive(Clone, Default)]
struct Tally {
    /// What the agent was that nobody asked for.
    notes: Vec<String>,
    done: u64,
    seconds: f64,
    failed: u64,
    why: String,
    given_up: bool,
}

/// A suite with its folder of results.
pub struct Evaluation<'p, 'r> {
    plan: &'p SuitePlan<'r>,
    folder: Folder,
    record: Record,
    info: RunInfo,
    cores: Cores,
    /// What had to be left out of the folder.
    pub left_out: Vec<String>,
    /// What was not there at the start, in the order in which it is simulated.
    pieces: Vec<Piece>,
    /// By cell.
    tallies: Mutex<Vec<Tally>>,
    /// What went wrong that makes going on pointless.
    broken: Mutex<Option<EvalError>>,
}

impl<'p, 'r> Evaluation<'p, 'r> {
    /// Opens the folder of results, or makes it. Unless `mix` says so, results of another suite or program are not
    /// mixed.
    pub fn open(plan: &'p SuitePlan<'r>, folder: &str, mix: bool) -> Result<Self, Error> {
        Self::open_on(plan, folder, mix, None)
    }

    /// The same with this many days at a time; one per core unless said.
    pub fn open_on(
        plan: &'p SuitePlan<'r>,
        folder: &str,
        mix: bool,
        workers: Option<usize>,
    ) -> Result<Self, Error> {
        let cores = Cores::share(workers).map_err(Error::Usage)?;
        let (copies, mut left_out) = plan.copies()?;
        let folder = Folder::make(folder)?;
        let record = Record::open(&folder.name("days.jsonl"))?;
        let info = RunInfo { cores: cores.describe(), ..this_run(&plan.suite) };
        let (info, torn) = folder.begin(info, mix)?;
        left_out.extend(record.note().map(str::to_string).into_iter().chain(torn));
        folder.write_scenarios(&plan.scenarios())?;
        copies.iter().try_for_each(|(name, text)| folder.write(name, text))?;
        let mut evaluation = Self {
            plan,
            folder,
            record,
            info,
            cores,
            left_out,
            pieces: Vec::new(),
            tallies: Mutex::default(),
            broken: Mutex::default(),
        };
        evaluation.find_missing();
        Ok(evaluation)
    }

    /// Column by column, and day by day within it: what is compared is simulated side by side.
    fn find_missing(&mut self) {
        let plan = self.plan;
        let mut tallies = vec![Tally::default(); plan.cells.len()];
        let mut pieces = Vec::new();
        for column in 0..plan.suite.columns.len() {
            let own = || plan.cells.iter().enumerate().filter(move |(_, c)| c.column == column);
            let days = own().map(|(_, cell)| cell.days).max().unwrap_or(0);
            for day in 0..days {
                for (number, _) in own().filter(|(_, cell)| day < cell.days) {
                    match self.record.find(&plan.key(&plan.cells[number], day)) {
                        Some(figures) if !self.to_draw((number, day)) => {
                            tallies[number].done += 1;
                            tallies[number].seconds += figures.seconds;
                        }
                        _ => pieces.push((number, day)),
                    }
                }
            }
        }
        self.pieces = pieces;
        self.tallies = Mutex::new(tallies);
    }

    /// The folder of results.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// How days are spread over cores, in words.
    pub fn cores(&self) -> String {
        self.cores.describe()
    }

    /// How many days of the plan are missing.
    pub fn missing(&self) -> u64 {
        self.pieces.len() as u64
    }

    /// Strikes the days of cells whose name holds one of `parts` from the record, and says how many they were.
    pub fn forget(&mut self, parts: &[String]) -> Result<usize, Error> {
        let named =
            |cell: &&PlannedCell| parts.iter().any(|part| cell.name.contains(part.as_str()));
        let mut keys = HashSet::new();
        for cell in self.plan.cells.iter().filter(named) {
            keys.extend((0..cell.days).map(|day| self.plan.key(cell, day)));
        }
        let gone = self.record.forget(|key| keys.contains(key))?;
        self.find_missing();
        Ok(gone)
    }

    /// Simulates what is missing until `stop` is set, and writes down what failed.
    pub fn run(
        &self,
        stop: &AtomicBool,
        mut hear: impl FnMut(EvaluationProgress),
    ) -> Result<Evaluated, Error> {
        let shared =
            Shared { clock: Arc::new(SystemClock::start()), solvers: Solvers::default(), stop };
        let work = |number: u64| {
            let piece = self.pieces[number as usize];
            if !self.tallies()[piece.0].given_up {
                self.attempt(piece, &shared);
            }
        };
        let count = self.pieces.len() as u64;
        let workers = self.cores.workers;
        let ran: Result<(), Infallible> = pool::run(
            count,
            workers,
            stop,
            |number| self.cores.enter(number),
            work,
            |progress| {
                if let Progress::Tick(done) = progress {
                    let seconds_left = self.seconds_left(done) / workers as f64;
                    hear(EvaluationProgress { done, count, seconds_left });
                }
                Ok(())
            },
        );
        let Ok(()) = ran;
        if let Some(error) = self.broken.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error.into());
        }
        let left = self.pieces.iter().filter(|&&piece| !self.there(piece)).count() as u64;
        let stopped = stop.load(Ordering::Relaxed);
        Ok(Evaluated {
            done: count - left,
            left,
            failed: self.end()?,
            notes: self.notes(),
            stopped,
        })
    }

    /// What agents were that nobody asked for: column, row and what is to be said.
    fn notes(&self) -> Vec<(String, String, String)> {
        let cells = self.plan.cells.iter().zip(self.tallies().clone());
        cells
            .flat_map(|(cell, tally)| {
                let column = self.plan.column(cell);
                let row = column.rows[cell.row].label.clone();
                tally.notes.into_iter().map(move |note| (column.name.clone(), row.clone(), note))
            })
            .collect()
    }

    /// Whether the day is in the record.
    fn there(&self, (cell, day): Piece) -> bool {
        self.record.find(&self.plan.key(&self.plan.cells[cell], day)).is_some()
    }

    /// Whether the day's picture is wanted and not there.
    fn to_draw(&self, (cell, day): Piece) -> bool {
        let cell = &self.plan.cells[cell];
        let column = self.plan.column(cell);
        let row = &column.rows[cell.row].label;
        column.pictures.iter().any(|picture| picture.row == *row && picture.day == day)
            && !self.folder.path(&Folder::picture(&column.name, row, day)).exists()
    }

    fn tallies(&self) -> MutexGuard<'_, Vec<Tally>> {
        self.tallies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Simulates one day. Whatever goes wrong is noted of its cell, and the others go on.
    fn attempt(&self, piece: Piece, shared: &Shared<'_>) {
        let ended = catch_unwind(AssertUnwindSafe(|| self.day(piece, shared)));
        let error = match ended {
            Ok(Ok((figures, notes))) => {
                let tally = &mut self.tallies()[piece.0];
                tally.done += 1;
                tally.seconds += figures.seconds;
                for note in notes {
                    if !tally.notes.contains(&note) {
                        tally.notes.push(note);
                    }
                }
                return;
            }
            Ok(Err(EpisodeError::Interrupted)) => return,
            Ok(Err(EpisodeError::Record(what))) => {
                // Nothing can be kept any more: the disk is full, or the folder is gone.
                let error = EvalError::new(self.folder.name(""), what);
                *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                shared.stop.store(true, Ordering::Relaxed);
                return;
            }
            Ok(Err(error)) => error,
            Err(_) => EpisodeError::Agent(Failure::Died("it panicked".to_string())),
        };
        let tally = &mut self.tallies()[piece.0];
        tally.failed += 1;
        if tally.why.is_empty() {
            tally.why = error.to_string();
        }
        let never =
            matches!(error, EpisodeError::Agent(Failure::Missing(_)) | EpisodeError::Spec(_));
        tally.given_up = never || (tally.done == 0 && tally.failed >= PATIENCE);
    }

    /// The figures of a day, and in what the agent differed from what was asked for.
    fn day(
        &self,
        piece: Piece,
        shared: &Shared<'_>,
    ) -> Result<(Figures, Vec<String>), EpisodeError> {
        let (cell, day) = (&self.plan.cells[piece.0], piece.1);
        let column = self.plan.column(cell);
        let row = &column.rows[cell.row];
        let Some((agent, budget)) = self.plan.agent(cell) else {
            return Err(EpisodeError::Interrupted);
        };
        let settings = Settings {
            law: column.law.as_deref(),
            budget,
            seed: column.seed,
            index: day,
            keep: self.to_draw(piece),
            solvers: shared.solvers.clone(),
            clock: Arc::clone(&shared.clock),
            stop: shared.stop,
            ..Settings::default()
        };
        let simulated = self.plan.sources[cell.column]
            .with(column.seed, day, |scenario| simulate_timed(scenario, &agent, &settings));
        let (outcome, figures) = simulated.ok_or(EpisodeError::Interrupted)??;
        let kept = |error: EvalError| EpisodeError::Record(error.to_string());
        if let Some(recorded) = &outcome.day {
            let name = Folder::picture(&column.name, &row.label, day);
            let cost = Digits::fit([outcome.cost]).cost(outcome.cost);
            let title = format!("{} by {}, cost {cost}", outcome.scenario, row.label);
            let picture = recorded.picture(&title).unwrap_or_default();
            self.folder.write(&name, picture).map_err(kept)?;
        }
        let figures = Figures { run: Some(self.info.run), ..figures };
        self.record.add(self.plan.key(cell, day), figures).map_err(kept)?;
        Ok((figures, outcome.notes))
    }

    /// About how many seconds of work are left, `done` pieces being done.
    fn seconds_left(&self, done: u64) -> f64 {
        let tallies = self.tallies();
        let left = self.pieces.iter().skip(done as usize);
        left.map(|&(cell, _)| match &tallies[cell] {
            Tally { given_up: true, .. } => 0.0,
            Tally { done: 0, .. } => self.plan.guess(&self.plan.cells[cell]),
            Tally { done, seconds, .. } => seconds / *done as f64,
        })
        .sum()
    }

    /// Writes down what failed, with what failed before in cells that were not asked for now.
    fn end(&self) -> Result<Vec<Failed>, EvalError> {
        let mut failed = BTreeMap::new();
        for old in self.folder.failures()? {
            failed.insert((old.column.clone(), old.row.clone()), old);
        }
        let mut now = Vec::new();
        for (cell, tally) in self.plan.cells.iter().zip(self.tallies().iter()) {
            let column = self.plan.column(cell);
            let (column, row) = (column.name.clone(), column.rows[cell.row].label.clone());
            failed.remove(&(column.clone(), row.clone()));
            if tally.failed > 0 {
                now.push(Failed { column, row, days: tally.failed, why: tally.why.clone() });
            }
        }
        failed.extend(now.iter().map(|f| ((f.column.clone(), f.row.clone()), f.clone())));
        self.folder.write_failures(&failed.into_values().collect::<Vec<_>>())?;
        Ok(now)
    }
}
