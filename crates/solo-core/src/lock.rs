//! Folders that one process at a time writes to.

use crate::atomic::{FileError, failed};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

/// The file that is locked. It stays in the folder; only whether it is locked means anything.
pub const LOCK: &str = "lock";

/// Keeps others from writing to a folder until it is dropped. The system frees it when the process ends, however it ends.
#[derive(Debug)]
pub struct FolderLock(File);

impl FolderLock {
    /// Locks a folder that is there. Where files cannot be locked, nothing is made sure.
    pub fn take(folder: &Path) -> Result<Self, FileError> {
        let path = folder.join(LOCK);
        let opened =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|error| failed(&path, "write", &error))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let mut holder = String::new();
            // Who it is is only for the message; some systems let nobody read a locked file.
            let _ = file.read_to_string(&mut holder);
            let holder = match holder.trim().parse::<u32>() {
                Ok(id) => format!("process {id}"),
                Err(_) => "another process".to_string(),
            };
            let what =
                format!("{holder} is writing to this folder; wait for its end, or choose another");
            return Err(FileError { path: folder.display().to_string(), what });
        }
        let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Self(file))
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let _ = self.0.set_len(0);
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_folder_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path()).unwrap();
        let error = FolderLock::take(folder.path()).unwrap_err();
        let said = error.to_string();
        let me = format!("process {} is writing to this folder", std::process::id());
        assert!(said.contains(&me) && said.contains("choose another"), "{said}");
        drop(lock);
        let again = FolderLock::take(folder.path()).unwrap();
        drop(again);
        assert_eq!(fs::read(folder.path().join(LOCK)).unwrap(), b"", "nothing of who it was stays");
    }

    #[test]
    fn a_file_that_a_dead_process_left_locks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LOCK), "4242").unwrap();
        FolderLock::take(folder.path()).unwrap();
        let nowhere = folder.path().join("nowhere");
        assert!(FolderLock::take(&nowhere).unwrap_err().to_string().contains("cannot write"));
    }
}
