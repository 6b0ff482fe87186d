//! Why an action was chosen: what its rollouts returned, beside those of the others.

use crate::tree::Known;
use crate::verdict::{FEWEST_FUTURES, unplayed};
use solo_core::{Candidate, Cost, Evidence, Menu};

/// The returns of at most this many rollouts of a decision are kept, for standard errors: 1 MB, and well below a
/// millisecond of work after the deadline.
const MOST_KEPT: usize = 1 << 16;

/// The returns that the rollouts of one decision had at the root.
pub(crate) struct Returns {
    /// Which candidate each rollout began with, and what it returned; the first ones only.
    kept: Vec<(u32, Cost)>,
    /// Rollouts of each candidate.
    visits: Vec<u64>,
    moments: Moments,
    spread: Cost,
}

/// From this many returns on their spread is trusted.
const ENOUGH: u64 = 10;

impl Default for Returns {
    fn default() -> Self {
        let kept = Vec::with_capacity(MOST_KEPT);
        Self { kept, visits: Vec::new(), moments: Moments::default(), spread: 0.0 }
    }
}

impl Returns {
    /// Begins anew, for this many candidates.
    pub(crate) fn begin(&mut self, candidates: usize) {
        self.kept.clear();
        self.visits.clear();
        self.visits.resize(candidates, 0);
        self.moments = Moments::default();
        self.spread = 0.0;
    }

    /// Takes in a rollout that began with this candidate.
    pub(crate) fn push(&mut self, candidate: usize, total: Cost) {
        if self.kept.len() < MOST_KEPT {
            self.kept.push((candidate as u32, total));
        }
        self.visits[candidate] += 1;
        self.moments.push(total);
        let deviation = self.moments.variance().sqrt();
        self.spread = if self.len() <= ENOUGH { deviation } else { deviation.max(self.spread) };
    }

    /// How many rollouts there were.
    pub(crate) fn len(&self) -> u64 {
        self.moments.count
    }

    /// How many of them began with this candidate.
    pub(crate) fn visits(&self, candidate: usize) -> u64 {
        self.visits[candidate]
    }

    /// The standard deviation of all returns so far, or what it was at its largest: as a search settles on an action
    /// its returns become alike, and if that lowered the spread, exploration would die out before its time.
    #[inline]
    pub(crate) fn spread(&self) -> Cost {
        self.spread
    }

    /// Whether candidate `a` costs less than `b` by more than `margin` standard errors of their returns, visit by
    /// visit. With very few visits an error says nothing, so then it does not.
    pub(crate) fn better(&self, a: usize, b: usize, margin: f64) -> bool {
        let of = |c: usize| {
            let own = move |&&(candidate, _): &&(u32, Cost)| candidate as usize == c;
            self.kept.iter().filter(own).map(|kept| kept.1)
        };
        let gains = Moments::of(of(b).zip(of(a)).map(|(b, a)| b - a));
        gains.count >= FEWEST_FUTURES as u64
            && gains.error().is_some_and(|error| gains.mean > margin * error)
    }

    /// The candidates that had rollouts, ascending, with their returns in order of their visits.
    fn by_candidate(&self) -> ByCandidate {
        let sampled = (0..self.visits.len()).filter(|&candidate| self.visits[candidate] > 0);
        let candidates: Vec<usize> = sampled.collect();
        let mut all = ByCandidate { returns: vec![Vec::new(); candidates.len()], candidates };
        for &(candidate, total) in &self.kept {
            if let Some(place) = all.place(candidate as usize) {
                all.returns[place].push(total);
            }
        }
        all
    }
}

/// Returns by candidate, of those that had any.
struct ByCandidate {
    candidates: Vec<usize>,
    returns: Vec<Vec<Cost>>,
}

impl ByCandidate {
    fn place(&self, candidate: usize) -> Option<usize> {
        self.candidates.binary_search(&candidate).ok()
    }

    /// The returns of a candidate.
    fn of(&self, candidate: Option<usize>) -> &[Cost] {
        let place = candidate.and_then(|candidate| self.place(candidate));
        place.map_or(&[], |place| &self.returns[place])
    }
}

/// Count, mean and sum of squared deviations, updated one by one (Welford).
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let mut moments = Self::default();
        numbers.for_each(|number| moments.push(number));
        moments
    }

    #[inline]
    fn push(&mut self, number: f64) {
        self.count += 1;
        let gap = number - self.mean;
        self.mean += gap / self.count as f64;
        self.squares += gap * (number - self.mean);
    }

    #[inline]
    fn variance(&self) -> f64 {
        if self.count > 1 { self.squares / (self.count - 1) as f64 } else { 0.0 }
    }

    /// The standard error of the mean; `None` before there are two numbers.
    fn error(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.variance() / self.count as f64).sqrt())
    }
}

/// What there is to say of a root.
pub(crate) struct Root<'r, A> {
    /// All actions.
    pub(crate) menu: &'r Menu<A>,
    /// The guide's values of them.
    pub(crate) values: &'r [f64],
    /// The slots of the candidates.
    pub(crate) ranked: &'r [u32],
    /// What is known of each candidate, in the same order.
    pub(crate) known: &'r [Known<A>],
    /// What this decision's rollouts returned for them.
    pub(crate) returns: &'r Returns,
    /// Whether the j-th returns of all candidates come from the same future.
    pub(crate) common: bool,
}

/// How an answer was reached without rollouts, and without the guide.
pub(crate) const ALONE: &str = "guide alone: no time for a rollout";
pub(crate) const AT_HAND: &str = "what was at hand: no time for the guide";

const PRUNED: &str = "pruned: not among the guide's best";
const NOT_SAMPLED: &str = "no rollout was left for it";

/// The evidence for `action`, which comes first: then what was sampled, by means, then the candidates that were not,
/// then what was pruned, then what is not allowed.
pub(crate) fn evidence<A: Copy + PartialEq>(action: A, root: &Root<'_, A>) -> Evidence<A> {
    let Root { menu, values, ranked, known, returns, common } = *root;
    let mut place = vec![None; menu.len()];
    for (candidate, &slot) in ranked.iter().enumerate().take(known.len()) {
        place[slot as usize] = Some(candidate);
    }
    let totals = returns.by_candidate();
    let chosen = totals.of(known.iter().position(|known| known.action == action));
    let mut candidates = Vec::with_capacity(menu.len());
    for (slot, &other) in menu.actions().iter().enumerate() {
        let found = place[slot];
        let sampled = found.filter(|&found| known[found].visits > 0);
        let paired = paired(totals.of(sampled), chosen);
        candidates.push(Candidate {
            action: other,
            visits: sampled.map_or(0, |found| known[found].visits.into()),
            mean: sampled.map_or(Cost::INFINITY, |found| known[found].mean),
            error: paired.filter(|_| common && other != action),
            value: menu.reason(slot).is_none().then_some(values[slot]),
            masked: menu.reason(slot).or(match (found, sampled) {
                (None, _) => Some(PRUNED),
                (_, None) => Some(NOT_SAMPLED),
                _ => None,
            }),
        });
    }
    let rank = |c: &Candidate<A>| {
        (c.action != action, c.visits == 0, c.masked != Some(NOT_SAMPLED), c.value.is_none())
    };
    candidates.sort_by(|a, b| {
        rank(a).cmp(&rank(b)).then(a.mean.total_cmp(&b.mean)).then_with(|| {
            let value = |c: &Candidate<A>| c.value.unwrap_or(f64::NEG_INFINITY);
            value(b).total_cmp(&value(a))
        })
    });
    let tied = match &candidates[..] {
        [best, second, ..] => {
            let found = menu.slot(second.action).and_then(|slot| place[slot]);
            tied(best, second, totals.of(found), chosen)
        }
        _ => false,
    };
    Evidence { how: how(known, returns), candidates, tied }
}

/// The evidence for `action` without what was not sampled: `action`, then what was, by means.
pub(crate) fn brief<A: Copy + PartialEq>(
    action: A,
    known: &[Known<A>],
    returns: &Returns,
    common: bool,
) -> Evidence<A> {
    let totals = returns.by_candidate();
    let place = known.iter().position(|known| known.action == action);
    let chosen = totals.of(place);
    let mut listed: Vec<(Option<usize>, Candidate<A>)> = Vec::new();
    for (c, known) in known.iter().enumerate() {
        if known.visits > 0 || Some(c) == place {
            let error = paired(totals.of(Some(c)), chosen);
            let candidate = Candidate {
                action: known.action,
                visits: known.visits.into(),
                mean: if known.visits > 0 { known.mean } else { Cost::INFINITY },
                error: error.filter(|_| common && Some(c) != place),
                value: None,
                masked: (known.visits == 0).then_some(NOT_SAMPLED),
            };
            listed.push((Some(c), candidate));
        }
    }
    if place.is_none() {
        listed.push((None, Candidate { mean: Cost::INFINITY, ..unplayed(action) }));
    }
    listed.sort_by(|(_, a), (_, b)| {
        let rank = |c: &Candidate<A>| c.action != action;
        rank(a).cmp(&rank(b)).then(a.mean.total_cmp(&b.mean))
    });
    let tied = match &listed[..] {
        [(_, best), (found, second), ..] => tied(best, second, totals.of(*found), chosen),
        _ => false,
    };
    let candidates = listed.into_iter().map(|(_, candidate)| candidate).collect();
    Evidence { how: how(known, returns), candidates, tied }
}

/// How an answer was reached.
fn how<A>(known: &[Known<A>], returns: &Returns) -> &'static str {
    match known {
        _ if returns.len() > 0 => "searched",
        [_] => "the only candidate",
        _ if known.iter().any(|known| known.visits > 0) => "searched at earlier decisions",
        _ => ALONE,
    }
}

/// Whether the second best is within noise of the best.
fn tied<A>(best: &Candidate<A>, second: &Candidate<A>, own: &[Cost], chosen: &[Cost]) -> bool {
    // Means from earlier decisions, of which no returns are kept: only an equal mean is a tie.
    let error = second.error.or_else(|| unpaired(own, chosen)).unwrap_or(0.0);
    second.visits > 0 && second.mean - best.mean <= 2.0 * error
}

/// The standard error of the difference on common futures.
fn paired(own: &[Cost], chosen: &[Cost]) -> Option<Cost> {
    Moments::of(own.iter().zip(chosen).map(|(a, b)| a - b)).error()
}

/// The standard error of the difference of the means of two sets that have nothing in common; `None` without two of
/// each.
fn unpaired(a: &[Cost], b: &[Cost]) -> Option<f64> {
    let error = |totals: &[Cost]| Moments::of(totals.iter().copied()).error();
    Some(error(a)?.hypot(error(b)?))
}
