//! The invariants of every problem, and the fork test for the rules and plans of this crate.

mod shared;

use shared::{PRESETS, play, scenarios};
use solo_core::testing::{self, MakeAgent};
use solo_core::{Budget, LawError, Reflex, Replan, Scenario, Seed, Timed, Uniform, When};
use solo_pmsp::presets::generate;
use solo_pmsp::{
    Event, Fifo, InsertionPlan, Law, Ruin, Scheduling, SchedulingDay, Wspt, WsptPlan,
    presets::PRESETS as ALL,
};

/// Every check that there is, on the same day.
fn check(problem: &Scheduling, events: &[Timed<Event>], seed: Seed) {
    testing::check(problem, events, seed);
    testing::check_encoding(problem, events, seed);
    testing::check_features(problem, events, seed);
}

#[test]
fn generated_scenarios_conform() {
    for preset in ALL.iter().map(|preset| preset.name) {
        for index in 0..4 {
            let scenario = generate(preset, Seed(11), index).unwrap();
            for law in [Some(preset), None] {
                let problem = scenario.rules(law).unwrap();
                check(&problem, &scenario.events(), Seed(index));
            }
        }
    }
}

#[test]
fn shared_scenarios_conform() {
    for preset in PRESETS {
        for (i, scenario) in scenarios(preset).iter().take(4).enumerate() {
            let problem = scenario.rules(Some(preset)).unwrap();
            let online = matches!(problem.law, Law::Batches(_));
            assert_eq!(online, preset.contains("online"), "{preset}: the law fits");
            check(&problem, &scenario.events(), Seed(i as u64));
        }
    }
}

#[test]
fn a_law_that_does_not_fit_says_why() {
    let why = |day: &SchedulingDay, law| day.rules(Some(law)).unwrap_err().to_string();
    let mut late = generate("pmsp-online-3", Seed(1), 0).unwrap();
    late.jobs.last_mut().unwrap().arrival = late.horizon;
    let said = why(&late, "pmsp-online-3");
    assert!(said.contains("arrive every 130 until 1950, but job"), "{said}");
    let offline = generate("pmsp-20", Seed(1), 0).unwrap();
    assert!(why(&offline, "pmsp-online-3").contains("it lasts until 1950, this day until 0"));
    assert!(why(&late, "pmsp-20").contains("nothing arrives after its start"));
    let two = generate("pmsp-two-classes-10", Seed(1), 0).unwrap();
    assert!(why(&two, "pmsp-online-3").contains("it has 5 classes, this day 2"));
    let unknown = offline.rules(Some("pmsp-21")).unwrap_err();
    assert_eq!(unknown, LawError::Unknown("pmsp-21".to_string()));
}

#[test]
fn no_agent_of_this_crate_sees_the_future() {
    let makers: [(&str, MakeAgent<'_, Scheduling>); 6] = [
        ("uniform", &mut |_| Box::new(Reflex(Uniform::default()))),
        ("fifo", &mut |_| Box::new(Reflex(Fifo))),
        ("wspt", &mut |_| Box::new(Reflex(Wspt::default()))),
        ("insertion", &mut |_| Box::new(Reflex(InsertionPlan::default()))),
        ("wspt plans", &mut |_| Box::new(Replan::new(WsptPlan::default(), When::AtRest))),
        ("ruin", &mut |_| Box::new(Replan::new(Ruin::default(), When::Always))),
    ];
    for (name, make) in makers {
        for preset in ["pmsp-online-3", "pmsp-online-10"] {
            for index in 0..3 {
                let scenario = generate(preset, Seed(21), index).unwrap();
                let problem = scenario.rules(Some(preset)).unwrap();
                let (events, budget) = (scenario.events(), Budget::Rollouts(10));
                testing::fork(&problem, &events, make, budget, Seed(index), &|_| true)
                    .unwrap_or_else(|error| panic!("{preset}, {name}: {error}"));
            }
        }
    }
}

#[test]
fn planning_by_wspt_at_every_decision_is_wspt() {
    for preset in PRESETS {
        for scenario in scenarios(preset).iter().take(20) {
            let problem = scenario.rules(None).unwrap();
            let rule = play(&problem, scenario, &mut Reflex(Wspt::default()));
            let mut replan = Replan::<Scheduling, _>::new(WsptPlan::default(), When::Always);
            let planned = play(&problem, scenario, &mut replan);
            assert_eq!(planned.audited, rule.audited, "{}", scenario.name);
        }
    }
}

#[test]
fn the_paper_s_presets_come_first() {
    let presets: Vec<&str> = ALL.iter().map(|preset| preset.name).collect();
    assert_eq!(presets[..PRESETS.len()], PRESETS);
}
