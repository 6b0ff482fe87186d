//! `solo simulate`.

use crate::args::SimulateArgs;
use crate::explain;
use crate::pictures;
use crate::progress::{Bar, interrupt};
use crate::results::SimulationTable;
use crate::ui::{Align, Exit, Out, Print, Table, count, say};
use solo::agents::HINDSIGHT;
use solo::days::{Comparison, DaySource, DaysProgress};
use solo::files::{claim, write_text};
use solo::pictures::PictureFile;
use solo::{AnyProblem, AnyScenario, Error, Outcome, Settings, bundled, solution};
use solo_core::{AgentSpec, Seed};
use solo_eval::record::{Record, references};
use std::collections::HashMap;
use std::io::{self, IsTerminal};

pub(crate) fn run(args: &SimulateArgs, out: &mut Out) -> Result<(), Exit> {
    let source = DaySource::open(bundled(), &args.source)?;
    let problem = source.problem();
    let online = source.with(Seed(args.seed), 0, |day| day.online()).unwrap_or(true);
    let agents = agents(args, problem, online)?;
    let base = base(args, problem, &agents)?;
    if let Some(law) = &args.law {
        bundled().check_law(problem, law)?;
    }
    let record = args.record.as_deref().map(Record::open).transpose()?;
    if let Some(note) = record.as_ref().and_then(Record::note) {
        say("note", note);
    }
    let reference = args.reference.as_deref().map(reference).transpose()?;
    let days = Comparison {
        source: &source,
        episodes: source.episodes(args.episodes),
        agents: &agents,
        settings: Settings {
            law: args.law.as_deref(),
            trust_law: args.trust_law,
            budget: args.budget(),
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
    let picture = pictures::asked(args.picture.as_deref(), args.writing.force)?;
    if let Some(file) = &args.solution {
        claim(file, args.writing.force)?;
    }
    if !args.json {
        header(args, &days, out)?;
    }
    let names = agents.iter().map(ToString::to_string).collect();
    let mut results = SimulationTable::new(names, base, reference);
    let complete = simulate(args, &days, &mut results, out)?;
    results.say_repeated();
    if !args.json {
        results.print(args.markdown, out)?;
        takeaway(args, problem, &agents, &results, out)?;
    }
    after(args, picture, problem, &days, &results, out)?;
    if !complete {
        let (done, all) = (results.complete(), days.episodes);
        say("note", &format!("interrupted after {done} of {all} episodes"));
        return Err(Exit::Interrupted);
    }
    if args.strict && !results.as_asked() {
        say("error", "an agent was something else than what was asked for (--strict)");
        return Err(Exit::Failed);
    }
    if results.failures > 0 { Err(Exit::Failed) } else { Ok(()) }
}

/// The place of the agent that differences are to.
fn base(
    args: &SimulateArgs,
    problem: &dyn AnyProblem,
    agents: &[AgentSpec],
) -> Result<usize, Error> {
    let Some(typed) = &args.against else {
        let opponent = opponent(problem, agents);
        return Ok(opponent.filter(|_| args.agents.is_empty()).unwrap_or(0));
    };
    let wanted = bundled().agent(problem, typed)?;
    agents.iter().position(|agent| *agent == wanted).ok_or_else(|| {
        let names: Vec<String> = agents.iter().map(ToString::to_string).collect();
        Error::Usage(format!("--against {typed}: it should be one of {}", names.join(", ")))
    })
}

/// The place of the strongest simple agent among these, or of the solver.
fn opponent(problem: &dyn AnyProblem, agents: &[AgentSpec]) -> Option<usize> {
    let place = |name: &str| agents.iter().position(|agent| agent.name == name);
    place(problem.opponent()).or_else(|| place(problem.solver()))
}

/// What the first agent saved, where the agents are the problem's own choice.
fn takeaway(
    args: &SimulateArgs,
    problem: &dyn AnyProblem,
    agents: &[AgentSpec],
    results: &SimulationTable,
    out: &mut Out,
) -> Result<(), Exit> {
    if !args.agents.is_empty() || args.against.is_some() || args.reference.is_some() {
        return Ok(());
    }
    let bound = agents.iter().position(|agent| agent.name == HINDSIGHT);
    let Some((base, bound)) = opponent(problem, agents).zip(bound) else {
        return Ok(());
    };
    match results.saved(0, base, bound) {
        Some(text) => {
            out.line("")?;
            out.line(&text)
        }
        None => Ok(()),
    }
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
    asked: Option<PictureFile>,
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
    picture(args, asked, days.episodes, &results.kept, out)?;
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

/// The agents asked for, else the problem's own choice; all checked. The bound of a whole day gets the time of a hundred
/// decisions.
fn agents(
    args: &SimulateArgs,
    problem: &dyn AnyProblem,
    online: bool,
) -> Result<Vec<AgentSpec>, Error> {
    if !args.agents.is_empty() {
        return args.agents.iter().map(|agent| bundled().agent(problem, agent)).collect();
    }
    let choice = |agent: &&str| {
        let mut agent = bundled().agent(problem, agent)?;
        if agent.name == HINDSIGHT {
            agent.budget = Some(args.budget().times(100.0));
        } else if args.asked_budget().is_some() {
            agent.budget = None;
        }
        Ok(agent)
    };
    problem.shown(online).iter().map(choice).collect()
}

fn header(args: &SimulateArgs, days: &Comparison<'_, '_>, out: &mut Out) -> Result<(), Exit> {
    let others = days.agents.iter().filter(|agent| agent.budget.is_none()).count();
    let budget = match others {
        0 => String::new(),
        all if all == days.agents.len() => format!(", at most {} a decision", args.budget()),
        _ => format!(", at most {} a decision unless an agent says otherwise", args.budget()),
    };
    if days.episodes == 1 {
        let line = days.source.with(days.settings.seed, 0, describe).unwrap_or_default();
        out.line(&line)?;
    } else {
        out.line(&format!("{} episodes of {}", count(days.episodes as f64), args.source))?;
    }
    out.line(&format!("seed {}{budget}", args.seed))?;
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
    asked: Option<PictureFile>,
    episodes: u64,
    kept: &[Outcome],
    out: &mut Out,
) -> Result<(), Exit> {
    let unasked = episodes == 1 && !args.json && args.record.is_none() && !args.no_picture;
    let Some(outcome) = kept.first().filter(|_| asked.is_some() || unasked) else { return Ok(()) };
    let must = asked.is_some();
    let file = asked.map_or_else(|| pictures::unasked(&outcome.scenario), Ok);
    match file.and_then(|file| pictures::draw(&file, outcome).map(|()| file)) {
        Ok(_) if args.json => Ok(()),
        Ok(file) => {
            out.line("")?;
            out.line(&format!("picture of {}'s day: {}", outcome.agent, file.name()))
        }
        Err(error) if must => Err(error.into()),
        Err(error) => {
            say("warning", &error.to_string());
            Ok(())
        }
    }
}
