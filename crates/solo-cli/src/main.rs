//! The program `solo`: what was typed, what it means, the library, the terminal.

mod args;
mod check;
mod complete;
mod eval;
mod explain;
mod generate;
mod list;
mod notes;
mod pictures;
mod progress;
mod report;
mod results;
mod simulate;
mod solve;
mod teach;
mod train;
mod ui;

use args::{Cli, Verb};
use clap::Parser;
use std::process::ExitCode;
use ui::{Exit, Out};

fn main() -> ExitCode {
    complete::answer();
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
        Verb::List(args) => list::list(&args, out),
        Verb::Agents(args) => list::agents(&args, out),
        Verb::Generate(args) => generate::run(&args, out),
        Verb::Simulate(args) => simulate::run(&args, out),
        Verb::Solve(args) => solve::run(&args, out),
        Verb::Train(args) => train::run(&args, out),
        Verb::Teach(args) => teach::run(&args, out),
        Verb::Eval(args) => eval::run(&args, out),
        Verb::Report(args) => report::run(&args, out),
        Verb::Check(args) => check::run(&args, out),
        Verb::Completions(args) => out.raw(&complete::script(args.shell)?),
    }
}
