//! A learned model as it is written: its file, and a page about it.

use std::fmt::Write;

/// A safetensors file with its page. The same weights and header give the same bytes: how long
/// learning took stands on the page alone.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFile {
    /// The name of the file.
    pub file: &'static str,
    /// The name of the page.
    pub card: &'static str,
    /// The title of the page.
    pub title: String,
    /// How the model came about and how it did, as in the header of the file.
    pub header: Vec<(String, String)>,
    /// How long learning took, with its unit.
    pub time: Option<(&'static str, String)>,
    /// The contents of the file.
    pub contents: Vec<u8>,
    /// What stands under the table: what the numbers mean, and the command that makes the file.
    pub about: String,
}

impl ModelFile {
    /// The page: the header, the time and a fingerprint of the file as a table, then the text.
    pub fn page(&self) -> String {
        let mut page = format!("# {}\n\n| | |\n|---|---|\n", self.title);
        let mut row = |name: &str, value: &str| {
            writeln!(page, "| {name} | {value} |").expect("writing to a string");
        };
        for (name, value) in &self.header {
            row(name, value);
        }
        if let Some((unit, time)) = &self.time {
            row(unit, time);
        }
        row("bytes", &self.contents.len().to_string());
        row("blake3", &blake3::hash(&self.contents).to_hex());
        page + &format!("\n{}\n", self.about)
    }
}

/// Names with values, as a header holds them.
pub(crate) fn header<const N: usize>(pairs: [(&str, String); N]) -> Vec<(String, String)> {
    pairs.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// A cost without digits that mean nothing.
pub(crate) fn rounded(cost: f64) -> String {
    if cost.abs() >= 1000.0 { format!("{cost:.0}") } else { format!("{cost:.3}") }
}
