//! The background scrub of old records and rows, so that damage is found while an undamaged backup still exists.

use crate::batch::Head;
use crate::error::{Damage, DamagePlace, JournalError};
use crate::journal::{JournalReader, KeyRange};
use crate::table::Table;
use std::ops::Bound;

/// Where the scrub continues. The default begins at the first record and the first table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScrubCursor {
    /// The last record that was checked.
    seq: u64,
    /// Index into the tables of the one being checked.
    table: usize,
    /// The last key of that table that was checked.
    key: Option<Vec<u8>>,
}

/// The result of one step of the scrub.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScrubStep {
    /// Records checked.
    pub records: u64,
    /// Rows checked.
    pub rows: u64,
    /// Whether the last record was reached; the next step begins with the first.
    pub records_wrapped: bool,
    /// Whether the last table was finished; the next step begins with the first.
    pub rows_wrapped: bool,
    /// The damage found.
    pub damage: Vec<Damage>,
}

/// Checks the next `limit` records and the next `limit` rows of these tables after `cursor` against their hashes, and
/// starts over after the last. Damage is reported in the step, and the cursor moves past it.
///
/// # Errors
/// If the operating system refuses to read.
pub fn scrub(
    reader: &dyn JournalReader,
    tables: &[Table],
    cursor: &mut ScrubCursor,
    limit: usize,
) -> Result<ScrubStep, JournalError> {
    let mut step = ScrubStep::default();
    scrub_records(reader, reader.head()?, cursor, limit, &mut step)?;
    scrub_rows(reader, tables, cursor, limit, &mut step)?;
    Ok(step)
}

/// How many records and rows are read at a time where everything is read.
const STEP: usize = 4096;

/// Checks all records up to `head` and all rows of these tables.
///
/// # Errors
/// If the journal cannot be read; damage is reported in the result.
pub fn scrub_all(
    reader: &dyn JournalReader,
    head: Head,
    tables: &[Table],
) -> Result<ScrubStep, JournalError> {
    let (mut cursor, mut found) = (ScrubCursor::default(), ScrubStep::default());
    while !found.records_wrapped {
        scrub_records(reader, head, &mut cursor, STEP, &mut found)?;
    }
    while !found.rows_wrapped {
        scrub_rows(reader, tables, &mut cursor, STEP, &mut found)?;
    }
    Ok(found)
}

/// Checks the next records.
fn scrub_records(
    reader: &dyn JournalReader,
    head: Head,
    cursor: &mut ScrubCursor,
    limit: usize,
    step: &mut ScrubStep,
) -> Result<(), JournalError> {
    let wanted = head.seq.saturating_sub(cursor.seq).min(u64::try_from(limit).unwrap_or(u64::MAX));
    let end = cursor.seq.saturating_add(wanted);
    while cursor.seq < end {
        let rest = usize::try_from(end.saturating_sub(cursor.seq)).unwrap_or(usize::MAX);
        match reader.records(cursor.seq.saturating_add(1), rest) {
            Ok(records) => {
                step.records = step.records.saturating_add(u64::try_from(records.len()).unwrap_or(u64::MAX));
                cursor.seq = end;
            }
            Err(JournalError::Damaged(damage)) => {
                // The named record is skipped; if none can be named, the rest of this step is skipped.
                cursor.seq = match damage.place {
                    DamagePlace::Record(seq) if seq > cursor.seq => seq.min(end),
                    DamagePlace::Record(_)
                    | DamagePlace::Row { .. }
                    | DamagePlace::Table(_)
                    | DamagePlace::Snapshot(_)
                    | DamagePlace::Store => end,
                };
                step.damage.push(damage);
            }
            Err(other) => return Err(other),
        }
    }
    if cursor.seq >= head.seq {
        cursor.seq = 0;
        step.records_wrapped = true;
    }
    Ok(())
}

/// Checks the next rows.
fn scrub_rows(
    reader: &dyn JournalReader,
    tables: &[Table],
    cursor: &mut ScrubCursor,
    limit: usize,
    step: &mut ScrubStep,
) -> Result<(), JournalError> {
    let mut left = limit;
    while left > 0 {
        let Some(table) = tables.get(cursor.table) else {
            *cursor = ScrubCursor { seq: cursor.seq, table: 0, key: None };
            step.rows_wrapped = true;
            return Ok(());
        };
        let start = cursor.key.clone().map_or(Bound::Unbounded, Bound::Excluded);
        match reader.rows(*table, KeyRange { start, end: Bound::Unbounded }, false, left) {
            Ok(rows) => {
                let found = rows.len();
                step.rows = step.rows.saturating_add(u64::try_from(found).unwrap_or(u64::MAX));
                match rows.into_iter().last() {
                    Some((key, _)) if found == left => cursor.key = Some(key),
                    Some(_) | None => next_table(cursor),
                }
                left = left.saturating_sub(found);
            }
            Err(JournalError::Damaged(damage)) => {
                // A damaged row whose key is known is skipped; a part that cannot be read at all ends its table.
                match &damage.place {
                    DamagePlace::Row { key, .. } => cursor.key = Some(key.clone()),
                    DamagePlace::Record(_)
                    | DamagePlace::Table(_)
                    | DamagePlace::Snapshot(_)
                    | DamagePlace::Store => next_table(cursor),
                }
                step.damage.push(damage);
                left = left.saturating_sub(1);
            }
            Err(other) => return Err(other),
        }
    }
    Ok(())
}

fn next_table(cursor: &mut ScrubCursor) {
    cursor.table = cursor.table.saturating_add(1);
    cursor.key = None;
}
