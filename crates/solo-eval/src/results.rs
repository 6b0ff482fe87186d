//! What a folder of results says: every cell with its days, its mean and how it compares.

use crate::EvalError;
use crate::bootstrap::{Estimate, of_difference, of_mean};
use crate::folder::{Failed, Folder, RunInfo};
use crate::groups::{Group, KindOf};
use crate::published::Published;
use crate::record::{Figures, Key, Record, references};
use crate::suite::{Column, Row, Suite, Who};
use crate::wilcoxon::{Paired, compare};
use std::collections::HashMap;

/// Everything that is known of an evaluation.
pub struct Results {
    /// What was asked for.
    pub suite: Suite,
    /// Who ran it, and on what.
    pub runs: Vec<RunInfo>,
    /// By column, its cells.
    pub columns: Vec<Vec<Cell>>,
    /// What others published.
    pub published: Vec<Published>,
}

/// A row in a column, with its days.
pub struct Cell {
    /// The row's label.
    pub label: String,
    /// How many days were wanted.
    pub wanted: usize,
    /// By day, its figures, if it was simulated. Methods have costs and nothing else.
    pub days: Vec<Option<Figures>>,
    /// Why some or all are missing.
    pub failed: Option<Failed>,
    /// Whether it has no days but costs from a file.
    pub method: bool,
    /// Which rows it is shown among.
    pub group: Group,
}

/// A cell in numbers.
pub struct CellSummary {
    /// How many days it stands on.
    pub n: usize,
    /// The mean cost.
    pub mean: Option<Estimate>,
    /// The days that the reference has, too; `None` of the reference itself, and where there are none.
    pub against: Option<Against>,
    /// Decisions a day.
    pub decisions: f64,
    /// Seconds a decision.
    pub seconds: f64,
    /// Seconds of the slowest decision.
    pub slowest: f64,
    /// The part of its time in which it had a core, if that was measured.
    pub core: Option<f64>,
}

/// A cell against the reference of its column.
pub struct Against {
    /// On how many days both were simulated.
    pub n: usize,
    /// By how many percent the mean is above the reference's on those.
    pub percent: Estimate,
    /// Day by day.
    pub paired: Paired,
}

/// Of days with less computing time than this, in seconds, the share of a core is not known.
const LONG: f64 = 0.02;

impl Results {
    /// Reads a folder; `kind_of` says which group an agent's row is shown in.
    pub fn load(folder: &Folder, kind_of: KindOf<'_>) -> Result<Self, EvalError> {
        let suite = Suite::parse(&folder.name("suite.toml"), &folder.read("suite.toml")?)?;
        let known = Record::read(&folder.name("days.jsonl"))?;
        let scenarios = folder.scenarios()?;
        let failures = folder.failures()?;
        let mut columns = Vec::new();
        for column in &suite.columns {
            let names = scenarios.get(&column.name).map_or(&[][..], Vec::as_slice);
            let cells = column.rows.iter().map(|row| {
                let failed = |f: &&Failed| f.column == column.name && f.row == row.label;
                let failed = failures.iter().find(failed).cloned();
                let group = match &row.who {
                    Who::Agent { typed, .. } => Group::from(kind_of(typed)),
                    Who::Method(_) => Group::Files,
                };
                Cell { group, failed, ..cell(folder, column, row, names, &known) }
            });
            columns.push(cells.collect());
        }
        let published = match suite.published {
            Some(_) => {
                Published::parse(&folder.name("published.toml"), &folder.read("published.toml")?)?
            }
            None => Vec::new(),
        };
        Ok(Self { runs: folder.runs()?, suite, columns, published })
    }

    /// A cell by its names.
    pub fn cell(&self, column: &str, row: &str) -> Option<&Cell> {
        let at = self.suite.columns.iter().position(|known| known.name == column)?;
        self.columns[at].iter().find(|cell| cell.label == row)
    }

    /// The published values beside a column.
    pub fn published(&self, column: &Column) -> Option<&Published> {
        self.published.iter().find(|published| published.name == column.published)
    }
}

fn cell(
    folder: &Folder,
    column: &Column,
    row: &Row,
    names: &[String],
    known: &HashMap<Key, Figures>,
) -> Cell {
    let wanted = column.days(row, names.len() as u64) as usize;
    let names = &names[..wanted.min(names.len())];
    let days = match &row.who {
        Who::Agent { budget, .. } => {
            let key = |name: &String| {
                Key::new(name, &row.label, *budget, column.seed, column.law.as_deref())
            };
            names.iter().map(|name| known.get(&key(name)).copied()).collect()
        }
        Who::Method(method) => {
            // A method without any cost for these scenarios has no line in the copy.
            let costs = references(&folder.name("references.csv"), method).unwrap_or_default();
            names.iter().map(|name| costs.get(name).map(|&cost| only_cost(cost))).collect()
        }
    };
    let method = matches!(row.who, Who::Method(_));
    let (failed, group) = (None, Group::default());
    Cell { label: row.label.clone(), wanted, days, failed, method, group }
}

fn only_cost(cost: f64) -> Figures {
    let (decisions, rollouts, seconds, slowest) = (0, 0, 0.0, 0.0);
    Figures { cost, decisions, rollouts, seconds, slowest, core: None, run: None }
}

impl Cell {
    /// The costs of the simulated days.
    pub fn costs(&self) -> Vec<f64> {
        self.days.iter().flatten().map(|figures| figures.cost).collect()
    }

    /// The costs of the days that both have, ours first.
    pub fn paired(&self, other: &Cell) -> (Vec<f64>, Vec<f64>) {
        let both = self.days.iter().zip(&other.days);
        both.filter_map(|(a, b)| Some((a.as_ref()?.cost, b.as_ref()?.cost))).unzip()
    }

    /// The cell in numbers, compared with `reference` unless it is that itself.
    pub fn summary(&self, reference: &Cell) -> CellSummary {
        let done: Vec<&Figures> = self.days.iter().flatten().collect();
        let decisions: f64 = done.iter().map(|figures| figures.decisions as f64).sum();
        let seconds: f64 = done.iter().map(|figures| figures.seconds).sum();
        let long = |figures: &&&Figures| figures.seconds > LONG;
        let cores: Vec<f64> = done.iter().filter(long).filter_map(|f| f.core).collect();
        let against = (self.label != reference.label).then(|| {
            let (ours, theirs) = self.paired(reference);
            let percent = of_difference(&ours, &theirs)?;
            Some(Against { n: ours.len(), percent, paired: compare(&ours, &theirs) })
        });
        CellSummary {
            n: done.len(),
            mean: of_mean(&self.costs()),
            against: against.flatten(),
            decisions: decisions / done.len().max(1) as f64,
            seconds: if decisions > 0.0 { seconds / decisions } else { 0.0 },
            slowest: done.iter().map(|figures| figures.slowest).fold(0.0, f64::max),
            core: (!cores.is_empty()).then(|| cores.iter().sum::<f64>() / cores.len() as f64),
        }
    }

    /// Why days are missing, in words; nothing if none is.
    pub fn missing(&self) -> Option<String> {
        let done = self.days.iter().flatten().count();
        let why = self.failed.as_ref().map(|failed| failed.why.as_str());
        match (done, why) {
            (0, Some(why)) => Some(format!("not run: {why}")),
            (0, None) => Some("not run yet".to_string()),
            (_, Some(why)) if done < self.wanted => {
                Some(format!("{done} of {} days; some failed: {why}", self.wanted))
            }
            _ if self.method && done < self.wanted => {
                Some(format!("the file has {done} of {} days", self.wanted))
            }
            _ if done < self.wanted => Some(format!("{done} of {} days so far", self.wanted)),
            _ => None,
        }
    }
}
