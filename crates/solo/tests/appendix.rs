//! The argument of the paper's appendix: planning again and again without regard for what tends to come costs, against
//! somebody who knows the law, without bound as the law's parameter grows. With `--nocapture` it prints the figures.
#![allow(clippy::print_stdout)]

use solo::{Settings, bundled};
use solo_core::{AgentSpec, Budget, Seed};

/// The mean cost of an agent over days of a preset.
fn mean(preset: &str, agent: &str, rollouts: u64, days: u64) -> f64 {
    let agent = AgentSpec::parse(agent).expect("an agent");
    let cost = |index| {
        let scenario = bundled().draw(preset, 2000, index).expect("a preset");
        let settings = Settings {
            budget: Budget::Rollouts(rollouts),
            seed: Seed(2000),
            index,
            ..Settings::default()
        };
        scenario.simulate(&agent, &settings).expect("a day").cost
    };
    (0..days).map(cost).sum::<f64>() / days as f64
}

/// How many times dearer planning again is than an agent that plays futures drawn from the law.
fn ratio(preset: &str, aware: &str, rollouts: u64, days: u64) -> f64 {
    let [again, with] = ["ruin", aware].map(|agent| mean(preset, agent, rollouts, days));
    println!("{preset}: planning again {again:.2}, {aware} {with:.2}, ratio {:.2}", again / with);
    again / with
}

/// Replanning drives between the two places at about every other call; who knows that more calls come waits for them.
#[test]
fn two_places_cost_replanning_a_trip_for_every_other_call() {
    let ratios = [("cvrp-two-places-8", 40), ("cvrp-two-places-32", 8), ("cvrp-two-places-128", 1)]
        .map(|(preset, days)| ratio(preset, "lookahead", 32, days));
    assert!(ratios[0] > 1.5, "{ratios:?}");
    assert!(ratios[1] > 2.0 * ratios[0] && ratios[2] > 2.0 * ratios[1], "{ratios:?}");
}

/// Replanning puts the first jobs on both machines, and with a constant probability pays the long setup; who knows the
/// law keeps a machine free. Lookahead does not: one step and then a kept plan never waits twice.
#[test]
fn two_classes_cost_replanning_the_long_setup() {
    let ratios = ["pmsp-two-classes-10", "pmsp-two-classes-100", "pmsp-two-classes-1000"]
        .map(|preset| ratio(preset, "mcts+wspt", 200, 300));
    assert!(ratios[0] > 1.2, "{ratios:?}");
    assert!(ratios[1] > 2.0 * ratios[0] && ratios[2] > 4.0 * ratios[1], "{ratios:?}");
}
