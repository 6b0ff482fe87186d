//! Costs and decisions of every rule, network, guide and search, as they were when they were first recorded.
//!
//! `data/golden.txt` holds a line for each preset, agent and day: the cost, and the beginning of the BLAKE3 hash of the
//! decisions as JSON. It was written by version 0.1. A change that is meant to change results writes it anew, with
//! `SOLO_GOLDEN=write cargo test --release -p solo --test golden -- --ignored`, and says so;
//! `SOLO_GOLDEN='write hold'` does it for agents whose names begin so.

#![allow(clippy::print_stderr)] // what was skipped is said

use solo::{Settings, bundled};
use solo_core::{AgentSpec, Budget, Seed, pool};
use solo_nn::Instructions;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The instructions that the file was written with: networks differ in last digits with others.
const WRITTEN_WITH: &str = "avx512f";

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/golden.txt");

/// The days of each preset and agent: cost and hash.
type Golden = BTreeMap<(String, String), Vec<(String, String)>>;

fn read() -> Golden {
    let text = std::fs::read_to_string(FILE).unwrap();
    let mut golden = Golden::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [preset, agent, day, cost, hash] = words[..] else { panic!("{line}") };
        let days = golden.entry((preset.to_string(), agent.to_string())).or_default();
        assert_eq!(day, days.len().to_string(), "days come in order");
        days.push((cost.to_string(), hash.to_string()));
    }
    golden
}

/// The cost and the hash of the decisions of a day; dashes where the agent declines.
fn simulate(preset: &str, agent: &str, day: u64) -> (String, String) {
    let scenario = bundled().draw(preset, 7, day).unwrap();
    let agent = AgentSpec::parse(agent).unwrap();
    let settings = Settings {
        budget: Budget::Rollouts(1),
        seed: Seed(7),
        index: day,
        keep: true,
        ..Settings::default()
    };
    match scenario.simulate(&agent, &settings) {
        Ok(outcome) => {
            let decisions = serde_json::Value::Array(outcome.day.unwrap().decisions()).to_string();
            let hash = blake3::hash(decisions.as_bytes()).to_hex();
            (outcome.cost.to_string(), hash[..12].to_string())
        }
        Err(_) => ("-".to_string(), "-".to_string()),
    }
}

/// Whether the agent's decisions come from kernels that round differently on other machines.
fn learned(agent: &str) -> bool {
    ["qnet", "solo", "guide", "rewriter"].iter().any(|name| agent.contains(name))
}

/// Simulates the first `days` days of every row, and returns what they are now.
fn simulate_all(golden: &Golden, days: usize) -> Vec<Vec<(String, String)>> {
    let rows: Vec<_> = golden.iter().collect();
    pool::map(rows.len() as u64, 2, |row| {
        let ((preset, agent), known) = rows[row as usize];
        (0..days.min(known.len()) as u64).map(|day| simulate(preset, agent, day)).collect()
    })
}

fn compare(days: usize) {
    let mut golden = read();
    assert!(golden.len() > 400, "{} rows", golden.len());
    if Instructions::best().name() != WRITTEN_WITH {
        let all = golden.len();
        golden.retain(|(_, agent), _| !learned(agent));
        eprintln!("skipped: {} rows of other instructions", all - golden.len());
    }
    let now = simulate_all(&golden, days);
    let mut changed = String::new();
    for (((preset, agent), known), now) in golden.iter().zip(&now) {
        for (day, (known, now)) in known.iter().zip(now).enumerate() {
            if known != now {
                writeln!(changed, "{preset} {agent} day {day}: was {known:?}, is {now:?}").unwrap();
            }
        }
    }
    assert!(changed.is_empty(), "results have changed:\n{changed}");
}

#[test]
fn the_first_day_of_everything_is_as_it_was() {
    compare(1);
}

#[test]
#[ignore = "slow: 20 days of everything, 8 minutes in a release build"]
fn all_days_of_everything_are_as_they_were() {
    let order = std::env::var("SOLO_GOLDEN").unwrap_or_default();
    let Some(only) = order.strip_prefix("write") else {
        return compare(usize::MAX);
    };
    let mut golden = read();
    let mut written = golden.clone();
    written.retain(|(_, agent), _| agent.starts_with(only.trim_start()));
    let now = simulate_all(&written, usize::MAX);
    golden.extend(written.into_keys().zip(now));
    let mut text = String::new();
    for ((preset, agent), days) in &golden {
        for (day, (cost, hash)) in days.iter().enumerate() {
            writeln!(text, "{preset} {agent} {day} {cost} {hash}").unwrap();
        }
    }
    std::fs::write(FILE, text).unwrap();
}
