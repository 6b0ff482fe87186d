//! About how much memory a recipe takes, so that one that asks for far too much is refused before
//! anything is allocated. The figures are rough upper bounds.

use crate::days::TrainingDays;
use crate::task::LearnError;
use solo_core::{Problem, Scenario, Timed};

/// The most memory that a recipe may take, in bytes.
pub const MOST_MEMORY: f64 = 32e9;

/// Bytes of an open item in a state, with room to grow.
const ITEM: f64 = 64.0;
/// Bytes of a state beside its items.
const STATE: f64 = 512.0;
/// Days of each preset that are looked at.
const LOOKED_AT: u64 = 4;

/// The largest of some days to learn from.
pub(crate) struct LargestDay<P: Problem> {
    /// Its rules.
    pub(crate) problem: std::sync::Arc<P>,
    /// What happens on it.
    events: Vec<Timed<P::Event>>,
}

impl<P: Problem + 'static> LargestDay<P> {
    /// Looks at the first days.
    pub(crate) fn of<S: Scenario<Problem = P>>(days: &TrainingDays<S>) -> Self {
        let count = LOOKED_AT * days.presets() as u64;
        let drawn = (0..count).map(|day| days.start(day));
        let largest = drawn.max_by_key(|(_, events)| events.len());
        let (problem, events) = largest.expect("there is a preset");
        Self { problem, events }
    }

    /// How many items it has.
    pub(crate) fn items(&self) -> f64 {
        self.events.len() as f64
    }

    /// Bytes of a state with all items open.
    pub(crate) fn state(&self) -> f64 {
        STATE + ITEM * self.items()
    }

    /// Measures a state with up to `most` open items, and scales what grows with them to all.
    pub(crate) fn scaled(&self, most: usize, measure: impl Fn(&P, &P::State) -> f64) -> f64 {
        let mut state = self.problem.initial();
        let some = self.events.len().clamp(1, most);
        for event in self.events.iter().take(some) {
            self.problem.happen(&mut state, &event.what);
        }
        measure(&self.problem, &state) * self.items() / some as f64
    }
}

/// Refuses a recipe whose fields need more than [`MOST_MEMORY`] together.
pub(crate) fn check(recipe: &str, needs: &[(&'static str, f64)]) -> Result<(), LearnError> {
    let all: f64 = needs.iter().map(|(_, bytes)| bytes).sum();
    let largest = needs.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    match largest {
        Some(&(field, most)) if all > MOST_MEMORY => {
            let [all, most] = [all, most].map(|bytes| (bytes / 1e9).ceil());
            Err(LearnError::Memory { recipe: recipe.to_string(), field, all, most })
        }
        _ => Ok(()),
    }
}
