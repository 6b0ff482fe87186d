//! What the tests of rivals share.
#![allow(dead_code, unreachable_pub)]

use solo_core::{
    Budget, Clock, Domain, Failure, Meter, Offline, Problem, Seed, Solver, Stream, SystemClock,
    Tape, settle,
};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The rules and the first state of a generated scenario, with everything arrived.
pub fn first_state<D: Domain>(
    preset: &str,
    index: u64,
) -> (D::Problem, <D::Problem as Problem>::State) {
    let scenario = D::generate(preset, Seed(21), index).expect("a preset");
    let problem = D::problem(&scenario, None).expect("no law is always possible");
    let mut state = problem.initial();
    settle(&problem, &mut state, &mut Tape::new(D::arrivals(&scenario)));
    (problem, state)
}

/// One plan within `budget`.
pub fn solve<P: Offline>(
    problem: &P,
    state: &P::State,
    solver: &mut dyn Solver<P>,
    budget: Budget,
) -> Result<P::Plan, Failure> {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let clock: &dyn Clock = &clock;
    let meter = Meter::start(budget, clock, &stop);
    let mut rng = Seed(1).stream(Stream::Agent, 0);
    solver.solve(problem, &problem.snapshot(state), &meter, &mut rng)
}

/// Whether a process of this number runs (and is not merely waiting to be collected).
pub fn runs(id: u32) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", &id.to_string()]).output();
    state.is_ok_and(|o| {
        let text = String::from_utf8_lossy(&o.stdout).trim().to_string();
        !text.is_empty() && !text.starts_with('Z')
    })
}

/// Whether a process of this number ends within a few seconds.
pub fn ends(id: u32) -> bool {
    let started = Instant::now();
    while runs(id) {
        if started.elapsed() > Duration::from_secs(5) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    true
}

/// Whether Python 3 is there at all; says so where it is not.
pub fn python() -> bool {
    let there = Command::new(solo_rivals::interpreter())
        .arg("--version")
        .output()
        .is_ok_and(|o| o.status.success());
    if !there {
        skip("there is no Python 3");
    }
    there
}

/// Says that a test is skipped, past the test harness's capture.
pub fn skip(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
