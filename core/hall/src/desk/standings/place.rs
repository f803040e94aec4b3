//! Where an entry stands on a leaderboard.

use crate::desk::standings::Rating;
use core::cmp::Reverse;
use hall_wire::{HomologationId, Timestamp};
use serde::{Deserialize, Serialize};

/// Where an entry ranks on a leaderboard: places sort in rank order. Provisional ratings come after the others, a
/// higher rating comes first, and of equal ones the entry that was filed earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    provisional: bool,
    rating: Reverse<i32>,
    filed_at: Timestamp,
    entry: HomologationId,
}

impl Place {
    /// The place of an entry with this rating.
    #[must_use]
    pub(crate) const fn of(entry: HomologationId, filed_at: Timestamp, rating: &Rating) -> Self {
        Self { provisional: rating.is_provisional(), rating: Reverse(rating.rating), filed_at, entry }
    }

    /// The holder of the place.
    #[must_use]
    pub const fn entry(&self) -> HomologationId {
        self.entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn places_sort_in_rank_order() {
        let rating = |rating, rd| Rating { rating, rd, ..Rating::NEW };
        let entry = |byte| HomologationId::from_bytes([byte; 16]);
        let at = Timestamp::from_millis;
        let ranked = [
            Place::of(entry(1), at(9), &rating(200_000, 5_000)),
            Place::of(entry(5), at(1), &rating(150_000, 5_000)),
            Place::of(entry(2), at(2), &rating(150_000, 11_000)),
            Place::of(entry(3), at(2), &rating(150_000, 6_000)),
            Place::of(entry(0), at(0), &rating(-5, 6_000)),
            Place::of(entry(4), at(0), &rating(250_000, 11_001)),
            Place::of(entry(6), at(0), &rating(240_000, 35_000)),
        ];
        let mut sorted = ranked.to_vec();
        sorted.reverse();
        sorted.sort();
        assert_eq!(sorted, Vec::from(ranked));
    }
}
