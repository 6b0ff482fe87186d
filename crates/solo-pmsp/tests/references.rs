//! The shared scenarios: WSPT costs what it should, to the last digit.

mod shared;

use shared::{PRESETS, data, play, scenarios};
use solo_core::{Agent, Reflex, Scenario, Seed};
use solo_pmsp::presets::generate;
use solo_pmsp::{Fifo, Scheduling, SchedulingDay, Wspt};
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
                let problem = scenario.rules(law).unwrap();
                let day = play(&problem, &scenario, &mut Reflex(Wspt::default()));
                let reference = references[scenario.name.as_str()];
                assert_eq!((day.cost, day.audited), (reference, reference), "{}", scenario.name);
            }
        }
    }
}

fn mean(
    scenarios: &[SchedulingDay],
    preset: &str,
    agent: impl Fn() -> Box<dyn Agent<Scheduling>>,
) -> f64 {
    let costs = scenarios.iter().map(|scenario| {
        let problem = scenario.rules(Some(preset)).unwrap();
        play(&problem, scenario, agent().as_mut()).audited
    });
    costs.sum::<f64>() / scenarios.len() as f64
}

/// The means that are expected, and our own to the last digit: every cost is whole, so that they are the same everywhere.
#[test]
fn online_means() {
    // the mean of 100 days has a standard error of 1,240 and 580
    for (preset, expected, error, recorded) in [
        ("pmsp-online-3", 42_600.0, 1_240.0, [41_735.32, 65_752.47, 42_245.997_6]),
        ("pmsp-online-10", 28_600.0, 580.0, [28_642.8, 31_432.15, 28_514.298]),
    ] {
        let shared = scenarios(preset);
        assert_eq!(shared.len(), 100);
        let wspt = mean(&shared, preset, || Box::new(Reflex(Wspt::default())));
        assert!((wspt - expected).abs() < error, "{preset}: {wspt}");
        let fifo = mean(&shared, preset, || Box::new(Reflex(Fifo)));

        let drawn: Vec<SchedulingDay> =
            (0..2_500).map(|index| generate(preset, Seed(0), index).unwrap()).collect();
        let generated = mean(&drawn, preset, || Box::new(Reflex(Wspt::default())));
        assert!((generated - expected).abs() < 0.5 * error, "{preset}: {generated} generated");
        assert_eq!([wspt, fifo, generated], recorded, "{preset}: wspt, fifo, wspt on drawn days");
    }
}
