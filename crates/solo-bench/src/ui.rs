//! What is printed.

pub(crate) use solo_eval::table::{Align, Table, count, seconds};
use std::fmt;
use std::io::{self, Write};

/// Why a measurement ended badly: invalid arguments, or something failed.
#[derive(Debug)]
pub(crate) enum BenchError {
    Usage(String),
    Failed(String),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Usage(what) | BenchError::Failed(what) => f.write_str(what),
        }
    }
}

/// Prints a line. Whoever closes the output wants no more of it.
pub(crate) fn line(text: &str) {
    if writeln!(io::stdout(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// Says something on standard error.
pub(crate) fn say(word: &str, text: &str) {
    let _ = writeln!(io::stderr(), "{word}: {text}"); // without standard error nobody can be told
}

/// Prints a table.
pub(crate) fn print(table: &Table) {
    table.lines().iter().for_each(|text| line(text));
}
