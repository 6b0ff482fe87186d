//! What agents were that nobody asked for: said once for all days.

use crate::ui::{Exit, Out};
use solo::{Hurried, Outcome};
use std::collections::BTreeMap;

/// Notes on agents, with the number of days that they hold for.
#[derive(Default)]
pub(crate) struct Notes {
    said: Vec<(usize, String, usize)>,
    /// By agent, the decisions that had no time for something, and all of them.
    hurried: BTreeMap<usize, (Hurried, u64)>,
}

impl Notes {
    /// Takes in the notes on one day of an agent.
    pub(crate) fn take(&mut self, agent: usize, outcome: &Outcome) {
        for note in &outcome.notes {
            match self.said.iter_mut().find(|(of, text, _)| *of == agent && text == note) {
                Some((_, _, days)) => *days += 1,
                None => self.said.push((agent, note.clone(), 1)),
            }
        }
        let (hurried, decisions) = self.hurried.entry(agent).or_default();
        hurried.add(&outcome.no_time);
        *decisions += outcome.decisions;
    }

    /// Whether every agent was what was asked for, be it in a hurry.
    pub(crate) fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// Prints them, by agent; `days` is how many days there were.
    pub(crate) fn print(&self, names: &[String], days: usize, out: &mut Out) -> Result<(), Exit> {
        let mut sorted = self.said.clone();
        for (&agent, (hurried, decisions)) in &self.hurried {
            sorted.extend(hurried.notes(*decisions).into_iter().map(|note| (agent, note, days)));
        }
        sorted.sort_by_key(|(agent, ..)| *agent);
        // What holds for several agents is said once.
        let mut lines: Vec<(Vec<&str>, &str, usize)> = Vec::new();
        for (agent, note, on) in &sorted {
            let same = lines.iter_mut().find(|(_, text, days)| text == note && days == on);
            match same {
                Some((who, ..)) => who.push(&names[*agent]),
                None => lines.push((vec![&names[*agent]], note, *on)),
            }
        }
        for (i, (who, note, on)) in lines.into_iter().enumerate() {
            if i == 0 {
                out.line("")?;
            }
            let some = if on < days { format!(" ({on} of {days} days)") } else { String::new() };
            out.line(&format!("{}: {note}{some}", who.join(", ")))?;
        }
        Ok(())
    }
}
