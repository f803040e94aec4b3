//! The file of the head mark.

use crate::folder::files;
use crate::mark::JournalPosition;
use crate::mark::marks::Marks;
use crate::mark::ring::HALF_BYTES;
use crate::mark::slot;
use crate::store::SlotFile;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// The open file.
#[derive(Debug)]
pub struct MarkFile(File);

/// Creates the file as a whole or not at all, with the same position at the beginning of both halves.
///
/// Every byte is written once: a sync then never has to record new extents, only data.
pub(crate) fn create(folder: &Path, name: &str, at: &JournalPosition) -> io::Result<()> {
    let mut half = Vec::new();
    slot::encode(&mut half, &at.head, at, None);
    slot::seal(&mut half);
    half.resize(HALF_BYTES, 0);
    files::write_whole(folder, name, &[&half, &half])
}

/// Reads what it holds.
pub(crate) fn read(path: &Path) -> io::Result<Marks> {
    let bytes = std::fs::read(path)?;
    let mut halves = bytes.chunks(HALF_BYTES);
    let mut half = || halves.next().unwrap_or_default();
    Ok(Marks::of([half(), half()]))
}

impl MarkFile {
    /// Opens the file for writing slots into it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        OpenOptions::new().write(true).open(path).map(Self)
    }
}

impl SlotFile for MarkFile {
    fn write(&mut self, at: u64, pages: &[u8]) -> io::Result<()> {
        self.0.write_all_at(pages, at)?;
        self.0.sync_data()
    }
}
