//! The short text that stands beside a legal move: piece, squares and what else happens.

use super::board::Board;
use super::moves::Move;
use alloc::string::String;
use core::fmt::{self, Write as _};

/// Room for most summaries, so that writing one allocates once.
const USUAL_LEN: usize = 48;

/// Says `legal` in words, as `man 11 to 15` or `man 22 to 15 to 6, captures 18 and 10, becomes a king`.
pub(super) fn summary(board: &Board, legal: &Move) -> String {
    let mut out = String::with_capacity(USUAL_LEN);
    write_all(&mut out, board, legal).expect("writing to a string does not fail");
    out
}

fn write_all(out: &mut String, board: &Board, legal: &Move) -> fmt::Result {
    let Some((from, to)) = legal.ends() else { return Ok(()) };
    let Some(piece) = board.piece_on(from) else { return Ok(()) };
    out.write_str(if piece.is_king { "king" } else { "man" })?;
    for (place, square) in legal.path.iter().enumerate() {
        write!(out, "{}{square}", if place == 0 { " " } else { " to " })?;
    }
    let last = usize::try_from(legal.taken.len()).unwrap_or(0).saturating_sub(1);
    for (place, square) in legal.taken.iter().enumerate() {
        let before = match place {
            0 => ", captures ",
            _ if place == last => " and ",
            _ => ", ",
        };
        write!(out, "{before}{square}")?;
    }
    if piece.is_crowned_on(to) {
        out.write_str(", becomes a king")?;
    }
    Ok(())
}
