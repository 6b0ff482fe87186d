//! Decisions that had no time for something.

use serde_json::{Map, Value, json};
use solo_core::NoTime;

/// How many decisions of an agent had no time for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hurried([u64; NoTime::ALL.len()]);

impl Hurried {
    /// Takes in a decision.
    pub fn count(&mut self, no_time: Option<NoTime>) {
        if let Some(what) = no_time {
            self.0[what as usize] += 1;
        }
    }

    /// Takes in those of another day.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(all, more)| *all += more);
    }

    /// What there was no time for, with the number of decisions.
    pub fn counts(&self) -> impl Iterator<Item = (NoTime, u64)> {
        NoTime::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }

    /// A sentence for each, like "12 of 80 decisions had no time for a rollout".
    pub fn notes(&self, decisions: u64) -> Vec<String> {
        let note =
            |(what, count)| format!("{count} of {decisions} decisions had no time for {what}");
        self.counts().map(note).collect()
    }

    /// What there was no time for, with the number of decisions.
    pub fn to_json(&self) -> Value {
        let counts = self.counts().map(|(what, count)| (what.to_string(), json!(count)));
        Value::Object(counts.collect::<Map<_, _>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_in_a_hurry_are_counted_and_told() {
        let mut day = Hurried::default();
        for no_time in [None, Some(NoTime::Guide), Some(NoTime::Rollout), Some(NoTime::Guide)] {
            day.count(no_time);
        }
        let mut both = day;
        both.add(&day);
        let told = [
            "2 of 8 decisions had no time for a rollout",
            "4 of 8 decisions had no time for its guide",
        ];
        assert_eq!(both.notes(8), told);
        assert_eq!(day.to_json(), json!({"a rollout": 1, "its guide": 2}));
        assert!(Hurried::default().notes(8).is_empty());
    }
}
