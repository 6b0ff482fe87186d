//! Tables of text, and numbers as people read them.

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows of text in aligned columns, two spaces apart.
pub struct Table {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
    /// Before which rows a group begins, and its name.
    groups: Vec<(usize, String)>,
}

impl Table {
    /// An empty table with these headings.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let rows = vec![columns.iter().map(|(heading, _)| (*heading).to_string()).collect()];
        let align = columns.iter().map(|(_, align)| *align).collect();
        Self { align, rows, groups: Vec::new() }
    }

    /// Begins a group of rows.
    pub fn group(&mut self, name: &str) {
        self.groups.push((self.rows.len(), name.to_string()));
    }

    /// The name of the group that begins before a row.
    fn begins(&self, row: usize) -> Option<&str> {
        self.groups.iter().find(|group| group.0 == row).map(|group| group.1.as_str())
    }

    /// Appends a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The lines; the rows of groups are indented.
    pub fn lines(&self) -> Vec<String> {
        let first = self.groups.first().map_or(usize::MAX, |group| group.0);
        let mut rows = self.rows.clone();
        rows.iter_mut().skip(first).for_each(|row| row[0].insert_str(0, "  "));
        let cells = |c: usize| rows.iter().filter_map(move |row| row.get(c));
        let widths: Vec<usize> = (0..self.align.len())
            .map(|c| cells(c).map(|cell| cell.chars().count()).max().unwrap_or(0))
            .collect();
        let line = |row: &Vec<String>| {
            let padded =
                row.iter().zip(&widths).zip(&self.align).map(
                    |((cell, width), align)| match align {
                        Align::Left => format!("{cell:<width$}"),
                        Align::Right => format!("{cell:>width$}"),
                    },
                );
            padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
        };
        let mut lines = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            lines.extend(self.begins(i).map(str::to_string));
            lines.push(line(row));
        }
        lines
    }

    /// The lines of a Markdown table.
    pub fn markdown(&self) -> Vec<String> {
        let rule = |align: &Align| if *align == Align::Left { "---" } else { "---:" };
        let rules: Vec<&str> = self.align.iter().map(rule).collect();
        let mut lines = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            if let Some(group) = self.begins(i) {
                let empty = "  |".repeat(self.align.len().saturating_sub(1));
                lines.push(format!("| **{group}** |{empty}"));
            }
            let missing = self.align.len().saturating_sub(row.len());
            lines.push(format!("| {} |{}", row.join(" | "), "  |".repeat(missing)));
            if i == 0 {
                lines.push(format!("|{}|", rules.join("|")));
            }
        }
        lines
    }
}

/// How the costs of one table are written: two decimals, or none if any of them is a thousand or more.
#[derive(Clone, Copy, Debug)]
pub struct Digits(usize);

impl Digits {
    /// The digits fit for all these costs.
    pub fn fit(costs: impl IntoIterator<Item = f64>) -> Self {
        let large = costs.into_iter().any(|cost| cost.abs() >= 999.995);
        Self(if large { 0 } else { 2 })
    }

    /// A cost in these digits.
    pub fn cost(self, cost: f64) -> String {
        grouped(&format!("{cost:.*}", self.0))
    }
}

/// A whole number with its thousands set apart.
pub fn count(number: f64) -> String {
    grouped(&format!("{number:.0}"))
}

/// Sets commas between the thousands of a number without exponent.
fn grouped(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = sign.to_string();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

/// A time on the wall with three digits and its unit.
pub fn seconds(seconds: f64) -> String {
    let (number, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let decimals = match number {
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    format!("{number:.decimals$} {unit}")
}

/// A long time in words: `45 s`, `12 min`, `3 h 05 min`.
pub fn span(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match minutes {
        _ if seconds < 99.5 => format!("{seconds:.0} s"),
        0..100 => format!("{minutes} min"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(Digits::fit([6.3, 12.0]).cost(6.304), "6.30");
        assert_eq!(Digits::fit([6.3, 42_615.2]).cost(1_042_615.2), "1,042,615");
        assert_eq!(Digits::fit([999.999]).cost(999.999), "1,000");
        assert_eq!(count(-1234.0), "-1,234");
        let times = [0.0, 2.14e-6, 0.000_125, 0.0425, 1.5, 125.2].map(seconds);
        assert_eq!(times, ["0.00 us", "2.14 us", "125 us", "42.5 ms", "1.50 s", "125 s"]);
    }

    #[test]
    fn long_times_are_written_in_words() {
        let times = [0.4, 45.0, 99.6, 720.0, 5_400.0, 11_130.0].map(span);
        assert_eq!(times, ["0 s", "45 s", "2 min", "12 min", "90 min", "3 h 06 min"]);
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&[("agent", Align::Left), ("cost", Align::Right)]);
        table.row(vec!["wspt".to_string(), "42,615".to_string()]);
        assert_eq!(table.lines(), ["agent    cost", "wspt   42,615"]);
    }

    #[test]
    fn groups_have_a_line_and_their_rows_are_indented() {
        let mut table = Table::new(&[("agent", Align::Left), ("cost", Align::Right)]);
        for (group, agent) in [("rules", "wspt"), ("", "fifo"), ("learned", "solo2")] {
            if !group.is_empty() {
                table.group(group);
            }
            table.row(vec![agent.to_string(), "1".to_string()]);
        }
        let text = [
            "agent    cost",
            "rules",
            "  wspt      1",
            "  fifo      1",
            "learned",
            "  solo2     1",
        ];
        assert_eq!(table.lines(), text);
        let markdown = table.markdown();
        assert_eq!(markdown[2..5], ["| **rules** |  |", "| wspt | 1 |", "| fifo | 1 |"]);
    }
}
