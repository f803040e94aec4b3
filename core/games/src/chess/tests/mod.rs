//! Chess is asked only what the room asks it: through the traits, by FEN and by moves on the wire.

mod draws;
mod meant;
mod moves;
mod perft;
mod playouts;
mod texts;

use super::CHESS;
use super::pgn::NoChance;
use crate::{Game as _, Played, Position, Refused};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

const P0: Player = Player::new(0);
const P1: Player = Player::new(1);

/// The opening position.
const OPENING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The position of `fen`, its past forgotten.
fn position(fen: &str) -> Box<dyn Position> {
    CHESS.restore(fen).unwrap_or_else(|_| panic!("{fen} cannot be read"))
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

/// The SAN of one legal move.
fn san(position: &mut dyn Position, text: &str) -> String {
    send(position, text).unwrap().san.unwrap().to_string()
}

/// The notations of the player to move.
fn notations(position: &dyn Position) -> Vec<String> {
    let legal = mover(position).map(|player| position.legal_moves(player)).unwrap_or_default();
    legal.iter().map(|entry| entry.notation.to_string()).collect()
}

/// The reason why the game is over, or `-`.
fn reason(position: &dyn Position) -> String {
    position.outcome().map_or_else(|| "-".to_string(), |outcome| outcome.reason.as_str().to_string())
}
