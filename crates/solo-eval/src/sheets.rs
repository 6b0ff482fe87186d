//! Results as tables, one for each column.

use crate::bootstrap::Estimate;
use crate::grids::openings;
use crate::groups::Group;
use crate::results::{Against, Cell, CellSummary, Results};
use crate::suite::{Column, ScenarioSource};
use crate::table::{Align, Digits, Table, seconds};
use crate::takeaway;
use serde::Serialize;
use std::cmp::Ordering;

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
    /// Its rows: group by group, the cheapest of a group first.
    pub lines: Vec<SheetLine>,
    /// What comes out of it, in a sentence.
    pub takeaway: String,
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
    /// The name of the group that begins with it; empty within a group, and where there is only one.
    pub opens: &'static str,
    /// Which rows it stands among.
    #[serde(skip)]
    pub group: Group,
    /// By how many percent it differs from the reference, which differs by nothing from itself.
    #[serde(skip)]
    pub against: Option<Estimate>,
    /// How many days it stands on.
    #[serde(skip)]
    pub count: usize,
    /// By what it is sorted where nothing is known against the reference.
    #[serde(skip)]
    cost: f64,
}

impl SheetLine {
    /// Adds to its note.
    fn say(&mut self, what: &str) {
        if !self.note.is_empty() {
            self.note += "; ";
        }
        self.note += what;
    }
}

/// An interval of fewer days than this says nothing.
pub(crate) const FEWEST: usize = 6;

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
                lines.push(SheetLine {
                    label: value.name.clone(),
                    group: Group::Published,
                    cost: value.cost,
                    ..SheetLine::default()
                });
            }
            for i in beside {
                let line = &mut lines[i];
                line.published = digits.cost(value.cost);
                line.published_gap.clone_from(&gap);
                if !value.note.is_empty() {
                    line.say(&format!("published: {}", value.note));
                }
            }
        }
    }
    lines.sort_by(in_order);
    let opens = openings(lines.iter().map(|line| line.group));
    lines.iter_mut().zip(opens).for_each(|(line, opens)| line.opens = opens);
    let mut sheet = Sheet {
        name: column.name.clone(),
        title: column.title.clone(),
        note: column.note.clone(),
        source: source(column),
        reference: reference.label.clone(),
        published: published.map(|p| p.source.clone()).unwrap_or_default(),
        published_reference: published.map(|p| p.reference.clone()).unwrap_or_default(),
        lines,
        takeaway: String::new(),
    };
    sheet.takeaway = takeaway::of_column(&sheet).unwrap_or_default();
    sheet
}

/// Group by group, and within one by cost on the days shared with the reference; rows without days come last.
fn in_order(a: &SheetLine, b: &SheetLine) -> Ordering {
    let gap = |line: &SheetLine| line.against.map_or(f64::INFINITY, |gap| gap.value);
    let unknown = |line: &SheetLine| line.against.is_none() && line.mean.is_empty();
    let by_group = a.group.cmp(&b.group).then(unknown(a).cmp(&unknown(b)));
    by_group.then(gap(a).total_cmp(&gap(b))).then(a.cost.total_cmp(&b.cost))
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
        group: cell.group,
        count: summary.n,
        ..SheetLine::default()
    };
    let Some(mean) = summary.mean else { return line };
    line.cost = mean.value;
    line.against = is_reference.then_some(Estimate { value: 0.0, low: 0.0, high: 0.0 });
    line.mean = digits.cost(mean.value);
    line.interval = interval(mean, |cost| digits.cost(cost));
    if let Some(against) = &summary.against {
        let gap = against.percent;
        line.against = Some(gap);
        line.gap = format!("{} %", signed(gap, gap.value));
        line.gap_interval = interval(gap, |percent| signed(gap, percent));
        line.sign = sign(against);
        let paired = against.paired;
        line.days = format!("{} / {} / {}", paired.wins, paired.ties, paired.losses);
        line.p = paired.p.filter(|_| !line.sign.is_empty()).map_or(String::new(), probability);
        if against.n < summary.n {
            line.say(&format!("compared on the {} days that the reference has", against.n));
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

/// A number of percent in the digits that its interval allows: what noise decides is not written.
pub(crate) fn signed(estimate: Estimate, percent: f64) -> String {
    let half = (estimate.high - estimate.low) / 2.0;
    let digits = match half {
        _ if estimate.value.abs() >= 99.95 => 0,
        half if half < 0.5 => 2,
        half if half < 5.0 => 1,
        half if half.is_finite() => 0,
        _ => 1,
    };
    let text = format!("{percent:+.digits$}");
    // nothing has no sign
    if text[1..].chars().all(|c| matches!(c, '0' | '.')) { text[1..].to_string() } else { text }
}

/// A difference with a star if its interval excludes zero.
pub(crate) fn marked(gap: &str, sign: &str) -> String {
    if sign.is_empty() { gap.to_string() } else { format!("{gap} *") }
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
    /// On how many days most of its rows stand.
    pub fn days(&self) -> String {
        let counts = self.lines.iter().map(|line| line.count).filter(|count| *count > 0);
        let same = |n: usize| self.lines.iter().filter(|line| line.count == n).count();
        counts.max_by_key(|n| (same(*n), *n)).map_or(String::new(), |n| n.to_string())
    }

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
            if !line.opens.is_empty() {
                table.group(line.opens);
            }
            let gap = if line.is_reference { "-" } else { &line.gap };
            let gap = marked(gap, line.sign);
            let mut row =
                [&line.label, &line.n, &line.mean, &line.interval, &gap, &line.gap_interval]
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
