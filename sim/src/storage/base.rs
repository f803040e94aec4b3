//! What a bounded world keeps of the log that it drops: where the rest begins, and the rows that still count.
//!
//! A base is a file of its own, named after the byte of the log where the rest begins; the newest one counts. It holds
//! `magic || byte || batch, seq and chain before the rest || number of rows || rows || sha256`, numbers big-endian, a
//! row as `tag || key length || key || value length || value`. Only rows that the rest of the log does not change are in
//! it, so that replaying the rest over them gives all rows.

use super::index::{Index, RowKey, RowPlace, damaged};
use super::journal::{Shared, io_error};
use super::layout::{LOG, base_name, bases, snapshots, write_whole};
use super::open::{damaged as log_damaged, refused};
use super::pages::{to_u64, to_usize};
use super::session::Session;
use hall_journal::kit::Position;
use hall_journal::{Head, JournalError, OpenError, Place};
use sha2::{Digest as _, Sha256};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"HALLBAS1";
const HEADER_BYTES: usize = 8 + 8 + 8 + 8 + 32 + 8;
/// Dropping less than this is not worth a file.
const LEAST_BYTES: u64 = 1 << 14;

/// The index as the newest base leaves it, ready for the rest of the log; empty without one.
pub(super) fn read_newest(session: &Session) -> Result<Index, OpenError> {
    let Some(base) = bases(session).first().copied() else { return Ok(Index::default()) };
    let name = base_name(base);
    let length = session.length(&name).unwrap_or(0);
    let bytes = session.read_exact(&name, 0, to_usize(length)).map_err(refused("reading the base", &name))?;
    decode(base, &bytes)
        .ok_or_else(|| log_damaged(format!("the bytes of {name} are not those that were written")))
}

/// Moves the beginning of the journal up, as far as snapshots and `keep` records allow.
pub(super) fn move_up(shared: &Shared, keep: u64) -> Result<(), JournalError> {
    let session = &shared.session;
    let kept = snapshots(session);
    let [_, older] = kept.as_slice() else { return Ok(()) };
    let index = shared.sorted_index();
    let last_dropped = index.position.head.seq.saturating_sub(keep).min(*older);
    let frames = index.frames.iter().flatten();
    let Some(start) = frames.take_while(|frame| frame.before.head.seq <= last_dropped).last().copied() else {
        return Ok(());
    };
    if start.at < bases(session).first().copied().unwrap_or(0).saturating_add(LEAST_BYTES) {
        return Ok(());
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&start.at.to_be_bytes());
    bytes.extend_from_slice(&start.before.batch.to_be_bytes());
    bytes.extend_from_slice(&start.before.head.seq.to_be_bytes());
    bytes.extend_from_slice(&start.before.head.chain);
    let moving: Vec<(RowKey, RowPlace)> = index
        .rows()
        .iter()
        .filter(|(_, row)| row.base != 0 || row.at < start.at)
        .map(|(key, row)| (key.clone(), *row))
        .collect();
    bytes.extend_from_slice(&to_u64(moving.len()).to_be_bytes());
    let mut moved = Vec::with_capacity(moving.len());
    for (key, row) in moving {
        let value = index.value(session, &key, &row)?;
        bytes.push(key.0);
        put_bytes(&mut bytes, &key.1)?;
        put_bytes(&mut bytes, &value)?;
        let at = to_u64(bytes.len().saturating_sub(value.len()));
        moved.push((key, RowPlace { base: start.at, at, ..row }));
    }
    drop(index);
    let hash: [u8; 32] = Sha256::digest(&bytes).into();
    bytes.extend_from_slice(&hash);
    write_whole(session, &base_name(start.at), &bytes).map_err(io_error("writing a base"))?;

    let mut index = shared.index_mut();
    for (key, place) in moved {
        index.put_row(key, place);
    }
    index.forget_up_to(start.before.head);
    if let Some(frames) = &mut index.frames {
        frames.retain(|frame| frame.at >= start.at);
    }
    drop(index);
    session.discard_before(LOG, start.at).map_err(io_error("giving back the log's beginning"))?;
    for old in bases(session).into_iter().skip(1) {
        session.remove(&base_name(old)).map_err(io_error("removing an old base"))?;
    }
    Ok(())
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), JournalError> {
    let len = u32::try_from(bytes.len()).map_err(|_| damaged(Place::Store, "a row is too long"))?;
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

fn decode(base: u64, bytes: &[u8]) -> Option<Index> {
    let (covered, hash) = bytes.split_last_chunk::<32>()?;
    if <[u8; 32]>::from(Sha256::digest(covered)) != *hash {
        return None;
    }
    let (magic, rest) = covered.split_first_chunk::<8>()?;
    let (at, rest) = rest.split_first_chunk::<8>()?;
    let (batch, rest) = rest.split_first_chunk::<8>()?;
    let (seq, rest) = rest.split_first_chunk::<8>()?;
    let (chain, rest) = rest.split_first_chunk::<32>()?;
    let (count, mut rest) = rest.split_first_chunk::<8>()?;
    if magic != MAGIC || u64::from_be_bytes(*at) != base {
        return None;
    }
    let first = Head { seq: u64::from_be_bytes(*seq), chain: *chain };
    let position = Position { batch: u64::from_be_bytes(*batch), head: first };
    let mut index = Index::beginning_at(position, base);
    let mut place = HEADER_BYTES;
    for _ in 0..u64::from_be_bytes(*count) {
        let (tag, after_tag) = rest.split_first()?;
        let (key, after_key) = take_bytes(after_tag)?;
        let (value, after_value) = take_bytes(after_key)?;
        place = place.checked_add(9)?.checked_add(key.len())?;
        let row = RowPlace { base, at: to_u64(place), len: value.len(), check: xxh3_64(value) };
        index.put_row((*tag, key.to_vec()), row);
        place = place.checked_add(value.len())?;
        rest = after_value;
    }
    rest.is_empty().then_some(index)
}

fn take_bytes(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*len)).ok()?)
}
