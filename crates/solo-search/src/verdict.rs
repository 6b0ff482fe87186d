//! What candidates on common futures say: an action, and why.

use crate::halving::{Comparison, Costs};
use solo_core::{
    Budget, Candidate, Cost, Decision, Evidence, Menu, Meter, NoTime, Policy, Problem,
};

/// How an answer was reached.
pub(crate) mod how {
    pub(crate) const ONLY: &str = "the only legal action";
    pub(crate) const SINGLE: &str = "the rule's choice: nothing else was worth trying";
    pub(crate) const ALONE: &str = "the rule's choice: no time for a rollout";
    pub(crate) const AT_HAND: &str = "what was at hand: no time for the rule";
    pub(crate) const SEARCHED: &str = "searched on common futures";
    pub(crate) const FEWER: &str =
        "searched on common futures, with fewer candidates: no time for all";
    pub(crate) const FEW: &str = "searched on few common futures: no time for more";
    pub(crate) const BEST: &str = "the best trajectory found: nothing more can come";
}

/// With fewer futures than this a standard error says nothing, and the default stands.
pub(crate) const FEWEST_FUTURES: usize = 4;

/// With fewer futures than this an answer says that they are few.
pub(crate) const FEW_FUTURES: usize = 16;

const NOT_LISTED: &str = "not on the shortlist";

/// What was played, the chosen one first, and whether the next is as good: candidate 0 is chosen, unless the best of
/// the others gains more than `margin` paired standard errors on it.
pub(crate) fn verdict<P: Problem, G: Policy<P> + Clone>(
    known: &Comparison,
    costs: &Costs<'_, P, G>,
    actions: &[P::Action],
    margin: f64,
) -> (Vec<Candidate<P::Action>>, bool) {
    let futures = known.visits[0];
    let best = known.alive[0];
    let leave = best != 0 && futures >= FEWEST_FUTURES && {
        let (gain, error) = costs.difference(0, best, futures);
        gain > margin * error
    };
    let chosen = if leave { best } else { 0 };
    let mut order: Vec<usize> = (0..actions.len()).collect();
    order.sort_by(|&a, &b| {
        let rank = |c: usize| (c != chosen, usize::MAX - known.visits[c]);
        rank(a).cmp(&rank(b)).then(known.means[a].total_cmp(&known.means[b]))
    });
    let paired =
        |c: usize| (known.visits[c] > 1).then(|| costs.difference(c, chosen, known.visits[c]));
    let second = order.get(1).and_then(|&second| paired(second));
    let tied = second.is_none_or(|(gap, error)| gap.abs() <= margin * error);
    let candidate = |&c: &usize| Candidate {
        action: actions[c],
        visits: known.visits[c] as u64,
        mean: known.means[c],
        error: paired(c).filter(|_| c != chosen).map(|(_, error)| error),
        value: None,
        masked: None,
    };
    (order.iter().map(candidate).collect(), tied)
}

/// A decision with its evidence: `candidates`, the chosen one first.
pub(crate) fn decision<A: Copy + PartialEq>(
    candidates: Vec<Candidate<A>>,
    how: &'static str,
    tied: bool,
    meter: &Meter<'_>,
) -> Decision<A> {
    let (action, rollouts) = (candidates[0].action, meter.spent());
    let no_time = match how {
        how::ALONE => by_time(NoTime::Rollout, meter),
        how::AT_HAND => by_time(NoTime::Guide, meter),
        _ => None,
    };
    let evidence = Evidence { how, candidates, tied };
    Decision { action, rollouts, no_time, evidence: Some(Box::new(evidence)) }
}

/// What was lacking, if it was time: who gives few rollouts has given as many as were wanted.
pub(crate) fn by_time(lacking: NoTime, meter: &Meter<'_>) -> Option<NoTime> {
    matches!(meter.budget(), Budget::Wall(_)).then_some(lacking)
}

/// Adds the rest of the menu, with reasons.
pub(crate) fn list_rest<A: Copy + PartialEq>(menu: &Menu<A>, candidates: &mut Vec<Candidate<A>>) {
    let played = candidates.len();
    for (slot, &other) in menu.actions().iter().enumerate() {
        if !candidates[..played].iter().any(|candidate| candidate.action == other) {
            let masked = Some(menu.reason(slot).unwrap_or(NOT_LISTED));
            candidates.push(Candidate { masked, ..unplayed(other) });
        }
    }
}

/// An action of which nothing is known.
pub(crate) fn unplayed<A>(action: A) -> Candidate<A> {
    Candidate { action, visits: 0, mean: Cost::NAN, error: None, value: None, masked: None }
}
