//! Rebuilds the state from a journal: the newest usable snapshot, and every fact after it.

use crate::docket_wording::docket_wording;
use crate::record::RecordedFacts;
use hall_core::Hall;
use hall_games::Catalog;
use hall_journal::{JournalError, JournalReader, Snapshot};
use hall_wire::Timestamp;

/// Names the layout of snapshots. It changes with every change of the state's types, and of what facts do to them, so
/// that a snapshot of another version is passed over and the state is built from the facts.
pub const SNAPSHOT_TAG: &str = concat!("hall-state/7+", env!("CARGO_PKG_VERSION"));

/// Records read at a time.
const PAGE: usize = 1_024;

/// Why the state cannot be rebuilt.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The journal cannot be read, or what it read is damaged.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A record is intact, but this version does not know its format.
    #[error(
        "record {seq} is not of a form that this version knows ({reason}); start the version that wrote it"
    )]
    Form {
        /// The record.
        seq: u64,
        /// What the decoder says.
        reason: String,
    },
}

/// A recovered state.
#[derive(Debug)]
pub struct Recovered {
    /// The state.
    pub hall: Hall,
    /// The record that it ends with.
    pub seq: u64,
    /// The record that the snapshot ended with, if one was used.
    pub from_snapshot: Option<u64>,
    /// Facts applied after it.
    pub facts: u64,
    /// When a gap began that had not been noted by the last record, if there is one.
    pub away_since: Option<Timestamp>,
}

/// Rebuilds the state from a journal: `until` a record, or to its end.
///
/// # Errors
/// The journal cannot be read, is damaged, or was written by a version that this one does not know.
///
/// # Panics
/// If facts contradict the state, which is possible only if another program wrote the journal.
pub fn recover(
    reader: &dyn JournalReader,
    catalog: Catalog,
    use_snapshot: bool,
    until: Option<u64>,
) -> Result<Recovered, RecoverError> {
    let mut recovered = Recovered {
        hall: Hall::new(catalog, docket_wording),
        seq: 0,
        from_snapshot: None,
        facts: 0,
        away_since: None,
    };
    let snapshot = if use_snapshot { reader.newest_snapshot()? } else { None };
    let usable =
        |snapshot: &Snapshot| snapshot.tag == SNAPSHOT_TAG && until.is_none_or(|until| snapshot.seq <= until);
    if let Some(snapshot) = snapshot.filter(usable) {
        match Hall::restore(catalog, docket_wording, &snapshot.bytes) {
            Ok(hall) => {
                recovered.hall = hall;
                recovered.seq = snapshot.seq;
                recovered.from_snapshot = Some(snapshot.seq);
                let last = reader.record(snapshot.seq)?;
                let last = last.map(|record| decode(record.seq, &record.bytes)).transpose()?;
                recovered.away_since = last.and_then(|entry| entry.away_since);
            }
            Err(error) => tracing::warn!(%error, seq = snapshot.seq, "a snapshot is passed over"),
        }
    }
    loop {
        let records = reader.records(recovered.seq + 1, PAGE)?;
        if records.is_empty() {
            return Ok(recovered);
        }
        for record in records {
            if until.is_some_and(|until| record.seq > until) {
                return Ok(recovered);
            }
            let entry = decode(record.seq, &record.bytes)?;
            for fact in &entry.facts {
                recovered.hall.apply(fact);
                recovered.facts += 1;
            }
            recovered.seq = record.seq;
            recovered.away_since = entry.away_since;
        }
    }
}

/// Reads the bytes of record `seq`.
pub(crate) fn decode(seq: u64, bytes: &[u8]) -> Result<RecordedFacts, RecoverError> {
    RecordedFacts::decode(bytes).map_err(|error| RecoverError::Form { seq, reason: error.to_string() })
}
