//! The lookahead: the same with any number of threads, on time, and never worse than the best that it has seen.

use allocation_counter::measure;
use solo_core::{
    Agent, Budget, Cost, Decision, Domain, Meter, Policy, Problem, Reflex, Scout, Seed, Stream,
    SystemClock, World,
};
use solo_cvrp::Cvrp;
use solo_pmsp::Pmsp;
use solo_search::Lookahead;
use solo_search::lookahead::Params;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn look<D: Domain>(params: Params) -> Box<Lookahead<D::Problem, D::Scout>> {
    Box::new(Lookahead::scouting(params))
}

type Lived<A> = (Cost, Vec<Decision<A>>, Vec<Duration>);

/// Lives a day; hands over its cost, its decisions and how long each took.
fn live<D: Domain>(
    preset: &str,
    index: u64,
    agent: &mut dyn Agent<D::Problem>,
    budget: Budget,
) -> Lived<<D::Problem as Problem>::Action> {
    let scenario = D::generate(preset, Seed(77), index).unwrap();
    let problem = D::problem(&scenario, Some(preset)).unwrap();
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut rng = Seed(3).stream(Stream::Agent, index);
    let mut world = World::open(&problem, D::arrivals(&scenario));
    let (mut decisions, mut times) = (Vec::new(), Vec::new());
    while !world.done() {
        let meter = Meter::start(budget, &clock, &stop);
        let decision = agent.decide(&problem, world.state(), &meter, &mut rng).unwrap();
        times.push(meter.elapsed());
        world.act(decision.action).unwrap();
        decisions.push(decision);
    }
    (world.cost(), decisions, times)
}

#[test]
fn threads_do_not_change_decisions() {
    fn check<D: Domain>(preset: &str) {
        let lived = |threads| {
            let params = Params { threads, ..Params::DEFAULT };
            let (cost, decisions, _) =
                live::<D>(preset, 0, look::<D>(params).as_mut(), Budget::Rollouts(90));
            let told: Vec<String> = decisions.iter().map(|d| format!("{d:?}")).collect();
            (cost, told)
        };
        let one = lived(1);
        assert_eq!(one, lived(2), "{preset}");
        assert_eq!(one, lived(8), "{preset}");
    }
    check::<Pmsp>("pmsp-online-3");
    check::<Cvrp>("cvrp-dispatch-20");
    check::<Cvrp>("cvrp-fleet-50");
}

#[test]
fn rollouts_allocate_nothing_when_warm() {
    fn check<D: Domain>(preset: &str) {
        let scenario = D::generate(preset, Seed(79), 0).unwrap();
        let problem = D::problem(&scenario, Some(preset)).unwrap();
        let mut world = World::open(&problem, D::arrivals(&scenario));
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        // The planner at the root allocates; without it all that may is the explanation.
        let mut agent =
            Lookahead::new(D::Scout::default(), Params::DEFAULT).with_shortlist(Box::new(
                |problem: &D::Problem, state: &_, _: &_, guide: &mut D::Scout, out: &mut Vec<_>| {
                    guide.shortlist(problem, state, out);
                },
            ));
        let mut guide = Reflex(D::Scout::default());
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
    check::<Pmsp>("pmsp-online-3");
    check::<Pmsp>("pmsp-online-10");
    check::<Cvrp>("cvrp-dispatch-50");
}

/// Where nothing more can come, what is left never costs more than the best that was promised.
#[test]
fn promises_are_kept_on_closed_states() {
    fn check<D: Domain>(preset: &str) {
        for index in 0..3 {
            let scenario = D::generate(preset, Seed(80), index).unwrap();
            let problem = D::problem(&scenario, Some(preset)).unwrap();
            let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
            let mut rng = Seed(3).stream(Stream::Agent, index);
            let mut world = World::open(&problem, D::arrivals(&scenario));
            let mut agent = look::<D>(Params::DEFAULT);
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
    check::<Pmsp>("pmsp-20");
    check::<Cvrp>("cvrp-20");
}

#[test]
fn small_instances_are_solved() {
    for index in 0..5 {
        let mut scenario = Pmsp::generate("pmsp-20", Seed(81), index).unwrap();
        scenario.jobs.truncate(7);
        let problem = Pmsp::problem(&scenario, None).unwrap();
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        let mut rng = Seed(3).stream(Stream::Agent, index);
        let mut world = World::open(&problem, Pmsp::arrivals(&scenario));
        let instance = solo_core::Offline::snapshot(&problem, world.state());
        let optimum = solo_pmsp::exact(&problem, &instance).unwrap().1;
        let mut agent = look::<Pmsp>(Params::DEFAULT);
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
    fn check<D: Domain>(preset: &str) {
        let (mut rule, mut search) = (0.0, 0.0);
        for index in 0..6 {
            rule +=
                live::<D>(preset, index, &mut Reflex(D::Scout::default()), Budget::Rollouts(0)).0;
            let mut agent = look::<D>(Params::DEFAULT);
            search += live::<D>(preset, index, agent.as_mut(), Budget::Rollouts(150)).0;
        }
        assert!(search < 0.99 * rule, "{preset}: {search} after {rule}");
    }
    check::<Pmsp>("pmsp-online-3");
    check::<Cvrp>("cvrp-dispatch-20");
}

/// Half of the decisions, that is: the machine may be busy. A quiet one is measured by `solo bench search`.
#[test]
fn deadlines_are_kept() {
    fn check<D: Domain>(preset: &str) {
        let budget = Duration::from_millis(5);
        let mut agent = look::<D>(Params::DEFAULT);
        let (_, _, mut times) = live::<D>(preset, 0, agent.as_mut(), Budget::Wall(budget));
        times.sort();
        let usual = times[times.len() / 2];
        assert!(usual < budget + Duration::from_millis(50), "{preset}: {usual:?}");
    }
    check::<Pmsp>("pmsp-online-10");
    check::<Cvrp>("cvrp-dispatch-50");
}

#[test]
fn too_small_budgets_are_told() {
    fn check<D: Domain>(preset: &str) {
        for rollouts in [0, 1, 3] {
            let mut agent = look::<D>(Params::DEFAULT);
            let (_, decisions, _) =
                live::<D>(preset, 0, agent.as_mut(), Budget::Rollouts(rollouts));
            let first = decisions[0].evidence.as_ref().unwrap();
            assert!(first.how.contains("rule's choice") || first.how.contains("only"), "{first:?}");
        }
        let mut agent = look::<D>(Params::DEFAULT);
        let (_, decisions, _) = live::<D>(preset, 0, agent.as_mut(), Budget::Rollouts(9));
        let how = |decision: &Decision<_>| decision.evidence.as_ref().unwrap().how;
        assert!(decisions.iter().any(|decision| how(decision).contains("fewer candidates")));
    }
    check::<Pmsp>("pmsp-online-10");
    check::<Cvrp>("cvrp-dispatch-50");
}

/// What was pondered is not played again: the next decision stands on more futures than its own budget buys.
#[test]
fn pondering_carries_over() {
    fn check<D: Domain>(preset: &str) {
        let scenario = D::generate(preset, Seed(83), 0).unwrap();
        let problem = D::problem(&scenario, Some(preset)).unwrap();
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        let mut rng = Seed(3).stream(Stream::Agent, 0);
        let mut world = World::open(&problem, D::arrivals(&scenario));
        let mut agent = look::<D>(Params::DEFAULT);
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
    check::<Pmsp>("pmsp-online-3");
    check::<Cvrp>("cvrp-dispatch-50");
}

/// An offline day has one budget: the first decision spends it, the others follow its trajectory.
#[test]
fn offline_days_are_planned_once() {
    let mut agent = look::<Cvrp>(Params::DEFAULT);
    let (cost, decisions, _) = live::<Cvrp>("cvrp-20", 0, agent.as_mut(), Budget::Rollouts(500));
    assert!(decisions[0].rollouts > 0 && decisions[1..].iter().all(|d| d.rollouts == 0));
    let promised = decisions[0].evidence.as_ref().unwrap().candidates[0].mean;
    assert!((cost - promised).abs() < 1e-9, "{cost} after {promised}");
}

/// The rules find back to any state they are shown, also from one day to another.
#[test]
fn scouts_follow_jumps() {
    fn check<D: Domain>(preset: &str) {
        let mut rng = Seed(3).stream(Stream::Agent, 0);
        let mut uniform = solo_core::Uniform::<D::Problem>::default();
        let mut scout = D::Scout::default();
        let scenario = D::generate(preset, Seed(82), 0).unwrap();
        let problem = D::problem(&scenario, Some(preset)).unwrap();
        let (mut states, mut menu) = (Vec::new(), solo_core::Menu::default());
        for day in 0..6 {
            let other = D::generate(preset, Seed(82), day).unwrap();
            let mut world = World::open(&problem, D::arrivals(&other));
            while !world.done() {
                states.push(world.state().clone());
                let action = uniform.choose(&problem, world.state(), &mut rng);
                world.act(action).unwrap();
            }
        }
        for _ in 0..20 * states.len() {
            let state = &states[rng.below(states.len())];
            let action = scout.choose(&problem, state, &mut rng);
            problem.menu(state, &mut menu);
            let slot = menu.slot(action).expect("on the menu");
            assert_eq!(menu.reason(slot), None, "{preset}: {action:?}");
        }
    }
    for preset in ["pmsp-20", "pmsp-online-3", "pmsp-online-10"] {
        check::<Pmsp>(preset);
    }
    for preset in ["cvrp-20", "cvrp-online-20", "cvrp-dispatch-50", "cvrp-fleet-50"] {
        check::<Cvrp>(preset);
    }
}
