//! Backgammon is asked only what the room asks it, from positions that are set up by their checkers.

mod did_you_mean;
mod endings;
mod examples;
mod nature;
mod notation;
mod reference;
mod rules;
mod saved;
mod texts;

use super::BACKGAMMON;
use super::board::{Board, Half};
use super::dice::Dice;
use super::position::BackgammonPosition;
use super::side::Side;
use crate::testing::{P0, P1, notations, reason, send};
use crate::{Chance, Position};
use alloc::string::String;
use alloc::vec::Vec;

/// The checkers of a side at the beginning.
const START: &str = "24:2 13:5 8:3 6:5";

/// Dice as somebody has thrown them.
struct Thrown(Vec<u64>);

impl Thrown {
    fn new(dice: &str) -> Self {
        Self(dice.bytes().rev().map(|digit| u64::from(digit - b'1')).collect())
    }
}

impl Chance for Thrown {
    fn below(&mut self, n: u64) -> Option<u64> {
        assert_eq!(n, 6, "a die has six sides");
        self.0.pop()
    }
}

/// A board of `p0`: the checkers of both sides as `point:number`, each by its own points; 25 is the bar, and what is
/// not named is off.
fn board(p0: &str, p1: &str) -> Board {
    let half = |text: &str| {
        let pairs = text.split(' ').filter_map(|place| place.split_once(':'));
        let places: Vec<(u8, u8)> =
            pairs.map(|(point, checkers)| (point.parse().unwrap(), checkers.parse().unwrap())).collect();
        Half::of(&places).unwrap()
    };
    Board { mine: half(p0), theirs: half(p1) }
}

/// `side` is to play `dice` on the board of `p0`.
fn in_play(board: Board, side: Side, dice: &str) -> BackgammonPosition {
    BackgammonPosition::in_play(board, side, Dice::parse(dice).unwrap())
}

/// `p0` is to play `dice`; `mine` are its checkers.
fn position(mine: &str, theirs: &str, dice: &str) -> BackgammonPosition {
    in_play(board(mine, theirs), Side::P0, dice)
}

/// The notations in one text, with commas between.
fn listed(position: &dyn Position) -> String {
    notations(position).join(", ")
}

/// Lets nature throw `dice`, and the player to move play `text`.
fn turn(position: &mut dyn Position, dice: &str, text: &str) {
    position.act(&mut Thrown::new(dice)).unwrap();
    send(position, text).unwrap_or_else(|_| panic!("{text} in {}", position.state_string()));
}
