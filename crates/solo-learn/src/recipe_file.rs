//! Recipe files as they are read: everything that is wrong with one is said at once, with line,
//! field and remedy.

use serde::de::DeserializeOwned;
use solo_core::Faults;
use solo_core::file::{Range, Reader};
use toml::de::{DeTable, DeValue};

/// The most days, rounds, epochs and the like: more is a slip of the pen.
pub(crate) const MANY: Range = Range::whole(1.0, 1e6);
/// The same, or none.
pub(crate) const MANY_OR_NONE: Range = Range::whole(0.0, 1e6);
/// The most steps that learning can have.
pub(crate) const STEPS: Range = Range::whole(1.0, 1e12);
/// The same, or none.
pub(crate) const STEPS_OR_NONE: Range = Range::whole(0.0, 1e12);
/// A part of something.
pub(crate) const SHARE: Range = Range { low: 0.0, high: 1.0, whole: false };
/// A part of something that leaves some over.
pub(crate) const PART: Range = Range { low: 0.0, high: 0.999_999, whole: false };
/// A learning rate and other numbers that are above 0 and not large.
pub(crate) const RATE: Range = Range { low: 1e-9, high: 1e3, whole: false };
/// A scale: any number above 0 that can be multiplied and divided by.
pub(crate) const SCALE: Range = Range { low: 1e-12, high: 1e12, whole: false };

/// What a recipe makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    /// A network, by `solo train`.
    Network,
    /// A network that rewrites solutions, by `solo train`.
    Rewriter,
    /// A guide, by `solo teach`.
    Guide,
}

fn makes(table: &DeTable<'_>) -> Makes {
    let rewriter = |value: &DeValue<'_>| value.as_str() == Some("rewriter");
    match table.get("makes").map(toml::Spanned::get_ref) {
        Some(value) if rewriter(value) => Makes::Rewriter,
        _ if table.contains_key("paper") => Makes::Network,
        _ => Makes::Guide,
    }
}

/// Whether the text of a recipe says that it makes a rewriter.
pub fn makes_rewriter(text: &str) -> bool {
    DeTable::parse(text).is_ok_and(|table| makes(table.get_ref()) == Makes::Rewriter)
}

/// A recipe file that is TOML and has the right fields, while their values are checked.
pub struct RecipeFile<'t> {
    text: &'t str,
    table: DeTable<'t>,
    reader: Reader,
}

impl<'t> RecipeFile<'t> {
    /// Reads the text of a file.
    pub(crate) fn read<T: DeserializeOwned>(
        file: &str,
        text: &'t str,
        wanted: Makes,
    ) -> Result<(Self, T), Faults> {
        let mut reader = Reader::new(file);
        let table = match DeTable::parse(text) {
            Ok(table) => table.into_inner(),
            Err(error) => return Err(unreadable(reader, text, "", &error)),
        };
        if table.contains_key("column") {
            reader.fault("", "this is a suite, not a recipe: give it to 'solo eval'");
            return reader.finish(None);
        }
        let found = makes(&table);
        if found != wanted && (found != Makes::Guide || table.contains_key("rounds")) {
            reader.fault(
                "",
                match found {
                    Makes::Network | Makes::Rewriter => {
                        "this is the recipe of a network: give it to 'solo train'"
                    }
                    Makes::Guide => "this is the recipe of a guide: give it to 'solo teach'",
                },
            );
            return reader.finish(None);
        }
        let deserializer = match toml::Deserializer::parse(text) {
            Ok(deserializer) => deserializer,
            Err(error) => return Err(unreadable(reader, text, "", &error)),
        };
        match serde_path_to_error::deserialize(deserializer) {
            Ok(recipe) => Ok((Self { text, table, reader }, recipe)),
            Err(error) => {
                let field = error.path().to_string();
                Err(unreadable(reader, text, field.trim_matches('.'), error.inner()))
            }
        }
    }

    /// Checks the number of a field, written like `validation.days`.
    pub(crate) fn check(&mut self, field: &str, number: f64, range: Range) {
        self.find(field);
        self.reader.check(field, number, range);
    }

    /// Checks the width of a layer.
    pub(crate) fn check_width(&mut self, field: &str, width: usize, step: usize, most: usize) {
        let right = (step..=most).contains(&width) && width.is_multiple_of(step);
        if !right {
            self.fault(field, format!("{width} should be a multiple of {step} up to {most}"));
        }
    }

    /// Notes a fault of a field.
    pub(crate) fn fault(&mut self, field: &str, message: impl Into<String>) {
        self.find(field);
        self.reader.fault(field, message);
    }

    /// The recipe, if nothing was wrong.
    pub(crate) fn finish<T>(self, recipe: T) -> Result<T, Faults> {
        self.reader.finish(Some(recipe))
    }

    /// Whether the file itself has this field.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.start(field).is_some()
    }

    /// Goes to the line of a field; to none if the file leaves it out.
    fn find(&mut self, field: &str) {
        let line = self.start(field).map_or(0, |start| line_at(self.text, start));
        self.reader.at(line);
    }

    /// Where a field begins.
    fn start(&self, field: &str) -> Option<usize> {
        let mut table = &self.table;
        let (tables, last) = field.rsplit_once('.').unwrap_or(("", field));
        for name in tables.split('.').filter(|name| !name.is_empty()) {
            table = match table.get(name)?.get_ref() {
                DeValue::Table(inner) => inner,
                _ => return None,
            };
        }
        table.get_key_value(last).map(|(key, _)| key.span().start)
    }
}

/// What TOML or serde say, as a fault.
fn unreadable(mut reader: Reader, text: &str, field: &str, error: &toml::de::Error) -> Faults {
    reader.at(error.span().map_or(0, |span| line_at(text, span.start)));
    reader.fault(field, error.message());
    match reader.finish::<()>(None) {
        Err(faults) => faults,
        Ok(()) => unreachable!("there is a fault"),
    }
}

fn line_at(text: &str, start: usize) -> usize {
    1 + text.bytes().take(start).filter(|byte| *byte == b'\n').count()
}
