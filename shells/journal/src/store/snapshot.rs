//! The format of a snapshot of state.
//!
//! It is stored as `magic || seq || chain || tag length || tag || state length || state || sha256 of all before`, the
//! numbers big-endian.

use crate::error::JournalError;
use crate::journal::Snapshot;
use crate::store::Snapshots;
use sha2::{Digest as _, Sha256};
use std::io;

const MAGIC: &[u8; 8] = b"HALLSNP1";

/// Stores a snapshot, and removes all but the newest `kept`.
pub(crate) fn put(snapshots: &impl Snapshots, snapshot: &Snapshot, kept: usize) -> Result<(), JournalError> {
    let (header, hash) = frame(snapshot)?;
    snapshots.write(snapshot.seq, &[&header, &snapshot.bytes, &hash])?;
    for old in snapshots.newest_first()?.into_iter().skip(kept) {
        snapshots.remove(old)?;
    }
    Ok(())
}

/// What is stored before and after the state of a snapshot.
///
/// # Errors
/// If its tag is too long.
pub fn frame(snapshot: &Snapshot) -> Result<(Vec<u8>, [u8; 32]), JournalError> {
    let header = encode_header(snapshot)?;
    let hash = Sha256::new().chain_update(&header).chain_update(&snapshot.bytes).finalize().into();
    Ok((header, hash))
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

/// The snapshot in these bytes, if they are intact. Takes ownership, so that a large state is in memory only once.
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
