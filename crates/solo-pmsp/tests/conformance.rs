//! The invariants of every problem, and the fork test for every agent.

mod shared;

use shared::{PRESETS, play, scenarios};
use solo_core::spec::Spec;
use solo_core::{Budget, Domain, Reflex, Replan, Seed, When, conformance};
use solo_pmsp::{Law, Pmsp, Scheduling, Wspt, WsptPlan};

#[test]
fn generated_scenarios_conform() {
    for preset in Pmsp::presets().iter().map(|preset| preset.name) {
        for index in 0..4 {
            let scenario = Pmsp::generate(preset, Seed(11), index).unwrap();
            for law in [Some(preset), None] {
                let problem = Pmsp::problem(&scenario, law).unwrap();
                conformance::check(&problem, &Pmsp::arrivals(&scenario), Seed(index));
            }
        }
    }
}

#[test]
fn shared_scenarios_conform() {
    for preset in PRESETS {
        for (i, scenario) in scenarios(preset).iter().take(4).enumerate() {
            let problem = Pmsp::problem(scenario, Some(preset)).unwrap();
            let online = matches!(problem.law, Law::Batches(_));
            assert_eq!(online, preset.contains("online"), "{preset}: the law fits");
            conformance::check(&problem, &Pmsp::arrivals(scenario), Seed(i as u64));
        }
    }
}

#[test]
fn a_law_that_does_not_fit_is_not_believed() {
    let mut scenario = Pmsp::generate("pmsp-online-3", Seed(1), 0).unwrap();
    scenario.jobs.last_mut().unwrap().arrival = scenario.horizon;
    let problem = Pmsp::problem(&scenario, Some("pmsp-online-3")).unwrap();
    assert_eq!(problem.law, Law::Unknown, "an arrival between the starts");
    conformance::check(&problem, &Pmsp::arrivals(&scenario), Seed(1));

    let offline = Pmsp::generate("pmsp-20", Seed(1), 0).unwrap();
    let problem = Pmsp::problem(&offline, Some("pmsp-online-3")).unwrap();
    assert_eq!(problem.law, Law::Unknown, "no time for batches");
    assert!(Pmsp::problem(&offline, Some("pmsp-21")).is_none());
}

#[test]
fn no_agent_sees_the_future() {
    for preset in ["pmsp-online-3", "pmsp-online-10"] {
        for entry in Pmsp::agents() {
            let args = Spec::parse(entry.name).unwrap().resolve(entry.params).unwrap();
            for index in 0..3 {
                let scenario = Pmsp::generate(preset, Seed(21), index).unwrap();
                let problem = Pmsp::problem(&scenario, Some(preset)).unwrap();
                let arrivals = Pmsp::arrivals(&scenario);
                let mut make = |_: &[_]| (entry.make)(&args);
                let budget = Budget::Rollouts(10);
                conformance::fork(&problem, &arrivals, &mut make, budget, Seed(index), &|_| true)
                    .unwrap_or_else(|error| panic!("{preset}, {}: {error}", entry.name));
            }
        }
    }
}

#[test]
fn planning_by_wspt_at_every_decision_is_wspt() {
    for preset in PRESETS {
        for scenario in scenarios(preset).iter().take(20) {
            let problem = Pmsp::problem(scenario, None).unwrap();
            let rule = play(&problem, scenario, &mut Reflex(Wspt::default()));
            let mut replan = Replan::<Scheduling, _>::new(WsptPlan::default(), When::Always);
            let planned = play(&problem, scenario, &mut replan);
            assert_eq!(planned.audited, rule.audited, "{}", scenario.name);
        }
    }
}

#[test]
fn every_shown_agent_exists() {
    let names: Vec<&str> = Pmsp::agents().iter().map(|entry| entry.name).collect();
    assert!(Pmsp::SHOWN.iter().all(|shown| names.contains(shown)));
    let presets: Vec<&str> = Pmsp::presets().iter().map(|preset| preset.name).collect();
    assert_eq!(presets[..PRESETS.len()], PRESETS);
}
