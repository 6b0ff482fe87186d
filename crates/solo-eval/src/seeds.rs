//! Training seeds: the same agent with models that differ only in the seed they were trained with.

use crate::grids::{Grid, GridCell, GridColumn, GridRow};
use crate::results::{Cell, Results};
use crate::stats::mean;
use crate::suite::{Column, Suite};
use crate::table::Digits;
use serde::Deserialize;

/// How much of a result is chance of training.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingSeeds {
    /// What the table shows.
    pub title: String,
    /// Its lines.
    pub lines: Vec<SeedsLine>,
}

/// An agent with several models.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedsLine {
    /// What it is called.
    pub what: String,
    /// The labels of its rows, the bundled seed first; a column has some of them.
    pub rows: Vec<String>,
}

impl TrainingSeeds {
    /// Checks that some column has each row.
    pub(crate) fn check(&self, suite: &Suite) -> Result<(), String> {
        for label in self.lines.iter().flat_map(|line| &line.rows) {
            if suite.columns.iter().all(|column| column.row(label).is_none()) {
                return Err(format!("[[seeds]] '{}': no column has a row '{label}'", self.title));
            }
        }
        Ok(())
    }

    /// The table, the `number`th of its kind.
    pub fn grid(&self, results: &Results, number: usize) -> Grid {
        let all: Vec<(&Column, &Vec<Cell>)> =
            results.suite.columns.iter().zip(&results.columns).collect();
        let has = |(column, _): &(&Column, _)| {
            self.lines.iter().flat_map(|line| &line.rows).any(|row| column.row(row).is_some())
        };
        let columns: Vec<(&Column, &Vec<Cell>)> = all.into_iter().filter(has).collect();
        let rows = self.lines.iter().map(|line| GridRow {
            opens: "",
            label: line.what.clone(),
            cells: columns.iter().map(|(column, cells)| spread(line, column, cells)).collect(),
        });
        let name = |(column, _): &(&Column, _)| GridColumn {
            name: column.name.clone(),
            days: String::new(),
        };
        Grid {
            rows: rows.collect(),
            name: format!("seeds-{number}"),
            title: self.title.clone(),
            about: "Mean cost over all training seeds; the lowest and the highest seed's mean, and how far they are \
                    apart in percent; on how many days, which all seeds share."
                .to_string(),
            heading: "mean cost",
            columns: columns.iter().map(name).collect(),
        }
    }
}

/// A line in a column: the mean over seeds and how far they are apart, on the days that all of them have.
fn spread(line: &SeedsLine, column: &Column, cells: &[Cell]) -> GridCell {
    let rows = line.rows.iter().filter_map(|label| column.row(label));
    let seeds: Vec<&Cell> = rows.map(|at| &cells[at]).collect();
    let days = seeds.iter().map(|seed| seed.days.len()).min().unwrap_or(0);
    let shared: Vec<usize> =
        (0..days).filter(|&day| seeds.iter().all(|seed| seed.days[day].is_some())).collect();
    if shared.is_empty() {
        return GridCell::default();
    }
    let cost = |seed: &&Cell| {
        let costs = shared.iter().filter_map(|&day| Some(seed.days[day].as_ref()?.cost));
        mean(&costs.collect::<Vec<_>>())
    };
    let means: Vec<f64> = seeds.iter().map(cost).collect();
    let digits = Digits::fit(means.iter().copied());
    let low = means.iter().copied().fold(f64::INFINITY, f64::min);
    let high = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    GridCell {
        mean: digits.cost(mean(&means)),
        gap: format!(
            "{} to {}, {:.2} %",
            digits.cost(low),
            digits.cost(high),
            100.0 * (high - low) / low.abs()
        ),
        n: format!("{}, {} seeds", shared.len(), seeds.len()),
        ..GridCell::default()
    }
}
