//! Checkers is asked only what the room asks it: through the traits, by FEN and by moves on the wire.

mod endings;
mod meant;
mod moves;
mod perft;
mod saved;
mod texts;

use super::CHECKERS;
use crate::{Game as _, NoChance, Played, Position, Refused};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

const P0: Player = Player::new(0);
const P1: Player = Player::new(1);

/// The opening position.
const OPENING: &str = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";

/// The position of a saved text; a FEN alone is one without quiet turns.
fn position(saved: &str) -> Box<dyn Position> {
    CHECKERS.restore(saved).unwrap_or_else(|_| panic!("{saved} cannot be read"))
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

/// The notations of the player to move, separated by spaces.
fn legal(position: &dyn Position) -> String {
    let player = mover(position).unwrap_or(P0);
    let notations: Vec<String> = position.notations(player).iter().map(ToString::to_string).collect();
    notations.join(" ")
}

/// The reason why the game is over, or `-`.
fn reason(position: &dyn Position) -> String {
    position.outcome().map_or_else(|| "-".to_string(), |outcome| outcome.reason.as_str().to_string())
}
