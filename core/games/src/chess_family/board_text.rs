//! The board for people and language models, line by line as specification 2.12 lists them.

use super::Rules;
use super::pockets::letters;
use super::position::{FamilyPosition, UNSET};
use super::seats::{NAMES, name_of, result_token};
use crate::closing_lines::{write_ending, write_last_move, write_viewer};
use crate::{GameResult, Position as _, Viewer};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use shakmaty::{Color, File, Position, Rank, Square};

/// More than a board with its lines needs.
const CAPACITY: usize = 640;

/// The text: file letters, the bordered grid with White below for both players, legend, pockets where pieces are
/// dropped, last move, status, result, and who the viewer is.
pub(super) fn board_text<R: Rules>(position: &FamilyPosition<R>, viewer: &Viewer<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    let own_end = position.end().map(|end| GameResult::from(end.outcome()));
    let result = viewer.result.or(own_end.as_ref());
    write_all(&mut out, position, result, viewer).expect("writing to a string does not fail");
    out
}

fn write_all<R: Rules>(
    out: &mut String,
    position: &FamilyPosition<R>,
    result: Option<&GameResult>,
    viewer: &Viewer<'_>,
) -> fmt::Result {
    if position.is_unset() {
        writeln!(out, "Start position: {UNSET}, it has not been drawn yet")?;
    } else {
        write_grid(out, &position.now)?;
        out.write_str("Legend: uppercase = White, lowercase = Black, . = empty\n")?;
        write_pockets(out, &position.now)?;
        write_last_move(out, NAMES, viewer)?;
        write_status(out, position)?;
    }
    write_result(out, result)?;
    write_viewer(out, NAMES, viewer)
}

fn write_grid(out: &mut String, position: &impl Position) -> fmt::Result {
    out.write_str("    a b c d e f g h\n  +-----------------+\n")?;
    for rank in Rank::ALL.into_iter().rev() {
        write!(out, "{} |", rank.char())?;
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            write!(out, " {}", piece.map_or('.', shakmaty::Piece::char))?;
        }
        writeln!(out, " | {}", rank.char())?;
    }
    out.write_str("  +-----------------+\n")
}

/// What each side holds for dropping, and which pieces were pawns; nothing where no pieces are dropped.
fn write_pockets(out: &mut String, position: &impl Position) -> fmt::Result {
    if position.pockets().is_none() {
        return Ok(());
    }
    let [white, black] = Color::ALL.map(|colour| letters(position, colour));
    let or_none = |text: String| if text.is_empty() { "-".to_string() } else { text };
    let promoted: Vec<String> = position.promoted().into_iter().map(|square| square.to_string()).collect();
    let promoted = or_none(promoted.join(" "));
    let (white, black) = (or_none(white), or_none(black));
    writeln!(out, "Pockets: White {white} | Black {black} | Promoted pawns: {promoted}")
}

/// The fields behind the pieces in the FEN, each with its name.
fn write_status<R: Rules>(out: &mut String, position: &FamilyPosition<R>) -> fmt::Result {
    write!(out, "Turn: {}", name_of(position.now.turn()))?;
    if position.now.is_check() {
        out.write_str(" (in check)")?;
    }
    let fen = position.state_string();
    let names = ["Castling", "En passant", "Halfmove clock", "Move number"];
    for (name, field) in names.into_iter().zip(fen.split(' ').skip(2)) {
        write!(out, " | {name}: {field}")?;
    }
    out.write_char('\n')
}

fn write_result(out: &mut String, result: Option<&GameResult>) -> fmt::Result {
    let Some(result) = result else { return out.write_str("Result: none, the game is live\n") };
    write!(out, "Result: {}, ", result_token(result))?;
    write_ending(out, NAMES, result, "no result")
}
