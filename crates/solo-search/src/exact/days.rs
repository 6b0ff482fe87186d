//! All days of a law.

use super::{NotExact, check_law};
use solo_core::{Enumerable, Time, Timed};

/// A day's events with its probability.
pub type LikelyDay<E> = (f64, Vec<Timed<E>>);

/// Every day that the law can draw, with its probability; days that differ only in the order of events of a moment are
/// one. `None` if there are more than `most`.
pub fn days<P: Enumerable>(
    problem: &P,
    most: usize,
) -> Result<Option<Vec<LikelyDay<P::Event>>>, NotExact> {
    check_law(problem)?;
    let mut found = Vec::new();
    let mut walk = Walk { problem, most, events: Vec::new(), found: &mut found };
    let all = walk.on(&problem.initial(), Time::NEG_INFINITY, 1.0);
    Ok(all.then_some(found))
}

struct Walk<'w, P: Enumerable> {
    problem: &'w P,
    most: usize,
    events: Vec<Timed<P::Event>>,
    found: &'w mut Vec<LikelyDay<P::Event>>,
}

impl<P: Enumerable> Walk<'_, P> {
    /// Goes on from a state in which nothing was ever decided; false if there are too many days.
    fn on(&mut self, state: &P::State, after: Time, probability: f64) -> bool {
        let problem = self.problem;
        let Some(moment) = problem.next_moment(state, after) else {
            self.found.push((probability, self.events.clone()));
            return self.found.len() <= self.most;
        };
        let mut then = state.clone();
        if moment > problem.now(state) {
            problem.advance(&mut then, moment); // nothing moves by itself: no order was ever given
        }
        problem.branches(&then, moment).into_iter().all(|branch| {
            let mut next = then.clone();
            let before = self.events.len();
            for event in branch.events {
                problem.happen(&mut next, &event);
                self.events.push(Timed { time: moment, what: event });
            }
            let more = self.on(&next, moment, probability * branch.probability);
            self.events.truncate(before);
            more
        })
    }
}
