//! The contents of a slot and their framing, which is written by hand so that no byte depends on a library.
//!
//! `magic || kind || batch || seq and chain before || seq and chain after || body length || checksum || body`, the
//! numbers big-endian, the checksum sha256 over everything else. The body of a batch is the number of records, each
//! with its length before it, then the number of rows, each as `tag || 0 or 1 || key length || key || value length ||
//! value`, the last two only after a 1.

use crate::batch::{Batch, Head, Row};
use crate::mark::JournalPosition;
use crate::table::Table;
use sha2::{Digest as _, Sha256};

const MAGIC: &[u8; 8] = b"HALLMRK1";
const KIND_POSITION: u8 = 0;
const KIND_BATCH: u8 = 1;
/// Bytes of a slot before its body.
pub const HEADER_BYTES: usize = 8 + 1 + 8 + (8 + 32) * 2 + 8 + 32;
const CHECKSUM_AT: usize = HEADER_BYTES - 32;

/// The decoded contents of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The journal's position before the batch; equals `after` without one.
    pub before: Head,
    /// The journal's position after the batch.
    pub after: JournalPosition,
    /// The batch itself; `None` in a slot that records only a position.
    pub batch: Option<Batch>,
}

impl Slot {
    /// A slot that records only a position.
    #[must_use]
    pub const fn position(at: JournalPosition) -> Self {
        Self { before: at.head, after: at, batch: None }
    }

    /// Whether it was written right after the slot `before`.
    #[must_use]
    pub const fn follows(&self, before: &Self) -> bool {
        let next = before.after.batch.saturating_add(1) == self.after.batch;
        next || (self.batch.is_none() && before.after.batch == self.after.batch)
    }
}

/// Writes a slot's bytes over `out`, except the checksum: see [`seal`].
pub fn encode(out: &mut Vec<u8>, before: &Head, after: &JournalPosition, batch: Option<&Batch>) {
    out.clear();
    out.extend_from_slice(MAGIC);
    out.push(if batch.is_some() { KIND_BATCH } else { KIND_POSITION });
    put_u64(out, after.batch);
    for head in [before, &after.head] {
        put_u64(out, head.seq);
        out.extend_from_slice(&head.chain);
    }
    put_u64(out, batch.map_or(0, body_bytes));
    out.extend_from_slice(&[0; 32]);
    let Some(batch) = batch else { return };
    put_len(out, batch.records.len());
    for record in &batch.records {
        put_bytes(out, record);
    }
    put_len(out, batch.rows.len());
    for row in &batch.rows {
        out.push(row.table.tag());
        out.push(u8::from(row.value.is_some()));
        put_bytes(out, &row.key);
        if let Some(value) = &row.value {
            put_bytes(out, value);
        }
    }
}

/// Fills in the checksum.
pub fn seal(encoded: &mut [u8]) {
    let sum = checksum(encoded);
    if let Some(place) = encoded.get_mut(CHECKSUM_AT..HEADER_BYTES) {
        place.copy_from_slice(&sum);
    }
}

/// Decodes a slot; `None` if its bytes were never written, are torn or damaged.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<Slot> {
    let mut cursor = Cursor { rest: bytes };
    if cursor.array::<8>()? != *MAGIC {
        return None;
    }
    let kind = cursor.byte()?;
    let batch_number = cursor.u64()?;
    let before = cursor.head()?;
    let head = cursor.head()?;
    let body_len = usize::try_from(cursor.u64()?).ok()?;
    let sum = cursor.array::<32>()?;
    let covered = bytes.get(..HEADER_BYTES.checked_add(body_len)?)?;
    if checksum(covered) != sum {
        return None;
    }
    cursor.rest = covered.get(HEADER_BYTES..)?;
    let batch = match kind {
        KIND_POSITION => None,
        KIND_BATCH => Some(cursor.batch()?),
        _ => return None,
    };
    if !cursor.rest.is_empty() {
        return None;
    }
    Some(Slot { before, after: JournalPosition { batch: batch_number, head }, batch })
}

/// The length, unchecked, of the slot that begins with these bytes; `None` if no slot begins so.
#[must_use]
pub fn encoded_len(bytes: &[u8]) -> Option<usize> {
    let mut cursor = Cursor { rest: bytes };
    if cursor.array::<8>()? != *MAGIC {
        return None;
    }
    cursor.rest = bytes.get(CHECKSUM_AT.checked_sub(8)?..)?;
    HEADER_BYTES.checked_add(usize::try_from(cursor.u64()?).ok()?)
}

/// The checksum of a slot: everything but its own place.
fn checksum(encoded: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(encoded.get(..CHECKSUM_AT).unwrap_or_default());
    hash.update(encoded.get(HEADER_BYTES..).unwrap_or_default());
    hash.finalize().into()
}

/// The length of the framed batch.
fn body_bytes(batch: &Batch) -> u64 {
    let records = batch.records.iter().map(|record| record.len().saturating_add(4));
    let rows = batch.rows.iter().map(|row| {
        let value = row.value.as_ref().map_or(0, |value| value.len().saturating_add(4));
        row.key.len().saturating_add(value).saturating_add(6)
    });
    u64::try_from(records.chain(rows).fold(8, usize::saturating_add)).unwrap_or(u64::MAX)
}

fn put_u64(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_be_bytes());
}

/// Lengths are below [`MAX_BATCH_BYTES`](crate::MAX_BATCH_BYTES), so 32 bits always hold them.
fn put_len(out: &mut Vec<u8>, len: usize) {
    out.extend_from_slice(&u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_len(out, bytes.len());
    out.extend_from_slice(bytes);
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*array)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(u8::from_be_bytes(self.array()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_be_bytes(self.array()?))
    }

    fn head(&mut self) -> Option<Head> {
        Some(Head { seq: self.u64()?, chain: self.array()? })
    }

    fn len(&mut self) -> Option<usize> {
        usize::try_from(u32::from_be_bytes(self.array()?)).ok()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.len()?;
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    fn batch(&mut self) -> Option<Batch> {
        let mut batch = Batch::default();
        for _ in 0..self.len()? {
            batch.records.push(self.bytes()?.to_vec());
        }
        for _ in 0..self.len()? {
            let table = Table::of_tag(self.byte()?)?;
            let has_value = self.byte()?;
            let key = self.bytes()?.to_vec();
            let value = match has_value {
                0 => None,
                1 => Some(self.bytes()?.to_vec()),
                _ => return None,
            };
            batch.rows.push(Row { table, key, value });
        }
        Some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{MAX_BATCH_BYTES, MAX_KEY_BYTES};
    use crate::chain::next_head;
    use crate::mark::ring::HALF_BYTES;

    fn sealed(batch: Option<&Batch>) -> (Slot, Vec<u8>) {
        let before = next_head(&Head::EMPTY, b"before");
        let head = if batch.is_some() { next_head(&before, b"record") } else { before };
        let after = JournalPosition { batch: 9, head };
        let mut out = vec![1, 2, 3];
        encode(&mut out, &before, &after, batch);
        seal(&mut out);
        (Slot { before, after, batch: batch.cloned() }, out)
    }

    fn small_batch() -> Batch {
        let row = |value| Row { table: Table::new(1, "games"), key: b"key".to_vec(), value };
        Batch {
            records: vec![b"record".to_vec(), vec![]],
            rows: vec![row(None), row(Some(b"value".to_vec()))],
        }
    }

    #[test]
    fn a_slot_reads_back_what_was_written_whatever_bytes_follow_it() {
        for batch in [None, Some(&small_batch()), Some(&Batch::default())] {
            let (slot, mut bytes) = sealed(batch);
            assert_eq!(decode(&bytes), Some(slot.clone()));
            assert_eq!(encoded_len(&bytes), Some(bytes.len()));
            bytes.extend_from_slice(b"what an older and longer batch left behind");
            assert_eq!(decode(&bytes), Some(slot));
        }
    }

    #[test]
    fn every_flipped_bit_and_every_torn_write_is_noticed() {
        let (_, good) = sealed(Some(&small_batch()));
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&bad), None, "bit {bit}");
        }
        for length in 0..good.len() {
            assert_eq!(decode(&good[..length]), None, "length {length}");
            let mut torn = good[..length].to_vec();
            torn.resize(good.len(), 0);
            assert!(decode(&torn).is_none() || torn == good, "torn at {length}");
        }
    }

    #[test]
    fn the_largest_batches_fit_into_a_slot() {
        let tiny_records = Batch { records: vec![vec![]; MAX_BATCH_BYTES / 16], rows: vec![] };
        let row =
            Row { table: Table::new(4, "homologations"), key: vec![0; MAX_KEY_BYTES], value: Some(vec![]) };
        let long_keys = Batch { records: vec![], rows: vec![row; MAX_BATCH_BYTES / (MAX_KEY_BYTES + 16)] };
        let one_record = Batch { records: vec![vec![0; MAX_BATCH_BYTES - 16]], rows: vec![] };
        for batch in [tiny_records, long_keys, one_record] {
            assert!(batch.check().is_ok());
            let mut out = Vec::new();
            encode(&mut out, &Head::EMPTY, &JournalPosition::default(), Some(&batch));
            assert!(out.len() <= HALF_BYTES);
            assert_eq!(out.len(), HEADER_BYTES + usize::try_from(body_bytes(&batch)).unwrap());
        }
    }
}
