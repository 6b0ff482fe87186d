//! What candidates on common futures say: an action, and why.

use crate::halving::{Comparison, Costs};
use solo_core::{Candidate, Cost, Decision, Evidence, Menu, Policy, Problem};

/// How an answer was reached.
pub(crate) mod how {
    pub(crate) const ONLY: &str = "the only legal action";
    pub(crate) const SINGLE: &str = "the rule's choice: nothing else was worth trying";
    pub(crate) const ALONE: &str = "the rule's choice: no time for a rollout";
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

/// A decision with its evidence: `candidates`, the chosen one first, then the rest of the menu with reasons.
pub(crate) fn decision<A: Copy + PartialEq>(
    menu: &Menu<A>,
    mut candidates: Vec<Candidate<A>>,
    how: &'static str,
    tied: bool,
    rollouts: u64,
) -> Decision<A> {
    let action = candidates[0].action;
    let played = candidates.len();
    for (slot, &other) in menu.actions().iter().enumerate() {
        if !candidates[..played].iter().any(|candidate| candidate.action == other) {
            let masked = Some(menu.reason(slot).unwrap_or(NOT_LISTED));
            candidates.push(Candidate { masked, ..unplayed(other) });
        }
    }
    let evidence = Evidence { how, candidates, tied };
    Decision { action, rollouts, evidence: Some(Box::new(evidence)) }
}

/// An action of which nothing is known.
pub(crate) fn unplayed<A>(action: A) -> Candidate<A> {
    Candidate { action, visits: 0, mean: Cost::NAN, error: None, value: None, masked: None }
}
