//! Shorter games: moves are taken out of the middle of a game, and those after them become that much earlier turns.

use crate::log::Step;
use hall_core::{Command, RoomCommand};
use hall_wire::GameId;
use std::collections::BTreeSet;

/// The games with moves.
pub(super) fn games(steps: &[Step]) -> BTreeSet<GameId> {
    steps.iter().filter_map(|step| turn(step).map(|(game, _)| game)).collect()
}

/// The turns of a game from the first one submitted to after the last one.
pub(super) fn turns(steps: &[Step], game: GameId) -> u32 {
    let own = steps.iter().filter_map(turn).filter(|(of, _)| *of == game);
    own.map(|(_, turn)| turn + 1).max().unwrap_or(0)
}

/// The steps without the moves of so many turns of a game.
pub(super) fn without_turns(steps: &[Step], game: GameId, from: u32, count: u32) -> Vec<Step> {
    let mut left = Vec::new();
    for step in steps {
        match turn(step).filter(|(of, _)| *of == game) {
            Some((_, turn)) if (from..from + count).contains(&turn) => {}
            Some((_, turn)) if turn >= from + count => {
                let mut step = step.clone();
                step.move_elsewhere(game, turn - count);
                left.push(step);
            }
            _ => left.push(step.clone()),
        }
    }
    left
}

fn turn(step: &Step) -> Option<(GameId, u32)> {
    if let Command::Room(RoomCommand::Submit(submission)) = &step.what {
        Some((submission.game, submission.turn_index))
    } else {
        None
    }
}
