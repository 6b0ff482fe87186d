//! The figures of the paper and of the calibration, on the 100 test scenarios of each preset.
#![allow(clippy::print_stdout)] // `--nocapture` shows the figures

mod common;

use common::{day, references, routing, scenarios};
use solo_core::{Agent, Reflex, Replan, Uniform, When};
use solo_cvrp::Routing;
use solo_cvrp::hold::Hold;
use solo_cvrp::plan::Urgent;
use solo_cvrp::rules::{Distance, Nearest};
use solo_cvrp::savings::Savings;
use solo_cvrp::sweep::Sweep;

fn go_now() -> Box<dyn Agent<Routing>> {
    Box::new(Replan::new(Urgent(Savings), When::AtRest))
}

/// The mean cost over the test scenarios, each played `repeats` times with other dice.
fn mean(
    preset: &str,
    waiting: f64,
    repeats: u64,
    make: &dyn Fn() -> Box<dyn Agent<Routing>>,
) -> f64 {
    let mut scenarios = scenarios(preset);
    let mut sum = 0.0;
    for scenario in &mut scenarios {
        scenario.waiting_weight = waiting;
        let problem = routing(preset, scenario);
        for dice in 0..repeats {
            sum += day(&problem, scenario, make().as_mut(), dice);
        }
    }
    sum / (scenarios.len() as u64 * repeats) as f64
}

/// Checks means at n = 20, 50, 100 within a relative tolerance.
fn expect(
    what: &str,
    family: &str,
    waiting: [f64; 3],
    (repeats, tolerance): (u64, f64),
    means: [f64; 3],
    make: &dyn Fn() -> Box<dyn Agent<Routing>>,
) {
    let mut wrong = Vec::new();
    for ((n, waiting), expected) in [20, 50, 100].into_iter().zip(waiting).zip(means) {
        let found = mean(&format!("{family}-{n}"), waiting, repeats, make);
        println!(
            "{what} {family}-{n}: {found:.3}, expected {expected}, {:+.2} %",
            100.0 * (found / expected - 1.0)
        );
        if (found / expected - 1.0).abs() > tolerance {
            wrong.push(n);
        }
    }
    assert!(wrong.is_empty(), "{what} on {family}: off at {wrong:?}");
}

const FREE: [f64; 3] = [0.0; 3];
const DISPATCH: [f64; 3] = [0.05, 0.02, 0.02];

#[test]
fn savings_offline() {
    expect("savings", "cvrp", FREE, (1, 0.0005), [6.30, 10.85, 16.41], &go_now);
}

#[test]
fn savings_reference_of_every_scenario() {
    let expected = references("savings-hindsight");
    let mut seen = 0;
    for preset in
        ["cvrp-20", "cvrp-50", "cvrp-100", "cvrp-online-20", "cvrp-online-50", "cvrp-online-100"]
    {
        for mut scenario in scenarios(preset) {
            let Some(&cost) = expected.get(&scenario.name) else { continue };
            scenario.customers.iter_mut().for_each(|customer| customer.arrival = 0.0);
            scenario.horizon = 0.0;
            let found = day(&routing(preset, &scenario), &scenario, go_now().as_mut(), 0);
            assert!((found / cost - 1.0).abs() < 5e-5, "{}: {found} against {cost}", scenario.name);
            seen += 1;
        }
    }
    assert_eq!(seen, expected.len(), "every reference was compared");
}

#[test]
fn savings_online() {
    expect("savings", "cvrp-online", FREE, (1, 0.03), [9.78, 18.13, 25.20], &go_now);
}

#[test]
fn sweep_offline() {
    let sweep =
        || -> Box<dyn Agent<Routing>> { Box::new(Replan::new(Urgent(Sweep), When::AtRest)) };
    expect("sweep", "cvrp", FREE, (1, 0.001), [6.97, 11.90, 18.12], &sweep);
}

#[test]
fn wait_all_as_published() {
    let wait = || -> Box<dyn Agent<Routing>> { Box::new(Hold::new(f64::INFINITY, f64::INFINITY)) };
    expect("wait-all", "cvrp-online", FREE, (1, 0.005), [5.31, 9.20, 14.04], &wait);
}

#[test]
fn uniform_and_distance() {
    let uniform = || -> Box<dyn Agent<Routing>> { Box::new(Reflex(Uniform::default())) };
    let distance = || -> Box<dyn Agent<Routing>> { Box::new(Reflex(Distance::default())) };
    expect("uniform", "cvrp", FREE, (30, 0.02), [13.19, 30.67, 58.78], &uniform);
    expect("distance", "cvrp", FREE, (30, 0.02), [10.40, 24.15, 46.57], &distance);
    expect("uniform", "cvrp-online", FREE, (30, 0.02), [12.38, 27.78, 52.11], &uniform);
    expect("distance", "cvrp-online", FREE, (30, 0.02), [9.38, 19.59, 33.72], &distance);
}

#[test]
fn dispatch() {
    let wait = || -> Box<dyn Agent<Routing>> { Box::new(Hold::new(f64::INFINITY, f64::INFINITY)) };
    let nearest = || -> Box<dyn Agent<Routing>> { Box::new(Reflex(Nearest)) };
    expect("go now", "cvrp-online", DISPATCH, (1, 0.05), [12.22, 22.59, 35.61], &go_now);
    expect("wait-all", "cvrp-online", DISPATCH, (1, 0.05), [9.86, 29.94, 90.97], &wait);
    expect("nearest", "cvrp-online", DISPATCH, (1, 0.05), [11.40, 21.01, 35.14], &nearest);
    let hold = |theta| move || -> Box<dyn Agent<Routing>> { Box::new(Hold::new(theta, 10.0)) };
    let small = mean("cvrp-online-20", DISPATCH[0], 1, &hold(1.0));
    println!("hold(1.0, 10) at 20: {small:.3}");
    assert!((small / 9.28 - 1.0).abs() <= 0.05, "hold(1.0, 10) at 20: {small}");
    for (n, expected) in [(50, 18.48), (100, 31.88)] {
        let found = mean(&format!("cvrp-online-{n}"), 0.02, 1, &hold(1.5));
        println!("hold(1.5, 10) at {n}: {found:.3}");
        assert!((found / expected - 1.0).abs() <= 0.05, "hold(1.5, 10) at {n}: {found}");
    }
}
