//! The exclusive lock on a data folder: two halls writing to one journal would corrupt it.

use crate::error::OpenError;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Name of the lock file in the data folder.
pub const LOCK_FILE: &str = "lock";

/// Holds a data folder for this process until it is dropped. The operating system releases it when the process ends,
/// however it ends, so a lock is never left behind.
#[derive(Debug)]
pub struct DataLock {
    folder: PathBuf,
    /// The lock is on the open file, not on the name: the file itself stays for good.
    _file: File,
}

impl DataLock {
    /// Creates the folder (mode 0700) if it is absent, and takes its lock.
    ///
    /// # Errors
    /// [`OpenError::InUse`] with the holder's process number if another process holds it, or this one already does.
    pub fn acquire(folder: &Path) -> Result<Self, OpenError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(OpenError::io("creating the data folder", folder))?;
        let path = folder.join(LOCK_FILE);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(OpenError::io("opening the lock file", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(OpenError::InUse { path: folder.to_path_buf(), pid: holder(&mut file) });
            }
            Err(TryLockError::Error(source)) => {
                return Err(OpenError::Io { doing: "locking the data folder", path, source });
            }
        }
        write_pid(&mut file).map_err(OpenError::io("writing the lock file", &path))?;
        Ok(Self { folder: folder.to_path_buf(), _file: file })
    }

    /// The folder that is held.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

fn write_pid(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    writeln!(file, "{}", std::process::id())
}

/// The process number in the lock file. It is used only in messages, so anything unreadable counts as unknown.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.take(32).read_to_string(&mut text) {
        Ok(_) if text.trim().parse::<u32>().is_ok() => text.trim().to_owned(),
        Ok(_) | Err(_) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_opener_is_refused_and_learns_who_holds_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("deep/data");
        let held = DataLock::acquire(&data).unwrap();
        let refused = DataLock::acquire(&data).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        assert!(refused.contains(&data.display().to_string()), "{refused}");
        drop(held);
        assert!(DataLock::acquire(&data).is_ok());
    }

    #[test]
    fn only_the_owner_can_read_the_folder_and_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let _held = DataLock::acquire(&data).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&data), 0o700);
        assert_eq!(mode(&data.join(LOCK_FILE)), 0o600);
    }
}
