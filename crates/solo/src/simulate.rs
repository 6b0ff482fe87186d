//! `solo simulate`.

use crate::args::SimulateArgs;
use crate::days::{Days, Source};
use crate::explain;
use crate::results::Results;
use crate::ui::{Align, Digits, Exit, Out, Print, Table, count, say};
use serde_json::Value;
use solo::any::{AnyDomain, AnyScenario};
use solo::episode::Outcome;
use solo::files::write_text;
use solo::{Error, registry, solution};
use solo_core::Seed;
use solo_eval::record::{Record, references};
use std::collections::HashMap;

pub(crate) fn run(args: &SimulateArgs, out: &mut Out) -> Result<(), Exit> {
    let source = Source::open(&args.source)?;
    let domain = source.domain();
    let agents = agents(domain, &args.agents)?;
    if let Some(law) = &args.law {
        registry::check_law(domain, law)?;
    }
    let record = args.record.as_deref().map(Record::open).transpose()?;
    let reference = args.reference.as_deref().map(reference).transpose()?;
    let days = Days {
        source: &source,
        episodes: source.episodes(args.episodes),
        agents: &agents,
        budget: args.budget,
        ponder: args.ponder,
        seed: Seed(args.seed),
        law: args.law.as_deref(),
        threads: args.threads.number(),
        record: record.as_ref(),
        finish: false,
        explain: args.explain,
        prints: args.json,
    };
    if let Some(file) = &args.solution {
        solution::check_name(domain, file, days.episodes)?;
    }
    if !args.json {
        header(args, &days, out)?;
    }

    let mut results = Results::new(agents.clone(), reference);
    let keep = |episode, agent| agent == 0 && (episode == 0 || args.solution.is_some());
    let complete = days.live(keep, |lived| {
        let line = lived.result.as_ref().ok().filter(|_| args.json).map(json_line);
        results.take(lived);
        match line {
            Some(line) => out.line(&line).and_then(|()| out.flush()),
            None => Ok(()),
        }
    })?;

    if !args.json {
        results.print(args.markdown, out)?;
    }
    if args.log {
        log(&results.kept, out)?;
    }
    if let Some(first) = results.kept.first().filter(|_| args.explain && !args.json) {
        explain::print(first, out)?;
    }
    if let Some(file) = &args.solution {
        write_text(file, &solution::to_text(domain, file, &results.kept)?)?;
        if !args.json {
            out.line("")?;
            out.line(&format!("solutions of {}: {file}", agents[0]))?;
        }
    }
    picture(args, days.episodes, &results.kept, out)?;
    out.flush()?;
    if !complete {
        let (done, all) = (results.complete(), days.episodes);
        say("note", &format!("interrupted after {done} of {all} episodes"));
        return Err(Exit::Interrupted);
    }
    if results.failures > 0 { Err(Exit::Failed) } else { Ok(()) }
}

/// The costs of `FILE.csv:METHOD` by scenario, with the method's name.
fn reference(text: &str) -> Result<(String, HashMap<String, f64>), Error> {
    let (file, method) = text
        .rsplit_once(':')
        .ok_or_else(|| Error::Usage(format!("'{text}' should be FILE.csv:METHOD")))?;
    let costs = references(file, method).map_err(|trouble| Error::Usage(trouble.to_string()))?;
    Ok((method.to_string(), costs))
}

/// A day's figures, and why it was decided so if that was asked for.
fn json_line(outcome: &Outcome) -> String {
    let mut line = outcome.to_json();
    if let Some(explained) = &outcome.explained {
        line["explained"] = Value::from(explained.clone());
    }
    line.to_string()
}

/// The agents asked for, else the problem's own choice; all checked.
fn agents(domain: &dyn AnyDomain, asked: &[String]) -> Result<Vec<String>, Error> {
    if asked.is_empty() {
        return Ok(domain.shown().iter().map(ToString::to_string).collect());
    }
    asked.iter().try_for_each(|agent| registry::check_agent(domain, agent))?;
    Ok(asked.to_vec())
}

fn header(args: &SimulateArgs, days: &Days<'_>, out: &mut Out) -> Result<(), Exit> {
    let budget = args.budget;
    if days.episodes == 1 {
        let line = days.source.with(days.seed, 0, describe).unwrap_or_default();
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

/// What a day is, in the words of its file: `pmsp-online-3/seed0-0: machines 3, horizon 2080, 5 x 5 setup, 83 jobs`.
fn describe(scenario: &dyn AnyScenario) -> String {
    let mut facts = vec![format!("{}: {}", scenario.name(), scenario.problem())];
    for (key, value) in scenario.write() {
        match &value {
            Value::Number(number) => {
                facts.push(format!("{} {}", key.replace('_', " "), number.as_f64().unwrap_or(0.0)));
            }
            Value::Array(items) if items.iter().all(Value::is_object) => {
                facts.push(format!("{} {key}", items.len()));
                facts.extend(at_start(items));
            }
            _ => {}
        }
    }
    facts.join(", ")
}

/// How many of the items are there from the start, unless all are.
fn at_start(items: &[Value]) -> Option<String> {
    let there = items.iter().filter(|item| item["arrival"].as_f64() == Some(0.0)).count();
    (there < items.len()).then(|| format!("{there} of them from the start"))
}

fn log(kept: &[Outcome], out: &mut Out) -> Result<(), Exit> {
    let Some((outcome, day)) = kept.first().and_then(|kept| Some((kept, kept.day.as_ref()?)))
    else {
        return Ok(());
    };
    out.line("")?;
    out.line(&format!("{} by {}", outcome.scenario, outcome.agent))?;
    let mut table = Table::new(&[("time", Align::Right), ("event", Align::Left)]);
    for (time, event) in day.log() {
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
        None => Err(Error::Failed(format!("{file}: the day was not recorded"))),
    }
}

/// A recorded day as SVG.
pub(crate) fn picture_of(outcome: &Outcome) -> Option<String> {
    let title = format!("{} by {}, cost ", outcome.scenario, outcome.agent)
        + &Digits::fit([outcome.cost]).cost(outcome.cost);
    outcome.day.as_ref().map(|day| day.picture(&title))
}

/// A file name made of a scenario's name.
fn file_name(scenario: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.+".contains(c) { c } else { '-' };
    let name: String = scenario.chars().map(safe).take(60).collect();
    format!("{}.svg", name.trim_start_matches('.'))
}
