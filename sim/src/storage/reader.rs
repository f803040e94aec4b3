//! The reading end: places from the index, bytes from the disk, every answer checked.

use super::journal::{Shared, io_error};
use super::layout::{snapshot_name, snapshots, write_whole};
use super::pages::to_usize;
use hall_journal::kit::{decode_snapshot, encode_snapshot};
use hall_journal::{
    Damage, Head, JournalError, JournalReader, KeyRange, KeyValue, Place, Record, Snapshot, Table,
};
use std::io;
use std::ops::Bound;
use std::sync::{Arc, PoisonError};

/// How many snapshots are kept.
const KEPT: usize = 2;

/// Reads from an open journal, and keeps it open.
pub(super) struct SimReader(Arc<Shared>);

impl SimReader {
    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// A snapshot, if it is sound and of this journal; else the damage.
    fn sound_snapshot(&self, seq: u64) -> Result<Result<Snapshot, Damage>, JournalError> {
        let name = snapshot_name(seq);
        let damage =
            |what: &str| Ok(Err(Damage { place: Place::Snapshot(name.clone()), what: what.to_owned() }));
        let session = &self.0.session;
        let length = session.length(&name).unwrap_or(0);
        let bytes = match session.read_exact(&name, 0, to_usize(length)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return damage("it ended too early");
            }
            Err(error) => return Err(io_error("reading a snapshot")(error)),
        };
        let Some(snapshot) = decode_snapshot(bytes) else {
            return damage("its bytes are not those that were written");
        };
        let fits = self.0.index().head_at(snapshot.seq).is_some_and(|head| head.chain == snapshot.chain);
        if fits { Ok(Ok(snapshot)) } else { damage("it belongs to another journal") }
    }
}

impl JournalReader for SimReader {
    fn head(&self) -> Result<Head, JournalError> {
        Ok(self.0.index().position.head)
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError> {
        let index = self.0.index();
        let mut found = Vec::new();
        let mut seq = from.max(1);
        while found.len() < limit {
            let Some(record) = index.record(&self.0.session, seq)? else { break };
            found.push(record);
            seq = seq.saturating_add(1);
        }
        Ok(found)
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        let index = self.0.sorted_index();
        let key = (table.tag(), key.to_vec());
        index.rows().get(&key).map(|row| index.value(&self.0.session, &key, row)).transpose()
    }

    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let tag = table.tag();
        let start = match range.start {
            Bound::Included(key) => Bound::Included((tag, key)),
            Bound::Excluded(key) => Bound::Excluded((tag, key)),
            Bound::Unbounded => Bound::Included((tag, Vec::new())),
        };
        let end = match range.end {
            Bound::Included(key) => Bound::Included((tag, key)),
            Bound::Excluded(key) => Bound::Excluded((tag, key)),
            Bound::Unbounded => Bound::Excluded((tag.saturating_add(1), Vec::new())),
        };
        let index = self.0.sorted_index();
        let found = index.rows().range((start, end));
        let checked = |(key, row)| {
            let (_, own): &(u8, Vec<u8>) = key;
            Ok((own.clone(), index.value(&self.0.session, key, row)?))
        };
        if reverse {
            found.rev().take(limit).map(checked).collect()
        } else {
            found.take(limit).map(checked).collect()
        }
    }

    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError> {
        for seq in snapshots(&self.0.session) {
            if let Ok(snapshot) = self.sound_snapshot(seq)? {
                return Ok(Some(snapshot));
            }
        }
        Ok(None)
    }

    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        let _writing = self.0.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        let seq = snapshot.seq;
        if self.0.index().head_at(seq).is_none_or(|head| head.chain != snapshot.chain) {
            return Err(JournalError::SnapshotForeign { seq });
        }
        let session = &self.0.session;
        write_whole(session, &snapshot_name(seq), &encode_snapshot(snapshot)?)
            .map_err(io_error("writing a snapshot"))?;
        for old in snapshots(session).into_iter().skip(KEPT) {
            session.remove(&snapshot_name(old)).map_err(io_error("removing a snapshot"))?;
        }
        self.0.drop_old_records()
    }
}
