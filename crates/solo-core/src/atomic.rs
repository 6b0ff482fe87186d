//! Files that are either there whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use thiserror::Error;

/// A file or folder that could not be written or read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{path}: {what}")]
pub struct FileError {
    /// Which.
    pub path: String,
    /// What went wrong, and what has become of what was there.
    pub what: String,
}

/// What to say of an error with a file.
pub fn failed(path: &Path, doing: &str, error: &io::Error) -> FileError {
    let remedy = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; the disk is full: free some space, then try again"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose another place, or allow writing to this one"
        }
        _ => "",
    };
    FileError { path: path.display().to_string(), what: format!("cannot {doing}: {error}{remedy}") }
}

/// Makes `path` a file with these contents. Whenever the machine stops, either the old or the new file is there, whole;
/// after an error it is the old one.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    let mut draft = Draft::new(path)?;
    draft.write(contents)?;
    draft.keep()
}

/// A file being written beside its place; it takes its place in [`Draft::keep`], and vanishes otherwise. A device or a
/// pipe is written to directly.
pub struct Draft {
    path: PathBuf,
    out: Out,
}

enum Out {
    /// A file with another name in the folder of the place that it is for.
    Beside(BufWriter<NamedTempFile>, PathBuf),
    Direct(File),
}

impl Draft {
    /// Starts a file that is to be found at `path`.
    pub fn new(path: &Path) -> Result<Self, FileError> {
        // What a link points to is replaced, not the link.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let metadata = fs::metadata(&place);
        if metadata.as_ref().is_ok_and(fs::Metadata::is_dir) {
            let what = "is a folder; give the name of a file".to_string();
            return Err(FileError { path: path.display().to_string(), what });
        }
        if let Some(folder) = missing_folder(&place) {
            let what = format!("the folder {} is not there; make it first", folder.display());
            return Err(FileError { path: path.display().to_string(), what });
        }
        let opened = if metadata.is_ok_and(|metadata| !metadata.is_file()) {
            File::options().write(true).open(&place).map(Out::Direct)
        } else {
            beside(&place).map(|file| Out::Beside(BufWriter::new(file), place))
        };
        let out = opened.map_err(|error| failed(path, "write", &error))?;
        Ok(Self { path: path.to_path_buf(), out })
    }

    /// Appends.
    pub fn write(&mut self, contents: &[u8]) -> Result<(), FileError> {
        let written = match &mut self.out {
            Out::Beside(file, _) => file.write_all(contents),
            Out::Direct(file) => file.write_all(contents),
        };
        written.map_err(|error| not_written(&self.path, &error))
    }

    /// Ends the file and puts it in its place.
    pub fn keep(self) -> Result<(), FileError> {
        let Self { path, out } = self;
        let kept = match out {
            Out::Beside(file, place) => put(file, &place),
            Out::Direct(mut file) => file.flush(),
        };
        kept.map_err(|error| not_written(&path, &error))
    }
}

/// The folder of a place, if it is not there.
fn missing_folder(place: &Path) -> Option<&Path> {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    (!folder.exists()).then_some(folder)
}

/// A file in the same folder, readable by whom new files are.
fn beside(place: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".solo-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666)); // less the umask
    }
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

fn put(file: BufWriter<NamedTempFile>, place: &Path) -> io::Result<()> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(place).map_err(|error| error.error)?;
    // The new name lasts only once its folder is on the disk; where folders cannot be synchronised, they need not be.
    if let Some(Ok(folder)) = place.parent().map(File::open) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn not_written(path: &Path, error: &io::Error) -> FileError {
    let mut failure = failed(path, "write", error);
    failure.what += if path.exists() { " (the last one is still there)" } else { "" };
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        write(&path, b"old").unwrap();
        let mut draft = Draft::new(&path).unwrap();
        draft.write(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(draft);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a draft vanishes");
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let error = write(folder.path(), b"x").unwrap_err().to_string();
        assert!(error.contains("is a folder"), "{error}");
        let error = write(&folder.path().join("no/such"), b"x").unwrap_err().to_string();
        assert!(error.contains("no/such: the folder"), "{error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_called_so() {
        let error = write(Path::new("/dev/full"), b"new").unwrap_err().to_string();
        assert!(error.contains("disk is full"), "{error}");
    }

    #[test]
    #[cfg(unix)]
    fn new_files_are_readable_by_others_and_links_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        write(&path, b"x").unwrap();
        let plain = folder.path().join("plain");
        fs::write(&plain, b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain));
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, b"y").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"y");
    }
}
