//! What several test files need: batches that can be recognised, and a full reading of a journal.
#![allow(dead_code, reason = "each test file uses its own part")]

use hall_journal::{
    Batch, FjallJournal, Head, Journal, JournalError, JournalReader, KeyRange, KeyValue, Options, Record,
    Row, Table,
};
use std::path::Path;

/// Few threads and little memory, as many journals are opened here.
pub(crate) fn options() -> Options {
    Options { cache_bytes: 1 << 20, workers: 1 }
}

pub(crate) fn open(path: &Path) -> FjallJournal {
    FjallJournal::open(path, &options()).unwrap()
}

pub(crate) fn put(table: Table, key: &[u8], value: &[u8]) -> Row {
    Row { table, key: key.to_vec(), value: Some(value.to_vec()) }
}

pub(crate) fn delete(table: Table, key: &[u8]) -> Row {
    Row { table, key: key.to_vec(), value: None }
}

/// The n-th batch of a history: one to three records, rows that stay, one that changes and one that goes.
pub(crate) fn batch(n: u64) -> Batch {
    let records =
        (0..=n % 3).map(|part| format!("record {n}.{part} {}", "x".repeat(40)).into_bytes()).collect();
    let mut rows = vec![
        put(Table::Games, &n.to_be_bytes(), format!("game {n}").as_bytes()),
        put(Table::Leaves, &(n * 2).to_be_bytes(), b"leaf"),
        put(Table::Meta, b"latest", &n.to_be_bytes()),
    ];
    if n > 1 {
        rows.push(delete(Table::Leaves, &((n - 1) * 2).to_be_bytes()));
    }
    Batch { records, rows }
}

/// Appends batches `from..=to` of the history.
pub(crate) fn append(journal: &mut dyn Journal, from: u64, to: u64) -> Head {
    for n in from..=to {
        journal.append(&batch(n)).unwrap();
    }
    journal.head()
}

/// Everything that a reader shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) records: Vec<Record>,
    pub(crate) rows: Vec<(Table, Vec<KeyValue>)>,
}

pub(crate) fn content(reader: &dyn JournalReader) -> Result<Content, JournalError> {
    let records = reader.records(1, usize::MAX)?;
    let rows =
        Table::ALL.iter().map(|table| Ok((*table, reader.rows(*table, KeyRange::all(), false, usize::MAX)?)));
    Ok(Content { records, rows: rows.collect::<Result<_, JournalError>>()? })
}

/// The content after each batch of the history, from none to `batches`, made by the memory journal.
pub(crate) fn history(batches: u64) -> Vec<Content> {
    let mut journal = hall_journal::MemoryJournal::new();
    let mut all = vec![content(&*journal.reader()).unwrap()];
    for n in 1..=batches {
        append(&mut journal, n, n);
        all.push(content(&*journal.reader()).unwrap());
    }
    all
}
