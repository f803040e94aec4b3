//! The lines that end a board text: last move, turn, result and who the viewer is.

use crate::{GameResult, Position, Viewer};
use alloc::string::String;
use core::fmt::{self, Write as _};
use hall_wire::Player;

/// Appends the lines to the text of `position`, a game of `seats` whose players have no names but their seats.
pub(crate) fn write_closing_lines(
    out: &mut String,
    position: &dyn Position,
    seats: u8,
    viewer: &Viewer<'_>,
) -> fmt::Result {
    match viewer.last_move {
        Some((player, notation)) => writeln!(out, "Last move: {notation} by {player}")?,
        None => out.write_str("Last move: none\n")?,
    }
    let own_end = position.outcome().map(GameResult::from);
    let result = viewer.result.or(own_end.as_ref());
    write_turn(out, position, result)?;
    write_result(out, result)?;
    let seat = if viewer.player.seat() < seats { "" } else { "no seat, " };
    write!(out, "You: {seat}{}", viewer.player)
}

fn write_turn(out: &mut String, position: &dyn Position, result: Option<&GameResult>) -> fmt::Result {
    out.write_str("Turn:")?;
    if result.is_some() {
        return out.write_str(" nobody\n");
    }
    if position.awaits_nature() {
        return out.write_str(" nature\n");
    }
    position.to_move().iter().try_for_each(|player| write!(out, " {player}"))?;
    out.write_char('\n')
}

fn write_result(out: &mut String, result: Option<&GameResult>) -> fmt::Result {
    let Some(result) = result else { return out.write_str("Result: none, the game is live\n") };
    out.write_str("Result: ")?;
    match result.winners.as_slice() {
        [] if result.draw => out.write_str("draw by ")?,
        [] => out.write_str("no result, ")?,
        [winner] => write!(out, "{winner} wins by ")?,
        winners => {
            write_list(out, winners)?;
            out.write_str(" win by ")?;
        }
    }
    writeln!(out, "{}", result.reason.as_str().replace('_', " "))
}

fn write_list(out: &mut String, players: &[Player]) -> fmt::Result {
    players.iter().enumerate().try_for_each(|(place, player)| {
        let comma = if place > 0 { ", " } else { "" };
        write!(out, "{comma}{player}")
    })
}
