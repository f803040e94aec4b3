//! Reads a copy again before it becomes the hall.

use crate::fault::{Fault, Problem};
use crate::storage::every_table;
use crate::verify_journal::build_state;
use hall_journal::{Copied, JournalReader, scrub_all};

/// What a copy turned out to hold.
pub(super) struct Checked {
    /// Facts that make the state.
    pub(super) facts: u64,
    /// The digest of the state.
    pub(super) digest: String,
}

/// Compares a copy with what was copied, and builds the state from its facts.
///
/// # Errors
/// It differs, or its facts make no state.
pub(super) fn check(copy: &dyn JournalReader, copied: &Copied) -> Result<Checked, Problem> {
    let damaged = |text: String| Problem { fault: Fault::Damaged, text };
    let head = copy.head()?;
    let found = scrub_all(copy, head, &every_table())?;
    if let Some(damage) = found.damage.first() {
        return Err(damaged(format!("the copy: {damage}")));
    }
    let snapshot = copy.newest_snapshot()?.map(|snapshot| snapshot.seq);
    if (head, found.records, found.rows, snapshot)
        != (copied.head, copied.head.seq, copied.rows, copied.snapshot)
    {
        return Err(damaged(format!(
            "the copy holds {} records up to record {} and {} rows, and {} records and {} rows were copied",
            found.records, head.seq, found.rows, copied.head.seq, copied.rows
        )));
    }
    let built = build_state(copy, false, head.seq).map_err(damaged)?;
    Ok(Checked { facts: built.facts, digest: built.hall.digest().to_string() })
}
