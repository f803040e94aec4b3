//! The claims that every backend keeps, wherever it is defined: a test target names its backends and calls
//! [`contract`] for each.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]
#![allow(dead_code, reason = "each test file uses its own part")]

use crate::support::{append, batch, content, delete, history, put, tables};
use hall_journal::{
    Batch, Head, Journal, JournalError, JournalReader, KeyRange, KeyValue, MAX_BATCH_BYTES, Row, ScrubCursor,
    ScrubStep, Snapshot, Table, scrub,
};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// A backend under test: opens the same storage again and again.
pub(crate) trait Backend {
    fn open(&self) -> Box<dyn Journal>;
}

/// One test for each claim, in a module of this name; the expression makes a backend with empty storage. Attributes
/// before the name, such as `ignore`, go to each test.
macro_rules! contract {
    ($(#[$attribute:meta])* $backend:ident, $make:expr) => {
        crate::claims::contract! { @claims [$(#[$attribute])*] $backend, $make;
            an_empty_journal_has_an_empty_head
            records_are_numbered_and_chained
            appended_records_survive_reopening_after_a_close_or_a_drop
            records_are_read_from_any_number_on
            records_are_read_by_their_numbers
            rows_are_put_changed_and_deleted
            the_last_change_of_a_key_in_a_batch_counts
            rows_are_read_in_order_by_range_and_in_reverse
            tables_do_not_see_each_others_keys
            an_empty_batch_changes_nothing
            a_batch_of_the_largest_size_is_taken
            a_refused_batch_poisons_the_writer_but_not_its_readers
            the_newest_snapshot_that_fits_is_found
            a_snapshot_of_another_history_is_refused
            a_scrub_reads_everything_once_and_restarts
            a_reader_sees_later_appends
        }
    };
    (@claims $attributes:tt $backend:ident, $make:expr; $($claim:ident)*) => {
        mod $backend {
            $(crate::claims::contract! { @claim $attributes $claim, $make })*

            crate::claims::contract! { @property $attributes $make }
        }
    };
    (@claim [$(#[$attribute:meta])*] $claim:ident, $make:expr) => {
        $(#[$attribute])*
        #[test]
        fn $claim() {
            crate::claims::$claim(&$make);
        }
    };
    (@property [$(#[$attribute:meta])*] $make:expr) => {
        proptest::proptest! {
            #![proptest_config(proptest::prelude::ProptestConfig::with_cases(12))]

            $(#[$attribute])*
            #[test]
            fn any_history_reads_back_as_from_a_plain_map(
                batches in crate::claims::histories(),
                reopen_every in 1..5_usize,
            ) {
                crate::claims::any_history_reads_back(&$make, &batches, reopen_every);
            }
        }
    };
}
pub(crate) use contract;

pub(crate) fn an_empty_journal_has_an_empty_head(backend: &dyn Backend) {
    let journal = backend.open();
    assert_eq!(journal.head(), Head { seq: 0, chain: [0; 32] });
    let reader = journal.reader();
    assert_eq!(reader.head().unwrap(), Head::EMPTY);
    assert_eq!(reader.records(0, 10).unwrap(), []);
    assert_eq!(reader.record(1).unwrap(), None);
    assert_eq!(reader.newest_snapshot().unwrap(), None);
}

pub(crate) fn records_are_numbered_and_chained(backend: &dyn Backend) {
    let mut journal = backend.open();
    let head = journal.append(&Batch { records: vec![b"a".to_vec(), b"".to_vec()], rows: vec![] }).unwrap();
    let chain = |before: [u8; 32], seq: u64, bytes: &[u8]| {
        let input = [b"svc.journal.v1".as_slice(), &before, &seq.to_be_bytes(), bytes].concat();
        <[u8; 32]>::from(Sha256::digest(input))
    };
    let first = chain([0; 32], 1, b"a");
    assert_eq!(head, Head { seq: 2, chain: chain(first, 2, b"") });
    assert_eq!(journal.head(), head);
    let reader = journal.reader();
    let record = reader.record(1).unwrap().unwrap();
    assert_eq!((record.seq, record.chain, record.bytes), (1, first, b"a".to_vec()));
    assert_eq!(reader.record(2).unwrap().unwrap().head(), head);
    assert_eq!(reader.record(0).unwrap(), None);
    assert_eq!(reader.record(3).unwrap(), None);
}

pub(crate) fn appended_records_survive_reopening_after_a_close_or_a_drop(backend: &dyn Backend) {
    let expected = history(9);
    let mut written = 0;
    for closed in [true, false, false, true, true] {
        let mut journal = backend.open();
        assert_eq!(content(&*journal.reader()).unwrap(), expected[usize::try_from(written).unwrap()]);
        append(&mut *journal, written + 1, written + 2);
        written += 2;
        if written == 8 {
            break;
        }
        if closed {
            journal.close().unwrap();
        }
    }
    let journal = backend.open();
    assert_eq!(content(&*journal.reader()).unwrap(), expected[8]);
    assert_eq!(journal.head(), expected[8].records.last().unwrap().head());
}

pub(crate) fn records_are_read_from_any_number_on(backend: &dyn Backend) {
    let mut journal = backend.open();
    let head = append(&mut *journal, 1, 5);
    let reader = journal.reader();
    let all = reader.records(0, usize::MAX).unwrap();
    assert_eq!(all.len(), usize::try_from(head.seq).unwrap());
    for from in 1..=head.seq + 2 {
        for limit in [0, 1, 3, 100] {
            let expected: Vec<_> =
                all.iter().filter(|record| record.seq >= from).take(limit).cloned().collect();
            assert_eq!(reader.records(from, limit).unwrap(), expected, "from {from} limit {limit}");
        }
        assert_eq!(reader.record(from).unwrap(), all.iter().find(|record| record.seq == from).cloned());
    }
    assert_eq!(reader.records(u64::MAX, 5).unwrap(), []);
}

pub(crate) fn records_are_read_by_their_numbers(backend: &dyn Backend) {
    let mut journal = backend.open();
    let head = append(&mut *journal, 1, 5);
    let reader = journal.reader();
    let all = reader.records(0, usize::MAX).unwrap();
    let beyond = [head.seq + 1, u64::MAX];
    for numbers in [vec![], vec![0], vec![1], vec![1, 2, 3], vec![2, 4], vec![head.seq, 1], beyond.to_vec()] {
        let numbers = BTreeSet::from_iter(numbers);
        let expected: Vec<_> = all.iter().filter(|record| numbers.contains(&record.seq)).cloned().collect();
        assert_eq!(reader.records_at(&numbers).unwrap(), expected, "{numbers:?}");
    }
}

pub(crate) fn rows_are_put_changed_and_deleted(backend: &dyn Backend) {
    let mut journal = backend.open();
    let reader = journal.reader();
    let value = |journal: &mut Box<dyn Journal>, row: Row| {
        journal.append(&Batch { records: vec![], rows: vec![row] }).unwrap();
        reader.row(tables::AGENT_GAMES, b"key").unwrap()
    };
    assert_eq!(reader.row(tables::AGENT_GAMES, b"key").unwrap(), None);
    assert_eq!(value(&mut journal, put(tables::AGENT_GAMES, b"key", b"one")), Some(b"one".to_vec()));
    assert_eq!(value(&mut journal, put(tables::AGENT_GAMES, b"key", b"")), Some(vec![]));
    assert_eq!(value(&mut journal, delete(tables::AGENT_GAMES, b"key")), None);
    assert_eq!(value(&mut journal, delete(tables::AGENT_GAMES, b"key")), None);
    assert_eq!(value(&mut journal, put(tables::AGENT_GAMES, b"key", b"two")), Some(b"two".to_vec()));
    assert_eq!(journal.head(), Head::EMPTY, "rows alone do not move the head");
}

pub(crate) fn the_last_change_of_a_key_in_a_batch_counts(backend: &dyn Backend) {
    let mut journal = backend.open();
    let rows = vec![
        put(tables::AGENT_GAMES, b"a", b"1"),
        delete(tables::AGENT_GAMES, b"a"),
        delete(tables::AGENT_GAMES, b"b"),
        put(tables::AGENT_GAMES, b"b", b"2"),
        put(tables::AGENT_GAMES, b"c", b"3"),
        put(tables::AGENT_GAMES, b"c", b"4"),
    ];
    journal.append(&Batch { records: vec![], rows }).unwrap();
    let rows = journal.reader().rows(tables::AGENT_GAMES, KeyRange::all(), false, 10).unwrap();
    assert_eq!(rows, [(b"b".to_vec(), b"2".to_vec()), (b"c".to_vec(), b"4".to_vec())]);
}

pub(crate) fn rows_are_read_in_order_by_range_and_in_reverse(backend: &dyn Backend) {
    let mut journal = backend.open();
    let keys: [&[u8]; 7] = [b"", b"a", b"a\x00", b"ab", b"b", b"\xff", b"\xff\xff"];
    let rows = keys.iter().rev().map(|key| put(tables::DOCKET, key, b"v")).collect();
    journal.append(&Batch { records: vec![], rows }).unwrap();
    let reader = journal.reader();
    let bounds: Vec<Bound<Vec<u8>>> = keys
        .iter()
        .flat_map(|key| [Bound::Included(key.to_vec()), Bound::Excluded(key.to_vec())])
        .chain([Bound::Unbounded])
        .collect();
    for start in &bounds {
        for end in &bounds {
            let range = KeyRange { start: start.clone(), end: end.clone() };
            let inside = |key: &&&[u8]| above(start, key) && below(end, key);
            let mut expected: Vec<Vec<u8>> = keys.iter().filter(inside).map(|key| key.to_vec()).collect();
            let found = |reverse, limit| {
                let keys = keys_of(reader.rows(tables::DOCKET, range.clone(), reverse, limit).unwrap());
                let alone = reader.keys(tables::DOCKET, range.clone(), reverse, limit).unwrap();
                assert_eq!(alone, keys, "the keys alone of {range:?}");
                keys
            };
            assert_eq!(found(false, 100), expected, "{range:?}");
            assert_eq!(found(false, 2), expected.iter().take(2).cloned().collect::<Vec<_>>());
            expected.reverse();
            assert_eq!(found(true, 100), expected, "{range:?} in reverse");
            assert_eq!(found(true, 2), expected.iter().take(2).cloned().collect::<Vec<_>>());
        }
    }
}

pub(crate) fn tables_do_not_see_each_others_keys(backend: &dyn Backend) {
    let mut journal = backend.open();
    let rows = tables::ALL.iter().map(|table| put(*table, b"\xff\xff", table.name().as_bytes())).collect();
    journal.append(&Batch { records: vec![b"r".to_vec()], rows }).unwrap();
    for table in tables::ALL {
        let row = (b"\xff\xff".to_vec(), table.name().as_bytes().to_vec());
        for reverse in [false, true] {
            let found = journal.reader().rows(*table, KeyRange::all(), reverse, 100).unwrap();
            assert_eq!(found, std::slice::from_ref(&row));
            let keys = journal.reader().keys(*table, KeyRange::all(), reverse, 100).unwrap();
            assert_eq!(keys, std::slice::from_ref(&row.0));
        }
    }
}

pub(crate) fn an_empty_batch_changes_nothing(backend: &dyn Backend) {
    let mut journal = backend.open();
    let head = append(&mut *journal, 1, 2);
    assert_eq!(journal.append(&Batch::default()).unwrap(), head);
    drop(journal);
    assert_eq!(content(&*backend.open().reader()).unwrap(), history(2)[2]);
}

pub(crate) fn a_batch_of_the_largest_size_is_taken(backend: &dyn Backend) {
    let record = vec![0x46; MAX_BATCH_BYTES / 2 - 16];
    let value = vec![0x4a; MAX_BATCH_BYTES / 2 - 16 - 3];
    let largest = Batch { records: vec![record.clone()], rows: vec![put(tables::GAMES, b"key", &value)] };
    assert_eq!(largest.size(), MAX_BATCH_BYTES);
    let head = backend.open().append(&largest).unwrap();
    let journal = backend.open();
    assert_eq!(journal.head(), head);
    assert_eq!(journal.reader().record(1).unwrap().unwrap().bytes, record);
    assert_eq!(journal.reader().row(tables::GAMES, b"key").unwrap(), Some(value));
}

pub(crate) fn a_refused_batch_poisons_the_writer_but_not_its_readers(backend: &dyn Backend) {
    let mut journal = backend.open();
    append(&mut *journal, 1, 3);
    let too_large = Batch { records: vec![vec![0; MAX_BATCH_BYTES]], rows: vec![] };
    assert!(matches!(journal.append(&too_large), Err(JournalError::BatchTooLarge { .. })));
    assert!(matches!(journal.append(&batch(4)), Err(JournalError::Poisoned)));
    assert!(matches!(journal.append(&Batch::default()), Err(JournalError::Poisoned)));
    let expected = history(4);
    assert_eq!(content(&*journal.reader()).unwrap(), expected[3]);
    drop(journal);
    let mut journal = backend.open();
    append(&mut *journal, 4, 4);
    assert_eq!(content(&*journal.reader()).unwrap(), expected[4]);
}

pub(crate) fn the_newest_snapshot_that_fits_is_found(backend: &dyn Backend) {
    let mut journal = backend.open();
    append(&mut *journal, 1, 5);
    let reader = journal.reader();
    let start = Snapshot { seq: 0, chain: [0; 32], tag: String::new(), bytes: vec![] };
    reader.put_snapshot(&start).unwrap();
    assert_eq!(reader.newest_snapshot().unwrap(), Some(start));
    for seq in [2, 5, 3] {
        reader.put_snapshot(&snapshot_at(&*reader, seq)).unwrap();
    }
    assert_eq!(reader.newest_snapshot().unwrap().unwrap().seq, 5);
    drop(reader);
    drop(journal);
    let reader = backend.open().reader();
    assert_eq!(reader.newest_snapshot().unwrap(), Some(snapshot_at(&*reader, 5)));
}

pub(crate) fn a_snapshot_of_another_history_is_refused(backend: &dyn Backend) {
    let mut journal = backend.open();
    let head = append(&mut *journal, 1, 3);
    let reader = journal.reader();
    let mut foreign = snapshot_at(&*reader, 2);
    foreign.chain[0] ^= 1;
    let mut early = snapshot_at(&*reader, 2);
    early.seq = head.seq + 1;
    for refused in [foreign, early] {
        assert!(matches!(reader.put_snapshot(&refused), Err(JournalError::SnapshotForeign { .. })));
    }
    assert_eq!(reader.newest_snapshot().unwrap(), None);
}

pub(crate) fn a_scrub_reads_everything_once_and_restarts(backend: &dyn Backend) {
    let mut journal = backend.open();
    append(&mut *journal, 1, 20);
    let all = history(20).pop().unwrap();
    let rows = all.rows.iter().map(|(_, rows)| rows.len()).sum::<usize>();
    let reader = journal.reader();
    for limit in [1, 7, 1000] {
        let mut cursor = ScrubCursor::default();
        let (mut records_read, mut rows_read) = (0, 0);
        let (mut records_done, mut rows_done) = (false, false);
        while !(records_done && rows_done) {
            let step = scrub(&*reader, tables::ALL, &mut cursor, limit).unwrap();
            let ScrubStep { records, rows, records_wrapped, rows_wrapped, damage } = step;
            assert_eq!(damage, []);
            assert!(records <= u64::try_from(limit).unwrap() && rows <= u64::try_from(limit).unwrap());
            records_read += if records_done { 0 } else { records };
            rows_read += if rows_done { 0 } else { rows };
            records_done |= records_wrapped;
            rows_done |= rows_wrapped;
        }
        assert_eq!(records_read, u64::try_from(all.records.len()).unwrap());
        assert_eq!(rows_read, u64::try_from(rows).unwrap());
    }
}

pub(crate) fn a_reader_sees_later_appends(backend: &dyn Backend) {
    let mut journal = backend.open();
    let reader = journal.reader();
    let expected = history(5);
    for n in 1..=5 {
        let head = append(&mut *journal, n, n);
        assert_eq!(reader.head().unwrap(), head);
        assert_eq!(content(&*reader).unwrap(), expected[usize::try_from(n).unwrap()]);
    }
}

/// The body of a property: all appended batches read back, however they were divided and however often it was
/// reopened.
pub(crate) fn any_history_reads_back(backend: &dyn Backend, batches: &[Batch], reopen_every: usize) {
    let mut model: BTreeMap<(Table, Vec<u8>), Vec<u8>> = BTreeMap::new();
    let mut records = Vec::new();
    let mut journal = backend.open();
    for (index, batch) in batches.iter().enumerate() {
        if index % reopen_every == 0 {
            // Alternately closed and dropped: both must keep everything.
            if index % 2 == 0 {
                journal.close().unwrap()
            } else {
                drop(journal)
            }
            journal = backend.open();
        }
        records.extend(batch.records.iter().cloned());
        for Row { table, key, value } in &batch.rows {
            match value {
                Some(value) => drop(model.insert((*table, key.clone()), value.clone())),
                None => drop(model.remove(&(*table, key.clone()))),
            }
        }
        journal.append(batch).unwrap();
    }
    let found = content(&*journal.reader()).unwrap();
    let rows: BTreeMap<_, _> = found
        .rows
        .iter()
        .flat_map(|(table, rows)| rows.iter().map(|(key, value)| ((*table, key.clone()), value.clone())))
        .collect();
    assert_eq!(rows, model);
    assert_eq!(found.records.into_iter().map(|record| record.bytes).collect::<Vec<_>>(), records);
}

pub(crate) fn histories() -> impl Strategy<Value = Vec<Batch>> {
    let table = prop::sample::select(vec![tables::HOMOLOGATIONS, tables::GAMES, tables::FEEDBACK]);
    let bytes = |most| prop::collection::vec(prop::sample::select(vec![0, 1, 70, 255]), 0..=most);
    let row = (table, bytes(2), prop::option::of(bytes(9))).prop_map(|(table, key, value)| Row {
        table,
        key,
        value,
    });
    let batch = (prop::collection::vec(bytes(40), 0..4), prop::collection::vec(row, 0..6));
    prop::collection::vec(batch.prop_map(|(records, rows)| Batch { records, rows }), 1..12)
}

fn snapshot_at(reader: &dyn JournalReader, seq: u64) -> Snapshot {
    let record = reader.record(seq).unwrap().unwrap();
    Snapshot { seq, chain: record.chain, tag: "state/1".to_owned(), bytes: vec![7; 1000] }
}

fn keys_of(rows: Vec<KeyValue>) -> Vec<Vec<u8>> {
    rows.into_iter().map(|(key, _)| key).collect()
}

fn above(start: &Bound<Vec<u8>>, key: &[u8]) -> bool {
    match start {
        Bound::Included(start) => key >= start.as_slice(),
        Bound::Excluded(start) => key > start.as_slice(),
        Bound::Unbounded => true,
    }
}

fn below(end: &Bound<Vec<u8>>, key: &[u8]) -> bool {
    match end {
        Bound::Included(end) => key <= end.as_slice(),
        Bound::Excluded(end) => key < end.as_slice(),
        Bound::Unbounded => true,
    }
}
