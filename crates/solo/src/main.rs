//! The `solo` command.

mod args;
mod bench;
mod bench_deadlines;
mod bench_guides;
mod bench_nn;
mod bench_search;
mod check;
mod cores;
mod days;
mod eval;
mod explain;
mod generate;
mod machine;
mod plan;
mod presets;
mod report;
mod results;
mod simulate;
mod solve;
mod teach;
mod train;
mod ui;

use args::{Bench, Cli, Verb};
use clap::{CommandFactory, Parser};
use std::process::ExitCode;
use ui::{Exit, Out};

fn main() -> ExitCode {
    let mut out = Out::new();
    let done = run(&mut out);
    // What was printed before a failure is still shown.
    let flushed = out.flush();
    match done.and(flushed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.report(),
    }
}

fn run(out: &mut Out) -> Result<(), Exit> {
    match Cli::parse().verb {
        Verb::Presets(args) => presets::run(&args, out),
        Verb::Generate(args) => generate::run(&args, out),
        Verb::Simulate(args) => simulate::run(&args, out),
        Verb::Solve(args) => solve::run(&args, out),
        Verb::Train(args) => train::run(&args, out),
        Verb::Teach(args) => teach::run(&args, out),
        Verb::Eval(args) => eval::run(&args, out),
        Verb::Report(args) => report::run(&args, out),
        Verb::Check(args) => check::run(&args, out),
        Verb::Bench(args) => match args.what {
            Bench::Nn { filter, against, no_compile, threads } => {
                let filter = filter.as_deref().unwrap_or_default();
                bench_nn::nn(filter, &against, !no_compile, threads.into(), out)
            }
            Bench::Guides { filter } => {
                bench_guides::guides(filter.as_deref().unwrap_or_default(), out)
            }
            Bench::Deadlines => bench_deadlines::deadlines(out),
            Bench::Search { filter } => {
                bench_search::search(filter.as_deref().unwrap_or_default(), out)
            }
            Bench::Sim { filter } => bench::sim(filter.as_deref().unwrap_or_default(), out),
        },
        Verb::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "solo", &mut script);
            out.raw(&script)
        }
    }
}
