//! Snapshots of state as files: large, few, each whole or absent.
//!
//! A file holds `magic || seq || chain || tag length || tag || state length || state || sha256 of all before`, the
//! numbers big-endian. Its name is the record number, so that the newest is found without opening any.

use crate::error::{Damage, JournalError, Place};
use crate::folder::files;
use crate::journal::Snapshot;
use sha2::{Digest as _, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const MAGIC: &[u8; 8] = b"HALLSNP1";
const SUFFIX: &str = ".snapshot";
/// How many are kept: the newest, and one in case the newest turns out damaged.
const KEPT: usize = 2;

/// The folder with the snapshots.
#[derive(Debug)]
pub(crate) struct SnapshotFolder {
    path: PathBuf,
    /// One writer at a time; readers need none, as files appear whole.
    writing: Mutex<()>,
}

impl SnapshotFolder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, writing: Mutex::new(()) }
    }

    /// Writes one and removes what is older than the newest two.
    pub(crate) fn put(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let doing = || format!("writing a snapshot to {}", self.path.display());
        files::create_folder(&self.path).map_err(JournalError::io(doing()))?;
        let header = encode_header(snapshot)?;
        let hash: [u8; 32] =
            Sha256::new().chain_update(&header).chain_update(&snapshot.bytes).finalize().into();
        let name = format!("{:020}{SUFFIX}", snapshot.seq);
        files::write_whole(&self.path, &name, &[&header, &snapshot.bytes, &hash])
            .map_err(JournalError::io(doing()))?;
        for (_, old) in self.newest_first()?.into_iter().skip(KEPT) {
            std::fs::remove_file(&old).map_err(JournalError::io(format!("removing {}", old.display())))?;
        }
        Ok(())
    }

    /// The files, newest first, by their names.
    pub(crate) fn newest_first(&self) -> Result<Vec<(u64, PathBuf)>, JournalError> {
        let doing = || format!("listing {}", self.path.display());
        let entries = match std::fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(JournalError::io(doing())(error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(JournalError::io(doing()))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some(seq) = name.strip_suffix(SUFFIX).and_then(|digits| digits.parse().ok()) {
                found.push((seq, path));
            }
        }
        found.sort_by(|a, b| b.cmp(a));
        Ok(found)
    }

    /// Whether any snapshot was ever stored here, as far as files tell.
    pub(crate) fn is_empty(&self) -> Result<bool, JournalError> {
        Ok(self.newest_first()?.is_empty())
    }
}

/// How the file of a snapshot is named in messages.
pub(crate) fn place(path: &Path) -> Place {
    Place::Snapshot(path.display().to_string())
}

/// Reads one file whole and checks it.
pub(crate) fn read(path: &Path) -> Result<Snapshot, JournalError> {
    let all = std::fs::read(path).map_err(JournalError::io(format!("reading {}", path.display())))?;
    decode(all).ok_or_else(|| {
        let what = "its bytes are not those that were written";
        JournalError::Damaged(Damage::new(place(path), what))
    })
}

fn encode_header(snapshot: &Snapshot) -> Result<Vec<u8>, JournalError> {
    let Ok(tag_len) = u8::try_from(snapshot.tag.len()) else {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "its tag is longer than 255 bytes");
        return Err(JournalError::Io { doing: "writing a snapshot".to_owned(), source });
    };
    let state_len = u64::try_from(snapshot.bytes.len()).unwrap_or(u64::MAX);
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&snapshot.seq.to_be_bytes());
    header.extend_from_slice(&snapshot.chain);
    header.push(tag_len);
    header.extend_from_slice(snapshot.tag.as_bytes());
    header.extend_from_slice(&state_len.to_be_bytes());
    Ok(header)
}

/// The bytes of a snapshot's file as one piece.
///
/// # Errors
/// If its tag is longer than 255 bytes.
pub fn encode(snapshot: &Snapshot) -> Result<Vec<u8>, JournalError> {
    let mut all = encode_header(snapshot)?;
    all.reserve_exact(snapshot.bytes.len().saturating_add(32));
    all.extend_from_slice(&snapshot.bytes);
    let hash: [u8; 32] = Sha256::digest(&all).into();
    all.extend_from_slice(&hash);
    Ok(all)
}

/// The snapshot in these bytes, if they are whole. Takes them, so that a large state is held once.
#[must_use]
pub fn decode(mut all: Vec<u8>) -> Option<Snapshot> {
    let (covered, hash) = all.split_last_chunk::<32>()?;
    if <[u8; 32]>::from(Sha256::digest(covered)) != *hash {
        return None;
    }
    let (magic, rest) = covered.split_first_chunk::<8>()?;
    let (seq, rest) = rest.split_first_chunk::<8>()?;
    let (chain, rest) = rest.split_first_chunk::<32>()?;
    let (tag_len, rest) = rest.split_first()?;
    let (tag, rest) = rest.split_at_checked(usize::from(*tag_len))?;
    let (state_len, state) = rest.split_first_chunk::<8>()?;
    if magic != MAGIC || u64::from_be_bytes(*state_len) != u64::try_from(state.len()).ok()? {
        return None;
    }
    let (seq, chain, tag) = (u64::from_be_bytes(*seq), *chain, String::from_utf8(tag.to_vec()).ok()?);
    let header_len = covered.len().checked_sub(state.len())?;
    all.truncate(covered.len());
    all.drain(..header_len);
    Some(Snapshot { seq, chain, tag, bytes: all })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(seq: u64) -> Snapshot {
        Snapshot { seq, chain: [7; 32], tag: "state/1".to_owned(), bytes: vec![9; 100] }
    }

    #[test]
    fn every_flipped_bit_and_every_cut_of_a_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let snapshots = SnapshotFolder::new(folder.path().join("snapshots"));
        snapshots.put(&snapshot(5)).unwrap();
        let (_, path) = snapshots.newest_first().unwrap().remove(0);
        assert_eq!(read(&path).unwrap(), snapshot(5));
        let good = std::fs::read(&path).unwrap();
        assert_eq!(encode(&snapshot(5)).unwrap(), good);
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(bad), None, "bit {bit}");
        }
        for length in 0..good.len() {
            assert_eq!(decode(good[..length].to_vec()), None, "length {length}");
        }
    }

    #[test]
    fn only_the_newest_two_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let snapshots = SnapshotFolder::new(folder.path().join("snapshots"));
        assert!(snapshots.is_empty().unwrap());
        for seq in [1, 2, 10, 9] {
            snapshots.put(&snapshot(seq)).unwrap();
        }
        let kept: Vec<u64> = snapshots.newest_first().unwrap().into_iter().map(|(seq, _)| seq).collect();
        assert_eq!(kept, [10, 9]);
    }
}
