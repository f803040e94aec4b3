//! The game is asked only what the room asks it: through the traits, by saved positions and by moves on the wire.

mod secrets;
mod texts;
mod turns;

use super::GOOFSPIEL;
use crate::testing::{P0, P1, restored};
use crate::{Chance, NoChance, Position};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

const P2: Player = Player::new(2);

/// An order of the prizes.
const ORDER: &str = "7,1,13,2,3,4,5,6,8,9,10,11,12";

/// Draws that leave the prizes in order: each stays in its place.
struct InOrder;

impl Chance for InOrder {
    fn below(&mut self, n: u64) -> Option<u64> {
        n.checked_sub(1)
    }
}

/// A game of `seats` with the usual order of prizes and these bids.
fn saved(seats: u8, bids: &str) -> String {
    alloc::format!("{seats} {ORDER} {bids}")
}

fn position(saved: &str) -> Box<dyn Position> {
    restored(&GOOFSPIEL, saved)
}

/// Bids these cards for the players in seat order, if they are to move.
fn bid(position: &mut dyn Position, cards: &str) {
    for (player, card) in (0..).map(Player::new).zip(cards.split(',')) {
        position.play(player, &Notation::parse(card).unwrap(), &mut NoChance).unwrap();
    }
}

/// The notations of `player`, joined by spaces.
fn legal(position: &dyn Position, player: Player) -> String {
    position.notations(player).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
