//! The text of a `.vrp` file taken apart into keywords, with their values or the lines that follow them.

use super::{brief, hopeless};
use solo_core::file::{Range, Reader};
use solo_core::params::nearest;

/// Every known keyword. Those that end in `_SECTION` are followed by lines of data.
const KEYWORDS: [&str; 18] = [
    "NAME",
    "COMMENT",
    "TYPE",
    "DIMENSION",
    "CAPACITY",
    "VEHICLES",
    "DISTANCE",
    "SERVICE_TIME",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
    "NODE_COORD_SECTION",
    "DISPLAY_DATA_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DEMAND_SECTION",
    "DEPOT_SECTION",
    EOF,
];
const EOF: &str = "EOF";
/// No keyword is longer; what is longer is not compared with them.
const LONGEST_KEYWORD: usize = 40;

/// A keyword with what belongs to it.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    /// The keyword; empty for data that belongs to no known section.
    pub(super) key: &'static str,
    /// Where it stands.
    pub(super) line: usize,
    /// What stands beside it, without quotes and surrounding blanks.
    pub(super) value: &'t str,
    /// The lines of a section, with their numbers; none is blank.
    pub(super) data: Vec<(usize, &'t str)>,
}

impl<'t> Entry<'t> {
    fn takes_data(&self) -> bool {
        self.key.is_empty() || self.key.ends_with("_SECTION")
    }

    /// The words of all lines, with the numbers of their lines.
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, &'t str)> {
        self.data
            .iter()
            .flat_map(|&(line, text)| text.split_whitespace().map(move |word| (line, word)))
    }
}

/// The entries of a file, in its order.
#[derive(Debug)]
pub(super) struct Entries<'t>(Vec<Entry<'t>>);

impl<'t> Entries<'t> {
    /// Takes a text apart, up to `EOF`. A misspelt keyword is reported, and then read as what was meant.
    pub(super) fn split(reader: &mut Reader, text: &'t str) -> Self {
        let mut entries = Self(Vec::new());
        let text = text.trim_start_matches('\u{feff}');
        let mut ended = false;
        for (i, line) in text.lines().enumerate() {
            reader.at(i + 1);
            let line = line.trim();
            if !line.is_empty() {
                if is_keyword(line) {
                    ended = entries.keyword(reader, i + 1, line);
                } else {
                    entries.datum(reader, i + 1, line);
                }
            }
            if ended || hopeless(reader) {
                break;
            }
        }
        if !ended && !text.ends_with('\n') {
            reader.fault("", "the last line is cut off; should end with a line break, or EOF");
        }
        entries
    }

    /// Takes in a keyword line; returns whether the file ends here.
    fn keyword(&mut self, reader: &mut Reader, number: usize, line: &'t str) -> bool {
        let end = line.find(|c: char| c == ':' || c.is_whitespace()).unwrap_or(line.len());
        let (typed, rest) = line.split_at(end);
        let rest = rest.trim_start();
        let value = unquote(rest.strip_prefix(':').unwrap_or(rest).trim());
        let key = known(reader, typed);
        let entry = Entry { key, line: number, value, data: Vec::new() };
        if key.ends_with("_SECTION") && !value.is_empty() {
            reader
                .fault(key, format!("should stand alone on its line, without '{}'", brief(value)));
        }
        if let Some(first) = self.find(key).filter(|_| !key.is_empty() && key != "COMMENT") {
            reader.fault(key, format!("given twice, first on line {}", first.line));
        }
        self.0.push(entry);
        key == EOF
    }

    fn datum(&mut self, reader: &mut Reader, number: usize, line: &'t str) {
        if !self.0.last().is_some_and(Entry::takes_data) {
            reader.fault(
                "",
                format!("'{}' belongs to no section; should follow a keyword", brief(line)),
            );
            // the lines that follow have the same fault: one report is enough
            self.0.push(Entry { key: "", line: number, value: "", data: Vec::new() });
        }
        if let Some(entry) = self.0.last_mut() {
            entry.data.push((number, line));
        }
    }

    /// The entry of this keyword.
    pub(super) fn find(&self, key: &str) -> Option<&Entry<'t>> {
        self.0.iter().find(|entry| entry.key == key)
    }

    /// The entry of this keyword, which must be there.
    pub(super) fn need(
        &self,
        reader: &mut Reader,
        key: &'static str,
        right: &str,
    ) -> Option<&Entry<'t>> {
        let entry = self.find(key);
        reader.at(entry.map_or(0, |entry| entry.line));
        if entry.is_none() {
            reader.fault(key, format!("missing; should be {right}"));
        }
        entry
    }

    /// The number beside a keyword, which must be there.
    pub(super) fn number(
        &self,
        reader: &mut Reader,
        key: &'static str,
        range: Range,
    ) -> Option<f64> {
        let entry = self.need(reader, key, &range.to_string())?;
        reader.word(key, Some(entry.value).filter(|value| !value.is_empty()), range)
    }

    /// The word beside a keyword, which must be there and be one of `choices`.
    pub(super) fn choice(
        &self,
        reader: &mut Reader,
        key: &'static str,
        choices: &[&'static str],
    ) -> Option<&'static str> {
        let right = choices.join(" or ");
        let value = self.need(reader, key, &right)?.value;
        let choice = choices.iter().find(|choice| **choice == value);
        if choice.is_none() {
            reader.fault(key, format!("'{}' is not supported; should be {right}", brief(value)));
        }
        choice.copied()
    }
}

/// Numbers begin lines of data, `nan` and `inf` included; other words are keywords.
fn is_keyword(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or(line);
    first.starts_with(char::is_alphabetic) && first.parse::<f64>().is_err()
}

/// The keyword that was typed or, reported, the one that was meant; empty if it is like none.
fn known(reader: &mut Reader, typed: &str) -> &'static str {
    if let Some(key) = KEYWORDS.iter().find(|key| **key == typed) {
        return key;
    }
    let meant = Some(typed)
        .filter(|typed| typed.len() <= LONGEST_KEYWORD)
        .and_then(|typed| nearest(&typed.to_uppercase(), KEYWORDS.into_iter()));
    let hint = match meant {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("known keywords are {}", KEYWORDS.join(", ")),
    };
    reader.fault(brief(typed), format!("unknown keyword; {hint}"));
    meant.unwrap_or("")
}

fn unquote(value: &str) -> &str {
    let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.unwrap_or(value)
}
