//! How fast the simulator must be. Meant for a quiet machine, so only `cargo xtask test --all` runs it;
//! `cargo test --release -p solo-pmsp --test speed -- --ignored --nocapture` shows the figures.
#![allow(clippy::print_stderr)] // its measurements are its result

use solo_core::{Policy, Rng, Rollouts, Scenario, Seed, Stream, Uniform, World};
use solo_pmsp::presets::generate;
use solo_pmsp::{Action, Scheduling, State, Wspt};
use std::time::Instant;

struct Counted<R>(R, u64);

impl<R: Policy<Scheduling>> Policy<Scheduling> for Counted<R> {
    fn choose(&mut self, problem: &Scheduling, state: &State, rng: &mut Rng) -> Action {
        self.1 += 1;
        self.0.choose(problem, state, rng)
    }
}

/// Episodes and decisions per second.
fn measure(preset: &str, policy: impl Policy<Scheduling>) -> (f64, f64) {
    let scenario = generate(preset, Seed(0), 0).unwrap();
    let problem = scenario.rules(Some(preset)).unwrap();
    let world = World::open(&problem, scenario.events());
    let mut rollouts = Rollouts::new(&problem);
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    let mut policy = Counted(policy, 0);
    let mut best: (f64, f64) = (0.0, 0.0);
    for _ in 0..5 {
        let (started, before) = (Instant::now(), policy.1);
        const EPISODES: u32 = 5_000;
        for _ in 0..EPISODES {
            rollouts.run(&problem, world.state(), &mut policy, &mut rng);
        }
        let seconds = started.elapsed().as_secs_f64();
        let decisions = (policy.1 - before) as f64 / seconds;
        best = (best.0.max(f64::from(EPISODES) / seconds), best.1.max(decisions));
    }
    best
}

#[test]
#[ignore = "slow: run with cargo xtask test --all"]
fn the_simulator_is_fast() {
    for preset in ["pmsp-20", "pmsp-80", "pmsp-online-3", "pmsp-online-10"] {
        let (wspt, uniform) =
            (measure(preset, Wspt::default()), measure(preset, Uniform::default()));
        eprintln!(
            "{preset}: wspt {:.0} episodes/s, {:.2e} decisions/s; uniform {:.0} episodes/s, {:.2e} decisions/s",
            wspt.0, wspt.1, uniform.0, uniform.1
        );
        if preset == "pmsp-80" {
            assert!(wspt.0 >= 20_000.0, "wspt plays {} episodes a second", wspt.0);
            assert!(uniform.1 >= 500_000.0, "uniform decides {} times a second", uniform.1);
        }
    }
}
