//! The board for people and language models, line by line as specification 2.12 lists them.

use super::end::End;
use super::seats::{colour_of, name_of, result_token};
use crate::{GameResult, Viewer};
use alloc::string::String;
use core::fmt::{self, Write as _};
use hall_wire::Player;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, File, Position as _, Rank, Square};

/// More than a board with its lines needs.
const CAPACITY: usize = 640;

/// The text: file letters, the bordered grid with White below for both players, legend, last move, status, result,
/// and who the viewer is.
pub(super) fn board_text(position: &Chess, end: Option<End>, viewer: &Viewer<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    let own_end = end.map(|end| GameResult::from(end.outcome()));
    let result = viewer.result.or(own_end.as_ref());
    write_all(&mut out, position, result, viewer).expect("writing to a string does not fail");
    out
}

fn write_all(
    out: &mut String,
    position: &Chess,
    result: Option<&GameResult>,
    viewer: &Viewer<'_>,
) -> fmt::Result {
    write_grid(out, position)?;
    out.write_str("Legend: uppercase = White, lowercase = Black, . = empty\n")?;
    write_last_move(out, viewer)?;
    write_status(out, position)?;
    write_result(out, result)?;
    match colour_of(viewer.player) {
        Some(colour) => write!(out, "You: {} ({})", name_of(colour), viewer.player),
        None => write!(out, "You: no seat ({})", viewer.player),
    }
}

fn write_grid(out: &mut String, position: &Chess) -> fmt::Result {
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

fn write_last_move(out: &mut String, viewer: &Viewer<'_>) -> fmt::Result {
    match viewer.last_move {
        Some((player, notation)) => writeln!(out, "Last move: {notation} by {}", Named(player)),
        None => out.write_str("Last move: none\n"),
    }
}

/// The fields behind the pieces in the FEN, each with its name.
fn write_status(out: &mut String, position: &Chess) -> fmt::Result {
    let setup = Fen::from_position(position, EnPassantMode::Legal).into_setup();
    write!(out, "Turn: {}", name_of(setup.turn))?;
    if position.is_check() {
        out.write_str(" (in check)")?;
    }
    out.write_str(" | Castling: ")?;
    let rights = [(Square::H1, 'K'), (Square::A1, 'Q'), (Square::H8, 'k'), (Square::A8, 'q')];
    let mut held = rights.into_iter().filter(|(rook, _)| setup.castling_rights.contains(*rook)).peekable();
    if held.peek().is_none() {
        out.write_char('-')?;
    }
    for (_, letter) in held {
        out.write_char(letter)?;
    }
    out.write_str(" | En passant: ")?;
    match setup.ep_square {
        Some(square) => write!(out, "{square}")?,
        None => out.write_char('-')?,
    }
    writeln!(out, " | Halfmove clock: {} | Move number: {}", setup.halfmoves, setup.fullmoves)
}

fn write_result(out: &mut String, result: Option<&GameResult>) -> fmt::Result {
    let Some(result) = result else { return out.write_str("Result: none, the game is live\n") };
    write!(out, "Result: {}, ", result_token(result))?;
    match result.winners.first() {
        Some(winner) => write!(out, "{} wins by ", Named(*winner))?,
        None if result.draw => out.write_str("draw by ")?,
        None => out.write_str("no result, ")?,
    }
    for letter in result.reason.as_str().chars() {
        out.write_char(if letter == '_' { ' ' } else { letter })?;
    }
    out.write_char('\n')
}

/// A player with its colour, as `White (p0)`.
struct Named(Player);

impl fmt::Display for Named {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match colour_of(self.0) {
            Some(colour) => write!(out, "{} ({})", name_of(colour), self.0),
            None => write!(out, "{}", self.0),
        }
    }
}
