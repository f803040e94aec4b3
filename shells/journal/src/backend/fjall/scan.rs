//! A read-only check of fjall's log files before fjall opens them.
//!
//! Opening cuts a file at the first entry that cannot be decoded. After a crash that is right for the end of the
//! newest file, where batches that were not yet synced may be torn or missing (the head mark completes them); anywhere
//! else it would silently throw away acknowledged batches. So: older files must be whole to their end, batches must follow each other without a gap and
//! with rising sequence numbers (no checksum covers those, and a batch that seems old already is passed over
//! silently), and only the newest file may end in something unreadable, whose place is reported so that it can be cut
//! there.
//!
//! The format is that of fjall 3: a start (1, number of items, sequence number), items (2, kind, compression,
//! keyspace, lengths of key, value and stored value, key, stored value), an end (3, xxh3 over the items, trailer);
//! numbers are little-endian. Files are preallocated with zeros.

use crate::backend::fjall::db::{POSITION_KEY, read_position};
use crate::batch::MAX_BATCH_BYTES;
use crate::error::OpenError;
use crate::mark::JournalPosition;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

const TRAILER: &[u8; 4] = b"FJL\x03";
const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;

/// The result of a scan of all log files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    /// Where the last whole batch ends; `None` if the files hold none.
    pub(crate) last: Option<JournalPosition>,
    /// Where the newest file ends.
    pub(crate) newest: Option<LogEnd>,
}

/// Where a log file ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LogEnd {
    pub(crate) path: PathBuf,
    /// Where its last whole batch ends, in bytes.
    pub(crate) valid_end: u64,
    /// Whether something unreadable follows.
    pub(crate) is_torn: bool,
}

/// Scans all log files in the store's folder.
///
/// # Errors
/// If one is damaged where no crash can have damaged it, or cannot be read.
pub(crate) fn scan(folder: &Path) -> Result<Scan, OpenError> {
    let files = log_files(folder)?;
    if files.is_empty() {
        // fjall would begin a new one and number batches anew, so that what tables hold would count as newer.
        return Err(damaged(folder, "it has no log file".to_owned()));
    }
    let mut found = Scan::default();
    let mut walk = Walk::default();
    let mut previous: Option<u64> = None;
    for (index, (id, path)) in files.iter().enumerate() {
        if let Some(previous) = previous.filter(|previous| previous.saturating_add(1) != *id) {
            return Err(damaged(
                path,
                format!("it follows file {previous}, so a file between them is missing"),
            ));
        }
        previous = Some(*id);
        let valid_end = scan_file(path, &mut walk)?;
        let is_torn = !rest_is_zero(path, valid_end).map_err(OpenError::io("reading the log", path))?;
        if is_torn && index.saturating_add(1) < files.len() {
            return Err(damaged(path, format!("it cannot be read from byte {valid_end} on")));
        }
        found.newest = Some(LogEnd { path: path.clone(), valid_end, is_torn });
    }
    found.last = walk.last;
    Ok(found)
}

/// Cuts the unreadable end off, after copying it to a file in `aside`. Returns the path of the copy.
pub(crate) fn cut(torn: &LogEnd, aside: &Path) -> io::Result<PathBuf> {
    crate::folder::files::create_folder(aside)?;
    let name = torn.path.file_name().unwrap_or_default().to_string_lossy();
    let copy = aside.join(format!("{name}.from-byte-{}", torn.valid_end));
    let mut file = File::options().read(true).write(true).open(&torn.path)?;
    file.seek(SeekFrom::Start(torn.valid_end))?;
    let mut kept = crate::folder::files::create_file(&copy)?;
    io::copy(&mut file, &mut kept)?;
    kept.sync_all()?;
    crate::folder::files::sync_folder(aside)?;
    file.set_len(torn.valid_end)?;
    file.sync_all()?;
    Ok(copy)
}

/// Writes the whole batches of a file once more, where they are: what the machine shows of them may be only in its cache, and
/// a sync that failed may have left it there for good.
pub(crate) fn write_again(log: &LogEnd) -> io::Result<()> {
    let file = File::options().read(true).write(true).open(&log.path)?;
    let mut chunk = vec![0; 1 << 20];
    let mut at = 0;
    while at < log.valid_end {
        let left = usize::try_from(log.valid_end.saturating_sub(at)).unwrap_or(usize::MAX);
        let part = chunk.get_mut(..left.min(1 << 20)).unwrap_or_default();
        file.read_exact_at(part, at)?;
        file.write_all_at(part, at)?;
        at = at.saturating_add(u64::try_from(part.len()).unwrap_or(u64::MAX));
    }
    Ok(())
}

fn damaged(path: &Path, what: String) -> OpenError {
    OpenError::StoreDamaged { path: path.to_path_buf(), what }
}

/// The log files with their numbers, oldest first.
pub(crate) fn log_files(folder: &Path) -> Result<Vec<(u64, PathBuf)>, OpenError> {
    let doing = "listing the store's folder";
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(OpenError::io(doing, folder))? {
        let path = entry.map_err(OpenError::io(doing, folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(number) = name.strip_suffix(".jnl") else { continue };
        match number.parse() {
            Ok(id) => files.push((id, path)),
            Err(_) => return Err(damaged(&path, "its name is no number".to_owned())),
        }
    }
    files.sort();
    Ok(files)
}

/// The progress of the scan through the batches of all files.
#[derive(Default)]
struct Walk {
    last: Option<JournalPosition>,
    last_sequence: Option<u64>,
}

impl Walk {
    /// Steps to the next batch, or says why it cannot follow.
    fn step(&mut self, batch: &WholeBatch) -> Result<(), String> {
        let least = batch.position.map_or(0, |(_, least)| least);
        if batch.sequence < least || self.last_sequence.is_some_and(|last| batch.sequence <= last) {
            return Err(format!("the sequence number {} of a batch is out of order", batch.sequence));
        }
        self.last_sequence = Some(batch.sequence);
        let Some((position, _)) = batch.position else { return Ok(()) };
        if let Some(before) = self.last.filter(|before| before.batch.saturating_add(1) != position.batch) {
            return Err(format!("batch {} follows batch {}", position.batch, before.batch));
        }
        self.last = Some(position);
        Ok(())
    }
}

/// Reads the whole batches of a file; returns where the last one ends.
fn scan_file(path: &Path, walk: &mut Walk) -> Result<u64, OpenError> {
    let file = File::open(path).map_err(OpenError::io("opening the log", path))?;
    let mut log = LogFile { input: BufReader::with_capacity(1 << 20, file), at: 0 };
    let mut valid_end = 0;
    let mut buffer = Vec::new();
    while let Some(batch) = log.batch(&mut buffer).map_err(OpenError::io("reading the log", path))? {
        walk.step(&batch).map_err(|what| damaged(path, format!("{what} behind byte {valid_end}")))?;
        valid_end = log.at;
    }
    Ok(valid_end)
}

fn rest_is_zero(path: &Path, from: u64) -> io::Result<bool> {
    static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut chunk = vec![0; ZEROS.len()];
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            return Ok(true);
        }
        // Comparing slices of equal length is fast even in unoptimised builds.
        if chunk.get(..read) != ZEROS.get(..read) {
            return Ok(false);
        }
    }
}

/// What is known of a whole batch.
struct WholeBatch {
    /// The store's number for it, which orders changes of one key.
    sequence: u64,
    /// The position that it carries, and the least that its sequence number can be.
    position: Option<(JournalPosition, u64)>,
}

struct LogFile {
    input: BufReader<File>,
    at: u64,
}

impl LogFile {
    /// The next batch, or `None` if there is no whole one.
    fn batch(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<WholeBatch>> {
        match self.batch_or_end(buffer) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            other => other,
        }
    }

    fn batch_or_end(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<WholeBatch>> {
        let mut start = [0; 13];
        self.fill(&mut start)?;
        let [START, a, b, c, d, sequence @ ..] = start else { return Ok(None) };
        let mut hash = Xxh3::new();
        let mut position = None;
        for _ in 0..u32::from_le_bytes([a, b, c, d]) {
            let Some(key_len) = self.item(buffer)? else { return Ok(None) };
            hash.update(buffer);
            let (key, value) =
                buffer.get(ITEM_HEADER..).unwrap_or_default().split_at_checked(key_len).unwrap_or_default();
            if key == POSITION_KEY {
                position = read_position(value);
            }
        }
        let mut end = [0; 13];
        self.fill(&mut end)?;
        let [END, sum @ .., t0, t1, t2, t3] = end else { return Ok(None) };
        let whole = u64::from_le_bytes(sum) == hash.digest() && [t0, t1, t2, t3] == *TRAILER;
        Ok(whole.then_some(WholeBatch { sequence: u64::from_le_bytes(sequence), position }))
    }

    /// Reads one item into the buffer; returns the length of its key, or `None` if it is not an item.
    fn item(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<usize>> {
        let mut header = [0; ITEM_HEADER];
        self.fill(&mut header)?;
        let [ITEM, kind, compression, _, _, _, _, _, _, _, _, k0, k1, v0, v1, v2, v3, s0, s1, s2, s3] =
            header
        else {
            return Ok(None);
        };
        let key_len = usize::from(u16::from_le_bytes([k0, k1]));
        let value_len = u32::from_le_bytes([v0, v1, v2, v3]);
        let stored_len = u32::from_le_bytes([s0, s1, s2, s3]);
        // Only plain and removed values are ever written, and none larger than a batch (with its own check).
        let stored = usize::try_from(stored_len).unwrap_or(usize::MAX);
        if kind > 1
            || compression != 0
            || value_len != stored_len
            || stored > MAX_BATCH_BYTES.saturating_add(64)
        {
            return Ok(None);
        }
        buffer.clear();
        buffer.extend_from_slice(&header);
        buffer.resize(ITEM_HEADER.saturating_add(key_len).saturating_add(stored), 0);
        let body = buffer.get_mut(ITEM_HEADER..).unwrap_or_default();
        self.input.read_exact(body)?;
        self.at = self.at.saturating_add(u64::try_from(body.len()).unwrap_or(u64::MAX));
        Ok(Some(key_len))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.input.read_exact(bytes)?;
        self.at = self.at.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(())
    }
}

/// Bytes of an item before its key.
const ITEM_HEADER: usize = 21;

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn writing_a_log_again_writes_all_its_batches_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.jnl");
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| n.to_le_bytes()[0] ^ 5).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        write_again(&LogEnd { path: path.clone(), valid_end: 2_500_000, is_torn: false }).unwrap();
        assert!(file.metadata().unwrap().modified().unwrap() > SystemTime::UNIX_EPOCH);
        assert!(std::fs::read(&path).unwrap() == bytes);
    }
}
