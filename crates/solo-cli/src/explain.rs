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
        let played = match decision.rollouts {
            0 => String::new(),
            _ => format!(", {rollouts} rollouts"),
        };
        out.line(&format!("{time:.2}: {action} ({}{played}{tied})", reasons.how))?;
        candidates(&reasons.candidates, out)?;
    }
    Ok(())
}

/// At most this many of the actions that nothing but a guide has looked at are listed.
const MOST_VALUES: usize = 12;

/// The guide's value of each action, the best first.
fn values(all: &[Considered], out: &mut Out) -> Result<(), Exit> {
    let mut table = Table::new(&[("  candidate", Align::Left), ("value", Align::Right)]);
    let mut shown = 0;
    for candidate in all.iter().take(MOST_VALUES) {
        let Some(value) = candidate.value else { continue };
        table.row(vec![format!("  {}", candidate.action), format!("{value:.3}")]);
        shown += 1;
    }
    if shown > 0 {
        table.print(out)?;
    }
    let valued = all.iter().filter(|candidate| candidate.value.is_some()).count();
    if valued > shown {
        out.line(&format!("  {} more: with lower values", valued - shown))?;
    }
    let rest = all.iter().filter(|candidate| candidate.value.is_none());
    by_reason(rest, "no value", out)
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
    let scores = all.iter().all(|candidate| candidate.visits == 0);
    if scores {
        return values(all, out);
    }
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
    by_reason(rest.into_iter(), "not sampled", out)
}

/// How many were left out for each reason.
fn by_reason<'c>(
    candidates: impl Iterator<Item = &'c Considered>,
    otherwise: &'static str,
    out: &mut Out,
) -> Result<(), Exit> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for candidate in candidates {
        let reason = candidate.masked.unwrap_or(otherwise);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, number)) => *number += 1,
            None => reasons.push((reason, 1)),
        }
    }
    reasons.iter().try_for_each(|(reason, number)| out.line(&format!("  {number} more: {reason}")))
}
