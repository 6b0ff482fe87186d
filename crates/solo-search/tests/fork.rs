//! No search sees the future: the same past gives the same decisions, whatever comes.

mod common;

use common::{Family, RoutingDays, SchedulingDays, Shortest, ToyDays};
use solo_core::testing::fork;
use solo_core::testing::toy::Toy;
use solo_core::{
    Agent, Budget, Decision, Failure, Guide, Menu, Meter, Problem, Rng, Scenario, Seed, Tape,
    Timed, Uniform, rollout,
};
use solo_cvrp::Routing;
use solo_cvrp::rules::{Distance, Nearest};
use solo_pmsp::{Fifo, Scheduling, Wspt};
use solo_search::{Answer, LookaheadParams, Uct, UctParams};

/// A named way to make an agent.
type Maker<P> = (String, Box<dyn Fn() -> Box<dyn Agent<P>>>);

/// The tree search with a guide: as published, and with everything that is ours.
fn uct<P, G>(guide: &str) -> [Maker<P>; 2]
where
    P: Problem + 'static,
    G: Guide<P> + Default + 'static,
{
    let ours =
        UctParams { widen: 1.0, answer: Answer::Sure, lookahead: 5.0, ..UctParams::default() };
    [UctParams::default(), ours].map(|params| -> Maker<P> {
        let make = move || Box::new(Uct::new(G::default(), params.clone())) as Box<dyn Agent<P>>;
        (format!("mcts+{guide}"), Box::new(make))
    })
}

/// Every search of a problem: the lookahead, and the tree search with each of its guides.
trait Searches: Family {
    fn tree_searches() -> Vec<Maker<Self::Problem>>;

    fn all() -> Vec<Maker<Self::Problem>> {
        let mut all = Self::tree_searches();
        all.push((
            "lookahead".to_string(),
            Box::new(|| Box::new(Self::lookahead(LookaheadParams::default()))),
        ));
        all
    }
}

impl Searches for ToyDays {
    fn tree_searches() -> Vec<Maker<Toy>> {
        [uct::<_, Shortest>("shortest"), uct::<_, Uniform<Toy>>("uniform")]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl Searches for SchedulingDays {
    fn tree_searches() -> Vec<Maker<Scheduling>> {
        let uniform = uct::<_, Uniform<Scheduling>>("uniform");
        [uct::<_, Wspt>("wspt"), uct::<_, Fifo>("fifo"), uniform].into_iter().flatten().collect()
    }
}

impl Searches for RoutingDays {
    fn tree_searches() -> Vec<Maker<Routing>> {
        let uniform = uct::<_, Uniform<Routing>>("uniform");
        let rules = [uct::<_, Distance>("distance"), uct::<_, Nearest>("nearest"), uniform];
        rules.into_iter().flatten().collect()
    }
}

/// Forks days of each preset with every search, at the decisions picked by `at`.
fn fork_all<F: Searches>(presets: &[&str], days: u64, at: &dyn Fn(usize) -> bool) {
    for preset in presets {
        for index in 0..days {
            let day = F::draw(preset, 1200, index);
            let problem = F::rules(&day, preset);
            for (agent, make) in F::all() {
                let budget = Budget::Rollouts(16);
                let result = fork(&problem, &day.events(), &mut |_| make(), budget, Seed(5), at);
                assert_eq!(result, Ok(()), "{agent} on {}", day.name());
            }
        }
    }
}

#[test]
fn toy_forks() {
    fork_all::<ToyDays>(&["toy"], 5, &|_| true);
}

#[test]
fn scheduling_forks() {
    let presets = ["pmsp-online-3", "pmsp-online-10", "pmsp-unrelated-5"];
    fork_all::<SchedulingDays>(&presets, 2, &|k| k % 11 == 3);
}

#[test]
fn routing_forks() {
    fork_all::<RoutingDays>(&["cvrp-online-20", "cvrp-dispatch-50"], 2, &|k| k % 11 == 3);
}

/// Fifty days, every decision: a minute on one core.
#[test]
#[ignore = "slow: run by cargo xtask test --all"]
fn every_decision_forks() {
    fork_all::<SchedulingDays>(&["pmsp-online-3", "pmsp-online-10"], 10, &|_| true);
    fork_all::<RoutingDays>(
        &["cvrp-online-20", "cvrp-dispatch-20", "cvrp-dispatch-50"],
        10,
        &|_| true,
    );
}

/// Plays candidates against what will really happen.
struct Cheat<P: Problem, G> {
    events: Vec<Timed<P::Event>>,
    guide: G,
}

impl<P: Problem, G: Guide<P>> Agent<P> for Cheat<P, G> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        _meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        let mut menu = Menu::default();
        problem.menu(state, &mut menu);
        let now = problem.now(state);
        let future: Vec<_> = self.events.iter().filter(|a| a.time > now).cloned().collect();
        let played = menu.legal().iter().map(|&slot| {
            let action = menu.actions()[slot as usize];
            let (mut copy, mut tape) = (state.clone(), Tape::new(future.clone()));
            let cost = problem.apply(&mut copy, action);
            (cost + rollout(problem, &mut copy, &mut tape, &mut self.guide, rng), action)
        });
        let (_, action) = played.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        Ok(Decision::plain(action, 0))
    }
}

/// Whether a cheat on the first day of a preset is caught, and named.
fn catch<F: Family, G: Guide<F::Problem> + Default + 'static>(preset: &str) {
    let day = F::draw(preset, 1200, 0);
    let caught = fork(
        &F::rules(&day, preset),
        &day.events(),
        &mut |events| Box::new(Cheat { events: events.to_vec(), guide: G::default() }),
        Budget::Rollouts(25),
        Seed(5),
        &|k| k % 3 == 0,
    );
    assert!(caught.unwrap_err().contains("in another that agrees"), "{preset}: the cheat is named");
}

#[test]
fn a_cheat_is_caught() {
    catch::<ToyDays, Shortest>("toy-long");
    catch::<SchedulingDays, Wspt>("pmsp-online-3");
}
