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

/// The mean cost over the test scenarios, each played `repeats` times with other rng.
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
        for rng in 0..repeats {
            sum += day(&problem, scenario, make().as_mut(), rng);
        }
    }
    sum / (scenarios.len() as u64 * repeats) as f64
}

/// The means at n = 20, 50, 100.
struct Means {
    /// The paper's, or those of the calibration, and how far we may be from them, relatively: their days were others.
    published: ([f64; 3], f64),
    /// Our own. Everything here is the same on every machine, so that they are reproduced to the digits shown.
    recorded: [f64; 3],
}

/// Checks the means of an agent, each day lived `repeats` times.
fn expect(
    what: &str,
    family: &str,
    waiting: [f64; 3],
    repeats: u64,
    Means { published: (published, tolerance), recorded }: Means,
    make: &dyn Fn() -> Box<dyn Agent<Routing>>,
) {
    let mut wrong = Vec::new();
    for (i, n) in [20, 50, 100].into_iter().enumerate() {
        let found = mean(&format!("{family}-{n}"), waiting[i], repeats, make);
        let off = found / published[i] - 1.0;
        println!(
            "{what} {family}-{n}: {found:.3}, recorded {}, published {}, {:+.2} %",
            recorded[i],
            published[i],
            100.0 * off
        );
        if off.abs() > tolerance || (found - recorded[i]).abs() > SHOWN {
            wrong.push((n, found));
        }
    }
    assert!(wrong.is_empty(), "{what} on {family}: off at {wrong:?}");
}

/// Half of the last digit that is recorded, and a little for the sum of many.
const SHOWN: f64 = 0.000_501;
const FREE: [f64; 3] = [0.0; 3];
const DISPATCH: [f64; 3] = [0.05, 0.02, 0.02];

#[test]
fn savings_offline() {
    let means =
        Means { published: ([6.30, 10.85, 16.41], 0.0005), recorded: [6.300, 10.854, 16.410] };
    expect("savings", "cvrp", FREE, 1, means, &go_now);
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
    let means =
        Means { published: ([9.78, 18.13, 25.20], 0.02), recorded: [9.726, 18.092, 24.760] };
    expect("savings", "cvrp-online", FREE, 1, means, &go_now);
}

#[test]
fn sweep_offline() {
    let sweep =
        || -> Box<dyn Agent<Routing>> { Box::new(Replan::new(Urgent(Sweep), When::AtRest)) };
    let means =
        Means { published: ([6.97, 11.90, 18.12], 0.0005), recorded: [6.973, 11.898, 18.123] };
    expect("sweep", "cvrp", FREE, 1, means, &sweep);
}

#[test]
fn wait_all_as_published() {
    let wait =
        || -> Box<dyn Agent<Routing>> { Box::new(Hold::savings(f64::INFINITY, f64::INFINITY)) };
    let means = Means { published: ([5.31, 9.20, 14.04], 0.001), recorded: [5.307, 9.201, 14.045] };
    expect("wait-all", "cvrp-online", FREE, 1, means, &wait);
}

#[test]
fn uniform_and_distance() {
    let uniform = || -> Box<dyn Agent<Routing>> { Box::new(Reflex(Uniform::default())) };
    let distance = || -> Box<dyn Agent<Routing>> { Box::new(Reflex(Distance::default())) };
    let means =
        Means { published: ([13.19, 30.67, 58.78], 0.01), recorded: [13.082, 30.610, 59.022] };
    expect("uniform", "cvrp", FREE, 30, means, &uniform);
    let means =
        Means { published: ([10.40, 24.15, 46.57], 0.01), recorded: [10.317, 23.999, 46.710] };
    expect("distance", "cvrp", FREE, 30, means, &distance);
    let means =
        Means { published: ([12.38, 27.78, 52.11], 0.02), recorded: [12.619, 27.944, 52.283] };
    expect("uniform", "cvrp-online", FREE, 30, means, &uniform);
    let means =
        Means { published: ([9.38, 19.59, 33.72], 0.02), recorded: [9.516, 19.531, 33.759] };
    expect("distance", "cvrp-online", FREE, 30, means, &distance);
}

#[test]
fn dispatch() {
    let wait =
        || -> Box<dyn Agent<Routing>> { Box::new(Hold::savings(f64::INFINITY, f64::INFINITY)) };
    let nearest = || -> Box<dyn Agent<Routing>> { Box::new(Reflex(Nearest)) };
    let means =
        Means { published: ([12.22, 22.59, 35.61], 0.0005), recorded: [12.219, 22.590, 35.612] };
    expect("go now", "cvrp-online", DISPATCH, 1, means, &go_now);
    let means =
        Means { published: ([9.86, 29.94, 90.97], 0.0005), recorded: [9.857, 29.940, 90.967] };
    expect("wait-all", "cvrp-online", DISPATCH, 1, means, &wait);
    let means =
        Means { published: ([11.40, 21.01, 35.14], 0.0005), recorded: [11.396, 21.006, 35.135] };
    expect("nearest", "cvrp-online", DISPATCH, 1, means, &nearest);
    let hold = |theta| move || -> Box<dyn Agent<Routing>> { Box::new(Hold::savings(theta, 10.0)) };
    for (theta, n, waiting, calibrated, recorded) in [
        (1.0, 20, 0.05, 9.28, 9.283),
        (1.5, 50, 0.02, 18.48, 18.815),
        (1.5, 100, 0.02, 31.88, 32.267),
    ] {
        let found = mean(&format!("cvrp-online-{n}"), waiting, 1, &hold(theta));
        println!("hold({theta}, 10) at {n}: {found:.3}, recorded {recorded}");
        assert!((found - recorded).abs() < SHOWN, "hold({theta}, 10) at {n}: {found}");
        assert!((found / calibrated - 1.0).abs() < 0.02, "hold({theta}, 10) at {n}: {found}");
    }
}
