//! The file of the head mark: two slots at fixed places, written in turn.

use crate::folder::files;
use crate::mark::JournalPosition;
use crate::mark::marks::Marks;
use crate::mark::slot::{self, SLOT_BYTES};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Creates the file as a whole or not at all, with the same position in both slots.
///
/// Every byte is written once: a sync then never has to record new extents, only data.
pub(crate) fn create(folder: &Path, name: &str, at: &JournalPosition) -> io::Result<()> {
    let mut slot = Vec::new();
    slot::encode(&mut slot, &at.head, at, None);
    slot::seal(&mut slot);
    slot.resize(SLOT_BYTES, 0);
    files::write_whole(folder, name, &[&slot, &slot])
}

/// Reads both slots.
pub(crate) fn read(path: &Path) -> io::Result<Marks> {
    let bytes = std::fs::read(path)?;
    let mut parts = bytes.chunks(SLOT_BYTES);
    Ok(Marks::of([parts.next().and_then(slot::decode), parts.next().and_then(slot::decode)]))
}

/// Opens the file for writing slots into it.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// Writes a sealed slot to a place and syncs it.
pub(crate) fn write(file: &File, place: usize, sealed: &[u8]) -> io::Result<()> {
    let at = SLOT_BYTES.saturating_mul(place);
    file.write_all_at(sealed, u64::try_from(at).unwrap_or(u64::MAX))?;
    file.sync_data()
}
