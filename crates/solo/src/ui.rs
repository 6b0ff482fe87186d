//! Everything that is printed passes here.

use solo::Error;
use std::io::{self, BufWriter, Stdout, Write};
use std::process::ExitCode;

/// Why the program ends before its time.
#[derive(Debug)]
pub(crate) enum Exit {
    /// Something to be said on standard error.
    Error(Error),
    /// Standard output has been closed, as by `| head`: nobody listens any more.
    Pipe,
    /// Standard output does not take what is written.
    Output(io::Error),
    /// It failed, and has been said.
    Failed,
    /// The user interrupted.
    Interrupted,
}

impl From<Error> for Exit {
    fn from(error: Error) -> Self {
        Exit::Error(error)
    }
}

impl From<solo_core::Faults> for Exit {
    fn from(faults: solo_core::Faults) -> Self {
        Exit::Error(faults.into())
    }
}

impl From<io::Error> for Exit {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Exit::Pipe,
            _ => Exit::Output(error),
        }
    }
}

impl Exit {
    /// Says what is to be said; 0 good, 1 failed, 2 wrongly asked, 130 interrupted.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Exit::Error(error) => {
                say("error", &error.to_string());
                ExitCode::from(if matches!(error, Error::Usage(_)) { 2 } else { 1 })
            }
            Exit::Pipe => ExitCode::SUCCESS,
            Exit::Output(error) => {
                say("error", &format!("standard output: {error}"));
                ExitCode::from(1)
            }
            Exit::Failed => ExitCode::from(1),
            Exit::Interrupted => ExitCode::from(130),
        }
    }
}

/// Standard output.
pub(crate) struct Out(BufWriter<Stdout>);

impl Out {
    /// Standard output, buffered until [`Out::flush`].
    pub(crate) fn new() -> Self {
        Self(BufWriter::new(io::stdout()))
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Exit> {
        Ok(writeln!(self.0, "{text}")?)
    }

    /// Prints as it is.
    pub(crate) fn raw(&mut self, text: &[u8]) -> Result<(), Exit> {
        Ok(self.0.write_all(text)?)
    }

    /// Makes sure that everything has been printed.
    pub(crate) fn flush(&mut self) -> Result<(), Exit> {
        Ok(self.0.flush()?)
    }
}

/// Says something on standard error, each line with the same word before it.
pub(crate) fn say(word: &str, text: &str) {
    let mut stderr = io::stderr().lock();
    for line in text.lines() {
        let _ = writeln!(stderr, "{word}: {line}"); // without standard error nobody can be told
    }
}

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows of text in aligned columns, two spaces apart.
pub(crate) struct Table {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these headings.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let rows = vec![columns.iter().map(|(heading, _)| (*heading).to_string()).collect()];
        Self { align: columns.iter().map(|(_, align)| *align).collect(), rows }
    }

    /// Appends a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let cells = |c: usize| self.rows.iter().filter_map(move |row| row.get(c));
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
        self.rows.iter().map(line).collect()
    }

    /// Prints it as Markdown.
    pub(crate) fn print_markdown(&self, out: &mut Out) -> Result<(), Exit> {
        let rule = |align: &Align| if *align == Align::Left { "---" } else { "---:" };
        let rules: Vec<&str> = self.align.iter().map(rule).collect();
        for (i, row) in self.rows.iter().enumerate() {
            let missing = self.align.len().saturating_sub(row.len());
            out.line(&format!("| {} |{}", row.join(" | "), "  |".repeat(missing)))?;
            if i == 0 {
                out.line(&format!("|{}|", rules.join("|")))?;
            }
        }
        Ok(())
    }

    /// Prints it.
    pub(crate) fn print(&self, out: &mut Out) -> Result<(), Exit> {
        self.lines().iter().try_for_each(|line| out.line(line))
    }
}

/// How the costs of one table are written: two decimals, or none if any of them is a thousand or more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits(usize);

impl Digits {
    /// The digits fit for all these costs.
    pub(crate) fn fit(costs: impl IntoIterator<Item = f64>) -> Self {
        let large = costs.into_iter().any(|cost| cost.abs() >= 999.995);
        Self(if large { 0 } else { 2 })
    }

    /// A cost in these digits.
    pub(crate) fn cost(self, cost: f64) -> String {
        grouped(&format!("{cost:.*}", self.0))
    }
}

/// A whole number with its thousands set apart.
pub(crate) fn count(number: f64) -> String {
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
pub(crate) fn seconds(seconds: f64) -> String {
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
    fn columns_are_aligned() {
        let mut table = Table::new(&[("agent", Align::Left), ("cost", Align::Right)]);
        table.row(vec!["wspt".to_string(), "42,615".to_string()]);
        assert_eq!(table.lines(), ["agent    cost", "wspt   42,615"]);
    }
}
