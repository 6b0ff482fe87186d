//! Everything that is printed passes here.

use solo::Error;
use solo_core::file::escaped;
pub(crate) use solo_eval::table::{Align, Digits, Table, count, seconds, span};
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
        match error {
            Error::Interrupted => Exit::Interrupted,
            error => Exit::Error(error),
        }
    }
}

impl From<solo_eval::EvalError> for Exit {
    fn from(trouble: solo_eval::EvalError) -> Self {
        Exit::Error(trouble.into())
    }
}

impl From<solo_core::Faults> for Exit {
    fn from(faults: solo_core::Faults) -> Self {
        Exit::Error(faults.into())
    }
}

impl From<solo::EpisodeError> for Exit {
    fn from(error: solo::EpisodeError) -> Self {
        Exit::Error(error.into())
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
    /// Reports it; exit codes are 0 good, 1 failed, 2 invalid arguments, 130 interrupted.
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

    /// Prints a line. Control characters of names and files are written out.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Exit> {
        Ok(writeln!(self.0, "{}", escaped(text))?)
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
        let _ = writeln!(stderr, "{word}: {}", escaped(line)); // without standard error nobody can hear
    }
}

/// Prints tables.
pub(crate) trait Print {
    /// As aligned text.
    fn print(&self, out: &mut Out) -> Result<(), Exit>;
    /// As Markdown.
    fn print_markdown(&self, out: &mut Out) -> Result<(), Exit>;
}

impl Print for Table {
    fn print(&self, out: &mut Out) -> Result<(), Exit> {
        self.lines().iter().try_for_each(|line| out.line(line))
    }

    fn print_markdown(&self, out: &mut Out) -> Result<(), Exit> {
        self.markdown().iter().try_for_each(|line| out.line(line))
    }
}
