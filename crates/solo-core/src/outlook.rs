//! Laws that can be enumerated: everything that may come next, with its probability.

use crate::{Cost, Problem, Time};

/// One of the things that may come at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch<E> {
    /// How likely it is.
    pub probability: f64,
    /// What comes then; nothing, where the moment may pass without an event.
    pub events: Vec<E>,
}

/// A problem with laws of finite support: for every state there is a next moment at which something may come from
/// outside, and a finite list of what may come then. Expectations over such laws can be computed rather than sampled.
///
/// Invariants, checked by tests of each problem and of `solo_search::exact`: the probabilities of a moment's branches
/// sum to one; the moments and branches are those of [`Problem::sample_future`], except that branches which differ only
/// in the order of their events may be one; they depend on what has come and on the clock, never on what was decided.
pub trait Enumerable: Problem {
    /// Why this law has no finite list of branches, if so.
    fn not_enumerable(&self) -> Option<String>;

    /// The first moment after `after` at which something may come. `after` is the state's clock, or anything below 0 for
    /// the moments of a whole day, its beginning included. `None` if nothing more can come.
    fn next_moment(&self, state: &Self::State, after: Time) -> Option<Time>;

    /// Everything that may come at `moment`, which is that of [`Enumerable::next_moment`], in a fixed order. Ids are
    /// fresh.
    fn branches(&self, state: &Self::State, moment: Time) -> Vec<Branch<Self::Event>>;

    /// The same event under another id.
    fn numbered(&self, event: &Self::Event, id: u32) -> Self::Event;

    /// Brings a state into a form that all states share from which every policy that ignores names costs the same, apart
    /// from what is returned: the cost that is settled whatever is decided, and taken out. Work and machinery that are
    /// alike are put in order and numbered anew from 0, and what no longer matters is forgotten. Clocks stay. The law and
    /// the rules treat the result as they treat the state.
    fn unnamed(&self, state: &mut Self::State) -> Cost;

    /// Where the law is closed and so only times from now on matter, sets the clock to 0 and moves all times with it.
    /// Nothing changes its place or its name.
    fn reset_clock(&self, state: &mut Self::State);

    /// The form that costs are kept by: [`Enumerable::unnamed`], then [`Enumerable::reset_clock`].
    fn canonical(&self, state: &mut Self::State) -> Cost {
        let settled = self.unnamed(state);
        self.reset_clock(state);
        settled
    }
}

/// All ways to draw `count` things independently of kinds with these probabilities, order aside: how many there are of
/// each kind, and how likely that is.
pub fn multisets(probabilities: &[f64], count: usize) -> Vec<(f64, Vec<usize>)> {
    let mut found = Vec::new();
    let mut counts = Vec::with_capacity(probabilities.len());
    extend(probabilities, count, 1.0, &mut counts, &mut found);
    found
}

/// Adds a count of the next kind, each that is possible. `ways` is the probability so far.
fn extend(
    probabilities: &[f64],
    left: usize,
    ways: f64,
    counts: &mut Vec<usize>,
    found: &mut Vec<(f64, Vec<usize>)>,
) {
    let kind = counts.len();
    let Some(&probability) = probabilities.get(kind) else {
        if left == 0 {
            found.push((ways, counts.clone()));
        }
        return;
    };
    let last = kind + 1 == probabilities.len();
    let mut ways = ways;
    for number in 0..=left {
        if number > 0 {
            // one more of the `left` draws is of this kind
            ways *= probability * (left + 1 - number) as f64 / number as f64;
        }
        if !last || number == left {
            counts.push(number);
            extend(probabilities, left - number, ways, counts, found);
            counts.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multisets_are_those_of_all_ordered_draws() {
        let probabilities = [0.5, 0.3, 0.2];
        let found = multisets(&probabilities, 4);
        assert_eq!(found.len(), 15);
        let mut ordered = vec![0.0; found.len()];
        for draw in 0..81_usize {
            let kinds = [draw % 3, draw / 3 % 3, draw / 9 % 3, draw / 27];
            let counts: Vec<usize> =
                (0..3).map(|kind| kinds.iter().filter(|&&k| k == kind).count()).collect();
            let at = found.iter().position(|(_, of)| *of == counts).unwrap();
            ordered[at] += kinds.iter().map(|&kind| probabilities[kind]).product::<f64>();
        }
        for ((probability, counts), ordered) in found.iter().zip(ordered) {
            assert!((probability - ordered).abs() < 1e-15, "{counts:?}: {probability}, {ordered}");
        }
    }

    #[test]
    fn nothing_drawn_is_one_certain_thing() {
        assert_eq!(multisets(&[0.5, 0.5], 0), [(1.0, vec![0, 0])]);
    }
}
