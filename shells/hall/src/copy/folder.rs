//! A copy in a data folder.

use super::check::{Checked, check};
use super::keys::MovingKeys;
use super::original::Original;
use crate::backup_mark;
use crate::fault::Problem;
use crate::journal_location::JournalLocation;
use crate::keys::{self, KeyFiles};
use crate::new_folder;
use crate::storage::every_table;
use crate::witnesses::KeptCosignatures;
use hall_journal::{Copied, FjallJournal, Journal as _, Options, write_folder};
use std::io::Error;
use std::path::Path;

/// Writes the copy to `to`.
///
/// # Errors
/// `to` is not empty, something is damaged, or writing fails. Then `to` is as it was.
pub(super) fn write(
    original: &Original,
    from: &JournalLocation,
    to: &Path,
    keys: &MovingKeys,
) -> Result<(Copied, Checked), Problem> {
    new_folder::write(to, |folder| {
        let done = fill(original, from, folder, keys)?;
        original.check()?;
        Ok(done)
    })
}

/// Writes everything. The keys come last: without them, nothing starts there.
fn fill(
    original: &Original,
    from: &JournalLocation,
    folder: &Path,
    keys: &MovingKeys,
) -> Result<(Copied, Checked), Problem> {
    let named = |error: Error| Problem::unreadable(format!("{}: {error}", folder.display()));
    let copied = write_folder(folder, original.reader(), &every_table())?;
    let journal = FjallJournal::open_existing(folder, &Options::default())?;
    let checked = check(&*journal.reader(), &copied)?;
    Box::new(journal).close()?;
    if let JournalLocation::Folder(data) = from {
        KeptCosignatures::of(data).copy(folder).map_err(named)?;
        backup_mark::copy(data, folder).map_err(named)?;
    }
    if let Some(files) = &keys.files {
        keys::copy(files, &KeyFiles::in_data(folder))?;
    }
    Ok((copied, checked))
}
