//! `solo simulate`.

use crate::args::SimulateArgs;
use crate::explain;
use crate::progress::{Bar, interrupt};
use crate::results::SimulationTable;
use crate::ui::{Align, Digits, Exit, Out, Print, Table, count, say};
use solo::days::{Comparison, DaySource, DaysProgress};
use solo::files::write_text;
use solo::{AnyProblem, AnyScenario, Error, Outcome, Settings, bundled, solution};
use solo_core::{AgentSpec, Seed};
use solo_eval::record::{Record, references};
use std::collections::HashMap;
use std::io::{self, IsTerminal};

pub(crate) fn run(args: &SimulateArgs, out: &mut Out) -> Result<(), Exit> {
    let source = DaySource::open(bundled(), &args.source)?;
    let problem = source.problem();
    let agents = agents(problem, &args.agents)?;
    if let Some(law) = &args.law {
        bundled().check_law(problem, law)?;
    }
    let record = args.record.as_deref().map(Record::open).transpose()?;
    let reference = args.reference.as_deref().map(reference).transpose()?;
    let days = Comparison {
        source: &source,
        episodes: source.episodes(args.episodes),
        agents: &agents,
        settings: Settings {
            law: args.law.as_deref(),
            budget: args.budget,
            ponder: args.ponder,
            seed: Seed(args.seed),
            explain: args.explain,
            stop: interrupt(),
            ..Settings::default()
        },
        threads: args.threads.number(),
        record: record.as_ref(),
        explain_all: args.json,
    };
    if let Some(file) = &args.solution {
        solution::check_name(bundled(), problem, file, days.episodes)?;
    }
    if !args.json {
        header(args, &days, out)?;
    }
    let names = agents.iter().map(ToString::to_string).collect();
    let mut results = SimulationTable::new(names, reference);
    let complete = simulate(args, &days, &mut results, out)?;
    if !args.json {
        results.print(args.markdown, out)?;
    }
    after(args, problem, &days, &results, out)?;
    if !complete {
        let (done, all) = (results.complete(), days.episodes);
        say("note", &format!("interrupted after {done} of {all} episodes"));
        return Err(Exit::Interrupted);
    }
    if results.failures > 0 { Err(Exit::Failed) } else { Ok(()) }
}

/// Simulates all days, with a progress bar and a line for each where that was asked for. Returns whether all was done.
fn simulate(
    args: &SimulateArgs,
    days: &Comparison<'_, '_>,
    results: &mut SimulationTable,
    out: &mut Out,
) -> Result<bool, Exit> {
    let keep = |episode, agent| agent == 0 && (episode == 0 || args.solution.is_some());
    let prints = args.json && io::stdout().is_terminal();
    let mut bar = Bar::new(days.episodes * days.agents.len() as u64);
    let complete = days.run(keep, |progress| match progress {
        DaysProgress::Tick { days, decisions } => {
            bar.tick(days, decisions);
            Ok(())
        }
        DaysProgress::Day(day) => {
            let line = day.result.as_ref().ok().filter(|_| args.json);
            let line = line.map(|outcome| outcome.to_json().to_string());
            let take = || {
                results.take(*day);
                match line {
                    Some(line) => out.line(&line).and_then(|()| out.flush()),
                    None => Ok(()),
                }
            };
            if prints { bar.aside(take) } else { take() }
        }
    })?;
    bar.end();
    Ok(complete)
}

/// What is printed and written once all days are simulated.
fn after(
    args: &SimulateArgs,
    problem: &dyn AnyProblem,
    days: &Comparison<'_, '_>,
    results: &SimulationTable,
    out: &mut Out,
) -> Result<(), Exit> {
    if args.log {
        log(&results.kept, out)?;
    }
    if let Some(first) = results.kept.first().filter(|_| args.explain && !args.json) {
        explain::print(first, out)?;
    }
    if let Some(file) = &args.solution {
        write_text(file, &solution::to_text(problem, file, &results.kept)?)?;
        if !args.json {
            out.line("")?;
            out.line(&format!("solutions of {}: {file}", days.agents[0]))?;
        }
    }
    picture(args, days.episodes, &results.kept, out)?;
    out.flush()
}

/// The costs of `FILE.csv:METHOD` by scenario, with the method's name.
fn reference(text: &str) -> Result<(String, HashMap<String, f64>), Error> {
    let (file, method) = text
        .rsplit_once(':')
        .ok_or_else(|| Error::Usage(format!("'{text}' should be FILE.csv:METHOD")))?;
    let costs = references(file, method).map_err(|trouble| Error::Usage(trouble.to_string()))?;
    Ok((method.to_string(), costs))
}

/// The agents asked for, else the problem's own choice; all checked.
fn agents(problem: &dyn AnyProblem, asked: &[String]) -> Result<Vec<AgentSpec>, Error> {
    let shown = || problem.shown().iter().map(ToString::to_string).collect::<Vec<_>>();
    let typed = if asked.is_empty() { shown() } else { asked.to_vec() };
    typed.iter().map(|agent| bundled().agent(problem, agent)).collect()
}

fn header(args: &SimulateArgs, days: &Comparison<'_, '_>, out: &mut Out) -> Result<(), Exit> {
    let budget = args.budget;
    if days.episodes == 1 {
        let line = days.source.with(days.settings.seed, 0, describe).unwrap_or_default();
        out.line(&line)?;
    } else {
        out.line(&format!("{} episodes of {}", count(days.episodes as f64), args.source))?;
    }
    out.line(&format!(
        "seed {}, at most {budget} a decision unless an agent says otherwise",
        args.seed
    ))?;
    out.line("")?;
    out.flush()
}

/// What a day is: `pmsp-online-3/seed0-0: pmsp, machines 3, horizon 2080, 83 jobs`.
fn describe(scenario: &dyn AnyScenario) -> String {
    format!("{}: {}, {}", scenario.name(), scenario.problem(), scenario.summary())
}

fn log(kept: &[Outcome], out: &mut Out) -> Result<(), Exit> {
    let Some((outcome, day)) = kept.first().and_then(|kept| Some((kept, kept.day.as_ref()?)))
    else {
        return Ok(());
    };
    out.line("")?;
    out.line(&format!("{} by {}", outcome.scenario, outcome.agent))?;
    let mut table = Table::new(&[("time", Align::Right), ("event", Align::Left)]);
    for (time, event) in day.lines() {
        table.row(vec![format!("{time:.2}"), event]);
    }
    table.print(out)
}

/// Draws the first day if that was asked for, or if there is only one. A picture nobody asked for may fail.
fn picture(
    args: &SimulateArgs,
    episodes: u64,
    kept: &[Outcome],
    out: &mut Out,
) -> Result<(), Exit> {
    let unasked = episodes == 1 && !args.json && args.record.is_none();
    let wanted = !args.no_picture && (args.picture.is_some() || unasked);
    let Some(outcome) = kept.first().filter(|_| wanted) else { return Ok(()) };
    let file = args.picture.clone().unwrap_or_else(|| file_name(&outcome.scenario));
    match draw(&file, outcome) {
        Ok(()) if args.json => Ok(()),
        Ok(()) => {
            out.line("")?;
            out.line(&format!("picture of {}'s day: {file}", outcome.agent))
        }
        Err(error) if args.picture.is_some() => Err(error.into()),
        Err(error) => {
            say("warning", &error.to_string());
            Ok(())
        }
    }
}

/// Draws a recorded day into a file.
pub(crate) fn draw(file: &str, outcome: &Outcome) -> Result<(), Error> {
    match picture_of(outcome) {
        Some(picture) => write_text(file, &picture),
        None => Err(Error::Failed(format!("{file}: the day was not recorded, or cannot be drawn"))),
    }
}

/// A recorded day as SVG.
pub(crate) fn picture_of(outcome: &Outcome) -> Option<String> {
    let title = format!("{} by {}, cost ", outcome.scenario, outcome.agent)
        + &Digits::fit([outcome.cost]).cost(outcome.cost);
    outcome.day.as_ref().and_then(|day| day.picture(&title))
}

/// A file name made of a scenario's name.
fn file_name(scenario: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.+".contains(c) { c } else { '-' };
    let name: String = scenario.chars().map(safe).take(60).collect();
    format!("{}.svg", name.trim_start_matches('.'))
}
