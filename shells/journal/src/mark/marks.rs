//! What the file of the head mark holds: the newest run of its slots.

use crate::mark::ring::{self, PAGE_BYTES};
use crate::mark::slot::{self, Slot};

/// The readable contents of the mark.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The slots that follow each other up to the newest, in the order in which they were written. Others are left over
    /// from an earlier time, or lie before one that cannot be read.
    pub ascending: Vec<Slot>,
    /// Where the newest slot begins in the file, and how many bytes it has.
    pub newest_place: Option<(u64, usize)>,
}

impl Marks {
    /// What the two halves of the file say.
    ///
    /// A slot begins a page. What lies within one is not looked at, so what a batch carries is not taken for a slot; and in
    /// what is left of an older one, only bytes that no text holds would be.
    #[must_use]
    pub fn of(halves: [&[u8]; 2]) -> Self {
        let mut found = Vec::new();
        for (half, bytes) in (0_u64..).zip(halves) {
            let mut at = 0_usize;
            while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
                let slot = slot::decode(rest).zip(slot::encoded_len(rest));
                let len = slot.as_ref().map_or(PAGE_BYTES, |(_, len)| *len);
                let place = ring::place(half, at);
                found.extend(slot.map(|(slot, len)| ((place, len), slot)));
                at = at.saturating_add(ring::whole_pages(len));
            }
        }
        // At the same batch, the slot without content was written after the batch, when the journal was closed.
        found.sort_by_key(|(_, slot)| (slot.after.batch, slot.batch.is_none()));
        let mut pairs = found.iter().zip(found.iter().skip(1));
        let gap = pairs.rposition(|((_, before), (_, after))| !after.follows(before));
        let first = gap.map_or(0, |before| before.saturating_add(1));
        let newest_place = found.last().map(|(place, _)| *place);
        Self { ascending: found.into_iter().skip(first).map(|(_, slot)| slot).collect(), newest_place }
    }

    /// The newest readable slot.
    #[must_use]
    pub fn newest(&self) -> Option<&Slot> {
        self.ascending.last()
    }

    /// Whether the journal was closed, so that all of it was durable in the store.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.newest().is_some_and(|newest| newest.batch.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Batch, Head};
    use crate::mark::JournalPosition;
    use crate::mark::ring::HALF_BYTES;

    /// The sealed slot of a batch, in whole pages.
    fn pages(batch: Option<u64>, at: u64, bytes: usize) -> Vec<u8> {
        let after = JournalPosition { batch: at, head: Head::EMPTY };
        let content = batch.map(|_| Batch { records: vec![vec![7; bytes]], rows: vec![] });
        let mut slot = Vec::new();
        slot::encode(&mut slot, &Head::EMPTY, &after, content.as_ref());
        slot::seal(&mut slot);
        slot.resize(ring::whole_pages(slot.len()), 0);
        slot
    }

    fn batch(at: u64) -> Vec<u8> {
        pages(Some(at), at, 100)
    }

    fn closed(at: u64) -> Vec<u8> {
        pages(None, at, 0)
    }

    /// The numbers of the run, those of slots without content with a minus.
    fn run(first: &[Vec<u8>], second: &[Vec<u8>]) -> Vec<i64> {
        let (first, second) = (first.concat(), second.concat());
        let number = |slot: &Slot| {
            let number = i64::try_from(slot.after.batch).unwrap();
            if slot.batch.is_some() { number } else { -number }
        };
        Marks::of([&first, &second]).ascending.iter().map(number).collect()
    }

    #[test]
    fn the_run_ends_with_the_newest_slot_and_begins_behind_the_last_gap() {
        type Case<'a> = (&'a str, Vec<Vec<u8>>, Vec<Vec<u8>>, &'a [i64]);
        let zeros = || vec![0; PAGE_BYTES];
        let mut torn = pages(Some(4), 4, 3 * PAGE_BYTES);
        torn[2 * PAGE_BYTES] ^= 1;
        let table: Vec<Case<'_>> = vec![
            ("nothing was written", vec![], vec![zeros()], &[]),
            ("in one half", vec![batch(1), batch(2), zeros()], vec![], &[1, 2]),
            ("over both halves", vec![batch(3), batch(4)], vec![batch(5), batch(6)], &[3, 4, 5, 6]),
            ("over older ones", vec![batch(7), batch(4)], vec![batch(5), batch(6)], &[4, 5, 6, 7]),
            ("a gap before the newest", vec![batch(1), batch(2)], vec![batch(4), batch(5)], &[4, 5]),
            ("closed and continued", vec![batch(1), closed(1), batch(2)], vec![], &[1, -1, 2]),
            ("closed twice", vec![batch(1), closed(1), closed(1)], vec![], &[1, -1, -1]),
            ("one that the store alone held", vec![batch(1), closed(2), batch(3)], vec![], &[1, -2, 3]),
            ("a torn one between", vec![batch(3), torn.clone(), batch(5)], vec![], &[5]),
            ("a torn one at the end", vec![batch(2), batch(3), torn], vec![], &[2, 3]),
        ];
        for (name, first, second, expected) in table {
            assert_eq!(run(&first, &second), expected, "{name}");
        }
    }

    #[test]
    fn a_slot_that_a_record_carries_is_no_slot() {
        let carried = [vec![7; PAGE_BYTES - slot::HEADER_BYTES - 8], batch(9)].concat();
        let content = Batch { records: vec![carried], rows: vec![] };
        let after = JournalPosition { batch: 1, head: Head::EMPTY };
        let mut slot = Vec::new();
        slot::encode(&mut slot, &Head::EMPTY, &after, Some(&content));
        slot::seal(&mut slot);
        assert!(slot::decode(&slot[PAGE_BYTES..]).is_some(), "it begins a page");
        assert_eq!(run(&[slot], &[]), [1]);
    }

    #[test]
    fn the_place_of_the_newest_slot_is_told() {
        let first = [batch(1), pages(Some(2), 2, 5000)].concat();
        let marks = Marks::of([&first, &[]]);
        let second = u64::try_from(PAGE_BYTES).unwrap();
        assert_eq!(marks.newest_place.map(|(at, _)| at), Some(second));
        let marks = Marks::of([&first, &batch(3)]);
        assert_eq!(marks.newest_place.map(|(at, _)| at), u64::try_from(HALF_BYTES).ok());
    }
}
