//! Suites: which days are lived by whom, with how much time, and what is drawn of it.
//!
//! A suite is a TOML file. Its *columns* are sets of scenarios, its *rows* are agents with a budget or methods of a file
//! of reference costs, and a *cell* is a row in a column. Rows stand in named groups, so that columns can share them.

use crate::Trouble;
use serde::Deserialize;
use solo_core::spec::split_budget;
use solo_core::{Budget, Seed};
use std::collections::BTreeMap;
use std::path::Path;

/// A suite as it stands in its file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    title: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    seed: u64,
    budget: Option<String>,
    published: Option<String>,
    #[serde(default)]
    deviations: Vec<Deviation>,
    rows: BTreeMap<String, GroupText>,
    #[serde(rename = "column")]
    columns: Vec<ColumnText>,
    #[serde(default)]
    scatter: Vec<Scatter>,
    #[serde(default)]
    quality: Vec<Quality>,
    #[serde(default)]
    curve: Vec<Curve>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupText {
    #[serde(default)]
    agents: Vec<String>,
    #[serde(default)]
    budgets: Vec<String>,
    #[serde(default)]
    methods: Vec<String>,
    first: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnText {
    name: String,
    title: Option<String>,
    #[serde(default)]
    note: String,
    preset: Option<String>,
    scenarios: Option<String>,
    first: Option<u64>,
    seed: Option<u64>,
    law: Option<String>,
    references: Option<String>,
    published: Option<String>,
    rows: Vec<String>,
    reference: String,
    #[serde(default)]
    pictures: Vec<Picture>,
}

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
    /// The `history.csv` that `solo train` wrote.
    pub file: String,
    /// Costs shown as level lines.
    #[serde(default)]
    pub levels: BTreeMap<String, f64>,
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
    /// Figures of two cells.
    pub scatter: Vec<Scatter>,
    /// Figures of quality against budget.
    pub quality: Vec<Quality>,
    /// Figures of learning.
    pub curves: Vec<Curve>,
    /// A fingerprint of the text.
    pub fingerprint: String,
}

/// A set of scenarios and who lives them.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// A short name.
    pub name: String,
    /// One line.
    pub title: String,
    /// What a reader has to know.
    pub note: String,
    /// Where its scenarios come from.
    pub source: Source,
    /// How many, of each row that does not say otherwise.
    pub first: Option<u64>,
    /// What its scenarios, if drawn, and all dice follow from.
    pub seed: Seed,
    /// The law that agents are told to expect, if not the scenarios' own.
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
pub enum Source {
    /// Drawn.
    Preset(String),
    /// Read.
    File(String),
}

/// Who lives the days of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// How it is named in tables: the agent, and its budget if it was given one.
    pub label: String,
    /// Who.
    pub who: Who,
    /// Only the first so many scenarios.
    pub first: Option<u64>,
}

/// Who fills a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Who {
    /// An agent that lives the days.
    Agent {
        /// As typed, without its budget.
        typed: String,
        /// For each decision.
        budget: Budget,
        /// Whether the budget was given, so that it is presumably used.
        timed: bool,
    },
    /// A method whose costs are in the column's file.
    Method(String),
}

impl Row {
    fn agent(typed: &str, budget: Budget, timed: bool, first: Option<u64>) -> Self {
        let label = if timed { format!("{typed}@{budget}") } else { typed.to_string() };
        Self { label, who: Who::Agent { typed: typed.to_string(), budget, timed }, first }
    }
}

impl Column {
    /// The row of this label.
    pub fn row(&self, label: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.label == label)
    }

    /// How many of `there` scenarios a row lives.
    pub fn days(&self, row: &Row, there: u64) -> u64 {
        row.first.or(self.first).unwrap_or(there).min(there)
    }
}

/// What rows without a budget get; rules do not use it.
const BUDGET: &str = "10ms";

impl Suite {
    /// Reads the text of a suite file.
    pub fn parse(file: &str, text: &str) -> Result<Self, Trouble> {
        let read: Text = toml::from_str(text)
            .map_err(|error| Trouble::new(file, error.to_string().trim_end()))?;
        read.suite(file, text).map_err(|what| Trouble::new(file, what))
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Checks that everything drawn is there.
    fn check_figures(&self) -> Result<(), String> {
        let cell = |name: &CellName| {
            let column = self.column(&name.column).ok_or_else(|| unknown_column(&name.column))?;
            column.row(&name.row).map(drop).ok_or_else(|| unknown_row(column, &name.row))
        };
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

fn unknown_column(name: &str) -> String {
    format!("there is no column '{name}'")
}

fn unknown_row(column: &Column, label: &str) -> String {
    let known: Vec<&str> = column.rows.iter().map(|row| row.label.as_str()).collect();
    format!("column '{}' has no row '{label}'; its rows are {}", column.name, known.join(", "))
}

impl Text {
    fn suite(self, file: &str, text: &str) -> Result<Suite, String> {
        let budget: Budget = self.budget.as_deref().unwrap_or(BUDGET).parse()?;
        let mut groups = BTreeMap::new();
        for (name, group) in &self.rows {
            let rows = group.rows(budget).map_err(|what| format!("[rows.{name}]: {what}"))?;
            groups.insert(name.as_str(), rows);
        }
        if self.columns.is_empty() {
            return Err("a suite has at least one [[column]]".to_string());
        }
        let mut columns: Vec<Column> = Vec::new();
        for column in self.columns {
            let name = column.name.clone();
            if name.is_empty()
                || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
            {
                return Err(format!(
                    "column '{name}': a name is of letters, digits, '-', '_' and '.'"
                ));
            }
            if columns.iter().any(|known| known.name == name) {
                return Err(format!("two columns are called '{name}'"));
            }
            let made = column.column(&groups, self.seed);
            columns.push(made.map_err(|what| format!("column '{name}': {what}"))?);
        }
        let stem = Path::new(file).file_stem().unwrap_or_default();
        let suite = Suite {
            name: stem.to_string_lossy().into_owned(),
            title: self.title,
            about: self.about,
            columns,
            published: self.published,
            deviations: self.deviations,
            scatter: self.scatter,
            quality: self.quality,
            curves: self.curve,
            fingerprint: blake3::hash(text.as_bytes()).to_hex()[..16].to_string(),
        };
        suite.check_figures()?;
        Ok(suite)
    }
}

impl GroupText {
    fn rows(&self, default: Budget) -> Result<Vec<Row>, String> {
        if self.first == Some(0) {
            return Err("first must be at least 1".to_string());
        }
        if self.agents.is_empty() && self.methods.is_empty() {
            return Err("name agents = [...] or methods = [...]".to_string());
        }
        let budgets: Result<Vec<Budget>, String> = self.budgets.iter().map(|b| b.parse()).collect();
        let budgets = budgets?;
        let mut rows = Vec::new();
        for agent in &self.agents {
            let (typed, own) = split_budget(agent).map_err(|error| error.to_string())?;
            match own {
                Some(budget) if budgets.is_empty() => {
                    rows.push(Row::agent(typed, budget, true, self.first));
                }
                Some(_) => {
                    return Err(format!(
                        "'{agent}' has a budget of its own in a group with budgets"
                    ));
                }
                None if budgets.is_empty() => {
                    rows.push(Row::agent(typed, default, false, self.first));
                }
                None => {
                    rows.extend(budgets.iter().map(|&b| Row::agent(typed, b, true, self.first)));
                }
            }
        }
        rows.extend(self.methods.iter().map(|method| Row {
            label: method.clone(),
            who: Who::Method(method.clone()),
            first: self.first,
        }));
        Ok(rows)
    }
}

impl ColumnText {
    fn column(self, groups: &BTreeMap<&str, Vec<Row>>, seed: u64) -> Result<Column, String> {
        let source = match (self.preset, self.scenarios) {
            (Some(preset), None) => Source::Preset(preset),
            (None, Some(file)) => Source::File(file),
            _ => return Err("give either preset or scenarios".to_string()),
        };
        if self.first == Some(0) || (self.first.is_none() && matches!(source, Source::Preset(_))) {
            return Err("first = N, at least 1, says how many days of the preset".to_string());
        }
        let mut rows: Vec<Row> = Vec::new();
        for name in &self.rows {
            let group = groups.get(name.as_str()).ok_or_else(|| {
                let known: Vec<&str> = groups.keys().copied().collect();
                format!("there is no [rows.{name}]; there are {}", known.join(", "))
            })?;
            for row in group {
                if rows.iter().any(|known| known.label == row.label) {
                    return Err(format!("the row '{}' comes twice", row.label));
                }
                rows.push(row.clone());
            }
        }
        let method = rows.iter().any(|row| matches!(row.who, Who::Method(_)));
        if method && self.references.is_none() {
            return Err("methods need references = \"FILE.csv\"".to_string());
        }
        let mut column = Column {
            title: self.title.unwrap_or_else(|| self.name.clone()),
            published: self.published.unwrap_or_else(|| self.name.clone()),
            name: self.name,
            note: self.note,
            source,
            first: self.first,
            seed: Seed(self.seed.unwrap_or(seed)),
            law: self.law,
            references: self.references,
            rows,
            reference: 0,
            pictures: self.pictures,
        };
        let reference = column.row(&self.reference);
        column.reference = reference.ok_or_else(|| unknown_row(&column, &self.reference))?;
        for picture in &column.pictures {
            let row = column.row(&picture.row).ok_or_else(|| unknown_row(&column, &picture.row))?;
            if matches!(column.rows[row].who, Who::Method(_)) {
                return Err(format!("'{}' is a method, which lives no day to draw", picture.row));
            }
        }
        Ok(column)
    }
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
            ("first = 5", "first = 0", "first = N"),
            ("20r", "20x", "'20x' is not a budget"),
            ("[\"lookahead\"]", "[\"lookahead@2s\"]", "a budget of its own"),
            ("preset = \"pmsp-online-3\"", "", "either preset or scenarios"),
            ("name = \"one\"", "name = \"a/b\"", "a name is of letters"),
        ] {
            let said = wrong(from, to);
            assert!(said.contains(says) && said.starts_with("s.toml: "), "{said}");
        }
        let line = wrong("seed = 7", "seed = \"x\"");
        assert!(line.contains("line 3"), "{line}");
    }
}
