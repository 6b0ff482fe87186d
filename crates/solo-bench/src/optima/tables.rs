//! The tables, as Markdown.

use super::policies::{Policy, Solved};
use super::{Case, DAYS};
use crate::ui::{self, Align, Table, seconds};
use solo_eval::bootstrap::{Estimate, of_mean, of_share};

/// What was found out about all problems.
pub(super) struct Report {
    pub(super) days: u64,
    problems: Vec<Found>,
}

/// What was found out about a problem.
struct Found {
    preset: &'static str,
    about: String,
    starts: &'static [&'static str],
    solved: Solved,
    agents: Vec<(String, Vec<f64>)>,
    taught: f64,
}

/// A row whose cost is compared with others on the same days.
struct Row<'f> {
    name: &'f str,
    expected: Estimate,
    /// Whether the expected cost was computed rather than simulated.
    exact: bool,
    /// Costs by day, whose differences to those of other rows are what is expected of it.
    days: Vec<f64>,
}

impl Found {
    fn optimum(&self) -> Option<(f64, &Policy)> {
        let last = self.solved.policies.last()?;
        Some((last.expected?, last))
    }

    /// The yardstick where the optimum is not known: the highest bound on the mean.
    fn highest(&self) -> &Policy {
        let mean = |policy: &Policy| policy.days.iter().sum::<f64>();
        let bounds = self.solved.bounds.iter();
        bounds.max_by(|a, b| mean(a).total_cmp(&mean(b))).expect("hindsight is a bound")
    }

    /// What the shares end at: the optimum or the highest bound, by day.
    fn end(&self) -> Vec<f64> {
        match self.optimum() {
            Some((least, optimum)) => vec![least; optimum.days.len()],
            None => self.highest().days.clone(),
        }
    }

    fn start(&self, name: &str) -> Vec<f64> {
        let agent = self.agents.iter().find(|agent| agent.0 == name);
        let costs = &agent.expect("the starts are among the agents").1;
        costs.iter().zip(&self.solved.luck).map(|(cost, luck)| cost - luck).collect()
    }

    /// A policy that was computed or an agent that was simulated. What the days' luck cost is taken out of simulated costs.
    fn row<'f>(&self, name: &'f str, expected: Option<f64>, days: &[f64]) -> Row<'f> {
        let days: Vec<f64> = days.iter().zip(&self.solved.luck).map(|(a, b)| a - b).collect();
        if let Some(value) = expected {
            let days = vec![value; days.len()];
            let expected = Estimate { value, low: value, high: value };
            return Row { name, expected, exact: true, days };
        }
        let none = Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN };
        Row { name, expected: of_mean(&days).unwrap_or(none), exact: false, days }
    }

    fn rows(&self) -> Vec<Row<'_>> {
        let policies = self.solved.policies.iter();
        let policies = policies.map(|p| self.row(&p.name, p.expected, &p.days));
        let agents = self.agents.iter().map(|(name, days)| self.row(name, None, days));
        policies.chain(agents).collect()
    }

    fn costs(&self) -> Vec<String> {
        let known = self.optimum().is_some();
        let mut columns =
            vec![("policy", Align::Left), ("expected cost", Align::Right), ("95 %", Align::Right)];
        let end = if known { "optimum" } else { "bound" };
        let headings: Vec<String> = self
            .starts
            .iter()
            .map(|start| format!("{start} -> {end}"))
            .chain(self.starts.iter().map(|start| format!("{start} -> hindsight")))
            .collect();
        columns.extend(headings.iter().map(|heading| (heading.as_str(), Align::Right)));
        let mut table = Table::new(&columns);
        let hindsight = &self.solved.bounds[0].days;
        for row in self.rows() {
            let mut cells = vec![format!("`{}`", row.name), cost(row.expected.value), range(&row)];
            if row.exact || self.solved.policies.iter().any(|policy| policy.name == row.name) {
                cells[0] = row.name.to_string();
            }
            for end in [&self.end(), hindsight] {
                for start in self.starts {
                    let share = of_share(&row.days, &self.start(start), end);
                    cells.push(if row.name == *start { "0".to_string() } else { percent(share) });
                }
            }
            table.row(cells);
        }
        table.markdown()
    }

    fn bounds(&self) -> Vec<String> {
        let known = self.optimum();
        let mut columns = vec![
            ("bound", Align::Left),
            ("mean", Align::Right),
            ("95 %", Align::Right),
            ("over all days", Align::Right),
        ];
        if known.is_some() {
            columns.push(("hindsight -> optimum", Align::Right));
        }
        columns.extend([("states of the last day", Align::Right), ("time", Align::Right)]);
        let mut table = Table::new(&columns);
        let hindsight = &self.solved.bounds[0].days;
        for bound in &self.solved.bounds {
            let mean = of_mean(&bound.days).expect("there are days");
            let all = bound.expected.map_or("-".to_string(), cost);
            let mut cells = vec![bound.name.clone(), cost(mean.value)];
            cells.extend([format!("{} to {}", cost(mean.low), cost(mean.high)), all]);
            if let Some((least, _)) = known {
                let exact = vec![least; bound.days.len()];
                cells.push(match (bound.expected, self.solved.bounds[0].expected) {
                    (Some(own), Some(first)) => {
                        format!("{:.1}", 100.0 * (own - first) / (least - first))
                    }
                    _ => percent(of_share(&bound.days, hindsight, &exact)),
                });
            }
            cells.extend([bound.states.to_string(), seconds(bound.seconds)]);
            table.row(cells);
        }
        table.markdown()
    }

    fn work(&self) -> String {
        let of = |p: &Policy| format!("{}: {} states, {}", p.name, p.states, seconds(p.seconds));
        let parts: Vec<String> = self.solved.policies.iter().map(of).collect();
        format!(
            "Computed: {}. The guide and its value were taught in {}.",
            parts.join("; "),
            seconds(self.taught)
        )
    }
}

impl Report {
    pub(super) fn new(days: u64) -> Self {
        Self { days, problems: Vec::new() }
    }

    pub(super) fn add(
        &mut self,
        case: &Case,
        about: &str,
        solved: Solved,
        agents: Vec<(String, Vec<f64>)>,
        taught: f64,
    ) {
        let (preset, starts) = (case.preset, case.starts);
        let about = about.to_string();
        self.problems.push(Found { preset, about, starts, solved, agents, taught });
    }

    pub(super) fn print(&self) {
        ui::line("# How near agents come to the best online policy");
        ui::line("");
        for text in [
            "Costs over the law are computed (exact). Others are means over days with 95 % intervals; what the luck of",
            "a day costs whatever is decided is taken out of them, which leaves the mean as it is. Shares are of the way",
            "from replanning to the end that the column names, in percent, with 95 % intervals over the same days. Where",
            "that end is a lower bound on every online policy, the share of the way to the optimum is at least that.",
        ] {
            ui::line(text);
        }
        ui::line(&format!(
            "{} days a problem, a quarter of them where only a bound is known; seed {}.",
            self.days, DAYS.0
        ));
        for end in ["optimum", "bound"] {
            let known = end == "optimum";
            let of: Vec<&Found> =
                self.problems.iter().filter(|f| f.optimum().is_some() == known).collect();
            if !of.is_empty() {
                ui::line(&format!(
                    "\n## Share of the way from replanning to the {end} (to hindsight)\n"
                ));
                for family in ["pmsp", "cvrp"] {
                    summary(family, &of).iter().for_each(|line| ui::line(line));
                    ui::line("");
                }
            }
        }
        for found in &self.problems {
            ui::line(&format!("## {}: {}\n", found.preset, found.about));
            found.costs().iter().for_each(|line| ui::line(line));
            let all = found.solved.all.map_or(String::new(), |all| format!(" All {all} days."));
            ui::line(&format!("\nLower bounds on every online policy.{all}\n"));
            found.bounds().iter().for_each(|line| ui::line(line));
            ui::line(&format!("\n{}\n", found.work()));
        }
    }
}

/// A line for each row that the first problem of a family has, a column for each of its problems.
fn summary(family: &str, all: &[&Found]) -> Vec<String> {
    let of: Vec<&&Found> = all.iter().filter(|found| found.preset.starts_with(family)).collect();
    let Some(first) = of.first() else { return Vec::new() };
    let mut columns = vec![("policy", Align::Left)];
    columns.extend(of.iter().map(|found| (found.preset, Align::Right)));
    let mut table = Table::new(&columns);
    let rows: Vec<Vec<Row<'_>>> = of.iter().map(|found| found.rows()).collect();
    for (at, row) in rows[0].iter().enumerate() {
        let mut cells = vec![row.name.to_string()];
        for (found, rows) in of.iter().zip(&rows) {
            let start = found.start(found.starts[0]);
            let share = |end: &[f64]| of_share(&rows[at].days, &start, end).map(|s| s.value);
            let number = |share: Option<f64>| share.map_or("-".to_string(), |s| format!("{s:.0}"));
            let hindsight = &found.solved.bounds[0].days;
            cells.push(format!("{} ({})", number(share(&found.end())), number(share(hindsight))));
        }
        table.row(cells);
    }
    let mut lines = vec![format!("From `{}`:", first.starts[0]), String::new()];
    lines.extend(table.markdown());
    lines
}

fn cost(cost: f64) -> String {
    if cost.abs() >= 100.0 { format!("{cost:.2}") } else { format!("{cost:.4}") }
}

fn range(row: &Row<'_>) -> String {
    if row.exact {
        return "exact".to_string();
    }
    format!("{} to {}", cost(row.expected.low), cost(row.expected.high))
}

fn percent(share: Option<Estimate>) -> String {
    let finite = share.filter(|share| share.value.is_finite());
    finite.map_or("-".to_string(), |s| format!("{:.0} ({:.0} to {:.0})", s.value, s.low, s.high))
}
