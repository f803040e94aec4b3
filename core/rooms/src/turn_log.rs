//! The history of one game: every resolved turn, in a few bytes each.

use crate::fact::ForcedCause;
use alloc::vec::Vec;
use core::iter::FusedIterator;
use hall_wire::{Notation, Player, Timestamp};
use serde::{Deserialize, Serialize};

/// One resolved turn in a room's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedTurn {
    /// The turn. In a shared turn each player has one of its own.
    pub turn_index: u32,
    /// The player whose turn it was.
    pub player: Option<Player>,
    /// The move applied.
    pub notation: Option<Notation>,
    /// The move as people write it.
    pub san: Option<Notation>,
    /// When it was resolved.
    pub at: Timestamp,
    /// Why the hall acted in the player's place.
    pub forced: Option<ForcedCause>,
    /// The number of the fact that holds the commentary, if there is any.
    pub commentary_in: Option<u32>,
}

/// So many bytes the history grows by: those of about a dozen moves. Twice what it has would be left empty by half.
const GROWTH_BYTES: usize = 256;

/// The resolved turns of a game, in order.
///
/// A live game is in memory with all of them, so each is kept in the form of postcard: a move of chess takes about
/// twenty bytes. A turn is read by going through those before it, from a place that was noted, or from the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnLog {
    bytes: Vec<u8>,
    /// The turns.
    len: usize,
    /// Where the last turn begins.
    last: usize,
}

impl TurnLog {
    /// How many turns there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no turn is resolved.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The turns in order.
    #[must_use]
    pub fn iter(&self) -> TurnIter<'_> {
        TurnIter { bytes: &self.bytes, left: self.len() }
    }

    /// The turn at a place, from 0. It takes as long as going through those before it.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<ResolvedTurn> {
        self.iter().nth(place)
    }

    /// The place behind the last turn.
    #[must_use]
    pub const fn end(&self) -> TurnPlace {
        TurnPlace { turns: self.len, bytes: self.bytes.len() }
    }

    /// The turns since a place that was the end of this log once.
    #[must_use]
    pub fn since(&self, place: TurnPlace) -> TurnIter<'_> {
        let bytes = self.bytes.get(place.bytes..).unwrap_or_default();
        TurnIter { bytes, left: self.len.saturating_sub(place.turns) }
    }

    /// The last turn in which a move was applied.
    #[must_use]
    pub fn last_move(&self) -> Option<ResolvedTurn> {
        let has_move = |turn: &ResolvedTurn| turn.notation.is_some();
        self.last().filter(has_move).or_else(|| self.iter().filter(has_move).last())
    }

    /// The last turn.
    #[must_use]
    pub fn last(&self) -> Option<ResolvedTurn> {
        self.bytes.get(self.last..).and_then(|bytes| postcard::from_bytes(bytes).ok())
    }

    /// Adds a turn.
    ///
    /// # Panics
    /// Never: a turn of plain values can be written.
    pub(crate) fn push(&mut self, turn: &ResolvedTurn) {
        self.last = self.bytes.len();
        let written = postcard::to_allocvec(turn).expect("a turn of plain values can be written");
        if self.bytes.capacity() - self.bytes.len() < written.len() {
            self.bytes.reserve_exact(written.len().max(GROWTH_BYTES));
        }
        self.bytes.extend_from_slice(&written);
        self.len += 1;
    }
}

impl FromIterator<ResolvedTurn> for TurnLog {
    fn from_iter<I: IntoIterator<Item = ResolvedTurn>>(turns: I) -> Self {
        let mut log = Self::default();
        turns.into_iter().for_each(|turn| log.push(&turn));
        log
    }
}

impl<'a> IntoIterator for &'a TurnLog {
    type Item = ResolvedTurn;
    type IntoIter = TurnIter<'a>;

    fn into_iter(self) -> TurnIter<'a> {
        self.iter()
    }
}

/// Written as the list of its turns, which is what rooms were saved with before there was this form.
impl Serialize for TurnLog {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de> Deserialize<'de> for TurnLog {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Ok(Vec::deserialize(deserializer)?.into_iter().collect());
        }
        let turns = Vec::<SavedTurn>::deserialize(deserializer)?;
        Ok((0..).zip(turns).map(|(place, turn)| turn.with_index(place)).collect())
    }
}

/// A turn as rooms are saved with it. Those that were saved before turns could be shared do not say which turn it is:
/// it is the one of their place.
#[derive(Deserialize)]
struct SavedTurn {
    #[serde(default)]
    turn_index: Option<u32>,
    player: Option<Player>,
    notation: Option<Notation>,
    san: Option<Notation>,
    at: Timestamp,
    forced: Option<ForcedCause>,
    commentary_in: Option<u32>,
}

impl SavedTurn {
    fn with_index(self, place: u32) -> ResolvedTurn {
        let Self { turn_index, player, notation, san, at, forced, commentary_in } = self;
        let turn_index = turn_index.unwrap_or(place);
        ResolvedTurn { turn_index, player, notation, san, at, forced, commentary_in }
    }
}

/// A place between two turns of a [`TurnLog`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnPlace {
    turns: usize,
    bytes: usize,
}

/// The turns of a [`TurnLog`] in order.
#[derive(Clone, Debug)]
pub struct TurnIter<'a> {
    bytes: &'a [u8],
    left: usize,
}

impl Iterator for TurnIter<'_> {
    type Item = ResolvedTurn;

    fn next(&mut self) -> Option<ResolvedTurn> {
        let left = self.left.checked_sub(1)?;
        let (turn, rest) = postcard::take_from_bytes(self.bytes).ok()?;
        (self.bytes, self.left) = (rest, left);
        Some(turn)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for TurnIter<'_> {}

impl FusedIterator for TurnIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(turn_index: u32) -> ResolvedTurn {
        ResolvedTurn {
            turn_index,
            player: Some(Player::new(1)),
            notation: Notation::parse("e7e8q"),
            san: Notation::parse("exd8=Q+"),
            at: Timestamp::from_millis(1_795_000_000_000),
            forced: (turn_index == 3).then_some(ForcedCause::Deadline),
            commentary_in: (turn_index == 4).then_some(u32::MAX),
        }
    }

    #[test]
    fn a_turn_is_read_as_it_was_added() {
        let turns = [turn(0), turn(1), turn(3), turn(4), turn(4)];
        let log: TurnLog = turns.into_iter().collect();
        assert!(log.iter().eq(turns));
        assert_eq!((log.len(), log.last(), log.get(2), log.get(5)), (5, Some(turn(4)), Some(turn(3)), None));
        assert_eq!((TurnLog::default().last(), TurnLog::default().is_empty()), (None, true));
        assert_eq!(serde_json::from_value::<TurnLog>(serde_json::to_value(&log).unwrap()).unwrap(), log);
    }

    #[test]
    fn the_turns_since_a_place_are_those_that_were_added_after_it() {
        let mut log: TurnLog = [turn(0), turn(1)].into_iter().collect();
        let place = log.end();
        assert_eq!(log.since(place).count(), 0);
        log.push(&turn(2));
        log.push(&turn(3));
        assert!(log.since(place).eq([turn(2), turn(3)]));
        assert!(log.since(TurnPlace::default()).eq(log.iter()));
        assert_eq!(log.since(place).len(), 2);
    }

    #[test]
    fn the_last_move_is_found_before_turns_without_one() {
        let without = |turn_index| ResolvedTurn { notation: None, ..turn(turn_index) };
        let of = |turns: &[ResolvedTurn]| turns.iter().copied().collect::<TurnLog>().last_move();
        assert_eq!(of(&[turn(0), turn(1)]), Some(turn(1)));
        assert_eq!(of(&[turn(0), turn(1), without(2), without(3)]), Some(turn(1)));
        assert_eq!((of(&[without(0)]), of(&[])), (None, None));
    }

    #[test]
    fn a_turn_saved_without_its_number_has_that_of_its_place() {
        let mut saved = serde_json::to_value([turn(0), turn(1)].into_iter().collect::<TurnLog>()).unwrap();
        for turn in saved.as_array_mut().unwrap() {
            turn.as_object_mut().unwrap().remove("turn_index");
        }
        let read: TurnLog = serde_json::from_value(saved).unwrap();
        assert!(read.iter().eq([turn(0), turn(1)]));
    }

    #[test]
    fn a_usual_turn_takes_at_most_forty_bytes() {
        let log: TurnLog = (0..1_000).map(turn).collect();
        assert!(log.bytes.len() <= 40 * log.len(), "{}", log.bytes.len());
    }
}
