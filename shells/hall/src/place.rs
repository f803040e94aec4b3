//! Where a journal is, as the command line names it: `fjall:FOLDER` or `postgres:CONNECTION STRING`.

use crate::keys::KeysError;
use crate::new_folder::NewFolderError;
use crate::settings::{Storage, StorageEngine};
use hall_journal::{BackupError, JournalError};
use hall_tools::secret_file::SecretFileError;
use std::fmt;
use std::path::PathBuf;

/// Where a journal is. [`fmt::Display`] shows nothing that is secret.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In a data folder.
    Folder(PathBuf),
    /// In a database.
    Database(Box<hall_postgres::Settings>),
}

impl Place {
    /// Where the settings have it.
    pub(crate) fn of(storage: &Storage) -> Self {
        match &storage.engine {
            StorageEngine::Fjall => Self::Folder(storage.path.clone()),
            StorageEngine::Postgres(database) => Self::Database(database.clone()),
        }
    }

    /// Reads `fjall:FOLDER` or `postgres:CONNECTION STRING`, and the URL of a database as it is. `None` for a text that
    /// names no engine.
    ///
    /// # Errors
    /// What is wrong with it; nothing of a connection string is repeated.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, String>> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Some(Self::database(text));
        }
        match text.split_once(':') {
            Some(("fjall", "")) => Some(Err("fjall: needs the name of a folder behind it".to_owned())),
            Some(("fjall", folder)) => Some(Ok(Self::Folder(folder.into()))),
            Some(("postgres", connection)) => Some(Self::database(connection)),
            Some(_) | None => None,
        }
    }

    fn database(connection: &str) -> Result<Self, String> {
        let settings = hall_postgres::Settings::parse(connection).map_err(|error| error.to_string())?;
        Ok(Self::Database(Box::new(settings)))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(out, "{}", path.display()),
            Self::Database(settings) => write!(out, "{settings}"),
        }
    }
}

/// What is wrong with a journal that was not opened or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// What is stored is not what was written.
    Damaged,
    /// There is one, and it may not be used, now or by this program.
    Refused,
    /// It is not there or cannot be read.
    Unreadable,
}

impl From<&hall_journal::OpenError> for Fault {
    fn from(error: &hall_journal::OpenError) -> Self {
        use hall_journal::OpenError as E;
        match error {
            E::InUse { .. } => Self::Refused,
            E::NoJournal { .. } | E::Io { .. } => Self::Unreadable,
            E::PartMissing { .. }
            | E::MarkUnreadable { .. }
            | E::Behind { .. }
            | E::Ahead { .. }
            | E::Diverged { .. }
            | E::StoreDamaged { .. }
            | E::Unreadable { .. } => Self::Damaged,
        }
    }
}

impl From<&hall_postgres::OpenError> for Fault {
    fn from(error: &hall_postgres::OpenError) -> Self {
        use hall_postgres::OpenError as E;
        match error {
            E::Unsafe { .. }
            | E::Standby { .. }
            | E::TooOld { .. }
            | E::NewerSchema { .. }
            | E::ForeignSchema { .. }
            | E::Occupied { .. }
            | E::Held { .. } => Self::Refused,
            E::Journal { source, .. } => Self::from(source),
            E::ConnectionString
            | E::SchemaName { .. }
            | E::Tls { .. }
            | E::Unreachable { .. }
            | E::NoJournal { .. }
            | E::Database { .. }
            | E::Thread(_) => Self::Unreadable,
        }
    }
}

impl From<&JournalError> for Fault {
    fn from(error: &JournalError) -> Self {
        match error {
            JournalError::Damaged(_) | JournalError::SnapshotForeign { .. } => Self::Damaged,
            JournalError::Fenced => Self::Refused,
            JournalError::Poisoned
            | JournalError::UnknownOutcome { .. }
            | JournalError::BatchTooLarge { .. }
            | JournalError::KeyTooLong { .. }
            | JournalError::Io { .. }
            | JournalError::Store { .. }
            | JournalError::Unreachable { .. } => Self::Unreadable,
        }
    }
}

impl From<&BackupError> for Fault {
    fn from(error: &BackupError) -> Self {
        match error {
            BackupError::TargetNotEmpty { .. } => Self::Refused,
            BackupError::Journal(error) => Self::from(error),
        }
    }
}

impl From<&NewFolderError> for Fault {
    fn from(error: &NewFolderError) -> Self {
        match error {
            NewFolderError::Taken(_) | NewFolderError::Unfinished(_) => Self::Refused,
            NewFolderError::Nameless(_) | NewFolderError::Io { .. } => Self::Unreadable,
        }
    }
}

impl From<&KeysError> for Fault {
    fn from(error: &KeysError) -> Self {
        match error {
            KeysError::File(SecretFileError::Io { .. } | SecretFileError::Randomness(_)) => Self::Unreadable,
            KeysError::File(SecretFileError::Exposed { .. } | SecretFileError::Malformed { .. })
            | KeysError::Missing { .. }
            | KeysError::Incomplete { .. }
            | KeysError::OtherHall { .. }
            | KeysError::OtherOrigin { .. } => Self::Refused,
        }
    }
}

/// Why something was not done with a journal, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) fault: Fault,
    pub(crate) text: String,
}

impl Problem {
    /// It is refused.
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self { fault: Fault::Refused, text: text.into() }
    }

    /// Something cannot be read or written.
    pub(crate) fn unreadable(why: impl fmt::Display) -> Self {
        Self { fault: Fault::Unreadable, text: why.to_string() }
    }
}

impl<E: fmt::Display> From<E> for Problem
where
    Fault: for<'a> From<&'a E>,
{
    fn from(error: E) -> Self {
        Self { fault: Fault::from(&error), text: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_an_engine_and_where_it_has_its_journal() {
        let shown = |text| Place::parse(text).map(|place| place.map(|place| place.to_string()));
        let database = "database games, schema hall at db.example:5432";
        for (text, place) in [
            ("fjall:/var/lib/hall", Some("/var/lib/hall")),
            ("fjall:a:b", Some("a:b")),
            ("postgres:host=db.example dbname=games user=hall", Some(database)),
            ("postgres:postgres://hall:hunter2@db.example/games", Some(database)),
            ("postgres://hall:hunter2@db.example/games", Some(database)),
            ("/var/lib/hall", None),
            ("postgres", None),
            ("mysql:x", None),
        ] {
            assert_eq!(shown(text), place.map(|place| Ok(place.to_owned())), "{text}");
        }
        for wrong in ["fjall:", "postgres:", "postgres:dbname=hunter2", "postgres://hall:hunter2@/games"] {
            let error = Place::parse(wrong).unwrap().unwrap_err();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
