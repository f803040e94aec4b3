//! Where in the file of the head mark slots are written: one behind the other in one half until one does not fit, then from
//! the beginning of the other half. So the newest slot and what came right before it are never overwritten.

use crate::batch::MAX_BATCH_BYTES;

/// Slots begin at multiples of this, so that writing one touches no page of another.
pub const PAGE_BYTES: usize = 4096;

/// Bytes of a half, of which the file has two: room for the slot of the largest batch. The framing of an item is smaller
/// than what [`Batch::size`](crate::Batch::size) counts for it.
pub const HALF_BYTES: usize = MAX_BATCH_BYTES + 2 * PAGE_BYTES;

/// The place of the next slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ring {
    half: u64,
    /// Bytes of the half in which slots lie.
    used: usize,
    /// After so many bytes the other half is used next, though there is room in this one.
    turn_after: usize,
}

/// Where a slot is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The place in the file, in bytes.
    pub(crate) at: u64,
    /// Whether it is the first in its half, and so overwrites what was written before the half that was filled last.
    pub(crate) turns: bool,
}

impl Ring {
    /// Continues behind the newest slot, whose place and length these are.
    pub(crate) fn behind(newest: Option<(u64, usize)>, turn_after: usize) -> Self {
        let (at, len) = newest.unwrap_or((0, 0));
        let half = at.checked_div(place(1, 0)).unwrap_or(0);
        let inside = usize::try_from(at.saturating_sub(place(half, 0))).unwrap_or(usize::MAX);
        Self { half, used: inside.saturating_add(whole_pages(len)), turn_after }
    }

    /// The place of the next slot, which has so many bytes.
    pub(crate) fn next(&mut self, len: usize) -> Place {
        let len = whole_pages(len);
        let turns =
            self.used > 0 && (self.used >= self.turn_after || self.used.saturating_add(len) > HALF_BYTES);
        if turns {
            (self.half, self.used) = (1_u64.saturating_sub(self.half), 0);
        }
        let at = place(self.half, self.used);
        self.used = self.used.saturating_add(len);
        Place { at, turns }
    }
}

/// A place in a half as a place in the file.
pub(crate) fn place(half: u64, inside: usize) -> u64 {
    let bytes = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
    half.saturating_mul(bytes(HALF_BYTES)).saturating_add(bytes(inside))
}

/// A length in whole pages, in bytes.
pub(crate) const fn whole_pages(len: usize) -> usize {
    len.div_ceil(PAGE_BYTES).saturating_mul(PAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(half: u64, pages: usize) -> u64 {
        place(half, pages * PAGE_BYTES)
    }

    #[test]
    fn slots_follow_each_other_by_pages_until_one_does_not_fit() {
        let mut ring = Ring::behind(None, HALF_BYTES);
        assert_eq!(ring.next(1), Place { at: at(0, 0), turns: false });
        assert_eq!(ring.next(PAGE_BYTES + 1), Place { at: at(0, 1), turns: false });
        assert_eq!(ring.next(PAGE_BYTES), Place { at: at(0, 3), turns: false });
        assert_eq!(ring.next(HALF_BYTES - 4 * PAGE_BYTES + 1), Place { at: at(1, 0), turns: true });
        assert_eq!(ring.next(4 * PAGE_BYTES), Place { at: at(0, 0), turns: true });
    }

    #[test]
    fn the_largest_slots_take_the_halves_in_turn() {
        let mut ring = Ring::behind(Some((at(1, 0), HALF_BYTES)), HALF_BYTES);
        for half in [0, 1, 0, 1] {
            assert_eq!(ring.next(HALF_BYTES), Place { at: at(half, 0), turns: true });
        }
    }

    #[test]
    fn a_half_that_is_used_enough_is_left() {
        let mut ring = Ring::behind(Some((at(0, 0), 9)), 2 * PAGE_BYTES);
        assert_eq!(ring.next(9), Place { at: at(0, 1), turns: false });
        assert_eq!(ring.next(9), Place { at: at(1, 0), turns: true });
    }

    #[test]
    fn the_newest_slot_is_never_overwritten() {
        let mut draws = 1_u64;
        let mut ring = Ring::behind(None, HALF_BYTES);
        let mut newest: Option<(u64, usize)> = None;
        for _ in 0..10_000 {
            draws = draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let len = 1 + usize::try_from(draws >> 33).unwrap() % (HALF_BYTES >> (draws % 12));
            let Place { at, .. } = ring.next(len);
            let end = |at: u64, len: usize| at + u64::try_from(whole_pages(len)).unwrap();
            assert!(end(at, len) <= place(2, 0));
            if let Some((before, bytes)) = newest {
                assert!(end(at, len) <= before || end(before, bytes) <= at);
            }
            newest = Some((at, len));
            assert_eq!(Ring::behind(newest, HALF_BYTES), ring, "reopening continues at the same place");
        }
    }
}
