//! A day is its log: what happened and what was decided, in order.

use crate::{Problem, Time};
use serde::{Deserialize, Serialize};

/// Something with the moment it happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timed<T> {
    /// When.
    pub time: Time,
    /// What.
    pub what: T,
}

/// What one entry of a log records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recorded<E, A> {
    /// An event from outside.
    Event(E),
    /// A decision that was carried out, waiting included.
    Decision(A),
    /// The law closed: nothing more can come.
    Closed,
}

/// One entry of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogEntry<E, A> {
    /// Its number, counted from 0 without gaps.
    pub seq: u64,
    /// When it happened; entries never go back in time.
    pub time: Time,
    /// What happened.
    pub what: Recorded<E, A>,
}

/// The log of a problem's day.
pub type LogOf<P> = Log<<P as Problem>::Event, <P as Problem>::Action>;

/// Events, decisions and the closing of a day, in the order in which they took effect.
///
/// [`crate::World`] writes one, [`crate::Session`] folds one into a state, [`crate::replay`] does both ends;
/// audits, pictures and solutions read one. Everything in it carries explicit ids: nothing depends on how many
/// events came before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Log<E, A> {
    entries: Vec<LogEntry<E, A>>,
}

impl<E, A> Default for Log<E, A> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<E, A> Log<E, A> {
    /// A log of these events and decisions, each in order of time. At one moment events come before decisions.
    pub fn of(events: Vec<Timed<E>>, decisions: Vec<Timed<A>>) -> Self {
        let mut log = Self::default();
        let mut events = events.into_iter().peekable();
        for Timed { time, what } in decisions {
            while let Some(event) = events.next_if(|event| event.time <= time) {
                log.push(event.time, Recorded::Event(event.what));
            }
            log.push(time, Recorded::Decision(what));
        }
        for Timed { time, what } in events {
            log.push(time, Recorded::Event(what));
        }
        log
    }

    /// Appends an entry.
    pub fn push(&mut self, time: Time, what: Recorded<E, A>) {
        let seq = self.entries.len() as u64;
        self.entries.push(LogEntry { seq, time, what });
    }

    /// All entries, in order.
    pub fn entries(&self) -> &[LogEntry<E, A>] {
        &self.entries
    }

    /// The events with their times, in order.
    pub fn events(&self) -> impl Iterator<Item = Timed<&E>> {
        self.entries.iter().filter_map(|entry| match &entry.what {
            Recorded::Event(event) => Some(Timed { time: entry.time, what: event }),
            Recorded::Decision(_) | Recorded::Closed => None,
        })
    }

    /// The decisions with their times, in order.
    pub fn decisions(&self) -> impl Iterator<Item = Timed<&A>> {
        self.entries.iter().filter_map(|entry| match &entry.what {
            Recorded::Decision(action) => Some(Timed { time: entry.time, what: action }),
            Recorded::Event(_) | Recorded::Closed => None,
        })
    }
}

impl<E: Serialize, A: Serialize> Log<E, A> {
    /// One JSON object a line.
    pub fn to_lines(&self) -> serde_json::Result<String> {
        let mut text = String::new();
        for entry in &self.entries {
            text += &serde_json::to_string(entry)?;
            text.push('\n');
        }
        Ok(text)
    }
}

impl<E: for<'de> Deserialize<'de>, A: for<'de> Deserialize<'de>> Log<E, A> {
    /// Reads what [`Log::to_lines`] wrote from the file of the given name. Sequence numbers must have no gap and
    /// times must not go back.
    pub fn from_lines(file: &str, text: &str) -> Result<Self, crate::Faults> {
        let mut reader = crate::file::Reader::new(file);
        let mut log = Self::default();
        let mut clock = Time::NEG_INFINITY;
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            reader.at(number);
            let Some(entry) = reader.parse_line::<LogEntry<E, A>>(line) else { continue };
            let due = log.entries.len() as u64;
            if entry.seq != due {
                reader.fault("seq", format!("{} should be {due}: an entry is missing", entry.seq));
            }
            if !entry.time.is_finite() || entry.time < clock {
                reader.fault("time", format!("{} should be a number from {clock} on", entry.time));
            }
            clock = entry.time;
            log.entries.push(entry);
        }
        reader.finish(Some(log))
    }
}
