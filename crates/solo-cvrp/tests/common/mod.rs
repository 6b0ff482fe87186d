//! Test scenarios and whole days, shared by the tests of this crate.
#![allow(dead_code, unreachable_pub)] // each test uses what it needs

use solo_core::file::{Object, Reader};
use solo_core::{Agent, Audit, Budget, Meter, Seed, Stream, SystemClock, Timed, World};
use solo_cvrp::{Arrival, Routing, Scenario, formats, presets};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

fn data(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/scenarios").join(file)
}

/// The test scenarios of a preset.
pub fn scenarios(preset: &str) -> Vec<Scenario> {
    let file = data(&format!("{preset}.jsonl"));
    let text = std::fs::read_to_string(file).expect("the test scenarios are in the project");
    let read = |line: &str| {
        let mut reader = Reader::new(preset);
        let map = reader.json(line).expect("an object");
        let mut object = Object::top(&map);
        let name = object.text(&mut reader, "name").expect("a name");
        object.optional("problem");
        let scenario = formats::read(&mut reader, name, &mut object);
        object.end(&mut reader);
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

/// Who calls when.
pub fn arrivals(scenario: &Scenario) -> Vec<Timed<Arrival>> {
    let call = |c: &solo_cvrp::Customer| Timed {
        time: c.arrival,
        what: Arrival::Customer { at: c.at, demand: c.demand },
    };
    scenario.customers.iter().map(call).collect()
}

/// The rules of a scenario under the law of a preset.
pub fn routing(preset: &str, scenario: &Scenario) -> Routing {
    Routing::new(scenario, presets::law(preset, scenario).expect("a preset"))
}

/// The audited cost of a day.
pub fn day(
    problem: &Routing,
    scenario: &Scenario,
    agent: &mut dyn Agent<Routing>,
    dice: u64,
) -> f64 {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    // other dice for every scenario: a shared stream would add its own luck to the mean
    let index = scenario.name.rsplit('/').next().and_then(|i| i.parse().ok()).unwrap_or(0);
    let mut rng = Seed(dice).stream(Stream::Agent, index);
    let arrivals = arrivals(scenario);
    let mut world = World::open(problem, arrivals.clone());
    while !world.done() {
        let meter = Meter::start(Budget::Rollouts(0), &clock, &stop);
        let decision = agent.decide(problem, world.state(), &meter, &mut rng).expect("a decision");
        world.act(decision.action).expect("legal");
    }
    let cost = problem.audit(&arrivals, &world.journal().decisions).expect("feasible");
    assert!((cost - world.cost()).abs() < 1e-6 * cost.max(1.0), "{cost} {}", world.cost());
    cost
}
