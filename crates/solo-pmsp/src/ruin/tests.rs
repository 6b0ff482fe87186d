//! The books are kept right: what is updated step by step equals what is computed anew.

use super::{Ruin, RuinParams};
use crate::dynamics::Scheduling;
use crate::hindsight::whole_day;
use crate::plan::Instance;
use crate::presets::generate;
use crate::wspt::WsptPlan;
use solo_core::{Budget, Meter, Scenario, Seed, Stream, SystemClock};
use std::sync::atomic::AtomicBool;

fn check<const RELEASES: bool>(problem: &Scheduling, instance: &Instance, tolerance: f64) {
    let close = |a: f64, b: f64| (a - b).abs() <= tolerance * b.abs().max(1.0);
    let mut rng = Seed(6).stream(Stream::Agent, 0);
    let mut ruin =
        Ruin::new(RuinParams { blink: 0.2, runs: 0.3, glue: 0.5, ..RuinParams::default() });
    ruin.search.shop.load(problem, instance);
    assert_eq!(ruin.search.shop.releases, RELEASES);
    let meter = Meter::unlimited();
    ruin.begin::<RELEASES>(problem, instance, None, &meter);
    let mut cost = ruin.search.recount::<RELEASES>();
    for step in 0..3_000 {
        let temperature = if step % 2 == 0 { 0.0 } else { 1e-3 * cost };
        cost += ruin.step::<RELEASES>(temperature, &meter, &mut rng).expect("there is time");
        let mut jobs = 0;
        for line in &ruin.search.lines {
            let mut anew = line.clone();
            anew.rebuild::<RELEASES>(&ruin.search.shop);
            assert!(close(line.cost, anew.cost), "{} {}", line.cost, anew.cost);
            jobs += line.len();
            let both = line.slots.iter().zip(&anew.slots);
            for (kept, right) in both.take(line.len() + 1).skip(1) {
                assert!(close(kept.end, right.end), "{kept:?} {right:?}");
                assert!(close(kept.suffix, right.suffix), "{kept:?} {right:?}");
                assert_eq!(kept.setup, right.setup);
            }
        }
        assert_eq!(jobs, instance.jobs.len());
    }
    assert!(close(cost, ruin.search.recount::<RELEASES>()), "the changes add up");
}

#[test]
fn step_by_step_equals_anew() {
    for (preset, releases) in [
        ("pmsp-20", false),
        ("pmsp-80", false),
        ("pmsp-online-10", true),
        ("pmsp-unrelated-5", true),
    ] {
        for index in 0..3 {
            let scenario = generate(preset, Seed(51), index).unwrap();
            let problem = scenario.rules(None).unwrap();
            let mut instance = whole_day(&problem, &scenario.events());
            let run = |instance: &Instance, tolerance: f64| {
                if releases {
                    check::<true>(&problem, instance, tolerance);
                } else {
                    check::<false>(&problem, instance, tolerance);
                }
            };
            run(&instance, 0.0);
            // the same with times that cannot be added without rounding
            for job in &mut instance.jobs {
                job.processing /= 7.0;
                job.weight /= 3.0;
            }
            instance.times.convert(|time| time / 7.0);
            run(&instance, 1e-9);
            // all of it there from the start
            if releases {
                instance.jobs.iter_mut().for_each(|job| job.arrival = 0.0);
                check::<false>(&problem, &instance, 1e-9);
            }
        }
    }
}

/// Rows of equal times, which no day has, are planned as no rows are: to the bit.
#[test]
fn rows_of_equal_times_change_nothing() {
    for preset in ["pmsp-20", "pmsp-online-3", "pmsp-online-10"] {
        let scenario = generate(preset, Seed(52), 0).unwrap();
        let problem = scenario.rules(None).unwrap();
        let plain = whole_day(&problem, &scenario.events());
        let mut rows = plain.clone();
        for job in &mut rows.jobs {
            let times = (0..plain.machines.len()).map(|machine| machine as f64);
            job.row = rows.times.take_in(times).1;
            rows.times.set(job, job.processing);
        }
        assert!(!rows.times.alike() && rows.times.able(&rows.jobs[0], 1));
        let plan = |instance: &Instance| {
            let mut rng = Seed(6).stream(Stream::Agent, 0);
            let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
            let meter = Meter::start(Budget::Rollouts(400), &clock, &stop);
            let ruin = Ruin::default()
                .improve(&problem, instance, None, &meter, &mut rng, &mut |_, _| {})
                .unwrap();
            (ruin, WsptPlan::default().plan(&problem, instance))
        };
        assert_eq!(plan(&rows), plan(&plain), "{preset}");
    }
}
