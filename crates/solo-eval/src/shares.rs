//! Shares: how much of the way from one agent's cost to another's is closed, in all columns at once.

use crate::bootstrap::of_share;
use crate::grids::{Grid, GridCell, GridColumn, GridRow};
use crate::results::{Cell, Results};
use crate::sheets::interval;
use crate::suite::{Column, Suite};
use serde::Deserialize;

/// How much of a gap agents close, from each of several starts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shares {
    /// What the table shows.
    pub title: String,
    /// Whose share: labels of rows.
    pub rows: Vec<String>,
    /// Where the gap begins: labels of rows, each a start of its own.
    pub from: Vec<String>,
    /// Where it ends: in each column the first of these labels of which it has days.
    pub to: Vec<String>,
}

impl Shares {
    /// Checks that some column has each row.
    pub(crate) fn check(&self, suite: &Suite) -> Result<(), String> {
        let wrong = |what: String| Err(format!("[[shares]] '{}': {what}", self.title));
        if self.rows.is_empty() || self.from.is_empty() || self.to.is_empty() {
            return wrong("name rows = [...], from = [...] and to = [...]".to_string());
        }
        for label in self.rows.iter().chain(&self.from).chain(&self.to) {
            if suite.columns.iter().all(|column| column.row(label).is_none()) {
                return wrong(format!("no column has a row '{label}'"));
            }
        }
        Ok(())
    }

    /// Where the gap ends in a column.
    fn end(&self, column: &Column, cells: &[Cell]) -> Option<usize> {
        let ends = || self.to.iter().filter_map(|label| column.row(label));
        let has_days = |at: &usize| cells[*at].days.iter().any(Option::is_some);
        ends().find(has_days).or_else(|| ends().next())
    }

    /// The table, the `number`th of its kind.
    pub fn grid(&self, results: &Results, number: usize) -> Grid {
        let columns: Vec<(&Column, &Vec<Cell>, usize)> = results
            .suite
            .columns
            .iter()
            .zip(&results.columns)
            .filter_map(|(column, cells)| Some((column, cells, self.end(column, cells)?)))
            .collect();
        let mut rows = Vec::new();
        let pairs = self.rows.iter().flat_map(|row| self.from.iter().map(move |from| (row, from)));
        for (row, from) in pairs.filter(|(row, from)| row != from) {
            let cell = |&(column, cells, end): &(&Column, &Vec<Cell>, usize)| {
                let cell = |label: &str| column.row(label).map(|at| &cells[at]);
                let (own, start) = cell(row).zip(cell(from))?;
                brief(own, start, &cells[end])
            };
            let cells = columns.iter().map(|column| cell(column).unwrap_or_default()).collect();
            rows.push(GridRow { opens: "", label: format!("{row}, from {from}"), cells });
        }
        let name = |&(column, _, end): &(&Column, &Vec<Cell>, usize)| GridColumn {
            name: format!("{} (to {})", column.name, column.rows[end].label),
            days: String::new(),
        };
        Grid {
            name: format!("shares-{number}"),
            title: self.title.clone(),
            about: "Share of the gap that is closed, with its 95 % interval, and on how many days it stands: \
                    (start - agent) / (start - end), of mean costs on the same days."
                .to_string(),
            heading: "share",
            columns: columns.iter().map(name).collect(),
            rows,
        }
    }
}

/// The share that `own` closes of the gap from `start` to `end`, on the days that all three have; nothing if there is
/// no gap.
fn brief(own: &Cell, start: &Cell, end: &Cell) -> Option<GridCell> {
    let (mut of_own, mut of_start, mut of_end) = (Vec::new(), Vec::new(), Vec::new());
    for ((own, start), end) in own.days.iter().zip(&start.days).zip(&end.days) {
        if let (Some(own), Some(start), Some(end)) = (own, start, end) {
            of_own.push(own.cost);
            of_start.push(start.cost);
            of_end.push(end.cost);
        }
    }
    let share = of_share(&of_own, &of_start, &of_end)?;
    share.value.is_finite().then(|| GridCell {
        mean: format!("{:.0} %", share.value),
        gap: interval(share, |percent| format!("{percent:.0}")),
        n: of_own.len().to_string(),
        ..GridCell::default()
    })
}
