//! Days drawn into files, for every verb that draws.

use crate::ui::Digits;
use solo::files::claim;
use solo::pictures::PictureFile;
use solo::{Error, Outcome};
use std::fs::File;
use std::io::{self, Read};

/// The picture that was asked for, if one was. What is wrong with the file is said now, before any day is simulated.
pub(crate) fn asked(file: Option<&str>, force: bool) -> Result<Option<PictureFile>, Error> {
    let Some(file) = file else { return Ok(None) };
    let picture = PictureFile::new(file)?;
    claim(file, force)?;
    Ok(Some(picture))
}

/// The file of a picture that nobody asked for, unless something else is there.
pub(crate) fn unasked(scenario: &str) -> Result<PictureFile, Error> {
    let file = file_name(scenario);
    if replaceable(&file) {
        return PictureFile::new(&file);
    }
    Err(Error::Failed(format!("{file} is no picture of a day, so it is left as it is")))
}

/// Draws a recorded day.
pub(crate) fn draw(picture: &PictureFile, outcome: &Outcome) -> Result<(), Error> {
    let title = format!("{} by {}, cost ", outcome.scenario, outcome.agent)
        + &Digits::fit([outcome.cost]).cost(outcome.cost);
    match outcome.day.as_ref().and_then(|day| day.picture(&title)) {
        Some(svg) => picture.write(&svg),
        None => {
            let what = "the day was not recorded, or cannot be drawn";
            Err(Error::Failed(format!("{}: {what}", picture.name())))
        }
    }
}

/// Whether nothing is lost if a picture that nobody asked for is written here.
fn replaceable(file: &str) -> bool {
    let mut beginning = [0; 4];
    match File::open(file).map(|mut file| file.read_exact(&mut beginning)) {
        Ok(read) => read.is_ok() && &beginning == b"<svg",
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// A file name made of a scenario's name.
fn file_name(scenario: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.+".contains(c) { c } else { '-' };
    let name: String = scenario.chars().map(safe).take(60).collect();
    format!("{}.svg", name.trim_start_matches('.'))
}
