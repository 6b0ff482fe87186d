//! The program `solo`: what was typed, what it means, the library, the terminal.

mod args;
mod check;
mod eval;
mod explain;
mod generate;
mod presets;
mod progress;
mod report;
mod results;
mod simulate;
mod solve;
mod teach;
mod train;
mod ui;

use args::{Cli, Verb};
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
        Verb::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "solo", &mut script);
            out.raw(&script)
        }
    }
}
