//! The fjall database: two keyspaces, the encoding of their keys and values, and the batches that change them.
//!
//! `records` has the record number as 8 big-endian bytes; `rows` has the table's tag before the key. Tag 0 holds a
//! single row: the position, written in every batch, so that the store knows which batch it ends with. Its value also
//! holds the store's sequence number from before the batch, because the batch's own sequence number has no checksum in
//! fjall's log, and a lower one would make a batch vanish silently.

use crate::backend::fjall::Options;
use crate::background::from_a_background_thread;
use crate::batch::{Batch, Head};
use crate::chain;
use crate::error::{DamagePlace, JournalError};
use crate::mark::JournalPosition;
use crate::table::Table;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, Readable, Snapshot};
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The key of the position in `rows`: a tag that no table has, and nothing behind it.
pub(crate) const POSITION_KEY: [u8; 1] = [POSITION_TAG];
pub(crate) const POSITION_TAG: u8 = 0;

/// The minimum that fjall accepts. One file of 64 MiB is being written in addition.
const LOG_BYTES: u64 = 64 * 1024 * 1024;

pub(crate) struct Db {
    pub(crate) records: Keyspace,
    pub(crate) rows: Keyspace,
    pub(crate) db: Database,
}

/// A batch that is ready to be committed.
pub struct Staged(OwnedWriteBatch);

impl Staged {
    /// Hands the batch to the operating system; it becomes visible only then, and durable by a later sync of the log.
    pub(crate) fn commit(self) -> Result<(), fjall::Error> {
        self.0.durability(Some(PersistMode::Buffer)).commit()
    }
}

impl Db {
    /// Opens or creates the database. Where fjall panics because the file system broke a guarantee, this returns an
    /// ordinary error.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self, String> {
        // Flushing and compacting must not delay the writer.
        let open = || from_a_background_thread(|| Self::open_or_panic(path, options));
        match catch_unwind(AssertUnwindSafe(open)) {
            Ok(Ok(result)) => result.map_err(|error| error.to_string()),
            Ok(Err(error)) => Err(format!("no thread can be started: {error}")),
            Err(panic) => Err(format!("the store gave up on it: {}", panic_text(&*panic))),
        }
    }

    fn open_or_panic(path: &Path, options: &Options) -> Result<Self, fjall::Error> {
        let db = Database::builder(path)
            .cache_size(options.cache_bytes)
            .worker_threads(options.workers.max(1))
            .max_journaling_size(LOG_BYTES)
            // The log is scanned before it is opened, and the scan must be able to read the position uncompressed.
            .journal_compression(fjall::CompressionType::None)
            .open()?;
        let settings = || KeyspaceCreateOptions::default().max_memtable_size(options.memtable_bytes);
        let records = db.keyspace("records", || settings().expect_point_read_hits(true))?;
        let rows = db.keyspace("rows", settings)?;
        Ok(Self { records, rows, db })
    }

    /// Prepares a batch after `before`; returns the journal's position after it.
    pub(crate) fn stage(&self, before: &JournalPosition, batch: &Batch) -> (Staged, JournalPosition) {
        let items = batch.records.len().saturating_add(batch.rows.len()).saturating_add(1);
        let mut write = OwnedWriteBatch::with_capacity(self.db.clone(), items);
        let mut head = before.head;
        for record in &batch.records {
            head = chain::next_head(&head, record);
            self.put_record(&mut write, &head, record);
        }
        // One change per key: within a batch all changes have the same sequence number, so the store could not tell
        // which is last.
        let mut changes = BTreeMap::new();
        for row in &batch.rows {
            changes.insert((row.table.tag(), row.key.as_slice()), row.value.as_deref());
        }
        for ((tag, key), value) in changes {
            match value {
                Some(value) => self.put_row(&mut write, tag, key, value),
                None => write.remove(&self.rows, row_key(tag, key)),
            }
        }
        let after = JournalPosition { batch: before.batch.saturating_add(1), head };
        self.put_position(&mut write, &after);
        (Staged(write), after)
    }

    /// Adds a record to a batch; `head` is the head after it.
    pub(crate) fn put_record(&self, write: &mut OwnedWriteBatch, head: &Head, record: &[u8]) {
        write.insert(&self.records, record_key(head.seq), chain::stored_record(&head.chain, record));
    }

    /// Adds a row to a batch.
    pub(crate) fn put_row(&self, write: &mut OwnedWriteBatch, tag: u8, key: &[u8], value: &[u8]) {
        write.insert(&self.rows, row_key(tag, key), chain::stored_row(tag, key, value));
    }

    /// Adds the position to a batch.
    pub(crate) fn put_position(&self, write: &mut OwnedWriteBatch, at: &JournalPosition) {
        let sequence_before = self.db.snapshot().seqno();
        write.insert(&self.rows, POSITION_KEY, stored_position(at, sequence_before));
    }

    /// The position in a snapshot of the store; the beginning if no batch was written yet.
    pub(crate) fn position(&self, at: &Snapshot) -> Result<JournalPosition, JournalError> {
        let stored = at.get(&self.rows, POSITION_KEY).map_err(read_error(DamagePlace::Store))?;
        let Some(stored) = stored else { return Ok(JournalPosition::default()) };
        read_position(&stored).map(|(position, _)| position).ok_or_else(|| {
            JournalError::damaged(DamagePlace::Store, "the position in the store is not what was written")
        })
    }

    /// The head after record `seq`, as the store has it; `None` if it has no such record.
    pub(crate) fn head_at(&self, at: &Snapshot, seq: u64) -> Result<Option<Head>, JournalError> {
        if seq == 0 {
            return Ok(Some(Head::EMPTY));
        }
        let stored = at.get(&self.records, record_key(seq)).map_err(read_error(DamagePlace::Record(seq)))?;
        stored.map(|stored| Ok(Head { seq, chain: chain::stored_parts(seq, &stored)?.0 })).transpose()
    }

    /// The number of the last record, whatever it holds.
    pub(crate) fn last_seq(&self, at: &Snapshot) -> Result<u64, JournalError> {
        let Some(last) = at.last_key_value(&self.records) else { return Ok(0) };
        record_seq(&last.key().map_err(read_error(DamagePlace::Store))?)
    }
}

/// The key of a record.
pub(crate) const fn record_key(seq: u64) -> [u8; 8] {
    seq.to_be_bytes()
}

/// The number in the key of a record.
pub(crate) fn record_seq(key: &[u8]) -> Result<u64, JournalError> {
    let key = <[u8; 8]>::try_from(key);
    key.map(u64::from_be_bytes)
        .map_err(|_| JournalError::damaged(DamagePlace::Store, "a key of a record is no number"))
}

/// The key of a row in the store.
pub(crate) fn row_key(tag: u8, key: &[u8]) -> Vec<u8> {
    let mut full = Vec::with_capacity(key.len().saturating_add(1));
    full.push(tag);
    full.extend_from_slice(key);
    full
}

fn stored_position(at: &JournalPosition, sequence_before: u64) -> Vec<u8> {
    let mut value = at.batch.to_be_bytes().to_vec();
    value.extend_from_slice(&at.head.seq.to_be_bytes());
    value.extend_from_slice(&at.head.chain);
    value.extend_from_slice(&sequence_before.to_be_bytes());
    chain::stored_row(POSITION_TAG, b"", &value)
}

/// The position in a stored value, and the least that the sequence number of its batch can be; `None` if it is damaged.
pub(crate) fn read_position(stored: &[u8]) -> Option<(JournalPosition, u64)> {
    let value = chain::checked_row(POSITION_TAG, b"", stored)?;
    let (batch, rest) = value.split_first_chunk::<8>()?;
    let (seq, rest) = rest.split_first_chunk::<8>()?;
    let (chain, rest) = rest.split_first_chunk::<32>()?;
    let sequence_before = u64::from_be_bytes(rest.try_into().ok()?);
    let head = Head { seq: u64::from_be_bytes(*seq), chain: *chain };
    Some((JournalPosition { batch: u64::from_be_bytes(*batch), head }, sequence_before))
}

/// For `map_err` on reads: errors of the operating system stay what they are, everything else is damage.
pub(crate) fn read_error(place: DamagePlace) -> impl FnOnce(fjall::Error) -> JournalError {
    move |error| {
        if let fjall::Error::Io(source) | fjall::Error::Storage(fjall::LsmError::Io(source)) = error {
            return io_error(place, source);
        }
        JournalError::damaged(place, format!("it cannot be read: {error}"))
    }
}

fn io_error(place: DamagePlace, source: io::Error) -> JournalError {
    let content = [io::ErrorKind::UnexpectedEof, io::ErrorKind::InvalidData, io::ErrorKind::NotFound];
    if content.contains(&source.kind()) {
        JournalError::damaged(place, format!("it cannot be read: {source}"))
    } else {
        JournalError::Io { doing: format!("reading {place}"), source }
    }
}

/// The place to name for a row of this table.
pub(crate) fn row_place(table: Table, key: &[u8]) -> DamagePlace {
    DamagePlace::Row { table, key: key.to_vec() }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".to_owned())
}
