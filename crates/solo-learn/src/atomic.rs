//! Files that are either there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use thiserror::Error;

/// A file or folder that could not be written or read.
#[derive(Debug, Error)]
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
            "; the disk is full: free some space, then go on with --resume"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose another folder with --out, or allow writing to this one"
        }
        _ => "",
    };
    FileError { path: path.display().to_string(), what: format!("cannot {doing}: {error}{remedy}") }
}

/// Makes `path` a file with these contents. Whenever the machine stops, either the old or the new file is there, whole;
/// after an error it is the old one.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    let fresh = path.with_file_name(name);
    let written = write_through(&fresh, contents).and_then(|()| fs::rename(&fresh, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&fresh); // there may be none
        let kept = if path.exists() { " (the last one is still there)" } else { "" };
        let mut failure = failed(path, "write", &error);
        failure.what += kept;
        failure
    })?;
    // The new name lasts only once its folder is on the disk; where folders cannot be synchronised, they need not be.
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn write_through(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(contents)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        write(&path, b"old").unwrap();
        // Something that cannot be overwritten stands where the new file would be written.
        fs::create_dir(folder.path().join("weights.new")).unwrap();
        let error = write(&path, b"new").unwrap_err().to_string();
        assert!(
            error.contains("weights: cannot write") && error.contains("still there"),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        fs::remove_dir(folder.path().join("weights.new")).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_called_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        write(&path, b"old").unwrap();
        // The new file is written to the device that is always full.
        std::os::unix::fs::symlink("/dev/full", folder.path().join("weights.new")).unwrap();
        let error = write(&path, b"new").unwrap_err().to_string();
        assert!(error.contains("disk is full") && error.contains("still there"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing half written is left");
    }
}
