//! Why a journal could not be opened, read or copied, by what an operator can do about it.

use crate::keys::KeysError;
use crate::new_folder::NewFolderError;
use hall_journal::{BackupError, JournalError};
use hall_tools::secret_file::SecretFileError;
use std::fmt;

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
