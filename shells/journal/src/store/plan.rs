//! The plan for opening a store and a head mark that end at different batches: complete, accept or refuse.

use crate::error::OpenError;
use crate::mark::JournalPosition;
use crate::mark::marks::Marks;
use crate::mark::slot::Slot;
use std::path::Path;

/// The slots whose batches the store lacks, in order; empty if it lacks none. `at` is the store's position.
///
/// # Errors
/// If no crash explains what is found, so that acknowledged batches may be missing.
pub(crate) fn missing_batches<'a>(
    mark_path: &Path,
    marks: &'a Marks,
    at: &JournalPosition,
) -> Result<Vec<&'a Slot>, OpenError> {
    let Some(newest) = marks.newest() else {
        return Err(OpenError::MarkUnreadable { path: mark_path.to_path_buf() });
    };
    let mut reached = *at;
    let mut missing = Vec::new();
    for slot in &marks.ascending {
        if slot.after.batch == reached.batch && slot.after.head != reached.head {
            return Err(diverged(reached.head.seq));
        }
        if slot.batch.is_some() && slot.after.batch == reached.batch.saturating_add(1) {
            if slot.before != reached.head {
                return Err(diverged(reached.head.seq));
            }
            missing.push(slot);
            reached = slot.after;
        }
    }
    if reached.batch < newest.after.batch {
        return Err(OpenError::Behind {
            found: at.head.seq,
            found_batch: at.batch,
            expected: newest.after.head.seq,
            expected_batch: newest.after.batch,
        });
    }
    if reached.batch > newest.after.batch.saturating_add(1) {
        return Err(OpenError::Ahead { found_batch: reached.batch, expected_batch: newest.after.batch });
    }
    Ok(missing)
}

/// Journal and mark were written by different histories.
pub(crate) const fn diverged(seq: u64) -> OpenError {
    OpenError::Diverged { seq, what: "their hash chains are different" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Batch, Head};
    use crate::chain::next_head;

    fn at(batch: u64) -> JournalPosition {
        let head = (0..batch).fold(Head::EMPTY, |head, _| next_head(&head, b"record"));
        JournalPosition { batch, head }
    }

    fn with_batch(batch: u64) -> Slot {
        let content = Batch { records: vec![b"record".to_vec()], rows: vec![] };
        Slot { before: at(batch - 1).head, after: at(batch), batch: Some(content) }
    }

    fn closed(batch: u64) -> Slot {
        Slot::position(at(batch))
    }

    /// The outcome in short: the batches to complete, or the refusal's name.
    fn outcome(slots: &[Slot], store: &JournalPosition) -> String {
        let marks = Marks { ascending: slots.to_vec(), newest_place: None };
        match missing_batches(Path::new("head.mark"), &marks, store) {
            Ok(missing) => {
                missing.iter().map(|slot| slot.after.batch.to_string()).collect::<Vec<_>>().join(",")
            }
            Err(error) => format!("{error:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
        }
    }

    #[test]
    fn a_crash_is_completed_and_damage_is_refused() {
        let two = vec![with_batch(6), with_batch(7)];
        let table: Vec<(&str, Vec<Slot>, u64, &str)> = vec![
            ("in good order", two.clone(), 7, ""),
            ("the newest batch is missing in the store", two.clone(), 6, "7"),
            ("both batches are missing in the store", two.clone(), 5, "6,7"),
            ("many batches are missing in the store", (3..9).map(with_batch).collect(), 4, "5,6,7,8"),
            ("closed and continued", vec![with_batch(6), closed(6), with_batch(7)], 5, "6,7"),
            ("more is missing than the slots hold", two.clone(), 4, "Behind"),
            ("everything is missing", two.clone(), 0, "Behind"),
            ("the newest slot was torn, the store is whole", vec![with_batch(6)], 7, ""),
            ("the newest slot was torn, the store too", vec![with_batch(6)], 6, ""),
            ("the older slot is damaged", vec![with_batch(7)], 7, ""),
            ("the older slot is damaged, the newest batch is missing", vec![with_batch(7)], 6, "7"),
            ("the older slot is damaged, two batches are missing", vec![with_batch(7)], 5, "Behind"),
            ("the mark's write was not begun", two.clone(), 8, ""),
            ("the store is two ahead", two, 9, "Ahead"),
            ("closed", vec![with_batch(7), closed(7)], 7, ""),
            ("closed, the last batch is missing", vec![with_batch(7), closed(7)], 6, "7"),
            ("closed, two batches are missing", vec![with_batch(7), closed(7)], 5, "Behind"),
            ("closed, the batch slot is damaged and the batch is missing", vec![closed(7)], 6, "Behind"),
            ("created", vec![closed(0), closed(0)], 0, ""),
            ("created, first batch unmarked", vec![closed(0), closed(0)], 1, ""),
            ("first batch", vec![closed(0), with_batch(1)], 0, "1"),
            ("no slot can be read", vec![], 7, "MarkUnreadable"),
        ];
        for (name, slots, store, expected) in table {
            assert_eq!(outcome(&slots, &at(store)), expected, "{name}");
        }
    }

    #[test]
    fn a_different_history_is_refused_at_the_same_batch_and_before_it() {
        let foreign =
            |batch| JournalPosition { batch, head: next_head(&at(batch - 1).head, b"another record") };
        let slots = [with_batch(6), with_batch(7)];
        for batch in [5, 6, 7] {
            assert_eq!(outcome(&slots, &foreign(batch)), "Diverged", "batch {batch}");
        }
    }
}
