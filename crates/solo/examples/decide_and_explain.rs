//! Decides one state with `solo2` and prints why: a live day, with no simulator behind it.
//!
//! `cargo run --release -p solo --example decide_and_explain`
#![allow(clippy::print_stdout)]

use solo::prelude::*;
use solo::{Explanation, Solvers};
use solo_core::SystemClock;
use solo_pmsp::Event;
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What is public: machines, setups, and the law of the jobs to come.
    let law = "pmsp-online-3";
    let opening = solo_pmsp::presets::generate(law, Seed(3), 0)?;
    let problem = opening.rules(Some(law))?;

    // What has happened so far.
    let mut session = Session::open(&problem);
    let job = |id, time: f64, weight, class| {
        let processing = time.into();
        Event::Job { id, processing, weight, class }
    };
    for event in [job(0, 52.0, 7.0, 0), job(1, 80.0, 2.0, 1), job(2, 11.0, 9.0, 3)] {
        session.hear(0.0, event)?;
    }
    session.tick(0.0)?;

    // Who decides, with how much time.
    let entry = solo::problems::pmsp();
    let agent = Solo2 { k: 8, ..Solo2::default() };
    let mut agent = entry.make(&agent.into(), Some(law), &Solvers::default())?.agent;
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    while session.status() == Status::Decide {
        let meter = Meter::start(Budget::Rollouts(400), &clock, &stop);
        let decision = session.decide(agent.as_mut(), &meter, &mut rng)?;
        print(&Explanation::new(session.now(), &decision));
        session.act(decision.action)?;
    }
    print!("{}", session.log().to_lines()?);
    Ok(())
}

fn print(decision: &Explanation) {
    println!("at {}: {}", decision.time, decision.action);
    let Some(reasons) = &decision.reasons else { return };
    println!("  {} ({} rollouts)", reasons.how, decision.rollouts);
    for candidate in reasons.candidates.iter().filter(|candidate| candidate.visits > 0) {
        let error = candidate.error.map_or(String::new(), |error| format!(" +/- {error:.0}"));
        println!("  {:>20}: {:.0}{error}", candidate.action, candidate.mean);
    }
}
