//! How fast the simulator, the searches, the guides and the networks are on this machine.
//!
//! `cargo run --release -p solo-bench -- search`. Allocations are counted by a global allocator that nothing else links.

mod deadlines;
mod guides;
mod nn;
mod optima;
mod readers;
mod search;
mod sim;
mod ui;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use ui::BenchError;

/// Measure how fast this machine simulates and searches.
#[derive(Parser)]
#[command(
    name = "solo-bench",
    version,
    after_help = "EXAMPLES:
  cargo run --release -p solo-bench -- sim
  cargo run --release -p solo-bench -- search pmsp
  cargo run -p solo-bench -- readers --inputs 1000000  # arithmetic is checked in this build"
)]
struct Cli {
    #[command(subcommand)]
    what: Measure,
}

/// What can be measured.
#[derive(Subcommand)]
enum Measure {
    /// Rollouts of the simulator on one core: decisions and whole days a second, and allocations (none are allowed).
    Sim {
        /// Only the presets whose name holds this.
        filter: Option<String>,
    },
    /// Rollouts of the tree search on one core: how many a second, allocations (none are allowed), and how their cost
    /// grows with the number of jobs or customers.
    Search {
        /// Only the problems whose name holds this.
        filter: Option<String>,
    },
    /// How far agents overrun the time they are given, with 100 to 5,000 open jobs or customers, on one core. Fails if
    /// the limits are missed.
    Deadlines {
        /// Only the cases of which these are words: cvrp or pmsp, online or offline, 100 to 5000, an agent, 1ms or 10ms.
        filter: Vec<String>,
        /// Decisions that are timed in each case.
        #[arg(long, default_value_t = 300, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
        decisions: u16,
    },
    /// The bundled guides: time of a decision, alone and inside rollouts, and allocations (none are allowed).
    Guides {
        /// Only the days of presets whose name holds this.
        filter: Option<String>,
    },
    /// How near agents come to the best online policy, which is computed on tiny problems and bounded from below on larger
    /// ones. Teaches guides on the way. Prints Markdown; what follows from the clock is only how long things took.
    Optima {
        /// Only the problems whose name holds this.
        filter: Option<String>,
        /// How many days agents are simulated on.
        #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
        days: u64,
        /// Only a table of how the exact solution grows with the size of a problem.
        #[arg(long, conflicts_with_all = ["filter", "days"])]
        growth: bool,
    },
    /// Every reader, fed with good inputs that were changed: panics, hangs and allocations beyond 64 times the input
    /// + 64 MB are reported with the input. All inputs follow from the seed.
    Readers {
        /// Only the readers whose name holds this.
        filter: Option<String>,
        /// How many inputs each is fed with.
        #[arg(long, default_value_t = 1_000_000, value_name = "N")]
        inputs: u64,
        /// Which inputs.
        #[arg(long, default_value_t = 0, value_name = "N")]
        seed: u64,
    },
    /// The network: time of a graph's values on one thread and of a training step, operations a second, and allocations
    /// (none are allowed). With --against, beside PyTorch.
    Nn {
        /// Only the cases whose name holds this.
        filter: Option<String>,
        /// A command that times the same cases, like benches/pytorch/bench.py.
        #[arg(long, num_args = 1.., value_name = "COMMAND")]
        against: Vec<String>,
        /// Spare PyTorch the minutes that torch.compile takes.
        #[arg(long, requires = "against")]
        no_compile: bool,
        /// Threads of training steps.
        #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=8))]
        threads: u16,
    },
}

fn main() -> ExitCode {
    let name = |filter: Option<String>| filter.unwrap_or_default();
    let measured = match Cli::parse().what {
        Measure::Sim { filter } => sim::sim(&name(filter)),
        Measure::Search { filter } => search::search(&name(filter)),
        Measure::Deadlines { filter, decisions } => deadlines::deadlines(decisions.into(), &filter),
        Measure::Guides { filter } => guides::guides(&name(filter)),
        Measure::Optima { filter, days, growth } => optima::optima(&name(filter), days, growth),
        Measure::Readers { filter, inputs, seed } => readers::readers(&name(filter), inputs, seed),
        Measure::Nn { filter, against, no_compile, threads } => {
            nn::nn(&name(filter), &against, !no_compile, threads.into())
        }
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            ui::say("error", &error.to_string());
            ExitCode::from(if matches!(error, BenchError::Usage(_)) { 2 } else { 1 })
        }
    }
}
