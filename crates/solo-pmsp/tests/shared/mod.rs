//! Scenarios and ways to play them, for all tests.
#![allow(dead_code, missing_docs, unreachable_pub)] // each test uses some of it

use solo_core::file::Reader;
use solo_core::{
    Agent, Audit, Budget, Cost, Faults, LogOf, Meter, Scenario, Seed, Stream, SystemClock, Timed,
    World,
};
use solo_pmsp::{Action, Job, Processing, Scheduling, SchedulingDay, Setup};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub const PRESETS: [&str; 4] = ["pmsp-20", "pmsp-80", "pmsp-online-3", "pmsp-online-10"];

pub fn data(file: &str) -> String {
    let path = format!("{}/../../data/scenarios/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The scenario of one line, as line 7 of `day.jsonl`.
pub fn read(line: &str) -> Result<SchedulingDay, Faults> {
    let mut reader = Reader::new("day.jsonl");
    reader.at(7);
    let Some(map) = reader.json(line) else { return reader.finish(None) };
    let scenario = SchedulingDay::read(&mut reader, &map);
    reader.finish(scenario)
}

/// The shared scenarios of a preset.
pub fn scenarios(preset: &str) -> Vec<SchedulingDay> {
    data(&format!("{preset}.jsonl"))
        .lines()
        .map(|line| read(line).unwrap_or_else(|faults| panic!("{faults}")))
        .collect()
}

pub fn scenario(machines: usize, setup: &[&[f64]], jobs: &[(f64, f64, u32, f64)]) -> SchedulingDay {
    let job = |&(time, weight, class, arrival): &(f64, f64, u32, f64)| {
        let processing = Processing::Same(time);
        Job { processing, weight, class, arrival }
    };
    let jobs: Vec<Job> = jobs.iter().map(job).collect();
    SchedulingDay {
        name: "small".to_string(),
        machines,
        horizon: jobs.iter().map(|job| job.arrival).fold(0.0, f64::max),
        setup: Arc::new(Setup { classes: setup.len(), flat: setup.concat() }),
        factors: None,
        jobs,
    }
}

/// The decisions of a log with their times.
pub fn decisions(log: &LogOf<Scheduling>) -> Vec<Timed<Action>> {
    log.decisions().map(|decision| Timed { time: decision.time, what: *decision.what }).collect()
}

pub struct Day {
    pub cost: Cost,
    pub audited: Cost,
    pub log: LogOf<Scheduling>,
}

pub fn play(
    problem: &Scheduling,
    scenario: &SchedulingDay,
    agent: &mut dyn Agent<Scheduling>,
) -> Day {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut rng = Seed(5).stream(Stream::Agent, 0);
    let mut world = World::open(problem, scenario.events());
    while !world.done() {
        let meter = Meter::start(Budget::Rollouts(1), &clock, &stop);
        let decision = agent.decide(problem, world.state(), &meter, &mut rng).unwrap();
        world.act(decision.action).unwrap();
    }
    let cost = world.cost();
    let log = world.into_log();
    let audited = problem.audit(&log).unwrap();
    Day { cost, audited, log }
}
