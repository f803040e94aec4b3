//! Where the files of a hall's keys are.

use super::{FOLDER, KeysError, LOG_KEY, OPERATOR_KEY, ORIGIN_FILE, RETIRED, RING_KEY};
use hall_core::KeyPurpose;
use hall_tools::secret_file::{self, SecretFileError};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The files of one hall's keys, and of the name of its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyFiles {
    /// The folder of the secrets.
    folder: PathBuf,
    /// The file with the name of the log.
    origin: PathBuf,
    /// Whether they are in the data folder of one machine.
    are_with_data: bool,
}

impl KeyFiles {
    /// Those in a data folder: the secrets in `keys/`, the name of the log beside it.
    pub(crate) fn in_data(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), origin: data.join(ORIGIN_FILE), are_with_data: true }
    }

    /// Those in a folder of their own (`keys.path`), which several machines have.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), origin: folder.join(ORIGIN_FILE), are_with_data: false }
    }

    /// Those that the settings name: `configured`, or the ones in the data folder.
    pub(crate) fn of(configured: Option<&Path>, data: &Path) -> Self {
        configured.map_or_else(|| Self::in_data(data), Self::in_folder)
    }

    /// The folder of the secrets.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file with the name of the log.
    pub(crate) fn origin(&self) -> &Path {
        &self.origin
    }

    /// The file of a key that the hall publishes.
    pub(super) fn published(&self, purpose: KeyPurpose) -> PathBuf {
        self.folder.join(name_of(purpose))
    }

    /// The file of the key that is to follow.
    pub(super) fn next(&self, purpose: KeyPurpose) -> PathBuf {
        self.folder.join(format!("{}.next", name_of(purpose)))
    }

    /// The file of the operators' secret.
    pub(super) fn operator(&self) -> PathBuf {
        self.folder.join(OPERATOR_KEY)
    }

    /// The folder of the log keys that were in force before.
    pub(super) fn retired(&self) -> PathBuf {
        self.folder.join(RETIRED)
    }

    /// Keeps other processes on this machine from making keys in the folder, until the value is dropped.
    ///
    /// # Errors
    /// The folder cannot be made or locked.
    pub(crate) fn lock(&self) -> Result<File, KeysError> {
        secret_file::create_folder(&self.folder)?;
        let locked = File::open(&self.folder).and_then(|folder| folder.lock().map(|()| folder));
        Ok(locked.map_err(|error| SecretFileError::Io { path: self.folder.clone(), error })?)
    }

    /// Whether there is none of them.
    ///
    /// # Errors
    /// The operating system refuses to look.
    pub(crate) fn are_absent(&self) -> Result<bool, KeysError> {
        for path in [
            self.published(KeyPurpose::Log),
            self.published(KeyPurpose::Ring),
            self.operator(),
            self.origin.clone(),
        ] {
            let found = path.try_exists().map_err(|error| SecretFileError::Io { path, error })?;
            if found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a hall that has never started may make those that are missing.
    ///
    /// Decision: in a data folder it may complete them, as a first start can break off between two of them. A folder of
    /// its own that holds some was prepared by the operator, and a key made here would be on this machine alone.
    pub(super) fn may_be_made(&self) -> Result<bool, KeysError> {
        Ok(self.are_with_data || self.are_absent()?)
    }
}

const fn name_of(purpose: KeyPurpose) -> &'static str {
    match purpose {
        KeyPurpose::Log => LOG_KEY,
        KeyPurpose::Ring => RING_KEY,
    }
}
