//! `solo check`.

use crate::args::CheckArgs;
use crate::ui::{Exit, Out, say};
use serde_json::json;
use solo::bundled;
use solo::files::read_scenarios;
use solo::solution::{self, Verdict};

pub(crate) fn run(args: &CheckArgs, out: &mut Out) -> Result<(), Exit> {
    let scenarios = read_scenarios(bundled(), &args.file, args.format.as_deref())?;
    let verdicts = solution::check(bundled(), &scenarios, &args.solution)?;
    for verdict in &verdicts {
        out.line(&if args.json { to_json(verdict) } else { to_text(verdict) })?;
    }
    out.flush()?;
    if verdicts.len() < scenarios.len() {
        let (solved, all) = (verdicts.len(), scenarios.len());
        say(
            "note",
            &format!("{solved} of the {all} scenarios have a solution in {}", args.solution),
        );
    }
    let bad: Vec<&Verdict> = verdicts.iter().filter(|verdict| !verdict.good()).collect();
    for verdict in &bad {
        say("error", &complaint(verdict));
    }
    if bad.is_empty() { Ok(()) } else { Err(Exit::Failed) }
}

fn to_json(verdict: &Verdict) -> String {
    let violation = verdict.cost.as_ref().err().map(ToString::to_string);
    json!({
        "scenario": verdict.scenario,
        "good": verdict.good(),
        "cost": verdict.cost.as_ref().ok(),
        "stated": verdict.stated,
        "violation": violation,
    })
    .to_string()
}

fn to_text(verdict: &Verdict) -> String {
    let stated =
        verdict.stated.map_or("no cost".to_string(), |cost| format!("cost {}", digits(cost)));
    match &verdict.cost {
        Ok(cost) if verdict.good() => {
            format!(
                "{}: good, recomputed cost {}, stated {stated}",
                verdict.scenario,
                digits(*cost)
            )
        }
        Ok(cost) => {
            format!("{}: BAD, recomputed cost {}, stated {stated}", verdict.scenario, digits(*cost))
        }
        Err(_) => format!("{}: BAD, infeasible, stated {stated}", verdict.scenario),
    }
}

fn complaint(verdict: &Verdict) -> String {
    match (&verdict.cost, verdict.stated) {
        (Err(violation), _) => format!("{}: {violation}", verdict.scenario),
        (Ok(cost), stated) => format!(
            "{}: the cost is {}, not {} as stated",
            verdict.scenario,
            digits(*cost),
            digits(stated.unwrap_or(f64::NAN))
        ),
    }
}

/// Up to six decimals, as many as say something.
fn digits(cost: f64) -> String {
    let text = format!("{cost:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
