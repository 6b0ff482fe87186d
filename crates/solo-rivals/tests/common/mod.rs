//! What the tests of rivals share.
#![allow(dead_code, unreachable_pub)]

use solo_core::{
    Budget, Clock, Failure, Meter, Offline, Problem, Scenario, Seed, Solver, Stream, SystemClock,
    Tape, settle,
};
use solo_cvrp::Routing;
use solo_pmsp::Scheduling;
use solo_rivals::SolverPool;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The rules and the first state of a generated routing day, with everything arrived.
pub fn routing(preset: &str, index: u64) -> (Routing, solo_cvrp::State) {
    first_state(&solo_cvrp::presets::generate(preset, Seed(21), index).expect("a preset"))
}

/// The rules and the first state of a generated scheduling day, with everything arrived.
pub fn scheduling(preset: &str, index: u64) -> (Scheduling, solo_pmsp::State) {
    first_state(&solo_pmsp::presets::generate(preset, Seed(21), index).expect("a preset"))
}

fn first_state<S: Scenario>(day: &S) -> (S::Problem, <S::Problem as Problem>::State) {
    let problem = day.rules(None).expect("no law is always possible");
    let mut state = problem.initial();
    settle(&problem, &mut state, &mut Tape::new(day.events()));
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

/// Children of the interpreter that SOLO_PYTHON names, or else of `python3` from the path.
pub fn pool() -> SolverPool {
    SolverPool::new(Some(interpreter()))
}

fn interpreter() -> PathBuf {
    solo_rivals::interpreter().unwrap_or_else(|| "python3".into())
}

/// Whether there is a Python 3. Says that the test is skipped where there is none. An interpreter that was named must
/// work: otherwise the test fails.
pub fn python() -> bool {
    let interpreter = interpreter();
    let answer = Command::new(&interpreter).arg("--version").output();
    if answer.as_ref().is_ok_and(|answer| answer.status.success()) {
        return true;
    }
    let found = interpreter.display();
    let status = answer.map(|answer| answer.status);
    assert!(solo_rivals::interpreter().is_none(), "SOLO_PYTHON is broken: '{found}': {status:?}");
    skip("there is no Python 3");
    false
}

/// Whether SOLO_PYTHON says where the solvers were installed (`cargo xtask rivals`). Says that the test is skipped where
/// it does not. If it does they must work: nothing is skipped then.
pub fn solvers() -> bool {
    if solo_rivals::interpreter().is_none() {
        skip("SOLO_PYTHON is not set; run `cargo xtask rivals`, and set it as that says");
        return false;
    }
    python()
}

/// Says that a test is skipped, past the test harness's capture.
pub fn skip(why: &str) {
    use std::io::Write;
    let test = std::thread::current().name().unwrap_or("a test").to_string();
    let _ = writeln!(std::io::stderr(), "\nskipped: {test}: {why}");
}
