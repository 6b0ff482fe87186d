//! Every preset keeps the rules of the decision process; every agent is blind to the future.

mod common;

use common::{arrivals, routing, scenarios};
use solo_core::conformance::{check, fork};
use solo_core::spec::Spec;
use solo_core::{
    Agent, Budget, Decision, Domain, Failure, Menu, Meter, Policy, Problem, Rng, Rollouts, Seed,
    Stream, Tape, Time, Timed, Uniform, World, settle,
};
use solo_cvrp::rules::{Distance, Nearest};
use solo_cvrp::{Action, Arrival, Cvrp, Routing, State, presets};

#[test]
fn every_preset_conforms() {
    for preset in presets::presets() {
        for index in 0..3 {
            let scenario = presets::generate(preset.name, Seed(11), index).expect("a preset");
            check(&routing(preset.name, &scenario), &arrivals(&scenario), Seed(index));
        }
    }
}

#[test]
fn test_scenarios_conform_also_without_a_law() {
    for preset in ["cvrp-20", "cvrp-online-20", "cvrp-online-50"] {
        for (index, mut scenario) in scenarios(preset).into_iter().take(5).enumerate() {
            scenario.waiting_weight = 0.05;
            scenario.vehicles = 1 + index % 3;
            check(&routing(preset, &scenario), &arrivals(&scenario), Seed(index as u64));
            let blind = Cvrp::problem(&scenario, None).expect("no law is always possible");
            check(&blind, &arrivals(&scenario), Seed(index as u64));
        }
    }
}

#[test]
fn no_agent_sees_the_future() {
    // one day each by default, many with `cargo xtask test --all`
    let days = if std::env::var_os("SOLO_SLOW").is_some() { 20 } else { 1 };
    let presets = ["cvrp-online-20", "cvrp-dispatch-20", "cvrp-fleet-50"];
    for (preset, day) in presets.into_iter().flat_map(|p| (0..days).map(move |day| (p, day))) {
        let scenario = presets::generate(preset, Seed(5), day).expect("a preset");
        let problem = routing(preset, &scenario);
        for entry in Cvrp::agents() {
            let args = Spec::parse(entry.name).unwrap().resolve(entry.params).unwrap();
            let mut make = |_: &[Timed<Arrival>]| (entry.make)(&args);
            fork(&problem, &arrivals(&scenario), &mut make, Budget::Rollouts(8), Seed(1), &|_| {
                true
            })
            .unwrap_or_else(|error| panic!("{} on {preset}: {error}", entry.name));
        }
    }
}

/// Waits as long as anybody is to come in the tape that it was handed: it has seen the future.
struct Cheat(Vec<Timed<Arrival>>);

impl Agent<Routing> for Cheat {
    fn decide(
        &mut self,
        problem: &Routing,
        state: &State,
        _meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<Action>, Failure> {
        let soon = self.0.iter().any(|call| call.time > state.now && call.time < state.now + 0.3);
        let action = if soon && problem.may_wait(state) {
            Action::Wait
        } else {
            Nearest.choose(problem, state, rng)
        };
        Ok(Decision::plain(action, 0))
    }
}

#[test]
fn a_cheat_is_caught() {
    let scenario = presets::generate("cvrp-online-20", Seed(5), 0).expect("a preset");
    let problem = routing("cvrp-online-20", &scenario);
    let mut make = |tape: &[Timed<Arrival>]| Box::new(Cheat(tape.to_vec())) as Box<dyn Agent<_>>;
    let caught =
        fork(&problem, &arrivals(&scenario), &mut make, Budget::Rollouts(0), Seed(1), &|_| true);
    assert!(caught.is_err(), "the fork test must notice");
}

/// A settled first state of a preset's scenario, everything known offline.
fn first_state(preset: &str) -> (Routing, State) {
    let scenario = presets::generate(preset, Seed(3), 0).expect("a preset");
    let problem = routing(preset, &scenario);
    let mut state = problem.initial();
    settle(&problem, &mut state, &mut Tape::new(arrivals(&scenario)));
    (problem, state)
}

#[test]
fn warm_rollouts_allocate_nothing() {
    fn count(preset: &str, mut policy: impl Policy<Routing>) {
        let (problem, state) = first_state(preset);
        let mut rollouts = Rollouts::new(&problem);
        let mut play = || {
            let mut rng = Seed(1).stream(Stream::Agent, 0);
            for _ in 0..500 {
                assert!(rollouts.run(&problem, &state, &mut policy, &mut rng) > 0.0);
            }
        };
        play();
        let counted = allocation_counter::measure(play);
        assert_eq!(counted.count_total, 0, "{preset}");
    }
    for preset in ["cvrp-100", "cvrp-online-100", "cvrp-fleet-50"] {
        count(preset, Uniform::default());
        count(preset, Distance::default());
        count(preset, Nearest);
    }
}

#[test]
fn masked_actions_are_refused_with_their_reason() {
    let scenario = presets::generate("cvrp-20", Seed(3), 0).expect("a preset");
    let problem = routing("cvrp-20", &scenario);
    let mut world = World::open(&problem, arrivals(&scenario));
    let error = world.act(Action::Depot { vehicle: 0 }).unwrap_err();
    assert!(error.reason.contains("at the depot"), "{error}");
    let error = world.act(Action::Wait).unwrap_err();
    assert!(error.reason.contains("nobody else can call"), "{error}");
    let error = world.act(Action::Visit { vehicle: 0, customer: 99 }).unwrap_err();
    assert!(error.reason.contains("not on the menu"), "{error}");
    // fill the vehicle until somebody does not fit
    for customer in 0..20 {
        let mut menu = Menu::default();
        problem.menu(world.state(), &mut menu);
        let slot = menu.slot(Action::Visit { vehicle: 0, customer }).expect("open");
        if let Some(reason) = menu.reason(slot) {
            assert!(reason.contains("more than the vehicle has left"));
            return;
        }
        world.act(Action::Visit { vehicle: 0, customer }).expect("it fits");
    }
    panic!("twenty customers never fit into one load");
}

#[test]
fn the_dreamt_future_agrees_with_the_law_of_the_day() {
    // At time 0 of a day on which nobody has called, dreams and generated days have the same mean time and place.
    let scenario = presets::generate("cvrp-online-50", Seed(9), 0).expect("a preset");
    let problem = routing("cvrp-online-50", &scenario);
    let mut rng = Seed(2).stream(Stream::Agent, 0);
    let mut tape = Tape::default();
    let (mut dreamt, mut drawn, days) = ([0.0; 3], [0.0; 3], 400);
    let add = |sums: &mut [f64; 3], time: Time, x: f64, y: f64| {
        sums[0] += time / 50.0;
        sums[1] += x / 50.0;
        sums[2] += (x - 0.5) * (y - 0.5) / 50.0;
    };
    for day in 0..days {
        tape.clear();
        problem.sample_future(&problem.initial(), Time::INFINITY, &mut rng, &mut tape);
        assert_eq!(tape.events().len(), 50, "exactly n call");
        for event in tape.events() {
            let Arrival::Customer { at, .. } = event.what;
            add(&mut dreamt, event.time, at.x, at.y);
        }
        for c in presets::generate("cvrp-online-50", Seed(77), day).expect("a preset").customers {
            add(&mut drawn, c.arrival, c.at.x, c.at.y);
        }
    }
    let days = days as f64;
    for (i, tolerance) in [0.3, 0.01, 0.003].into_iter().enumerate() {
        let (a, b) = (dreamt[i] / days, drawn[i] / days);
        assert!((a - b).abs() < tolerance, "{i}: {a} against {b}");
    }
    // x and y come from the same component: their covariance is about 1/16
    assert!((dreamt[2] / days - 0.0625).abs() < 0.005, "{}", dreamt[2] / days);
}

#[test]
fn generated_scenarios_never_change() {
    let scenario = presets::generate("cvrp-online-20", Seed(0), 0).expect("a preset");
    let first = scenario.customers[0];
    let text = format!("{:?} {:?}", scenario.depot, first);
    assert_eq!(text, PINNED, "a change here changes every generated scenario");
}

const PINNED: &str = "Point { x: 0.2090930930117233, y: 0.4498400841154345 } \
    Customer { at: Point { x: 0.2419557633041351, y: 0.35613430925076617 }, demand: 1, arrival: 0.6439350993433859 }";
