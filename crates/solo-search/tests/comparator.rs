//! The comparator: means over common futures are those of playing each candidate by hand.

mod common;

use common::{Family, Shortest, ToyDays};
use solo_core::testing::toy::{Toy, ToyState};
use solo_core::{Cost, Menu, Policy, Problem, Scenario, Seed, Stream, Tape, Time, World, rollout};
use solo_search::{Comparator, Cut, Root};

/// The mean cost of an action over futures that are drawn and cut by hand.
fn by_hand(root: &Root<'_, Toy, Shortest>, candidate: usize, futures: u64) -> Cost {
    let Root { problem, state, cut, .. } = *root;
    let sum: Cost = (0..futures)
        .map(|j| {
            let mut tape = Tape::default();
            let until = problem.now(state) + cut.lookahead;
            let mut rng = root.seed.stream(Stream::Agent, 2 * j);
            problem.sample_future(state, until, &mut rng, &mut tape);
            let end = tape.events().get(cut.arrivals - 1).map_or(until, |last| last.time);
            if end.is_finite() {
                tape.close_at(end);
            }
            let mut played = state.clone();
            let cost = problem.apply(&mut played, root.candidates[candidate]);
            let mut rng = root.seed.stream(Stream::Agent, 2 * j + 1);
            cost + rollout(problem, &mut played, &mut tape, &mut Shortest, &mut rng)
        })
        .sum();
    sum / futures as f64
}

/// Checks the means of all legal actions of a state over up to `futures` futures, of which `played` are expected to be
/// played.
fn check(problem: &Toy, state: &ToyState, cut: Cut, (futures, played): (usize, u64)) {
    let mut menu = Menu::default();
    problem.menu(state, &mut menu);
    let candidates: Vec<_> =
        menu.legal().iter().map(|&slot| menu.actions()[slot as usize]).collect();
    let root =
        Root { problem, state, guide: &Shortest, candidates: &candidates, seed: Seed(11), cut };
    let mut comparator = Comparator::new(problem, &Shortest, None);
    for _ in 0..2 {
        let means = comparator.means(&root, futures);
        assert_eq!(means.len(), candidates.len());
        for (candidate, &mean) in means.iter().enumerate() {
            let wanted = by_hand(&root, candidate, played);
            assert!((mean - wanted).abs() <= 1e-12 * wanted, "{cut:?}: {mean}, not {wanted}");
        }
    }
}

#[test]
fn means_are_those_of_playing_each_candidate_by_hand() {
    let cuts = [(usize::MAX, Time::INFINITY), (3, Time::INFINITY), (usize::MAX, 4.0)];
    for index in 0..5 {
        let day = ToyDays::draw("toy", 84, index);
        let problem = ToyDays::rules(&day, "toy");
        let mut rng = Seed(1).stream(Stream::Agent, 0);
        let mut world = World::open(&problem, day.events());
        while !world.done() {
            // Where nothing more can come there is one future, however many are asked for.
            let closed = problem.closing_time(world.state()).is_none();
            let played = if closed { 1 } else { 7 };
            for (arrivals, lookahead) in cuts {
                check(&problem, world.state(), Cut { arrivals, lookahead }, (7, played));
            }
            let action = Shortest.choose(&problem, world.state(), &mut rng);
            world.act(action).unwrap();
        }
    }
}
