//! Ruin and recreate, the clairvoyant and the exact optimum.

mod shared;

use allocation_counter::measure;
use solo_core::{
    Agent, Audit, Budget, Clock, Decision, Failure, Log, Meter, Offline, Replan, Rng, Scenario,
    Seed, Solver, Stream, SystemClock, Timed, When, World,
};
use solo_pmsp::hindsight::{decisions, whole_day};
use solo_pmsp::presets::generate;
use solo_pmsp::{
    Action, Event, Instance, Job, Law, Plan, Ready, Ruin, Scheduling, SchedulingDay, Setup, State,
    WsptPlan, exact, hindsight, plan_cost,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

fn meter<R>(budget: Budget, run: impl FnOnce(&Meter<'_>) -> R) -> R {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    run(&Meter::start(budget, &clock, &stop))
}

/// A clock that moves on by some microseconds with every look at it: what is done by it is the same on every machine.
struct Ticking(u64, AtomicU64);

impl Clock for Ticking {
    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.1.fetch_add(self.0, Ordering::Relaxed))
    }
}

fn rng(index: u64) -> Rng {
    Seed(77).stream(Stream::Agent, index)
}

fn improve(
    problem: &Scheduling,
    instance: &Instance,
    start: Option<&Plan>,
    rollouts: u64,
    index: u64,
) -> (Plan, f64) {
    meter(Budget::Rollouts(rollouts), |meter| {
        Ruin::default()
            .improve(problem, instance, start, meter, &mut rng(index), &mut |_, _| {})
            .unwrap()
    })
}

/// A few jobs, few classes, setups with or without the triangle inequality; `late` spreads the arrivals.
fn tiny(rng: &mut Rng, late: bool) -> SchedulingDay {
    let classes = 1 + rng.below(3);
    let longest = if rng.below(2) == 0 { 50 } else { 9 };
    let mut flat = vec![0.0; classes * classes];
    for (i, time) in flat.iter_mut().enumerate() {
        if i / classes != i % classes {
            *time = rng.between(0, longest) as f64;
        }
    }
    let machines = 1 + rng.below(3);
    let jobs = (0..1 + rng.below(8)).map(|_| Job {
        processing: (rng.between(1, 20) as f64).into(),
        weight: rng.between(0, 9) as f64,
        class: rng.below(classes) as u32,
        arrival: if late { rng.between(0, 60) as f64 } else { 0.0 },
    });
    let mut scenario = SchedulingDay {
        name: "tiny".to_string(),
        machines,
        horizon: 60.0,
        setup: Arc::new(Setup { classes, flat }),
        factors: None,
        jobs: jobs.collect(),
    };
    scenario.sort();
    scenario
}

/// Machines that have been at work, some still busy.
fn occupy(instance: &mut Instance, rng: &mut Rng) {
    for machine in &mut instance.machines {
        *machine = Ready {
            at: 30.0 + rng.between(0, 40) as f64,
            class: (rng.below(3) > 0).then(|| rng.below(instance.setup.classes) as u32),
        };
    }
}

/// The cheapest of all plans, each tried: for instances of at most five jobs.
fn brute_force(problem: &Scheduling, instance: &Instance) -> f64 {
    fn place(problem: &Scheduling, instance: &Instance, plan: &mut Plan, next: usize) -> f64 {
        let Some(job) = instance.jobs.get(next) else {
            return plan_cost(problem, instance, plan).unwrap();
        };
        let mut best = f64::INFINITY;
        for machine in 0..instance.machines.len() {
            for at in 0..=plan.sequences[machine].len() {
                plan.sequences[machine].insert(at, job.id);
                best = best.min(place(problem, instance, plan, next + 1));
                plan.sequences[machine].remove(at);
            }
        }
        best
    }
    let mut plan = Plan { sequences: vec![Vec::new(); instance.machines.len()] };
    place(problem, instance, &mut plan, 0)
}

/// Many small instances of every kind: jobs all there or still to come, machines fresh, used or busy.
fn tiny_instances(count: u64) -> impl Iterator<Item = (u64, Scheduling, Instance)> {
    (0..count).map(|index| {
        let mut rng = Seed(index).stream(Stream::Scenario, 1);
        let scenario = tiny(&mut rng, index % 2 == 0);
        let problem = Scheduling::new(&scenario, Law::Unknown);
        let mut instance = whole_day(&problem, &scenario.events());
        if index % 4 >= 2 {
            occupy(&mut instance, &mut rng);
        }
        (index, problem, instance)
    })
}

#[test]
fn exact_equals_brute_force() {
    for (index, problem, mut instance) in tiny_instances(300) {
        instance.jobs.truncate(5);
        let (plan, cost) = exact(&problem, &instance).unwrap();
        assert_eq!(plan_cost(&problem, &instance, &plan), Ok(cost), "{index}");
        assert_eq!(cost, brute_force(&problem, &instance), "{index}");
    }
}

#[test]
fn exact_takes_twelve_jobs_and_refuses_many() {
    let mut scenario = generate("pmsp-20", Seed(3), 0).unwrap();
    let problem = Scheduling::new(&scenario, Law::Unknown);
    assert_eq!(exact(&problem, &whole_day(&problem, &scenario.events())), None);
    scenario.jobs.truncate(12);
    let instance = whole_day(&problem, &scenario.events());
    let (_, cost) = exact(&problem, &instance).unwrap();
    assert_eq!(improve(&problem, &instance, None, 3_000, 0).1, cost);
}

#[test]
fn ruin_reaches_the_optimum_of_tiny_instances() {
    for (index, problem, instance) in tiny_instances(600) {
        let (plan, cost) = improve(&problem, &instance, None, 1_500, index);
        assert_eq!(plan_cost(&problem, &instance, &plan), Ok(cost), "{index}");
        assert_eq!(cost, exact(&problem, &instance).unwrap().1, "{index}");
    }
}

#[test]
fn hindsight_reaches_the_optimum_of_tiny_days_and_passes_the_audit() {
    for index in 0..150 {
        let scenario = tiny(&mut Seed(index).stream(Stream::Scenario, 2), true);
        let problem = Scheduling::new(&scenario, Law::Unknown);
        let arrivals = scenario.events();
        let (orders, cost) = meter(Budget::Rollouts(1_500), |meter| {
            hindsight(&problem, &arrivals, meter, &mut rng(index)).unwrap()
        });
        assert_eq!(problem.audit(&Log::of(arrivals.clone(), orders.clone())), Ok(cost), "{index}");
        assert_eq!(cost, exact(&problem, &whole_day(&problem, &arrivals)).unwrap().1, "{index}");
    }
}

#[test]
fn hindsight_needs_no_numbers_in_order_of_arrival() {
    for index in 0..150 {
        let scenario = tiny(&mut Seed(index).stream(Stream::Scenario, 2), true);
        let problem = Scheduling::new(&scenario, Law::Unknown);
        let mut events = scenario.events();
        let best = exact(&problem, &whole_day(&problem, &events)).unwrap().1;
        for event in &mut events {
            let Event::Job { id, .. } = &mut event.what;
            *id = (*id * 7 + 3) % 11 * 5; // at most eight jobs: out of order, and with gaps
        }
        let instance = whole_day(&problem, &events);
        assert!(instance.jobs.is_sorted_by_key(|job| job.id), "{index}");
        let (orders, cost) = meter(Budget::Rollouts(1_500), |meter| {
            hindsight(&problem, &events, meter, &mut rng(index)).unwrap()
        });
        assert_eq!(problem.audit(&Log::of(events, orders)), Ok(cost), "{index}");
        assert_eq!(cost, best, "{index}");
    }
}

#[test]
fn hindsight_of_a_whole_day_is_below_any_rule_and_is_carried_out_exactly() {
    for preset in ["pmsp-online-3", "pmsp-online-10"] {
        let scenario = generate(preset, Seed(41), 0).unwrap();
        let problem = scenario.rules(Some(preset)).unwrap();
        let arrivals = scenario.events();
        let (orders, cost) = meter(Budget::Rollouts(3_000), |meter| {
            hindsight(&problem, &arrivals, meter, &mut rng(0)).unwrap()
        });
        assert_eq!(problem.audit(&Log::of(arrivals.clone(), orders.clone())), Ok(cost));
        let mut replan = Replan::<Scheduling, _>::new(Ruin::default(), When::Always);
        let online = live(&problem, &arrivals, &mut replan, 200);
        assert!(cost < online, "{preset}: {cost} {online}");

        // the world grants every order at its time
        let mut world = World::open(&problem, arrivals.clone());
        let mut left = &orders[..];
        while !world.done() {
            let (now, due) =
                (world.state().now, left.first().filter(|o| o.time <= world.state().now));
            let action = due.map_or(Action::Wait, |order| order.what);
            left = &left[usize::from(due.is_some())..];
            world.act(action).unwrap_or_else(|error| panic!("{now}: {error}"));
        }
        assert_eq!(world.cost(), cost);
    }
}

fn live(
    problem: &Scheduling,
    arrivals: &[Timed<Event>],
    agent: &mut dyn Agent<Scheduling>,
    rollouts: u64,
) -> f64 {
    let mut world = World::open(problem, arrivals.to_vec());
    let mut rng = rng(9);
    while !world.done() {
        let decision = meter(Budget::Rollouts(rollouts), |meter| {
            agent.decide(problem, world.state(), meter, &mut rng).unwrap()
        });
        world.act(decision.action).unwrap();
    }
    let cost = world.cost();
    assert_eq!(problem.audit(world.log()), Ok(cost));
    cost
}

/// Follows one plan from the first decision to the end.
struct Once(Plan);

impl Agent<Scheduling> for Once {
    fn decide(
        &mut self,
        problem: &Scheduling,
        state: &State,
        _meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> Result<Decision<Action>, Failure> {
        Ok(Decision::plain(problem.follow(state, &mut self.0), 0))
    }
}

#[test]
fn following_a_plan_costs_what_the_plan_says() {
    for index in 0..60 {
        let scenario = match index % 3 {
            0 => generate("pmsp-20", Seed(8), index).unwrap(),
            1 => generate("pmsp-online-10", Seed(8), index).unwrap(),
            _ => tiny(&mut Seed(index).stream(Stream::Scenario, 3), true),
        };
        let problem = Scheduling::new(&scenario, Law::Unknown);
        let arrivals = scenario.events();
        let instance = whole_day(&problem, &arrivals);
        let (plan, cost) = improve(&problem, &instance, None, 300, index);
        let orders = decisions(&problem, &instance, &plan).unwrap();
        assert_eq!(problem.audit(&Log::of(arrivals.clone(), orders.clone())), Ok(cost), "{index}");
        let followed = live(&problem, &arrivals, &mut Once(plan), 1);
        assert_eq!(followed, cost, "{index}");
    }
}

#[test]
fn never_worse_than_the_start_and_better_with_time() {
    for (preset, gained) in [("pmsp-20", 0.057_78), ("pmsp-80", 0.068_74)] {
        let scenario = generate(preset, Seed(4), 0).unwrap();
        let problem = Scheduling::new(&scenario, Law::Unknown);
        let instance = whole_day(&problem, &scenario.events());
        let wspt = WsptPlan::default().plan(&problem, &instance).unwrap();
        let rule = plan_cost(&problem, &instance, &wspt).unwrap();
        let (mut plan, mut cost) = improve(&problem, &instance, None, 0, 0);
        assert!(cost <= rule, "without any budget: {cost} {rule}");
        for round in 1..20 {
            let (next, least) = improve(&problem, &instance, Some(&plan), round * round, round);
            assert!(least <= cost, "{preset}: {least} after {cost}");
            (plan, cost) = (next, least);
        }
        // the same on every machine but for the last bit of `ln` and `powf`, by which another move may be accepted:
        // in 2,470 iterations that is hardly ever worth a thousandth of the cost
        let share = 1.0 - cost / rule;
        assert!((share - gained).abs() < 1e-3, "{preset}: {share} of {rule} gained");
    }
}

#[test]
fn a_broken_start_is_repaired() {
    let scenario = generate("pmsp-20", Seed(4), 1).unwrap();
    let problem = Scheduling::new(&scenario, Law::Unknown);
    let instance = whole_day(&problem, &scenario.events());
    let broken =
        Plan { sequences: vec![vec![3, 99, 3, 4], Vec::new(), vec![4, 5], vec![6], vec![7]] };
    assert!(plan_cost(&problem, &instance, &broken).is_err());
    let (plan, cost) = improve(&problem, &instance, Some(&broken), 10, 0);
    assert_eq!(plan_cost(&problem, &instance, &plan), Ok(cost));
}

#[test]
fn nothing_to_plan_and_nobody_to_plan_for() {
    let scenario = generate("pmsp-20", Seed(4), 1).unwrap();
    let problem = Scheduling::new(&scenario, Law::Unknown);
    let mut instance = whole_day(&problem, &[]);
    let empty = Plan { sequences: vec![Vec::new(); 3] };
    assert_eq!(improve(&problem, &instance, None, 100, 0), (empty, 0.0));
    assert_eq!(exact(&problem, &instance).unwrap().1, 0.0);
    instance = whole_day(&problem, &scenario.events());
    instance.machines.clear();
    let result =
        meter(Budget::Rollouts(9), |m| Ruin::default().solve(&problem, &instance, m, &mut rng(0)));
    assert!(result.is_err());
    assert_eq!(exact(&problem, &instance), None);
}

#[test]
fn a_huge_instance_is_started_by_appending_and_improved_all_the_same() {
    for (late, expected) in [
        (0.0, (907_345_272_330.0, 907_180_899_382.0)),
        (10.0, (382_203_201_742.0, 381_946_695_299.0)),
    ] {
        let mut draw = rng(3);
        let jobs = (0..200_000).map(|i| Job {
            processing: (draw.between(1, 100) as f64).into(),
            weight: draw.between(1, 10) as f64,
            class: draw.below(5) as u32,
            arrival: f64::from(i) * late,
        });
        let setup = Arc::new(Setup::by_next(&[5.0, 10.0, 20.0, 30.0, 40.0]));
        let name = "huge".to_string();
        let scenario = SchedulingDay {
            name,
            machines: 5,
            horizon: 1e9,
            setup,
            factors: None,
            jobs: jobs.collect(),
        };
        let problem = Scheduling::new(&scenario, Law::Unknown);
        let instance = whole_day(&problem, &scenario.events());
        let (start, before) = improve(&problem, &instance, None, 0, 0);
        let (plan, cost) = improve(&problem, &instance, Some(&start), 5, 0);
        assert_eq!(plan_cost(&problem, &instance, &plan), Ok(cost));
        // whole numbers: the start is the same to the bit; five moves are too, unless the last bit of `ln` decides
        assert_eq!(before, expected.0);
        assert!((cost / expected.1 - 1.0).abs() < 1e-6, "{cost}");
    }
}

#[test]
fn plans_that_break_the_rules_are_named() {
    let scenario = generate("pmsp-20", Seed(4), 1).unwrap();
    let problem = Scheduling::new(&scenario, Law::Unknown);
    let instance = whole_day(&problem, &scenario.events()[..3]);
    let complain =
        |sequences: Vec<Vec<u32>>| plan_cost(&problem, &instance, &Plan { sequences }).unwrap_err();
    assert!(complain(vec![vec![0], vec![1]]).contains("2 machines"));
    assert!(complain(vec![vec![0], vec![1], vec![]]).contains("job 2 is not planned"));
    assert!(complain(vec![vec![0, 1], vec![1, 2], vec![]]).contains("second time"));
    assert!(complain(vec![vec![0, 1], vec![7, 2], vec![]]).contains("no open job 7"));
}

#[test]
fn the_sink_sees_every_plan_better_than_the_last() {
    let scenario = generate("pmsp-80", Seed(4), 2).unwrap();
    let problem = Scheduling::new(&scenario, Law::Unknown);
    let instance = whole_day(&problem, &scenario.events());
    let mut seen = Vec::new();
    let (clock, stop) = (Ticking(500, 0.into()), AtomicBool::new(false));
    let meter = Meter::start(Budget::Wall(Duration::from_millis(150)), &clock, &stop);
    let mut sink = |plan: &Plan, cost: f64| {
        assert_eq!(plan_cost(&problem, &instance, plan), Ok(cost));
        seen.push((plan.clone(), cost));
    };
    let (plan, cost) =
        Ruin::default().improve(&problem, &instance, None, &meter, &mut rng(0), &mut sink).unwrap();
    // 300 looks at the clock, two or three for each batch of 25 iterations; of 150 ms the first plan, then at most one
    // every 20 ms, then the last: 9 at most, and here 7 of them are better than the one before
    assert_eq!((meter.spent(), seen.len()), (2_825, 7));
    // another move may be accepted by the last bit of `ln`: not worth a thousandth of the cost
    assert!((cost / 219_435.0 - 1.0).abs() < 1e-3, "{cost}");
    assert!(seen.is_sorted_by(|a, b| a.1 > b.1));
    assert_eq!(seen.last(), Some(&(plan, cost)));
}

#[test]
fn budgets_are_kept() {
    let scenario = generate("pmsp-80", Seed(4), 3).unwrap();
    let problem = Scheduling::new(&scenario, Law::Unknown);
    let instance = whole_day(&problem, &scenario.events());
    for limit in [0, 1, 7, 1_000] {
        let (same, again) = (improve(&problem, &instance, None, limit, 5), limit);
        assert_eq!(
            same,
            improve(&problem, &instance, None, again, 5),
            "the same rng, the same plan"
        );
        let spent = meter(Budget::Rollouts(limit), |meter| {
            let mut ruin = Ruin::default();
            ruin.solve(&problem, &instance, meter, &mut rng(0)).unwrap();
            meter.spent()
        });
        assert_eq!(spent, limit);
    }
    let (clock, stop) = (Ticking(1, 0.into()), AtomicBool::new(false));
    let meter = Meter::start(Budget::Wall(Duration::from_micros(300)), &clock, &stop);
    Ruin::default().solve(&problem, &instance, &meter, &mut rng(0)).unwrap();
    // two looks for each batch of 25 iterations, and some before, so that there are 146 then: a batch must be short
    assert_eq!(meter.spent(), 25 * 146);
    let stop = AtomicBool::new(true);
    let meter = Meter::start(Budget::Wall(Duration::from_secs(600)), &clock, &stop);
    Ruin::default().solve(&problem, &instance, &meter, &mut rng(0)).unwrap();
    assert_eq!(meter.spent(), 0);
}

#[test]
fn the_warm_loop_allocates_nothing() {
    for preset in ["pmsp-80", "pmsp-online-3"] {
        let scenario = generate(preset, Seed(4), 4).unwrap();
        let problem = Scheduling::new(&scenario, Law::Unknown);
        let instance = whole_day(&problem, &scenario.events());
        let mut ruin = Ruin::default();
        let mut count = |rollouts| {
            // a clock that stands still: no plan is handed on but the first and the last
            let (clock, stop) = (Ticking(0, 0.into()), AtomicBool::new(false));
            let meter = Meter::start(Budget::Rollouts(rollouts), &clock, &stop);
            let start = Some(&Plan::default());
            let (mut rng, mut handed_on) = (rng(0), 0);
            let counted = measure(|| {
                let mut sink = |_: &Plan, _| handed_on += 1;
                ruin.improve(&problem, &instance, start, &meter, &mut rng, &mut sink).unwrap();
            });
            assert_eq!(handed_on, 2, "{preset}");
            counted.count_total
        };
        // undoing swaps lines with their copies, so that it takes a few runs until every buffer has grown
        for _ in 0..4 {
            count(2_000);
        }
        assert_eq!(count(10), count(2_000), "{preset}");
    }
}

#[test]
fn replanning_starts_from_the_last_plan() {
    let scenario = generate("pmsp-80", Seed(4), 5).unwrap();
    let problem = Scheduling::new(&scenario, Law::Unknown);
    let arrivals = scenario.events();
    let mut replan = Replan::<Scheduling, _>::new(Ruin::default(), When::Always);
    // a good plan at first, then no time at all: following on costs what the first plan said
    let mut world = World::open(&problem, arrivals.clone());
    let (mut rng, mut again) = (rng(1), rng(1));
    let mut promised = f64::INFINITY;
    while !world.done() {
        let first = world.log().decisions().next().is_none();
        let budget = Budget::Rollouts(if first { 2_000 } else { 0 });
        let decision =
            meter(budget, |m| replan.decide(&problem, world.state(), m, &mut rng).unwrap());
        if first {
            let instance = problem.snapshot(world.state());
            promised = meter(budget, |m| {
                let mut ruin = Ruin::default();
                let plan = ruin.solve(&problem, &instance, m, &mut again).unwrap();
                plan_cost(&problem, &instance, &plan).unwrap()
            });
        }
        world.act(decision.action).unwrap();
    }
    assert_eq!(world.cost(), promised);
}
