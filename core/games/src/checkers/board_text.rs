//! The board for people and language models: grid, legend, last move, status, result, and who the viewer is.

use super::board::{Board, Piece};
use super::end::QUIET_TURNS;
use super::position::CheckersPosition;
use super::square::Square;
use crate::board_games::Colour;
use crate::closing_lines::{GAME_OVER, write_last_move, write_result, write_viewer};
use crate::{GameResult, Viewer};
use alloc::string::String;
use core::fmt::{self, Write as _};

/// More than a board with its lines needs.
const CAPACITY: usize = 900;

/// The text, with Black above for both players; every dark square shows its piece and its number.
pub(super) fn board_text(position: &CheckersPosition, viewer: &Viewer<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write_all(&mut out, position, viewer).expect("writing to a string does not fail");
    out
}

/// The letter of a piece.
pub(super) fn letter(piece: Piece) -> char {
    match (piece.colour, piece.is_king) {
        (Colour::Black, false) => 'b',
        (Colour::Black, true) => 'B',
        (Colour::White, false) => 'w',
        (Colour::White, true) => 'W',
    }
}

fn write_all(out: &mut String, position: &CheckersPosition, viewer: &Viewer<'_>) -> fmt::Result {
    write_grid(out, &position.now)?;
    out.write_str(
        "Legend: b = black man, B = black king, w = white man, W = white king, . = empty; the number is the square\n",
    )?;
    write_last_move(out, Colour::NAMES, viewer)?;
    let own_end = position.end.map(|end| GameResult::from(end.outcome()));
    let result = viewer.result.or(own_end.as_ref());
    write_status(out, position, result)?;
    write_result(out, Colour::NAMES, result, "none")?;
    write_viewer(out, Colour::NAMES, viewer)
}

fn write_grid(out: &mut String, board: &Board) -> fmt::Result {
    let border = "+--------------------------------+\n";
    out.write_str(border)?;
    for row in 0..8 {
        out.write_char('|')?;
        for column in 0..8 {
            match Square::at(row, column) {
                Some(square) => {
                    write!(out, "{}{:<3}", board.piece_on(square).map_or('.', letter), square.number())?;
                }
                None => out.write_str("    ")?,
            }
        }
        out.write_str("|\n")?;
    }
    out.write_str(border)
}

fn write_status(out: &mut String, position: &CheckersPosition, result: Option<&GameResult>) -> fmt::Result {
    let CheckersPosition { now, earlier, .. } = position;
    let turn = if result.is_some() { GAME_OVER } else { now.turn.name() };
    let must = if result.is_none() && position.must_capture() { " (must capture)" } else { "" };
    write!(out, "Turn: {turn}{must}")?;
    for colour in Colour::BOTH {
        let (men, kings) = (now.men(colour).len(), now.kings(colour).len());
        write!(out, " | {}: {men} men, {kings} kings", colour.name())?;
    }
    writeln!(out, " | Turns without capture or move of a man: {} of {QUIET_TURNS}", earlier.len())
}
