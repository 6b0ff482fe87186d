//! `solo simulate --explain`: why each decision was made.

use crate::ui::{Align, Digits, Exit, Out, Print, Table, count};
use solo::Outcome;
use solo::explanation::Considered;

/// Prints the evidence for each decision of a day.
pub(crate) fn print(outcome: &Outcome, out: &mut Out) -> Result<(), Exit> {
    let Some(explained) = &outcome.explained else {
        out.line("")?;
        return out.line("the first day comes from the record, without reasons");
    };
    for decision in explained {
        out.line("")?;
        let (time, action) = (decision.time, &decision.action);
        let Some(reasons) = &decision.reasons else {
            out.line(&format!("{time:.2}: {action} ({} gives no reasons)", outcome.agent))?;
            continue;
        };
        let rollouts = count(decision.rollouts as f64);
        let tied = if reasons.tied { ", tied with the next" } else { "" };
        out.line(&format!("{time:.2}: {action} ({}, {rollouts} rollouts{tied})", reasons.how))?;
        candidates(&reasons.candidates, out)?;
    }
    Ok(())
}

/// What was sampled, a row each; of the rest how many there were for each reason.
fn candidates(all: &[Considered], out: &mut Out) -> Result<(), Exit> {
    let mut table = Table::new(&[
        ("  candidate", Align::Left),
        ("visits", Align::Right),
        ("mean cost", Align::Right),
        ("+/-", Align::Right),
        ("guide", Align::Right),
    ]);
    let (sampled, rest): (Vec<&Considered>, Vec<&Considered>) =
        all.iter().partition(|candidate| candidate.visits > 0);
    let digits = Digits::fit(sampled.iter().map(|candidate| candidate.mean));
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
    for candidate in &sampled {
        table.row(vec![
            format!("  {}", candidate.action),
            count(candidate.visits as f64),
            digits.cost(candidate.mean),
            or_none(candidate.error.filter(|error| error.is_finite()).map(|e| digits.cost(e))),
            or_none(candidate.value.map(|value| format!("{value:.3}"))),
        ]);
    }
    if !sampled.is_empty() {
        table.print(out)?;
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for candidate in rest {
        let reason = candidate.masked.unwrap_or("not sampled");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, number)) => *number += 1,
            None => reasons.push((reason, 1)),
        }
    }
    reasons.iter().try_for_each(|(reason, number)| out.line(&format!("  {number} more: {reason}")))
}
