//! The mark that a backup carries: a small file that says when it was made and where its journal ended.
//!
//! A folder with this mark may be older than the hall that it was made from, so it signs no checkpoints under the name
//! of that hall's log before the operator accepts it in its place (decision 8.3).

use hall_wire::Timestamp;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Name of the mark in the data folder.
const FILE: &str = "backup.mark";

/// Marks a folder as a backup.
pub(crate) fn write(folder: &Path, seq: u64, at: Timestamp) -> std::io::Result<()> {
    let mut file = File::create_new(folder.join(FILE))?;
    writeln!(file, "made {at} with {seq} journal records")?;
    file.sync_all()?;
    File::open(folder)?.sync_all()
}

/// Copies the mark to another folder; there may be none.
pub(crate) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let Some(text) = read(from)? else { return Ok(()) };
    let mut file = File::create_new(to.join(FILE))?;
    writeln!(file, "{text}")?;
    file.sync_all()
}

/// Takes the mark away; there may be none.
pub(crate) fn remove(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(folder.join(FILE)) {
        Ok(()) => File::open(folder)?.sync_all(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// The contents of the mark; `None` for a folder that is not a backup.
pub(crate) fn read(folder: &Path) -> std::io::Result<Option<String>> {
    match std::fs::read_to_string(folder.join(FILE)) {
        Ok(text) => Ok(Some(text.trim_end().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
