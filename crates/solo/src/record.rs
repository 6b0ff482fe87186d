//! Finished days kept in a file as they end, so that long comparisons can be interrupted and continued.

use crate::Error;
use crate::episode::Outcome;
use serde_json::{Value, json};
use solo_core::{Budget, Seed};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Mutex;

/// What a day's figures are filed under: the scenario, the agent as typed, its budget and the seed.
type Key = (String, String, String, u64);

/// A file of finished days, one JSON object a line. Each line is written when its day ends, so that even a killed
/// program loses only the days under way.
pub struct Record {
    name: String,
    known: HashMap<Key, Outcome>,
    file: Mutex<File>,
}

impl Record {
    /// Opens the file, or makes it. A last line that was cut short by a crash is dropped.
    pub fn open(name: &str) -> Result<Self, Error> {
        let failed = |what: &dyn std::fmt::Display| Error::Failed(format!("{name}: {what}"));
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(name)
            .map_err(|error| failed(&error))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| failed(&error))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(|error| failed(&error))?;
        file.seek(SeekFrom::End(0)).map_err(|error| failed(&error))?;
        let mut known = HashMap::new();
        for (line, text) in text[..whole].lines().enumerate() {
            let day = serde_json::from_str(text).ok().and_then(|value| from_json(&value));
            let (key, outcome) = day.ok_or_else(|| {
                failed(&format!("line {} is not a recorded day; name another file", line + 1))
            })?;
            known.insert(key, outcome);
        }
        Ok(Self { name: name.to_string(), known, file: Mutex::new(file) })
    }

    /// The day's figures, if it was lived before.
    pub fn find(&self, scenario: &str, agent: &str, budget: Budget, seed: Seed) -> Option<Outcome> {
        let key = (scenario.to_string(), agent.to_string(), budget.to_string(), seed.0);
        let found = self.known.get(&key)?;
        Some(Outcome { scenario: key.0, agent: key.1, day: None, explained: None, ..*found })
    }

    /// Adds a day that has just ended.
    pub fn add(&self, outcome: &Outcome, budget: Budget, seed: Seed) -> Result<(), Error> {
        let mut line = outcome.to_json();
        line["budget"] = json!(budget.to_string());
        line["seed"] = json!(seed.0);
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(format!("{line}\n").as_bytes())
            .map_err(|error| Error::Failed(format!("{}: {error}", self.name)))
    }
}

fn from_json(line: &Value) -> Option<(Key, Outcome)> {
    let text = |key: &str| line[key].as_str().map(str::to_string);
    let number = |key: &str| line[key].as_f64();
    let whole = |key: &str| line[key].as_u64();
    let outcome = Outcome {
        scenario: text("scenario")?,
        agent: text("agent")?,
        cost: number("cost")?,
        decisions: whole("decisions")?,
        rollouts: whole("rollouts")?,
        seconds: number("seconds")?,
        slowest: number("slowest")?,
        day: None,
        explained: None,
    };
    let key = (outcome.scenario.clone(), outcome.agent.clone(), text("budget")?, whole("seed")?);
    Some((key, outcome))
}

/// Reference costs by scenario: the rows of `METHOD` in a file of `scenario,method,cost`; `text` is `FILE:METHOD`.
pub fn references(text: &str) -> Result<(String, HashMap<String, f64>), Error> {
    let (file, method) = text
        .rsplit_once(':')
        .ok_or_else(|| Error::Usage(format!("'{text}' should be FILE.csv:METHOD")))?;
    let rows =
        std::fs::read_to_string(file).map_err(|error| Error::Failed(format!("{file}: {error}")))?;
    let mut costs = HashMap::new();
    let mut methods: Vec<&str> = Vec::new();
    for (i, row) in rows.lines().enumerate().skip(1).filter(|(_, row)| !row.trim().is_empty()) {
        let fields: Vec<&str> = row.trim().split(',').collect();
        let cost = match fields[..] {
            [_, _, cost] => cost.parse::<f64>().ok().filter(|cost| cost.is_finite()),
            _ => None,
        };
        let cost = cost.ok_or_else(|| {
            Error::Failed(format!("{file}:{}: should be scenario,method,cost", i + 1))
        })?;
        if fields[1] == method {
            costs.insert(fields[0].to_string(), cost);
        } else if !methods.contains(&fields[1]) {
            methods.push(fields[1]);
        }
    }
    if costs.is_empty() {
        let known = methods.join(", ");
        return Err(Error::Usage(format!("{file} has no method '{method}'; it has {known}")));
    }
    Ok((method.to_string(), costs))
}
