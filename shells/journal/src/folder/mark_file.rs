//! The file of the head mark.

use crate::folder::files;
use crate::mark::JournalPosition;
use crate::mark::marks::Marks;
use crate::mark::ring::{HALF_BYTES, PAGE_BYTES};
use crate::mark::slot;
use crate::store::SlotFile;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// The open file. Where the file system allows it, writes pass by the system's cache: nobody reads them again while the
/// journal is open, and a sync then takes half of the processor time and waits for nothing that others have written there.
#[derive(Debug)]
pub struct MarkFile {
    file: File,
    /// Whether writes pass by the cache.
    is_direct: bool,
    /// Where pages are put for such a write; kept, so that it is allocated once.
    buffer: Vec<u8>,
}

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
        let buffer = Vec::new();
        if let Some(file) = open_directly(path)? {
            return Ok(Self { file, is_direct: true, buffer });
        }
        let file = OpenOptions::new().write(true).open(path)?;
        Ok(Self { file, is_direct: false, buffer })
    }
}

impl SlotFile for MarkFile {
    fn write(&mut self, at: u64, pages: &[u8]) -> io::Result<()> {
        if self.is_direct {
            match self.file.write_all_at(aligned(&mut self.buffer, pages), at) {
                // Blocks that are larger than a page, or a file system that changed its mind: nothing was written.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                    write_through_the_cache(&self.file)?;
                    self.is_direct = false;
                }
                written => return written.and_then(|()| self.file.sync_data()),
            }
        }
        self.file.write_all_at(pages, at)?;
        self.file.sync_data()
    }
}

/// Opens a file for writes that pass by the cache; `None` if the file system takes none.
#[cfg(target_os = "linux")]
fn open_directly(path: &Path) -> io::Result<Option<File>> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let direct = rustix::fs::OFlags::DIRECT.bits().cast_signed();
    match OpenOptions::new().write(true).custom_flags(direct).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_directly(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// From now on writes to the file go through the cache.
#[cfg(target_os = "linux")]
fn write_through_the_cache(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fcntl_setfl(file, rustix::fs::OFlags::empty())?)
}

#[cfg(not(target_os = "linux"))]
fn write_through_the_cache(_: &File) -> io::Result<()> {
    Ok(())
}

/// A copy that begins where a page of memory does.
fn aligned<'b>(buffer: &'b mut Vec<u8>, pages: &[u8]) -> &'b [u8] {
    let room = pages.len().saturating_add(PAGE_BYTES);
    if buffer.len() < room {
        buffer.resize(room, 0);
    }
    let start = buffer.as_ptr().align_offset(PAGE_BYTES);
    let (_, from_page) = buffer.split_at_mut(start);
    let (place, _) = from_page.split_at_mut(pages.len());
    place.copy_from_slice(pages);
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u64 = 4096;

    /// Writes to a file of three pages what is given, and checks what is there then.
    fn check(file: &mut MarkFile, path: &Path, at: u64, written: &[u8]) {
        file.write(at, written).unwrap();
        let start = usize::try_from(at).unwrap();
        assert_eq!(std::fs::read(path).unwrap()[start..start + written.len()], *written);
        assert_eq!(path.metadata().unwrap().len(), 3 * AT);
    }

    #[test]
    fn pages_are_written_wherever_they_lie_in_memory_and_what_is_no_page_goes_through_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("head.mark");
        std::fs::write(&path, [0; 3 * PAGE_BYTES]).unwrap();
        let mut file = MarkFile::open(&path).unwrap();
        let bytes: Vec<u8> = (0..3 * PAGE_BYTES).map(|place| u8::try_from(place % 251).unwrap()).collect();
        for start in [0, 1, 8, 511, 4095] {
            check(&mut file, &path, AT, &bytes[start..start + PAGE_BYTES]);
            check(&mut file, &path, AT, &bytes[start..start + 2 * PAGE_BYTES]);
        }
        // Most file systems refuse this past the cache.
        check(&mut file, &path, AT + 5, &bytes[..10]);
        check(&mut file, &path, AT, &bytes[..PAGE_BYTES]);
    }
}
