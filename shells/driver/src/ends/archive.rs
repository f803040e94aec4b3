//! Reading ends and ratings from the archive.

use super::{EndKey, KEY_BYTES, RatedGame, time_bytes};
use crate::archive::{Archive, ArchiveError, decode};
use crate::tables;
use hall_journal::{KeyRange, Table};
use hall_wire::{AgentId, GameId, Timestamp};
use std::ops::Bound;

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its position among all ends, with the time.
    pub key: EndKey,
    /// The game.
    pub game: GameId,
}

/// From which end of a range a reader begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndOrder {
    /// With the earliest end.
    OldestFirst,
    /// With the latest end.
    NewestFirst,
}

/// Which ends are read; every bound that is set holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndRange {
    /// Only ends with a greater key.
    pub after: Option<EndKey>,
    /// Only ends with a smaller key.
    pub before: Option<EndKey>,
    /// Only ends at this time or later.
    pub since: Option<Timestamp>,
    /// Only ends before this time.
    pub until: Option<Timestamp>,
}

impl EndRange {
    /// The keys of the range that begin with `prefix`, up to `last`.
    fn keys(self, prefix: &[u8], last: EndKey) -> KeyRange {
        let keyed = |rest: &[u8]| [prefix, rest].concat();
        let whole = KeyRange::prefix(prefix);
        let after = self.after.map(|key| Bound::Excluded(keyed(&key.encode())));
        let since = self.since.map(|at| Bound::Included(keyed(&time_bytes(at))));
        let before = self.before.map(|key| Bound::Excluded(keyed(&key.encode())));
        let until = self.until.map(|at| Bound::Excluded(keyed(&time_bytes(at))));
        let last = Some(Bound::Included(keyed(&last.encode())));
        // No key ends with the time, so of two bounds the greater or smaller bytes are the narrower one.
        let start = [after, since].into_iter().flatten().max_by(|one, other| bytes(one).cmp(bytes(other)));
        let ends = [before, until, last].into_iter().flatten();
        let end = ends.min_by(|one, other| bytes(one).cmp(bytes(other)));
        KeyRange { start: start.unwrap_or(whole.start), end: end.unwrap_or(whole.end) }
    }
}

fn bytes(bound: &Bound<Vec<u8>>) -> &[u8] {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => key,
        Bound::Unbounded => &[],
    }
}

impl Archive {
    /// Ends of games within `range`, `limit` at most.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn ends(&self, range: EndRange, order: EndOrder, limit: usize) -> Result<Vec<Ended>, ArchiveError> {
        self.ended_in(tables::ENDED_GAMES, range.keys(&[], self.last_end()), order, limit)
    }

    /// Ends of the games of one agent within `range`, `limit` at most.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn ends_of(
        &self,
        agent: &AgentId,
        range: EndRange,
        order: EndOrder,
        limit: usize,
    ) -> Result<Vec<Ended>, ArchiveError> {
        self.ended_in(tables::AGENT_ENDS, range.keys(agent.as_bytes(), self.last_end()), order, limit)
    }

    /// The greatest key that an end may have that is shown.
    fn last_end(&self) -> EndKey {
        EndKey::last_of(&self.shown_until())
    }

    /// The games of an agent that ended last, the latest first.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn latest_ends(&self, agent: &AgentId, limit: usize) -> Result<Vec<Ended>, ArchiveError> {
        self.ends_of(agent, EndRange::default(), EndOrder::NewestFirst, limit)
    }

    /// How a game counted for the ratings of its seats; `None` while it is live, and if it counted for nobody.
    ///
    /// # Errors
    /// The row is damaged or unknown.
    pub fn rated_game(&self, game: &GameId) -> Result<Option<RatedGame>, ArchiveError> {
        let row = self.reader().row(tables::RATED_GAMES, game.as_bytes())?;
        row.map(|bytes| decode(tables::RATED_GAMES, &bytes)).transpose()
    }

    fn ended_in(
        &self,
        table: Table,
        range: KeyRange,
        order: EndOrder,
        limit: usize,
    ) -> Result<Vec<Ended>, ArchiveError> {
        let reverse = order == EndOrder::NewestFirst;
        let rows = self.reader().rows(table, range, reverse, limit)?;
        let ended = |(key, value): &(Vec<u8>, Vec<u8>)| {
            let key = key.get(key.len().checked_sub(KEY_BYTES)?..)?;
            let game = GameId::from_bytes(value.as_slice().try_into().ok()?);
            Some(Ended { key: EndKey::decode(key)?, game })
        };
        let form = || ArchiveError::Form { table: table.name(), reason: "not the end of a game".to_owned() };
        rows.iter().map(|row| ended(row).ok_or_else(form)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable::Durable;
    use crate::tables::FactPlace;
    use crate::watched::Watched;
    use hall_games::CATALOG;
    use hall_journal::{Batch, Journal as _, MemoryJournal, Row};
    use std::sync::Arc;

    fn key(at: i64, record: u64) -> EndKey {
        EndKey { at: Timestamp::from_millis(at), place: FactPlace { record, index: 0 } }
    }

    /// The archive of a hall whose state is at `until`.
    fn archive_at(journal: &MemoryJournal, until: Durable) -> Archive {
        Archive::new(journal.reader(), CATALOG, Arc::new(Watched::new(until)))
    }

    fn game(number: u64) -> GameId {
        GameId::from_bytes(u128::from(number).to_be_bytes())
    }

    /// Ends of several games at some times: every bound is met by one end, missed by one, and met by several.
    const ENDS: [(i64, u64); 7] = [(10, 1), (10, 2), (20, 3), (20, 4), (20, 5), (30, 6), (256, 7)];

    fn journal() -> MemoryJournal {
        let mut journal = MemoryJournal::new();
        let row = |(at, record): (i64, u64)| Row {
            table: tables::ENDED_GAMES,
            key: key(at, record).encode(),
            value: Some(game(record).as_bytes().to_vec()),
        };
        journal.append(&Batch { records: Vec::new(), rows: ENDS.map(row).to_vec() }).unwrap();
        journal
    }

    #[test]
    fn a_range_holds_the_ends_within_all_its_bounds_in_either_order() {
        let journal = journal();
        let archive = archive_at(&journal, Durable::ALL);
        let keys = || [None].into_iter().chain(ENDS.map(|(at, record)| Some(key(at, record))));
        let times = || [None, Some(9), Some(10), Some(20), Some(21), Some(256), Some(257)].into_iter();
        for (after, before) in keys().flat_map(|after| keys().map(move |before| (after, before))) {
            for (since, until) in times().flat_map(|since| times().map(move |until| (since, until))) {
                let time = |at: Option<i64>| at.map(Timestamp::from_millis);
                let range = EndRange { after, before, since: time(since), until: time(until) };
                let inside = |(at, record): &(i64, u64)| {
                    after.is_none_or(|after| key(*at, *record) > after)
                        && before.is_none_or(|before| key(*at, *record) < before)
                        && since.is_none_or(|since| *at >= since)
                        && until.is_none_or(|until| *at < until)
                };
                let ended = |(at, record)| Ended { key: key(at, record), game: game(record) };
                let mut expected: Vec<Ended> = ENDS.into_iter().filter(inside).map(ended).collect();
                assert_eq!(archive.ends(range, EndOrder::OldestFirst, 9).unwrap(), expected, "{range:?}");
                expected.reverse();
                assert_eq!(archive.ends(range, EndOrder::NewestFirst, 9).unwrap(), expected, "{range:?}");
            }
        }
    }

    #[test]
    fn ends_are_shown_as_far_as_the_state_goes() {
        let journal = journal();
        let ends = |seq, millis| {
            let until = Durable { seq, at: Timestamp::from_millis(millis), failed: false };
            let ends =
                archive_at(&journal, until).ends(EndRange::default(), EndOrder::OldestFirst, 9).unwrap();
            ends.into_iter().map(|end| end.key.place.record).collect::<Vec<_>>()
        };
        for shown in 0..=ENDS.len() {
            let (expected, later) = ENDS.split_at(shown);
            let expected: Vec<u64> = expected.iter().map(|(_, record)| *record).collect();
            let (millis, record) = shown.checked_sub(1).map_or((0, 0), |last| ENDS[last]);
            assert_eq!(ends(record, millis), expected);
            // The clock has gone on to the very moment of the next end, which is in the next record.
            if let Some((millis, record)) = later.first() {
                assert_eq!(ends(record - 1, *millis), expected);
            }
        }
    }

    #[test]
    fn a_row_that_does_not_decode_as_an_end_is_an_error() {
        let mut journal = MemoryJournal::new();
        let row = Row { table: tables::ENDED_GAMES, key: vec![0; KEY_BYTES - 1], value: Some(vec![0; 16]) };
        journal.append(&Batch { records: Vec::new(), rows: vec![row] }).unwrap();
        let archive = archive_at(&journal, Durable::ALL);
        let error = archive.ends(EndRange::default(), EndOrder::OldestFirst, 1).unwrap_err();
        assert!(error.to_string().contains("ended_games"), "{error}");
    }
}
