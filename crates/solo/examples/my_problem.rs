//! Registers a problem of its own: one server, jobs that arrive over the day, weighted waiting.
//!
//! `cargo run --release -p solo --example my_problem`
//!
//! The problem is `solo_core::testing::toy`: a file of about 200 lines with [`Problem`], [`Audit`] and [`Scenario`]. That is all
//! a problem must be. What it has beyond that is registered here; no other crate is touched.
#![allow(clippy::print_stdout)]

use solo::core::testing::toy::{Order, Toy, ToyDay, ToyState};
use solo::core::{Preset, Presets};
use solo::prelude::*;

/// The open job with the smallest length / weight.
#[derive(Clone, Copy, Debug, Default)]
struct ShortestFirst;

impl Policy<Toy> for ShortestFirst {
    fn choose(&mut self, _problem: &Toy, state: &ToyState, _rng: &mut Rng) -> Order {
        let index = |job: &&Timed<solo::core::testing::toy::Job>| job.what.length / job.what.weight;
        let best = state.open.iter().min_by(|a, b| index(a).total_cmp(&index(b)));
        best.map_or(Order::Wait, |job| Order::Start(job.what.id))
    }
}

impl Guide<Toy> for ShortestFirst {
    fn values(&mut self, _: &Toy, state: &ToyState, menu: &Menu<Order>, out: &mut Vec<f64>) {
        out.clear();
        out.extend(state.open.iter().map(|job| job.what.weight / job.what.length));
        out.resize(menu.len(), 0.0); // waiting, the last slot
    }
}

/// Days that can be drawn by name.
const PRESETS: Presets<ToyDay> = Presets {
    list: &[Preset { name: "toy", about: "about twenty jobs for one server", like: None }],
    changes: Vec::new,
    draw: |_, seed, index| Ok(ToyDay::draw(seed, index)),
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut registry = Registry::default();
    registry.add(
        Entry::<ToyDay>::new()
            .presets(PRESETS)
            .rule::<ShortestFirst>("shortest", "smallest length / weight first")
            .rollouts::<ShortestFirst>()
            .shown(&["shortest", "uniform"], &["shortest", "uniform"])
            .solver("shortest"),
    );
    let agents = ["uniform", "shortest", "mcts+shortest@200r", "lookahead@200r"];
    let mut costs = [0.0; 4];
    for index in 0..20 {
        let day = registry.draw("toy", 7, index)?;
        for (cost, agent) in costs.iter_mut().zip(agents) {
            *cost += Simulation::of(&*day).agent(agent).run()?.cost / 20.0;
        }
    }
    for (agent, cost) in agents.iter().zip(costs) {
        println!("{agent:>20}: {cost:.1}");
    }
    // The rule is all but optimal here, so that searches can only match it; all are far from chance.
    assert!(costs[1..].iter().all(|cost| *cost < 0.5 * costs[0]), "{costs:?}");
    // What the problem does not have is named.
    let day = registry.draw("toy", 7, 0)?;
    let error = Simulation::of(&*day).agent("solo2").run().err().expect("it has no features");
    println!("{error}");
    Ok(())
}
