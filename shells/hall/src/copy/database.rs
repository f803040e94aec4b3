//! A copy in a database, in one transaction.

use super::check::{Checked, check};
use super::keys::MovingKeys;
use super::original::Original;
use crate::backup_mark;
use crate::fault::Problem;
use crate::journal_location::JournalLocation;
use crate::storage::every_table;
use hall_journal::Copied;
use hall_postgres::{Import, Settings};

/// Writes the copy.
///
/// # Errors
/// The database holds a hall already or is unfit, something is damaged, or writing fails. Unless it was the commit that
/// was not confirmed, the database is as it was.
pub(super) fn write(
    original: &Original,
    from: &JournalLocation,
    settings: &Settings,
    keys: &MovingKeys,
) -> Result<(Copied, Checked), Problem> {
    refuse_backup(from)?;
    let mut import = Import::begin(settings)?;
    let copied = import.copy_from(original.reader(), &every_table())?;
    let checked = check(import.reader(), &copied)?;
    keys.hand_over()?;
    original.check()?;
    import.commit()?;
    Ok((copied, checked))
}

/// Refuses a folder that is a backup which nobody has accepted in the place of its hall.
///
/// Decision: the mark of a backup is a file in the data folder, and a database has no place for it. So the restore is
/// accepted before the hall moves.
fn refuse_backup(from: &JournalLocation) -> Result<(), Problem> {
    let JournalLocation::Folder(data) = from else { return Ok(()) };
    match backup_mark::read(data) {
        Ok(None) => Ok(()),
        Ok(Some(made)) => Err(Problem::refused(format!(
            "{} is a backup, {made}. Start it there, accept it with `hall admin accept-restore`, stop it, and copy it then",
            data.display()
        ))),
        Err(error) => Err(Problem::unreadable(format!("the backup mark in {}: {error}", data.display()))),
    }
}
