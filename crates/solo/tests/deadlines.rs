//! Budgets in time are kept whatever the number of open jobs or customers: with a clock on which time passes only by
//! looking at it, an agent looks at it a few times more at most once its time is up.

use solo::{Entry, Hurried, Simulation, Solvers, bundled, problems};
use solo_core::{
    Agent, AgentSpec, Budget, Clock, Decision, Meter, NoTime, Policy, Problem, Rng, RulesOf,
    Scenario, Seed, Stream, Tape, Time, Value, World,
};
use solo_cvrp::{Customer, RoutingDay};
use solo_pmsp::{Job, SchedulingDay};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The time that passes at each look: about that of the work between two looks.
const STEP: Duration = Duration::from_micros(10);

/// A clock that is moved by looking at it.
#[derive(Default)]
struct Looks(AtomicU64);

impl Looks {
    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clock for Looks {
    fn elapsed(&self) -> Duration {
        STEP * u32::try_from(self.0.fetch_add(1, Ordering::Relaxed)).expect("few looks")
    }
}

/// Decides within this many looks; returns the decision, and how many more it took.
fn decide<P: Problem>(
    agent: &mut dyn Agent<P>,
    problem: &P,
    state: &P::State,
    looks: u32,
    rng: &mut Rng,
) -> (Decision<P::Action>, u64) {
    let (clock, stop) = (Looks::default(), AtomicBool::new(false));
    let meter = Meter::start(Budget::Wall(STEP * looks), &clock, &stop);
    let decision = agent.decide(problem, state, &meter, rng).unwrap();
    // The first look starts the meter.
    (decision, (clock.count() - 1).saturating_sub(u64::from(looks)))
}

/// A day that begins with this many open customers, whether more call or not.
fn route(open: usize, online: bool) -> (RoutingDay, &'static str) {
    let preset = if online { "cvrp-dispatch-100" } else { "cvrp-100" };
    let mut days = (0..).map(|i| solo_cvrp::presets::generate(preset, Seed(0), i).unwrap());
    let mut day = days.next().unwrap();
    let at_once = days.flat_map(|day| day.customers).take(open);
    let at_once: Vec<_> = at_once.map(|call| Customer { arrival: 0.0, ..call }).collect();
    day.customers.splice(0..if online { 0 } else { day.customers.len() }, at_once);
    (day, preset)
}

/// A day that begins with this many open jobs, whether more arrive or not.
fn schedule(open: usize, online: bool) -> (SchedulingDay, &'static str) {
    let preset = if online { "pmsp-online-10" } else { "pmsp-80" };
    let mut days = (0..).map(|i| solo_pmsp::presets::generate(preset, Seed(0), i).unwrap());
    let mut day = days.next().unwrap();
    let at_once = days.flat_map(|day| day.jobs).take(open);
    let at_once: Vec<_> = at_once.map(|job| Job { arrival: 0.0, ..job }).collect();
    day.jobs.splice(0..if online { 0 } else { day.jobs.len() }, at_once);
    (day, preset)
}

fn make<S: Scenario>(entry: &Entry<S>, agent: &str, law: &str) -> Box<dyn Agent<RulesOf<S>>> {
    let spec = AgentSpec::parse(agent).unwrap();
    entry.make(&spec, Some(law), &Solvers::default()).unwrap().agent
}

/// So often a clock is looked at after the deadline: where work ends, and by those around it.
const MOST_OVER: u64 = 12;

/// Budgets of so many looks, one decision after the other.
const LOOKS: [u32; 14] = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 400, 0];

/// Every agent keeps every budget, with legal actions, and says so where it had no time at all.
fn keeps<S: Scenario>(entry: &Entry<S>, (day, law): &(S, &str), agents: &[&str]) {
    let problem = day.rules(Some(law)).unwrap();
    for name in agents {
        let mut agent = make(entry, name, law);
        let mut world = World::open(&problem, day.events());
        let mut rng = Seed(1).stream(Stream::Agent, 0);
        for looks in LOOKS {
            let (decision, over) = decide(agent.as_mut(), &problem, world.state(), looks, &mut rng);
            let case = format!("{name} on {law} within {looks} looks");
            assert!(over <= MOST_OVER, "{case}: {over} more");
            // A plan offline is made once; those who follow it need no time.
            let follows = *name == "ruin" && decision.no_time.is_none() && looks == 0;
            assert!(looks > 0 || decision.no_time.is_some() || follows, "{case} says nothing");
            world.act(decision.action).unwrap();
        }
    }
}

const ROUTING: [&str; 4] = ["solo2", "lookahead", "solo", "ruin"];
const MORE_ROUTING: [&str; 7] =
    ["guide", "qnet", "mcts+guide", "mcts+distance", "lookahead+qnet", "solo+prune", ALWAYS];
const SCHEDULING: [&str; 4] = ROUTING;
const MORE_SCHEDULING: [&str; 7] =
    ["guide", "qnet", "mcts+guide", "mcts+wspt", "lookahead+qnet", "solo+prune", ALWAYS];
/// Where it follows a plan it needs no time.
const ALWAYS: &str = "rewriter(replan=always)";

#[test]
fn routing_keeps_its_budgets_with_many_open() {
    let entry = problems::cvrp();
    keeps(&entry, &route(700, true), &ROUTING);
    keeps(&entry, &route(700, true), &MORE_ROUTING);
    keeps(&entry, &route(700, false), &ROUTING);
    keeps(&entry, &route(4_000, true), &ROUTING);
}

#[test]
fn scheduling_keeps_its_budgets_with_many_open() {
    let entry = problems::pmsp();
    keeps(&entry, &schedule(700, true), &SCHEDULING);
    keeps(&entry, &schedule(700, true), &MORE_SCHEDULING);
    keeps(&entry, &schedule(700, false), &SCHEDULING);
    keeps(&entry, &schedule(4_000, true), &SCHEDULING);
}

/// Work that grows with the state looks at the clock the more often.
#[test]
fn long_work_looks_at_the_clock() {
    fn looks<S: Scenario>(entry: &Entry<S>, (day, law): &(S, &str), agent: &str) -> u64 {
        let problem = day.rules(Some(law)).unwrap();
        let world = World::open(&problem, day.events());
        let (clock, stop) = (Looks::default(), AtomicBool::new(false));
        let meter = Meter::start(Budget::Wall(Duration::from_secs(600)), &clock, &stop);
        let mut rng = Seed(1).stream(Stream::Agent, 0);
        let decision = make(entry, agent, law).decide(&problem, world.state(), &meter, &mut rng);
        assert_eq!(decision.unwrap().no_time, None);
        clock.count()
    }
    let (cvrp, pmsp) = (problems::cvrp(), problems::pmsp());
    for [few, many] in [
        [200, 1_600].map(|open| looks(&cvrp, &route(open, true), "guide")),
        [200, 1_600].map(|open| looks(&pmsp, &schedule(open, true), "guide")),
    ] {
        assert!(many > 40 * few, "{few} looks, then {many}: the square of the customers or jobs");
    }
}

/// A future of thousands, and the value of a backlog, end with the time, too.
#[test]
fn futures_and_values_are_cut_off() {
    let (clock, stop) = (Looks::default(), AtomicBool::new(false));
    let late = Meter::start(Budget::Wall(Duration::ZERO), &clock, &stop);
    let mut rng = Seed(1).stream(Stream::Agent, 0);

    let law = "cvrp-dispatch-50:customers=5000";
    let day = solo_cvrp::presets::generate(law, Seed(0), 0).unwrap();
    let problem = day.rules(Some(law)).unwrap();
    let (state, mut tape) = (problem.initial(), Tape::default());
    let whole = Meter::unlimited();
    let infinity = Time::INFINITY;
    assert!(!problem.sample_future_within(&state, infinity, &late, &mut rng, &mut tape));
    assert!(tape.events().len() < 100, "{} were drawn", tape.events().len());
    tape.clear();
    assert!(problem.sample_future_within(&state, infinity, &whole, &mut rng, &mut tape));
    assert_eq!(tape.events().len(), 5_000);

    let (day, law) = schedule(1_000, true);
    let problem = day.rules(Some(law)).unwrap();
    let world = World::open(&problem, day.events());
    let late = Meter::start(Budget::Wall(Duration::ZERO), &clock, &stop);
    let (mut sketch, mut numbers) = Default::default();
    let mut cost = |meter: &Meter<'_>| {
        problem.value_features_within(world.state(), &mut sketch, meter, &mut numbers)
    };
    assert_eq!(cost(&late), None);
    assert!(cost(&whole).is_some_and(f64::is_finite));
}

/// A plan that was made in a hurry is completed in the next decisions.
#[test]
fn kept_plans_catch_up() {
    fn check<S: Scenario, R: Policy<RulesOf<S>> + Default>(day: &S, law: &str) {
        let problem = day.rules(Some(law)).unwrap();
        let mut world = World::open(&problem, day.events());
        let mut rng = Seed(1).stream(Stream::Agent, 0);
        let mut hurried = R::default();
        for looks in [0, 3, 10, 0] {
            let (clock, stop) = (Looks::default(), AtomicBool::new(false));
            let meter = Meter::start(Budget::Wall(STEP * looks), &clock, &stop);
            let action = hurried.choose_within(&problem, world.state(), &meter, &mut rng);
            world.act(action).unwrap();
        }
        // With time enough it plans everybody, and the day can be played to its end.
        while !world.done() {
            let action = hurried.choose(&problem, world.state(), &mut rng);
            world.act(action).unwrap();
        }
    }
    let ((routing, law), (scheduling, other)) = (route(600, true), schedule(600, true));
    check::<_, solo_cvrp::insertion::InsertionPlan>(&routing, law);
    check::<_, solo_pmsp::InsertionPlan>(&scheduling, other);
}

/// A day in a hurry says so, in words and in JSON; one that has time does not.
#[test]
fn simulations_count_decisions_without_time() {
    struct Late;
    impl Clock for Late {
        fn elapsed(&self) -> Duration {
            static LOOKS: AtomicU64 = AtomicU64::new(0);
            Duration::from_secs(LOOKS.fetch_add(1, Ordering::Relaxed))
        }
    }
    let day = bundled().draw("pmsp-online-3", 0, 0).unwrap();
    let settings = |budget| solo::Settings {
        clock: std::sync::Arc::new(Late),
        budget,
        ..solo::Settings::default()
    };
    let hurried = Simulation::of(&*day)
        .agent("lookahead")
        .settings(settings(Budget::Wall(Duration::from_millis(1))))
        .run()
        .unwrap();
    let notes = hurried.no_time.notes(hurried.decisions);
    assert!(notes.iter().any(|note| note.contains("decisions had no time for")), "{notes:?}");
    let counted: u64 = hurried.no_time.counts().map(|(_, count)| count).sum();
    assert!(counted * 2 > hurried.decisions, "{counted} of {}", hurried.decisions);
    assert!(hurried.to_json()["no_time"][NoTime::Rollout.to_string()].is_u64());
    let calm = Simulation::of(&*day)
        .agent("lookahead")
        .settings(settings(Budget::Rollouts(60)))
        .run()
        .unwrap();
    assert_eq!(calm.no_time, Hurried::default());
}
