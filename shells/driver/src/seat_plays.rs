//! How the seats of games are played, in rows: illegal moves as they come, all else with the end. Otherwise every fact of
//! a game would have to be read to know its illegal moves.
//!
//! | key | value |
//! |---|---|
//! | game | nothing: the game began in a hall that writes these rows |
//! | game, turn, player | nothing: the player sent an illegal move in that turn |
//! | game, [`END`] | [`SeatTurns`] of each seat as JSON: the game has ended |
//!
//! Games that began before there was this table lack the first of these, and are told from their facts. Of a game that went on
//! for a while in a hall from before the table, the illegal moves of that time are missing.

use crate::tables::{self, row};
use hall_core::rooms::{Room, RoomChange, RoomFact};
use hall_journal::{KeyValue, Row};
use hall_wire::{GameId, Player, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What stands behind the game in the key of its last row.
const END: [u8; 1] = [0xff];

/// The turns of one seat of an ended game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeatTurns {
    /// Turns in which the agent moved, and how long each move took from the beginning of the turn.
    pub(crate) own: Vec<(u32, Span)>,
    /// Turns in which the hall moved in its place.
    pub(crate) forced: u32,
}

/// All that is known of how the seats of an ended game were played.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SeatsPlayed {
    /// By seat.
    pub(crate) turns: Vec<SeatTurns>,
    /// The turns in which a player sent an illegal move.
    pub(crate) attempted: BTreeSet<(u32, Player)>,
}

/// The row of a fact of a game, if it has one; `room` finds the game after the record of the fact.
pub(crate) fn row_of<'a>(fact: &RoomFact, room: impl FnOnce() -> Option<&'a Room>) -> Option<Row> {
    let noted = |rest: &[u8]| Row {
        table: tables::SEAT_PLAYS,
        key: [fact.game.as_bytes(), rest].concat(),
        value: Some(Vec::new()),
    };
    if let RoomChange::Started(_) = fact.change {
        return Some(noted(&[]));
    }
    if let Some((turn_index, player)) = attempt(fact) {
        return Some(noted(&[turn_index.to_be_bytes().as_slice(), &[player.seat()]].concat()));
    }
    let RoomChange::Ended { .. } = fact.change else { return None };
    Some(row(tables::SEAT_PLAYS, [fact.game.as_bytes(), END.as_slice()].concat(), &turns_of(room()?)))
}

/// The turn and the player of an illegal move.
pub(crate) fn attempt(fact: &RoomFact) -> Option<(u32, Player)> {
    let RoomChange::IllegalAttempted { turn_index, player, .. } = &fact.change else { return None };
    Some((*turn_index, *player))
}

/// Reads all rows of a game; `None` if they do not tell all of it.
///
/// # Errors
/// The last row is no JSON of this form.
pub(crate) fn read(game: &GameId, rows: &[KeyValue]) -> Result<Option<SeatsPlayed>, serde_json::Error> {
    let (mut has_beginning, mut turns, mut attempted) = (false, None, BTreeSet::new());
    for (key, value) in rows {
        match key.strip_prefix(game.as_bytes()) {
            Some([]) => has_beginning = true,
            Some(rest) if rest == END => turns = Some(serde_json::from_slice(value)?),
            Some(&[a, b, c, d, player]) => {
                attempted.insert((u32::from_be_bytes([a, b, c, d]), Player::new(player)));
            }
            Some(_) | None => {}
        }
    }
    Ok(turns.filter(|_| has_beginning).map(|turns| SeatsPlayed { turns, attempted }))
}

/// The turns of each seat.
pub(crate) fn turns_of(room: &Room) -> Vec<SeatTurns> {
    let mut seats = vec![SeatTurns::default(); room.seats().len()];
    let (mut turn_index, mut began, mut last) = (0, room.started_at(), room.started_at());
    for turn in room.turns().iter() {
        if turn.turn_index != turn_index {
            (turn_index, began) = (turn.turn_index, last);
        }
        last = last.max(turn.at);
        let Some(player) = turn.player else { continue };
        let Some(seat) = seats.get_mut(player.index()) else { continue };
        if turn.forced.is_some() {
            seat.forced += 1;
        } else if turn.notation.is_some() {
            seat.own.push((turn.turn_index, turn.at.since(began)));
        }
    }
    seats
}
