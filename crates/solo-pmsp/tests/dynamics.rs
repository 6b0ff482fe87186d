//! Small days by hand: costs, masks, waiting, plans, graphs, and what the audit objects to.

mod shared;

use shared::{play, scenario};
use solo_core::{
    Audit, Domain, Encode, Graph, Menu, Offline, Policy, Problem, Reflex, Seed, Sight,
};
use solo_core::{Stream, Timed, World};
use solo_pmsp::{Action, Fifo, Law, Plan, Pmsp, Scheduling, Wspt};

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
    let problem = Pmsp::problem(&day, None).unwrap();
    let mut world = World::open(&problem, Pmsp::arrivals(&day));
    // 0 without setup until 10; then setup 7 and 5 until 22; then no setup and 2 until 24
    for job in 0..3 {
        world.act(assign(job, 0)).unwrap();
    }
    assert!(world.done());
    assert_eq!(world.cost(), 10.0 + 2.0 * (22.0 - 4.0) + (24.0 - 4.0));
    assert_eq!(world.into_journal().decisions[2].time, 22.0);
}

#[test]
fn wspt_breaks_ties_by_job_then_machine_and_leaves_the_weightless_for_last() {
    let jobs = [(4.0, 0.0, 0, 0.0), (0.0, 0.0, 0, 0.0), (8.0, 2.0, 1, 0.0), (4.0, 1.0, 0, 0.0)];
    let day = scenario(2, SETUP, &jobs);
    let problem = Pmsp::problem(&day, None).unwrap();
    let decisions = play(&problem, &day, &mut Reflex(Wspt::default())).decisions;
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
    let problem = Pmsp::problem(&day, None).unwrap();
    let decisions = play(&problem, &day, &mut Reflex(Fifo)).decisions;
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
    let problem = Pmsp::problem(&day, None).unwrap();
    let mut world = World::open(&problem, Pmsp::arrivals(&day));
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
    let problem = Pmsp::problem(&day, None).unwrap();
    let mut world = World::open(&problem, Pmsp::arrivals(&day));
    world.act(Action::Wait).unwrap();
    assert_eq!((world.state().now, world.state().closed), (30.0, true));
    world.act(assign(0, 0)).unwrap();
    assert!(world.done());
    assert_eq!(world.cost(), 40.0);
}

#[test]
fn jobs_of_no_length_and_empty_days() {
    let day = scenario(1, SETUP, &[(0.0, 5.0, 0, 0.0), (0.0, 5.0, 0, 0.0), (1.0, 1.0, 0, 2.0)]);
    let problem = Pmsp::problem(&day, None).unwrap();
    let decisions = play(&problem, &day, &mut Reflex(Wspt::default())).decisions;
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
    let problem = Pmsp::problem(&day, None).unwrap();
    let run = |sequences: Vec<Vec<u32>>| {
        let mut plan = Plan { sequences };
        let mut world = World::open(&problem, Pmsp::arrivals(&day));
        while !world.done() {
            let action = problem.follow(world.state(), &mut plan);
            world.act(action).unwrap();
        }
        world.into_journal().decisions
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
    let problem = Pmsp::problem(&day, None).unwrap();
    let mut world = World::open(&problem, Pmsp::arrivals(&day));
    world.act(assign(0, 1)).unwrap();
    let mut graph = Graph::default();
    problem.encode(world.state(), Sight::Published, &mut graph);
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
    let problem = Pmsp::problem(&day, None).unwrap();
    let arrivals = Pmsp::arrivals(&day);
    let good = [at(0.0, assign(0, 0)), at(2.0, Action::Wait), at(10.0, assign(1, 0))];
    assert_eq!(problem.audit(&arrivals, &good), Ok(10.0 + 2.0 * (22.0 - 4.0)));
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
        let violation = problem.audit(&arrivals, decisions).unwrap_err();
        assert_eq!(violation.decision, decision, "{violation}");
        assert!(violation.what.contains(what), "{violation}");
    }
}

#[test]
fn rules_only_start_what_can_be_started() {
    let day = Pmsp::generate("pmsp-online-3", Seed(3), 0).unwrap();
    let problem = Scheduling::new(&day, Law::Unknown);
    let mut rng = Seed(3).stream(Stream::Agent, 0);
    let state = problem.initial();
    assert_eq!(Wspt::default().choose(&problem, &state, &mut rng), Action::Wait);
    assert_eq!(Fifo.choose(&problem, &state, &mut rng), Action::Wait);
    assert_eq!(assign(3, 1).to_string(), "job 3 on machine 1");
    assert_eq!(Action::Wait.to_string(), "wait");
}
