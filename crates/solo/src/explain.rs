//! `solo simulate --explain`: why each decision was made.

use crate::ui::{Align, Digits, Exit, Out, Print, Table, count};
use serde_json::Value;
use solo::episode::Outcome;

/// Prints the evidence for each decision of a day.
pub(crate) fn print(outcome: &Outcome, out: &mut Out) -> Result<(), Exit> {
    let Some(explained) = &outcome.explained else {
        out.line("")?;
        return out.line("the first day comes from the record, without reasons");
    };
    for decision in explained {
        out.line("")?;
        let time = decision["time"].as_f64().unwrap_or_default();
        let action = text(&decision["action"]);
        let Some(how) = decision["how"].as_str() else {
            out.line(&format!("{time:.2}: {action} ({} gives no reasons)", outcome.agent))?;
            continue;
        };
        let rollouts = count(decision["rollouts"].as_f64().unwrap_or_default());
        let tied = if decision["tied"] == true { ", tied with the next" } else { "" };
        out.line(&format!("{time:.2}: {action} ({how}, {rollouts} rollouts{tied})"))?;
        candidates(decision["candidates"].as_array().map_or(&[], Vec::as_slice), out)?;
    }
    Ok(())
}

/// What was sampled, a row each; of the rest how many there were for each reason.
fn candidates(all: &[Value], out: &mut Out) -> Result<(), Exit> {
    let mut table = Table::new(&[
        ("  candidate", Align::Left),
        ("visits", Align::Right),
        ("mean cost", Align::Right),
        ("+/-", Align::Right),
        ("guide", Align::Right),
    ]);
    let (sampled, rest): (Vec<&Value>, Vec<&Value>) =
        all.iter().partition(|candidate| candidate["visits"].as_u64().is_some_and(|n| n > 0));
    let digits = Digits::fit(sampled.iter().filter_map(|candidate| candidate["mean"].as_f64()));
    let number = |value: &Value, show: &dyn Fn(f64) -> String| {
        value.as_f64().map_or_else(|| "-".to_string(), show)
    };
    for candidate in &sampled {
        table.row(vec![
            format!("  {}", text(&candidate["action"])),
            number(&candidate["visits"], &count),
            number(&candidate["mean"], &|cost| digits.cost(cost)),
            number(&candidate["error"], &|cost| digits.cost(cost)),
            number(&candidate["value"], &|value| format!("{value:.3}")),
        ]);
    }
    if !sampled.is_empty() {
        table.print(out)?;
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for candidate in rest {
        let reason = candidate["masked"].as_str().unwrap_or("not sampled");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, number)) => *number += 1,
            None => reasons.push((reason, 1)),
        }
    }
    reasons.iter().try_for_each(|(reason, number)| out.line(&format!("  {number} more: {reason}")))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
