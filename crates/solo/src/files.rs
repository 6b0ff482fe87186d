//! Scenario files.

use crate::Error;
use crate::any::{AnyProblem, AnyScenario};
use crate::lines::{LineOf, Lines};
use crate::registry::Registry;
use solo_core::file::Reader;
use solo_core::{Fault, Faults, atomic};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

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
/// Files whose ending a problem claims are read in that problem's format, others as JSON lines. `format` names one of
/// several formats of an ending.
pub fn read_scenarios(
    registry: &Registry,
    file: &str,
    format: Option<&str>,
) -> Result<Vec<Box<dyn AnyScenario>>, Error> {
    let extension = extension_of(file);
    let chosen = registry.problems().find_map(|problem| {
        let formats = problem.scenario_formats();
        let chosen = match format {
            Some(name) => formats.iter().find(|known| known.name == name),
            None => formats.iter().find(|known| known.extension == extension && file != "-"),
        };
        chosen.map(|chosen| (problem, chosen.name))
    });
    if let Some((problem, format)) = chosen {
        let text = read_text(file)?;
        if let Some(read) = problem.read_foreign(format, file, &text) {
            let (scenario, mut reader) = (read?, Reader::new(file));
            check_name(&mut reader, scenario.name());
            return Ok(vec![reader.finish(Some(scenario))?]);
        }
    }
    if let Some(format) = format {
        let names = registry.problems().flat_map(AnyProblem::scenario_formats);
        let names: Vec<&str> = names.map(|known| known.name).collect();
        let known = names.join(", ");
        return Err(Error::Usage(format!("unknown format '{format}'; known are {known}")));
    }
    Ok(read_lines(registry, open(file)?, &display_name(file))?)
}

/// The one problem that all scenarios are of.
pub fn one_problem<'r>(
    registry: &'r Registry,
    file: &str,
    scenarios: &[Box<dyn AnyScenario>],
) -> Result<&'r dyn AnyProblem, Error> {
    let first = scenarios.first().map_or("", |scenario| scenario.problem());
    if let Some(other) = scenarios.iter().find(|scenario| scenario.problem() != first) {
        return Err(Error::Failed(format!(
            "{} holds scenarios of {first} and of {}; give one problem at a time",
            display_name(file),
            other.problem()
        )));
    }
    registry.problem(first).map_err(Error::Failed)
}

/// Reads the scenarios of JSON lines; `file` is what faults name.
pub fn read_lines(
    registry: &Registry,
    source: impl BufRead,
    file: &str,
) -> Result<Vec<Box<dyn AnyScenario>>, Faults> {
    let mut reader = Reader::new(file);
    let mut lines = Lines::new(source);
    let mut scenarios = Vec::new();
    let mut names: HashMap<String, usize> = HashMap::new();
    while let Some(line) = lines.next(&mut reader) {
        let LineOf::Text { number, text } = line else { continue };
        let Some(map) = reader.json(&text) else { continue };
        if let Some(name) = map.get("name").and_then(serde_json::Value::as_str) {
            check_name(&mut reader, name);
            match names.get(name) {
                Some(first) => reader.fault(
                    "name",
                    format!("'{name}' is the name of two scenarios, on lines {first} and {number}"),
                ),
                None => drop(names.insert(name.to_string(), number)),
            }
        }
        let problem = match map.get("problem").map(|problem| (problem, problem.as_str())) {
            Some((_, Some(problem))) => problem,
            Some((other, None)) => {
                reader.fault("problem", format!("{other} should be a text"));
                continue;
            }
            None => {
                reader.fault("problem", "missing; should be a text");
                continue;
            }
        };
        match registry.problem(problem) {
            Ok(problem) => scenarios.extend(problem.read(&mut reader, &map)),
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

/// Makes sure, before long work begins, that a file can be written: that its folder takes files, and that nothing is
/// there that should stay. `force` allows to replace a file.
pub fn claim(file: &str, force: bool) -> Result<(), Error> {
    let path = Path::new(file);
    if !force && path.is_file() {
        return Err(Error::Usage(format!("{file}: there is such a file; --force replaces it")));
    }
    atomic::Draft::new(path)?;
    Ok(())
}

/// Writes a whole file, or nothing.
pub fn write_text(file: &str, text: &str) -> Result<(), Error> {
    Ok(atomic::write(Path::new(file), text.as_bytes())?)
}
