//! The log of a day with its problem's type erased.

use crate::entry::Entry;
use serde_json::{Map, Value};
use solo_core::{Cost, LogOf, Recorded, RulesOf, Scenario, Time};
use std::sync::Arc;

/// A recorded day.
pub trait Day: Send + Sync {
    /// The day as SVG; `None` if the problem draws no pictures.
    fn picture(&self, title: &str) -> Option<String>;
    /// What happened and what was decided, in order.
    fn lines(&self) -> Vec<(Time, String)>;
    /// The log as JSON lines.
    fn log(&self) -> String;
    /// The decisions as JSON objects with their times.
    fn decisions(&self) -> Vec<Value>;
    /// The decisions as text of other people's format, if the problem knows the ending.
    fn foreign(&self, extension: &str, cost: Cost) -> Option<String>;
}

pub(crate) struct Recording<S: Scenario> {
    pub(crate) entry: Arc<Entry<S>>,
    pub(crate) problem: RulesOf<S>,
    pub(crate) log: LogOf<RulesOf<S>>,
}

impl<S: Scenario> Day for Recording<S> {
    fn picture(&self, title: &str) -> Option<String> {
        self.entry.picture.map(|draw| draw(&self.problem, &self.log, title))
    }

    fn lines(&self) -> Vec<(Time, String)> {
        let line = |entry: &solo_core::LogEntry<_, _>| match &entry.what {
            Recorded::Event(event) => Some((entry.time, format!("{event}"))),
            Recorded::Decision(action) => Some((entry.time, format!("-> {action}"))),
            Recorded::Closed => None,
        };
        self.log.entries().iter().filter_map(line).collect()
    }

    fn log(&self) -> String {
        self.log.to_lines().expect("events and actions are plain data")
    }

    fn decisions(&self) -> Vec<Value> {
        let object = |decision: solo_core::Timed<_>| {
            let mut object = Map::new();
            object.insert("time".to_string(), Value::from(decision.time));
            if let Ok(Value::Object(fields)) = serde_json::to_value(decision.what) {
                object.extend(fields);
            }
            Value::Object(object)
        };
        self.log.decisions().map(object).collect()
    }

    fn foreign(&self, extension: &str, cost: Cost) -> Option<String> {
        let formats = self.entry.solution_formats;
        let format = formats.iter().find(|format| format.extension == extension)?;
        Some((format.write)(&self.log, cost))
    }
}
