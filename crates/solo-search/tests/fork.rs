//! No search sees the future: the same past gives the same decisions, whatever comes.

#![allow(clippy::print_stderr)] // says what is skipped

use solo_core::conformance::fork;
use solo_core::{
    Agent, Budget, Decision, Domain, Failure, Guide, GuideVisitor, Menu, Meter, Problem, Rng, Seed,
    Tape, Timed, rollout,
};
use solo_cvrp::Cvrp;
use solo_pmsp::{Pmsp, Wspt};
use solo_search::lookahead::Params;
use solo_search::{Answer, Lookahead, Settings, Uct};

/// Forks a day with every search.
struct Forks<'f, D: Domain> {
    problem: &'f D::Problem,
    arrivals: &'f [Timed<<D::Problem as Problem>::Arrival>],
    name: String,
    /// Which decisions are forked.
    at: &'f dyn Fn(usize) -> bool,
    tried: usize,
}

impl<D: Domain> Forks<'_, D> {
    fn fork(&mut self, agent: &str, make: &mut dyn FnMut() -> Box<dyn Agent<D::Problem>>) {
        let budget = Budget::Rollouts(16);
        let result = fork(self.problem, self.arrivals, &mut |_| make(), budget, Seed(5), self.at);
        assert_eq!(result, Ok(()), "{agent} on {}", self.name);
        self.tried += 1;
    }
}

impl<D: Domain> GuideVisitor<D::Problem> for Forks<'_, D> {
    fn visit<G: Guide<D::Problem> + Default + 'static>(&mut self, guide: &'static str) {
        let sure = Settings { widen: 1.0, answer: Answer::Sure, ..Settings::DEFAULT };
        for settings in [Settings::DEFAULT, Settings { lookahead: 5.0, ..sure }] {
            let mut make = || Box::new(Uct::new(G::default(), settings)) as Box<_>;
            self.fork(&format!("mcts+{guide}"), &mut make);
        }
    }
}

fn fork_all<D: Domain>(presets: &[&str], days: u64, at: &dyn Fn(usize) -> bool) {
    for preset in presets {
        for index in 0..days {
            let scenario = D::generate(preset, Seed(1200), index).unwrap();
            let mut forks = Forks::<D> {
                problem: &D::problem(&scenario, Some(preset)).unwrap(),
                arrivals: &D::arrivals(&scenario),
                name: D::name(&scenario).to_string(),
                at,
                tried: 0,
            };
            forks.fork("lookahead", &mut || {
                Box::new(Lookahead::<D::Problem, D::Scout>::scouting(Params::DEFAULT))
            });
            D::guides(&mut forks);
            assert!(forks.tried >= 7);
        }
    }
}

#[test]
fn scheduling_forks() {
    fork_all::<Pmsp>(&["pmsp-online-3", "pmsp-online-10"], 2, &|k| k % 11 == 3);
}

#[test]
fn routing_forks() {
    fork_all::<Cvrp>(&["cvrp-online-20", "cvrp-dispatch-50"], 2, &|k| k % 11 == 3);
}

/// Fifty days, every decision: a minute on one core.
#[test]
fn every_decision_forks() {
    if std::env::var_os("SOLO_SLOW").is_none() {
        eprintln!("skipped: SOLO_SLOW is not set");
        return;
    }
    fork_all::<Pmsp>(&["pmsp-online-3", "pmsp-online-10"], 10, &|_| true);
    fork_all::<Cvrp>(&["cvrp-online-20", "cvrp-dispatch-20", "cvrp-dispatch-50"], 10, &|_| true);
}

/// Plays candidates against what will really happen.
struct Cheat<P: Problem, G> {
    arrivals: Vec<Timed<P::Arrival>>,
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
        let future: Vec<_> = self.arrivals.iter().filter(|a| a.time > now).cloned().collect();
        let played = menu.legal().iter().map(|&slot| {
            let action = menu.actions()[slot as usize];
            let (mut dream, mut tape) = (state.clone(), Tape::new(future.clone()));
            let cost = problem.apply(&mut dream, action);
            (cost + rollout(problem, &mut dream, &mut tape, &mut self.guide, rng), action)
        });
        let (_, action) = played.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        Ok(Decision::plain(action, 0))
    }
}

#[test]
fn a_cheat_is_caught() {
    let scenario = Pmsp::generate("pmsp-online-3", Seed(1200), 0).unwrap();
    let caught = fork(
        &Pmsp::problem(&scenario, Some("pmsp-online-3")).unwrap(),
        &Pmsp::arrivals(&scenario),
        &mut |arrivals| Box::new(Cheat { arrivals: arrivals.to_vec(), guide: Wspt::default() }),
        Budget::Rollouts(25),
        Seed(5),
        &|k| k % 3 == 0,
    );
    assert!(caught.unwrap_err().contains("in another that agrees"), "the cheat is told");
}
