//! What every problem and every agent must keep to. Called by each problem's tests, for each preset.

use crate::features::check_options;
use crate::{
    Agent, Audit, Budget, Encode, FeatureSet, Features, Graph, LogOf, Menu, Meter, Policy, Problem,
    Recorded, Rollouts, Seed, Session, Status, Stream, SystemClock, Tape, Time, Timed, Uniform,
    World, replay,
};
use std::sync::atomic::AtomicBool;

/// The action of every decision, and the time and state that each was made in.
pub type PlayedDay<P> = (Vec<<P as Problem>::Action>, Vec<(Time, <P as Problem>::State)>);

/// Plays the day of these events at random and checks every invariant of [`Problem`], [`Audit`], [`World`] and
/// [`Session`] at every decision. Panics with what was broken.
pub fn check<P: Audit>(problem: &P, events: &[Timed<P::Event>], seed: Seed) {
    let mut rng = seed.stream(Stream::Agent, 0);
    let mut policy = Uniform::<P>::default();
    let mut rollouts = Rollouts::new(problem);
    let mut scratch = problem.initial();
    let mut world = World::open(problem, events.to_vec());
    let mut session = Session::open(problem);
    let mut coming = events.iter().peekable();
    let mut sum = world.cost();
    let most = 1_000 * (events.len() + 1);
    while !world.done() {
        let state = world.state();
        assert_eq!(problem.status(state), Status::Decide, "a world rests only at decisions");
        check_menu(problem, state);
        check_future(problem, state, seed);
        catch_up(&mut session, &mut coming, problem.now(state));
        assert_eq!(session.state(), state, "a session has the state of the world");

        scratch.clone_from(state);
        assert_eq!(&scratch, state, "clone_from gives the same state");
        assert_eq!(problem.key(&scratch), problem.key(&state.clone()), "keys are stable");

        let action = policy.choose(problem, state, &mut rng);
        problem.apply(&mut scratch, action);
        assert_eq!(problem.now(&scratch), problem.now(state), "apply lets no time pass");
        assert_ne!(problem.key(&scratch), problem.key(state), "an action changes the key");

        let cost = rollouts.run(problem, state, &mut policy, &mut rng);
        assert!(cost.is_finite() && cost >= 0.0, "a rollout costs {cost}");

        sum += world.act(action).expect("a legal action is carried out");
        session.act(action).expect("a legal action is carried out");
        let decisions = world.log().decisions().count();
        assert!(decisions <= most, "random play has not ended after {decisions} decisions");
    }
    catch_up(&mut session, &mut coming, problem.now(world.state()));
    check_end(problem, &mut world, &session, events, sum);
}

/// Lets the session hear what has come up to `now`.
fn catch_up<'e, P: Problem>(
    session: &mut Session<&P>,
    coming: &mut std::iter::Peekable<std::slice::Iter<'e, Timed<P::Event>>>,
    now: Time,
) where
    P::Event: 'e,
{
    while let Some(event) = coming.next_if(|event| event.time <= now) {
        session.hear(event.time, event.what.clone()).expect("an event of the day is heard");
    }
    session.tick(now).expect("time passes");
}

/// A finished day: world, session, replayed log and audit agree.
fn check_end<P: Audit>(
    problem: &P,
    world: &mut World<&P>,
    session: &Session<&P>,
    events: &[Timed<P::Event>],
    sum: f64,
) {
    assert_eq!(problem.closing_time(world.state()), None, "a finished day is closed");
    assert!(
        world.log().events().map(|e| (e.time, e.what)).eq(events.iter().map(|e| (e.time, &e.what))),
        "everything happens, in order of time"
    );
    assert_eq!(session.state(), world.state());
    assert_eq!(session.cost(), world.cost());
    assert_eq!(session.log(), world.log(), "a session writes the log of the world");
    check_log(problem, world.log(), world.state());
    let audited = problem
        .audit(world.log())
        .unwrap_or_else(|violation| panic!("the audit objects: {violation}"));
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0);
    assert!(close(sum, world.cost()) && close(sum, audited), "{sum} {} {audited}", world.cost());
    let mut menu = Menu::default();
    problem.menu(world.state(), &mut menu);
    let wait = *menu.actions().last().expect("a menu always has waiting");
    let error = world.act(wait).unwrap_err();
    assert!(error.reason.contains("over"), "a finished day takes no orders");
}

/// A log replays to the same state, through JSON too.
fn check_log<P: Problem>(problem: &P, log: &LogOf<P>, end: &P::State) {
    let closings = log.entries().iter().filter(|entry| entry.what == Recorded::Closed).count();
    assert_eq!(closings, 1, "a day closes once");
    let lines = log.to_lines().expect("a log can be written");
    let read = LogOf::<P>::from_lines("log", &lines).expect("a log can be read");
    assert_eq!(&read, log, "a log is read as it was written");
    let mut session = replay(problem, &read).expect("a log can be replayed");
    session.tick(problem.now(end)).expect("time passes");
    assert_eq!(session.state(), end, "a log replays to the same state");
    assert_eq!(problem.key(session.state()), problem.key(end));
}

fn check_menu<P: Problem>(problem: &P, state: &P::State) {
    let mut menu = Menu::default();
    problem.menu(state, &mut menu);
    assert!(!menu.legal().is_empty(), "a decision has a legal action");
    for (i, action) in menu.actions().iter().enumerate() {
        assert_eq!(menu.slot(*action), Some(i), "every action has one slot");
        assert_eq!(problem.slot(state, &menu, *action), Some(i), "and the problem can tell which");
    }
    let at_hand = problem.slot(state, &menu, problem.at_hand(state));
    assert_eq!(at_hand.and_then(|slot| menu.reason(slot)), None, "what is at hand is legal");
    assert!(at_hand.is_some(), "what is at hand is on the menu");
}

/// Plays the day at random and checks the graph of every decision: its edges are the menu's slots.
pub fn check_encoding<P: Encode>(problem: &P, events: &[Timed<P::Event>], seed: Seed) {
    at_random(problem, events, seed, |state| {
        let mut menu = Menu::default();
        problem.menu(state, &mut menu);
        for feature_set in FeatureSet::ALL {
            check_graph(problem, state, feature_set, menu.len());
        }
    });
}

/// Plays the day at random and checks the options of every decision.
pub fn check_features<P: Features>(problem: &P, events: &[Timed<P::Event>], seed: Seed) {
    let mut sketch = P::Sketch::default();
    at_random(problem, events, seed, |state| check_options(problem, state, &mut sketch));
}

pub(super) fn at_random<P: Problem>(
    problem: &P,
    events: &[Timed<P::Event>],
    seed: Seed,
    mut check: impl FnMut(&P::State),
) {
    let mut rng = seed.stream(Stream::Agent, 0);
    let mut policy = Uniform::<P>::default();
    let mut world = World::open(problem, events.to_vec());
    while !world.done() {
        check(world.state());
        let action = policy.choose(problem, world.state(), &mut rng);
        world.act(action).expect("a legal action is carried out");
    }
}

fn check_graph<P: Encode>(problem: &P, state: &P::State, feature_set: FeatureSet, slots: usize) {
    let mut graph = Graph::default();
    problem.encode(state, feature_set, &mut graph);
    let shape = problem.shape(feature_set);
    assert_eq!(graph.edges.len() + 1, slots, "edge i is slot i, waiting comes last");
    assert_eq!(graph.edge_features.len(), graph.edges.len() * shape.edge);
    assert_eq!(graph.node_features.len() % shape.node, 0);
    assert_eq!(graph.global_features.len(), shape.global);
    let nodes = (graph.node_features.len() / shape.node) as u32;
    assert!(graph.edges.iter().flatten().all(|&node| node < nodes), "edges join nodes");
    let all = [&graph.node_features, &graph.edge_features, &graph.global_features];
    assert!(all.into_iter().flatten().all(|x| x.is_finite()), "features are numbers");
    for view in 0..problem.views() {
        let mut turned = graph.clone();
        problem.turn(&mut turned, view);
        assert!(view > 0 || turned == graph, "view 0 is the graph itself");
        assert_eq!((&turned.edges, &turned.edge_features), (&graph.edges, &graph.edge_features));
    }
}

fn check_future<P: Problem>(problem: &P, state: &P::State, seed: Seed) {
    let now = problem.now(state);
    let draw = |until: Time| {
        let mut tape = Tape::default();
        problem.sample_future(state, until, &mut seed.stream(Stream::Agent, 1), &mut tape);
        tape
    };
    let future = draw(Time::INFINITY);
    let events = future.events();
    assert!(events.iter().all(|event| event.time > now), "the future comes after now");
    assert!(events.is_sorted_by(|a, b| a.time <= b.time), "the future is in order");
    assert_eq!(events, draw(Time::INFINITY).events(), "the same stream, the same future");
    assert!(
        events.is_empty() || problem.closing_time(state).is_some_and(|closing| closing > now),
        "a closed state expects nothing"
    );
    let until = now + 1.0;
    assert!(draw(until).events().iter().all(|event| event.time <= until), "until is kept");
}

/// Makes a fresh agent for a day. It is handed the day's events only so that a test can plant a cheat.
pub type MakeAgent<'m, P> = &'m mut dyn FnMut(&[Timed<<P as Problem>::Event>]) -> Box<dyn Agent<P>>;

/// The fork test: at the decisions picked by `at`, the day is simulated again with the same past and another future
/// drawn from the law; a fresh agent with the same random stream must decide the same up to there. `Err` says where
/// it did not: the agent has seen the future.
pub fn fork<P: Problem>(
    problem: &P,
    events: &[Timed<P::Event>],
    make: MakeAgent<'_, P>,
    budget: Budget,
    seed: Seed,
    at: &dyn Fn(usize) -> bool,
) -> Result<(), String> {
    let agent = make(events);
    let (real, times) = simulate(problem, events.to_vec(), agent, budget, seed, usize::MAX)?;
    for k in (0..real.len()).filter(|k| at(*k)) {
        let (now, state) = &times[k];
        let mut other: Vec<_> = events.iter().filter(|a| a.time <= *now).cloned().collect();
        let mut tape = Tape::default();
        let mut rng = seed.stream(Stream::Scenario, k as u64);
        problem.sample_future(state, Time::INFINITY, &mut rng, &mut tape);
        other.extend_from_slice(tape.events());
        let agent = make(&other);
        let (forked, _) = simulate(problem, other, agent, budget, seed, k + 1)?;
        if let Some(i) = (0..=k).find(|&i| real[i] != forked[i]) {
            return Err(format!(
                "decision {i} is '{}' in one future and '{}' in another that agrees with it up to time {now}",
                real[i], forked[i]
            ));
        }
    }
    Ok(())
}

/// Simulates a day with an agent, for `most` decisions at most.
pub fn simulate<P: Problem>(
    problem: &P,
    events: Vec<Timed<P::Event>>,
    mut agent: Box<dyn Agent<P>>,
    budget: Budget,
    seed: Seed,
    most: usize,
) -> Result<PlayedDay<P>, String> {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut rng = seed.stream(Stream::Agent, 0);
    let mut world = World::open(problem, events);
    let (mut actions, mut states) = (Vec::new(), Vec::new());
    while !world.done() && actions.len() < most {
        let state = world.state();
        states.push((problem.now(state), state.clone()));
        let meter = Meter::start(budget, &clock, &stop);
        let decision = agent
            .decide(problem, state, &meter, &mut rng)
            .map_err(|failure| failure.to_string())?;
        actions.push(decision.action);
        world.act(decision.action).map_err(|illegal| illegal.to_string())?;
    }
    Ok((actions, states))
}
