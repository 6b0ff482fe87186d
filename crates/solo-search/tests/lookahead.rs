//! The lookahead: the same with any number of threads, on time, and never worse than the best that it has seen.

mod common;

use allocation_counter::measure;
use common::{
    Counted, Family, LookClock, RoutingDays, SchedulingDays, Shortest, ToyDays, simulate,
};
use solo_core::{
    Agent, Budget, Cost, Decision, Menu, Meter, Policy, Problem, Reflex, Scenario, Seed, Stream,
    SystemClock, Uniform, World,
};
use solo_search::{Lookahead, LookaheadParams};
use std::sync::atomic::AtomicBool;

#[test]
fn threads_do_not_change_decisions() {
    fn check<F: Family>(preset: &str, days: u64) {
        for index in 0..days {
            let with = |threads| {
                let params = LookaheadParams { threads, ..LookaheadParams::default() };
                let mut agent = F::lookahead(params);
                let (cost, decisions) =
                    simulate::<F>(preset, index, &mut agent, Budget::Rollouts(90));
                let told: Vec<String> = decisions.iter().map(|d| format!("{d:?}")).collect();
                (cost, told)
            };
            let one = with(1);
            assert_eq!(one, with(2), "{preset}");
            assert_eq!(one, with(8), "{preset}");
        }
    }
    check::<ToyDays>("toy", 5);
    check::<SchedulingDays>("pmsp-online-3", 1);
    check::<RoutingDays>("cvrp-fleet-50", 1);
}

#[test]
fn rollouts_allocate_nothing_when_warm() {
    fn check<F: Family>(preset: &str) {
        let day = F::draw(preset, 79, 0);
        let problem = F::rules(&day, preset);
        let mut world = World::open(&problem, day.events());
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        // The planner at the root allocates; without it all that may is the explanation.
        let mut agent = F::unplanned(LookaheadParams::default());
        let mut guide = Reflex(F::Rule::default());
        for _ in 0..6 {
            let mut think = |rollouts| {
                let meter = Meter::start(Budget::Rollouts(rollouts), &clock, &stop);
                let mut rng = Seed(3).stream(Stream::Agent, 0);
                agent.decide(&problem, world.state(), &meter, &mut rng).unwrap().rollouts
            };
            think(2_000);
            let few = measure(|| assert!(think(200) <= 200)).count_total;
            let many = measure(|| assert!(think(2_000) <= 2_000)).count_total;
            assert_eq!(few, many, "{preset}: allocations grow with rollouts");
            let meter = Meter::start(Budget::Rollouts(1), &clock, &stop);
            let mut rng = Seed(3).stream(Stream::Agent, 0);
            let action = guide.decide(&problem, world.state(), &meter, &mut rng).unwrap().action;
            world.act(action).unwrap();
        }
    }
    // The toy's states, kept simple, allocate when they are copied.
    check::<SchedulingDays>("pmsp-online-3");
    check::<SchedulingDays>("pmsp-online-10");
    check::<RoutingDays>("cvrp-dispatch-50");
}

/// Where nothing more can come, what is left never costs more than the best that was promised.
#[test]
fn promises_are_kept_on_closed_states() {
    fn check<F: Family>(preset: &str) {
        for index in 0..3 {
            let day = F::draw(preset, 80, index);
            let problem = F::rules(&day, preset);
            let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
            let mut rng = Seed(3).stream(Stream::Agent, index);
            let mut world = World::open(&problem, day.events());
            let mut agent = F::lookahead(LookaheadParams::default());
            let mut promised = Cost::INFINITY;
            while !world.done() {
                let meter = Meter::start(Budget::Rollouts(60), &clock, &stop);
                let decision = agent.decide(&problem, world.state(), &meter, &mut rng).unwrap();
                let evidence = decision.evidence.unwrap();
                let mean = evidence.candidates[0].mean;
                if !mean.is_nan() {
                    let now = world.cost() + mean;
                    assert!(now <= promised * (1.0 + 1e-9), "{preset}: {now} after {promised}");
                    promised = promised.min(now);
                }
                world.act(decision.action).unwrap();
            }
            let cost = world.cost();
            assert!(cost <= promised * (1.0 + 1e-9), "{preset}: {cost} after {promised}");
        }
    }
    check::<ToyDays>("toy-offline");
    check::<SchedulingDays>("pmsp-20");
    check::<RoutingDays>("cvrp-20");
}

#[test]
fn small_instances_are_solved() {
    for index in 0..5 {
        let mut day = SchedulingDays::draw("pmsp-20", 81, index);
        day.jobs.truncate(7);
        let problem = day.rules(None).unwrap();
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        let mut rng = Seed(3).stream(Stream::Agent, index);
        let mut world = World::open(&problem, day.events());
        let instance = solo_core::Offline::snapshot(&problem, world.state());
        let optimum = solo_pmsp::exact(&problem, &instance).unwrap().1;
        let mut agent = SchedulingDays::lookahead(LookaheadParams::default());
        while !world.done() {
            let meter = Meter::start(Budget::Rollouts(500), &clock, &stop);
            let decision = agent.decide(&problem, world.state(), &meter, &mut rng).unwrap();
            world.act(decision.action).unwrap();
        }
        assert!((world.cost() - optimum).abs() < 1e-6, "{} {optimum}", world.cost());
    }
}

/// It beats its own rule with few rollouts.
#[test]
fn looking_ahead_helps() {
    fn check<F: Family>(preset: &str, days: u64) {
        let (mut rule, mut search) = (0.0, 0.0);
        for index in 0..days {
            let mut alone = Reflex(F::Rule::default());
            rule += simulate::<F>(preset, index, &mut alone, Budget::Rollouts(0)).0;
            let mut agent = F::lookahead(LookaheadParams::default());
            search += simulate::<F>(preset, index, &mut agent, Budget::Rollouts(150)).0;
        }
        assert!(search < 0.99 * rule, "{preset}: {search} after {rule}");
    }
    check::<ToyDays>("toy", 20);
    check::<SchedulingDays>("pmsp-online-3", 6);
    check::<RoutingDays>("cvrp-dispatch-20", 6);
}

/// A budget in time is kept to a few looks at the clock. How long a look is on a real machine, `solo bench search`
/// measures.
#[test]
fn deadlines_are_kept() {
    fn check<F: Family>(preset: &str) {
        let day = F::draw(preset, 77, 0);
        let problem = F::rules(&day, preset);
        let mut agent = F::lookahead(LookaheadParams::default());
        let over = overrun(&mut agent, &problem, &day, &LookClock::default());
        assert!(over <= MOST_OVERRUN, "{preset}: {over} looks");
    }
    check::<ToyDays>("toy");
    check::<ToyDays>("toy-offline");
    check::<SchedulingDays>("pmsp-online-10");
    check::<RoutingDays>("cvrp-dispatch-50");
}

/// Looks at the clock that a budget in time may be overrun by: that of the last rollout, and that of the loop around
/// it.
const MOST_OVERRUN: u64 = 2;

/// Simulates a day with a budget in time, and returns by how many looks it was overrun at most.
fn overrun<S: Scenario>(
    agent: &mut dyn Agent<S::Problem>,
    problem: &S::Problem,
    day: &S,
    clock: &LookClock,
) -> u64 {
    let mut rng = Seed(3).stream(Stream::Agent, 0);
    let mut world = World::open(problem, day.events());
    let (mut most, mut rollouts) = (0, 0);
    while !world.done() {
        let (decision, over) = clock.decide(agent, problem, world.state(), 500, &mut rng);
        world.act(decision.action).unwrap();
        most = most.max(over);
        rollouts += decision.rollouts;
    }
    assert!(rollouts > 0, "it has searched");
    most
}

/// However long rollouts are, somebody looks at the clock every few decisions.
#[test]
fn long_rollouts_look_at_the_clock() {
    let day = ToyDays::draw("toy-long", 77, 0);
    let problem = ToyDays::rules(&day, "toy-long");
    let clock = LookClock::default();
    let params = LookaheadParams { arrivals: 500, ..LookaheadParams::default() };
    let mut agent = Lookahead::new(Counted { rule: Shortest, clock: &clock }, params);
    let over = overrun(&mut agent, &problem, &day, &clock);
    assert!(over <= MOST_OVERRUN, "{over} looks");
    assert_eq!(clock.most_decisions(), 16);
}

#[test]
fn too_small_budgets_are_told() {
    fn check<F: Family>(preset: &str) {
        for rollouts in [0, 1, 3] {
            let mut agent = F::lookahead(LookaheadParams::default());
            let (_, decisions) = simulate::<F>(preset, 0, &mut agent, Budget::Rollouts(rollouts));
            let first = decisions[0].evidence.as_ref().unwrap();
            assert!(first.how.contains("rule's choice") || first.how.contains("only"), "{first:?}");
        }
        let mut agent = F::lookahead(LookaheadParams::default());
        let (_, decisions) = simulate::<F>(preset, 0, &mut agent, Budget::Rollouts(9));
        let how = |decision: &Decision<_>| decision.evidence.as_ref().unwrap().how;
        assert!(decisions.iter().any(|decision| how(decision).contains("fewer candidates")));
    }
    check::<ToyDays>("toy");
    check::<SchedulingDays>("pmsp-online-10");
    check::<RoutingDays>("cvrp-dispatch-50");
}

/// What was pondered is not played again: the next decision stands on more futures than its own budget buys.
#[test]
fn pondering_carries_over() {
    fn check<F: Family>(preset: &str) {
        let day = F::draw(preset, 83, 0);
        let problem = F::rules(&day, preset);
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        let mut rng = Seed(3).stream(Stream::Agent, 0);
        let mut world = World::open(&problem, day.events());
        let mut agent = F::lookahead(LookaheadParams::default());
        let (mut carried, mut decisions) = (0, 0);
        while !world.done() {
            let meter = Meter::start(Budget::Rollouts(60), &clock, &stop);
            let decision = agent.decide(&problem, world.state(), &meter, &mut rng).unwrap();
            decisions += 1;
            let open = problem.closing_time(world.state()).is_some();
            let visits = decision.evidence.as_ref().unwrap().candidates[0].visits;
            carried += usize::from(open && visits > 60);
            let before = world.state().clone();
            world.act(decision.action).unwrap();
            let meter = Meter::start(Budget::Rollouts(600), &clock, &stop);
            agent.ponder(&problem, &before, decision.action, &meter, &mut rng);
            assert!(meter.spent() <= 600);
        }
        assert!(carried * 5 > decisions, "{preset}: {carried} of {decisions}");
    }
    check::<SchedulingDays>("pmsp-online-3");
    check::<RoutingDays>("cvrp-dispatch-50");
}

/// An offline day has one budget: the first decision spends it, the others follow its trajectory.
#[test]
fn offline_days_are_planned_once() {
    fn check<F: Family>(preset: &str) {
        let mut agent = F::lookahead(LookaheadParams::default());
        let (cost, decisions) = simulate::<F>(preset, 0, &mut agent, Budget::Rollouts(500));
        assert!(decisions[0].rollouts > 0 && decisions[1..].iter().all(|d| d.rollouts == 0));
        let promised = decisions[0].evidence.as_ref().unwrap().candidates[0].mean;
        assert!((cost - promised).abs() < 1e-9 * cost, "{cost} after {promised}");
    }
    check::<ToyDays>("toy-offline");
    check::<RoutingDays>("cvrp-20");
}

/// The rollout policies find back to any state they are shown, also from one day to another.
#[test]
fn rollout_policies_follow_jumps() {
    fn check<F: Family>(preset: &str) {
        let mut rng = Seed(3).stream(Stream::Agent, 0);
        let mut uniform = Uniform::<F::Problem>::default();
        let mut policy = F::Rule::default();
        let problem = F::rules(&F::draw(preset, 82, 0), preset);
        let (mut states, mut menu) = (Vec::new(), Menu::default());
        for index in 0..6 {
            let other = F::draw(preset, 82, index);
            let mut world = World::open(&problem, other.events());
            while !world.done() {
                states.push(world.state().clone());
                let action = uniform.choose(&problem, world.state(), &mut rng);
                world.act(action).unwrap();
            }
        }
        for _ in 0..20 * states.len() {
            let state = &states[rng.below(states.len())];
            let action = policy.choose(&problem, state, &mut rng);
            problem.menu(state, &mut menu);
            let slot = menu.slot(action).expect("on the menu");
            assert_eq!(menu.reason(slot), None, "{preset}: {action:?}");
        }
    }
    for preset in ["pmsp-20", "pmsp-online-3", "pmsp-online-10"] {
        check::<SchedulingDays>(preset);
    }
    for preset in ["cvrp-20", "cvrp-online-20", "cvrp-dispatch-50", "cvrp-fleet-50"] {
        check::<RoutingDays>(preset);
    }
}
