//! Storage from which two halls start that differ only in the seeds of their games.

use hall_core::Fact;
use hall_core::rooms::RoomChange;
use hall_driver::JournalEntry;
use hall_driver::tables;
use hall_journal::{Batch, Journal as _, KeyRange, MemoryJournal, MemoryStorage, Row};
use hall_wire::Digest;
use std::ops::Bound;

/// A copy of the storage.
pub(crate) fn copy(storage: &MemoryStorage) -> MemoryStorage {
    copy_with(storage, |text| text)
}

/// A copy in which every game has another seed under the same commitment.
pub(crate) fn with_other_seeds(storage: &MemoryStorage) -> MemoryStorage {
    let seeds = seeds(storage);
    assert!(seeds.len() > 1, "there are games to give other seeds to");
    copy_with(storage, |text| seeds.iter().fold(text, |text, seed| text.replace(seed, &other(seed))))
}

/// Another seed.
fn other(seed: &str) -> String {
    Digest::of(seed.as_bytes()).to_hex()
}

fn copy_with(storage: &MemoryStorage, change: impl Fn(String) -> String) -> MemoryStorage {
    let reader = MemoryJournal::open(storage).reader();
    let copied = MemoryStorage::new();
    let mut batch = Batch::default();
    for record in reader.records(1, usize::MAX).unwrap() {
        batch.records.push(change(String::from_utf8(record.bytes).unwrap()).into_bytes());
    }
    for table in tables::ALL.iter().copied() {
        let all = KeyRange { start: Bound::Unbounded, end: Bound::Unbounded };
        let rows = reader.rows(table, all, false, usize::MAX).unwrap();
        batch.rows.extend(rows.into_iter().map(|(key, value)| Row { table, key, value: Some(value) }));
    }
    MemoryJournal::open(&copied).append(&batch).unwrap();
    copied
}

/// The seeds of all games, as they are written.
fn seeds(storage: &MemoryStorage) -> Vec<String> {
    let records = MemoryJournal::open(storage).reader().records(1, usize::MAX).unwrap();
    let entries = records.iter().map(|record| JournalEntry::decode(&record.bytes).unwrap());
    let seed = |fact: &Fact| {
        let RoomChange::Started(started) = &fact.in_room()?.change else { return None };
        Some(started.seed.reveal())
    };
    entries.flat_map(|entry| entry.facts.iter().filter_map(seed).collect::<Vec<_>>()).collect()
}
