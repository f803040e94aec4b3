//! The places of one leaderboard in rank order, in runs of bounded length: the rank of a place is found by the lengths of
//! the runs before it.
//!
//! How the places are divided into runs follows from the order of changes, and means nothing: rankings compare and
//! serialize like the set of their places.

use super::place::Place;
use alloc::collections::{BTreeMap, BTreeSet};
use core::ops::Bound;
use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Serialize, Serializer};

const LONGEST_RUN: usize = 1_024;

/// See the module.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "BTreeSet<Place>")]
pub(in crate::desk) struct Ranking {
    /// Each run under a place that is not behind any of its own, and behind all of the runs before. No run is empty.
    runs: BTreeMap<Place, BTreeSet<Place>>,
}

impl Ranking {
    pub(super) fn insert(&mut self, place: Place) {
        let key = self.key_of(&place).unwrap_or_else(|| {
            // It comes before all others, so it begins the first run.
            let first = self.runs.pop_first().map(|(_, run)| run);
            self.runs.insert(place, first.unwrap_or_default());
            place
        });
        let Some(run) = self.runs.get_mut(&key) else { return };
        run.insert(place);
        if run.len() > LONGEST_RUN
            && let Some(middle) = run.iter().nth(LONGEST_RUN / 2).copied()
        {
            let rest = run.split_off(&middle);
            self.runs.insert(middle, rest);
        }
    }

    pub(super) fn remove(&mut self, place: &Place) {
        let Some(key) = self.key_of(place) else { return };
        let Some(run) = self.runs.get_mut(&key) else { return };
        run.remove(place);
        if run.is_empty() {
            self.runs.remove(&key);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The places behind `after`, or all, in rank order and with their ranks, which begin with 1.
    pub(in crate::desk) fn ranked(&self, after: Option<Place>) -> impl Iterator<Item = (u64, &Place)> {
        let key = after.and_then(|after| self.key_of(&after));
        let passed: usize = key.map_or(0, |key| self.runs.range(..key).map(|(_, run)| run.len()).sum());
        let from = key.map_or(Bound::Unbounded, Bound::Included);
        let runs = self.runs.range((from, Bound::Unbounded)).flat_map(|(_, run)| run);
        let ranks = u64::try_from(passed).unwrap_or(u64::MAX).saturating_add(1)..;
        ranks.zip(runs).skip_while(move |(_, place)| after.is_some_and(|after| **place <= after))
    }

    /// The key of the run in which a place stands or would stand; `None` for one before all others.
    fn key_of(&self, place: &Place) -> Option<Place> {
        self.runs.range(..=place).next_back().map(|(key, _)| *key)
    }

    fn places(&self) -> impl Iterator<Item = &Place> {
        self.runs.values().flatten()
    }
}

impl From<BTreeSet<Place>> for Ranking {
    fn from(places: BTreeSet<Place>) -> Self {
        let mut ranking = Self::default();
        places.into_iter().for_each(|place| ranking.insert(place));
        ranking
    }
}

impl Serialize for Ranking {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut places = serializer.serialize_seq(Some(self.runs.values().map(BTreeSet::len).sum()))?;
        self.places().try_for_each(|place| places.serialize_element(place))?;
        places.end()
    }
}

impl PartialEq for Ranking {
    fn eq(&self, other: &Self) -> bool {
        self.places().eq(other.places())
    }
}

impl Eq for Ranking {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::standings::Rating;
    use alloc::vec::Vec;
    use hall_wire::{HomologationId, Timestamp};
    use proptest::prelude::*;

    /// Few ratings, so that many places differ in their entry alone.
    fn place(number: u16) -> Place {
        let mut id = [0; 16];
        id[..2].copy_from_slice(&number.to_be_bytes());
        let rating = Rating { rating: i32::from(number % 7), ..Rating::NEW };
        Place::of(HomologationId::from_bytes(id), Timestamp::from_millis(0), &rating)
    }

    fn check(ranking: &Ranking, places: &BTreeSet<Place>) {
        assert!(ranking.runs.values().all(|run| !run.is_empty() && run.len() <= LONGEST_RUN));
        let expected: Vec<_> = (1..).zip(places).collect();
        assert_eq!(ranking.ranked(None).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_long_ranking_ranks_like_a_set_as_it_grows_and_shrinks() {
        let (mut ranking, mut places) = (Ranking::default(), BTreeSet::new());
        // A step that is prime to the number of places comes to each of them once, out of order.
        let numbers: Vec<u16> =
            (0..5_000_u32).map(|step| u16::try_from(step * 1_237 % 5_000).unwrap()).collect();
        for number in &numbers {
            ranking.insert(place(*number));
            places.insert(place(*number));
        }
        assert!(ranking.runs.len() > 3);
        check(&ranking, &places);
        for number in numbers.iter().step_by(97) {
            let after = place(*number);
            let mut behind = ranking.ranked(Some(after));
            let expected = places.range((Bound::Excluded(after), Bound::Unbounded)).next();
            let rank = u64::try_from(places.range(..=after).count()).unwrap() + 1;
            assert_eq!(behind.next(), expected.map(|place| (rank, place)));
        }
        for number in &numbers {
            ranking.remove(&place(*number));
            places.remove(&place(*number));
            if number % 500 == 0 {
                check(&ranking, &places);
            }
        }
        assert!(ranking.is_empty());
    }

    proptest! {
        #[test]
        fn a_ranking_compares_and_serializes_like_the_set_of_its_places(
            numbers in proptest::collection::vec(0..200_u16, 0..100),
            removed in proptest::collection::vec(0..200_u16, 0..100),
            after in 0..200_u16,
        ) {
            let mut places: BTreeSet<Place> = numbers.iter().map(|number| place(*number)).collect();
            let mut ranking = Ranking::from(places.clone());
            for number in removed {
                prop_assert_eq!(ranking.ranked(None).count(), places.len());
                ranking.remove(&place(number));
                places.remove(&place(number));
            }
            check(&ranking, &places);
            let behind: Vec<_> = ranking.ranked(Some(place(after))).map(|(rank, place)| (rank, *place)).collect();
            let expected = (1..).zip(places.iter().copied()).filter(|(_, other)| *other > place(after));
            prop_assert_eq!(behind, expected.collect::<Vec<_>>());
            let bytes = postcard::to_allocvec(&ranking).unwrap();
            prop_assert_eq!(&bytes, &postcard::to_allocvec(&places).unwrap());
            prop_assert_eq!(postcard::from_bytes::<Ranking>(&bytes).unwrap(), ranking);
        }
    }
}
