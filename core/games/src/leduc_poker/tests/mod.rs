//! The game is asked only what the room asks it: through the traits, by saved positions and by moves on the wire.

mod hands;
mod matches;
mod secrets;
mod texts;

use super::LEDUC_POKER;
use crate::{Chance, Game as _, NoChance, Played, Position, Refused};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

const P0: Player = Player::new(0);
const P1: Player = Player::new(1);

/// Draws that leave every deck in order: each card stays in its place.
struct InOrder;

impl Chance for InOrder {
    fn below(&mut self, n: u64) -> Option<u64> {
        n.checked_sub(1)
    }
}

fn position(saved: &str) -> Box<dyn Position> {
    LEDUC_POKER.restore(saved).unwrap_or_else(|_| panic!("{saved} cannot be read"))
}

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

/// The notations of the player to move, joined by spaces.
fn legal(position: &dyn Position) -> String {
    let notations = mover(position).map(|player| position.notations(player)).unwrap_or_default();
    notations.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
