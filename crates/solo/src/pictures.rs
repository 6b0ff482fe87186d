//! Pictures in files: SVG, or PNG where this build can paint it.

use crate::Error;
use crate::files::{extension_of, write_text};
use solo_core::atomic;
use solo_plot::png::Painter;
use std::path::Path;

/// A file that a picture will be written to. Whatever could be wrong with its kind is said when it is made, before days
/// are simulated.
///
/// ```
/// use solo::pictures::PictureFile;
///
/// assert!(PictureFile::new("day.svg").is_ok());
/// let error = PictureFile::new("day.gif").err().unwrap().to_string();
/// assert_eq!(error, "day.gif: a picture is an SVG or a PNG; name a file that ends in .svg or .png");
/// ```
pub struct PictureFile {
    file: String,
    /// Who paints it, if it is a PNG.
    painter: Option<Painter>,
}

impl PictureFile {
    /// A file that ends in `.svg` or `.png`.
    pub fn new(file: &str) -> Result<Self, Error> {
        let painter = match extension_of(file).as_str() {
            "svg" => None,
            "png" => {
                let painter = Painter::new();
                painter.check().map_err(|why| {
                    Error::Usage(format!("{file}: {why}, or name a file that ends in .svg"))
                })?;
                Some(painter)
            }
            _ => {
                return Err(Error::Usage(format!(
                    "{file}: a picture is an SVG or a PNG; name a file that ends in .svg or .png"
                )));
            }
        };
        Ok(Self { file: file.to_string(), painter })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.file
    }

    /// Writes a picture, all of it or nothing.
    pub fn write(&self, svg: &str) -> Result<(), Error> {
        let Some(painter) = &self.painter else { return write_text(&self.file, svg) };
        let painted = painter.paint(svg);
        let painted = painted.map_err(|why| Error::Failed(format!("{}: {why}", self.file)))?;
        Ok(atomic::write(Path::new(&self.file), &painted)?)
    }
}
