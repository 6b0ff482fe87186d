//! A live day beside the simulated one: a [`Session`] that hears who calls and carries out the same orders has the same
//! state, cost and log, and so has a replayed log. What customers are called does not matter.

use solo_core::{
    Agent, Audit, Budget, Log, Meter, Policy, Problem, Recorded, Reflex, Refused, Replan, Rng,
    Scenario, Seed, Session, Status, Stream, SystemClock, Timed, Uniform, When, World, replay,
};
use solo_cvrp::hold::Hold;
use solo_cvrp::insertion::InsertionPlan;
use solo_cvrp::plan::Urgent;
use solo_cvrp::presets::{PRESETS, generate};
use solo_cvrp::ruin::Ruin;
use solo_cvrp::rules::{Distance, Nearest};
use solo_cvrp::savings::Savings;
use solo_cvrp::{Action, Event, Routing, RoutingDay, State, Vehicle};
use std::sync::atomic::AtomicBool;

/// Days of each preset, each by all four rules: some seconds.
const DAYS: u64 = 200;

/// Nearest and Distance never wait, the plan and chance do.
fn rules() -> [Box<dyn Policy<Routing>>; 4] {
    [
        Box::new(Nearest),
        Box::new(InsertionPlan::default()),
        Box::new(Distance::default()),
        Box::<Uniform<Routing>>::default(),
    ]
}

/// Every preset's days, every other one without the law, each with every rule.
fn days(count: u64) -> impl Iterator<Item = (RoutingDay, Routing, Box<dyn Policy<Routing>>)> {
    let presets = PRESETS.iter().map(|preset| preset.name);
    let all = presets.flat_map(move |preset| (0..count).map(move |index| (preset, index)));
    all.flat_map(|(preset, index)| {
        let day = generate(preset, Seed(61), index).unwrap();
        let problem = day.rules((index % 2 == 0).then_some(preset)).unwrap();
        rules().map(|rule| (day.clone(), problem.clone(), rule))
    })
}

fn rng() -> Rng {
    Seed(7).stream(Stream::Agent, 0)
}

/// The same but for rounding: sums of the same numbers in another order.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(1.0)
}

/// Lets a session hear who calls up to `now`, and tells it the time.
fn catch_up(session: &mut Session<&Routing>, events: &[Timed<Event>], heard: &mut usize, now: f64) {
    while let Some(event) = events.get(*heard).filter(|event| event.time <= now) {
        session.hear(event.time, event.what.clone()).unwrap();
        *heard += 1;
    }
    session.tick(now).unwrap();
}

/// The same state, key and clock, and the same cost to the bit.
fn assert_same(session: &Session<&Routing>, world: &World<&Routing>, name: &str) {
    let problem = *world.problem();
    assert_eq!(session.state(), world.state(), "{name}");
    assert_eq!(problem.key(session.state()), problem.key(world.state()), "{name}");
    assert_eq!(session.cost().to_bits(), world.cost().to_bits(), "{name}");
}

#[test]
fn a_session_ends_as_the_world_does() {
    for (day, problem, mut rule) in days(DAYS) {
        let mut rng = rng();
        let events = day.events();
        let mut world = World::open(&problem, events.clone());
        let (mut session, mut heard) = (Session::open(&problem), 0);
        while !world.done() {
            catch_up(&mut session, &events, &mut heard, world.state().now);
            assert_eq!(session.status(), Status::Decide, "{}", day.name);
            assert_same(&session, &world, &day.name);
            let action = rule.choose(&problem, world.state(), &mut rng);
            world.act(action).unwrap();
            session.act(action).unwrap();
        }
        catch_up(&mut session, &events, &mut heard, world.state().now);
        assert_eq!((session.status(), heard), (Status::Done, events.len()), "{}", day.name);
        assert_same(&session, &world, &day.name);
        assert_eq!(session.log(), world.log(), "{}", day.name);

        let mut replayed = replay(&problem, world.log()).unwrap();
        replayed.tick(world.state().now).unwrap(); // the last visit ends after the last entry
        assert_same(&replayed, &world, &day.name);
        assert_eq!(replayed.log(), world.log(), "{}", day.name);
        let audited = problem.audit(session.log()).unwrap();
        assert!(close(audited, world.cost()), "{}: {audited} {}", day.name, world.cost());
    }
}

/// Somebody looks at the clock all day long, not only when something happens.
#[test]
fn it_does_not_matter_how_often_the_time_is_told() {
    for (day, problem, mut rule) in days(20) {
        let mut world = World::open(&problem, day.events());
        let mut rng = rng();
        while !world.done() {
            let action = rule.choose(&problem, world.state(), &mut rng);
            world.act(action).unwrap();
        }
        let mut session = Session::open(&problem);
        let tick = |session: &mut Session<&Routing>, until: f64| {
            while session.now() + 0.37 < until {
                let next = session.now() + 0.37;
                session.tick(next).unwrap();
            }
        };
        for entry in world.log().entries() {
            tick(&mut session, entry.time);
            match &entry.what {
                Recorded::Event(event) => session.hear(entry.time, event.clone()).unwrap(),
                Recorded::Decision(action) => {
                    session.tick(entry.time).unwrap();
                    session.act(*action).map(drop).unwrap();
                }
                Recorded::Closed => drop(session.tick(entry.time).unwrap()),
            }
        }
        tick(&mut session, world.state().now);
        session.tick(world.state().now).unwrap();
        assert_eq!(session.state(), world.state(), "{}", day.name);
        assert_eq!(session.log(), world.log(), "{}", day.name);
        assert!(close(session.cost(), world.cost()), "{}", day.name);
    }
}

/// Other numbers for the customers of a day: out of order, and with gaps.
fn renumbered(id: u32) -> u32 {
    (id * 389 + 400) % 1_009 * 3
}

fn renumber(mut event: Timed<Event>) -> Timed<Event> {
    let Event::Customer { id, .. } = &mut event.what;
    *id = renumbered(*id);
    event
}

/// The state as it is when customers have their other numbers.
fn renumber_state(state: &State) -> State {
    let mut other = state.clone();
    other.open.iter_mut().for_each(|customer| customer.id = renumbered(customer.id));
    other.open.sort_by_key(|customer| customer.id);
    for vehicle in other.vehicles.iter_mut().filter(|vehicle| !vehicle.at_depot()) {
        vehicle.place.node = renumbered(vehicle.place.node - 1) + 1;
    }
    other
}

#[test]
fn customers_may_have_any_numbers() {
    let out_of_order = (0..20).map(renumbered).collect::<Vec<_>>();
    assert!(!out_of_order.is_sorted() && !out_of_order.is_sorted_by(|a, b| a > b));
    for (day, problem, mut rule) in days(DAYS) {
        let mut world = World::open(&problem, day.events());
        let mut rng = rng();
        let events: Vec<Timed<Event>> = day.events().into_iter().map(renumber).collect();
        let (mut session, mut heard) = (Session::open(&problem), 0);
        while !world.done() {
            catch_up(&mut session, &events, &mut heard, world.state().now);
            let mut expected = renumber_state(world.state());
            expected.next_id = session.state().next_id;
            assert_eq!(session.state(), &expected, "{}", day.name);
            let action = rule.choose(&problem, world.state(), &mut rng);
            world.act(action).unwrap();
            let other = match action {
                Action::Visit { vehicle, customer } => {
                    Action::Visit { vehicle, customer: renumbered(customer) }
                }
                other => other,
            };
            session.act(other).unwrap();
        }
        catch_up(&mut session, &events, &mut heard, world.state().now);
        assert_eq!(session.status(), Status::Done, "{}", day.name);
        assert_eq!(session.cost().to_bits(), world.cost().to_bits(), "{}", day.name);
        let [audited, plain] = [session.log(), world.log()].map(|log| problem.audit(log).unwrap());
        assert_eq!(audited, plain, "{}", day.name);
        assert!(close(audited, world.cost()), "{}: {audited} {}", day.name, world.cost());

        // a customer left out is named by its own number; what comes after it are ways home, and waiting
        let decisions = session.log().decisions();
        let mut decisions: Vec<Timed<Action>> =
            decisions.map(|d| Timed { time: d.time, what: *d.what }).collect();
        let visit = |d: &Timed<Action>| matches!(d.what, Action::Visit { .. });
        let last = decisions.iter().rposition(visit).unwrap();
        let Action::Visit { customer, .. } = decisions[last].what else { unreachable!() };
        decisions.truncate(last);
        let violation = problem.audit(&Log::of(events, decisions)).unwrap_err();
        assert_eq!(violation.what, format!("customer {customer} is never visited"), "{}", day.name);
    }
}

/// The cost of a day by an agent, which the audit confirms.
fn cost(problem: &Routing, events: &[Timed<Event>], agent: &mut dyn Agent<Routing>) -> f64 {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut rng = rng();
    let mut world = World::open(problem, events.to_vec());
    while !world.done() {
        let meter = Meter::start(Budget::Rollouts(50), &clock, &stop);
        let decision = agent.decide(problem, world.state(), &meter, &mut rng).unwrap();
        world.act(decision.action).unwrap();
    }
    assert!(close(problem.audit(world.log()).unwrap(), world.cost()));
    world.cost()
}

#[test]
fn rules_and_plans_decide_as_well_whatever_the_numbers() {
    for preset in ["cvrp-50", "cvrp-online-20", "cvrp-dispatch-50", "cvrp-fleet-50"] {
        let mut sums = [[0.0; 2]; 5];
        for index in 0..20 {
            let day = generate(preset, Seed(62), index).unwrap();
            let problem = day.rules(Some(preset)).unwrap();
            let plain = day.events();
            let other: Vec<Timed<Event>> = plain.iter().cloned().map(renumber).collect();
            for (k, events) in [&plain, &other].into_iter().enumerate() {
                let agents: [Box<dyn Agent<Routing>>; 5] = [
                    Box::new(Reflex(Nearest)),
                    Box::new(Replan::new(Urgent(Savings), When::Always)),
                    Box::new(Hold::savings(1.5, 10.0)),
                    Box::new(Reflex(InsertionPlan::default())),
                    Box::new(Replan::new(Ruin::default(), When::Always)),
                ];
                for (sum, mut agent) in sums.iter_mut().zip(agents) {
                    sum[k] += cost(&problem, events, agent.as_mut());
                }
            }
        }
        // Only ties are broken by number, and there are none; a plan by insertion meets those who called since it looked
        // last in the order of their numbers (0.17 % found), the random search all customers (0.3 % found).
        for ([plain, other], tolerance) in sums.into_iter().zip([1e-9, 1e-9, 1e-9, 0.003, 0.005]) {
            assert!((other / plain - 1.0).abs() < tolerance, "{preset}: {other} against {plain}");
        }
    }
}

/// Somebody calls from where the vehicle stands: the way takes no time.
#[test]
fn a_way_that_takes_no_time_is_driven_at_once() {
    for (preset, vehicles) in [("cvrp-dispatch-20", 1), ("cvrp-dispatch-20", 3), ("cvrp-20", 2)] {
        let mut day = generate(preset, Seed(63), 0).unwrap();
        day.vehicles = vehicles;
        let (away, home) = (day.customers[0].at, day.depot);
        for (k, customer) in day.customers.iter_mut().enumerate() {
            customer.at = if k % 3 == 0 { home } else { away };
        }
        for law in [None, Some(preset)] {
            let problem = day.rules(law).unwrap();
            for mut rule in rules() {
                let mut rng = rng();
                let mut world = World::open(&problem, day.events());
                while !world.done() {
                    let action = rule.choose(&problem, world.state(), &mut rng);
                    world.act(action).unwrap();
                    let now = world.state().now;
                    let due = |v: &Vehicle| v.driving && v.ready <= now;
                    assert!(!world.state().vehicles.iter().any(due), "nobody is due and drives");
                }
                let mut replayed = replay(&problem, world.log()).unwrap();
                replayed.tick(world.state().now).unwrap();
                assert_same(&replayed, &world, &day.name);
                let audited = problem.audit(world.log()).unwrap();
                assert!(close(audited, world.cost()), "{audited} {}", world.cost());
            }
        }
    }
}

#[test]
fn a_session_refuses_what_cannot_be() {
    let mut day = generate("cvrp-dispatch-20", Seed(64), 0).unwrap();
    day.customers.truncate(2);
    (day.customers[0].arrival, day.customers[1].arrival) = (2.0, 9.0);
    let problem = day.rules(None).unwrap();
    let events = day.events();
    let mut session = Session::open(&problem);
    session.hear(2.0, events[0].what.clone()).unwrap();
    let past = session.hear(1.0, events[1].what.clone()).unwrap_err();
    assert_eq!(past.to_string(), "time 1 is before now, 2");
    let early = session.hear(9.0, events[1].what.clone()).unwrap_err();
    assert_eq!(early.to_string(), "a decision is due at 2, before 9");
    let visit = |customer| Action::Visit { vehicle: 0, customer };
    let Refused::Illegal(illegal) = session.act(visit(1)).unwrap_err() else {
        panic!("the customer has not called");
    };
    assert_eq!((illegal.time, illegal.reason.as_str()), (2.0, "it is not on the menu"));
    assert_eq!(session.log().entries().len(), 1, "what is refused is not written down");
    session.act(visit(0)).unwrap();
    // there it may go home, or wait for the next call
    let due = session.tick(9.0).unwrap_err();
    assert!(matches!(due, Refused::DecisionDue { due, .. } if 2.0 < due && due < 9.0), "{due}");
    session.act(Action::Wait).unwrap();
    session.hear(9.0, events[1].what.clone()).unwrap();
    assert_eq!(session.tick(9.0), Ok(Status::Decide));
    session.act(visit(1)).unwrap();
    // the horizon is 10: waiting there, it hears that nobody comes any more
    let end = loop {
        match session.tick(20.0) {
            Ok(status) => break status,
            Err(Refused::DecisionDue { .. }) => drop(session.act(Action::Wait).unwrap()),
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(end, Status::Done);
    let late = session.hear(20.0, events[1].what.clone()).unwrap_err();
    assert_eq!(late, Refused::Closed(20.0));
    assert!(close(problem.audit(session.log()).unwrap(), session.cost()));
}
