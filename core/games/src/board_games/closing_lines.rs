//! The lines below a board that every board text of these games ends with.

use super::Side;
use crate::{BySeat, GameResult, Position, Viewer};
use alloc::string::String;
use core::fmt::{self, Write as _};
use hall_wire::Player;

/// Appends last move, turn, result and who the viewer is. `names` are what the players are called, by seat; `status` is
/// what else there is to say behind the turn.
pub(crate) fn write_closing_lines(
    out: &mut String,
    names: &[&str],
    position: &dyn Position,
    status: &str,
    viewer: &Viewer<'_>,
) {
    let named = |player| Named { player, name: names.get(Player::index(player)).copied() };
    let own_end = position.outcome().map(|outcome| {
        let mut result = GameResult::from(outcome);
        result.points = position.points(&result).map(BySeat);
        result
    });
    let result = viewer.result.or(own_end.as_ref());
    // Writing to a string does not fail.
    let _ = match viewer.last_move {
        Some((player, notation)) => writeln!(out, "Last move: {notation} by {}", named(player)),
        None => writeln!(out, "Last move: none"),
    };
    let _ = match position.to_move().iter().next().filter(|_| result.is_none()) {
        Some(player) => write!(out, "Turn: {}", named(player)),
        None => write!(out, "Turn: none, the game is over"),
    };
    let _ = writeln!(out, "{status}");
    let _ = match result {
        Some(result) => write_result(out, result, named),
        None => writeln!(out, "Result: none, the game is live"),
    };
    let _ = match Side::of(viewer.player) {
        Some(side) => write!(out, "You: {}", named(side.player())),
        None => write!(out, "You: no seat ({})", viewer.player),
    };
}

fn write_result<'a>(
    out: &mut String,
    result: &GameResult,
    named: impl Fn(Player) -> Named<'a>,
) -> fmt::Result {
    match result.winners.first() {
        Some(winner) => write!(out, "Result: {} wins by ", named(*winner))?,
        None if result.draw => out.write_str("Result: draw by ")?,
        None => out.write_str("Result: no result, ")?,
    }
    let letters = result.reason.as_str().chars();
    out.extend(letters.map(|letter| if letter == '_' { ' ' } else { letter }));
    if let Some([first, second]) = result.points.as_deref() {
        write!(out, ", points {first} to {second}")?;
    }
    out.write_char('\n')
}

/// A player with its name, as `Black (p0)`.
struct Named<'a> {
    player: Player,
    name: Option<&'a str>,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => write!(out, "{name} ({})", self.player),
            None => write!(out, "{}", self.player),
        }
    }
}
