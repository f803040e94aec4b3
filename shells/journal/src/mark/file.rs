//! The file of the head mark: two slots at fixed places, written in turn.

use crate::folder::files;
use crate::mark::Position;
use crate::mark::slot::{self, SLOT_BYTES, Slot};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Creates the file as a whole or not at all, with the same position in both slots.
///
/// Every byte is written once: a sync then never has to record new extents, only data.
pub(crate) fn create(folder: &Path, name: &str, at: &Position) -> io::Result<()> {
    let mut slot = Vec::new();
    slot::encode(&mut slot, &at.head, at, None);
    slot::seal(&mut slot);
    slot.resize(SLOT_BYTES, 0);
    files::write_whole(folder, name, &[&slot, &slot])
}

/// What the file says, as far as it can be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Marks {
    /// The readable slots, in the order in which they were written.
    pub ascending: Vec<Slot>,
    /// Which of the two places is to be written next: the one that the newest slot is not in.
    pub next: usize,
}

impl Marks {
    /// What two places say: the slot of each, if it can be read.
    #[must_use]
    pub fn of(places: [Option<Slot>; 2]) -> Self {
        let mut found: Vec<(usize, Slot)> =
            places.into_iter().enumerate().filter_map(|(place, slot)| Some((place, slot?))).collect();
        // At the same batch, the slot without content was written after the batch, when the journal was closed.
        found.sort_by_key(|(_, slot)| (slot.after.batch, slot.batch.is_none()));
        let next = found.last().map_or(0, |(place, _)| other(*place));
        Self { ascending: found.into_iter().map(|(_, slot)| slot).collect(), next }
    }

    /// The newest readable slot.
    #[must_use]
    pub fn newest(&self) -> Option<&Slot> {
        self.ascending.last()
    }
}

/// Reads both slots.
pub(crate) fn read(path: &Path) -> io::Result<Marks> {
    let bytes = std::fs::read(path)?;
    let mut parts = bytes.chunks(SLOT_BYTES);
    Ok(Marks::of([parts.next().and_then(slot::decode), parts.next().and_then(slot::decode)]))
}

/// The other one of the two places.
pub(crate) const fn other(place: usize) -> usize {
    if place == 0 { 1 } else { 0 }
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
