//! Adds a rule to scheduling and compares it, alone and as the guide of a tree search.
//!
//! `cargo run --release -p solo --example my_rule`
#![allow(clippy::print_stdout)]

use solo::prelude::*;
use solo_pmsp::{Action, Scheduling, State};
use std::sync::Arc;

/// The job with the largest weight first, on the free machine that needs the least setup for it.
#[derive(Clone, Copy, Debug, Default)]
struct Heaviest;

impl Policy<Scheduling> for Heaviest {
    fn choose(&mut self, problem: &Scheduling, state: &State, _rng: &mut Rng) -> Action {
        let heaviest = state.pending.iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
        let Some(job) = heaviest else { return Action::Wait };
        let setup = |class| problem.setup(class, job.class);
        let machine = state.free().min_by(|a, b| setup(a.1.class).total_cmp(&setup(b.1.class)));
        match machine {
            Some((machine, _)) => Action::Assign { job: job.id, machine },
            None => Action::Wait,
        }
    }
}

/// What a search needs beyond that: how good every action of the menu looks.
impl Guide<Scheduling> for Heaviest {
    fn values(
        &mut self,
        _problem: &Scheduling,
        state: &State,
        menu: &Menu<Action>,
        out: &mut Vec<f64>,
    ) {
        out.clear();
        out.extend(menu.actions().iter().map(|action| match action {
            Action::Assign { job, .. } => {
                state.position(*job).map_or(0.0, |at| state.pending[at].weight)
            }
            Action::Wait => f64::NEG_INFINITY,
        }));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scheduling = solo::problems::pmsp().rule::<Heaviest>("heaviest", "largest weight first");
    let scheduling = Arc::new(scheduling);
    let day = solo_pmsp::presets::generate("pmsp-online-3", Seed(7), 0)?;
    let day = scheduling.day(day);
    for agent in ["heaviest", "wspt", "mcts+heaviest@200r", "mcts+wspt@200r"] {
        let outcome = Simulation::of(&*day).agent(agent).run()?;
        println!("{agent:>20}: {:.0}", outcome.cost);
    }
    Ok(())
}
