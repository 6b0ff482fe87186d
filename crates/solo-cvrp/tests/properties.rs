//! Random small days: whatever is played, the books agree.

mod common;

use common::{day, play};
use proptest::prelude::*;
use solo_core::{Agent, Audit, Log, Reflex, Replan, Scenario, Seed, Timed, Uniform, When, testing};
use solo_cvrp::check::plan_cost;
use solo_cvrp::hold::Hold;
use solo_cvrp::insertion::InsertionPlan;
use solo_cvrp::plan::Urgent;
use solo_cvrp::ruin::Ruin;
use solo_cvrp::rules::{Distance, Nearest};
use solo_cvrp::savings::Savings;
use solo_cvrp::sweep::Sweep;
use solo_cvrp::{Action, Customer, Law, Matrix, Mixture, Point, Routing, RoutingDay, Travel};
use std::sync::Arc;

fn point() -> impl Strategy<Value = Point> {
    (0.0..1.0, 0.0..1.0).prop_map(|(x, y)| Point { x, y })
}

/// Days of up to 12 customers, online or not, with one to three vehicles and any kind of travel.
fn scenario() -> impl Strategy<Value = RoutingDay> {
    let customer = (point(), 0u32..=9, 0.0..10.0);
    let rest = (9u32..30, 0.1..3.0, prop_oneof![Just(0.0), 0.0..0.2], 1usize..=3, 0u32..3);
    let seeds = (any::<bool>(), any::<u64>());
    (point(), prop::collection::vec(customer, 1..=12), rest, seeds).prop_map(
        |(depot, customers, (capacity, pace, waiting_weight, vehicles, travel), (online, seed))| {
            let side = customers.len() + 1;
            let mut rng = Seed(seed).stream(solo_core::Stream::Scenario, 0);
            let travel = match travel {
                0 => Travel::Euclid,
                1 => Travel::Rounded,
                _ => {
                    let mut flat: Vec<f64> = (0..side * side).map(|_| rng.unit()).collect();
                    (0..side).for_each(|i| flat[i * side + i] = 0.0);
                    Travel::Matrix(Arc::new(Matrix { side, flat }))
                }
            };
            let mut scenario = RoutingDay {
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
fn rules(scenario: &RoutingDay) -> Routing {
    let law = if scenario.horizon > 0.0 && !matches!(scenario.travel, Travel::Matrix(_)) {
        let mixture = Mixture::published(scenario.horizon);
        Law::Mixture { count: scenario.customers.len() as u32, mixture }
    } else {
        Law::Unknown
    };
    Routing::new(scenario, law)
}

/// Every rule and plan of this crate.
fn agents() -> [Box<dyn Agent<Routing>>; 12] {
    [
        Box::new(Reflex(Uniform::default())),
        Box::new(Reflex(Distance::default())),
        Box::new(Reflex(Nearest)),
        Box::new(Reflex(InsertionPlan::default())),
        Box::new(Replan::new(Urgent(Savings), When::AtRest)),
        Box::new(Replan::new(Urgent(Savings), When::Always)),
        Box::new(Replan::new(Urgent(Sweep), When::AtRest)),
        Box::new(Replan::new(Urgent(Sweep), When::Always)),
        Box::new(Replan::new(Ruin::default(), When::AtRest)),
        Box::new(Replan::new(Ruin::default(), When::Always)),
        Box::new(Hold::savings(f64::INFINITY, f64::INFINITY)),
        Box::new(Hold::savings(1.5, 10.0)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_days_conform(scenario in scenario(), seed in any::<u64>()) {
        let (problem, events) = (rules(&scenario), scenario.events());
        testing::check(&problem, &events, Seed(seed));
        testing::check_encoding(&problem, &events, Seed(seed));
        testing::check_features(&problem, &events, Seed(seed));
    }

    /// Rewriting counts the distance alone.
    #[test]
    fn rewriting_keeps_routes_whole(scenario in scenario(), seed in any::<u64>()) {
        let (problem, events) = (rules(&scenario), scenario.events());
        let free = Routing { waiting_weight: 0.0, ..problem.clone() };
        testing::check_rewriting(&problem, &events, Seed(seed), |instance, plan| {
            plan_cost(&free, instance, plan)
        });
    }

    #[test]
    fn every_agent_finishes_every_day(scenario in scenario(), rng in any::<u64>()) {
        let problem = rules(&scenario);
        for mut agent in agents() {
            day(&problem, &scenario, agent.as_mut(), rng);
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
        let mut agent = Replan::new(Urgent(Savings), When::AtRest);
        let (log, _) = play(&problem, &scenario, &mut agent, 0);
        let decisions = log.decisions().map(|d| Timed { time: d.time, what: *d.what });
        let mut decisions: Vec<Timed<Action>> = decisions.collect();
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
        prop_assert!(problem.audit(&Log::of(scenario.events(), decisions)).is_err());
    }
}
