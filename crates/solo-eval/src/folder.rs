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
    /// What the sources around it were, if it was run where they are.
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

    /// The starts so far, in order.
    pub fn runs(&self) -> Result<Vec<RunInfo>, EvalError> {
        if !self.path("runs.jsonl").exists() {
            return Ok(Vec::new());
        }
        let text = self.read("runs.jsonl")?;
        let read = |(number, line)| {
            serde_json::from_str(line).map_err(|error| {
                let what = format!("line {}: {error}", number + 1);
                EvalError::new(self.name("runs.jsonl"), what)
            })
        };
        text.lines().enumerate().map(read).collect()
    }

    /// Adds a start. Unless `mix` says that it is meant, results of another suite or of another program are not mixed.
    pub fn begin(&self, mut run: RunInfo, mix: bool) -> Result<RunInfo, EvalError> {
        let runs = self.runs()?;
        if let Some(last) = runs.last() {
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
        run.run = runs.len() as u64;
        let name = self.name("runs.jsonl");
        let failed = |error: std::io::Error| EvalError::new(&name, error);
        let line = serde_json::to_string(&run).map_err(|error| EvalError::new(&name, error))?;
        let mut file = OpenOptions::new().create(true).append(true).open(&name).map_err(failed)?;
        file.write_all(format!("{line}\n").as_bytes()).map_err(failed)?;
        Ok(run)
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

/// Where a path in a file begins: the folder of that file.
pub fn beside(file: &str, path: &str) -> String {
    match Path::new(file).parent() {
        Some(folder) => folder.join(path).to_string_lossy().into_owned(),
        None => path.to_string(),
    }
}
