//! The folder in which a witness keeps what it has cosigned.
//!
//! | file | what it holds |
//! |---|---|
//! | the sha256 of a log's origin | the newest checkpoint of that log that was cosigned: its note with the log's signatures and our line |
//! | `lock` | nothing; held by the witness that runs |
//! | `evidence-N` | two checkpoints signed by a log that cannot both be true |

use crate::atomic_file;
use hall_wire::Digest;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The most pieces of evidence stored. One would be enough, and a log that lies may keep lying.
const MOST_EVIDENCE: u32 = 100;

/// The folder.
#[derive(Clone, Debug)]
pub(super) struct Store {
    folder: PathBuf,
}

impl Store {
    /// Opens the folder, which is made if it is not there.
    pub(super) fn open(folder: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Locks the folder for as long as the file is held: two witnesses on one folder could each cosign a fork.
    pub(super) fn lock(&self) -> std::io::Result<File> {
        let file = File::options().create(true).truncate(false).write(true).open(self.folder.join("lock"))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => std::io::Error::other("another witness runs on this folder"),
            TryLockError::Error(error) => error,
        })?;
        Ok(file)
    }

    /// The path of the newest note of a log.
    pub(super) fn place(&self, origin: &str) -> PathBuf {
        self.folder.join(origin_hash(origin))
    }

    /// The newest note of a log; `None` if none of it was cosigned.
    pub(super) fn note(&self, origin: &str) -> std::io::Result<Option<String>> {
        atomic_file::read_text(&self.place(origin))
    }

    /// Stores a note; when this returns, it is on disk.
    pub(super) fn keep(&self, origin: &str, note: &str) -> std::io::Result<()> {
        atomic_file::replace(&self.place(origin), note.as_bytes())
    }

    /// Stores evidence, unless there is enough of it, and returns its path.
    pub(super) fn evidence(&self, text: &str) -> std::io::Result<Option<PathBuf>> {
        for number in 1..=MOST_EVIDENCE {
            let path = self.folder.join(format!("evidence-{number}"));
            match atomic_file::read_text(&path) {
                Ok(None) => return atomic_file::replace(&path, text.as_bytes()).map(|()| Some(path)),
                // The same contradiction is stored only once.
                Ok(Some(known)) if known == text => return Ok(None),
                Ok(Some(_)) => {}
                Err(error) if error.kind() == ErrorKind::InvalidData => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

/// The name under which the newest checkpoint of a log is asked for: sha256 of its origin in lowercase hex.
pub(super) fn origin_hash(origin: &str) -> String {
    Digest::of(origin.as_bytes()).to_hex()
}
