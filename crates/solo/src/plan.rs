//! What a suite means: its cells, checked against what there is.

use crate::days::Source;
use crate::ui::{Align, Exit, Out, Print, Table, count, span};
use serde_json::Value;
use solo::any::AnyScenario;
use solo::{Error, registry};
use solo_core::Budget;
use solo_eval::Trouble;
use solo_eval::folder::beside;
use solo_eval::record::{Key, references};
use solo_eval::suite::{self, Column, Suite, Who};
use std::collections::{BTreeMap, HashMap};

/// An agent's row in a column.
pub(crate) struct Cell {
    /// Which column.
    pub(crate) column: usize,
    /// Which of its rows.
    pub(crate) row: usize,
    /// How many days.
    pub(crate) days: u64,
    /// `column / row`, to be picked by.
    pub(crate) name: String,
}

/// A suite with its scenarios.
pub(crate) struct Plan {
    /// What was asked for.
    pub(crate) suite: Suite,
    /// By column, its scenarios.
    pub(crate) sources: Vec<Source>,
    /// By column, their names.
    pub(crate) names: Vec<Vec<String>>,
    /// By column, about how many decisions a day has.
    decisions: Vec<f64>,
    /// The cells that are lived, in order.
    pub(crate) cells: Vec<Cell>,
}

impl Plan {
    /// The suite of a file, of which only the cells are lived whose name holds one of `only`, all if there is none, and at
    /// most the first `limit` of their days.
    pub(crate) fn new(
        file: &str,
        suite: Suite,
        only: &[String],
        limit: Option<u64>,
    ) -> Result<Self, Error> {
        let mut plan = Self {
            suite,
            sources: Vec::new(),
            names: Vec::new(),
            decisions: Vec::new(),
            cells: Vec::new(),
        };
        for (c, column) in plan.suite.columns.iter().enumerate() {
            let wrong = |what: &dyn std::fmt::Display| {
                Error::Trouble(Trouble::new(file, format!("column '{}': {what}", column.name)))
            };
            let source = match &column.source {
                suite::Source::Preset(preset) => match registry::preset_owner(preset) {
                    Some(domain) => Source::Preset { domain, preset: preset.clone() },
                    None => return Err(wrong(&registry::unknown_preset(preset))),
                },
                suite::Source::File(path) => Source::file(&beside(file, path), false)?,
            };
            if let Some(law) = &column.law {
                registry::check_law(source.domain(), law).map_err(|error| wrong(&error))?;
            }
            let there = match &source {
                Source::Preset { .. } => u64::MAX,
                Source::File { scenarios, .. } => scenarios.len() as u64,
            };
            let mut most = 0;
            for (r, row) in column.rows.iter().enumerate() {
                let days = column.days(row, there);
                most = most.max(days);
                let Who::Agent { typed, .. } = &row.who else { continue };
                registry::check_agent(source.domain(), typed).map_err(|error| wrong(&error))?;
                let name = format!("{} / {}", column.name, row.label);
                if only.is_empty() || only.iter().any(|part| name.contains(part.as_str())) {
                    let days = limit.map_or(days, |limit| days.min(limit));
                    plan.cells.push(Cell { column: c, row: r, days, name });
                }
            }
            for picture in &column.pictures {
                if picture.day >= most {
                    return Err(wrong(&format!("there is no day {} to draw", picture.day)));
                }
            }
            let mut decisions = 0.0;
            let mut names = Vec::new();
            for day in 0..most {
                let name = |scenario: &dyn AnyScenario| {
                    (scenario.name().to_string(), if day == 0 { items(scenario) } else { 0.0 })
                };
                let (name, items) = source.with(column.seed, day, name).unwrap_or_default();
                decisions += items;
                names.push(name);
            }
            plan.sources.push(source);
            plan.names.push(names);
            plan.decisions.push(decisions);
        }
        if plan.cells.is_empty() {
            return Err(Error::Usage(format!("no cell of {file} has '{}'", only.join("' or '"))));
        }
        Ok(plan)
    }

    /// The column of a cell.
    pub(crate) fn column(&self, cell: &Cell) -> &Column {
        &self.suite.columns[cell.column]
    }

    /// What a cell's day is filed under.
    pub(crate) fn key(&self, cell: &Cell, day: u64) -> Key {
        let (column, scenario) = (self.column(cell), &self.names[cell.column][day as usize]);
        let row = &column.rows[cell.row];
        let budget = match row.who {
            Who::Agent { budget, .. } => budget,
            Who::Method(_) => Budget::Rollouts(0),
        };
        Key::new(scenario, &row.label, budget, column.seed, column.law.as_deref())
    }

    /// About how many seconds a cell's day takes: its budget for each customer or job, which online days exceed by up to half.
    pub(crate) fn guess(&self, cell: &Cell) -> f64 {
        match &self.column(cell).rows[cell.row].who {
            Who::Agent { typed, budget: Budget::Wall(time), timed: true } => {
                let once = typed.starts_with(solo::agents::HINDSIGHT);
                time.as_secs_f64() * if once { 1.0 } else { self.decisions[cell.column] }
            }
            _ => 0.0,
        }
    }

    /// The scenarios' names by column.
    pub(crate) fn scenarios(&self) -> BTreeMap<String, Vec<String>> {
        let columns = self.suite.columns.iter().zip(&self.names);
        columns.map(|(column, names)| (column.name.clone(), names.clone())).collect()
    }

    /// The costs of the methods that are rows, as CSV.
    pub(crate) fn references(&self, file: &str) -> Result<String, Error> {
        let mut text = "scenario,method,cost\n".to_string();
        let mut seen: HashMap<(&str, &str), ()> = HashMap::new();
        for (column, names) in self.suite.columns.iter().zip(&self.names) {
            for row in &column.rows {
                let (Who::Method(method), Some(path)) = (&row.who, &column.references) else {
                    continue;
                };
                let costs = references(&beside(file, path), method)?;
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

    /// Prints the cells with about how long they take.
    pub(crate) fn print(&self, workers: usize, out: &mut Out) -> Result<(), Exit> {
        let mut table = Table::new(&[
            ("column", Align::Left),
            ("row", Align::Left),
            ("days", Align::Right),
            ("about", Align::Right),
        ]);
        let (mut days, mut total) = (0, 0.0);
        for cell in &self.cells {
            let column = self.column(cell);
            let seconds = self.guess(cell) * cell.days as f64 / workers as f64;
            (days, total) = (days + cell.days, total + seconds);
            let most = if seconds > 0.0 { span(seconds) } else { "-".to_string() };
            let row = column.rows[cell.row].label.clone();
            table.row(vec![column.name.clone(), row, count(cell.days as f64), most]);
        }
        table.row(vec![String::new(), "together".to_string(), count(days as f64), span(total)]);
        table.print(out)
    }
}

/// How many customers or jobs a scenario has: about as many decisions a day takes.
fn items(scenario: &dyn AnyScenario) -> f64 {
    let written = scenario.write();
    let lists = written.values().filter_map(Value::as_array);
    let items = |list: &&Vec<Value>| list.first().is_some_and(Value::is_object);
    lists.filter(items).map(|list| list.len() as f64).sum()
}
