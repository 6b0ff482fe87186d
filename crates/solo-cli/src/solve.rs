//! `solo solve`.

use crate::args::SolveArgs;
use crate::notes::Notes;
use crate::pictures;
use crate::progress::{Bar, interrupt};
use crate::ui::{Align, Digits, Exit, Out, Print, Table, count, say, seconds};
use solo::days::{Comparison, DaySource, DaysProgress};
use solo::files::{claim, write_text};
use solo::pictures::PictureFile;
use solo::{AnyProblem, Error, Outcome, Settings, bundled, solution};
use solo_core::Seed;
use solo_eval::stats::mean;
use std::path::Path;

pub(crate) fn run(args: &SolveArgs, out: &mut Out) -> Result<(), Exit> {
    let preset = bundled().owner(&args.file).is_some() && !Path::new(&args.file).exists();
    if preset {
        let name = &args.file;
        return Err(Exit::Error(Error::Usage(format!(
            "'{name}' is a preset, and a file is needed; 'solo generate {name} --out FILE.jsonl' draws one"
        ))));
    }
    let source = DaySource::file(bundled(), &args.file, args.format.as_deref())?;
    let problem = source.problem();
    let agent = bundled().agent(problem, args.agent.as_deref().unwrap_or(problem.solver()))?;
    let days = Comparison {
        source: &source,
        episodes: source.episodes(None),
        agents: &[agent],
        settings: Settings {
            budget: args.budget,
            seed: Seed(args.seed),
            stop: interrupt(),
            finish: true,
            ..Settings::default()
        },
        threads: args.threads.number(),
        record: None,
        explain_all: false,
    };
    if let Some(file) = &args.out {
        solution::check_name(bundled(), problem, file, days.episodes)?;
    }
    let picture = pictures::asked(args.picture.as_deref(), args.writing.force)?;
    if let Some(file) = &args.out {
        claim(file, args.writing.force)?;
    }
    let (solved, failures, complete) = solve(args, &days, out)?;
    if !args.json {
        print(&solved, out)?;
        let mut notes = Notes::default();
        for outcome in &solved {
            notes.take(0, outcome);
        }
        notes.print(&[days.agents[0].to_string()], solved.len(), out)?;
    }
    write(args, picture.as_ref(), problem, &solved, out)?;
    if !complete {
        let (done, all) = (solved.len(), days.episodes);
        say(
            "note",
            &format!("interrupted: {done} of {all} scenarios, each with the best found so far"),
        );
        return Err(Exit::Interrupted);
    }
    if failures > 0 { Err(Exit::Failed) } else { Ok(()) }
}

/// Solves every scenario: those that were solved, how many failed, and whether all was done.
fn solve(
    args: &SolveArgs,
    days: &Comparison<'_, '_>,
    out: &mut Out,
) -> Result<(Vec<Outcome>, usize, bool), Exit> {
    let (mut solved, mut failures) = (Vec::new(), 0);
    let mut bar = Bar::new(days.episodes);
    let keep = |episode, _| args.out.is_some() || (episode == 0 && args.picture.is_some());
    let complete = days.run(keep, |progress| {
        match progress {
            DaysProgress::Tick { days, decisions } => bar.tick(days, decisions),
            DaysProgress::Day(day) => match day.result {
                Ok(outcome) => {
                    if args.json {
                        bar.aside(|| out.line(&outcome.to_json().to_string()))?;
                        out.flush()?;
                    }
                    solved.push(outcome);
                }
                Err(error) => {
                    failures += 1;
                    bar.aside(|| say("error", &format!("{}: {error}", day.scenario)));
                }
            },
        }
        Ok::<(), Exit>(())
    })?;
    bar.end();
    Ok((solved, failures, complete))
}

/// Writes the solutions and the picture that were asked for.
fn write(
    args: &SolveArgs,
    picture: Option<&PictureFile>,
    problem: &dyn AnyProblem,
    solved: &[Outcome],
    out: &mut Out,
) -> Result<(), Exit> {
    let mut written = Vec::new();
    if let Some(file) = args.out.as_ref().filter(|_| !solved.is_empty()) {
        write_text(file, &solution::to_text(problem, file, solved)?)?;
        written.push(format!("solution: {file}"));
    }
    if let (Some(file), Some(first)) = (picture, solved.first()) {
        pictures::draw(file, first)?;
        written.push(format!("picture of {}: {}", first.scenario, file.name()));
    }
    if !args.json && !written.is_empty() {
        out.line("")?;
        out.line(&written.join("\n"))?;
    }
    out.flush()
}

fn print(solved: &[Outcome], out: &mut Out) -> Result<(), Exit> {
    if solved.is_empty() {
        return Ok(());
    }
    let digits = Digits::fit(solved.iter().map(|outcome| outcome.cost));
    let mut table = Table::new(&[
        ("scenario", Align::Left),
        ("agent", Align::Left),
        ("cost", Align::Right),
        ("decisions", Align::Right),
        ("time", Align::Right),
    ]);
    for outcome in solved {
        table.row(vec![
            outcome.scenario.clone(),
            outcome.agent.clone(),
            digits.cost(outcome.cost),
            count(outcome.decisions as f64),
            seconds(outcome.seconds),
        ]);
    }
    if solved.len() > 1 {
        let costs: Vec<f64> = solved.iter().map(|outcome| outcome.cost).collect();
        let mean_of = format!("mean of {}", solved.len());
        table.row(vec![mean_of, String::new(), digits.cost(mean(&costs))]);
    }
    table.print(out)
}
