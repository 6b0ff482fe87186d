//! Files to which JSON lines are appended one by one. A crash can cut the last line short, even inside a character; the
//! lines before it are as good as ever.

use crate::EvalError;
use serde::de::DeserializeOwned;

/// What is in such a file.
pub(crate) struct Appended<T> {
    /// The lines, in order.
    pub(crate) lines: Vec<T>,
    /// How many bytes they take, without what was cut short behind them.
    pub(crate) good: usize,
    /// How many bytes the line takes that was cut short.
    pub(crate) torn: usize,
    /// Whether the last good line lacks its end.
    pub(crate) unended: bool,
}

impl<T: DeserializeOwned> Appended<T> {
    /// Reads the bytes of the file `name`, whose lines are each `what` and begin with `head`. Anything else is an error,
    /// so that other people's files are neither taken for ours nor shortened.
    pub(crate) fn read(
        name: &str,
        bytes: &[u8],
        what: &str,
        head: &str,
    ) -> Result<Self, EvalError> {
        let mut read = Self { lines: Vec::new(), good: 0, torn: 0, unended: false };
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ended = line.ends_with(b"\n");
            match serde_json::from_slice(line) {
                Ok(value) => {
                    read.lines.push(value);
                    read.good += line.len();
                    read.unended = !ended;
                }
                Err(_) if !ended && may_begin(line, head.as_bytes()) => read.torn = line.len(),
                Err(error) => {
                    let number = read.lines.len() + 1;
                    let what = format!("line {number} is not {what} ({error}); name another file");
                    return Err(EvalError::new(name, what));
                }
            }
        }
        Ok(read)
    }

    /// What is to be said of the line that was cut short, if one was.
    pub(crate) fn note(&self, name: &str) -> Option<String> {
        let (torn, line) = (self.torn, self.lines.len() + 1);
        let note = || {
            format!(
                "{name}: line {line} was cut short after {torn} bytes and is left out; the lines before it are kept"
            )
        };
        (torn > 0).then(note)
    }
}

/// Whether a line that begins with `head` can have been cut so: some of it, and where the system had not written it yet,
/// zeros.
fn may_begin(line: &[u8], head: &[u8]) -> bool {
    let zeros = line.iter().rev().take_while(|byte| **byte == 0).count();
    let line = &line[..line.len() - zeros];
    line.starts_with(head) || head.starts_with(line)
}
