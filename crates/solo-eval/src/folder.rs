//! A folder of results: what was asked for, what was simulated, by which program on which machine.
//!
//! | file | what |
//! |---|---|
//! | `suite.toml`, `published.toml` | copies of what was asked for and of the published values |
//! | `scenarios.json` | by column, the names of its scenarios in order |
//! | `references.csv` | the costs of methods that are rows |
//! | `days.jsonl` | a line for every simulated day |
//! | `failures.json` | cells that failed in the last run, and why |
//! | `runs.jsonl` | a line for every start of the program |
//! | `pictures`, `curves` | days drawn, and how learning went |

use crate::EvalError;
use crate::appended::Appended;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use solo_core::atomic;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A start of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Its number, from 0; days name it.
    pub run: u64,
    /// Seconds since 1970.
    pub started: u64,
    /// The program's version.
    pub version: String,
    /// A fingerprint of the program.
    pub program: String,
    /// What its sources were, if they are still there.
    pub commit: Option<String>,
    /// A fingerprint of the suite.
    pub suite: String,
    /// What was typed.
    pub command: String,
    /// The machine.
    pub machine: String,
    /// How days were spread over cores.
    pub cores: String,
}

/// A cell that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// The column's name.
    pub column: String,
    /// The row's label.
    pub row: String,
    /// On how many days.
    pub days: u64,
    /// What was said first.
    pub why: String,
}

/// A folder of results.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder, which is made if it is not there.
    pub fn make(path: &str) -> Result<Self, EvalError> {
        fs::create_dir_all(path).map_err(|error| EvalError::new(path, error))?;
        Ok(Self(PathBuf::from(path)))
    }

    /// A folder with results in it.
    pub fn open(path: &str) -> Result<Self, EvalError> {
        let folder = Self(PathBuf::from(path));
        if folder.path("runs.jsonl").exists() {
            return Ok(folder);
        }
        Err(EvalError::new(path, "holds no results; 'solo eval SUITE.toml --out DIR' makes some"))
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The name of a file in it.
    pub fn name(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Writes a file, or leaves what was there.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), EvalError> {
        let place = self.path(name);
        let failed = |error| EvalError::new(self.name(name), error);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        atomic::write(&place, content.as_ref())
            .map_err(|e| EvalError { file: e.path, what: e.what })
    }

    /// Reads a file as text.
    pub fn read(&self, name: &str) -> Result<String, EvalError> {
        fs::read_to_string(self.path(name)).map_err(|error| EvalError::new(self.name(name), error))
    }

    fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<T, EvalError> {
        serde_json::from_str(&self.read(name)?).map_err(|e| EvalError::new(self.name(name), e))
    }

    fn write_json<T: Serialize>(&self, name: &str, value: &T) -> Result<(), EvalError> {
        let text = serde_json::to_string_pretty(value);
        self.write(name, text.map_err(|error| EvalError::new(self.name(name), error))? + "\n")
    }

    /// The starts so far, in order. One that was cut short by a crash is left out: no day is of it.
    pub fn runs(&self) -> Result<Vec<RunInfo>, EvalError> {
        Ok(self.read_runs()?.lines)
    }

    fn read_runs(&self) -> Result<Appended<RunInfo>, EvalError> {
        let name = self.name("runs.jsonl");
        let bytes = match fs::read(&name) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| EvalError::new(&name, error))?,
        };
        read_runs(&name, &bytes)
    }

    /// Adds a start. Unless `mix` says that it is meant, results of another suite or of another program are not mixed.
    /// Returns it with its number, and what is to be said of a start before it that was cut short.
    pub fn begin(
        &self,
        mut run: RunInfo,
        mix: bool,
    ) -> Result<(RunInfo, Option<String>), EvalError> {
        let runs = self.read_runs()?;
        if let Some(last) = runs.lines.last() {
            let other = if last.suite != run.suite {
                Some("another suite, or another state of this one")
            } else if last.program != run.program {
                Some("another build of this program")
            } else {
                None
            };
            if let Some(other) = other.filter(|_| !mix) {
                return Err(EvalError::new(
                    self.0.to_string_lossy(),
                    format!(
                        "holds results of {other}; name another folder, or add --mix to go on (every day names the run that simulated it)"
                    ),
                ));
            }
        }
        run.run = runs.lines.len() as u64;
        let name = self.name("runs.jsonl");
        let failed = |error: std::io::Error| EvalError::new(&name, error);
        let line = serde_json::to_string(&run).map_err(|error| EvalError::new(&name, error))?;
        let mut file = OpenOptions::new().create(true).append(true).open(&name).map_err(failed)?;
        file.set_len(runs.good as u64).map_err(failed)?;
        let end = if runs.unended { "\n" } else { "" };
        file.write_all(format!("{end}{line}\n").as_bytes()).map_err(failed)?;
        Ok((run, runs.note(&name)))
    }

    /// By column, the names of its scenarios.
    pub fn scenarios(&self) -> Result<BTreeMap<String, Vec<String>>, EvalError> {
        self.read_json("scenarios.json")
    }

    /// Writes the names of the scenarios.
    pub fn write_scenarios(&self, names: &BTreeMap<String, Vec<String>>) -> Result<(), EvalError> {
        self.write_json("scenarios.json", names)
    }

    /// The cells that failed.
    pub fn failures(&self) -> Result<Vec<Failed>, EvalError> {
        if self.path("failures.json").exists() {
            self.read_json("failures.json")
        } else {
            Ok(Vec::new())
        }
    }

    /// Writes the cells that failed.
    pub fn write_failures(&self, failures: &[Failed]) -> Result<(), EvalError> {
        self.write_json("failures.json", &failures)
    }

    /// The name of a day's picture.
    pub fn picture(column: &str, row: &str, day: u64) -> String {
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-+.".contains(c) { c } else { '_' };
        let row: String = row.chars().map(safe).collect();
        format!("pictures/{column}-{row}-{day}.svg")
    }
}

fn read_runs(name: &str, bytes: &[u8]) -> Result<Appended<RunInfo>, EvalError> {
    Appended::read(name, bytes, "a start of the program", "{\"run\":")
}

/// The starts in the bytes of a `runs.jsonl` of this name, without a last line that was cut short.
pub fn parse_runs(name: &str, bytes: &[u8]) -> Result<Vec<RunInfo>, EvalError> {
    Ok(read_runs(name, bytes)?.lines)
}

/// Where a path in a file begins: the folder of that file.
pub fn beside(file: &str, path: &str) -> String {
    match Path::new(file).parent() {
        Some(folder) => folder.join(path).to_string_lossy().into_owned(),
        None => path.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(suite: &str) -> RunInfo {
        RunInfo {
            run: 0,
            started: 1,
            version: "1".to_string(),
            program: "p".to_string(),
            commit: None,
            suite: suite.to_string(),
            command: "solo \u{e9}".to_string(),
            machine: String::new(),
            cores: String::new(),
        }
    }

    #[test]
    fn a_start_torn_anywhere_locks_nothing() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::make(place.path().to_str().unwrap()).unwrap();
        assert_eq!(folder.begin(run("s"), false).unwrap(), (run("s"), None));
        let line = fs::read(folder.path("runs.jsonl")).unwrap();
        for end in 1..line.len() {
            fs::write(folder.path("runs.jsonl"), [&line[..], &line[..end]].concat()).unwrap();
            let whole = end == line.len() - 1; // only the end of the line is missing
            let before = if whole { 2 } else { 1 };
            assert_eq!(folder.runs().unwrap().len(), before, "{end}");
            let (begun, note) = folder.begin(run("s"), false).unwrap();
            assert_eq!((begun.run, note.is_none()), (before as u64, whole), "{end}: {note:?}");
            let runs = folder.runs().unwrap();
            assert_eq!((runs.len(), runs.last()), (before + 1, Some(&begun)), "{end}");
        }
        let error = folder.begin(run("t"), false).unwrap_err();
        assert!(error.what.contains("another suite"), "{error}");
    }
}
