//! Reading: everything is checked before it is returned.

use crate::batch::Head;
use crate::chain::next_head;
use crate::error::{Damage, DamagePlace, JournalError};
use crate::journal::{JournalReader, KeyRange, KeyValue, Record, Snapshot};
use crate::store::{Snapshots as _, Store, StoredRecord, snapshot};
use crate::table::Table;
use std::sync::{Arc, Mutex, PoisonError};

/// How many snapshots are kept: the newest, and one in case the newest turns out damaged.
const SNAPSHOTS_KEPT: usize = 2;

/// Reads from an open store, and keeps it open.
pub(crate) struct StoreReader<S> {
    store: Arc<S>,
    writing_snapshots: Arc<Mutex<()>>,
}

impl<S: Store> StoreReader<S> {
    pub(crate) const fn new(store: Arc<S>, writing_snapshots: Arc<Mutex<()>>) -> Self {
        Self { store, writing_snapshots }
    }

    pub(crate) fn store(&self) -> &S {
        &self.store
    }

    /// Whether a snapshot's chain is that of this journal at its record.
    fn fits(&self, snapshot: &Snapshot) -> Result<bool, JournalError> {
        let head = self.store.head_at(&self.store.instant()?, snapshot.seq)?;
        Ok(head.is_some_and(|head| head.chain == snapshot.chain))
    }

    /// A snapshot, if it is intact and belongs to this journal; otherwise the damage.
    fn sound_snapshot(&self, seq: u64) -> Result<Result<Snapshot, Damage>, JournalError> {
        let snapshots = self.store.snapshots();
        let damage = |what: String| Ok(Err(Damage::new(DamagePlace::Snapshot(snapshots.name(seq)), what)));
        match snapshots.read(seq) {
            Ok(bytes) => match snapshot::decode(bytes) {
                Some(snapshot) if self.fits(&snapshot)? => Ok(Ok(snapshot)),
                Some(_) => damage("it belongs to another journal".to_owned()),
                None => damage("its bytes are not those that were written".to_owned()),
            },
            Err(JournalError::Damaged(damage)) => Ok(Err(damage)),
            // A snapshot only saves time: a bad sector, or an owner who may not read it, is no reason not to start.
            Err(JournalError::Io { source, .. }) => damage(format!("it cannot be read: {source}")),
            Err(other) => Err(other),
        }
    }

    /// Reads every stored snapshot; returns the number of intact ones, and the damage of the others.
    pub(crate) fn check_snapshots(&self) -> Result<(usize, Vec<Damage>), JournalError> {
        let mut sound: usize = 0;
        let mut damaged = Vec::new();
        for seq in self.store.snapshots().newest_first()? {
            match self.sound_snapshot(seq)? {
                Ok(_) => sound = sound.saturating_add(1),
                Err(damage) => damaged.push(damage),
            }
        }
        Ok((sound, damaged))
    }
}

/// Records from `from` on in one snapshot of the store, each checked against the one before; `None` beyond the head.
pub(crate) fn chained<S: Store>(
    store: &S,
    at: &S::Instant<'_>,
    from: u64,
) -> Result<Option<impl Iterator<Item = Result<Record, JournalError>>>, JournalError> {
    let previous = from.saturating_sub(1);
    let Some(before) = store.head_at(at, previous)? else {
        // A missing record is allowed only beyond the head.
        return match store.records(at, previous).next() {
            None => Ok(None),
            Some(_) => Err(JournalError::damaged(DamagePlace::Record(previous), "it is missing")),
        };
    };
    Ok(Some(chained_after(before, store.records(at, from))))
}

/// Stored records, each checked to continue the chain from `before` on without a gap.
pub fn chained_after(
    mut before: Head,
    records: impl Iterator<Item = Result<StoredRecord, JournalError>>,
) -> impl Iterator<Item = Result<Record, JournalError>> {
    records.map(move |record| {
        let StoredRecord { seq: found, chain, bytes } = record?;
        let seq = before.seq.saturating_add(1);
        if found != seq {
            return Err(JournalError::damaged(DamagePlace::Record(seq), "it is missing"));
        }
        let head = next_head(&before, &bytes);
        if head.chain != chain {
            return Err(JournalError::damaged(
                DamagePlace::Record(seq),
                "it does not continue the hash chain",
            ));
        }
        before = head;
        Ok(Record { seq, chain, bytes })
    })
}

impl<S: Store> JournalReader for StoreReader<S> {
    fn head(&self) -> Result<Head, JournalError> {
        Ok(self.store.position(&self.store.instant()?)?.head)
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError> {
        let now = self.store.instant()?;
        let records = chained(&*self.store, &now, from.max(1))?;
        records.map_or_else(|| Ok(Vec::new()), |records| records.take(limit).collect())
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        self.store.row(table, key)
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
        self.store.rows(table, range, reverse, limit)
    }

    fn keys(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, JournalError> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        self.store.keys(table, range, reverse, limit)
    }

    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError> {
        for seq in self.store.snapshots().newest_first()? {
            match self.sound_snapshot(seq)? {
                Ok(snapshot) => return Ok(Some(snapshot)),
                Err(damage) => tracing::warn!(%damage, "a snapshot is passed over"),
            }
        }
        Ok(None)
    }

    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        let _writing = self.writing_snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.fits(snapshot)? {
            return Err(JournalError::SnapshotForeign { seq: snapshot.seq });
        }
        snapshot::put(self.store.snapshots(), snapshot, SNAPSHOTS_KEPT)
    }
}
