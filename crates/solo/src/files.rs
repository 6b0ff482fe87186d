//! Scenario files, and writing files so that none is ever half-written.

use crate::Error;
use crate::any::{AnyDomain, AnyScenario};
use crate::lines::{Line, Lines};
use crate::registry::{self, PROBLEMS};
use solo_core::file::{Object, Reader};
use solo_core::{Fault, Faults};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// The largest file of other people's formats that is read; these are read whole.
const LARGEST_TEXT: u64 = 256 << 20;

/// How a file is named in messages.
pub fn display_name(file: &str) -> String {
    if file == "-" { "standard input".to_string() } else { file.to_string() }
}

/// How a file's name ends, in small letters; empty if it has no ending.
pub fn extension_of(file: &str) -> String {
    let extension = Path::new(file).extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// Reads every scenario of a file (`-` is standard input), or says everything that is wrong with it.
///
/// Endings that a problem claims are read as that problem's formats, everything else as JSON lines. `exact` keeps the
/// distances of other people's formats unrounded.
pub fn read_scenarios(file: &str, exact: bool) -> Result<Vec<Box<dyn AnyScenario>>, Faults> {
    let extension = extension_of(file);
    let claims = |domain: &&&dyn AnyDomain| {
        domain.scenario_extensions().iter().any(|(known, _)| *known == extension)
    };
    if let Some(domain) = PROBLEMS.iter().find(claims).filter(|_| file != "-") {
        let text = read_text(file)?;
        if let Some(read) = domain.read_foreign(&extension, file, &text, exact) {
            return Ok(vec![read?]);
        }
    }
    read_lines(open(file)?, &display_name(file))
}

/// The one problem that all scenarios are of.
pub fn one_problem(
    file: &str,
    scenarios: &[Box<dyn AnyScenario>],
) -> Result<&'static dyn AnyDomain, Error> {
    let first = scenarios.first().map_or("", |scenario| scenario.problem());
    if let Some(other) = scenarios.iter().find(|scenario| scenario.problem() != first) {
        return Err(Error::Failed(format!(
            "{} holds scenarios of {first} and of {}; give one problem at a time",
            display_name(file),
            other.problem()
        )));
    }
    registry::problem(first).map_err(Error::Failed)
}

fn read_lines(source: impl BufRead, file: &str) -> Result<Vec<Box<dyn AnyScenario>>, Faults> {
    let mut reader = Reader::new(file);
    let mut lines = Lines::new(source);
    let mut scenarios = Vec::new();
    let mut names: HashMap<String, usize> = HashMap::new();
    while let Some(line) = lines.next(&mut reader) {
        let Line::Text { number, text } = line else { continue };
        let Some(map) = reader.json(&text) else { continue };
        let mut object = Object::top(&map);
        let name = object.text(&mut reader, "name");
        let problem = object.text(&mut reader, "problem");
        if let Some(name) = name {
            check_name(&mut reader, name);
            match names.get(name) {
                Some(first) => reader.fault(
                    "name",
                    format!("'{name}' is the name of two scenarios, on lines {first} and {number}"),
                ),
                None => drop(names.insert(name.to_string(), number)),
            }
        }
        let Some(problem) = problem else { continue };
        match registry::problem(problem) {
            Ok(domain) => {
                let read = domain.read(&mut reader, name.unwrap_or_default(), &mut object);
                object.end(&mut reader);
                scenarios.extend(read);
            }
            Err(message) => reader.fault("problem", message),
        }
    }
    if reader.clean() && scenarios.is_empty() {
        reader.at(0);
        reader.fault("", "holds no scenario; each line should be one as a JSON object");
    }
    reader.finish(Some(scenarios))
}

fn check_name(reader: &mut Reader, name: &str) {
    if name.is_empty() || name.chars().any(char::is_control) {
        reader.fault("name", "should be a text of printable letters, like 'monday/1'");
    }
}

/// Opens a file, or standard input for `-`.
pub fn open(file: &str) -> Result<Box<dyn BufRead>, Faults> {
    if file == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    let wrong = |message: String| whole(file, message);
    let opened = File::open(file).map_err(|error| wrong(reason(&error)))?;
    if opened.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(wrong("is a folder; give a file in it".to_string()));
    }
    Ok(Box::new(BufReader::with_capacity(1 << 16, opened)))
}

/// Reads a whole file as text.
pub fn read_text(file: &str) -> Result<String, Faults> {
    let mut bytes = Vec::new();
    open(file)?
        .take(LARGEST_TEXT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| whole(file, format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > LARGEST_TEXT {
        let most = LARGEST_TEXT >> 20;
        return Err(whole(file, format!("is larger than {most} MB, the largest accepted")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
        let (file, field) = (display_name(file), String::new());
        Faults(vec![Fault { file, line, field, message: "is not UTF-8 text".to_string() }])
    })
}

fn whole(file: &str, message: String) -> Faults {
    Faults(vec![Fault { file: display_name(file), line: 0, field: String::new(), message }])
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "may not be read: permission denied".to_string(),
        _ => format!("cannot be opened: {error}"),
    }
}

/// A file being written beside its place; it takes its place in [`Draft::keep`], and vanishes otherwise. A device or a
/// pipe is written to directly.
pub struct Draft {
    file: String,
    place: PathBuf,
    draft: Option<PathBuf>,
    out: BufWriter<File>,
}

impl Draft {
    /// Starts a file that is to be found at `file`.
    pub fn new(file: &str) -> Result<Self, Error> {
        let place = fs::canonicalize(file).unwrap_or_else(|_| PathBuf::from(file));
        let metadata = fs::metadata(&place);
        let failed = |error| failed_write(file, &error);
        if metadata.as_ref().is_ok_and(fs::Metadata::is_dir) {
            return Err(Error::Failed(format!("{file} is a folder; give the name of a file")));
        }
        if metadata.is_ok_and(|metadata| !metadata.is_file()) {
            let out = File::options().write(true).open(&place).map_err(failed)?;
            let out = BufWriter::new(out);
            return Ok(Self { file: file.to_string(), place, draft: None, out });
        }
        let mut draft = place.clone().into_os_string();
        draft.push(format!(".{}.part", std::process::id()));
        let draft = PathBuf::from(draft);
        let out = BufWriter::new(File::create(&draft).map_err(failed)?);
        Ok(Self { file: file.to_string(), place, draft: Some(draft), out })
    }

    /// Appends text.
    pub fn write(&mut self, text: &str) -> Result<(), Error> {
        self.out.write_all(text.as_bytes()).map_err(|error| failed_write(&self.file, &error))
    }

    /// Ends the file and puts it in its place.
    pub fn keep(mut self) -> Result<(), Error> {
        let kept = self.out.flush().and_then(|()| match self.draft.take() {
            Some(draft) => fs::rename(&draft, &self.place).inspect_err(|_| {
                // What cannot be kept is removed; if even that fails there is nothing left to try.
                let _ = fs::remove_file(&draft);
            }),
            None => Ok(()),
        });
        kept.map_err(|error| failed_write(&self.file, &error))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(draft) = &self.draft {
            let _ = fs::remove_file(draft); // as in `keep`
        }
    }
}

fn failed_write(file: &str, error: &io::Error) -> Error {
    Error::Failed(format!("{file} cannot be written: {error}"))
}

/// Writes a whole file, or nothing.
pub fn write_text(file: &str, text: &str) -> Result<(), Error> {
    let mut draft = Draft::new(file)?;
    draft.write(text)?;
    draft.keep()
}
