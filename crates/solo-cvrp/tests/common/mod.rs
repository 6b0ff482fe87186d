//! Test scenarios and whole days, shared by the tests of this crate.
#![allow(dead_code, unreachable_pub)] // each test uses what it needs

use solo_core::file::Reader;
use solo_core::{Agent, Audit, Budget, LogOf, Meter, Scenario, Seed, Stream, SystemClock, World};
use solo_cvrp::{Routing, RoutingDay};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

fn data(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/scenarios").join(file)
}

/// The test scenarios of a preset.
pub fn scenarios(preset: &str) -> Vec<RoutingDay> {
    let file = data(&format!("{preset}.jsonl"));
    let text = std::fs::read_to_string(file).expect("the test scenarios are in the project");
    let read = |line: &str| {
        let mut reader = Reader::new(preset);
        let map = reader.json(line).expect("an object");
        let scenario = RoutingDay::read(&mut reader, &map);
        reader.finish(scenario).expect("a scenario")
    };
    text.lines().map(read).collect()
}

/// The reference costs of a method by scenario.
pub fn references(method: &str) -> HashMap<String, f64> {
    let text = std::fs::read_to_string(data("cvrp-references.csv")).expect("references");
    text.lines()
        .filter_map(|line| {
            let mut fields = line.split(',');
            let (name, what, cost) = (fields.next()?, fields.next()?, fields.next()?);
            (what == method).then(|| (name.to_string(), cost.parse().expect("a cost")))
        })
        .collect()
}

/// The rules of a scenario under the law of a preset; of one that is known from the start without a law.
pub fn routing(preset: &str, scenario: &RoutingDay) -> Routing {
    let law = (scenario.horizon > 0.0).then_some(preset);
    scenario.rules(law).expect("a preset")
}

/// The log of a day.
pub fn play(
    problem: &Routing,
    scenario: &RoutingDay,
    agent: &mut dyn Agent<Routing>,
    rng: u64,
) -> (LogOf<Routing>, f64) {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    // other rng for every scenario: a shared stream would add its own luck to the mean
    let index = scenario.name.rsplit('/').next().and_then(|i| i.parse().ok()).unwrap_or(0);
    let mut rng = Seed(rng).stream(Stream::Agent, index);
    let mut world = World::open(problem, scenario.events());
    while !world.done() {
        let meter = Meter::start(Budget::Rollouts(0), &clock, &stop);
        let decision = agent.decide(problem, world.state(), &meter, &mut rng).expect("a decision");
        world.act(decision.action).expect("legal");
    }
    let cost = world.cost();
    (world.into_log(), cost)
}

/// The audited cost of a day.
pub fn day(
    problem: &Routing,
    scenario: &RoutingDay,
    agent: &mut dyn Agent<Routing>,
    rng: u64,
) -> f64 {
    let (log, played) = play(problem, scenario, agent, rng);
    let cost = problem.audit(&log).expect("feasible");
    assert!((cost - played).abs() < 1e-6 * cost.max(1.0), "{cost} {played}");
    cost
}
