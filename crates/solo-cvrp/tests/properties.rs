//! Random small days: whatever is played, the books agree.

mod common;

use common::{arrivals, day};
use proptest::prelude::*;
use solo_core::conformance::check;
use solo_core::spec::Spec;
use solo_core::{Agent, Audit, Domain, Replan, Seed, Timed, When, World};
use solo_cvrp::plan::Urgent;
use solo_cvrp::savings::Savings;
use solo_cvrp::{Action, Customer, Cvrp, Law, Matrix, Mixture, Point, Routing, Scenario, Travel};
use std::sync::Arc;

fn point() -> impl Strategy<Value = Point> {
    (0.0..1.0, 0.0..1.0).prop_map(|(x, y)| Point { x, y })
}

/// Days of up to 12 customers, online or not, with one to three vehicles and any kind of travel.
fn scenario() -> impl Strategy<Value = Scenario> {
    let customer = (point(), 0u32..=9, 0.0..10.0);
    let rest = (9u32..30, 0.1..3.0, prop_oneof![Just(0.0), 0.0..0.2], 1usize..=3, 0u32..3);
    let seeds = (any::<bool>(), any::<u64>());
    (point(), prop::collection::vec(customer, 1..=12), rest, seeds).prop_map(
        |(depot, customers, (capacity, pace, waiting_weight, vehicles, travel), (online, seed))| {
            let side = customers.len() + 1;
            let mut dice = Seed(seed).stream(solo_core::Stream::Scenario, 0);
            let travel = match travel {
                0 => Travel::Euclid,
                1 => Travel::Rounded,
                _ => {
                    let mut flat: Vec<f64> = (0..side * side).map(|_| dice.unit()).collect();
                    (0..side).for_each(|i| flat[i * side + i] = 0.0);
                    Travel::Matrix(Arc::new(Matrix { side, flat }))
                }
            };
            let mut scenario = Scenario {
                name: "random".to_string(),
                depot,
                capacity,
                pace,
                waiting_weight,
                horizon: if online { 10.0 } else { 0.0 },
                vehicles,
                customers: customers
                    .into_iter()
                    .map(|(at, demand, arrival)| {
                        let arrival = if online { arrival } else { 0.0 };
                        Customer { at, demand, arrival }
                    })
                    .collect(),
                travel,
            };
            scenario.sort();
            scenario
        },
    )
}

/// With the mixture as law where travel allows it.
fn rules(scenario: &Scenario) -> Routing {
    let law = if scenario.horizon > 0.0 && !matches!(scenario.travel, Travel::Matrix(_)) {
        let mixture = Mixture::published(scenario.horizon);
        Law::Mixture { count: scenario.customers.len() as u32, mixture }
    } else {
        Law::Unknown
    };
    Routing::new(scenario, law)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_days_conform(scenario in scenario(), seed in any::<u64>()) {
        check(&rules(&scenario), &arrivals(&scenario), Seed(seed));
    }

    #[test]
    fn every_agent_finishes_every_day(scenario in scenario(), dice in any::<u64>()) {
        let problem = rules(&scenario);
        for entry in Cvrp::agents() {
            for given in [entry.name, "savings(replan=always)", "sweep(replan=always)"] {
                if !given.starts_with(entry.name) {
                    continue;
                }
                let args = Spec::parse(given).unwrap().resolve(entry.params).unwrap();
                day(&problem, &scenario, (entry.make)(&args).as_mut(), dice);
            }
        }
    }

    /// A plan that is made at the start costs what its routes cost when all is known at once and one vehicle drives.
    #[test]
    fn plans_cost_what_their_routes_cost(scenario in scenario()) {
        let mut scenario = scenario;
        scenario.customers.iter_mut().for_each(|customer| customer.arrival = 0.0);
        (scenario.horizon, scenario.waiting_weight, scenario.vehicles) = (0.0, 0.0, 1);
        let problem = rules(&scenario);
        let mut agent = Replan::new(Urgent(Savings), When::AtRest);
        let cost = day(&problem, &scenario, &mut agent, 0);
        let direct: f64 = (0..scenario.customers.len())
            .map(|k| {
                let (depot, place) = (scenario.depot_place(), scenario.place(k));
                problem.distance(depot, place) + problem.distance(place, depot)
            })
            .sum();
        prop_assert!(cost <= direct + 1e-9, "savings never lose: {} {}", cost, direct);
    }

    /// The audit notices a visit that is dropped, doubled, swapped to another time or sent to nobody.
    #[test]
    fn the_audit_notices_tampering(scenario in scenario(), which in any::<prop::sample::Index>(), how in 0..4) {
        let problem = rules(&scenario);
        let calls = arrivals(&scenario);
        let mut agent: Box<dyn Agent<Routing>> = Box::new(Replan::new(Urgent(Savings), When::AtRest));
        let mut decisions = decisions(&problem, &calls, agent.as_mut());
        let visits: Vec<usize> = (0..decisions.len())
            .filter(|&i| matches!(decisions[i].what, Action::Visit { .. }))
            .collect();
        let i = visits[which.index(visits.len())];
        match how {
            0 => { decisions.remove(i); }
            1 => { let copy = decisions[i]; decisions.push(Timed { time: 1e6, ..copy }); }
            2 => decisions[i].time = -1.0,
            _ => decisions[i].what = Action::Visit { vehicle: 0, customer: 1_000 },
        }
        prop_assert!(problem.audit(&calls, &decisions).is_err());
    }
}

fn decisions(
    problem: &Routing,
    calls: &[Timed<solo_cvrp::Arrival>],
    agent: &mut dyn Agent<Routing>,
) -> Vec<Timed<Action>> {
    use solo_core::{Budget, Meter, Stream, SystemClock};
    let (clock, stop) = (SystemClock::start(), std::sync::atomic::AtomicBool::new(false));
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    let mut world = World::open(problem, calls.to_vec());
    while !world.done() {
        let meter = Meter::start(Budget::Rollouts(0), &clock, &stop);
        let decision = agent.decide(problem, world.state(), &meter, &mut rng).expect("a decision");
        world.act(decision.action).expect("legal");
    }
    world.into_journal().decisions
}
