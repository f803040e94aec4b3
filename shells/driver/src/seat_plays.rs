//! How the seats of games are played, in rows: illegal moves as they come, all else with the end. Otherwise every fact of
//! a game would have to be read to know its illegal moves.
//!
//! | key | value |
//! |---|---|
//! | game | nothing, or [`WHOLE`]: the game began in a hall that writes these rows, or all of them as they are today |
//! | game, turn, player | nothing: the player sent an illegal move in that turn |
//! | game, turn, [`WAIT`] | the span as JSON: the turn began so long after the turn before it, when nature had acted |
//! | game, [`END`] | [`SeatTurns`] of each seat as JSON: the game has ended |
//!
//! Games that began before there was this table lack the first of these, and are told from their facts. So are those with an
//! empty first row where an older hall left something out or counted too much: games of chance have no row of their waits,
//! and a forfeit counted as a turn in which the hall moved. Of a game that went on for a while in a hall from before the
//! table, the illegal moves of that time are missing.

use crate::tables::{self, row};
use hall_core::rooms::{Room, RoomChange, RoomFact};
use hall_journal::{KeyValue, Row};
use hall_wire::{GameId, Player, Span};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What stands behind the game in the key of its last row.
const END: [u8; 1] = [0xff];
/// What stands behind the turn in the key of the row of the wait before it.
const WAIT: u8 = 0xfe;
/// What the first row of a game holds whose waits for nature have rows, and whose last row counts no forfeit as a move.
const WHOLE: [u8; 1] = [1];

/// The turns of one seat of an ended game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeatTurns {
    /// Turns in which the agent moved, and how long each move took: in its row from the turn before it, or from the
    /// beginning of the game; once read, from the beginning of its own turn.
    pub(crate) own: Vec<(u32, Span)>,
    /// Turns in which the hall moved in its place. A forfeit is none: nothing is moved with it.
    pub(crate) forced: u32,
}

/// All that is known of how the seats of an ended game were played.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SeatsPlayed {
    /// By seat.
    pub(crate) turns: Vec<SeatTurns>,
    /// The turns in which a player sent an illegal move.
    pub(crate) attempted: BTreeSet<(u32, Player)>,
}

/// The row of a fact of a game, if it has one; `room` finds the game after the record of the fact.
pub(crate) fn row_of<'a>(fact: &RoomFact, room: impl FnOnce() -> Option<&'a Room>) -> Option<Row> {
    let key = |rest: &[u8]| [fact.game.as_bytes(), rest].concat();
    let of_turn = |turn_index: u32, what| key(&[turn_index.to_be_bytes().as_slice(), &[what]].concat());
    let noted = |key, value: &[u8]| Row { table: tables::SEAT_PLAYS, key, value: Some(value.to_vec()) };
    if let RoomChange::Started(_) = fact.change {
        return Some(noted(key(&[]), &WHOLE));
    }
    if let Some((turn_index, player)) = attempt(fact) {
        return Some(noted(of_turn(turn_index, player.seat()), &[]));
    }
    if let RoomChange::NatureActed { .. } = fact.change {
        let (turn_index, waited) = wait(fact, room()?)?;
        return Some(row(tables::SEAT_PLAYS, of_turn(turn_index, WAIT), &waited));
    }
    let RoomChange::Ended { .. } = fact.change else { return None };
    Some(row(tables::SEAT_PLAYS, key(&END), &turns_of(room()?)))
}

/// The turn that an act of nature begins, and how long after the turn before it: nature may have waited for the beacon.
pub(crate) fn wait(fact: &RoomFact, room: &Room) -> Option<(u32, Span)> {
    let RoomChange::NatureActed { turn_index, .. } = fact.change else { return None };
    let before = room.turns().iter().take_while(|turn| turn.turn_index < turn_index).map(|turn| turn.at);
    Some((turn_index, fact.at.since(before.max().unwrap_or_else(|| room.started_at()))))
}

/// Counts turns from their beginning where nature acted before.
pub(crate) fn leave_out(waits: &BTreeMap<u32, Span>, turns: &mut [SeatTurns]) {
    for (turn_index, took) in turns.iter_mut().flat_map(|seat| &mut seat.own) {
        *took = took.saturating_sub(waits.get(turn_index).copied().unwrap_or(Span::ZERO));
    }
}

/// The turn and the player of an illegal move.
pub(crate) fn attempt(fact: &RoomFact) -> Option<(u32, Player)> {
    let RoomChange::IllegalAttempted { turn_index, player, .. } = &fact.change else { return None };
    Some((*turn_index, *player))
}

/// Reads all rows of a game; `None` if they do not tell all of it. `was_told_otherwise` says whether older halls wrote other
/// rows for such a game.
///
/// # Errors
/// The last row is no JSON of this form.
pub(crate) fn read(
    game: &GameId,
    rows: &[KeyValue],
    was_told_otherwise: bool,
) -> Result<Option<SeatsPlayed>, serde_json::Error> {
    let (mut is_whole, mut turns) = (false, None);
    let (mut waited, mut attempted) = (BTreeMap::new(), BTreeSet::new());
    for (key, value) in rows {
        match key.strip_prefix(game.as_bytes()) {
            Some([]) => is_whole = !was_told_otherwise || *value == WHOLE,
            Some(rest) if rest == END => turns = Some(serde_json::from_slice::<Vec<SeatTurns>>(value)?),
            Some(&[a, b, c, d, WAIT]) => {
                waited.insert(u32::from_be_bytes([a, b, c, d]), serde_json::from_slice(value)?);
            }
            Some(&[a, b, c, d, player]) => {
                attempted.insert((u32::from_be_bytes([a, b, c, d]), Player::new(player)));
            }
            Some(_) | None => {}
        }
    }
    let Some(mut turns) = turns.filter(|_| is_whole) else { return Ok(None) };
    leave_out(&waited, &mut turns);
    Ok(Some(SeatsPlayed { turns, attempted }))
}

/// The turns of each seat, as the last row has them.
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
        match (turn.notation, turn.forced) {
            (Some(_), Some(_)) => seat.forced += 1,
            (Some(_), None) => seat.own.push((turn.turn_index, turn.at.since(began))),
            (None, _) => {}
        }
    }
    seats
}
