//! Go is asked only what the room asks it, through the traits, but for boards of other sizes.

mod counts;
mod endings;
mod meant;
mod moves;
mod saved;
mod texts;

use super::GO;
use crate::{Game as _, NoChance, Played, Position, Refused};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use hall_wire::{Notation, Player};

const P0: Player = Player::new(0);
const P1: Player = Player::new(1);

/// The position of a saved text: the lines of the board and the moves.
fn position(saved: &str) -> Box<dyn Position> {
    GO.restore(saved).unwrap_or_else(|_| panic!("{saved} cannot be read"))
}

/// Who is to move; a game that is over has nobody.
fn mover(position: &dyn Position) -> Option<Player> {
    let set = position.to_move();
    assert!(set.iter().count() <= 1);
    set.iter().next()
}

/// Sends `text` for the player to move.
fn send(position: &mut dyn Position, text: &str) -> Result<Played, Refused> {
    let player = mover(position).unwrap_or(P0);
    position.play(player, &Notation::parse(text).unwrap(), &mut NoChance)
}

/// Plays legal moves, separated by spaces.
fn play(position: &mut dyn Position, moves: &str) {
    for text in moves.split(' ').filter(|text| !text.is_empty()) {
        assert!(send(position, text).is_ok(), "{text} in {}", position.state_string());
    }
}

/// Whether the player to move may play `text`.
fn is_listed(position: &dyn Position, text: &str) -> bool {
    let legal = mover(position).map(|player| position.notations(player)).unwrap_or_default();
    legal.iter().any(|notation| notation.as_str() == text)
}

/// The reason why the game is over, or `-`.
fn reason(position: &dyn Position) -> String {
    position.outcome().map_or_else(|| "-".to_string(), |outcome| outcome.reason.as_str().to_string())
}
