//! The same day in other units gets the same decisions.

use serde_json::Value;
use solo::{AnyScenario, Settings, bundled};
use solo_core::{AgentSpec, Budget, Seed};

/// Cost and decisions of a day.
fn play(day: &dyn AnyScenario, agent: &str) -> (f64, Vec<Value>) {
    let agent = AgentSpec::parse(agent).unwrap();
    let settings =
        Settings { budget: Budget::Rollouts(60), seed: Seed(3), keep: true, ..Settings::default() };
    let outcome = day.simulate(&agent, &settings).unwrap();
    let mut decisions = outcome.day.unwrap().decisions();
    for decision in &mut decisions {
        decision.as_object_mut().unwrap().remove("time");
    }
    (outcome.cost, decisions)
}

fn same_in_other_units(preset: &str, changes: &[&str], cost_unit: &[f64], agents: &[&str]) {
    for (change, unit) in changes.iter().zip(cost_unit) {
        for index in 0..3 {
            let plain = bundled().draw(preset, 21, index).unwrap();
            let changed = bundled().draw(&format!("{preset}:{change}"), 21, index).unwrap();
            for agent in agents {
                let ((cost, decisions), (other, others)) =
                    (play(&*plain, agent), play(&*changed, agent));
                let at = format!("{preset}:{change} day {index}, {agent}");
                let first = decisions.iter().zip(&others).position(|(a, b)| a != b);
                assert_eq!(first, None, "{at}");
                assert!((other / (cost * unit) - 1.0).abs() < 1e-9, "{at}: {cost}, {other}");
            }
        }
    }
}

const ROUTING: [&str; 8] =
    ["guide", "qnet", "hold", "ruin", "lookahead", "solo2", "solo@4r", "mcts+distance@20r"];
const SCHEDULING: [&str; 8] =
    ["guide", "qnet", "wspt", "ruin", "lookahead", "solo2", "solo@4r", "mcts+wspt@20r"];

#[test]
fn routing_decides_the_same_in_all_units() {
    // Powers of two lose nothing to rounding.
    same_in_other_units("cvrp-dispatch-20", &["length=8,time=4"], &[8.0], &ROUTING);
    // Elsewhere a search meets some states again only but for the last digit, and does not know them: so do the tree
    // search, and every search once nothing more can come.
    let changes = ["length=9.2,time=3", "length=0.001,time=60", "time=0.0166667"];
    let units = [9.2, 0.001, 1.0];
    same_in_other_units("cvrp-dispatch-20", &changes, &units, &ROUTING[..6]);
    for preset in ["cvrp-dispatch-50", "cvrp-fleet-50"] {
        same_in_other_units(preset, &changes[..1], &units, &["guide", "qnet", "solo2"]);
    }
    same_in_other_units("cvrp-online-20", &changes[..1], &units, &["qnet"]);
}

#[test]
fn scheduling_decides_the_same_in_all_units() {
    // Seconds instead of minutes, and what else loses nothing to rounding.
    let (changes, units) = (["time=60", "time=0.25"], [60.0, 0.25]);
    same_in_other_units("pmsp-online-3", &changes, &units, &SCHEDULING);
    same_in_other_units("pmsp-online-10", &changes, &units, &["guide", "qnet", "solo2"]);
}

/// Where times are rounded, machines that end together end one after the other: a decision more, at about the same cost.
#[test]
fn scheduling_costs_the_same_where_times_are_rounded() {
    for (change, unit) in [("time=3.7", 3.7), ("time=0.0166667", 0.016_666_7)] {
        for agent in ["guide", "qnet", "solo2"] {
            let (mut plain, mut changed) = (0.0, 0.0);
            for index in 0..8 {
                let day = |preset: &str| bundled().draw(preset, 21, index).unwrap();
                plain += play(&*day("pmsp-online-3"), agent).0;
                changed += play(&*day(&format!("pmsp-online-3:{change}")), agent).0 / unit;
            }
            let ratio = changed / plain;
            assert!((ratio - 1.0).abs() < 0.005, "{change}, {agent}: {ratio}");
        }
    }
}

/// Without the law's units a network or guide would see numbers that it has never seen.
#[test]
fn days_in_other_units_are_refused_under_the_plain_law() {
    for (preset, law, remedy) in [
        (
            "cvrp-dispatch-50:length=9.2,time=3",
            "cvrp-dispatch-50",
            "--law cvrp-dispatch-50:length=9.",
        ),
        ("cvrp-dispatch-50:time=3", "cvrp-dispatch-50", "--law cvrp-dispatch-50:time=3"),
        ("pmsp-online-3:size=2", "pmsp-online-3", "--law pmsp-online-3:time=2"),
    ] {
        let day = bundled().draw(preset, 21, 0).unwrap();
        let agent = AgentSpec::parse("guide").unwrap();
        let settings = Settings { law: Some(law), ..Settings::default() };
        let error = day.simulate(&agent, &settings).err().unwrap().to_string();
        assert!(error.contains(remedy), "{error}");
        let trusting = Settings { trust_law: true, ..settings };
        assert!(day.simulate(&agent, &trusting).is_ok());
    }
}
