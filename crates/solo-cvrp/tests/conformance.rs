//! Every preset keeps the rules of the decision process; the rules and plans of this crate are blind to the future.

mod common;

use common::{routing, scenarios};
use solo_core::testing::{self, MakeAgent, fork};
use solo_core::{
    Agent, Audit, Budget, Decision, Failure, Log, Menu, Meter, Policy, Problem, Reflex, Replan,
    Rng, Rollouts, Scenario, Seed, Stream, Tape, Time, Timed, Uniform, When, World, settle,
};
use solo_cvrp::hold::Hold;
use solo_cvrp::insertion::InsertionPlan;
use solo_cvrp::plan::Urgent;
use solo_cvrp::ruin::Ruin;
use solo_cvrp::rules::{Distance, Nearest};
use solo_cvrp::savings::Savings;
use solo_cvrp::sweep::Sweep;
use solo_cvrp::{
    Action, Customer, Event, Law, Matrix, Point, Routing, RoutingDay, State, Travel, presets,
};
use std::sync::Arc;

/// Every check that there is, on the same day.
fn check(problem: &Routing, scenario: &RoutingDay, seed: Seed) {
    let events = scenario.events();
    testing::check(problem, &events, seed);
    testing::check_encoding(problem, &events, seed);
    testing::check_features(problem, &events, seed);
}

#[test]
fn every_preset_conforms() {
    for preset in presets::PRESETS {
        for index in 0..3 {
            let scenario = presets::generate(preset.name, Seed(11), index).expect("a preset");
            check(&routing(preset.name, &scenario), &scenario, Seed(index));
        }
    }
}

#[test]
fn test_scenarios_conform_also_without_a_law() {
    for preset in ["cvrp-20", "cvrp-online-20", "cvrp-online-50"] {
        for (index, mut scenario) in scenarios(preset).into_iter().take(5).enumerate() {
            scenario.waiting_weight = 0.05;
            scenario.vehicles = 1 + index % 3;
            check(&routing(preset, &scenario), &scenario, Seed(index as u64));
            let blind = scenario.rules(None).expect("no law is always possible");
            check(&blind, &scenario, Seed(index as u64));
        }
    }
}

/// The fork test of all rules and plans, on so many days of each preset.
fn nobody_sees_the_future(days: u64) {
    let presets = ["cvrp-online-20", "cvrp-dispatch-20", "cvrp-fleet-50"];
    let makers: [(&str, MakeAgent<'_, Routing>); 9] = [
        ("uniform", &mut |_| Box::new(Reflex(Uniform::default()))),
        ("distance", &mut |_| Box::new(Reflex(Distance::default()))),
        ("nearest", &mut |_| Box::new(Reflex(Nearest))),
        ("insertion", &mut |_| Box::new(Reflex(InsertionPlan::default()))),
        ("savings", &mut |_| Box::new(Replan::new(Urgent(Savings), When::AtRest))),
        ("savings always", &mut |_| Box::new(Replan::new(Urgent(Savings), When::Always))),
        ("sweep", &mut |_| Box::new(Replan::new(Urgent(Sweep), When::AtRest))),
        ("hold", &mut |_| Box::new(Hold::savings(1.5, 10.0))),
        ("ruin", &mut |_| Box::new(Replan::new(Ruin::default(), When::Always))),
    ];
    for (name, make) in makers {
        for (preset, day) in presets.into_iter().flat_map(|p| (0..days).map(move |day| (p, day))) {
            let scenario = presets::generate(preset, Seed(5), day).expect("a preset");
            let problem = routing(preset, &scenario);
            let events = scenario.events();
            fork(&problem, &events, make, Budget::Rollouts(8), Seed(1), &|_| true)
                .unwrap_or_else(|error| panic!("{name} on {preset}: {error}"));
        }
    }
}

#[test]
fn no_agent_of_this_crate_sees_the_future() {
    nobody_sees_the_future(1);
}

#[test]
#[ignore = "slow: run with cargo xtask test --all"]
fn no_agent_of_this_crate_sees_the_future_on_many_days() {
    nobody_sees_the_future(20);
}

/// Waits as long as anybody is to come in the tape that it was handed: it has seen the future.
struct Cheat(Vec<Timed<Event>>);

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
    let mut make = |tape: &[Timed<Event>]| Box::new(Cheat(tape.to_vec())) as Box<dyn Agent<_>>;
    let caught =
        fork(&problem, &scenario.events(), &mut make, Budget::Rollouts(0), Seed(1), &|_| true);
    assert!(caught.is_err(), "the fork test must notice");
}

/// A settled first state of a preset's scenario, everything known offline.
fn first_state(preset: &str) -> (Routing, State) {
    let scenario = presets::generate(preset, Seed(3), 0).expect("a preset");
    let problem = routing(preset, &scenario);
    let mut state = problem.initial();
    settle(&problem, &mut state, &mut Tape::new(scenario.events()));
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
        // a plan swaps its lists about, so that it takes a few rounds until each of them has grown
        (0..4).for_each(|_| play());
        let counted = allocation_counter::measure(play);
        assert_eq!(counted.count_total, 0, "{preset}");
    }
    for preset in ["cvrp-100", "cvrp-online-100", "cvrp-fleet-50"] {
        count(preset, Uniform::default());
        count(preset, Distance::default());
        count(preset, Nearest);
        count(preset, InsertionPlan::default());
    }
}

#[test]
fn masked_actions_are_refused_with_their_reason() {
    let scenario = presets::generate("cvrp-20", Seed(3), 0).expect("a preset");
    let problem = routing("cvrp-20", &scenario);
    let mut world = World::open(&problem, scenario.events());
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

/// Two customers, one of them later and far too large for what the other leaves, and two vehicles.
fn small_day(travel: Travel) -> RoutingDay {
    let customer = |x: f64, demand, arrival| Customer { at: Point { x, y: 0.0 }, demand, arrival };
    RoutingDay {
        name: "small".to_string(),
        depot: Point { x: 0.0, y: 0.0 },
        capacity: 10,
        pace: 2.0,
        waiting_weight: 0.5,
        horizon: 8.0,
        vehicles: 2,
        customers: vec![customer(3.0, 6, 0.0), customer(4.0, 5, 4.0)],
        travel,
    }
}

#[test]
fn the_audit_names_what_is_broken() {
    let day = small_day(Travel::Euclid);
    let problem = day.rules(None).expect("no law is always possible");
    let at = |time: f64, what: Action| Timed { time, what };
    let visit = |vehicle: u32, customer: u32| Action::Visit { vehicle, customer };
    let home = |vehicle: u32| Action::Depot { vehicle };
    let audit =
        |decisions: &[Timed<Action>]| problem.audit(&Log::of(day.events(), decisions.to_vec()));
    // served at 6 and at 21: 3 + 3 and 4 + 4 driven, 6 and 17 waited
    let (wait, back) = (at(6.5, Action::Wait), at(7.0, home(0)));
    let good = [at(0.0, visit(0, 0)), wait, back, at(13.0, visit(0, 1))];
    assert_eq!(audit(&good), Ok(6.0 + 8.0 + 0.5 * (6.0 + 17.0)));
    let first = at(0.0, visit(0, 0));
    let cases: [(&[Timed<Action>], usize, &str); 11] = [
        (&[at(1.0, Action::Wait), at(0.5, visit(0, 0))], 1, "it comes before the decision at 1"),
        (&[at(f64::NAN, visit(0, 0))], 0, "it comes before"),
        (&[at(-1.0, visit(0, 0))], 0, "it comes before the decision at 0"),
        (&[at(0.0, visit(2, 0))], 0, "there is no vehicle 2"),
        (&[at(0.0, visit(0, 7))], 0, "there is no customer 7"),
        (&[at(0.0, visit(0, 1))], 0, "customer 1 calls only at 4"),
        (&[at(0.0, home(0))], 0, "vehicle 0 is at the depot already"),
        (&[first, at(5.0, visit(0, 1))], 1, "vehicle 0 drives until 6"),
        (&[first, at(5.0, visit(1, 0))], 1, "customer 0 is visited twice"),
        (&[first, at(6.0, visit(0, 1))], 1, "customer 1 demands 5, vehicle 0 has 4 left"),
        (&[first], 1, "customer 1 is never visited"),
    ];
    for (decisions, decision, what) in cases {
        let violation = audit(decisions).unwrap_err();
        assert_eq!(violation.decision, decision, "{violation}");
        assert!(violation.what.contains(what), "{violation}");
    }
    let mut events = day.events();
    let again = Event::Customer { id: 0, at: Point { x: 1.0, y: 1.0 }, demand: 1 };
    events.push(Timed { time: 7.5, what: again });
    let violation = problem.audit(&Log::of(events, good.to_vec())).unwrap_err();
    let found = (violation.decision, violation.time, violation.what.as_str());
    assert_eq!(found, (3, 7.5, "customer 0 calls a second time"));

    let matrix = Matrix { side: 3, flat: vec![0.0, 3.0, 4.0, 3.0, 0.0, 1.0, 4.0, 1.0, 0.0] };
    let mapped = small_day(Travel::Matrix(Arc::new(matrix))).rules(None).expect("no law");
    assert_eq!(mapped.audit(&Log::of(day.events(), good.to_vec())), audit(&good));
    let mut events = day.events();
    let stranger = Event::Customer { id: 2, at: Point { x: 1.0, y: 1.0 }, demand: 1 };
    events.push(Timed { time: 7.5, what: stranger });
    let violation = mapped.audit(&Log::of(events, good.to_vec())).unwrap_err();
    assert_eq!(violation.what, "customer 2 is not among the 3 places");
}

#[test]
fn presets_can_be_changed() {
    let draw = |preset| presets::generate(preset, Seed(8), 3).map_err(|error| error.to_string());
    let changed = draw("cvrp-dispatch-50:customers=80").expect("a changed preset");
    assert_eq!((changed.customers.len(), changed.capacity), (80, 40), "as many as were asked for");
    assert_eq!(changed.name, "cvrp-dispatch-50:customers=80/seed8-3");
    let Law::Mixture { count, .. } = routing("cvrp-dispatch-50:customers=80", &changed).law else {
        panic!("its law is known");
    };
    assert_eq!(count, 80);
    // clusters are published at 0.25 and 0.75, the mean of both is 0.5; the mean of 4,000 has a standard error of 0.004
    let mean = |preset: &str| {
        let days =
            (0..80).map(|index| presets::generate(preset, Seed(8), index).expect("a preset"));
        days.flat_map(|day| day.customers).map(|c| c.at.x + c.at.y).sum::<f64>() / 8_000.0
    };
    let moved = mean("cvrp-dispatch-50:shift=0.1") - mean("cvrp-dispatch-50");
    assert!((moved - 0.1).abs() < 0.01, "{moved}");

    assert!(draw("cvrp-50:customers=60").unwrap_err().contains("'cvrp-50' cannot be changed"));
    let two = draw("cvrp-two-places-8:shift=0.1").unwrap_err();
    assert!(two.contains("'cvrp-two-places-8' cannot be changed"), "{two}");
    assert!(draw("cvrp-dispatch-50:customers=1.5").unwrap_err().contains("whole number from 1"));
    assert!(draw("cvrp-dispatch-50:customers=0").unwrap_err().contains("whole number from 1"));
    assert!(draw("cvrp-dispatch-50:shift=0.3").unwrap_err().contains("number from 0 to 0.25"));
    assert!(draw("cvrp-dispatch-50:cutomers=9").unwrap_err().contains("did you mean 'customers'?"));
    assert_eq!(draw("cvrp-60").unwrap_err(), "'cvrp-60' is not a preset of cvrp");
}

#[test]
fn the_sampled_future_agrees_with_the_law_of_the_day() {
    // At time 0 of a day on which nobody has called, futures and generated days have the same mean time and place.
    let scenario = presets::generate("cvrp-online-50", Seed(9), 0).expect("a preset");
    let problem = routing("cvrp-online-50", &scenario);
    let mut rng = Seed(2).stream(Stream::Agent, 0);
    let mut tape = Tape::default();
    let (mut sampled, mut drawn, days) = ([0.0; 3], [0.0; 3], 400);
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
            let Event::Customer { at, .. } = event.what;
            add(&mut sampled, event.time, at.x, at.y);
        }
        for c in presets::generate("cvrp-online-50", Seed(77), day).expect("a preset").customers {
            add(&mut drawn, c.arrival, c.at.x, c.at.y);
        }
    }
    let days = days as f64;
    for (i, tolerance) in [0.3, 0.01, 0.003].into_iter().enumerate() {
        let (a, b) = (sampled[i] / days, drawn[i] / days);
        assert!((a - b).abs() < tolerance, "{i}: {a} against {b}");
    }
    // x and y come from the same component: their covariance is about 1/16
    assert!((sampled[2] / days - 0.0625).abs() < 0.005, "{}", sampled[2] / days);
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
