//! The batch of a step: the records and rows that become durable together.

use crate::log::TreeBuilder;
use crate::projection;
use crate::record::JournalEntry;
use crate::tables::FactPlace;
use hall_core::Hall;
use hall_journal::{Batch, Row};

/// The size in bytes from which a batch takes nothing more; the journal accepts four times as much.
const BATCH_BYTES: usize = 1024 * 1024;

/// What the step has decided but not yet made durable.
#[derive(Default)]
pub(super) struct PendingBatch {
    pub(super) batch: Batch,
    bytes: usize,
    /// Facts in its records.
    pub(super) facts: usize,
}

impl PendingBatch {
    /// Whether it takes nothing more.
    pub(super) const fn is_full(&self) -> bool {
        self.bytes >= BATCH_BYTES
    }

    /// Adds the record of an applied decision with its rows. `hall` is the state after it, `rated` are the rows that
    /// need the state before it, `seq` is the number that the record gets.
    pub(super) fn add(
        &mut self,
        seq: u64,
        entry: &JournalEntry,
        hall: &Hall,
        rated: Vec<Row>,
        tree: &mut TreeBuilder,
    ) {
        let rows = &mut self.batch.rows;
        let before = rows.len();
        rows.extend(rated);
        for (fact, index) in entry.facts.iter().zip(0..) {
            let place = FactPlace { record: seq, index };
            tree.add(fact, place, rows);
            rows.extend(projection::rows(fact, place, hall));
        }
        let size = |row: &Row| row.key.len() + row.value.as_ref().map_or(0, Vec::len);
        self.bytes += rows.iter().skip(before).map(size).sum::<usize>();
        let record = entry.encode();
        self.bytes += record.len();
        self.batch.records.push(record);
        self.facts += entry.facts.len();
    }
}
