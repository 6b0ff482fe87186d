//! Tables over several columns: the shape of the paper's.

use crate::groups::Group;
use crate::sheets::{Sheet, marked};
use crate::table::{Align, Table};
use serde::Serialize;

/// A table over several columns.
#[derive(Serialize)]
pub struct Grid {
    /// For links.
    pub name: String,
    /// One line.
    pub title: String,
    /// What stands in its cells.
    pub about: String,
    /// The same in a word or two.
    pub heading: &'static str,
    /// The columns.
    pub columns: Vec<GridColumn>,
    /// The rows.
    pub rows: Vec<GridRow>,
}

/// A column of such a table.
#[derive(Serialize)]
pub struct GridColumn {
    /// Its name.
    pub name: String,
    /// On how many days its cells stand that do not say otherwise; empty if all of them say.
    pub days: String,
}

/// A row of such a table.
#[derive(Serialize)]
pub struct GridRow {
    /// The name of the group that begins with it; empty within a group, and where there is only one.
    pub opens: &'static str,
    /// Its label.
    pub label: String,
    /// A cell for each column.
    pub cells: Vec<GridCell>,
}

/// A cell of such a table; empty if there is none.
#[derive(Default, Serialize)]
pub struct GridCell {
    /// The mean cost.
    pub mean: String,
    /// The difference to what it is compared with.
    pub gap: String,
    /// The 95 % interval of that; empty if it is shown elsewhere.
    pub range: String,
    /// `better` or `worse` if that excludes zero.
    pub sign: &'static str,
    /// The number of days, unless the column says it.
    pub n: String,
}

/// All sheets in one table, of the rows that something is known of. Within a group rows stand in the order of the first
/// column that has them.
pub fn overview(sheets: &[Sheet]) -> Grid {
    let mut rows: Vec<(Group, &str)> = Vec::new();
    for line in sheets.iter().flat_map(|sheet| &sheet.lines).filter(|line| !line.mean.is_empty()) {
        if rows.iter().all(|row| row.1 != line.label) {
            rows.push((line.group, &line.label));
        }
    }
    rows.sort_by_key(|row| row.0);
    let brief = |sheet: &Sheet, label: &str| {
        let line = sheet.lines.iter().find(|line| line.label == label && !line.mean.is_empty());
        line.map_or(GridCell::default(), |line| GridCell {
            mean: line.mean.clone(),
            gap: if line.is_reference { "reference".to_string() } else { line.gap.clone() },
            range: String::new(),
            sign: line.sign,
            n: if line.n == sheet.days() { String::new() } else { line.n.clone() },
        })
    };
    let opens = openings(rows.iter().map(|row| row.0));
    let row = |((_, label), opens): (&(Group, &str), _)| GridRow {
        opens,
        label: label.to_string(),
        cells: sheets.iter().map(|sheet| brief(sheet, label)).collect(),
    };
    let column = |sheet: &Sheet| GridColumn { name: sheet.name.clone(), days: sheet.days() };
    Grid {
        name: "overview".to_string(),
        title: "All columns".to_string(),
        about: "Mean cost and the difference to the column's reference; n is the number of days where it is not the \
                column's."
            .to_string(),
        heading: "mean cost",
        columns: sheets.iter().map(column).collect(),
        rows: rows.iter().zip(opens).map(row).collect(),
    }
}

/// For rows in order, the name of the group that begins with each; nothing if all are of one group.
pub(crate) fn openings(groups: impl Iterator<Item = Group>) -> Vec<&'static str> {
    let groups: Vec<Group> = groups.collect();
    let several = groups.iter().any(|group| *group != groups[0]);
    let opens = |i: usize| several && (i == 0 || groups[i - 1] != groups[i]);
    (0..groups.len()).map(|i| if opens(i) { groups[i].name() } else { "" }).collect()
}

impl Grid {
    /// As text.
    pub fn table(&self) -> Table {
        let heading = |column: &GridColumn| match column.days.as_str() {
            "" => column.name.clone(),
            days => format!("{} (n {days})", column.name),
        };
        let names: Vec<String> = self.columns.iter().map(heading).collect();
        let mut headings = vec![(self.heading, Align::Left)];
        headings.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
        let mut table = Table::new(&headings);
        for row in &self.rows {
            if !row.opens.is_empty() {
                table.group(row.opens);
            }
            let cell = |cell: &GridCell| {
                let n = if cell.n.is_empty() { String::new() } else { format!("n {}", cell.n) };
                let gap = match cell.range.as_str() {
                    "" => cell.gap.clone(),
                    range => format!("{} ({range})", cell.gap),
                };
                let parts = [cell.mean.clone(), marked(&gap, cell.sign), n];
                parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
            };
            let cells = row.cells.iter().map(cell);
            table.row(std::iter::once(row.label.clone()).chain(cells).collect());
        }
        table
    }
}
