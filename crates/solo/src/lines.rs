//! Lines of a file, one at a time and never longer than is reasonable.

use solo_core::file::{LONGEST_LINE, MOST_FAULTS, Reader};
use std::io::{self, BufRead, Read};

/// How much of an overlong line is skipped before the rest of the file is left alone.
const LONGEST_SKIP: usize = 16 * LONGEST_LINE;

/// What a line turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum LineOf {
    /// Something to read, without its line ending.
    Text {
        /// Counted from 1.
        number: usize,
        /// The line.
        text: String,
    },
    /// Blank, or wrong in a way that has been noted.
    Nothing,
}

/// Reads lines; accepts CRLF, a byte order mark and blank lines.
pub struct Lines<R> {
    source: R,
    number: usize,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of this source.
    pub fn new(source: R) -> Self {
        Self { source, number: 0, ended: false }
    }

    /// The next line; what is wrong with it as a line is noted by the reader, which stands at it from now on.
    pub fn next(&mut self, reader: &mut Reader) -> Option<LineOf> {
        if self.ended || reader.count() >= MOST_FAULTS {
            return None;
        }
        self.number += 1;
        reader.at(self.number);
        match self.read(reader) {
            Ok(line) => line,
            Err(error) => {
                self.ended = true;
                reader.fault("", format!("cannot be read: {error}"));
                Some(LineOf::Nothing)
            }
        }
    }

    fn read(&mut self, reader: &mut Reader) -> io::Result<Option<LineOf>> {
        let mut bytes = Vec::new();
        let limit = LONGEST_LINE as u64 + 1;
        if self.source.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.len() > LONGEST_LINE && !bytes.ends_with(b"\n") {
            drop(bytes);
            reader.fault(
                "",
                format!("is longer than {} MB, the longest accepted", LONGEST_LINE >> 20),
            );
            if !self.skip()? {
                self.ended = true;
                reader.fault("", "the rest of the file was not read");
            }
            return Ok(Some(LineOf::Nothing));
        }
        let start = if self.number == 1 && bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let text = match std::str::from_utf8(&bytes[start..]) {
            Ok(text) => text.trim(),
            Err(error) => {
                let column = start + error.valid_up_to() + 1;
                reader.fault("", format!("byte {column} is not UTF-8 text"));
                return Ok(Some(LineOf::Nothing));
            }
        };
        if text.is_empty() {
            return Ok(Some(LineOf::Nothing));
        }
        Ok(Some(LineOf::Text { number: self.number, text: text.to_string() }))
    }

    /// Goes to the end of the line without keeping it; false if that is too far.
    fn skip(&mut self) -> io::Result<bool> {
        let mut skipped = 0;
        while skipped < LONGEST_SKIP {
            let buffer = self.source.fill_buf()?;
            if buffer.is_empty() {
                return Ok(true);
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.source.consume(used);
            if end.is_some() {
                return Ok(true);
            }
            skipped += used;
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, repeat};

    fn all(source: impl BufRead) -> (Vec<(usize, String)>, Vec<String>) {
        let mut reader = Reader::new("f");
        let mut lines = Lines::new(source);
        let mut texts = Vec::new();
        while let Some(line) = lines.next(&mut reader) {
            if let LineOf::Text { number, text } = line {
                texts.push((number, text));
            }
        }
        let faults = match reader.finish(Some(())) {
            Ok(()) => Vec::new(),
            Err(faults) => faults.0.iter().map(ToString::to_string).collect(),
        };
        (texts, faults)
    }

    #[test]
    fn endings_marks_and_blanks() {
        let (texts, faults) = all(&b"\xef\xbb\xbfa\r\n\r\n  \nb"[..]);
        assert_eq!(texts, [(1, "a".to_string()), (4, "b".to_string())]);
        assert!(faults.is_empty());
    }

    #[test]
    fn wrong_bytes_and_overlong_lines_leave_the_others() {
        let long = vec![b'x'; LONGEST_LINE + 5];
        let source = [b"a\xffb\n".as_slice(), &long, b"\nlast\n"].concat();
        let (texts, faults) = all(source.as_slice());
        assert_eq!(texts, [(3, "last".to_string())]);
        assert_eq!(faults[0], "f:1: byte 2 is not UTF-8 text");
        assert!(faults[1].starts_with("f:2: is longer than 32 MB"), "{faults:?}");
    }

    #[test]
    fn an_endless_line_ends() {
        let (_, faults) = all(BufReader::new(repeat(b'x')));
        assert!(faults[1].contains("the rest of the file was not read"), "{faults:?}");
    }
}
