//! What problems must keep to whose solutions are rewritten.

use super::conformance::at_random;
use crate::{Cost, Draft, Meter, Rewrite, Rng, Role, Seed, Stream, Timed};

/// Random swaps at each state.
const SWAPS: usize = 20;

/// Plays at random, and rewrites the first solution of every state by random swaps. However it is rewritten, the row
/// has the numbers that it should have, items stay the same, and the draft costs what `cost` says of its plan, which
/// is none if the plan breaks a rule.
pub fn check_rewriting<P: Rewrite>(
    problem: &P,
    events: &[Timed<P::Event>],
    seed: Seed,
    cost: impl Fn(&P::Instance, &P::Plan) -> Result<Cost, String>,
) {
    let mut rng = seed.stream(Stream::Agent, 1);
    at_random(problem, events, seed, |state| {
        let instance = problem.snapshot(state);
        let (mut draft, mut next) = (Draft::default(), Draft::default());
        let meter = Meter::unlimited();
        problem.first_draft(&instance, &meter, &mut draft).expect("there is a first solution");
        let items = items(&draft);
        let costs = |draft: &Draft| {
            check_row(problem, draft);
            assert_eq!(self::items(draft), items, "items stay the same");
            let found = cost(&instance, &problem.drafted(&instance, draft));
            let found = found.unwrap_or_else(|broken| panic!("{broken}: {draft:?}"));
            let close = (found - draft.cost).abs() <= 1e-9 * found.abs().max(1.0);
            assert!(close, "the plan costs {found}, the draft {}", draft.cost);
        };
        costs(&draft);
        assert!(problem.rewrite_unit(&instance, &draft) > 0.0);
        for _ in 0..SWAPS {
            let Some(at) = swap(&draft, &mut rng) else { break };
            problem.swap(&instance, &draft, at, &mut next);
            costs(&next);
            std::mem::swap(&mut draft, &mut next);
        }
    });
}

fn items(draft: &Draft) -> Vec<u32> {
    let nodes = draft.nodes.iter().zip(&draft.roles);
    let mut items: Vec<u32> =
        nodes.filter(|(_, role)| **role == Role::Item).map(|(node, _)| *node).collect();
    items.sort_unstable();
    items
}

fn check_row<P: Rewrite>(problem: &P, draft: &Draft) {
    let nodes = draft.nodes.len();
    assert_eq!(draft.roles.len(), nodes);
    assert_eq!(draft.features.len(), nodes * problem.rewrite_features());
    assert!(draft.features.iter().all(|x| x.is_finite()), "features are numbers");
    assert_eq!(draft.roles.first(), Some(&Role::Fixed), "the first node stays where it is");
}

/// A random swap, if there is one.
fn swap(draft: &Draft, rng: &mut Rng) -> Option<[usize; 2]> {
    if !draft.has_moves() {
        return None;
    }
    let of = |may: &dyn Fn(usize) -> bool, rng: &mut Rng| {
        let places: Vec<usize> = (0..draft.roles.len()).filter(|&at| may(at)).collect();
        places[rng.below(places.len())]
    };
    let picked = of(&|at| draft.roles[at] == Role::Item, rng);
    let partner = of(&|at| draft.roles[at] != Role::Fixed && at != picked, rng);
    Some([picked, partner])
}
