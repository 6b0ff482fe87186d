//! Results as tables: one for each column, and one over all.

use crate::bootstrap::Estimate;
use crate::results::{Against, Cell, CellSummary, Results};
use crate::suite::{Column, ScenarioSource};
use crate::table::{Align, Digits, Table, seconds};
use serde::Serialize;

/// A column as a table.
#[derive(Serialize)]
pub struct Sheet {
    /// The column's short name.
    pub name: String,
    /// One line.
    pub title: String,
    /// What a reader has to know.
    pub note: String,
    /// Where its days come from.
    pub source: String,
    /// What the rows are compared with.
    pub reference: String,
    /// Where the published values come from; empty if there are none.
    pub published: String,
    /// What the published ones are compared with.
    pub published_reference: String,
    /// Its rows.
    pub lines: Vec<SheetLine>,
}

/// A row of a column in words; what is not known is empty.
#[derive(Default, Serialize)]
pub struct SheetLine {
    /// The row's label.
    pub label: String,
    /// How many days it stands on.
    pub n: String,
    /// The mean cost.
    pub mean: String,
    /// Its 95 % interval.
    pub interval: String,
    /// By how much it differs from the reference.
    pub gap: String,
    /// The 95 % interval of that.
    pub gap_interval: String,
    /// `better` or `worse` if that interval excludes zero.
    pub sign: &'static str,
    /// Days won, tied and lost against the reference.
    pub days: String,
    /// Wilcoxon's probability.
    pub p: String,
    /// Seconds a decision.
    pub each: String,
    /// The slowest decision.
    pub slowest: String,
    /// The part of its time in which its thread had a core.
    pub core: String,
    /// The published cost.
    pub published: String,
    /// The published difference to the published reference.
    pub published_gap: String,
    /// Why days are missing, and what has to be known of a published value.
    pub note: String,
    /// Whether it is what the others are compared with.
    pub is_reference: bool,
}

/// An interval of fewer days than this says nothing.
const FEWEST: usize = 6;

/// The table of a column.
pub fn sheet(results: &Results, at: usize) -> Sheet {
    let (column, cells) = (&results.suite.columns[at], &results.columns[at]);
    let reference = &cells[column.reference];
    let summaries: Vec<CellSummary> = cells.iter().map(|cell| cell.summary(reference)).collect();
    let published = results.published(column);
    let means = summaries.iter().filter_map(|summary| summary.mean).map(|mean| mean.value);
    let theirs = published.iter().flat_map(|p| &p.values).map(|value| value.cost);
    let digits = Digits::fit(means.chain(theirs));
    let mut lines: Vec<SheetLine> = cells
        .iter()
        .zip(&summaries)
        .map(|(cell, summary)| line(cell, summary, digits, cell.label == reference.label))
        .collect();
    if let Some(published) = published {
        for value in &published.values {
            let gap = match value.name == published.reference {
                true => "-".to_string(),
                false => format!("{:+.2} %", published.percent(value)),
            };
            let own = |line: &SheetLine| {
                let agent = line.label.split('@').next().unwrap_or_default();
                value.agent.as_deref() == Some(agent)
            };
            let mut beside: Vec<usize> = (0..lines.len()).filter(|&i| own(&lines[i])).collect();
            if beside.is_empty() {
                beside.push(lines.len());
                lines.push(SheetLine { label: value.name.clone(), ..SheetLine::default() });
            }
            for i in beside {
                let line = &mut lines[i];
                line.published = digits.cost(value.cost);
                line.published_gap.clone_from(&gap);
                if !value.note.is_empty() {
                    let said = format!("published: {}", value.note);
                    line.note = [line.note.as_str(), &said].join(" ").trim().to_string();
                }
            }
        }
    }
    Sheet {
        name: column.name.clone(),
        title: column.title.clone(),
        note: column.note.clone(),
        source: source(column),
        reference: reference.label.clone(),
        published: published.map(|p| p.source.clone()).unwrap_or_default(),
        published_reference: published.map(|p| p.reference.clone()).unwrap_or_default(),
        lines,
    }
}

/// Where the days of a column come from.
fn source(column: &Column) -> String {
    let days = match &column.source {
        ScenarioSource::Preset(preset) => {
            format!("days drawn from {preset}, seed {}", column.seed.0)
        }
        ScenarioSource::File(file) => {
            let name = file.rsplit('/').next().unwrap_or(file);
            format!("days of {name}; the agents' seed is {}", column.seed.0)
        }
    };
    match &column.law {
        Some(law) => format!("{days}; agents expect {law}"),
        None => days,
    }
}

fn line(cell: &Cell, summary: &CellSummary, digits: Digits, is_reference: bool) -> SheetLine {
    let mut line = SheetLine {
        label: cell.label.clone(),
        n: summary.n.to_string(),
        note: cell.missing().unwrap_or_default(),
        is_reference,
        ..SheetLine::default()
    };
    let Some(mean) = summary.mean else { return line };
    line.mean = digits.cost(mean.value);
    line.interval = interval(mean, |cost| digits.cost(cost));
    if let Some(against) = &summary.against {
        let gap = against.percent;
        line.gap = format!("{:+.2} %", gap.value);
        line.gap_interval = interval(gap, |percent| format!("{percent:+.2}"));
        line.sign = sign(against);
        let paired = against.paired;
        line.days = format!("{} / {} / {}", paired.wins, paired.ties, paired.losses);
        line.p = paired.p.map_or("-".to_string(), probability);
        if against.n < summary.n {
            let said = format!("compared on the {} days that the reference has", against.n);
            line.note = [line.note, said].join(" ").trim().to_string();
        }
    }
    if summary.decisions > 0.0 {
        line.each = seconds(summary.seconds);
        line.slowest = seconds(summary.slowest);
    }
    line.core = summary.core.map_or(String::new(), |part| format!("{:.0} %", 100.0 * part));
    line
}

/// `better` or `worse` if the interval excludes zero.
pub(crate) fn sign(against: &Against) -> &'static str {
    match against.percent {
        _ if against.n < FEWEST => "",
        gap if gap.high < 0.0 => "better",
        gap if gap.low > 0.0 => "worse",
        _ => "",
    }
}

/// An interval in words.
pub(crate) fn interval(estimate: Estimate, write: impl Fn(f64) -> String) -> String {
    if estimate.low.is_finite() {
        format!("{} to {}", write(estimate.low), write(estimate.high))
    } else {
        "-".to_string()
    }
}

/// A probability in two digits, or an upper bound.
fn probability(p: f64) -> String {
    match p {
        p if p < 1e-4 => "<0.0001".to_string(),
        p if p < 0.01 => format!("{p:.4}"),
        p => format!("{p:.2}"),
    }
}

impl Sheet {
    /// The table as text for Markdown or a terminal.
    pub fn table(&self) -> Table {
        let to = format!("to {}", self.reference);
        let right = |heading| (heading, Align::Right);
        let mut headings = vec![("row", Align::Left)];
        headings.extend(
            ["days", "mean cost", "95 % interval", to.as_str(), "95 % interval"].map(right),
        );
        headings.extend(["won / tied / lost", "p", "time each", "slowest"].map(right));
        let published = !self.published.is_empty();
        let theirs = format!("published, to {}", self.published_reference);
        if published {
            headings.extend(["published", theirs.as_str()].map(right));
        }
        headings.push(("note", Align::Left));
        let mut table = Table::new(&headings);
        for line in &self.lines {
            let gap = if line.is_reference { "-" } else { &line.gap };
            let mut row =
                [&line.label, &line.n, &line.mean, &line.interval, gap, &line.gap_interval]
                    .map(ToString::to_string)
                    .to_vec();
            row.extend([&line.days, &line.p, &line.each, &line.slowest].map(ToString::to_string));
            if published {
                row.extend([&line.published, &line.published_gap].map(ToString::to_string));
            }
            row.push(line.note.clone());
            table.row(row);
        }
        table
    }
}

/// A table over several columns: the shape of the paper's.
#[derive(Serialize)]
pub struct Grid {
    /// For links.
    pub name: String,
    /// One line.
    pub title: String,
    /// What stands in its cells.
    pub about: String,
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows' labels, with a cell for each column.
    pub rows: Vec<(String, Vec<GridCell>)>,
}

/// A cell of such a table; empty if there is none.
#[derive(Default, Serialize)]
pub struct GridCell {
    /// The mean cost.
    pub mean: String,
    /// The difference to what it is compared with.
    pub gap: String,
    /// `better` or `worse` if the interval of that excludes zero.
    pub sign: &'static str,
    /// The number of days.
    pub n: String,
}

/// All sheets in one table, of the rows that something is known of.
pub fn overview(sheets: &[Sheet]) -> Grid {
    let mut labels: Vec<&str> = Vec::new();
    for line in sheets.iter().flat_map(|sheet| &sheet.lines).filter(|line| !line.mean.is_empty()) {
        if !labels.contains(&line.label.as_str()) {
            labels.push(&line.label);
        }
    }
    let brief = |sheet: &Sheet, label: &str| {
        let line = sheet.lines.iter().find(|line| line.label == label && !line.mean.is_empty());
        line.map_or(GridCell::default(), |line| GridCell {
            mean: line.mean.clone(),
            gap: if line.is_reference { "reference".to_string() } else { line.gap.clone() },
            sign: line.sign,
            n: line.n.clone(),
        })
    };
    let row = |label: &&str| {
        (label.to_string(), sheets.iter().map(|sheet| brief(sheet, label)).collect())
    };
    Grid {
        name: "overview".to_string(),
        title: "All columns".to_string(),
        about:
            "Mean cost, the difference to the column's reference, and on how many days it stands."
                .to_string(),
        columns: sheets.iter().map(|sheet| sheet.name.clone()).collect(),
        rows: labels.iter().map(row).collect(),
    }
}

impl Grid {
    /// As text.
    pub fn table(&self) -> Table {
        let mut headings = vec![("mean cost", Align::Left)];
        headings.extend(self.columns.iter().map(|name| (name.as_str(), Align::Right)));
        let mut table = Table::new(&headings);
        for (label, cells) in &self.rows {
            let cell = |brief: &GridCell| match brief.gap.as_str() {
                _ if brief.mean.is_empty() => String::new(),
                _ if brief.n.is_empty() => brief.mean.clone(),
                "" | "reference" => format!("{}; n {}", brief.mean, brief.n),
                gap => format!("{}; {gap}; n {}", brief.mean, brief.n),
            };
            table.row(std::iter::once(label.clone()).chain(cells.iter().map(cell)).collect());
        }
        table
    }
}
