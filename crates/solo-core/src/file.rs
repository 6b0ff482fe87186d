//! Reading files so that every problem in them is reported at once, with file, line, field and remedy.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// The most customers or jobs that a scenario may have. Every decision looks at all open work, so a day costs at
/// least the square of this; beyond it a scenario is refused rather than left to run for hours.
pub const MOST_ITEMS: usize = 10_000;
/// The longest line read, in bytes; a scenario of [`MOST_ITEMS`] customers needs about a megabyte.
pub const LONGEST_LINE: usize = 32 << 20;

/// The most faults collected from one file; what comes after them is not worth reading.
pub const MOST_FAULTS: usize = 1_000;

/// One thing wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which file.
    pub file: String,
    /// Which line, counted from 1; 0 if it is about the file as a whole.
    pub line: usize,
    /// Which field, like `customers[3].demand`; empty if it is about the line as a whole.
    pub field: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", self.field)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Everything wrong with a file; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl std::error::Error for Faults {}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 40;
        for (i, fault) in self.0.iter().take(SHOWN).enumerate() {
            write!(f, "{}{fault}", if i > 0 { "\n" } else { "" })?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            _ if self.0.len() >= MOST_FAULTS => write!(f, "\n... and very many more"),
            more => write!(f, "\n... and {more} more"),
        }
    }
}

/// What a number must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest allowed.
    pub low: f64,
    /// Largest allowed.
    pub high: f64,
    /// Whether it must be whole.
    pub whole: bool,
}

impl Range {
    /// Any finite number.
    pub const ANY: Range = Range { low: f64::MIN, high: f64::MAX, whole: false };
    /// Zero or more.
    pub const NOT_NEGATIVE: Range = Range { low: 0.0, high: f64::MAX, whole: false };

    /// A whole number from `low` to `high`, both included.
    pub const fn whole(low: f64, high: f64) -> Range {
        Range { low, high, whole: true }
    }

    /// Whether `x` is allowed.
    pub fn contains(&self, x: f64) -> bool {
        x.is_finite() && x >= self.low && x <= self.high && (!self.whole || x.fract() == 0.0)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {}number", if self.whole { "whole " } else { "" })?;
        match (self.low > f64::MIN, self.high < f64::MAX) {
            (true, true) => write!(f, " from {} to {}", self.low, self.high),
            (true, false) => write!(f, " of at least {}", self.low),
            (false, true) => write!(f, " of at most {}", self.high),
            (false, false) => Ok(()),
        }
    }
}

/// Collects what is wrong while a file is read.
#[derive(Debug)]
pub struct Reader {
    file: String,
    line: usize,
    faults: Vec<Fault>,
}

impl Reader {
    /// A reader of the file of this name.
    pub fn new(file: &str) -> Self {
        Self { file: file.to_string(), line: 0, faults: Vec::new() }
    }

    /// From now on, faults are about this line; 0 for the whole file.
    pub fn at(&mut self, line: usize) {
        self.line = line;
    }

    /// Notes a fault of the current line.
    pub fn fault(&mut self, field: impl Into<String>, message: impl Into<String>) {
        if self.faults.len() >= MOST_FAULTS {
            return;
        }
        let (file, line) = (self.file.clone(), self.line);
        self.faults.push(Fault { file, line, field: field.into(), message: message.into() });
    }

    /// Whether nothing was wrong so far.
    pub fn clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// How many faults were collected so far; stays at [`MOST_FAULTS`].
    pub fn count(&self) -> usize {
        self.faults.len()
    }

    /// The result, if nothing was wrong.
    pub fn finish<T>(mut self, result: Option<T>) -> Result<T, Faults> {
        match result {
            Some(result) if self.faults.is_empty() => Ok(result),
            _ => {
                if self.faults.is_empty() {
                    self.at(0);
                    self.fault("", "nothing could be read");
                }
                Err(Faults(self.faults))
            }
        }
    }

    /// Checks a number.
    pub fn check(&mut self, field: &str, number: f64, range: Range) -> Option<f64> {
        if range.contains(number) {
            return Some(number);
        }
        self.fault(field, format!("{number} should be {range}"));
        None
    }

    /// Reads a number from a word of a text file.
    pub fn word(&mut self, field: &str, word: Option<&str>, range: Range) -> Option<f64> {
        let Some(word) = word else {
            self.fault(field, format!("missing; should be {range}"));
            return None;
        };
        match word.parse() {
            Ok(number) => self.check(field, number, range),
            Err(_) => {
                self.fault(field, format!("'{}' should be {range}", shorten(word)));
                None
            }
        }
    }

    /// Reads a value that says by serde what it should be; a fault names the field that is wrong.
    pub fn parse<T: DeserializeOwned>(&mut self, field: &str, value: &Value) -> Option<T> {
        match serde_path_to_error::deserialize(value) {
            Ok(read) => Some(read),
            Err(error) => {
                let path = error.path().to_string();
                let field = match (field, path.as_str()) {
                    (field, ".") => field.to_string(),
                    ("", path) => path.to_string(),
                    (field, path) => format!("{field}.{path}"),
                };
                self.fault(field, error.inner().to_string());
                None
            }
        }
    }

    /// Reads a line of JSON by serde.
    pub fn parse_line<T: DeserializeOwned>(&mut self, line: &str) -> Option<T> {
        let object = self.json(line)?;
        self.parse("", &Value::Object(object))
    }

    /// Reads a line of JSON lines as an object.
    pub fn json(&mut self, line: &str) -> Option<Map<String, Value>> {
        let items = line.bytes().filter(|&byte| byte == b'{').count();
        if items > MOST_ITEMS + 2 {
            self.fault("", format!("has about {items} items; at most {MOST_ITEMS} are accepted, because every decision looks at all open work"));
            return None;
        }
        match serde_json::from_str(line) {
            Ok(Value::Object(map)) => Some(map),
            Ok(_) => {
                self.fault("", "should be a JSON object in braces");
                None
            }
            Err(error) if error.is_eof() => {
                self.fault("", format!("ends in the middle of an object (column {}): is the file truncated, or one object spread over several lines?", error.column()));
                None
            }
            Err(error) => {
                let hint = if line.contains("NaN") || line.contains("Infinity") {
                    " (JSON has no NaN or Infinity: write a number)"
                } else {
                    ""
                };
                let what = error.to_string();
                let what = what.split(" at line").next().unwrap_or(&what);
                self.fault("", format!("not JSON at column {}: {what}{hint}", error.column()));
                None
            }
        }
    }
}

/// A JSON object being read: remembers which fields were asked for, so that others are reported as unknown.
#[derive(Debug)]
pub struct Object<'v> {
    map: &'v Map<String, Value>,
    path: String,
    asked: Vec<&'static str>,
}

impl<'v> Object<'v> {
    /// The top-level object of a line.
    pub fn top(map: &'v Map<String, Value>) -> Self {
        Self { map, path: String::new(), asked: Vec::new() }
    }

    /// The full name of a field of this object.
    pub fn field(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    /// A field that may be absent.
    pub fn optional(&mut self, key: &'static str) -> Option<&'v Value> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        self.map.get(key)
    }

    fn required(
        &mut self,
        reader: &mut Reader,
        key: &'static str,
        right: &dyn fmt::Display,
    ) -> Option<&'v Value> {
        let value = self.optional(key);
        if value.is_none() {
            reader.fault(self.field(key), format!("missing; should be {right}"));
        }
        value
    }

    /// A number.
    pub fn number(&mut self, reader: &mut Reader, key: &'static str, range: Range) -> Option<f64> {
        let value = self.required(reader, key, &range)?;
        number_of(reader, &self.field(key), value, range)
    }

    /// A number that may be absent.
    pub fn number_or(
        &mut self,
        reader: &mut Reader,
        key: &'static str,
        range: Range,
        otherwise: f64,
    ) -> Option<f64> {
        match self.optional(key) {
            Some(value) => number_of(reader, &self.field(key), value, range),
            None => Some(otherwise),
        }
    }

    /// A text.
    pub fn text(&mut self, reader: &mut Reader, key: &'static str) -> Option<&'v str> {
        let value = self.required(reader, key, &"a text")?;
        if value.as_str().is_none() {
            reader.fault(self.field(key), format!("{} should be a text", show(value)));
        }
        value.as_str()
    }

    /// A text that must be `word`.
    pub fn word(&mut self, reader: &mut Reader, key: &'static str, word: &str) {
        if let Some(text) = self.text(reader, key)
            && text != word
        {
            reader.fault(self.field(key), format!("'{}' should be '{word}'", shorten(text)));
        }
    }

    /// A nested object.
    pub fn object(&mut self, reader: &mut Reader, key: &'static str) -> Option<Object<'v>> {
        let value = self.required(reader, key, &"an object in braces")?;
        object_of(reader, self.field(key), value)
    }

    /// A list.
    pub fn list(&mut self, reader: &mut Reader, key: &'static str) -> Option<&'v [Value]> {
        let value = self.required(reader, key, &"a list in brackets")?;
        list_of(reader, &self.field(key), value)
    }

    /// A list of objects, each read by `read`; `None` if any is wrong.
    pub fn objects<T>(
        &mut self,
        reader: &mut Reader,
        key: &'static str,
        mut read: impl FnMut(&mut Reader, &mut Object<'v>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let list = self.list(reader, key)?;
        let name = self.field(key);
        let items: Vec<Option<T>> = list
            .iter()
            .enumerate()
            .map(|(i, value)| {
                let mut object = object_of(reader, format!("{name}[{i}]"), value)?;
                let item = read(reader, &mut object);
                object.end(reader);
                item
            })
            .collect();
        items.into_iter().collect()
    }

    /// Reports the fields that nobody asked for.
    pub fn end(self, reader: &mut Reader) {
        for key in self.map.keys().filter(|key| !self.asked.contains(&key.as_str())) {
            let near = crate::params::nearest(key, self.asked.iter().copied());
            let known = match near {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("known fields are {}", self.asked.join(", ")),
            };
            reader.fault(self.field(key), format!("unknown field; {known}"));
        }
    }
}

/// A square matrix of numbers of the given side.
pub fn matrix_of(
    reader: &mut Reader,
    field: &str,
    value: &Value,
    side: Option<usize>,
    range: Range,
) -> Option<Vec<f64>> {
    let rows = list_of(reader, field, value)?;
    let side = side.unwrap_or(rows.len());
    if rows.len() != side {
        reader.fault(field, format!("has {} rows; should have {side}", rows.len()));
    }
    let mut flat = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let name = format!("{field}[{i}]");
        let Some(row) = list_of(reader, &name, row) else { continue };
        if row.len() != side {
            reader.fault(
                &name,
                format!(
                    "has {} numbers; should have {side}, for the matrix must be square",
                    row.len()
                ),
            );
            continue;
        }
        for (j, value) in row.iter().enumerate() {
            match value.as_f64().filter(|number| range.contains(*number)) {
                Some(number) => flat.push(number),
                None => drop(number_of(reader, &format!("{name}[{j}]"), value, range)),
            }
        }
    }
    (rows.len() == side && flat.len() == side * side).then_some(flat)
}

/// A number.
pub fn number_of(reader: &mut Reader, field: &str, value: &Value, range: Range) -> Option<f64> {
    match value.as_f64() {
        Some(number) => reader.check(field, number, range),
        None => {
            reader.fault(field, format!("{} should be {range}", show(value)));
            None
        }
    }
}

fn object_of<'v>(reader: &mut Reader, path: String, value: &'v Value) -> Option<Object<'v>> {
    match value.as_object() {
        Some(map) => Some(Object { map, path, asked: Vec::new() }),
        None => {
            reader.fault(path, format!("{} should be an object in braces", show(value)));
            None
        }
    }
}

/// A list.
pub fn list_of<'v>(reader: &mut Reader, field: &str, value: &'v Value) -> Option<&'v [Value]> {
    if !value.is_array() {
        reader.fault(field, format!("{} should be a list in brackets", show(value)));
    }
    value.as_array().map(Vec::as_slice)
}

/// A line of text with everything written out (`\u001b`) that does something to a terminal instead of being shown:
/// control characters but tabs, and those that turn the direction of what follows. What is escaped in JSON stays JSON.
pub fn escaped(line: &str) -> Cow<'_, str> {
    let odd = |c: char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || (c.is_control() && c != '\t')
    };
    if !line.contains(odd) {
        return Cow::Borrowed(line);
    }
    let mut clean = String::with_capacity(line.len() + 8);
    for c in line.chars() {
        if odd(c) { clean += &format!("\\u{:04x}", u32::from(c)) } else { clean.push(c) }
    }
    Cow::Owned(clean)
}

fn show(value: &Value) -> String {
    shorten(&value.to_string())
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert!(matches!(escaped("caf\u{e9}\tau lait"), Cow::Borrowed(_)));
        assert_eq!(
            escaped("a\u{1b}[31m\nb\u{9b}\u{7f}\u{202e}"),
            "a\\u001b[31m\\u000ab\\u009b\\u007f\\u202e"
        );
        let json = Value::from("a\u{9b}b").to_string();
        let read: Value = serde_json::from_str(&escaped(&json)).unwrap();
        assert_eq!(read, "a\u{9b}b");
    }
}
