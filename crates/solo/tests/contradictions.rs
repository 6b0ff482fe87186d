//! Days that contradict the law that agents believe in: whatever the law says, every agent ends its day.

use solo::{Solvers, problems};
use solo_core::params::AgentSpec;
use solo_core::{Audit, Budget, Meter, Scenario, Seed, Stream, SystemClock, World};
use solo_cvrp::arrivals::{LARGEST_DEMAND, Law, Mixture};
use solo_cvrp::{Routing, RoutingDay};
use std::sync::atomic::AtomicBool;

/// Agents that are no agents, or other people's processes.
const LEFT_OUT: [&str; 5] = ["hindsight", "ortools", "ortools-gls", "ortools-waiting", "pyvrp"];

const PRESET: &str = "cvrp-dispatch-20";

/// A day with this capacity, and demands that fit it.
fn day(capacity: u32) -> RoutingDay {
    let mut day = solo_cvrp::presets::generate(PRESET, Seed(3), 0).unwrap();
    day.capacity = capacity;
    day.customers.truncate(12);
    day.customers.iter_mut().for_each(|customer| customer.demand = customer.demand.min(capacity));
    day
}

/// Every agent decides the day under the published law, which is forced upon it.
fn decide_by_all(day: &RoutingDay) {
    let count = day.customers.len() as u32;
    let law = Law::Mixture { count, mixture: Mixture::published(day.horizon) };
    let problem = Routing::new(day, law);
    let (entry, clock, never) = (problems::cvrp(), SystemClock::start(), AtomicBool::new(false));
    let mut decided = 0;
    for agent in entry.agents().iter().filter(|agent| !LEFT_OUT.contains(&agent.name)) {
        let spec = AgentSpec::parse(agent.name).unwrap();
        let mut made = entry.make(&spec, Some(PRESET), &Solvers::default()).unwrap().agent;
        let mut rng = Seed(1).stream(Stream::Agent, 0);
        let mut world = World::open(&problem, day.events());
        while !world.done() {
            let meter = Meter::start(Budget::Rollouts(6), &clock, &never);
            let decision = made.decide(&problem, world.state(), &meter, &mut rng);
            let action = decision.unwrap_or_else(|error| panic!("{}: {error}", agent.name)).action;
            world.act(action).unwrap();
        }
        let cost = problem.audit(world.log()).unwrap();
        assert!(cost.is_finite() && cost > 0.0, "{}: {cost}", agent.name);
        decided += 1;
    }
    assert!(decided > 12, "only {decided} agents");
}

#[test]
fn a_capacity_below_the_largest_demand_of_the_law_ends_well() {
    for capacity in [1, LARGEST_DEMAND - 1] {
        decide_by_all(&day(capacity));
    }
}

#[test]
fn sampled_demands_are_cut_to_the_capacity_and_no_further() {
    use solo_core::{Problem, Tape};
    let demands = |capacity: u32| -> Vec<u32> {
        let day = day(capacity);
        let mixture = Mixture::published(day.horizon);
        let problem = Routing::new(&day, Law::Mixture { count: 12, mixture });
        let (mut tape, mut rng) = (Tape::default(), Seed(9).stream(Stream::Agent, 0));
        problem.sample_future(&problem.initial(), f64::INFINITY, &mut rng, &mut tape);
        let demand = |event: &solo_core::Timed<_>| match event.what {
            solo_cvrp::Event::Customer { demand, .. } => demand,
        };
        tape.events().iter().map(demand).collect()
    };
    let (whole, cut) = (demands(30), demands(4));
    assert!(whole.iter().any(|demand| *demand > 4), "{whole:?}");
    let wanted: Vec<u32> = whole.iter().map(|demand| *demand.min(&4)).collect();
    assert_eq!(cut, wanted);
}

#[test]
fn a_day_shorter_or_longer_than_every_call_of_the_law_ends_well() {
    for horizon in [1e-6, 1e6] {
        let mut day = day(30);
        let scale = horizon / day.horizon;
        day.customers.iter_mut().for_each(|customer| customer.arrival *= scale);
        day.horizon = horizon;
        decide_by_all(&day);
    }
}
