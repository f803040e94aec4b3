//! The journal in the data folder, and what writes backups of a journal of either engine.

use crate::settings::Storage;
use crate::start_failure::StartFailure;
use hall_driver::tables;
use hall_journal::{
    BackupError, Backups, DataLock, FjallJournal, Head, Journal, Options, Table, write_folder,
};
use hall_postgres::Database;
use std::path::Path;

/// A journal that is open for writing.
pub(crate) struct OpenedJournal {
    /// The journal.
    pub(crate) journal: Box<dyn Journal>,
    /// Writes backups of it.
    pub(crate) backups: Box<dyn BackupSource>,
}

/// Opens the journal in the data folder whose lock this is.
///
/// # Errors
/// The journal is not there as it was acknowledged, or cannot be used.
pub(crate) fn open_folder(storage: &Storage, lock: DataLock) -> Result<OpenedJournal, StartFailure> {
    let options = Options { cache_bytes: storage.cache_bytes, ..Options::default() };
    let journal = FjallJournal::open_locked(lock, &options)?;
    let backups = Box::new(journal.backups());
    Ok(OpenedJournal { journal: Box::new(journal), backups })
}

/// Why a backup of the journal was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BackupFailure {
    /// The folder cannot be written, or something to be copied is damaged.
    #[error(transparent)]
    Folder(#[from] BackupError),
    /// The database does not give a durable point.
    #[error(transparent)]
    Database(#[from] hall_postgres::OpenError),
}

/// A journal of which backups are written while the hall runs.
pub(crate) trait BackupSource: Send + Sync {
    /// Writes a data folder with everything that the journal holds at one durable point, and nothing else in it. `to` must
    /// be absent or empty.
    ///
    /// # Errors
    /// The backup cannot be written. What was written of it is refused when it is started.
    fn write(&self, to: &Path) -> Result<Head, BackupFailure>;
}

impl BackupSource for Backups {
    fn write(&self, to: &Path) -> Result<Head, BackupFailure> {
        Ok(Self::write(self, to)?)
    }
}

impl BackupSource for Database {
    fn write(&self, to: &Path) -> Result<Head, BackupFailure> {
        let reader = self.durable_reader()?;
        Ok(write_folder(to, &*reader, &every_table())?.head)
    }
}

/// Every table that a journal can have, also those of a version that is not this one.
pub(crate) fn every_table() -> Vec<Table> {
    let named = |table: Table| tables::ALL.iter().copied().find(|known| *known == table).unwrap_or(table);
    (0..=u8::MAX).filter_map(Table::of_tag).map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_there_once_and_those_that_are_known_have_their_names() {
        let all = every_table();
        assert_eq!(all.len(), 254);
        assert!(all.is_sorted_by(|one, next| one < next));
        for table in tables::ALL {
            assert!(all.iter().any(|listed| listed.name() == table.name()), "{table}");
        }
    }
}
