//! Ended games in the order of their end, and what each did to the ratings of its seats.
//!
//! Core time never goes backwards and the numbers of records rise, so an end that comes later has a greater
//! [`EndKey`]: a reader that continues behind the last key it saw misses nothing.
//!
//! | table | key | value |
//! |---|---|---|
//! | `ended_games` | [`EndKey`] | the game's identifier |
//! | `agent_ends` | agent, [`EndKey`] | the game's identifier |
//! | `rated_games` | game | [`RatedGame`] as JSON |
//!
//! The rows are written in the batch of the record that they follow from. Data folders of releases that did not write
//! them are completed at the next start ([`mod@fill`]).

mod archive;
mod fill;
mod newest;

pub use archive::{EndOrder, EndRange, Ended};
pub use fill::FillEndsError;
pub(crate) use fill::fill;
pub(crate) use newest::NewestEnds;
pub use newest::{RecentEnd, RecentEnds};

use crate::durable::Durable;
use crate::tables::{self, FactPlace};
use hall_core::desk::Rating;
use hall_core::rooms::Room;
use hall_core::{DeskFact, Fact, GameVariant};
use hall_journal::Row;
use hall_wire::{AgentId, GameId, HomologationId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes of an encoded [`EndKey`].
const KEY_BYTES: usize = 20;

/// The position of a game's end among all ends. Later ends have greater keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndKey {
    /// When the game ended.
    pub(crate) at: Timestamp,
    /// Where the fact of its end stands in the journal.
    pub(crate) place: FactPlace,
}

impl EndKey {
    /// The greatest key that an end up to there can have.
    pub(crate) const fn last_of(until: &Durable) -> Self {
        Self { at: until.at, place: FactPlace { record: until.seq, index: u32::MAX } }
    }

    /// The least key that is greater.
    pub(crate) const fn next(self) -> Self {
        let FactPlace { record, index } = self.place;
        let place = match index.checked_add(1) {
            Some(index) => FactPlace { record, index },
            None => FactPlace { record: record.saturating_add(1), index: 0 },
        };
        Self { place, ..self }
    }

    /// When the game ended.
    #[must_use]
    pub const fn ended_at(&self) -> Timestamp {
        self.at
    }

    /// Reads what `Display` writes; `None` if the text is no key.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (at, record, index) = (parts.next()?, parts.next()?, parts.next()?);
        let at = Timestamp::from_millis(i64::try_from(at.parse::<u64>().ok()?).ok()?);
        let place = FactPlace { record: record.parse().ok()?, index: index.parse().ok()? };
        let key = Self { at, place };
        (parts.next().is_none() && key.to_string() == text).then_some(key)
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        [time_bytes(self.at).as_slice(), &self.place.encode()].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (at, place) = bytes.split_first_chunk()?;
        let at = Timestamp::from_millis(i64::try_from(u64::from_be_bytes(*at)).ok()?);
        (bytes.len() == KEY_BYTES).then(|| Some(Self { at, place: FactPlace::decode(place)? }))?
    }
}

impl fmt::Display for EndKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.at.as_millis(), self.place.record, self.place.index)
    }
}

/// The milliseconds of a time, so that bytes sort as times do. The hall's clock shows no time before 1970.
fn time_bytes(at: Timestamp) -> [u8; 8] {
    at.as_millis().max(0).cast_unsigned().to_be_bytes()
}

fn agent_key(agent: &AgentId, key: EndKey) -> Vec<u8> {
    [agent.as_bytes().as_slice(), &key.encode()].concat()
}

/// The rows of the end of `room`.
pub(crate) fn rows(key: EndKey, room: &Room) -> Vec<Row> {
    let game = room.id();
    let row = |table, key| Row { table, key, value: Some(game.as_bytes().to_vec()) };
    let mut rows = vec![row(tables::ENDED_GAMES, key.encode())];
    rows.extend(room.seats().iter().map(|seat| row(tables::AGENT_ENDS, agent_key(&seat.seat.agent, key))));
    rows
}

/// How an ended game counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatedGame {
    /// When it was counted.
    pub at: Timestamp,
    /// What was played.
    #[serde(rename = "board")]
    pub variant: GameVariant,
    /// The seats that it counted for: a seat whose entry was voided meanwhile is left out.
    pub seats: Vec<SeatRating>,
}

/// How an ended game counted for one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatRating {
    /// The entry that the game was played under.
    pub homologation: HomologationId,
    /// Its holder.
    pub agent: AgentId,
    /// The rating that the game was counted from.
    pub before: Rating,
    /// The rating after it.
    pub after: Rating,
    /// Score in half points: 2 won, 1 drawn, 0 lost.
    pub half_points: u8,
}

/// The row of a [`DeskFact::GameRated`]; `before` returns the rating that an entry has in a variant before the fact.
pub(crate) fn rated_row(
    fact: &Fact,
    mut before: impl FnMut(&HomologationId, GameVariant) -> Rating,
) -> Option<Row> {
    let (game, rated) = rated_game(fact, |_, entry, variant| Ok::<_, ()>(before(entry, variant)))?.ok()?;
    Some(rated.row(game))
}

/// The contents of a [`DeskFact::GameRated`]; `None` for other facts.
fn rated_game<E>(
    fact: &Fact,
    mut before: impl FnMut(&AgentId, &HomologationId, GameVariant) -> Result<Rating, E>,
) -> Option<Result<(GameId, RatedGame), E>> {
    let Fact::Desk(DeskFact::GameRated { at, game, variant, seats }) = fact else { return None };
    let seats = seats.iter().map(|seat| {
        Ok(SeatRating {
            homologation: seat.homologation,
            agent: seat.agent,
            before: before(&seat.agent, &seat.homologation, *variant)?,
            after: seat.rating,
            half_points: seat.half_points,
        })
    });
    let seats = seats.collect::<Result<_, E>>();
    Some(seats.map(|seats| (*game, RatedGame { at: *at, variant: *variant, seats })))
}

impl RatedGame {
    fn row(&self, game: GameId) -> Row {
        tables::row(tables::RATED_GAMES, game.as_bytes().to_vec(), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(at: i64, record: u64, index: u32) -> EndKey {
        EndKey { at: Timestamp::from_millis(at), place: FactPlace { record, index } }
    }

    #[test]
    fn the_bytes_of_keys_sort_in_the_order_of_the_ends() {
        let keys = [
            key(0, 1, 0),
            key(255, 7, 300),
            key(256, 2, 0),
            key(256, 2, 1),
            key(256, 256, 0),
            key(1 << 40, 1, 0),
        ];
        for pair in keys.windows(2) {
            assert!(pair[0] < pair[1] && pair[0].encode() < pair[1].encode(), "{pair:?}");
        }
        for key in keys {
            assert_eq!(EndKey::decode(&key.encode()), Some(key));
            assert_eq!(EndKey::parse(&key.to_string()), Some(key));
        }
    }

    #[test]
    fn only_the_written_form_of_a_key_is_accepted() {
        for text in ["", "1-2", "1-2-3-4", "+1-2-3", "01-2-3", "1-2-4294967296", "a-2-3", "1-2-3 ", "-1-2-3"]
        {
            assert_eq!(EndKey::parse(text), None, "{text:?}");
        }
        assert_eq!(EndKey::decode(&[0; KEY_BYTES - 1]), None);
        assert_eq!(EndKey::decode(&[0; KEY_BYTES + 1]), None);
    }
}
