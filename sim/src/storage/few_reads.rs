//! A journal of which only the first reads succeed, for those who must report one that cannot be read.

use hall_journal::{
    Batch, Head, Journal, JournalError, JournalReader, KeyRange, KeyValue, MemoryJournal, Record, Snapshot,
    Table,
};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A journal whose readers have so many reads together; all later ones fail.
pub(crate) struct FewReads {
    inner: MemoryJournal,
    left: Arc<AtomicUsize>,
}

struct FewReadsReader {
    inner: Arc<dyn JournalReader>,
    left: Arc<AtomicUsize>,
}

impl FewReads {
    pub(crate) fn of(inner: MemoryJournal, reads: usize) -> Self {
        Self { inner, left: Arc::new(AtomicUsize::new(reads)) }
    }
}

impl FewReadsReader {
    fn read(&self) -> Result<(), JournalError> {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        let failed = io::Error::other("no read is left");
        left.map(drop).map_err(|_| JournalError::Io { doing: "reading".to_owned(), source: failed })
    }
}

impl Journal for FewReads {
    fn head(&self) -> Head {
        self.inner.head()
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        self.inner.append(batch)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(FewReadsReader { inner: self.inner.reader(), left: Arc::clone(&self.left) })
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        self.inner.free_bytes()
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        Box::new(self.inner).close()
    }
}

impl JournalReader for FewReadsReader {
    fn head(&self) -> Result<Head, JournalError> {
        self.inner.head()
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError> {
        self.read()?;
        self.inner.records(from, limit)
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        self.read()?;
        self.inner.row(table, key)
    }

    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError> {
        self.read()?;
        self.inner.rows(table, range, reverse, limit)
    }

    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError> {
        self.read()?;
        self.inner.newest_snapshot()
    }

    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        self.inner.put_snapshot(snapshot)
    }
}
