//! Unrelated machines for agents with guides, networks and searches.

use serde_json::{Value, json};
use solo::{AnyScenario, Settings, bundled};
use solo_core::{AgentSpec, Budget, Seed};

fn settings<'s>() -> Settings<'s> {
    Settings { budget: Budget::Rollouts(20), seed: Seed(3), keep: true, ..Settings::default() }
}

/// Cost and decisions of a day.
fn play(day: &dyn AnyScenario, agent: &str, law: Option<&str>) -> (f64, Vec<Value>) {
    let outcome = day.simulate(&AgentSpec::parse(agent).unwrap(), &Settings { law, ..settings() });
    let outcome = outcome.unwrap_or_else(|error| panic!("{agent}: {error}"));
    (outcome.cost, outcome.day.unwrap().decisions())
}

/// The day with this change.
fn changed(day: &dyn AnyScenario, change: impl Fn(&mut Value)) -> Box<dyn AnyScenario> {
    let mut value = day.write();
    change(&mut value);
    let line = value.to_string();
    let days = solo::files::read_lines(bundled(), line.as_bytes(), "day.jsonl").unwrap();
    days.into_iter().next().unwrap()
}

const AGENTS: [&str; 11] = [
    "uniform",
    "wspt",
    "fifo",
    "ruin",
    "lookahead",
    "guide",
    "solo2",
    "qnet",
    "solo@4r",
    "mcts+wspt",
    "hindsight",
];

/// Columns that are equal are identical machines, to the bit, for every agent.
#[test]
fn equal_columns_are_identical_machines() {
    for preset in ["pmsp-online-3", "pmsp-online-10"] {
        let plain = bundled().draw(preset, 21, 0).unwrap();
        let machines = plain.write()["machines"].as_u64().unwrap() as usize;
        let ones = changed(&*plain, |day| day["factors"] = json!(vec![vec![1; machines]; 5]));
        let lists = changed(&*plain, |day| {
            for job in day["jobs"].as_array_mut().unwrap() {
                job["processing"] = json!(vec![job["processing"].clone(); machines]);
            }
        });
        for agent in AGENTS {
            let as_ever = play(&*plain, agent, None);
            for other in [&ones, &lists] {
                assert_eq!(play(&**other, agent, None), as_ever, "{preset}: {agent}");
            }
        }
    }
}

/// Who knows the day is best, and who plans or searches is better than the rule.
#[test]
fn every_agent_plays_a_day_of_unrelated_machines() {
    let day = bundled().draw("pmsp-unrelated-5", 21, 0).unwrap();
    let costs: Vec<f64> =
        ["wspt", "ruin@200r", "hindsight@2000r", "lookahead", "solo2", "mcts+wspt"]
            .map(|agent| play(&*day, agent, None).0)
            .to_vec();
    let [wspt, ruin, hindsight, lookahead, solo2, _] = costs[..] else { unreachable!() };
    assert!(hindsight < ruin.min(lookahead).min(solo2), "{costs:?}");
    assert!(ruin < wspt && lookahead < wspt && solo2 < wspt, "{costs:?}");
}

#[test]
fn a_guide_of_identical_machines_says_so_on_unrelated_ones() {
    let day = bundled().draw("pmsp-unrelated-5:machines=3", 21, 0).unwrap();
    let guide = AgentSpec::parse("guide(model=pmsp-online-3)").unwrap();
    let outcome = day.simulate(&guide, &settings()).unwrap();
    let said = "the guide pmsp-online-3 was taught for identical machines; this day has unrelated machines";
    assert!(outcome.notes.iter().any(|note| note.contains(said)), "{:?}", outcome.notes);

    // its own law does not make a guide of identical machines fit either
    let other = changed(&*bundled().draw("pmsp-online-3", 21, 0).unwrap(), |day| {
        day["factors"] = json!(vec![vec![json!(1), json!(2), Value::Null]; 5]);
    });
    for agent in ["guide", "solo2"] {
        let outcome = other.simulate(&AgentSpec::parse(agent).unwrap(), &settings()).unwrap();
        assert!(outcome.notes.iter().any(|note| note.contains(said)), "{:?}", outcome.notes);
    }
    let network = AgentSpec::parse("qnet").unwrap();
    let error = other.simulate(&network, &settings()).err().unwrap().to_string();
    assert!(
        error.contains("identical machines") && error.contains("unrelated machines"),
        "{error}"
    );
}

#[test]
fn solvers_of_identical_machines_decline() {
    let day = bundled().draw("pmsp-unrelated-5", 21, 0).unwrap();
    let spec = AgentSpec::parse("cpsat@50ms").unwrap();
    let error = day.simulate(&spec, &settings()).err().unwrap().to_string();
    assert!(error.contains("these machines are unrelated"), "{error}");
}

#[test]
fn the_same_day_in_seconds_gets_the_same_decisions() {
    let (plain, seconds) = ("pmsp-unrelated-5", "pmsp-unrelated-5:time=60");
    let draw = |preset| bundled().draw(preset, 21, 1).unwrap();
    for agent in ["wspt", "ruin", "lookahead", "solo2"] {
        let ((cost, orders), (other, others)) =
            (play(&*draw(plain), agent, None), play(&*draw(seconds), agent, None));
        let what = |orders: Vec<Value>| -> Vec<[Value; 3]> {
            let what = |order: Value| ["job", "machine", "wait"].map(|key| order[key].clone());
            orders.into_iter().map(what).collect()
        };
        assert!((other / (60.0 * cost) - 1.0).abs() < 1e-9, "{agent}: {cost} {other}");
        assert_eq!(what(orders), what(others), "{agent}");
    }
}
