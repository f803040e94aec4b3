//! The game is asked only what the room asks it: through the traits, by saved positions and by moves on the wire.

mod bids;
mod rounds;
mod secrets;
mod texts;

use super::LIARS_DICE;
use crate::{Chance, Game as _, Played, Position, Refused};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

const P0: Player = Player::new(0);
const P1: Player = Player::new(1);

/// A number of draws, each one more than the one before, from 0 on.
struct Draws(u64, u64);

impl Chance for Draws {
    fn below(&mut self, n: u64) -> Option<u64> {
        assert_eq!(n, 6);
        let Self(next, left) = self;
        *left = left.checked_sub(1)?;
        *next += 1;
        Some((*next - 1) % n)
    }
}

fn position(saved: &str) -> Box<dyn Position> {
    LIARS_DICE.restore(saved).unwrap_or_else(|_| panic!("{saved} cannot be read"))
}

fn mover(position: &dyn Position) -> Option<Player> {
    let set = position.to_move();
    assert!(set.iter().count() <= 1);
    set.iter().next()
}

/// Sends `text` for the player to move.
fn send(position: &mut dyn Position, text: &str) -> Result<Played, Refused> {
    let player = mover(position).unwrap_or(P0);
    position.play(player, &Notation::parse(text).unwrap(), &mut Draws(0, 0))
}

/// The notations of the player to move.
fn legal(position: &dyn Position) -> Vec<String> {
    let notations = mover(position).map(|player| position.notations(player)).unwrap_or_default();
    notations.iter().map(ToString::to_string).collect()
}
