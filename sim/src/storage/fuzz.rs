//! Recovery from arbitrary bytes, as plain functions: a fuzzer and a property test call the same.
//!
//! Whatever lies on the disk, opening ends with a journal that can be read without contradiction, or with a refusal; it
//! never panics, and it never reads beyond what is there.

use super::disk::SimDisk;
use super::journal::SimJournal;
use super::layout::{LOG, LOG_MAGIC, MARK};
use hall_driver::tables;
use hall_journal::backend_parts::{HALF_BYTES, next_head, seal_slot};
use hall_journal::{Batch, Head, Journal as _, KeyRange, Row};
use std::sync::Arc;

/// Puts the bytes onto a disk in one of several ways, which the first byte chooses, and opens it.
///
/// # Panics
/// If what was opened contradicts itself: that is a finding.
pub fn open_bytes(input: &[u8]) {
    let Some((way, bytes)) = input.split_first() else { return };
    let disk = sample();
    match way % 6 {
        0 => disk.put_file(LOG, bytes),
        1 => disk.put_file(MARK, bytes),
        2 => disk.put_file(LOG, &[LOG_MAGIC.as_slice(), &sealed(bytes)].concat()),
        3 => {
            let mut mark = sealed(bytes);
            mark.resize(HALF_BYTES, 0);
            disk.put_file(MARK, &[mark, sealed(bytes)].concat());
        }
        4 => patch(&disk, LOG, bytes),
        _ => patch(&disk, MARK, bytes),
    }
    let Ok(journal) = SimJournal::open(&disk) else { return };
    let reader = journal.reader();
    let mut head = Head::EMPTY;
    for record in reader.records(1, usize::MAX).unwrap_or_default() {
        assert!(next_head(&head, &record.bytes) == record.head(), "the records are not one chain");
        head = record.head();
    }
    assert!(head == journal.head(), "the records do not end at the head");
    for table in tables::ALL {
        assert!(reader.rows(*table, KeyRange::all(), false, usize::MAX).is_ok(), "a row was let in unread");
    }
}

/// A disk with a short journal, without a record of what was acknowledged.
fn sample() -> Arc<SimDisk> {
    let disk = SimDisk::new(1);
    disk.set_witnessed(false);
    if let Ok(mut journal) = SimJournal::open(&disk) {
        for n in 0..4_u8 {
            let row = Row { table: tables::GAMES, key: vec![n], value: Some(vec![n; 20]) };
            let batch = Batch { records: vec![vec![n; 300], vec![]], rows: vec![row] };
            assert!(journal.append(&batch).is_ok(), "a disk without faults takes a batch");
        }
    }
    disk
}

/// The bytes with the checksum of a slot filled in, so that what lies behind the checksum is reached.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut slot = b"HALLMRK1".to_vec();
    slot.extend_from_slice(bytes);
    seal_slot(&mut slot);
    slot
}

/// Changes single bytes: each three of the input are a place, in the first or the last 32 KiB, and a value.
fn patch(disk: &SimDisk, name: &str, changes: &[u8]) {
    let mut bytes = disk.file_bytes(name).unwrap_or_default();
    for change in changes.chunks_exact(3) {
        let [high, low, value] = change else { continue };
        let place = usize::from(u16::from_be_bytes([*high, *low]));
        let at = if place < 1 << 15 { place } else { bytes.len().saturating_sub(place) };
        if let Some(byte) = bytes.get_mut(at) {
            *byte = *value;
        }
    }
    disk.put_file(name, &bytes);
}
