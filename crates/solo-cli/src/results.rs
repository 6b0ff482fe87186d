//! What came of many days: means and paired differences as a table.

use crate::notes::Notes;
use crate::ui::{Align, Digits, Exit, Out, Print, Table, count, say, seconds};
use solo::days::Simulated;
use solo::{EpisodeError, Outcome};
use solo_core::LawError;
use solo_eval::bootstrap::of_difference;
use solo_eval::stats::mean;
use std::collections::HashMap;

/// What came of all days so far.
pub(crate) struct SimulationTable {
    /// The reference, if there is one, then the agents.
    names: Vec<String>,
    reference: Option<HashMap<String, f64>>,
    /// Whom differences are to, by place among the names.
    base: usize,
    /// What agents were that nobody asked for.
    notes: Notes,
    /// By episode, then agent; `None` if it failed or is not simulated yet.
    rows: Vec<Vec<Option<Brief>>>,
    /// The days whose records were wanted.
    pub(crate) kept: Vec<Outcome>,
    /// How many days failed.
    pub(crate) failures: usize,
    /// What went wrong, and how often after the first time.
    said: Vec<(String, usize)>,
}

/// What a table needs of an outcome.
#[derive(Clone, Copy)]
struct Brief {
    cost: f64,
    decisions: f64,
    seconds: f64,
    slowest: f64,
}

impl SimulationTable {
    /// Nothing yet, of these agents, compared with a reference's costs by scenario or else with agent `base`.
    pub(crate) fn new(
        agents: Vec<String>,
        base: usize,
        reference: Option<(String, HashMap<String, f64>)>,
    ) -> Self {
        let (names, base, reference) = match reference {
            Some((method, costs)) => ([vec![method], agents].concat(), 0, Some(costs)),
            None => (agents, base, None),
        };
        let (notes, rows, kept) = (Notes::default(), Vec::new(), Vec::new());
        Self { names, reference, base, notes, rows, kept, failures: 0, said: Vec::new() }
    }

    /// Takes in how a day went.
    pub(crate) fn take(&mut self, day: Simulated) {
        let Simulated { episode, agent, scenario, result } = day;
        let agent = agent + usize::from(self.reference.is_some());
        match result {
            Ok(outcome) => {
                let episode = episode as usize;
                while self.rows.len() <= episode {
                    self.rows.push(vec![None; self.names.len()]);
                }
                if let Some(costs) = &self.reference {
                    let known = |&cost| Brief { cost, decisions: 0.0, seconds: 0.0, slowest: 0.0 };
                    self.rows[episode][0] = costs.get(&scenario).map(known);
                }
                self.rows[episode][agent] = Some(Brief {
                    cost: outcome.cost,
                    decisions: outcome.decisions as f64,
                    seconds: outcome.seconds,
                    slowest: outcome.slowest,
                });
                self.notes.take(agent, &outcome);
                if outcome.day.is_some() {
                    self.kept.push(outcome);
                }
            }
            Err(error) => {
                self.failures += 1;
                // What is wrong with a law is wrong in the same way on most days.
                let kind = match &error {
                    EpisodeError::Outside { law, .. } => {
                        format!("days that cannot come from the law {law}")
                    }
                    EpisodeError::Law(LawError::Misfit { law, .. }) => {
                        format!("the law {law} does not fit")
                    }
                    other => other.to_string(),
                };
                if let Some((_, times)) = self.said.iter_mut().find(|(said, _)| *said == kind) {
                    *times += 1;
                } else {
                    say("error", &format!("{scenario}, agent {}: {error}", self.names[agent]));
                    self.said.push((kind, 0));
                }
            }
        }
    }

    /// Says how often what was said once happened again.
    pub(crate) fn say_repeated(&self) {
        for (error, times) in self.said.iter().filter(|(_, times)| *times > 0) {
            let begin: String = error.chars().take(60).collect();
            let cut = if begin.len() < error.len() { "..." } else { "" };
            say("error", &format!("the same of {times} more days or agents: {begin}{cut}"));
        }
    }

    /// The agents that came to an end at least once.
    fn able(&self) -> Vec<usize> {
        let able = |agent: &usize| self.rows.iter().any(|row| row[*agent].is_some());
        (0..self.names.len()).filter(able).collect()
    }

    /// By agent, its days among those that every able agent came through, so that means compare like with like.
    fn columns(&self) -> Vec<Vec<Brief>> {
        let able = self.able();
        let whole = |row: &&Vec<Option<Brief>>| able.iter().all(|&agent| row[agent].is_some());
        let rows: Vec<_> = self.rows.iter().filter(whole).collect();
        let column = |agent| rows.iter().filter_map(|row| row[agent]).collect();
        (0..self.names.len()).map(column).collect()
    }

    /// How many episodes every agent has come through.
    pub(crate) fn complete(&self) -> usize {
        self.rows.iter().filter(|row| row.iter().all(Option::is_some)).count()
    }

    /// Prints the table, plain or as Markdown.
    pub(crate) fn print(&self, markdown: bool, out: &mut Out) -> Result<(), Exit> {
        let columns = self.columns();
        let days = columns.iter().map(Vec::len).max().unwrap_or(0);
        if days == 0 {
            return Ok(());
        }
        let able = self.able();
        let first = if able.contains(&self.base) { self.base } else { able[0] };
        let base = format!("to {}", self.names[first]);
        let (several, rivals) = (days > 1, self.names.len() > 1);
        let mut headings = vec![("agent", Align::Left)];
        headings.push((if several { "mean cost" } else { "cost" }, Align::Right));
        headings.extend(rivals.then_some((base.as_str(), Align::Right)));
        headings.extend((rivals && several).then_some(("95 % interval", Align::Right)));
        headings.extend(["decisions", "time each", "slowest"].map(|text| (text, Align::Right)));
        let mut table = Table::new(&headings);
        let costs = |column: &Vec<Brief>| column.iter().map(|brief| brief.cost).collect();
        let costs: Vec<Vec<f64>> = columns.iter().map(costs).collect();
        let digits = Digits::fit(costs.iter().map(|costs| mean(costs)));
        for (agent, column) in columns.iter().enumerate() {
            let name = self.names[agent].clone();
            if column.is_empty() {
                table.row(vec![name, "failed".to_string()]);
                continue;
            }
            let mut row = vec![name, digits.cost(mean(&costs[agent]))];
            if rivals {
                row.extend(against(&costs[agent], &costs[first], agent == first));
            }
            row.extend(effort(column));
            table.row(row);
        }
        if markdown {
            table.print_markdown(out)?;
        } else {
            table.print(out)?;
        }
        let begun = self.rows.len();
        if days < begun {
            let what =
                format!("means of {days} of {begun} episodes: on the others somebody has no cost");
            out.line("")?;
            out.line(&what)?;
        }
        self.notes.print(&self.names, days, out)
    }

    /// What `agent` saved against `base`, and how much of what `bound` shows to be possible; by place among the agents.
    pub(crate) fn saved(&self, agent: usize, base: usize, bound: usize) -> Option<String> {
        let columns = self.columns();
        let cost = |agent: usize| {
            let costs: Vec<f64> = columns[agent].iter().map(|brief| brief.cost).collect();
            (!costs.is_empty()).then(|| mean(&costs))
        };
        let (own, base_cost, least) = (cost(agent)?, cost(base)?, cost(bound)?);
        let part = |of: f64| 100.0 * (base_cost - own) / of;
        let (name, base) = (&self.names[agent], &self.names[base]);
        let percent = format!("{:.1} %", part(base_cost).abs());
        if percent == "0.0 %" {
            return Some(format!("{name} costs the same as replanning ({base}) here."));
        }
        if own > base_cost {
            return Some(format!("{name} costs {percent} more than replanning ({base}) here."));
        }
        let of = if least < own {
            format!("{:.0} % of what", part(base_cost - least))
        } else {
            "all that".to_string()
        };
        Some(format!(
            "{name} saves {percent} against replanning ({base}): {of} could be saved by knowing the day in advance."
        ))
    }

    /// Whether every agent was what was asked for.
    pub(crate) fn as_asked(&self) -> bool {
        self.notes.is_empty()
    }
}

/// The difference to the base, and its interval where there are several days.
fn against(costs: &[f64], base: &[f64], same: bool) -> Vec<String> {
    let several = costs.len() > 1;
    let Some(gap) = of_difference(costs, base).filter(|_| !same) else {
        return vec!["-".to_string(); if several { 2 } else { 1 }];
    };
    let mut cells = vec![format!("{:+.2} %", gap.value)];
    cells.extend(several.then(|| format!("{:+.2} to {:+.2}", gap.low, gap.high)));
    cells
}

/// Decisions a day, time a decision, and the slowest decision.
fn effort(column: &[Brief]) -> Vec<String> {
    let days = column.len() as f64;
    let decisions: f64 = column.iter().map(|brief| brief.decisions).sum();
    let spent: f64 = column.iter().map(|brief| brief.seconds).sum();
    if decisions == 0.0 {
        return Vec::new();
    }
    let per_day = decisions / days;
    vec![
        if column.len() > 1 { format!("{per_day:.1}") } else { count(per_day) },
        seconds(spent / decisions),
        seconds(column.iter().map(|brief| brief.slowest).fold(0.0, f64::max)),
    ]
}
