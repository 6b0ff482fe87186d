//! `solo generate`.

use crate::args::GenerateArgs;
use crate::progress::interrupt;
use crate::ui::{Exit, Out};
use solo::files::{claim, extension_of, write_text};
use solo::{AnyProblem, AnyScenario, Error, bundled};
use solo_core::Seed;
use solo_core::atomic::Draft;
use std::path::Path;
use std::sync::atomic::Ordering;

pub(crate) fn run(args: &GenerateArgs, out: &mut Out) -> Result<(), Exit> {
    let problem = bundled().preset(&args.preset)?;
    let Some(file) = &args.out else {
        for index in 0..args.count {
            out.line(&line(&*draw(args, problem, index)?))?;
        }
        return Ok(());
    };
    let extension = extension_of(file);
    check_ending(args, problem, file, &extension)?;
    claim(file, args.writing.force)?;
    if problem.scenario_formats().iter().any(|format| format.extension == extension) {
        return foreign(args, problem, file, &extension);
    }
    let stop = interrupt();
    let mut draft = Draft::new(Path::new(file)).map_err(Error::from)?;
    for index in 0..args.count {
        if stop.load(Ordering::Relaxed) {
            return Err(Exit::Interrupted); // a half-written file is of no use: the draft vanishes
        }
        let text = line(&*draw(args, problem, index)?) + "\n";
        draft.write(text.as_bytes()).map_err(Error::from)?;
    }
    Ok(draft.keep().map_err(Error::from)?)
}

/// An ending by which the file would be read as one of another problem is refused.
fn check_ending(
    args: &GenerateArgs,
    problem: &dyn AnyProblem,
    file: &str,
    extension: &str,
) -> Result<(), Error> {
    let reads = |problem: &dyn AnyProblem| {
        problem.scenario_formats().iter().any(|format| format.extension == extension)
    };
    match bundled().problems().find(|other| reads(*other)) {
        Some(other) if !reads(problem) => Err(Error::Usage(format!(
            "{file}: .{extension} is an ending of {} files, but '{}' is a preset of {}; write .jsonl",
            other.name(),
            args.preset,
            problem.name()
        ))),
        _ => Ok(()),
    }
}

fn draw(
    args: &GenerateArgs,
    problem: &dyn AnyProblem,
    index: u64,
) -> Result<Box<dyn AnyScenario>, Error> {
    let drawn = problem.draw(&args.preset, Seed(args.seed), index);
    drawn.map_err(|error| Error::Usage(error.to_string()))
}

fn line(scenario: &dyn AnyScenario) -> String {
    scenario.write().to_string()
}

fn foreign(
    args: &GenerateArgs,
    problem: &dyn AnyProblem,
    file: &str,
    extension: &str,
) -> Result<(), Exit> {
    let fail = |message: String| Exit::Error(Error::Failed(message));
    if args.count != 1 {
        return Err(fail(format!("{file}: a .{extension} file holds one scenario; write .jsonl")));
    }
    match draw(args, problem, 0)?.write_foreign(extension) {
        Some(Ok(text)) => Ok(write_text(file, &text)?),
        Some(Err(reason)) => Err(fail(format!("{file}: {reason}"))),
        None => Err(fail(format!("{file}: nothing could be drawn"))),
    }
}
