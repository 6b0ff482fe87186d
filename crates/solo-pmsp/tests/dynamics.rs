//! Small days by hand: costs, masks, waiting, plans, graphs, and what the audit objects to.

mod shared;

use shared::{decisions, play, scenario};
use solo_core::{
    Audit, Encode, FeatureSet, Graph, Guide, Log, Menu, Offline, Policy, Problem, Reflex, Scenario,
    Seed, Stream, Timed, World,
};
use solo_pmsp::{Action, Event, Fifo, Law, Plan, Scheduling, State, Wspt};

const SETUP: &[&[f64]] = &[&[0.0, 7.0], &[3.0, 0.0]];

fn assign(job: u32, machine: u32) -> Action {
    Action::Assign { job, machine }
}

fn at(time: f64, what: Action) -> Timed<Action> {
    Timed { time, what }
}

#[test]
fn weighted_flow_time_with_setups_only_between_classes() {
    let day = scenario(1, SETUP, &[(10.0, 1.0, 0, 0.0), (5.0, 2.0, 1, 4.0), (2.0, 1.0, 1, 4.0)]);
    let problem = day.rules(None).unwrap();
    let mut world = World::open(&problem, day.events());
    // 0 without setup until 10; then setup 7 and 5 until 22; then no setup and 2 until 24
    for job in 0..3 {
        world.act(assign(job, 0)).unwrap();
    }
    assert!(world.done());
    assert_eq!(world.cost(), 10.0 + 2.0 * (22.0 - 4.0) + (24.0 - 4.0));
    assert_eq!(decisions(world.log())[2].time, 22.0);
}

#[test]
fn wspt_breaks_ties_by_job_then_machine_and_leaves_the_weightless_for_last() {
    let jobs = [(4.0, 0.0, 0, 0.0), (0.0, 0.0, 0, 0.0), (8.0, 2.0, 1, 0.0), (4.0, 1.0, 0, 0.0)];
    let day = scenario(2, SETUP, &jobs);
    let problem = day.rules(None).unwrap();
    let decisions = decisions(&play(&problem, &day, &mut Reflex(Wspt::default())).log);
    let expected = [
        at(0.0, assign(2, 0)),
        at(0.0, assign(3, 1)),
        at(4.0, assign(0, 1)),
        at(8.0, assign(1, 0)),
    ];
    assert_eq!(decisions, expected);
}

#[test]
fn fifo_takes_the_oldest_job_where_setup_is_least() {
    let jobs = [(1.0, 1.0, 0, 0.0), (1.0, 1.0, 1, 0.0), (50.0, 1.0, 1, 1.0), (1.0, 9.0, 0, 1.0)];
    let day = scenario(2, SETUP, &jobs);
    let problem = day.rules(None).unwrap();
    let decisions = decisions(&play(&problem, &day, &mut Reflex(Fifo)).log);
    let expected = [
        at(0.0, assign(0, 0)),
        at(0.0, assign(1, 1)),
        at(1.0, assign(2, 1)),
        at(1.0, assign(3, 0)),
    ];
    assert_eq!(decisions, expected);
}

#[test]
fn waiting_lasts_until_something_happens_and_ends_when_nothing_can() {
    let day = scenario(2, SETUP, &[(10.0, 1.0, 0, 0.0), (5.0, 1.0, 0, 0.0), (5.0, 1.0, 0, 4.0)]);
    let problem = day.rules(None).unwrap();
    let mut world = World::open(&problem, day.events());
    assert_eq!(world.act(Action::Wait).unwrap(), 8.0, "two jobs wait for the third");
    assert_eq!(world.state().now, 4.0);
    assert!(world.state().closed, "the horizon is reached");
    let error = world.act(Action::Wait).unwrap_err();
    assert!(error.reason.contains("nothing would happen"), "{error}");
    world.act(assign(0, 0)).unwrap();
    let error = world.act(assign(1, 0)).unwrap_err();
    assert_eq!(error.reason, "the machine is busy");
    let error = world.act(assign(0, 1)).unwrap_err();
    assert_eq!(error.reason, "it is not on the menu");
    world.act(Action::Wait).unwrap();
    assert_eq!(world.state().now, 14.0, "the running job completes");
    let mut menu = Menu::default();
    problem.menu(world.state(), &mut menu);
    let slots = [assign(1, 0), assign(1, 1), assign(2, 0), assign(2, 1), Action::Wait];
    assert_eq!((menu.actions(), menu.legal()), (&slots[..], &[0, 1, 2, 3][..]));
}

#[test]
fn the_closing_of_the_law_is_an_event() {
    let mut day = scenario(1, SETUP, &[(10.0, 1.0, 0, 0.0)]);
    day.horizon = 30.0;
    let problem = day.rules(None).unwrap();
    let mut world = World::open(&problem, day.events());
    world.act(Action::Wait).unwrap();
    assert_eq!((world.state().now, world.state().closed), (30.0, true));
    world.act(assign(0, 0)).unwrap();
    assert!(world.done());
    assert_eq!(world.cost(), 40.0);
}

#[test]
fn jobs_of_no_length_and_empty_days() {
    let day = scenario(1, SETUP, &[(0.0, 5.0, 0, 0.0), (0.0, 5.0, 0, 0.0), (1.0, 1.0, 0, 2.0)]);
    let problem = day.rules(None).unwrap();
    let decisions = decisions(&play(&problem, &day, &mut Reflex(Wspt::default())).log);
    assert_eq!(decisions, [at(0.0, assign(0, 0)), at(0.0, assign(1, 0)), at(2.0, assign(2, 0))]);

    let law = solo_pmsp::presets::law("pmsp-online-3").unwrap();
    let quiet = Scheduling { law, ..problem };
    let world = World::open(&quiet, Vec::new());
    assert!(world.done() && world.cost() == 0.0 && world.state().now == 15.0 * 130.0);
}

#[test]
fn plans_are_followed_and_machines_kept_free_for_what_is_planned() {
    let jobs = [(10.0, 1.0, 0, 0.0), (5.0, 1.0, 0, 0.0), (5.0, 1.0, 1, 4.0)];
    let day = scenario(2, SETUP, &jobs);
    let problem = day.rules(None).unwrap();
    let run = |sequences: Vec<Vec<u32>>| {
        let mut plan = Plan { sequences };
        let mut world = World::open(&problem, day.events());
        while !world.done() {
            let action = problem.follow(world.state(), &mut plan);
            world.act(action).unwrap();
        }
        decisions(world.log())
    };
    let kept = run(vec![vec![0, 1], vec![2]]);
    let wait = Action::Wait;
    let expected = [
        at(0.0, assign(0, 0)),
        at(0.0, wait),
        at(4.0, assign(2, 1)),
        at(9.0, wait),
        at(10.0, assign(1, 0)),
    ];
    assert_eq!(kept, expected);
    let forced = run(vec![Vec::new(), vec![99, 1]]);
    let expected = [
        at(0.0, wait),
        at(4.0, assign(0, 0)),
        at(4.0, wait),
        at(14.0, assign(1, 1)),
        at(14.0, wait),
        at(19.0, assign(2, 0)),
    ];
    assert_eq!(forced, expected);
}

#[test]
fn features_are_where_they_are_documented() {
    let mut day = scenario(2, SETUP, &[(10.0, 1.0, 0, 0.0), (5.0, 2.0, 1, 4.0)]);
    day.horizon = 8.0;
    let problem = day.rules(None).unwrap();
    let mut world = World::open(&problem, day.events());
    world.act(assign(0, 1)).unwrap();
    let mut graph = Graph::default();
    problem.encode(world.state(), FeatureSet::Base, &mut graph);
    let job = [0.05, 0.2, 0.04, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let fresh = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let busy = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.06, 1.0, 0.0, 0.0];
    assert_eq!(graph.node_features, [job, fresh, busy].concat());
    assert_eq!(graph.edges, [[0, 1], [0, 2]]);
    assert_eq!(graph.edge_features, [0.0, 7.0 / 50.0]);
    assert_eq!(graph.global_features, [0.04, 0.5, 1.0]);
}

#[test]
fn the_audit_names_what_is_broken() {
    let day = scenario(2, SETUP, &[(10.0, 1.0, 0, 0.0), (5.0, 2.0, 1, 4.0)]);
    let problem = day.rules(None).unwrap();
    let audit =
        |decisions: &[Timed<Action>]| problem.audit(&Log::of(day.events(), decisions.to_vec()));
    let good = [at(0.0, assign(0, 0)), at(2.0, Action::Wait), at(10.0, assign(1, 0))];
    assert_eq!(audit(&good), Ok(10.0 + 2.0 * (22.0 - 4.0)));
    let cases: [(&[Timed<Action>], usize, &str); 9] = [
        (&[at(1.0, Action::Wait), at(0.5, assign(0, 0))], 1, "not a number from 1 on"),
        (&[at(f64::NAN, assign(0, 0))], 0, "not a number"),
        (&[at(-1.0, assign(0, 0))], 0, "not a number from 0 on"),
        (&[at(0.0, assign(0, 2))], 0, "no machine 2 among 2"),
        (&[at(0.0, assign(7, 0))], 0, "no job 7 among 2"),
        (&[at(0.0, assign(1, 0))], 0, "job 1 arrives only at 4"),
        (&[at(0.0, assign(0, 0)), at(20.0, assign(0, 1))], 1, "job 0 is started a second time"),
        (&[at(0.0, assign(0, 0)), at(9.0, assign(1, 0))], 1, "machine 0 is busy until 10"),
        (&[at(0.0, assign(0, 0))], 1, "job 1 is never started"),
    ];
    for (decisions, decision, what) in cases {
        let violation = audit(decisions).unwrap_err();
        assert_eq!(violation.decision, decision, "{violation}");
        assert!(violation.what.contains(what), "{violation}");
    }
    for (id, class, what) in
        [(0, 1, "a second job 0 arrives"), (2, 2, "job 2 is of class 2 among 2")]
    {
        let mut events = day.events();
        let job = Event::Job { id, processing: 1.0.into(), weight: 1.0, class };
        events.push(Timed { time: 5.0, what: job });
        let violation = problem.audit(&Log::of(events, good.to_vec())).unwrap_err();
        assert_eq!((violation.decision, violation.time), (2, 5.0), "{violation}");
        assert_eq!(violation.what, what);
    }
}

/// A day of three jobs of one class on a machine, heard in this order of arrival, with these numbers.
fn numbered(ids: [u32; 3]) -> (Scheduling, Vec<Timed<Event>>) {
    let day =
        scenario(1, &[&[0.0]], &[(10.0, 1.0, 0, 0.0), (5.0, 1.0, 0, 1.0), (5.0, 1.0, 0, 2.0)]);
    let mut events = day.events();
    for (event, number) in events.iter_mut().zip(ids) {
        let Event::Job { id, .. } = &mut event.what;
        *id = number;
    }
    (day.rules(None).unwrap(), events)
}

#[test]
fn the_oldest_job_need_not_have_the_lowest_number() {
    let (problem, events) = numbered([7, 9, 3]);
    let mut rng = Seed(3).stream(Stream::Agent, 0);
    let mut world = World::open(&problem, events);
    let mut order = Vec::new();
    while !world.done() {
        let action = Fifo.choose(&problem, world.state(), &mut rng);
        let (mut menu, mut values) = (Menu::default(), Vec::new());
        problem.menu(world.state(), &mut menu);
        Fifo.values(&problem, world.state(), &menu, &mut values);
        let best = (0..menu.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
        assert_eq!(menu.actions()[best], action, "the guide says what the rule does");
        order.push(action);
        world.act(action).unwrap();
    }
    assert_eq!(order, [assign(7, 0), assign(9, 0), assign(3, 0)]);
}

#[test]
fn plans_are_followed_whatever_the_numbers() {
    // numbers in order with gaps, and out of order: a plan of what is pending is carried out in its order
    for ids in [[10, 20, 30], [30, 10, 20], [2, 1, 0]] {
        let (problem, events) = numbered(ids);
        let mut world = World::open(&problem, events);
        world.act(assign(ids[0], 0)).unwrap();
        let mut plan = Plan { sequences: vec![vec![ids[2], ids[1]]] };
        let mut follow = |state: &State| problem.follow(state, &mut plan);
        for job in [ids[2], ids[1]] {
            let action = follow(world.state());
            assert_eq!(action, assign(job, 0), "{ids:?}");
            world.act(action).unwrap();
        }
        assert!(world.done());
        assert_eq!(world.cost(), 10.0 + (15.0 - 2.0) + (20.0 - 1.0));
        assert_eq!(problem.audit(world.log()), Ok(world.cost()));
    }
}

#[test]
fn rules_only_start_what_can_be_started() {
    let day = solo_pmsp::presets::generate("pmsp-online-3", Seed(3), 0).unwrap();
    let problem = Scheduling::new(&day, Law::Unknown);
    let mut rng = Seed(3).stream(Stream::Agent, 0);
    let state = problem.initial();
    assert_eq!(Wspt::default().choose(&problem, &state, &mut rng), Action::Wait);
    assert_eq!(Fifo.choose(&problem, &state, &mut rng), Action::Wait);
    assert_eq!(assign(3, 1).to_string(), "job 3 on machine 1");
    assert_eq!(Action::Wait.to_string(), "wait");
}

/// A rollout whose future is cut closes the state before the law does; to a network the day goes on.
#[test]
fn a_cut_future_does_not_look_like_the_end_of_the_day() {
    let day = solo_pmsp::presets::generate("pmsp-online-3", solo_core::Seed(1), 0).unwrap();
    let problem = day.rules(Some("pmsp-online-3")).unwrap();
    let mut graph = Graph::default();
    let mut open = |state: &solo_pmsp::State| {
        problem.encode(state, FeatureSet::Base, &mut graph);
        *graph.global_features.last().unwrap()
    };
    let mut state = solo_core::World::open(&problem, day.events()).state().clone();
    assert_eq!(open(&state), 1.0);
    problem.close(&mut state);
    assert_eq!(open(&state), 1.0);
    state.now = problem.closing_time(&problem.initial()).unwrap();
    assert_eq!(open(&state), 0.0);
}
