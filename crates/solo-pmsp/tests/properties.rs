//! Any small scenario, played at random; any text, read.

mod shared;

use proptest::prelude::*;
use shared::{play, read};
use solo_core::{Reflex, Scenario, Seed, Uniform, testing};
use solo_pmsp::formats::{self, SCENARIO_FORMATS};
use solo_pmsp::{Fifo, Job, Scheduling, SchedulingDay, Setup, Wspt, plan_cost};
use std::sync::Arc;

fn setups(by_next: bool) -> impl Strategy<Value = Setup> {
    (1usize..5).prop_flat_map(move |classes| {
        prop::collection::vec(0u32..20, classes * classes).prop_map(move |times| {
            let times: Vec<f64> = times.into_iter().map(f64::from).collect();
            if by_next {
                return Setup::by_next(&times[..classes]);
            }
            let kept = |(i, time)| if i / classes == i % classes { 0.0 } else { time };
            Setup { classes, flat: times.into_iter().enumerate().map(kept).collect() }
        })
    })
}

fn days(offline: bool) -> impl Strategy<Value = SchedulingDay> {
    let latest = if offline { 0.0 } else { 60.0 };
    let job = (0u32..30, 0u32..6, 0u32..5, 0.0..=latest, any::<bool>());
    let jobs = prop::collection::vec(job, 1..12);
    ("[a-zA-Z0-9 /\"\\\\-]{0,12}", 1usize..4, setups(offline), jobs, 0.0..=latest).prop_map(
        move |(name, machines, setup, jobs, later)| {
            let classes = setup.classes as u32;
            let jobs = jobs.into_iter().map(|(processing, weight, class, arrival, whole)| Job {
                processing: f64::from(processing).into(),
                weight: weight.into(),
                class: class % classes,
                arrival: if whole { f64::floor(arrival) } else { arrival },
            });
            let setup = Arc::new(setup);
            let horizon = latest + later;
            let (jobs, factors) = (jobs.collect(), None);
            let mut day = SchedulingDay { name, machines, horizon, setup, factors, jobs };
            day.sort();
            day
        },
    )
}

proptest! {
    #[test]
    fn random_play_costs_what_the_audit_says(day in days(false), seed: u64) {
        let problem = day.rules(None).unwrap();
        testing::check(&problem, &day.events(), Seed(seed));
        testing::check_encoding(&problem, &day.events(), Seed(seed));
        testing::check_features(&problem, &day.events(), Seed(seed));
        let uniform = play(&problem, &day, &mut Reflex(Uniform::<Scheduling>::default()));
        for day in [
            uniform,
            play(&problem, &day, &mut Reflex(Wspt::default())),
            play(&problem, &day, &mut Reflex(Fifo)),
        ] {
            prop_assert!((day.cost - day.audited).abs() <= 1e-9 * day.cost.max(1.0));
            let picture = solo_pmsp::picture::gantt(&problem, &day.log, "a day");
            prop_assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN"));
        }
    }

    #[test]
    fn rewriting_keeps_schedules_whole(day in days(false), seed: u64) {
        let problem = day.rules(None).unwrap();
        testing::check_rewriting(&problem, &day.events(), Seed(seed), |instance, plan| {
            plan_cost(&problem, instance, plan)
        });
    }

    #[test]
    fn json_round_trips(day in days(false)) {
        let line = serde_json::to_string(&formats::write(&day)).unwrap();
        prop_assert_eq!(serde_json::to_string(&day).unwrap(), line.as_str());
        prop_assert_eq!(serde_json::from_str::<SchedulingDay>(&line).unwrap(), day.clone());
        prop_assert_eq!(read(&line), Ok(day));
    }

    #[test]
    fn text_round_trips(day in days(true)) {
        let format = &SCENARIO_FORMATS[0];
        let back = (format.read)("some.txt", &(format.write)(&day).unwrap()).unwrap();
        prop_assert_eq!((back.machines, back.setup, back.jobs), (day.machines, day.setup, day.jobs));
    }

    #[test]
    fn garbage_is_refused_without_panic(text in "\\PC*", numbers in "[0-9 .\\-\ne]{0,60}") {
        let format = &SCENARIO_FORMATS[0];
        for text in [&text, &numbers] {
            let _ = (format.read)(text, text);
            let _ = read(text);
        }
    }

    #[test]
    fn damaged_files_are_refused_or_read_without_panic(
        day in days(true), at: prop::sample::Index, with in "[\\PC\n]{0,2}"
    ) {
        let format = &SCENARIO_FORMATS[0];
        for good in [(format.write)(&day).unwrap(), serde_json::to_string(&formats::write(&day)).unwrap()] {
            let mut chars: Vec<char> = good.chars().collect();
            let at = at.index(chars.len());
            chars.splice(at..=at, with.chars());
            let bad: String = chars.into_iter().collect();
            for result in [(format.read)("some.txt", &bad), read(&bad)] {
                if let Err(faults) = result {
                    prop_assert!(!faults.0.is_empty());
                }
            }
        }
    }
}
