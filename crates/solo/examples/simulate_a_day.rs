//! Simulates a day of a preset with several agents and draws the best one's day.
//!
//! `cargo run --release -p solo --example simulate_a_day`
#![allow(clippy::print_stdout)]

use solo::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let day = bundled().draw("cvrp-dispatch-20", 7, 0)?;
    println!("{}: {}", day.name(), day.summary());
    // Agents are texts, or parameters as structs.
    let agents: Vec<AgentSpec> = vec![
        "nearest".parse()?,
        "hold(theta=1,age=8)".parse()?,
        "ruin@200r".parse()?,
        LookaheadParams { k: 6, ..LookaheadParams::default() }.into(),
        AgentSpec::from(Solo2::default()).at(Budget::Rollouts(200)),
    ];
    let mut best: Option<Outcome> = None;
    for agent in agents {
        let outcome = Simulation::of(&*day).agent(agent).budget(Budget::Rollouts(100)).run()?;
        println!("{:>24}: {:.2}", outcome.agent, outcome.cost);
        if best.as_ref().is_none_or(|best| outcome.cost < best.cost) {
            best = Some(outcome);
        }
    }
    let best = best.expect("there are agents");
    let picture = best.day.and_then(|day| day.picture(&best.agent)).unwrap_or_default();
    let file = std::env::temp_dir().join("simulate_a_day.svg");
    std::fs::write(&file, picture)?;
    println!("the day of {}: {}", best.agent, file.display());
    Ok(())
}
