//! `solo eval`: a suite of days, lived in parallel, kept as they end, and continued after any interruption.

use crate::args::EvalArgs;
use crate::cores::Cores;
use crate::days::{Bar, interrupt, live_timed};
use crate::machine;
use crate::plan::{Cell, Plan};
use crate::ui::{Exit, Out, Print, count, say, span};
use solo::Error;
use solo::episode::{EpisodeError, Settings};
use solo::files::read_text;
use solo::parallel::{self, Event};
use solo_core::{Failure, SystemClock};
use solo_eval::Trouble;
use solo_eval::folder::{Failed, Folder, Run, beside};
use solo_eval::published::Published;
use solo_eval::record::{Figures, Record};
use solo_eval::results::Results;
use solo_eval::sheets::sheet;
use solo_eval::suite::{Suite, Who};
use solo_rivals::Pool;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A cell that has failed on so many days and never gone well is given up.
const PATIENCE: u64 = 5;

/// Runs it.
pub(crate) fn run(args: &EvalArgs, out: &mut Out) -> Result<(), Exit> {
    let text = read_text(&args.suite)?;
    let plan = Plan::new(&args.suite, Suite::parse(&args.suite, &text)?, &args.only, args.days)?;
    let cores = Cores::share(args.threads.asked()).map_err(Error::Usage)?;
    let Some(path) = args.out.as_deref().filter(|_| !args.dry_run) else {
        return plan.print(cores.workers, out);
    };
    let copies = copies(&args.suite, &text, &plan)?;
    let folder = Folder::make(path)?;
    let record = Record::open(&folder.name("days.jsonl"))?;
    let run = folder.begin(this_run(&plan.suite, &cores), args.mix)?;
    folder.write_scenarios(&plan.scenarios())?;
    copies.iter().try_for_each(|(name, text)| folder.write(name, text))?;
    if !args.forget.is_empty() {
        say("note", &format!("{} days forgotten", forget(&plan, &record, &args.forget)?));
    }
    out.line(&format!("{}: {}", plan.suite.name, plan.suite.title))?;
    out.line(&cores.describe())?;
    out.flush()?;

    let evaluation = Evaluation::new(&plan, &folder, &record, run.run)?;
    let before = evaluation.pieces.len();
    let all: u64 = plan.cells.iter().map(|cell| cell.days).sum();
    out.line(&format!(
        "{} of {} days are there already",
        count((all - before as u64) as f64),
        count(all as f64)
    ))?;
    out.flush()?;
    let stopped = evaluation.live(&cores)?;
    let failed = evaluation.end()?;
    for Failed { column, row, days, why } in &failed {
        say("warning", &format!("{column} / {row} failed on {days} days: {why}"));
    }
    let left = evaluation.pieces.iter().filter(|&&piece| !evaluation.there(piece)).count();
    out.line(&format!(
        "{} days lived, {} left",
        count((before - left) as f64),
        count(left as f64)
    ))?;
    tables(&folder, &plan, out)?;
    out.line(&format!("the report: solo report {path}"))?;
    out.flush()?;
    if stopped { Err(Exit::Interrupted) } else { Ok(()) }
}

/// Prints the columns that were asked for.
fn tables(folder: &Folder, plan: &Plan, out: &mut Out) -> Result<(), Exit> {
    let results = Results::load(folder)?;
    for at in (0..results.columns.len()).filter(|&at| plan.cells.iter().any(|c| c.column == at)) {
        let sheet = sheet(&results, at);
        out.line(&format!("\n{} ({})", sheet.title, sheet.name))?;
        sheet.table().print(out)?;
    }
    out.line("")
}

/// Who runs, on what.
fn this_run(suite: &Suite, cores: &Cores) -> Run {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    Run {
        run: 0,
        started,
        version: env!("CARGO_PKG_VERSION").to_string(),
        program: machine::program(),
        commit: machine::commit(),
        suite: suite.fingerprint.clone(),
        command: machine::command(),
        machine: machine::describe(),
        cores: cores.describe(),
    }
}

/// What a report needs beside the days, by the name of its file.
fn copies(file: &str, text: &str, plan: &Plan) -> Result<Vec<(String, String)>, Error> {
    let mut copies = vec![
        ("suite.toml".to_string(), text.to_string()),
        ("references.csv".to_string(), plan.references(file)?),
    ];
    if let Some(published) = &plan.suite.published {
        let (name, text) = ("published.toml", read_text(&beside(file, published))?);
        Published::parse(published, &text)?;
        copies.push((name.to_string(), text));
    }
    for (number, curve) in plan.suite.curves.iter().enumerate() {
        match read_text(&beside(file, &curve.file)) {
            Ok(csv) => copies.push((format!("curves/{number}.csv"), csv)),
            Err(faults) => {
                say("warning", &format!("curve '{}' is left out: {faults}", curve.title));
            }
        }
    }
    Ok(copies)
}

/// Strikes the days of cells whose name holds one of `parts` from the record.
fn forget(plan: &Plan, record: &Record, parts: &[String]) -> Result<usize, Trouble> {
    let named = |cell: &&Cell| parts.iter().any(|part| cell.name.contains(part.as_str()));
    let mut keys = std::collections::HashSet::new();
    for cell in plan.cells.iter().filter(named) {
        keys.extend((0..cell.days).map(|day| plan.key(cell, day)));
    }
    record.forget(|key| keys.contains(key))
}

/// A day of a cell.
type Piece = (usize, u64);

/// How a cell fares.
#[derive(Clone, Default)]
struct Tally {
    lived: u64,
    seconds: f64,
    failed: u64,
    why: String,
    given_up: bool,
}

struct Evaluation<'e> {
    plan: &'e Plan,
    folder: &'e Folder,
    record: &'e Record,
    run: u64,
    /// What was not there at the start, in the order in which it is lived.
    pieces: Vec<Piece>,
    /// By cell.
    tallies: Mutex<Vec<Tally>>,
    /// What went wrong that makes going on pointless.
    broken: Mutex<Option<Trouble>>,
}

impl<'e> Evaluation<'e> {
    fn new(
        plan: &'e Plan,
        folder: &'e Folder,
        record: &'e Record,
        run: u64,
    ) -> Result<Self, Trouble> {
        let mut tallies = vec![Tally::default(); plan.cells.len()];
        let mut evaluation = Self {
            plan,
            folder,
            record,
            run,
            pieces: Vec::new(),
            tallies: Mutex::default(),
            broken: Mutex::default(),
        };
        // Column by column, and day by day within it: what is compared is lived side by side.
        for column in 0..plan.suite.columns.len() {
            let own = || plan.cells.iter().enumerate().filter(move |(_, c)| c.column == column);
            let days = own().map(|(_, cell)| cell.days).max().unwrap_or(0);
            for day in 0..days {
                for (number, _) in own().filter(|(_, cell)| day < cell.days) {
                    match record.find(&plan.key(&plan.cells[number], day)) {
                        Some(figures) if !evaluation.to_draw((number, day)) => {
                            tallies[number].lived += 1;
                            tallies[number].seconds += figures.seconds;
                        }
                        _ => evaluation.pieces.push((number, day)),
                    }
                }
            }
        }
        evaluation.tallies = Mutex::new(tallies);
        Ok(evaluation)
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

    /// Lives what is missing; says whether it was stopped.
    fn live(&self, cores: &Cores) -> Result<bool, Exit> {
        let stop = interrupt();
        let (clock, decided, pool) = (SystemClock::start(), AtomicU64::new(0), Pool::default());
        let work = |number: u64| {
            let piece = self.pieces[number as usize];
            if !self.tallies()[piece.0].given_up {
                self.attempt(piece, &pool, &clock, stop, &decided);
            }
        };
        let count = self.pieces.len() as u64;
        let mut bar = Bar::new(count);
        parallel::run(
            count,
            cores.workers,
            stop,
            |number| cores.enter(number),
            work,
            |event| {
                if let Event::Tick(done) = event {
                    let left = || self.seconds_left(done) / cores.workers as f64;
                    bar.tick_with(done, &|| format!("about {} left", span(left())));
                }
                Ok::<(), Exit>(())
            },
        )?;
        bar.end();
        if let Some(trouble) = self.broken.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(trouble.into());
        }
        Ok(stop.load(Ordering::Relaxed))
    }

    fn tallies(&self) -> std::sync::MutexGuard<'_, Vec<Tally>> {
        self.tallies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lives one day. Whatever goes wrong is told of its cell, and the others go on.
    fn attempt(
        &self,
        piece: Piece,
        pool: &Pool,
        clock: &SystemClock,
        stop: &'static AtomicBool,
        decided: &AtomicU64,
    ) {
        let lived = catch_unwind(AssertUnwindSafe(|| self.day(piece, pool, clock, stop, decided)));
        let error = match lived {
            Ok(Ok(figures)) => {
                let tally = &mut self.tallies()[piece.0];
                tally.lived += 1;
                tally.seconds += figures.seconds;
                return;
            }
            Ok(Err(EpisodeError::Interrupted)) => return,
            Ok(Err(EpisodeError::Record(what))) => {
                // Nothing can be kept any more: the disk is full, or the folder is gone.
                let trouble = Trouble::new(self.folder.name(""), what);
                *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(trouble);
                stop.store(true, Ordering::Relaxed);
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
        tally.given_up = never || (tally.lived == 0 && tally.failed >= PATIENCE);
    }

    fn day(
        &self,
        piece: Piece,
        pool: &Pool,
        clock: &SystemClock,
        stop: &'static AtomicBool,
        decided: &AtomicU64,
    ) -> Result<Figures, EpisodeError> {
        let (cell, day) = (&self.plan.cells[piece.0], piece.1);
        let column = self.plan.column(cell);
        let row = &column.rows[cell.row];
        let Who::Agent { typed, budget, .. } = &row.who else {
            return Err(EpisodeError::Interrupted);
        };
        let keep = self.to_draw(piece);
        let lived = self.plan.sources[cell.column].with(column.seed, day, |scenario| {
            let settings = Settings {
                law: column.law.as_deref().or(scenario.own_law()),
                budget: *budget,
                ponder: None,
                seed: column.seed,
                index: day,
                keep,
                explain: false,
                pool,
                clock,
                stop,
                finish: false,
                progress: decided,
            };
            live_timed(scenario, typed, &row.label, &settings)
        });
        let (outcome, figures) = lived.ok_or(EpisodeError::Interrupted)??;
        let kept = |trouble: Trouble| EpisodeError::Record(trouble.to_string());
        if outcome.day.is_some() {
            let name = Folder::picture(&column.name, &row.label, day);
            let picture = crate::simulate::picture_of(&outcome).unwrap_or_default();
            self.folder.write(&name, picture).map_err(kept)?;
        }
        let figures = Figures { run: Some(self.run), ..figures };
        self.record.add(self.plan.key(cell, day), figures).map_err(kept)?;
        Ok(figures)
    }

    /// About how many seconds of work are left, `done` pieces being done.
    fn seconds_left(&self, done: u64) -> f64 {
        let tallies = self.tallies();
        let left = self.pieces.iter().skip(done as usize);
        left.map(|&(cell, _)| match &tallies[cell] {
            Tally { given_up: true, .. } => 0.0,
            Tally { lived: 0, .. } => self.plan.guess(&self.plan.cells[cell]),
            Tally { lived, seconds, .. } => seconds / *lived as f64,
        })
        .sum()
    }

    /// Writes down what failed, with what failed before in cells that were not asked for now.
    fn end(&self) -> Result<Vec<Failed>, Trouble> {
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
