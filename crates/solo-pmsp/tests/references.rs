//! The shared scenarios: WSPT costs what it should, to the last digit.

mod shared;

use shared::{PRESETS, data, play, scenarios};
use solo_core::{Agent, Domain, Reflex, Seed};
use solo_pmsp::{Fifo, Pmsp, Scenario, Scheduling, Wspt};
use std::collections::HashMap;

#[test]
fn wspt_equals_every_reference() {
    let text = data("pmsp-references.csv");
    let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let references: HashMap<&str, f64> =
        rows.filter(|row| row[1] == "wspt").map(|row| (row[0], row[2].parse().unwrap())).collect();
    assert_eq!(references.len(), 400);
    for preset in PRESETS {
        for scenario in scenarios(preset) {
            for law in [Some(preset), None] {
                let problem = Pmsp::problem(&scenario, law).unwrap();
                let day = play(&problem, &scenario, &mut Reflex(Wspt::default()));
                let reference = references[scenario.name.as_str()];
                assert_eq!((day.cost, day.audited), (reference, reference), "{}", scenario.name);
            }
        }
    }
}

fn mean(
    scenarios: &[Scenario],
    preset: &str,
    agent: impl Fn() -> Box<dyn Agent<Scheduling>>,
) -> f64 {
    let costs = scenarios.iter().map(|scenario| {
        let problem = Pmsp::problem(scenario, Some(preset)).unwrap();
        play(&problem, scenario, agent().as_mut()).audited
    });
    costs.sum::<f64>() / scenarios.len() as f64
}

#[test]
fn online_means() {
    // the mean of 100 days has a standard error of 1,240 and 580
    for (preset, expected, error) in
        [("pmsp-online-3", 42_600.0, 1_240.0), ("pmsp-online-10", 28_600.0, 580.0)]
    {
        let shared = scenarios(preset);
        assert_eq!(shared.len(), 100);
        let wspt = mean(&shared, preset, || Box::new(Reflex(Wspt::default())));
        assert!((wspt - expected).abs() < error, "{preset}: {wspt}");
        let fifo = mean(&shared, preset, || Box::new(Reflex(Fifo)));
        assert!(fifo > wspt, "{preset}: fifo {fifo}, wspt {wspt}");

        let drawn: Vec<Scenario> =
            (0..2_500).map(|index| Pmsp::generate(preset, Seed(0), index).unwrap()).collect();
        let wspt = mean(&drawn, preset, || Box::new(Reflex(Wspt::default())));
        assert!((wspt - expected).abs() < 0.5 * error, "{preset}: {wspt} on generated days");
    }
}
