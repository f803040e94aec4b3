//! The table for people and language models.

use super::position::{GoofspielPosition, write_numbers};
use crate::Viewer;
use crate::closing_lines::write_lines_of_seats;
use alloc::string::String;
use core::fmt::{self, Write as _};

/// More than a table with its lines needs.
const CAPACITY: usize = 640;

/// The text: the prize, the prizes to come, hands and points, the bids for the prize before, and the lines that end
/// every text. Nobody sees more than the others, and nobody sees anything before the prizes are shuffled.
pub(super) fn board_text(position: &GoofspielPosition, viewer: &Viewer<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write_all(&mut out, position, viewer).expect("writing to a string does not fail");
    out
}

fn write_all(out: &mut String, position: &GoofspielPosition, viewer: &Viewer<'_>) -> fmt::Result {
    if !position.is_set_up() {
        out.write_str("Prizes: unset, they have not been shuffled yet\n")?;
        return write_lines_of_seats(out, position, position.seats, viewer);
    }
    out.write_str("Prize: ")?;
    write_numbers(out, position.prize().into_iter());
    out.write_str("\nPrizes to come, in unknown order: ")?;
    write_numbers(out, position.left());
    out.write_char('\n')?;
    for player in position.players() {
        write!(out, "{player}: {} points, hand ", position.points_of(player))?;
        write_numbers(out, position.hand(player));
        out.write_char('\n')?;
    }
    if let Some((prize, bids, taker)) = position.decided().last() {
        write!(out, "Prize before: {prize}, bids")?;
        for (player, bid) in position.players().zip(bids) {
            write!(out, " {player} {bid},")?;
        }
        match taker {
            Some(player) => writeln!(out, " taken by {player}")?,
            None => out.write_str(" discarded\n")?,
        }
    }
    write_lines_of_seats(out, position, position.seats, viewer)
}
