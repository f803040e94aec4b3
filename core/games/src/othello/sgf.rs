//! A game as SGF.

use super::OTHELLO;
use super::board::SIZE;
use super::position::PASS;
use crate::board_games::{Cell, Sgf, Side};
use crate::{Game as _, GameRecord, NoChance, STANDARD};
use alloc::string::String;
use hall_wire::Notation;

/// The number of Othello among the games of SGF.
const GAME: u8 = 2;

/// Writes the game; `None` if the moves are not a legal game.
///
/// Decision: SGF leaves the moves of Othello undefined. They are written like those of Go, two letters for column and
/// row, and nothing for a pass.
pub(super) fn write(record: &GameRecord<'_>) -> Option<String> {
    let mut position = OTHELLO.open(STANDARD, 2).ok()?;
    for (player, notation) in record.moves {
        position.play(*player, notation, &mut NoChance).ok()?;
    }
    let written = |_: Side, notation: &Notation| {
        if notation.as_str() == PASS {
            return Some(String::new());
        }
        let Cell { column, row } = Cell::parse(notation.as_str(), SIZE)?;
        Some(String::from_iter([column, row].map(|place| char::from(b'a' + place))))
    };
    Sgf { game: GAME, size: SIZE, written: &written }.write(record)
}
