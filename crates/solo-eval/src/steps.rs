//! Steps: what each of a ladder of agents adds to the one before it, in all columns at once.

use crate::grids::{Grid, GridCell, GridColumn, GridRow};
use crate::results::{Cell, Results};
use crate::sheets::{interval, sign};
use crate::stats::mean;
use crate::suite::{Column, Suite};
use crate::table::Digits;
use serde::Deserialize;

/// A ladder of agents at equal budgets; a table for each budget.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// What the tables show.
    pub title: String,
    /// The budgets, as rows are labelled with them.
    pub budgets: Vec<String>,
    /// From the lowest step.
    pub lines: Vec<LadderStep>,
}

/// A step of a ladder.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderStep {
    /// What is new in it.
    pub what: String,
    /// Whose row, without a budget: in each column the first of these that has one.
    pub agents: Vec<String>,
    /// The earlier step that it is compared with, by its `what`; the one above unless said.
    pub to: Option<String>,
}

impl LadderStep {
    /// Its row in a column: with the budget, or of an agent that needs none.
    fn row(&self, column: &Column, budget: &str) -> Option<usize> {
        let row =
            |agent: &String| column.row(&format!("{agent}@{budget}")).or_else(|| column.row(agent));
        self.agents.iter().find_map(row)
    }
}

impl Steps {
    /// Checks that all agents have rows and that steps are compared with earlier ones.
    pub(crate) fn check(&self, suite: &Suite) -> Result<(), String> {
        let wrong = |what: String| Err(format!("[[steps]] '{}': {what}", self.title));
        if self.budgets.is_empty() || self.lines.is_empty() {
            return wrong("name budgets = [...] and lines = [...]".to_string());
        }
        for (i, step) in self.lines.iter().enumerate() {
            if let Some(to) = step.to.as_deref().filter(|to| self.line(to, i).is_none()) {
                return wrong(format!("'{}' is compared with '{to}', no earlier step", step.what));
            }
            for (agent, budget) in
                step.agents.iter().flat_map(|agent| self.budgets.iter().map(move |b| (agent, b)))
            {
                let alone = LadderStep { agents: vec![agent.clone()], ..step.clone() };
                if !suite.columns.iter().any(|column| alone.row(column, budget).is_some()) {
                    return wrong(format!("no column has a row '{agent}@{budget}' or '{agent}'"));
                }
            }
        }
        Ok(())
    }

    /// The step of this name before the step `at`.
    fn line(&self, what: &str, at: usize) -> Option<usize> {
        self.lines[..at].iter().position(|step| step.what == what)
    }

    /// The table of each budget.
    pub fn grids(&self, results: &Results) -> Vec<Grid> {
        self.budgets.iter().map(|budget| self.grid(results, budget)).collect()
    }

    fn grid(&self, results: &Results, budget: &str) -> Grid {
        let mut names = Vec::new();
        let mut columns = Vec::new();
        for (column, cells) in results.suite.columns.iter().zip(&results.columns) {
            let row = |step: &LadderStep| step.row(column, budget).map(|row| &cells[row]);
            let ladder: Vec<Option<&Cell>> = self.lines.iter().map(row).collect();
            if ladder.iter().any(Option::is_some) {
                names.push(GridColumn { name: column.name.clone(), days: String::new() });
                columns.push(self.briefs(&ladder).into_iter());
            }
        }
        let rows = self.lines.iter().map(|step| {
            let label = match &step.to {
                Some(to) => format!("{} (to: {to})", step.what),
                None => step.what.clone(),
            };
            let cells = columns.iter_mut().map(|briefs| briefs.next().unwrap_or_default());
            GridRow { opens: "", label, cells: cells.collect() }
        });
        Grid {
            rows: rows.collect(),
            name: format!("steps-{budget}"),
            title: format!("{}, {budget} a decision", self.title),
            about: "Mean cost, the difference to the step above, or to the one named, with its 95 % interval, and on how many days it stands.".to_string(),
            heading: "mean cost",
            columns: names,
        }
    }

    /// A column of the table. A step that is not taken there is empty.
    fn briefs(&self, ladder: &[Option<&Cell>]) -> Vec<GridCell> {
        let digits = Digits::fit(ladder.iter().flatten().map(|cell| mean(&cell.costs())));
        let brief = |(i, cell): (usize, &Option<&Cell>)| {
            let Some(cell) = cell else { return GridCell::default() };
            let base = match &self.lines[i].to {
                Some(to) => self.line(to, i).and_then(|at| ladder[at]),
                None => ladder[..i].iter().rev().flatten().next().copied(),
            };
            if base.is_some_and(|base| base.label == cell.label) {
                return GridCell { mean: "as above".to_string(), ..GridCell::default() };
            }
            let summary = cell.summary(base.unwrap_or(*cell));
            let Some(mean) = summary.mean else { return GridCell::default() };
            let mut brief = GridCell {
                mean: digits.cost(mean.value),
                n: summary.n.to_string(),
                ..GridCell::default()
            };
            if let Some(against) = summary.against {
                let gap = against.percent;
                brief.range = interval(gap, |percent| format!("{percent:+.1}"));
                brief.gap = format!("{:+.1} %", gap.value);
                brief.sign = sign(&against);
                if against.n < summary.n {
                    brief.n = format!("{}, compared on {}", summary.n, against.n);
                }
            }
            brief
        };
        ladder.iter().enumerate().map(brief).collect()
    }
}
