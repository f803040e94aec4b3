//! A game as SGF, with the moves as <https://www.red-bean.com/sgf/hex.html> describes them.

use super::position::SWAP;
use super::{HEX, size_of};
use crate::board_games::{Sgf, Side};
use crate::{Game as _, GameRecord, NoChance};
use alloc::string::{String, ToString as _};
use hall_wire::Notation;

/// The number of Hex among the games of SGF.
const GAME: u8 = 11;

/// Writes the game; `None` if the moves are not a legal game. Cells and edges are named as here, and the swap is the one
/// that replaces the stone.
pub(super) fn write(record: &GameRecord<'_>) -> Option<String> {
    let mut position = HEX.open(record.variant, 2).ok()?;
    for (player, notation) in record.moves {
        position.play(*player, notation, &mut NoChance).ok()?;
    }
    let written = |_: Side, notation: &Notation| {
        Some(if notation.as_str() == SWAP { "swap-pieces".to_string() } else { notation.to_string() })
    };
    Sgf { game: GAME, size: size_of(record.variant)?, written: &written }.write(record)
}
