//! What a suite means: its cells, checked against what there is.

use crate::Error;
use crate::agents::HINDSIGHT;
use crate::any::AnyScenario;
use crate::days::DaySource;
use crate::files::read_text;
use crate::registry::Registry;
use solo_core::{AgentSpec, Budget};
use solo_eval::EvalError;
use solo_eval::folder::beside;
use solo_eval::published::Published;
use solo_eval::record::{Key, references};
use solo_eval::suite::{self, Column, Suite, Who};
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// Files by name with their text, and what had to be left out.
pub type SuiteCopies = (Vec<(String, String)>, Vec<String>);

/// An agent's row in a column.
pub struct PlannedCell {
    /// Which column.
    pub column: usize,
    /// Which of its rows.
    pub row: usize,
    /// How many days.
    pub days: u64,
    /// `column / row`, to be picked by.
    pub name: String,
}

/// A suite with its scenarios.
pub struct SuitePlan<'r> {
    /// The suite's file.
    pub file: String,
    text: String,
    /// What was asked for.
    pub suite: Suite,
    /// By column, its scenarios.
    pub sources: Vec<DaySource<'r>>,
    /// By column, how many of them are used, and their names once they are asked for.
    names: Vec<(u64, OnceLock<Vec<String>>)>,
    /// By column, about how many decisions a day has.
    decisions: Vec<f64>,
    /// The cells that are run, in order.
    pub cells: Vec<PlannedCell>,
}

impl<'r> SuitePlan<'r> {
    /// The suite of a file, of which only the cells are run whose name holds one of `only`, all if there is none, and at
    /// most the first `limit` of their days.
    pub fn read(
        registry: &'r Registry,
        file: &str,
        only: &[String],
        limit: Option<u64>,
    ) -> Result<Self, Error> {
        let text = read_text(file)?;
        let suite = Suite::parse(file, &text)?;
        let mut plan = Self {
            file: file.to_string(),
            text,
            sources: Vec::new(),
            names: Vec::new(),
            decisions: Vec::new(),
            cells: Vec::new(),
            suite,
        };
        for at in 0..plan.suite.columns.len() {
            plan.add_column(registry, at, only, limit)?;
        }
        if plan.cells.is_empty() {
            return Err(Error::Usage(format!("no cell of {file} has '{}'", only.join("' or '"))));
        }
        Ok(plan)
    }

    fn add_column(
        &mut self,
        registry: &'r Registry,
        at: usize,
        only: &[String],
        limit: Option<u64>,
    ) -> Result<(), Error> {
        let column = &self.suite.columns[at];
        let wrong = |what: &dyn std::fmt::Display| {
            let what = format!("column '{}': {what}", column.name);
            Error::Eval(EvalError::new(self.file.as_str(), what))
        };
        let source = match &column.source {
            suite::ScenarioSource::Preset(preset) => {
                let problem = registry.preset(preset).map_err(|error| wrong(&error))?;
                DaySource::Preset { problem, preset: preset.clone() }
            }
            suite::ScenarioSource::File(path) => {
                DaySource::file(registry, &beside(&self.file, path), None)?
            }
        };
        if let Some(law) = &column.law {
            registry.check_law(source.problem(), law).map_err(|error| wrong(&error))?;
        }
        let there = match &source {
            DaySource::Preset { .. } => u64::MAX,
            DaySource::File { scenarios, .. } => scenarios.len() as u64,
        };
        let (mut most, mut cells) = (0, Vec::new());
        for (r, row) in column.rows.iter().enumerate() {
            let days = column.days(row, there);
            most = most.max(days);
            let Who::Agent { typed, .. } = &row.who else { continue };
            registry.agent(source.problem(), typed).map_err(|error| wrong(&error))?;
            let name = format!("{} / {}", column.name, row.label);
            if only.is_empty() || only.iter().any(|part| name.contains(part.as_str())) {
                let days = limit.map_or(days, |limit| days.min(limit));
                cells.push(PlannedCell { column: at, row: r, days, name });
            }
        }
        if let Some(picture) = column.pictures.iter().find(|picture| picture.day >= most) {
            return Err(wrong(&format!("there is no day {} to draw", picture.day)));
        }
        let items = source.with(column.seed, 0, |scenario| scenario.events() as f64);
        self.decisions.push(items.unwrap_or(0.0));
        self.names.push((most, OnceLock::new()));
        self.sources.push(source);
        self.cells.extend(cells);
        Ok(())
    }

    /// The column of a cell.
    pub fn column(&self, cell: &PlannedCell) -> &Column {
        &self.suite.columns[cell.column]
    }

    /// The names of a column's scenarios. Those of a preset are known once the days are drawn, which takes a while if
    /// they are many.
    pub fn names(&self, column: usize) -> &[String] {
        let (count, names) = &self.names[column];
        names.get_or_init(|| {
            let (source, seed) = (&self.sources[column], self.suite.columns[column].seed);
            let name = |scenario: &dyn AnyScenario| scenario.name().to_string();
            (0..*count).map(|day| source.with(seed, day, name).unwrap_or_default()).collect()
        })
    }

    /// What a cell's day is filed under.
    pub fn key(&self, cell: &PlannedCell, day: u64) -> Key {
        let (column, scenario) = (self.column(cell), &self.names(cell.column)[day as usize]);
        let row = &column.rows[cell.row];
        let budget = match row.who {
            Who::Agent { budget, .. } => budget,
            Who::Method(_) => Budget::Rollouts(0),
        };
        Key::new(scenario, &row.label, budget, column.seed, column.law.as_deref())
    }

    /// About how many seconds a cell's day takes: its budget for each customer or job, which online days exceed by up to half.
    pub fn guess(&self, cell: &PlannedCell) -> f64 {
        match &self.column(cell).rows[cell.row].who {
            Who::Agent { typed, budget: Budget::Wall(time), timed: true } => {
                let once = typed.starts_with(HINDSIGHT);
                time.as_secs_f64() * if once { 1.0 } else { self.decisions[cell.column] }
            }
            _ => 0.0,
        }
    }

    /// The scenarios' names by column.
    pub fn scenarios(&self) -> BTreeMap<String, Vec<String>> {
        let columns = self.suite.columns.iter().enumerate();
        columns.map(|(at, column)| (column.name.clone(), self.names(at).to_vec())).collect()
    }

    /// The agent of a cell with its budget.
    pub fn agent(&self, cell: &PlannedCell) -> Option<(AgentSpec, Budget)> {
        match &self.column(cell).rows[cell.row].who {
            Who::Agent { typed, budget, .. } => Some((AgentSpec::parse(typed).ok()?, *budget)),
            Who::Method(_) => None,
        }
    }

    /// What a report needs beside the days, by the name of its file; and what had to be left out.
    pub fn copies(&self) -> Result<SuiteCopies, Error> {
        let mut copies = vec![
            ("suite.toml".to_string(), self.text.clone()),
            ("references.csv".to_string(), self.references()?),
        ];
        if let Some(published) = &self.suite.published {
            let text = read_text(&beside(&self.file, published))?;
            Published::parse(published, &text)?;
            copies.push(("published.toml".to_string(), text));
        }
        let mut left_out = Vec::new();
        for (number, curve) in self.suite.curves.iter().enumerate() {
            match read_text(&beside(&self.file, &curve.file)) {
                Ok(csv) => copies.push((format!("curves/{number}.csv"), csv)),
                Err(faults) => {
                    left_out.push(format!("curve '{}' is left out: {faults}", curve.title));
                }
            }
        }
        Ok((copies, left_out))
    }

    /// The costs of the methods that are rows, as CSV.
    fn references(&self) -> Result<String, Error> {
        let mut text = "scenario,method,cost\n".to_string();
        let mut seen: HashMap<(&str, &str), ()> = HashMap::new();
        for (at, column) in self.suite.columns.iter().enumerate() {
            let names = self.names(at);
            for row in &column.rows {
                let (Who::Method(method), Some(path)) = (&row.who, &column.references) else {
                    continue;
                };
                let costs = references(&beside(&self.file, path), method)?;
                for name in names.iter().take(column.days(row, names.len() as u64) as usize) {
                    let fresh = seen.insert((name, method), ()).is_none();
                    if let Some(cost) = costs.get(name).filter(|_| fresh) {
                        text += &format!("{name},{method},{cost}\n");
                    }
                }
            }
        }
        Ok(text)
    }
}
