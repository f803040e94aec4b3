//! How a game goes on from a position when nobody thinks.

use super::outlook::{Outlook, result};
use super::rebuilt::mover;
use crate::agent::dice::Rolls;
use hall_games::Position;
use hall_wire::{Notation, Player};

/// Lets nature act as long as it is to act; returns what came of it.
pub(super) fn nature_acts(position: &mut dyn Position, rolls: &mut Rolls) -> String {
    let mut outcome = String::new();
    while position.awaits_nature() {
        match position.act(rolls) {
            Ok(act) => outcome.push_str(&act.complete),
            Err(_) => break,
        }
    }
    outcome
}

/// Plays random moves from a position on, until the end or the horizon, and adds them to `played`. Returns what came of
/// it for `p0`, and takes the number of moves from `left`.
pub(super) fn play_on(
    position: &mut dyn Position,
    outlook: Outlook,
    rolls: &mut Rolls,
    played: &mut Vec<(Player, Notation)>,
    left: &mut u32,
) -> f64 {
    for _ in 0..outlook.horizon {
        if let Some(value) = result(position) {
            return value;
        }
        nature_acts(position, rolls);
        let Some(player) = mover(position) else { break };
        let moves = position.notations(player);
        let Some(notation) = moves.get(rolls.place(moves.len())).copied() else { break };
        *left = left.saturating_sub(1);
        if position.play(player, &notation, rolls).is_err() {
            break;
        }
        played.push((player, notation));
    }
    outlook.value(position)
}
