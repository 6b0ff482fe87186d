//! Algorithm 1 does what it says.

use allocation_counter::measure;
use solo_core::{
    Agent, Budget, Clock, Decision, Domain, Guide, Menu, Meter, Offline, Policy, Problem, Seed,
    Stream, SystemClock, Time, Uniform, World,
};
use solo_cvrp::rules::{Distance, Nearest};
use solo_cvrp::{Cvrp, Routing};
use solo_pmsp::{Pmsp, Scheduling, Wspt};
use solo_search::{Answer, Futures, Settings, Uct};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Explores enough to find the optimum of tiny instances; less may settle on a good path for a very long time.
const THOROUGH: Settings = Settings { beta: 3.0, k: 0, ..Settings::DEFAULT };

fn scheduling(preset: &str, seed: u64, jobs: usize, machines: usize) -> solo_pmsp::Scenario {
    let mut scenario = Pmsp::generate(preset, Seed(seed), 0).unwrap();
    while scenario.jobs.len() < jobs {
        scenario.jobs.extend_from_within(..);
    }
    scenario.jobs.truncate(jobs);
    scenario.machines = machines;
    scenario
}

fn routing(preset: &str, seed: u64, customers: usize, capacity: u32) -> solo_cvrp::Scenario {
    let mut scenario = Cvrp::generate(preset, Seed(seed), 0).unwrap();
    while scenario.customers.len() < customers {
        let more = Cvrp::generate(preset, Seed(seed), scenario.customers.len() as u64).unwrap();
        scenario.customers.extend(more.customers);
    }
    scenario.customers.truncate(customers);
    scenario.capacity = capacity;
    scenario
}

fn decide<P: Problem, G: Guide<P>>(
    uct: &mut Uct<P, G>,
    problem: &P,
    state: &P::State,
    rollouts: u64,
    seed: u64,
) -> Decision<P::Action> {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let meter = Meter::start(Budget::Rollouts(rollouts), &clock, &stop);
    uct.decide(problem, state, &meter, &mut Seed(seed).stream(Stream::Agent, 0)).unwrap()
}

/// The first state of a day in which a decision is due between `least` or more actions.
fn state_with<D: Domain>(
    problem: &D::Problem,
    scenario: &D::Scenario,
    least: usize,
) -> <D::Problem as Problem>::State {
    let mut world = World::open(problem, D::arrivals(scenario));
    let mut policy = Uniform::<D::Problem>::default();
    let mut menu = Menu::default();
    let mut rng = Seed(1).stream(Stream::Agent, 0);
    loop {
        assert!(!world.done(), "no such state");
        problem.menu(world.state(), &mut menu);
        if menu.legal().len() >= least {
            return world.state().clone();
        }
        let action = policy.choose(problem, world.state(), &mut rng);
        world.act(action).unwrap();
    }
}

/// Lives an offline day with so many rollouts a decision.
fn live<D: Domain, G: Guide<D::Problem> + Default>(
    problem: &D::Problem,
    scenario: &D::Scenario,
    settings: Settings,
    rollouts: u64,
) -> f64 {
    let mut world = World::open(problem, D::arrivals(scenario));
    let mut uct = Uct::new(G::default(), settings);
    let mut index = 0;
    while !world.done() {
        let action = decide(&mut uct, problem, world.state(), rollouts, index).action;
        world.act(action).unwrap();
        index += 1;
    }
    world.cost()
}

#[test]
fn golden_tree() {
    let scenario = scheduling("pmsp-online-3", 3, 12, 2);
    let problem = Pmsp::problem(&scenario, Some("pmsp-online-3")).unwrap();
    let state = state_with::<Pmsp>(&problem, &scenario, 5);
    let mut uct = Uct::new(
        Wspt::default(),
        Settings { beta: 1.0, k: 4, lookahead: 150.0, ..Settings::DEFAULT },
    );
    decide(&mut uct, &problem, &state, 60, 7);
    let found: Vec<String> = uct
        .root(&problem, &state)
        .iter()
        .map(|known| format!("{}: {} {:.6}", known.action, known.visits, known.mean))
        .collect();
    assert_eq!(found, GOLDEN);
}

const GOLDEN: [&str; 4] = [
    "job 1 on machine 0: 21 3039.142857",
    "job 1 on machine 1: 12 3255.500000",
    "job 2 on machine 0: 15 2970.000000",
    "job 2 on machine 1: 12 3223.166667",
];

#[test]
fn converges_to_the_optimum_in_scheduling() {
    for seed in 0..5 {
        let scenario = scheduling("pmsp-20", seed, 6, 2);
        let problem = Pmsp::problem(&scenario, None).unwrap();
        let day = solo_pmsp::hindsight::whole_day(&problem, &Pmsp::arrivals(&scenario));
        let (_, optimum) = solo_pmsp::exact(&problem, &day).unwrap();
        let cost = live::<Pmsp, Wspt>(&problem, &scenario, THOROUGH, 20_000);
        assert!((cost - optimum).abs() < 1e-6, "seed {seed}: {cost} against {optimum}");

        let world = World::open(&problem, Pmsp::arrivals(&scenario));
        let mut uct = Uct::new(Wspt::default(), THOROUGH);
        let decision = decide(&mut uct, &problem, world.state(), 50_000, 1);
        let mean = decision.evidence.unwrap().candidates[0].mean;
        assert!(mean >= optimum - 1e-6 && mean < 1.05 * optimum, "{mean} against {optimum}");
    }
}

#[test]
fn converges_to_the_optimum_in_routing() {
    for seed in 0..5 {
        let scenario = routing("cvrp-20", seed, 5, 12);
        let problem = Cvrp::problem(&scenario, None).unwrap();
        let world = World::open(&problem, Cvrp::arrivals(&scenario));
        let optimum =
            solo_cvrp::exact::optimum(&problem, &problem.snapshot(world.state())).unwrap();
        let cost = live::<Cvrp, Nearest>(&problem, &scenario, THOROUGH, 20_000);
        assert!((cost - optimum).abs() < 1e-6, "nearest, seed {seed}: {cost} against {optimum}");
        let cost = live::<Cvrp, Distance>(&problem, &scenario, THOROUGH, 20_000);
        assert!((cost - optimum).abs() < 1e-6, "distance, seed {seed}: {cost} against {optimum}");
    }
}

#[test]
fn the_same_rollouts_give_the_same_decision() {
    let scenario = routing("cvrp-online-20", 5, 20, 30);
    let problem = Cvrp::problem(&scenario, Some("cvrp-online-20")).unwrap();
    let state = state_with::<Cvrp>(&problem, &scenario, 4);
    for futures in [Futures::Common, Futures::Fresh] {
        let settings = Settings { futures, ..Settings::DEFAULT };
        let mut uct = Uct::new(Distance::default(), settings);
        let once = decide(&mut uct, &problem, &state, 300, 9);
        assert_eq!(once, decide(&mut uct, &problem, &state, 300, 9), "with warm buffers");
        let mut fresh = Uct::new(Distance::default(), settings);
        assert_eq!(once, decide(&mut fresh, &problem, &state, 300, 9), "with new buffers");
        assert_eq!(once.rollouts, 300);
        let visits: u64 = once.evidence.unwrap().candidates.iter().map(|c| c.visits).sum();
        assert_eq!(visits, 300);
    }
}

fn allocations<D: Domain, G: Guide<D::Problem> + Default>(preset: &str) -> u64 {
    let scenario = D::generate(preset, Seed(2), 0).unwrap();
    let problem = D::problem(&scenario, Some(preset)).unwrap();
    let state = state_with::<D>(&problem, &scenario, 3);
    let mut uct = Uct::new(G::default(), Settings::DEFAULT);
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut search = || {
        let meter = Meter::start(Budget::Rollouts(500), &clock, &stop);
        uct.forget();
        uct.search(&problem, &state, &meter, &mut Seed(3).stream(Stream::Agent, 0));
        assert_eq!(meter.spent(), 500);
    };
    search();
    measure(search).count_total
}

#[test]
fn warm_rollouts_allocate_nothing() {
    assert_eq!(allocations::<Pmsp, Wspt>("pmsp-80"), 0);
    assert_eq!(allocations::<Pmsp, Wspt>("pmsp-online-10"), 0);
    assert_eq!(allocations::<Cvrp, Distance>("cvrp-100"), 0);
    assert_eq!(allocations::<Cvrp, Uniform<Routing>>("cvrp-online-50"), 0);
}

#[test]
fn pruning_keeps_the_guides_best() {
    let scenario = scheduling("pmsp-20", 1, 8, 2);
    let problem = Pmsp::problem(&scenario, None).unwrap();
    let world = World::open(&problem, Pmsp::arrivals(&scenario));
    let (mut menu, mut values) = (Menu::default(), Vec::new());
    problem.menu(world.state(), &mut menu);
    Wspt::default().values(&problem, world.state(), &menu, &mut values);
    let mut best = menu.legal().to_vec();
    best.sort_by(|&a, &b| values[b as usize].total_cmp(&values[a as usize]));
    for (k, wanted) in [(0, menu.legal().len()), (3, 3), (100, menu.legal().len())] {
        let mut uct = Uct::new(Wspt::default(), Settings { k, ..Settings::DEFAULT });
        let decision = decide(&mut uct, &problem, world.state(), 200, 1);
        let known = uct.root(&problem, world.state());
        assert_eq!(known.len(), wanted);
        for (known, slot) in known.iter().zip(&best) {
            assert_eq!(known.action, menu.actions()[*slot as usize]);
        }
        let candidates = decision.evidence.unwrap().candidates;
        assert_eq!(candidates.len(), menu.len());
        assert_eq!(candidates[0].action, decision.action);
        let pruned = candidates.iter().filter(|c| c.masked.is_some_and(|m| m.contains("pruned")));
        assert_eq!(pruned.count(), menu.legal().len() - wanted);
    }
    let mut one = Uct::new(Wspt::default(), Settings { k: 1, ..Settings::DEFAULT });
    let decision = decide(&mut one, &problem, world.state(), 200, 1);
    assert_eq!((decision.rollouts, decision.evidence.unwrap().how), (0, "the only candidate"));
}

#[test]
fn a_sure_answer_offline_is_never_worse_than_the_guide() {
    let sure = Settings { widen: 1.0, answer: Answer::Sure, ..Settings::DEFAULT };
    for seed in 0..6 {
        let day = scheduling("pmsp-20", seed, 12, 2);
        let problem = Pmsp::problem(&day, None).unwrap();
        let alone = live::<Pmsp, Wspt>(&problem, &day, Settings { k: 1, ..sure }, 1);
        let mut last = alone;
        for rollouts in [1, 2, 30, 300] {
            let cost = live::<Pmsp, Wspt>(&problem, &day, sure, rollouts);
            assert!(cost <= alone + 1e-9, "{cost} with {rollouts} rollouts, {alone} by the guide");
            last = cost;
        }
        assert!(last < alone, "300 rollouts a decision find something better");
    }
}

#[test]
fn the_guides_choice_is_left_only_for_good_reason() {
    let scenario = scheduling("pmsp-online-3", 3, 12, 2);
    let problem = Pmsp::problem(&scenario, Some("pmsp-online-3")).unwrap();
    let state = state_with::<Pmsp>(&problem, &scenario, 5);
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    let choice = Wspt::default().choose(&problem, &state, &mut rng);
    let sure = Settings { widen: 1.0, answer: Answer::Sure, ..Settings::DEFAULT };
    let (mut left, mut unsure) = (0, 0);
    for seed in 0..40 {
        // Not even two candidates have been on four futures.
        let mut uct = Uct::new(Wspt::default(), sure);
        assert_eq!(decide(&mut uct, &problem, &state, 7, seed).action, choice);
        let mut uct = Uct::new(Wspt::default(), sure);
        left += u32::from(decide(&mut uct, &problem, &state, 60, seed).action != choice);
        let mut uct = Uct::new(Wspt::default(), Settings { answer: Answer::Mean, ..sure });
        unsure += u32::from(decide(&mut uct, &problem, &state, 60, seed).action != choice);
    }
    assert!(left < unsure, "left {left} times when sure, {unsure} times by means");
}

#[test]
fn few_visits_consider_few_actions() {
    let scenario = scheduling("pmsp-online-3", 3, 12, 2);
    let problem = Pmsp::problem(&scenario, Some("pmsp-online-3")).unwrap();
    let state = state_with::<Pmsp>(&problem, &scenario, 6);
    for (widen, rollouts, most) in [(0.0, 50, 1), (1.0, 1, 1), (1.0, 9, 4), (f64::INFINITY, 6, 6)] {
        let mut uct = Uct::new(Wspt::default(), Settings { widen, k: 0, ..Settings::DEFAULT });
        decide(&mut uct, &problem, &state, rollouts, 0);
        let visits = uct.root(&problem, &state).iter().filter(|known| known.visits > 0).count();
        assert!(visits <= most && (widen < f64::INFINITY || visits == most), "{visits} of {most}");
    }
}

#[test]
fn nothing_arrives_after_the_lookahead() {
    let scenario = scheduling("pmsp-online-3", 4, 40, 3);
    let problem = Pmsp::problem(&scenario, Some("pmsp-online-3")).unwrap();
    let state = state_with::<Pmsp>(&problem, &scenario, 5);
    let mean = |lookahead: Time, seed: u64| {
        let settings = Settings { lookahead, ..Settings::DEFAULT };
        let decision =
            decide(&mut Uct::new(Wspt::default(), settings), &problem, &state, 100, seed);
        decision.evidence.unwrap().candidates[0].mean
    };
    assert_eq!(mean(0.0, 1), mean(0.0, 2), "without arrivals nothing is random");
    assert_ne!(mean(300.0, 1), mean(300.0, 2));
    assert!(mean(0.0, 1) < mean(300.0, 1) && mean(300.0, 1) < mean(Time::INFINITY, 1));
}

#[test]
fn no_time_for_a_rollout() {
    let scenario = scheduling("pmsp-80", 1, 80, 3);
    let problem = Pmsp::problem(&scenario, None).unwrap();
    let world = World::open(&problem, Pmsp::arrivals(&scenario));
    let mut rng = Seed(1).stream(Stream::Agent, 0);
    let guide = Wspt::default().choose(&problem, world.state(), &mut rng);

    /// Says that time is up from the n-th question on.
    struct Late(AtomicU64, u64);
    impl Clock for Late {
        fn elapsed(&self) -> Duration {
            Duration::from_secs(u64::from(self.0.fetch_add(1, Ordering::Relaxed) >= self.1))
        }
    }
    // the second stops within the first rollout
    for questions in [1, 3] {
        let (clock, stop) = (Late(AtomicU64::new(0), questions), AtomicBool::new(false));
        let meter = Meter::start(Budget::Wall(Duration::from_millis(500)), &clock, &stop);
        let mut uct = Uct::new(Wspt::default(), Settings::DEFAULT);
        let decision = uct.decide(&problem, world.state(), &meter, &mut rng).unwrap();
        let evidence = decision.evidence.unwrap();
        assert_eq!((decision.action, decision.rollouts), (guide, 0));
        assert_eq!(evidence.how, "guide alone: no time for a rollout");
        assert!(evidence.candidates.iter().all(|candidate| candidate.visits == 0));
    }
}

fn overshoot<D: Domain, G: Guide<D::Problem> + Default>(scenario: &D::Scenario) {
    let problem = D::problem(scenario, None).unwrap();
    let world = World::open(&problem, D::arrivals(scenario));
    let budget = Duration::from_millis(20);
    let mut uct = Uct::new(G::default(), Settings::DEFAULT);
    let mut rng = Seed(1).stream(Stream::Agent, 0);
    let mut over: Vec<Duration> = (0..20)
        .map(|_| {
            let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
            let meter = Meter::start(Budget::Wall(budget), &clock, &stop);
            uct.decide(&problem, world.state(), &meter, &mut rng).unwrap();
            meter.elapsed().saturating_sub(budget)
        })
        .collect();
    over.sort();
    // a busy machine may take a core away at any moment: `solo bench search` measures a quiet one
    assert!(over[10] < Duration::from_millis(50), "{over:?}");
}

#[test]
fn deadlines_are_kept_with_a_thousand() {
    overshoot::<Pmsp, Wspt>(&scheduling("pmsp-80", 1, 1000, 10));
    overshoot::<Cvrp, Distance>(&routing("cvrp-100", 1, 1000, 50));
    overshoot::<Pmsp, Uniform<Scheduling>>(&scheduling("pmsp-80", 1, 1000, 10));
}
