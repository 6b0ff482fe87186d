//! Algorithm 1 does what it says.

mod common;

use allocation_counter::measure;
use common::{Counted, Family, LookClock, RoutingDays, SchedulingDays, Shortest, ToyDays};
use solo_core::{
    Agent, Budget, Clock, Decision, Guide, Menu, Meter, Offline, Policy, Problem, Rng, RulesOf,
    Scenario, Seed, Stream, SystemClock, Time, Uniform, World,
};
use solo_cvrp::rules::{Distance, Nearest};
use solo_cvrp::{Routing, RoutingDay};
use solo_pmsp::{Scheduling, SchedulingDay, Wspt};
use solo_search::{Answer, Futures, Uct, UctParams, Waiting};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Explores enough to find the optimum of tiny instances; less may settle on a good path for a very long time.
fn thorough() -> UctParams {
    UctParams { beta: 3.0, k: 0, ..UctParams::default() }
}

fn scheduling(preset: &str, seed: u64, jobs: usize, machines: usize) -> SchedulingDay {
    let mut scenario = solo_pmsp::presets::generate(preset, Seed(seed), 0).unwrap();
    while scenario.jobs.len() < jobs {
        scenario.jobs.extend_from_within(..);
    }
    scenario.jobs.truncate(jobs);
    scenario.machines = machines;
    scenario
}

fn routing(preset: &str, seed: u64, customers: usize, capacity: u32) -> RoutingDay {
    let mut scenario = solo_cvrp::presets::generate(preset, Seed(seed), 0).unwrap();
    while scenario.customers.len() < customers {
        let more =
            solo_cvrp::presets::generate(preset, Seed(seed), scenario.customers.len() as u64)
                .unwrap();
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
fn state_with<S: Scenario>(
    problem: &S::Problem,
    day: &S,
    least: usize,
) -> <S::Problem as Problem>::State {
    let mut world = World::open(problem, day.events());
    let mut policy = Uniform::<S::Problem>::default();
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

/// Simulates an offline day with this many rollouts a decision; returns its cost.
fn simulate<S: Scenario, G: Guide<RulesOf<S>>>(
    day: &S,
    guide: G,
    params: UctParams,
    rollouts: u64,
) -> f64 {
    let problem = day.rules(None).unwrap();
    let mut world = World::open(&problem, day.events());
    let mut uct = Uct::new(guide, params);
    let mut index = 0;
    while !world.done() {
        let action = decide(&mut uct, &problem, world.state(), rollouts, index).action;
        world.act(action).unwrap();
        index += 1;
    }
    world.cost()
}

#[test]
fn golden_tree() {
    let scenario = scheduling("pmsp-online-3", 3, 12, 2);
    let problem = scenario.rules(Some("pmsp-online-3")).unwrap();
    let state = state_with(&problem, &scenario, 5);
    let mut uct = Uct::new(
        Wspt::default(),
        UctParams { beta: 1.0, k: 4, lookahead: 150.0, ..UctParams::default() },
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
        let problem = scenario.rules(None).unwrap();
        let day = solo_pmsp::hindsight::whole_day(&problem, &scenario.events());
        let (_, optimum) = solo_pmsp::exact(&problem, &day).unwrap();
        let cost = simulate(&scenario, Wspt::default(), thorough(), 20_000);
        assert!((cost - optimum).abs() < 1e-6, "seed {seed}: {cost} against {optimum}");

        let world = World::open(&problem, scenario.events());
        let mut uct = Uct::new(Wspt::default(), thorough());
        let decision = decide(&mut uct, &problem, world.state(), 50_000, 1);
        let mean = decision.evidence.unwrap().candidates[0].mean;
        assert!(mean >= optimum - 1e-6 && mean < 1.05 * optimum, "{mean} against {optimum}");
    }
}

#[test]
fn converges_to_the_optimum_in_routing() {
    for seed in 0..5 {
        let scenario = routing("cvrp-20", seed, 5, 12);
        let problem = scenario.rules(None).unwrap();
        let world = World::open(&problem, scenario.events());
        let optimum =
            solo_cvrp::exact::optimum(&problem, &problem.snapshot(world.state())).unwrap();
        let cost = simulate(&scenario, Nearest, thorough(), 20_000);
        assert!((cost - optimum).abs() < 1e-6, "nearest, seed {seed}: {cost} against {optimum}");
        let cost = simulate(&scenario, Distance::default(), thorough(), 20_000);
        assert!((cost - optimum).abs() < 1e-6, "distance, seed {seed}: {cost} against {optimum}");
    }
}

#[test]
fn the_same_rollouts_give_the_same_decision() {
    let day = ToyDays::draw("toy", 5, 0);
    let problem = ToyDays::rules(&day, "toy");
    let state = state_with(&problem, &day, 4);
    for futures in [Futures::Common, Futures::Fresh] {
        let params = UctParams { futures, ..UctParams::default() };
        let mut uct = Uct::new(Shortest, params.clone());
        let once = decide(&mut uct, &problem, &state, 300, 9);
        assert_eq!(once, decide(&mut uct, &problem, &state, 300, 9), "with warm buffers");
        let mut fresh = Uct::new(Shortest, params);
        assert_eq!(once, decide(&mut fresh, &problem, &state, 300, 9), "with new buffers");
        assert_eq!(once.rollouts, 300);
        let visits: u64 = once.evidence.unwrap().candidates.iter().map(|c| c.visits).sum();
        assert_eq!(visits, 300);
    }
}

fn allocations<F: Family>(preset: &str, guide: impl Guide<F::Problem>) -> u64 {
    let day = F::draw(preset, 2, 0);
    let problem = F::rules(&day, preset);
    let state = state_with(&problem, &day, 3);
    let mut uct = Uct::new(guide, UctParams::default());
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
    assert_eq!(allocations::<SchedulingDays>("pmsp-80", Wspt::default()), 0);
    assert_eq!(allocations::<SchedulingDays>("pmsp-online-10", Wspt::default()), 0);
    assert_eq!(allocations::<RoutingDays>("cvrp-100", Distance::default()), 0);
    assert_eq!(allocations::<RoutingDays>("cvrp-online-50", Uniform::<Routing>::default()), 0);
}

#[test]
fn pruning_keeps_the_guides_best() {
    let day = ToyDays::draw("toy-offline", 1, 0);
    let problem = ToyDays::rules(&day, "toy-offline");
    let world = World::open(&problem, day.events());
    let (mut menu, mut values) = (Menu::default(), Vec::new());
    problem.menu(world.state(), &mut menu);
    Shortest.values(&problem, world.state(), &menu, &mut values);
    let mut best = menu.legal().to_vec();
    best.sort_by(|&a, &b| values[b as usize].total_cmp(&values[a as usize]));
    for (k, wanted) in [(0, menu.legal().len()), (3, 3), (100, menu.legal().len())] {
        let mut uct = Uct::new(Shortest, UctParams { k, ..UctParams::default() });
        let mut decision = decide(&mut uct, &problem, world.state(), 200, 1);
        let brief = decision.evidence.clone().unwrap();
        assert!(brief.candidates.iter().all(|candidate| candidate.visits > 0), "what was sampled");
        uct.explain(&problem, world.state(), &mut decision);
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
    let mut one = Uct::new(Shortest, UctParams { k: 1, ..UctParams::default() });
    let decision = decide(&mut one, &problem, world.state(), 200, 1);
    assert_eq!((decision.rollouts, decision.evidence.unwrap().how), (0, "the only candidate"));
}

#[test]
fn a_sure_answer_offline_is_never_worse_than_the_guide() {
    let sure = UctParams { widen: 1.0, answer: Answer::Sure, ..UctParams::default() };
    for seed in 0..6 {
        let day = scheduling("pmsp-20", seed, 12, 2);
        let alone = simulate(&day, Wspt::default(), UctParams { k: 1, ..sure.clone() }, 1);
        let mut last = alone;
        for rollouts in [1, 2, 30, 300] {
            let cost = simulate(&day, Wspt::default(), sure.clone(), rollouts);
            assert!(cost <= alone + 1e-9, "{cost} with {rollouts} rollouts, {alone} by the guide");
            last = cost;
        }
        assert!(last < alone, "300 rollouts a decision find something better");
    }
}

#[test]
fn the_guides_choice_is_left_only_for_good_reason() {
    let scenario = scheduling("pmsp-online-3", 3, 12, 2);
    let problem = scenario.rules(Some("pmsp-online-3")).unwrap();
    let state = state_with(&problem, &scenario, 5);
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    let choice = Wspt::default().choose(&problem, &state, &mut rng);
    let sure = UctParams { widen: 1.0, answer: Answer::Sure, ..UctParams::default() };
    let (mut left, mut unsure) = (0, 0);
    for seed in 0..40 {
        // Not even two candidates have been on four futures.
        let mut uct = Uct::new(Wspt::default(), sure.clone());
        assert_eq!(decide(&mut uct, &problem, &state, 7, seed).action, choice);
        let mut uct = Uct::new(Wspt::default(), sure.clone());
        left += u32::from(decide(&mut uct, &problem, &state, 60, seed).action != choice);
        let mut uct = Uct::new(Wspt::default(), UctParams { answer: Answer::Mean, ..sure.clone() });
        unsure += u32::from(decide(&mut uct, &problem, &state, 60, seed).action != choice);
    }
    assert!(left < unsure, "left {left} times when sure, {unsure} times by means");
}

#[test]
fn few_visits_consider_few_actions() {
    let day = ToyDays::draw("toy-long", 3, 0);
    let problem = ToyDays::rules(&day, "toy-long");
    let state = state_with(&problem, &day, 6);
    for (widen, rollouts, most) in [(0.0, 50, 1), (1.0, 1, 1), (1.0, 9, 4), (f64::INFINITY, 6, 6)] {
        let mut uct = Uct::new(Shortest, UctParams { widen, k: 0, ..UctParams::default() });
        decide(&mut uct, &problem, &state, rollouts, 0);
        let visits = uct.root(&problem, &state).iter().filter(|known| known.visits > 0).count();
        assert!(visits <= most && (widen < f64::INFINITY || visits == most), "{visits} of {most}");
    }
}

#[test]
fn nothing_arrives_after_the_lookahead() {
    let scenario = scheduling("pmsp-online-3", 4, 40, 3);
    let problem = scenario.rules(Some("pmsp-online-3")).unwrap();
    let state = state_with(&problem, &scenario, 5);
    let mean = |lookahead: Time, seed: u64| {
        let params = UctParams { lookahead, ..UctParams::default() };
        let decision = decide(&mut Uct::new(Wspt::default(), params), &problem, &state, 100, seed);
        decision.evidence.unwrap().candidates[0].mean
    };
    assert_eq!(mean(0.0, 1), mean(0.0, 2), "without arrivals nothing is random");
    assert_ne!(mean(300.0, 1), mean(300.0, 2));
    assert!(mean(0.0, 1) < mean(300.0, 1) && mean(300.0, 1) < mean(Time::INFINITY, 1));
}

#[test]
fn no_time_for_a_rollout() {
    let scenario = scheduling("pmsp-80", 1, 80, 3);
    let problem = scenario.rules(None).unwrap();
    let world = World::open(&problem, scenario.events());
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
        let mut uct = Uct::new(Wspt::default(), UctParams::default());
        let decision = uct.decide(&problem, world.state(), &meter, &mut rng).unwrap();
        let evidence = decision.evidence.unwrap();
        assert_eq!((decision.action, decision.rollouts), (guide, 0));
        assert_eq!(evidence.how, "guide alone: no time for a rollout");
        assert!(evidence.candidates.iter().all(|candidate| candidate.visits == 0));
    }
}

/// Looks at the clock that a budget in time may be overrun by: that of the last rollout, and that of the loop around
/// it.
const MOST_OVERRUN: u64 = 2;
/// Decisions of the guide between two looks.
const MOST_DECISIONS: u64 = 16;

/// A budget in time is kept to a few looks at the clock, and those are a few decisions apart. How long that is on a
/// real machine, `solo bench search` measures.
fn deadline<S: Scenario>(day: &S, guide: impl Guide<S::Problem>) {
    let problem = day.rules(None).unwrap();
    let world = World::open(&problem, day.events());
    let clock = LookClock::default();
    let mut uct = Uct::new(Counted { rule: guide, clock: &clock }, UctParams::default());
    let mut rng = Seed(1).stream(Stream::Agent, 0);
    let mut rollouts = 0;
    for _ in 0..5 {
        let (decision, over) = clock.decide(&mut uct, &problem, world.state(), 200, &mut rng);
        assert!(over <= MOST_OVERRUN, "{}: {over} looks", day.name());
        rollouts += decision.rollouts;
    }
    let most = clock.most_decisions();
    assert!(most <= MOST_DECISIONS, "{}: {most} decisions between two looks", day.name());
    assert!(rollouts > 0, "{}: nothing was searched", day.name());
}

#[test]
fn deadlines_are_kept_with_a_thousand() {
    deadline(&scheduling("pmsp-80", 1, 1000, 10), Wspt::default());
    deadline(&routing("cvrp-100", 1, 1000, 50), Distance::default());
    deadline(&scheduling("pmsp-80", 1, 1000, 10), Uniform::<Scheduling>::default());
}

/// Finds every action as good as every other.
struct Indifferent;

impl<P: Problem> Policy<P> for Indifferent {
    fn choose(&mut self, problem: &P, state: &P::State, _rng: &mut Rng) -> P::Action {
        problem.at_hand(state)
    }
}

impl<P: Problem> Guide<P> for Indifferent {
    fn values(&mut self, _: &P, _: &P::State, menu: &Menu<P::Action>, out: &mut Vec<f64>) {
        out.clear();
        out.resize(menu.len(), 0.0);
    }
}

#[test]
fn pruning_breaks_ties_at_random() {
    let day = scheduling("pmsp-20", 1, 20, 3);
    let problem = day.rules(None).unwrap();
    let state = state_with(&problem, &day, 40);
    let mut menu = Menu::default();
    problem.menu(&state, &mut menu);
    let mut kept = vec![0; menu.len()];
    for seed in 0..400 {
        let mut uct = Uct::new(Indifferent, UctParams { k: 6, ..UctParams::default() });
        decide(&mut uct, &problem, &state, 12, seed);
        let root = uct.root(&problem, &state);
        assert_eq!(root.len(), 6);
        for known in root {
            kept[menu.slot(known.action).unwrap()] += 1;
        }
    }
    // 400 x 6 / 60: every slot is kept about 40 times.
    let expected = 2400.0 / menu.legal().len() as f64;
    for &slot in menu.legal() {
        let times = f64::from(kept[slot as usize]);
        assert!((0.4 * expected..1.9 * expected).contains(&times), "slot {slot}: {times}");
    }
}

#[test]
fn printed_the_tree_never_waits_offline() {
    let waits = |preset: &str, jobs: usize, wait: Waiting| {
        let day = scheduling(preset, 2, jobs, 3);
        let law = (jobs == 12).then_some(preset);
        let problem = day.rules(law).unwrap();
        let mut world = World::open(&problem, day.events());
        let mut uct = Uct::new(Wspt::default(), UctParams { wait, ..UctParams::as_printed() });
        let (mut menu, mut seen, mut could) = (Menu::default(), 0, 0);
        while !world.done() {
            problem.menu(world.state(), &mut menu);
            let last = menu.actions()[menu.len() - 1];
            let legal = *menu.legal().last().unwrap() as usize + 1 == menu.len();
            could += usize::from(legal && menu.legal().len() > 1);
            let action = decide(&mut uct, &problem, world.state(), 60, 3).action;
            let root = uct.root(&problem, world.state());
            seen += usize::from(root.len() > 1 && root.iter().any(|known| known.action == last));
            world.act(action).unwrap();
        }
        (seen, could)
    };
    let (seen, could) = waits("pmsp-20", 20, Waiting::Online);
    assert!(seen == 0 && could > 5, "{seen} of {could}");
    let (seen, could) = waits("pmsp-20", 20, Waiting::Always);
    assert!(seen == could && could > 5, "{seen} of {could}");
    // Online it may wait to the end of the day, also when nothing more can come.
    let (seen, could) = waits("pmsp-online-3", 12, Waiting::Online);
    assert!(seen == could && could > 0, "{seen} of {could}");
}
