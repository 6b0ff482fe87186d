//! Finished days kept in a file as they end, so that long comparisons can be interrupted and continued.

use crate::EvalError;
use crate::appended::Appended;
use serde::{Deserialize, Serialize};
use solo_core::{Budget, Seed, atomic};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a day is filed under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The scenario's name.
    pub scenario: String,
    /// The agent as typed, with a budget of its own if it was typed with one.
    pub agent: String,
    /// What it could spend on a decision.
    pub budget: String,
    /// The seed of its random stream.
    pub seed: u64,
    /// The law that it expects, if not the scenario's own.
    pub law: Option<String>,
}

impl Key {
    /// The day of `scenario` simulated with `agent`.
    pub fn new(scenario: &str, agent: &str, budget: Budget, seed: Seed, law: Option<&str>) -> Self {
        Self {
            scenario: scenario.to_string(),
            agent: agent.to_string(),
            budget: budget.to_string(),
            seed: seed.0,
            law: law.map(str::to_string),
        }
    }
}

/// The figures of a simulated day.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The audit's cost.
    pub cost: f64,
    /// How many decisions were made.
    pub decisions: u64,
    /// How many rollouts or iterations went into them.
    pub rollouts: u64,
    /// How long they took together.
    pub seconds: f64,
    /// How long the slowest took.
    pub slowest: f64,
    /// The part of that time in which the thread that decided was on a core; small where others took the core away,
    /// or where another process did the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<f64>,
    /// Which of the runs in `runs.jsonl` simulated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
}

/// A day as one line of the file.
#[derive(Serialize, Deserialize)]
struct RecordLine {
    scenario: String,
    agent: String,
    #[serde(flatten)]
    figures: Figures,
    budget: String,
    seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    law: Option<String>,
}

impl RecordLine {
    fn new(key: &Key, figures: Figures) -> Self {
        let Key { scenario, agent, budget, seed, law } = key.clone();
        Self { scenario, agent, figures, budget, seed, law }
    }

    fn parts(self) -> (Key, Figures) {
        let RecordLine { scenario, agent, figures, budget, seed, law } = self;
        (Key { scenario, agent, budget, seed, law }, figures)
    }
}

/// A file of finished days, one JSON object a line. Each line is written when its day ends, so that even a killed
/// program loses only the days under way. Of two lines of the same day the later one counts.
pub struct Record {
    name: String,
    known: Mutex<HashMap<Key, Figures>>,
    file: Mutex<File>,
    note: Option<String>,
}

impl Record {
    /// Opens the file, or makes it. A last line that was cut short by a crash is dropped, and [`Record::note`] says so.
    pub fn open(name: &str) -> Result<Self, EvalError> {
        let failed = |what: std::io::Error| EvalError::new(name, what);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(name)
            .map_err(failed)?;
        lock(name, &file)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let days = parse(name, &bytes)?;
        let note = days.note(name);
        file.set_len(days.good as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        if days.unended {
            file.write_all(b"\n").map_err(failed)?;
        }
        let known = Mutex::new(known(days));
        Ok(Self { name: name.to_string(), known, file: Mutex::new(file), note })
    }

    /// What was left out of the file when it was opened, if anything.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The days of a file, which is left as it is.
    pub fn read(name: &str) -> Result<HashMap<Key, Figures>, EvalError> {
        let bytes = fs::read(name).map_err(|error| EvalError::new(name, error))?;
        Self::parse(name, &bytes)
    }

    /// The days in the bytes of the file `name`, without a last line that was cut short.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<HashMap<Key, Figures>, EvalError> {
        Ok(known(parse(name, bytes)?))
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Key, Figures>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The day's figures, if it was simulated before.
    pub fn find(&self, key: &Key) -> Option<Figures> {
        self.known().get(key).copied()
    }

    /// Adds a day that has just ended.
    pub fn add(&self, key: Key, figures: Figures) -> Result<(), EvalError> {
        let trouble = |error: &dyn std::fmt::Display| EvalError::new(&self.name, error.to_string());
        let line =
            serde_json::to_string(&RecordLine::new(&key, figures)).map_err(|e| trouble(&e))?;
        self.known().insert(key, figures);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(format!("{line}\n").as_bytes()).map_err(|error| trouble(&error))
    }

    /// Strikes out the days that `which` picks, and says how many they were. The file is replaced at once or not at
    /// all.
    pub fn forget(&self, which: impl Fn(&Key) -> bool) -> Result<usize, EvalError> {
        let trouble = |error: std::io::Error| EvalError::new(&self.name, error);
        let mut known = self.known();
        let gone = known.keys().filter(|key| which(key)).count();
        if gone == 0 {
            return Ok(0);
        }
        known.retain(|key, _| !which(key));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let text = fs::read_to_string(&self.name).map_err(trouble)?;
        let mut kept = String::with_capacity(text.len());
        for line in text.lines() {
            let stays =
                serde_json::from_str::<RecordLine>(line).is_ok_and(|l| !which(&l.parts().0));
            if stays {
                kept.push_str(line);
                kept.push('\n');
            }
        }
        let failed = |e: atomic::FileError| EvalError { file: e.path, what: e.what };
        atomic::write(Path::new(&self.name), kept.as_bytes()).map_err(failed)?;
        *file = OpenOptions::new().append(true).open(&self.name).map_err(trouble)?;
        // The name now means another file, and so needs a lock of its own.
        lock(&self.name, &file)?;
        Ok(gone)
    }
}

/// Makes sure that nobody else writes the file. Where files cannot be locked nothing is made sure.
fn lock(name: &str, file: &File) -> Result<(), EvalError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(EvalError::new(name, "is being written by another run; wait for its end"))
        }
        _ => Ok(()),
    }
}

fn parse(name: &str, bytes: &[u8]) -> Result<Appended<RecordLine>, EvalError> {
    Appended::read(name, bytes, "a recorded day", "{\"scenario\":")
}

/// Of two lines of the same day the later one counts.
fn known(days: Appended<RecordLine>) -> HashMap<Key, Figures> {
    days.lines.into_iter().map(RecordLine::parts).collect()
}

/// Reference costs by scenario: the rows of `method` in a file of `scenario,method,cost`.
pub fn references(file: &str, method: &str) -> Result<HashMap<String, f64>, EvalError> {
    let rows = fs::read_to_string(file).map_err(|error| EvalError::new(file, error))?;
    parse_references(file, &rows, method)
}

/// The same of the text of a file.
pub fn parse_references(
    file: &str,
    rows: &str,
    method: &str,
) -> Result<HashMap<String, f64>, EvalError> {
    const HEADER: &str = "scenario,method,cost";
    if rows.lines().next().is_none_or(|first| first.trim() != HEADER) {
        return Err(EvalError::new(file, format!("line 1 should be the header {HEADER}")));
    }
    let mut costs = HashMap::new();
    let mut methods: Vec<&str> = Vec::new();
    for (i, row) in rows.lines().enumerate().skip(1).filter(|(_, row)| !row.trim().is_empty()) {
        let fields: Vec<&str> = row.trim().split(',').collect();
        let cost = match fields[..] {
            [_, _, cost] => cost.parse::<f64>().ok().filter(|cost| cost.is_finite()),
            _ => None,
        };
        let cost =
            cost.ok_or_else(|| EvalError::new(file, format!("line {} should be {HEADER}", i + 1)))?;
        if fields[1] == method {
            costs.insert(fields[0].to_string(), cost);
        } else if !methods.contains(&fields[1]) {
            methods.push(fields[1]);
        }
    }
    if costs.is_empty() {
        let known = methods.join(", ");
        return Err(EvalError::new(file, format!("has no method '{method}'; it has {known}")));
    }
    Ok(costs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(scenario: &str) -> Key {
        Key::new(scenario, "ruin", Budget::Rollouts(5), Seed(0), None)
    }

    fn figures(cost: f64) -> Figures {
        let (decisions, rollouts, seconds, slowest) = (3, 15, 0.5, 0.25);
        Figures { cost, decisions, rollouts, seconds, slowest, core: None, run: Some(1) }
    }

    #[test]
    fn days_are_kept_found_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("days.jsonl").to_str().unwrap().to_string();
        let record = Record::open(&name).unwrap();
        record.add(key("a"), figures(0.1 + 0.2)).unwrap();
        record.add(key("b"), figures(2.0)).unwrap();
        record.add(key("b"), figures(3.0)).unwrap();
        let busy = Record::open(&name).err().unwrap();
        assert!(busy.what.contains("another run"), "{busy}");
        drop(record);

        // As if killed in the middle of a line.
        let mut file = OpenOptions::new().append(true).open(&name).unwrap();
        file.write_all(b"{\"scenario\":\"c\",").unwrap();
        drop(file);
        let record = Record::open(&name).unwrap();
        assert_eq!(record.find(&key("a")), Some(figures(0.1 + 0.2)), "to the last bit");
        assert_eq!(record.find(&key("b")), Some(figures(3.0)), "the later line counts");
        assert_eq!(record.find(&key("c")), None);
        assert_eq!(record.find(&Key { law: Some("x".to_string()), ..key("a") }), None);

        assert_eq!(record.forget(|key| key.scenario == "b"), Ok(1));
        record.add(key("d"), figures(4.0)).unwrap();
        drop(record);
        let known = Record::read(&name).unwrap();
        assert_eq!(known.len(), 2);
        assert!(known.contains_key(&key("a")) && known.contains_key(&key("d")));
    }

    #[test]
    fn a_line_torn_anywhere_costs_that_line_alone() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("days.jsonl").to_str().unwrap().to_string();
        let record = Record::open(&name).unwrap();
        assert_eq!(record.note(), None);
        record.add(key("day \u{e9}"), figures(1.5)).unwrap();
        drop(record);
        let line = fs::read(&name).unwrap();
        let inside = line.iter().position(|byte| *byte == 0xc3).unwrap() + 1;
        assert!(std::str::from_utf8(&line[..inside]).is_err(), "cut inside a character");
        for end in 1..line.len() {
            let torn = [&line[..], &line[..end]].concat();
            fs::write(&name, &torn).unwrap();
            let whole = end == line.len() - 1; // only the end of the line is missing
            assert_eq!(Record::read(&name).unwrap().len(), 1, "{end}");
            assert_eq!(fs::read(&name).unwrap(), torn, "who reads leaves it as it is");
            let record = Record::open(&name).unwrap();
            assert_eq!(record.find(&key("day \u{e9}")), Some(figures(1.5)), "{end}");
            let noted = format!("line 2 was cut short after {end} bytes");
            assert_eq!(record.note().is_some_and(|note| note.contains(&noted)), !whole, "{end}");
            record.add(key("b"), figures(2.0)).unwrap();
            drop(record);
            let wanted = if whole { 3 } else { 2 };
            let kept = fs::read(&name).unwrap();
            assert!(kept.starts_with(&line) && kept.ends_with(b"\n"), "{end}");
            assert_eq!(kept.split(|byte| *byte == b'\n').count() - 1, wanted, "{end}");
            assert_eq!(Record::read(&name).unwrap().len(), 2, "{end}");
        }
        // Where the system had made room but written nothing.
        fs::write(&name, [&line[..], &line[..9], &[0; 20]].concat()).unwrap();
        assert_eq!(Record::open(&name).unwrap().find(&key("day \u{e9}")), Some(figures(1.5)));
    }

    #[test]
    fn a_file_of_one_line_that_is_not_ours_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("notes.txt").to_str().unwrap().to_string();
        for notes in ["my notes", "{\"name\":\"cvrp-20/0\"}", "\u{e9}"] {
            fs::write(&name, notes).unwrap();
            let error = Record::open(&name).err().unwrap();
            assert!(error.what.contains("line 1 is not a recorded day"), "{error}");
            assert_eq!(fs::read_to_string(&name).unwrap(), notes);
        }
    }

    #[test]
    fn other_files_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("notes.txt").to_str().unwrap().to_string();
        fs::write(&name, "my notes\nunfinished").unwrap();
        let error = Record::open(&name).err().unwrap();
        assert!(error.what.contains("line 1 is not a recorded day"), "{error}");
        assert_eq!(fs::read_to_string(&name).unwrap(), "my notes\nunfinished");
    }
}
