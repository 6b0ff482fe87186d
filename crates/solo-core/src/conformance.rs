//! What every problem and every agent must keep to. Called by each problem's tests, for each preset.

use crate::features::check_options;
use crate::{
    Agent, Audit, Budget, Encode, Features, Graph, Menu, Meter, Policy, Problem, Rollouts, Seed,
    Sight, Status, Stream, SystemClock, Tape, Time, Timed, Uniform, World,
};
use std::sync::atomic::AtomicBool;

/// Plays the day of these arrivals at random and checks every invariant of [`Problem`], [`Encode`], [`Features`] and
/// [`Audit`] at every decision. Panics with what was broken.
pub fn check<P: Audit + Encode + Features>(
    problem: &P,
    arrivals: &[Timed<P::Arrival>],
    seed: Seed,
) {
    let mut rng = seed.stream(Stream::Agent, 0);
    let mut policy = Uniform::<P>::default();
    let mut rollouts = Rollouts::new(problem);
    let mut scratch = problem.initial();
    let mut sketch = P::Sketch::default();
    let mut world = World::open(problem, arrivals.to_vec());
    let mut sum = world.cost();
    let most = 1_000 * (arrivals.len() + 1);
    while !world.done() {
        let state = world.state();
        assert_eq!(problem.status(state), Status::Decide, "a world rests only at decisions");
        check_menu(problem, state);
        check_options(problem, state, &mut sketch);
        check_future(problem, state, seed);

        scratch.clone_from(state);
        assert_eq!(&scratch, state, "clone_from gives the same state");
        assert_eq!(problem.key(&scratch), problem.key(&state.clone()), "keys are stable");

        let action = policy.choose(problem, state, &mut rng);
        problem.apply(&mut scratch, action);
        assert_eq!(problem.now(&scratch), problem.now(state), "apply lets no time pass");
        assert_ne!(problem.key(&scratch), problem.key(state), "an action changes the key");

        let cost = rollouts.run(problem, state, &mut policy, &mut rng);
        assert!(cost.is_finite() && cost >= 0.0, "a dream costs {cost}");

        sum += world.act(action).expect("a legal action is carried out");
        let decisions = world.journal().decisions.len();
        assert!(decisions <= most, "random play has not ended after {decisions} decisions");
    }
    assert_eq!(problem.closing_time(world.state()), None, "a finished day is closed");
    assert_eq!(world.journal().arrivals, arrivals, "everything arrives, in order of time");
    let audited = problem
        .audit(arrivals, &world.journal().decisions)
        .unwrap_or_else(|violation| panic!("the audit objects: {violation}"));
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0);
    assert!(close(sum, world.cost()) && close(sum, audited), "{sum} {} {audited}", world.cost());
    let error = world.act(policy_free_wait(problem, world.state())).unwrap_err();
    assert!(error.reason.contains("over"), "a finished day takes no orders");
}

fn policy_free_wait<P: Problem>(problem: &P, state: &P::State) -> P::Action {
    let mut menu = Menu::default();
    problem.menu(state, &mut menu);
    *menu.actions().last().expect("a menu always has waiting")
}

fn check_menu<P: Encode>(problem: &P, state: &P::State) {
    let mut menu = Menu::default();
    problem.menu(state, &mut menu);
    assert!(!menu.legal().is_empty(), "a decision has a legal action");
    for sight in Sight::ALL {
        check_graph(problem, state, sight, menu.len());
    }
    for (i, action) in menu.actions().iter().enumerate() {
        assert_eq!(menu.slot(*action), Some(i), "every action has one slot");
    }
}

fn check_graph<P: Encode>(problem: &P, state: &P::State, sight: Sight, slots: usize) {
    let mut graph = Graph::default();
    problem.encode(state, sight, &mut graph);
    let shape = problem.shape(sight);
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

/// Makes a fresh agent for a day. It is handed the day's arrivals only so that a test can plant a cheat.
pub type MakeAgent<'m, P> =
    &'m mut dyn FnMut(&[Timed<<P as Problem>::Arrival>]) -> Box<dyn Agent<P>>;

/// The fork test: at the decisions picked by `at`, the day is lived again with the same past and another future drawn
/// from the law; a fresh agent with the same dice must decide the same up to there. `Err` says where it did not: the
/// agent has seen the future.
pub fn fork<P: Problem>(
    problem: &P,
    arrivals: &[Timed<P::Arrival>],
    make: MakeAgent<'_, P>,
    budget: Budget,
    seed: Seed,
    at: &dyn Fn(usize) -> bool,
) -> Result<(), String> {
    let (real, times) = live(problem, arrivals.to_vec(), make, budget, seed, usize::MAX)?;
    for k in (0..real.len()).filter(|k| at(*k)) {
        let (now, state) = &times[k];
        let mut other: Vec<_> = arrivals.iter().filter(|a| a.time <= *now).cloned().collect();
        let mut tape = Tape::default();
        let mut rng = seed.stream(Stream::Scenario, k as u64);
        problem.sample_future(state, Time::INFINITY, &mut rng, &mut tape);
        other.extend_from_slice(tape.events());
        let (forked, _) = live(problem, other, make, budget, seed, k + 1)?;
        if let Some(i) = (0..=k).find(|&i| real[i] != forked[i]) {
            return Err(format!(
                "decision {i} is '{}' in one future and '{}' in another that agrees with it up to time {now}",
                real[i], forked[i]
            ));
        }
    }
    Ok(())
}

type Lived<P> = (Vec<<P as Problem>::Action>, Vec<(Time, <P as Problem>::State)>);

fn live<P: Problem>(
    problem: &P,
    arrivals: Vec<Timed<P::Arrival>>,
    make: MakeAgent<'_, P>,
    budget: Budget,
    seed: Seed,
    most: usize,
) -> Result<Lived<P>, String> {
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut rng = seed.stream(Stream::Agent, 0);
    let mut agent = make(&arrivals);
    let mut world = World::open(problem, arrivals);
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
