//! The books are kept right: what is updated step by step equals what is computed anew.

use super::{Ruin, RuinParams};
use crate::dynamics::Scheduling;
use crate::hindsight::whole_day;
use crate::plan::Instance;
use crate::presets::generate;
use solo_core::{Meter, Scenario, Seed, Stream};

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
    for (preset, releases) in [("pmsp-20", false), ("pmsp-80", false), ("pmsp-online-10", true)] {
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
            run(&instance, 1e-9);
        }
    }
}
