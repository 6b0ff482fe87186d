//! Machines that are not alike: times and eligibility by machine.

mod shared;

use shared::{decisions, play, read};
use solo_core::testing::{self, MakeAgent};
use solo_core::{
    Agent, Audit, Budget, Encode, FeatureSet, Graph, Log, Meter, Offline, Problem, Reflex, Replan,
    Rng, Scenario, Seed, Session, Status, Stream, SystemClock, Timed, Uniform, When, World,
};
use solo_pmsp::hindsight::whole_day;
use solo_pmsp::presets::generate;
use solo_pmsp::{
    Action, CANNOT, Event, Factors, Fifo, InsertionPlan, Instance, Job, Plan, Processing, Ruin,
    Scheduling, SchedulingDay, Setup, Wspt, WsptPlan, exact, hindsight, plan_cost,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn meter<R>(budget: Budget, run: impl FnOnce(&Meter<'_>) -> R) -> R {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    run(&Meter::start(budget, &clock, &stop))
}

fn assign(job: u32, machine: u32) -> Action {
    Action::Assign { job, machine }
}

fn at(time: f64, what: Action) -> Timed<Action> {
    Timed { time, what }
}

fn listed(times: &[f64], weight: f64, class: u32, arrival: f64) -> Job {
    Job { processing: Processing::ByMachine(times.into()), weight, class, arrival }
}

fn day(machines: usize, setup: &[&[f64]], jobs: Vec<Job>) -> SchedulingDay {
    SchedulingDay {
        name: "small".to_string(),
        machines,
        horizon: jobs.iter().map(|job| job.arrival).fold(0.0, f64::max),
        setup: Arc::new(Setup { classes: setup.len(), flat: setup.concat() }),
        factors: None,
        jobs,
    }
}

/// A day with few jobs, times in lists or by factors, both with gaps.
fn tiny(rng: &mut Rng, jobs: usize, late: bool) -> SchedulingDay {
    let (classes, machines) = (1 + rng.below(3), 1 + rng.below(3));
    let mut flat: Vec<f64> = (0..classes * classes).map(|_| rng.between(0, 20) as f64).collect();
    (0..classes).for_each(|class| flat[class * classes + class] = 0.0);
    let some = |rng: &mut Rng, high: i64, unit: f64| {
        let mut row: Vec<f64> = (0..machines)
            .map(|_| if rng.below(3) == 0 { CANNOT } else { rng.between(1, high) as f64 * unit })
            .collect();
        row[rng.below(machines)] = rng.between(1, high) as f64 * unit;
        row
    };
    let factors = (rng.below(2) == 0).then(|| {
        let flat = (0..classes).flat_map(|_| some(rng, 8, 0.25)).collect();
        Arc::new(Factors { machines, flat })
    });
    let jobs = (0..jobs).map(|_| Job {
        processing: match rng.below(2) {
            0 => Processing::Same(rng.between(0, 20) as f64),
            _ => Processing::ByMachine(some(rng, 20, 1.0).into()),
        },
        weight: rng.between(0, 9) as f64,
        class: rng.below(classes) as u32,
        arrival: if late { rng.between(0, 60) as f64 } else { 0.0 },
    });
    let jobs = jobs.collect();
    let setup = Arc::new(Setup { classes, flat });
    let name = "tiny".to_string();
    let mut day = SchedulingDay { name, machines, horizon: 60.0, setup, factors, jobs };
    day.sort();
    day
}

fn tinies(count: u64, late: bool) -> impl Iterator<Item = (SchedulingDay, Scheduling)> {
    (0..count).map(move |index| {
        let mut rng = Seed(index).stream(Stream::Scenario, 9);
        let jobs = 1 + rng.below(6);
        let day = tiny(&mut rng, jobs, late);
        let problem = day.rules(None).unwrap();
        (day, problem)
    })
}

#[test]
fn a_machine_takes_its_own_time_and_is_masked_where_it_cannot() {
    let jobs = vec![
        listed(&[10.0, 4.0, CANNOT], 1.0, 0, 0.0),
        listed(&[CANNOT, 6.0, CANNOT], 2.0, 1, 0.0),
        listed(&[CANNOT, CANNOT, 3.0], 1.0, 0, 2.0),
    ];
    let day = day(3, &[&[0.0, 7.0], &[3.0, 0.0]], jobs);
    let problem = day.rules(None).unwrap();
    let mut world = World::open(&problem, day.events());
    let error = world.act(assign(1, 0)).unwrap_err();
    assert_eq!(error.reason, "the machine cannot do the job");
    world.act(assign(0, 1)).unwrap();
    // job 1 can only be done by machine 1, which is busy: nothing is to be decided until job 2 comes
    assert_eq!(world.state().now, 2.0);
    let error = world.act(assign(1, 1)).unwrap_err();
    assert_eq!(error.reason, "the machine is busy");
    world.act(assign(2, 2)).unwrap();
    assert_eq!(world.state().now, 4.0, "then machine 1 is free");
    world.act(assign(1, 1)).unwrap();
    assert!(world.done());
    // 4, then setup 7 and 6 until 17, and 3 from 2 to 5
    assert_eq!(world.cost(), 4.0 + 2.0 * 17.0 + 3.0);
    assert_eq!(problem.audit(world.log()), Ok(world.cost()));
    assert_eq!(decisions(world.log()).len(), 3);
}

#[test]
fn nothing_is_decided_while_no_free_machine_can_do_what_is_pending() {
    let jobs = vec![
        listed(&[5.0, CANNOT], 1.0, 0, 0.0),
        listed(&[5.0, CANNOT], 1.0, 0, 0.0),
        listed(&[CANNOT, 1.0], 1.0, 0, 20.0),
    ];
    let day = day(2, &[&[0.0]], jobs);
    let problem = day.rules(None).unwrap();
    let mut session = Session::open(&problem);
    for event in &day.events()[..2] {
        session.hear(event.time, event.what.clone()).unwrap();
    }
    session.tick(0.0).unwrap();
    assert_eq!(session.status(), Status::Decide);
    session.act(assign(0, 0)).unwrap();
    assert_eq!(session.status(), Status::Running { until: 5.0 }, "job 1 waits for machine 0");
    session.tick(5.0).unwrap();
    assert_eq!(session.status(), Status::Decide);
    session.act(assign(1, 0)).unwrap();
    session.tick(10.0).unwrap();
    assert_eq!(session.status(), Status::Idle);
}

/// The best plan leaves a machine without work while a job waits for another one, so that waiting is legal offline as
/// long as a machine runs, and never when nothing would happen.
#[test]
fn offline_plans_may_wait_for_a_better_machine() {
    let jobs = vec![listed(&[10.0, 100.0], 5.0, 0, 0.0), listed(&[10.0, 100.0], 5.0, 0, 0.0)];
    let day = day(2, &[&[0.0]], jobs);
    let problem = day.rules(None).unwrap();
    let mut world = World::open(&problem, day.events());
    let error = world.act(Action::Wait).unwrap_err();
    assert!(error.reason.contains("nothing would happen"), "{error}");
    world.act(assign(0, 0)).unwrap();
    world.act(Action::Wait).unwrap();
    world.act(assign(1, 0)).unwrap();
    assert_eq!(world.cost(), 5.0 * 10.0 + 5.0 * 20.0);
    let mut ruin = Replan::<Scheduling, _>::new(Ruin::default(), When::Always);
    assert_eq!(play(&problem, &day, &mut ruin).cost, world.cost());
    let mut insertion = Reflex(InsertionPlan::default());
    assert_eq!(play(&problem, &day, &mut insertion).cost, world.cost());
}

#[test]
fn rules_count_the_time_on_the_machine() {
    let jobs = vec![
        listed(&[9.0, 8.0], 1.0, 0, 0.0),     // 8 on machine 1
        listed(&[CANNOT, 6.0], 3.0, 0, 0.0),  // 2 on machine 1
        listed(&[2.0, 1.0], 0.0, 0, 0.0),     // without weight: last
        listed(&[30.0, CANNOT], 2.0, 0, 0.0), // 15 on machine 0
    ];
    let small = day(2, &[&[0.0]], jobs);
    let problem = small.rules(None).unwrap();
    let wspt = decisions(&play(&problem, &small, &mut Reflex(Wspt::default())).log);
    let expected = [
        at(0.0, assign(1, 1)),
        at(0.0, assign(0, 0)),
        at(6.0, assign(2, 1)),
        at(9.0, assign(3, 0)),
    ];
    assert_eq!(wspt, expected);

    let jobs = vec![
        listed(&[CANNOT, 5.0], 1.0, 0, 0.0),
        listed(&[CANNOT, 1.0], 1.0, 0, 0.0),
        listed(&[3.0, 1.0], 1.0, 1, 0.0),
    ];
    let small = day(2, &[&[0.0, 9.0], &[9.0, 0.0]], jobs);
    let problem = small.rules(None).unwrap();
    let fifo = decisions(&play(&problem, &small, &mut Reflex(Fifo)).log);
    // job 1 waits for machine 1; the younger job 2 can start on machine 0 meanwhile
    assert_eq!(fifo, [at(0.0, assign(0, 1)), at(0.0, assign(2, 0)), at(5.0, assign(1, 1))]);
}

#[test]
fn the_audit_knows_what_machines_can_do() {
    let jobs = vec![listed(&[10.0, CANNOT], 1.0, 0, 0.0), listed(&[10.0, 5.0], 1.0, 0, 0.0)];
    let small = day(2, &[&[0.0]], jobs);
    let problem = small.rules(None).unwrap();
    let audit = |orders: &[Timed<Action>]| problem.audit(&Log::of(small.events(), orders.to_vec()));
    assert_eq!(audit(&[at(0.0, assign(0, 0)), at(0.0, assign(1, 1))]), Ok(15.0));
    let violation = audit(&[at(0.0, assign(0, 1))]).unwrap_err();
    assert_eq!(violation.what, "machine 1 cannot do job 0");
    let early = audit(&[at(0.0, assign(1, 1)), at(4.0, assign(0, 0))]).unwrap();
    assert_eq!(early, 5.0 + 14.0);

    let mut by_class = generate("pmsp-unrelated-5", Seed(3), 0).unwrap();
    by_class.jobs.truncate(1);
    let problem = by_class.rules(None).unwrap();
    let factors = by_class.factors.clone().unwrap();
    let Job { processing, weight, class, arrival } = by_class.jobs[0].clone();
    for (machine, factor) in (0..).zip(factors.row(class)) {
        let log = Log::of(by_class.events(), vec![at(arrival, assign(0, machine))]);
        match factor.is_finite() {
            true => assert_eq!(problem.audit(&log), Ok(weight * factor * processing.longest())),
            false => assert!(problem.audit(&log).unwrap_err().what.contains("cannot do job 0")),
        }
    }
}

#[test]
fn any_small_day_keeps_to_the_rules() {
    for (index, (day, problem)) in (0..).zip(tinies(300, true)) {
        let events = day.events();
        testing::check(&problem, &events, Seed(index));
        testing::check_encoding(&problem, &events, Seed(index));
        testing::check_features(&problem, &events, Seed(index));
        let line = serde_json::to_string(&day).unwrap();
        assert_eq!(read(&line), Ok(day.clone()), "{line}");
        let agents: [Box<dyn Agent<Scheduling>>; 6] = [
            Box::new(Reflex(Uniform::default())),
            Box::new(Reflex(Wspt::default())),
            Box::new(Reflex(Fifo)),
            Box::new(Reflex(InsertionPlan::default())),
            Box::new(Replan::<Scheduling, _>::new(WsptPlan::default(), When::Always)),
            Box::new(Replan::<Scheduling, _>::new(Ruin::default(), When::Always)),
        ];
        for mut agent in agents {
            let played = play(&problem, &day, agent.as_mut());
            let off = (played.cost - played.audited).abs();
            assert!(off <= 1e-9 * played.cost.max(1.0), "{line}");
            let picture = solo_pmsp::picture::gantt(&problem, &played.log, "a day");
            assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN"));
            assert!(!picture.contains("inf"), "{line}");
            assert_eq!(picture.matches("<title>job ").count(), day.jobs.len(), "{line}");
        }
    }
}

/// The least cost of all plans, each tried: every order of jobs, each on every machine.
fn brute(problem: &Scheduling, instance: &Instance) -> f64 {
    fn go(problem: &Scheduling, instance: &Instance, plan: &mut Plan, best: &mut f64) {
        let left: Vec<u32> = instance.jobs.iter().map(|job| job.id).collect();
        let planned = plan.sequences.concat();
        let left: Vec<u32> = left.into_iter().filter(|job| !planned.contains(job)).collect();
        if left.is_empty() {
            if let Ok(cost) = plan_cost(problem, instance, plan) {
                *best = best.min(cost);
            }
            return;
        }
        for job in left {
            for machine in 0..plan.sequences.len() {
                plan.sequences[machine].push(job);
                go(problem, instance, plan, best);
                plan.sequences[machine].pop();
            }
        }
    }
    let mut best = f64::INFINITY;
    let mut plan = Plan { sequences: vec![Vec::new(); instance.machines.len()] };
    go(problem, instance, &mut plan, &mut best);
    best
}

#[test]
fn the_exact_optimum_is_the_best_of_all_plans_and_ruin_finds_it() {
    for late in [false, true] {
        for (index, (day, problem)) in (0..).zip(tinies(200, late)) {
            let instance = whole_day(&problem, &day.events());
            let (plan, cost) = exact(&problem, &instance).unwrap();
            assert_eq!(plan_cost(&problem, &instance, &plan), Ok(cost), "{index}");
            if instance.jobs.len() <= 4 {
                assert_eq!(cost, brute(&problem, &instance), "{index}");
            }
            let mut rng = Seed(index).stream(Stream::Agent, 0);
            let (_, found) = meter(Budget::Rollouts(1_500), |meter| {
                let mut ruin = Ruin::default();
                ruin.improve(&problem, &instance, None, meter, &mut rng, &mut |_, _| {}).unwrap()
            });
            assert_eq!(found, cost, "day {index}: {}", serde_json::to_string(&day).unwrap());
            let (orders, known) = meter(Budget::Rollouts(1_500), |meter| {
                hindsight(&problem, &day.events(), meter, &mut rng).unwrap()
            });
            assert_eq!(known, cost, "{index}");
            assert_eq!(problem.audit(&Log::of(day.events(), orders)), Ok(cost), "{index}");
        }
    }
}

#[test]
fn a_plan_of_what_a_machine_cannot_do_is_refused_or_mended() {
    let jobs = vec![listed(&[10.0, CANNOT], 1.0, 0, 0.0), listed(&[10.0, 5.0], 1.0, 0, 0.0)];
    let small = day(2, &[&[0.0]], jobs);
    let problem = small.rules(None).unwrap();
    let instance = whole_day(&problem, &small.events());
    let wrong = Plan { sequences: vec![vec![1], vec![0]] };
    let error = plan_cost(&problem, &instance, &wrong).unwrap_err();
    assert_eq!(error, "machine 1 cannot do job 0");
    let mut rng = Seed(1).stream(Stream::Agent, 0);
    let (_, cost) = meter(Budget::Rollouts(50), |meter| {
        let mut ruin = Ruin::default();
        ruin.improve(&problem, &instance, Some(&wrong), meter, &mut rng, &mut |_, _| {}).unwrap()
    });
    assert_eq!(cost, 15.0);
    // followed to the letter it would be stuck
    let mut plan = wrong;
    let mut world = World::open(&problem, small.events());
    while !world.done() {
        let action = problem.follow(world.state(), &mut plan);
        world.act(action).unwrap();
    }
    assert_eq!(world.cost(), 10.0 + 20.0);
}

type Make = fn() -> Box<dyn Agent<Scheduling>>;

#[test]
fn times_by_machine_that_are_equal_are_no_times_by_machine() {
    for (index, preset) in ["pmsp-20", "pmsp-online-3", "pmsp-online-10"].iter().enumerate() {
        let plain = generate(preset, Seed(17), 0).unwrap();
        let (mut lists, mut factors) = (plain.clone(), plain.clone());
        for job in &mut lists.jobs {
            let same = vec![job.processing.longest(); plain.machines];
            job.processing = Processing::ByMachine(same.into());
        }
        let flat = vec![1.0; plain.setup.classes * plain.machines];
        factors.factors = Some(Arc::new(Factors { machines: plain.machines, flat }));
        for day in [lists, factors] {
            assert!(!day.unrelated());
            let (one, other) =
                (plain.rules(Some(preset)).unwrap(), day.rules(Some(preset)).unwrap());
            let agents: [Make; 5] = [
                || Box::new(Reflex(Uniform::default())),
                || Box::new(Reflex(Wspt::default())),
                || Box::new(Reflex(Fifo)),
                || Box::new(Reflex(InsertionPlan::default())),
                || Box::new(Replan::<Scheduling, _>::new(Ruin::default(), When::Always)),
            ];
            for agent in agents {
                let (a, b) =
                    (play(&one, &plain, agent().as_mut()), play(&other, &day, agent().as_mut()));
                assert_eq!((a.cost, a.audited), (b.cost, b.audited), "{index}");
                assert_eq!(decisions(&a.log), decisions(&b.log), "{index}");
            }
        }
    }
}

#[test]
fn no_agent_of_this_crate_sees_the_future() {
    let makers: [(&str, MakeAgent<'_, Scheduling>); 4] = [
        ("fifo", &mut |_| Box::new(Reflex(Fifo))),
        ("wspt", &mut |_| Box::new(Reflex(Wspt::default()))),
        ("insertion", &mut |_| Box::new(Reflex(InsertionPlan::default()))),
        ("ruin", &mut |_| Box::new(Replan::new(Ruin::default(), When::Always))),
    ];
    for (name, make) in makers {
        for index in 0..3 {
            let scenario = generate("pmsp-unrelated-5", Seed(21), index).unwrap();
            let problem = scenario.rules(Some("pmsp-unrelated-5")).unwrap();
            let (events, budget) = (scenario.events(), Budget::Rollouts(10));
            testing::fork(&problem, &events, make, budget, Seed(index), &|k| k % 5 == 0)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn networks_see_the_time_on_the_machine() {
    let jobs = vec![listed(&[10.0, CANNOT], 1.0, 0, 0.0), listed(&[50.0, 20.0], 2.0, 1, 0.0)];
    let small = day(2, &[&[0.0, 7.0], &[3.0, 0.0]], jobs);
    let problem = small.rules(None).unwrap();
    let world = World::open(&problem, small.events());
    let mut graph = Graph::default();
    problem.encode(world.state(), FeatureSet::Base, &mut graph);
    assert_eq!(graph.edges, [[0, 2], [0, 3], [1, 2], [1, 3]]);
    let edges = [[0.0, 0.1, 1.0], [0.0, 0.0, 0.0], [0.0, 0.5, 1.0], [0.0, 0.2, 1.0]];
    assert_eq!(graph.edge_features, edges.concat());
    assert_eq!(graph.node_features[10], 0.2, "a job's own time is that of the fastest machine");

    let shape = |preset| {
        let day = generate(preset, Seed(1), 0).unwrap();
        let problem = day.rules(Some(preset)).unwrap();
        (problem.shape(FeatureSet::Base), problem)
    };
    let ((unrelated, problem), (identical, _)) =
        (shape("pmsp-unrelated-5"), shape("pmsp-online-3"));
    assert_eq!((unrelated.edge, identical.edge), (3, 1));
    let words = problem.shapes_in_words(identical, unrelated);
    assert_eq!(words, ("identical machines".to_string(), "unrelated machines".to_string()));
}

#[test]
fn events_that_machines_have_no_place_for_are_refused() {
    let small = day(2, &[&[0.0]], vec![listed(&[10.0, CANNOT], 1.0, 0, 0.0)]);
    let problem = small.rules(None).unwrap();
    let state = problem.initial();
    let objection = |times: &[f64]| {
        let processing = Processing::ByMachine(times.into());
        problem.objection(&state, &Event::Job { id: 0, processing, weight: 1.0, class: 0 })
    };
    assert_eq!(objection(&[3.0, CANNOT]), None);
    for (times, why) in [
        (&[3.0][..], "times for 1 machines of 2"),
        (&[CANNOT, CANNOT], "no machine that can do it"),
        (&[3.0, -1.0], "a time that is not from 0 to"),
        (&[3.0, f64::NAN], "a time that is not from 0 to"),
        (&[3.0, f64::NEG_INFINITY], "a time that is not from 0 to"),
    ] {
        let said = objection(times).unwrap();
        assert!(said.contains(why), "{said}");
    }
}
