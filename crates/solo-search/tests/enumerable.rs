//! Laws as lists: probabilities sum to one and are those of sampled futures.

mod tiny;

use solo_core::{Enumerable, Problem, Seed, Stream, Tape, Time, Timed};
use std::collections::BTreeMap;
use tiny::{routing, scheduling};

/// Events without their ids, in an order that does not depend on them.
fn unordered<P: Enumerable>(problem: &P, events: impl Iterator<Item = P::Event>) -> String {
    let mut all: Vec<String> =
        events.map(|event| problem.numbered(&event, 0).to_string()).collect();
    all.sort();
    all.join("; ")
}

/// Compares what comes at the next moment with its probabilities, in that many sampled futures. Branches that are rare
/// are counted together. Returns chi-square and its degrees of freedom.
fn chi_square<P: Enumerable>(problem: &P, state: &P::State, futures: u64) -> (f64, f64) {
    let now = problem.now(state);
    let moment = problem.next_moment(state, now).expect("something can come");
    let branches = problem.branches(state, moment);
    let total: f64 = branches.iter().map(|branch| branch.probability).sum();
    assert!((total - 1.0).abs() < 1e-12, "probabilities sum to {total}");
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut rng = Seed(4).stream(Stream::Agent, 0);
    let mut tape = Tape::default();
    for _ in 0..futures {
        tape.clear();
        problem.sample_future(state, Time::INFINITY, &mut rng, &mut tape);
        let none_before = tape.events().iter().all(|event| event.time >= moment);
        assert!(none_before, "nothing comes before the next moment");
        let due = |event: &&Timed<P::Event>| event.time == moment;
        let events = tape.events().iter().filter(due).map(|event| event.what.clone());
        *seen.entry(unordered(problem, events)).or_default() += 1;
    }
    let (mut chi, mut cells) = (0.0, 0.0);
    let (mut rare, mut rare_seen) = (0.0, 0.0);
    for branch in branches {
        let expected = branch.probability * futures as f64;
        let found = seen.remove(&unordered(problem, branch.events.into_iter())).unwrap_or(0) as f64;
        if expected < 10.0 {
            (rare, rare_seen) = (rare + expected, rare_seen + found);
        } else {
            chi += (found - expected).powi(2) / expected;
            cells += 1.0;
        }
    }
    assert!(seen.is_empty(), "sampled, but in no branch: {seen:?}");
    if rare > 0.0 {
        chi += (rare_seen - rare).powi(2) / rare.max(1.0);
        cells += 1.0;
    }
    (chi, cells - 1.0)
}

/// Four standard deviations of chi-square above its mean: once in about a hundred thousand.
fn fits((chi, freedom): (f64, f64)) {
    assert!(freedom >= 2.0, "{freedom} degrees of freedom");
    let limit = freedom + 4.0 * (2.0 * freedom).sqrt() + 4.0;
    assert!(chi < limit, "chi-square is {chi} with {freedom} degrees of freedom");
}

#[test]
fn batches_are_those_of_sampled_futures() {
    for preset in ["pmsp-tiny-1", "pmsp-tiny-3"] {
        let problem = scheduling(preset);
        fits(chi_square(&problem, &problem.initial(), 20_000));
    }
}

#[test]
fn calls_are_those_of_sampled_futures_at_every_moment() {
    for preset in ["cvrp-tiny-1", "cvrp-tiny-2", "cvrp-tiny-3"] {
        let problem = routing(preset, 4);
        let mut state = problem.initial();
        while let Some(moment) = problem.next_moment(&state, problem.now(&state)) {
            let last = problem.next_moment(&state, moment).is_none();
            assert!(last || problem.branches(&state, moment)[0].events.is_empty());
            fits(chi_square(&problem, &state, 20_000));
            // Nobody calls until the next moment, and one customer at the second.
            problem.advance(&mut state, moment);
            if state.now > 4.0 && state.arrived == 0 {
                let one = problem.branches(&state, moment);
                let one = one.iter().find(|branch| branch.events.len() == 1).unwrap();
                problem.happen(&mut state, &one.events[0]);
            }
        }
        assert!(state.now >= 7.0, "the last moment is {}", state.now);
    }
}

#[test]
fn nothing_comes_once_the_law_is_closed() {
    let problem = scheduling("pmsp-tiny-1");
    let mut state = problem.initial();
    problem.close(&mut state);
    assert_eq!(problem.next_moment(&state, -1.0), None);
    let problem = routing("cvrp-tiny-1", 4);
    let mut state = problem.initial();
    state.arrived = 4;
    assert_eq!(problem.next_moment(&state, -1.0), None);
}
