//! The lines that end a board text: last move, turn, result and who the viewer is.
//!
//! Players are called by `names`, by seat, as `Black (p0)`; where there are none, by their seats alone.

use crate::{GameResult, Position, Viewer};
use alloc::string::String;
use core::fmt::{self, Write as _};
use hall_wire::Player;

/// Where nobody has won and it is no draw.
const NO_RESULT: &str = "no result";

/// What stands in the place of the player to move once the game has ended in any way.
pub(crate) const GAME_OVER: &str = "none, the game is over";

/// Appends the lines of a game of `seats` whose players have no names but their seats.
pub(crate) fn write_lines_of_seats(
    out: &mut String,
    position: &dyn Position,
    seats: u8,
    viewer: &Viewer<'_>,
) -> fmt::Result {
    write_last_move(out, &[], viewer)?;
    let own_end = position.outcome().map(GameResult::from);
    let result = viewer.result.or(own_end.as_ref());
    write_turn(out, position, result, viewer)?;
    write_result(out, &[], result, NO_RESULT)?;
    let seat = if viewer.player.seat() < seats { "" } else { "no seat, " };
    write!(out, "You: {seat}{}", viewer.player)
}

/// Appends the lines of a game of two with names; `status` is what else there is to say behind the turn.
pub(crate) fn write_lines_of_two(
    out: &mut String,
    names: &[&str],
    position: &dyn Position,
    status: &str,
    viewer: &Viewer<'_>,
) -> fmt::Result {
    write_last_move(out, names, viewer)?;
    let own_end = position.result_by_the_rules();
    let result = viewer.result.or(own_end.as_ref());
    match position.to_move().iter().next().filter(|_| result.is_none()) {
        Some(player) => write!(out, "Turn: {}", Named { player, names })?,
        None => write!(out, "Turn: {GAME_OVER}")?,
    }
    writeln!(out, "{status}")?;
    write_result(out, names, result, NO_RESULT)?;
    if let Some([first, second]) = result.and_then(|result| result.points.as_deref()) {
        // The points stand on the line of the result.
        out.pop();
        writeln!(out, ", points {first} to {second}")?;
    }
    write_viewer(out, names, viewer)
}

/// Appends the line with the last move.
pub(crate) fn write_last_move(out: &mut String, names: &[&str], viewer: &Viewer<'_>) -> fmt::Result {
    match viewer.last_move {
        Some((player, notation)) => writeln!(out, "Last move: {notation} by {}", Named { player, names }),
        None => out.write_str("Last move: none\n"),
    }
}

/// Appends the line with the result; `nobody` stands where nobody has won and it is no draw.
pub(crate) fn write_result(
    out: &mut String,
    names: &[&str],
    result: Option<&GameResult>,
    nobody: &str,
) -> fmt::Result {
    let Some(result) = result else { return out.write_str("Result: none, the game is live\n") };
    out.write_str("Result: ")?;
    write_ending(out, names, result, nobody)
}

/// Appends how the game ended, without what stands before it on the line.
pub(crate) fn write_ending(
    out: &mut String,
    names: &[&str],
    result: &GameResult,
    nobody: &str,
) -> fmt::Result {
    match result.winners.as_slice() {
        [] if result.draw => out.write_str("draw by ")?,
        [] => write!(out, "{nobody}, ")?,
        [player] => write!(out, "{} wins by ", Named { player: *player, names })?,
        winners => {
            for (place, player) in winners.iter().enumerate() {
                let comma = if place > 0 { ", " } else { "" };
                write!(out, "{comma}{}", Named { player: *player, names })?;
            }
            out.write_str(" win by ")?;
        }
    }
    writeln!(out, "{}", result.reason.as_str().replace('_', " "))
}

/// Appends, without a line break, who the viewer of a game with names is.
pub(crate) fn write_viewer(out: &mut String, names: &[&str], viewer: &Viewer<'_>) -> fmt::Result {
    let name = names.get(viewer.player.index()).unwrap_or(&"no seat");
    write!(out, "You: {name} ({})", viewer.player)
}

fn write_turn(
    out: &mut String,
    position: &dyn Position,
    result: Option<&GameResult>,
    viewer: &Viewer<'_>,
) -> fmt::Result {
    out.write_str("Turn:")?;
    if result.is_none() && position.awaits_nature() {
        return out.write_str(" nature\n");
    }
    if result.is_some() || viewer.to_move.is_empty() {
        return out.write_str(" nobody\n");
    }
    viewer.to_move.iter().try_for_each(|player| write!(out, " {player}"))?;
    out.write_char('\n')
}

/// A player as the lines call it.
pub(crate) struct Named<'a> {
    pub(crate) player: Player,
    pub(crate) names: &'a [&'a str],
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.names.get(self.player.index()) {
            Some(name) => write!(out, "{name} ({})", self.player),
            None => write!(out, "{}", self.player),
        }
    }
}
