//! Suites as they stand in their files, and what is wrong with them.

use crate::seeds::TrainingSeeds;
use crate::shares::Shares;
use crate::steps::Steps;
use crate::suite::{
    Column, Curve, Deviation, Picture, Quality, Row, Scatter, ScenarioSource, Suite, Who,
    unknown_row,
};
use serde::Deserialize;
use solo_core::{AgentSpec, Budget, Seed};
use std::collections::BTreeMap;
use std::path::Path;

/// A suite as it stands in its file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SuiteText {
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
    steps: Vec<Steps>,
    #[serde(default)]
    shares: Vec<Shares>,
    #[serde(default)]
    seeds: Vec<TrainingSeeds>,
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

/// The most days of a column: more is a slip of the pen.
const MOST_DAYS: u64 = 1_000_000;

/// What rows without a budget get; rules do not use it.
const BUDGET: &str = "10ms";

impl SuiteText {
    /// The suite, or what is wrong with it.
    pub(crate) fn suite(self, file: &str, text: &str) -> Result<Suite, String> {
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
                    "column '{name}': a name is made of letters, digits, '-', '_' and '.'"
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
            steps: self.steps,
            shares: self.shares,
            seeds: self.seeds,
            scatter: self.scatter,
            quality: self.quality,
            curves: self.curve,
            fingerprint: blake3::hash(text.as_bytes()).to_hex()[..16].to_string(),
        };
        suite.check_shown()?;
        Ok(suite)
    }
}

impl GroupText {
    fn rows(&self, default: Budget) -> Result<Vec<Row>, String> {
        if let Some(first) = self.first.filter(|first| !(1..=MOST_DAYS).contains(first)) {
            return Err(format!("first = {first} should be from 1 to {MOST_DAYS}"));
        }
        if self.agents.is_empty() && self.methods.is_empty() {
            return Err("name agents = [...] or methods = [...]".to_string());
        }
        let budgets: Result<Vec<Budget>, String> = self.budgets.iter().map(|b| b.parse()).collect();
        let budgets = budgets?;
        let mut rows = Vec::new();
        for agent in &self.agents {
            let spec = AgentSpec::parse(agent).map_err(|error| error.to_string())?;
            let (typed, own) = (spec.without_budget(), spec.budget);
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
            (Some(preset), None) => ScenarioSource::Preset(preset),
            (None, Some(file)) => ScenarioSource::File(file),
            _ => return Err("give either preset or scenarios".to_string()),
        };
        if self.first.is_none() && matches!(source, ScenarioSource::Preset(_)) {
            return Err("first = N says how many days of the preset".to_string());
        }
        if let Some(first) = self.first.filter(|first| !(1..=MOST_DAYS).contains(first)) {
            return Err(format!("first = {first} should be from 1 to {MOST_DAYS}"));
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
                return Err(format!(
                    "'{}' is a method: it is not simulated, so there is no day to draw",
                    picture.row
                ));
            }
        }
        Ok(column)
    }
}
