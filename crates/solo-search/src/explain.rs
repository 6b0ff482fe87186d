//! Why an action was chosen: what its rollouts returned, beside those of the others.

use crate::tree::Known;
use crate::verdict::FEWEST_FUTURES;
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

    /// The returns of each candidate in order of its visits.
    fn by_candidate(&self) -> Vec<Vec<Cost>> {
        let mut all = vec![Vec::new(); self.visits.len()];
        for &(candidate, total) in &self.kept {
            all[candidate as usize].push(total);
        }
        all
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
    let chosen = known.iter().position(|known| known.action == action);
    let chosen: &[Cost] = chosen.map_or(&[], |chosen| &totals[chosen]);
    let own = |found: Option<usize>| found.map_or(&[][..], |found| &totals[found][..]);
    let mut candidates = Vec::with_capacity(menu.len());
    for (slot, &other) in menu.actions().iter().enumerate() {
        let found = place[slot];
        let sampled = found.filter(|&found| known[found].visits > 0);
        let paired = Moments::of(own(sampled).iter().zip(chosen).map(|(a, b)| a - b)).error();
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
        [best, second, ..] if second.visits > 0 => {
            let found = menu.slot(second.action).and_then(|slot| place[slot]);
            // Means from earlier decisions, of which no returns are kept: only an equal mean is a tie.
            let error = second.error.or_else(|| unpaired(own(found), chosen)).unwrap_or(0.0);
            second.mean - best.mean <= 2.0 * error
        }
        _ => false,
    };
    let how = match known {
        _ if returns.len() > 0 => "searched",
        [_] => "the only candidate",
        _ if known.iter().any(|known| known.visits > 0) => "searched at earlier decisions",
        _ => "guide alone: no time for a rollout",
    };
    Evidence { how, candidates, tied }
}

/// The standard error of the difference of the means of two sets that have nothing in common; `None` without two of
/// each.
fn unpaired(a: &[Cost], b: &[Cost]) -> Option<f64> {
    let error = |totals: &[Cost]| Moments::of(totals.iter().copied()).error();
    Some(error(a)?.hypot(error(b)?))
}
