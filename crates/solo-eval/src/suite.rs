//! Suites: which agents are simulated on which days, with which budget, and which figures are drawn of it.
//!
//! A suite is a TOML file. Its *columns* are sets of scenarios, its *rows* are agents with a budget or methods of a
//! file of reference costs, and a *cell* is a row in a column. Rows stand in named groups, so that columns can share
//! them.

use crate::EvalError;
use crate::seeds::TrainingSeeds;
use crate::shares::Shares;
use crate::steps::Steps;
use crate::suite_text::SuiteText;
use serde::Deserialize;
use solo_core::{Budget, Seed};
use std::collections::BTreeMap;

/// Where results differ from the paper on purpose.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// What is different.
    pub what: String,
    /// The decision that says why, like `0003-routing-as-published.md`.
    pub decision: Option<String>,
}

/// A day to be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    /// Whose day, by the label of the row.
    pub row: String,
    /// Which of the column's days, from 0.
    pub day: u64,
}

/// A row in a column.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellName {
    /// The column's name.
    pub column: String,
    /// The row's label.
    pub row: String,
}

/// Two cells against each other, a point for every day; cells of different columns are paired by the number of the day.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scatter {
    /// What the figure shows.
    pub title: String,
    /// To the right.
    pub x: CellName,
    /// Upwards.
    pub y: CellName,
}

/// How the cost of some agents falls with their budget.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quality {
    /// What the figure shows.
    pub title: String,
    /// In which column.
    pub column: String,
    /// Whose rows: all with a budget of these agents.
    pub agents: Vec<String>,
    /// Rows shown as level lines, for comparison.
    #[serde(default)]
    pub levels: Vec<String>,
}

/// How learning went.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// What was learnt.
    pub title: String,
    /// The `curve.csv` that `solo train` or `solo teach` wrote.
    pub file: String,
    /// What its steps are.
    #[serde(default = "decisions")]
    pub steps: String,
    /// Costs shown as level lines.
    #[serde(default)]
    pub levels: BTreeMap<String, f64>,
}

fn decisions() -> String {
    "decisions".to_string()
}

/// A suite that can be run. Paths in it begin where the suite's file is.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The file's name, without folder and ending.
    pub name: String,
    /// One line.
    pub title: String,
    /// A paragraph.
    pub about: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// The file of published values.
    pub published: Option<String>,
    /// Where results differ from the paper on purpose.
    pub deviations: Vec<Deviation>,
    /// Tables of what each step adds.
    pub steps: Vec<Steps>,
    /// Tables of how much of a gap is closed.
    pub shares: Vec<Shares>,
    /// Tables of how much is chance of training.
    pub seeds: Vec<TrainingSeeds>,
    /// Figures of two cells.
    pub scatter: Vec<Scatter>,
    /// Figures of quality against budget.
    pub quality: Vec<Quality>,
    /// Figures of learning.
    pub curves: Vec<Curve>,
    /// A fingerprint of the text.
    pub fingerprint: String,
}

/// A set of scenarios, and the rows that are evaluated on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// A short name.
    pub name: String,
    /// One line.
    pub title: String,
    /// What a reader has to know.
    pub note: String,
    /// Where its scenarios come from.
    pub source: ScenarioSource,
    /// How many, of each row that does not say otherwise.
    pub first: Option<u64>,
    /// The seed of its scenarios, if they are drawn, and of all agents.
    pub seed: Seed,
    /// The law that agents expect, if not the scenarios' own.
    pub law: Option<String>,
    /// A file of reference costs.
    pub references: Option<String>,
    /// The name of its published values.
    pub published: String,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Which of them the others are compared with.
    pub reference: usize,
    /// Days to be drawn.
    pub pictures: Vec<Picture>,
}

/// Where a column's scenarios come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScenarioSource {
    /// Drawn.
    Preset(String),
    /// Read.
    File(String),
}

/// An agent or a method that is evaluated on the days of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name in tables: the agent, and its budget if it was given one.
    pub label: String,
    /// Who.
    pub who: Who,
    /// Only the first N scenarios.
    pub first: Option<u64>,
}

/// Who fills a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Who {
    /// An agent, simulated on the days.
    Agent {
        /// As typed, without its budget.
        typed: String,
        /// For each decision.
        budget: Budget,
        /// Whether the budget was given, and so is part of the label.
        timed: bool,
    },
    /// A method whose costs are in the column's file.
    Method(String),
}

impl Row {
    pub(crate) fn agent(typed: &str, budget: Budget, timed: bool, first: Option<u64>) -> Self {
        let label = if timed { format!("{typed}@{budget}") } else { typed.to_string() };
        Self { label, who: Who::Agent { typed: typed.to_string(), budget, timed }, first }
    }
}

impl Column {
    /// The row of this label.
    pub fn row(&self, label: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.label == label)
    }

    /// On how many of `there` scenarios a row is evaluated.
    pub fn days(&self, row: &Row, there: u64) -> u64 {
        row.first.or(self.first).unwrap_or(there).min(there)
    }
}

impl Suite {
    /// Reads the text of a suite file.
    pub fn parse(file: &str, text: &str) -> Result<Self, EvalError> {
        let read: SuiteText = toml::from_str(text).map_err(|error| {
            let what = recipe(text).map_or(error.to_string(), str::to_string);
            EvalError::new(file, what.trim_end())
        })?;
        read.suite(file, text).map_err(|what| EvalError::new(file, what))
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Checks that everything shown is there.
    pub(crate) fn check_shown(&self) -> Result<(), String> {
        let cell = |name: &CellName| {
            let column = self.column(&name.column).ok_or_else(|| unknown_column(&name.column))?;
            column.row(&name.row).map(drop).ok_or_else(|| unknown_row(column, &name.row))
        };
        self.steps.iter().try_for_each(|steps| steps.check(self))?;
        self.shares.iter().try_for_each(|shares| shares.check(self))?;
        self.seeds.iter().try_for_each(|seeds| seeds.check(self))?;
        for scatter in &self.scatter {
            let wrong = |what| format!("[[scatter]] '{}': {what}", scatter.title);
            cell(&scatter.x).and_then(|()| cell(&scatter.y)).map_err(wrong)?;
        }
        for quality in &self.quality {
            let wrong = |what| format!("[[quality]] '{}': {what}", quality.title);
            let column = self.column(&quality.column);
            let column = column.ok_or_else(|| wrong(unknown_column(&quality.column)))?;
            for level in &quality.levels {
                column.row(level).ok_or_else(|| wrong(unknown_row(column, level)))?;
            }
            for agent in &quality.agents {
                let timed = column.rows.iter().any(|row| {
                    matches!(&row.who, Who::Agent { typed, timed: true, .. } if typed == agent)
                });
                if !timed {
                    return Err(wrong(format!(
                        "'{agent}' has no row with a budget in '{}'",
                        column.name
                    )));
                }
            }
        }
        Ok(())
    }
}

/// What to say of a file that is no suite but a recipe.
fn recipe(text: &str) -> Option<&'static str> {
    let table: toml::Table = toml::from_str(text).ok()?;
    if table.contains_key("column") || table.contains_key("rows") {
        None
    } else if table.contains_key("paper") {
        Some("this is the recipe of a network, not a suite: give it to 'solo train'")
    } else if table.contains_key("rounds") {
        Some("this is the recipe of a guide, not a suite: give it to 'solo teach'")
    } else {
        None
    }
}

fn unknown_column(name: &str) -> String {
    format!("there is no column '{name}'")
}

pub(crate) fn unknown_row(column: &Column, label: &str) -> String {
    let known: Vec<&str> = column.rows.iter().map(|row| row.label.as_str()).collect();
    format!("column '{}' has no row '{label}'; its rows are {}", column.name, known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        title = "small"
        seed = 7
        [rows.rules]
        agents = ["wspt", "ruin@5ms"]
        [rows.search]
        agents = ["lookahead"]
        budgets = ["1ms", "20r"]
        first = 3
        [[column]]
        name = "one"
        preset = "pmsp-online-3"
        first = 5
        rows = ["rules", "search"]
        reference = "ruin@5ms"
        [[steps]]
        title = "steps"
        budgets = ["1ms"]
        lines = [{ what = "rule", agents = ["wspt"] }, { what = "search", agents = ["lookahead"], to = "rule" }]
    "#;

    #[test]
    fn rows_are_agents_with_budgets() {
        let suite = Suite::parse("suites/small.toml", SMALL).unwrap();
        assert_eq!(suite.name, "small");
        let column = &suite.columns[0];
        let labels: Vec<&str> = column.rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(labels, ["wspt", "ruin@5ms", "lookahead@1ms", "lookahead@20r"]);
        let days: Vec<u64> = column.rows.iter().map(|row| column.days(row, 5)).collect();
        assert_eq!((days, column.reference, column.seed), (vec![5, 5, 3, 3], 1, Seed(7)));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |from: &str, to: &str| {
            let text = SMALL.replace(from, to);
            assert_ne!(text, SMALL, "{from}");
            Suite::parse("s.toml", &text).unwrap_err().to_string()
        };
        for (from, to, says) in [
            ("seed = 7", "sead = 7", "unknown field `sead`"),
            ("\"rules\", \"search\"", "\"rulez\"", "no [rows.rulez]; there are rules, search"),
            (
                "reference = \"ruin@5ms\"",
                "reference = \"ruin\"",
                "has no row 'ruin'; its rows are wspt",
            ),
            ("first = 5", "first = 0", "column 'one': first = 0 should be from 1 to 1000000"),
            ("first = 5", "first = 1_000_000_000_000", "should be from 1 to 1000000"),
            ("first = 3", "first = 1_000_000_000_000", "should be from 1 to 1000000"),
            ("first = 5\n", "\n", "first = N says how many days"),
            ("20r", "20x", "'20x' is not a budget"),
            ("[\"lookahead\"]", "[\"lookahead@2s\"]", "a budget of its own"),
            ("preset = \"pmsp-online-3\"", "", "either preset or scenarios"),
            ("name = \"one\"", "name = \"a/b\"", "a name is made of letters"),
            (
                "to = \"rule\"",
                "to = \"rules\"",
                "'search' is compared with 'rules', no earlier step",
            ),
            (
                "budgets = [\"1ms\"]",
                "budgets = [\"2ms\"]",
                "no column has a row 'lookahead@2ms' or 'lookahead'",
            ),
        ] {
            let said = wrong(from, to);
            assert!(said.contains(says) && said.starts_with("s.toml: "), "{said}");
        }
        for (recipe, command) in [("[paper]\nsteps = 1\n", "train"), ("rounds = 2\n", "teach")] {
            let said = Suite::parse("r.toml", recipe).unwrap_err().to_string();
            assert!(said.contains(&format!("give it to 'solo {command}'")), "{said}");
        }
        let line = wrong("seed = 7", "seed = \"x\"");
        assert!(line.contains("line 3"), "{line}");
    }
}
