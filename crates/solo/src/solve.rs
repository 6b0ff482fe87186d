//! `solo solve`.

use crate::args::SolveArgs;
use crate::days::{Days, Source};
use crate::simulate::draw;
use crate::ui::{Align, Digits, Exit, Out, Print, Table, count, say, seconds};
use solo::episode::Outcome;
use solo::files::write_text;
use solo::{registry, solution};
use solo_core::Seed;
use solo_eval::stats::mean;

pub(crate) fn run(args: &SolveArgs, out: &mut Out) -> Result<(), Exit> {
    let source = Source::file(&args.file, args.exact)?;
    let domain = source.domain();
    let agent = match &args.agent {
        Some(agent) => agent.clone(),
        None => domain.solver().to_string(),
    };
    registry::check_agent(domain, &agent)?;
    let days = Days {
        source: &source,
        episodes: source.episodes(None),
        agents: &[agent],
        budget: args.budget,
        ponder: None,
        seed: Seed(args.seed),
        law: None,
        threads: args.threads.number(),
        record: None,
        finish: true,
        explain: false,
        prints: args.json,
    };
    if let Some(file) = &args.out {
        solution::check_name(domain, file, days.episodes)?;
    }

    let mut solved: Vec<Outcome> = Vec::new();
    let mut failures = 0;
    let complete = days.live(
        |episode, _| args.out.is_some() || (episode == 0 && args.picture.is_some()),
        |lived| {
            match lived.result {
                Ok(outcome) => {
                    if args.json {
                        out.line(&outcome.to_json().to_string())?;
                        out.flush()?;
                    }
                    solved.push(outcome);
                }
                Err(error) => {
                    failures += 1;
                    say("error", &format!("{}: {error}", lived.scenario));
                }
            }
            Ok(())
        },
    )?;

    if !args.json {
        print(&solved, out)?;
    }
    let mut written = Vec::new();
    if let Some(file) = args.out.as_ref().filter(|_| !solved.is_empty()) {
        write_text(file, &solution::to_text(domain, file, &solved)?)?;
        written.push(format!("solution: {file}"));
    }
    if let (Some(file), Some(first)) = (&args.picture, solved.first()) {
        draw(file, first)?;
        written.push(format!("picture of {}: {file}", first.scenario));
    }
    if !args.json && !written.is_empty() {
        out.line("")?;
        out.line(&written.join("\n"))?;
    }
    out.flush()?;
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
