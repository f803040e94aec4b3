//! The hash chain over records, the check of a row, and how both are stored.
//!
//! A record is stored as `chain || bytes`: its chain value is its checksum. A row is stored as `check || value`,
//! where the check covers table and key too, so that a value found under the wrong key is noticed.

use crate::batch::Head;
use crate::error::{DamagePlace, JournalError};
use sha2::{Digest as _, Sha256};

/// Bytes of the check before a stored row value: a truncated sha256.
const CHECK_BYTES: usize = 16;

/// Bytes of the chain value before a stored record.
const CHAIN_BYTES: usize = 32;

/// The head after `record` was appended at `before`.
#[must_use]
pub fn next_head(before: &Head, record: &[u8]) -> Head {
    let seq = before.seq.saturating_add(1);
    let mut hash = Sha256::new();
    hash.update(b"svc.journal.v1");
    hash.update(before.chain);
    hash.update(seq.to_be_bytes());
    hash.update(record);
    Head { seq, chain: hash.finalize().into() }
}

/// The bytes under which a record is stored.
pub(crate) fn stored_record(chain: &[u8; 32], record: &[u8]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(CHAIN_BYTES.saturating_add(record.len()));
    stored.extend_from_slice(chain);
    stored.extend_from_slice(record);
    stored
}

/// The chain value and the bytes of record `seq` as they are stored, unchecked.
pub(crate) fn stored_parts(seq: u64, stored: &[u8]) -> Result<([u8; 32], &[u8]), JournalError> {
    let parts = stored.split_first_chunk::<CHAIN_BYTES>();
    let (chain, bytes) = parts
        .ok_or_else(|| JournalError::damaged(DamagePlace::Record(seq), "it is too short to be a record"))?;
    Ok((*chain, bytes))
}

/// The bytes under which a row's value is stored; `tag` is the table's.
#[must_use]
pub fn stored_row(tag: u8, key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(CHECK_BYTES.saturating_add(value.len()));
    stored.extend_from_slice(&check(tag, key, value));
    stored.extend_from_slice(value);
    stored
}

/// The value of a stored row, or `None` if it is not what was written under this table and key.
#[must_use]
pub fn checked_row<'a>(tag: u8, key: &[u8], stored: &'a [u8]) -> Option<&'a [u8]> {
    let (found, value) = stored.split_first_chunk::<CHECK_BYTES>()?;
    (check(tag, key, value) == *found).then_some(value)
}

fn check(tag: u8, key: &[u8], value: &[u8]) -> [u8; CHECK_BYTES] {
    // A length of 64 bits: a key that is empty or full of zeros cannot be mistaken for a part of the value.
    let key_len = u64::try_from(key.len()).unwrap_or(u64::MAX);
    let mut hash = Sha256::new();
    hash.update(b"svc.journal.row.v1");
    hash.update([tag]);
    hash.update(key_len.to_be_bytes());
    hash.update(key);
    hash.update(value);
    let full: [u8; 32] = hash.finalize().into();
    let mut short = [0; CHECK_BYTES];
    short.copy_from_slice(full.first_chunk::<CHECK_BYTES>().unwrap_or(&[0; CHECK_BYTES]));
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_is_the_documented_hash() {
        let one = next_head(&Head::EMPTY, b"first");
        let mut input = b"svc.journal.v1".to_vec();
        input.extend_from_slice(&[0; 32]);
        input.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 1]);
        input.extend_from_slice(b"first");
        assert_eq!(one.seq, 1);
        assert_eq!(one.chain, <[u8; 32]>::from(Sha256::digest(&input)));
    }

    #[test]
    fn a_row_is_recognised_only_under_its_own_table_and_key() {
        let stored = stored_row(7, b"key", b"value");
        assert_eq!(checked_row(7, b"key", &stored), Some(b"value".as_slice()));
        assert_eq!(checked_row(8, b"key", &stored), None);
        assert_eq!(checked_row(7, b"ke", &stored), None);
        assert_eq!(checked_row(7, b"key", &stored[1..]), None);
        assert_eq!(checked_row(7, b"key", b"short"), None);
    }

    #[test]
    fn every_flipped_bit_of_a_stored_record_is_noticed() {
        let before = next_head(&Head::EMPTY, b"one");
        let stored = stored_record(&next_head(&before, b"two").chain, b"two");
        let continues = |stored: &[u8]| {
            stored_parts(2, stored).is_ok_and(|(chain, bytes)| next_head(&before, bytes).chain == chain)
        };
        assert!(continues(&stored));
        for bit in 0..stored.len() * 8 {
            let mut flipped = stored.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!continues(&flipped), "bit {bit}");
        }
    }
}
