//! Backgammon is asked only what the room asks it, from positions that are set up by their checkers.

mod endings;
mod examples;
mod meant;
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
use crate::{Chance, NoChance, Position, Refused};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

const P0: Player = Player::new(0);
const P1: Player = Player::new(1);

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

/// The notations of the player to move.
fn legal(position: &dyn Position) -> Vec<String> {
    let mover = position.to_move().iter().next();
    let notations = mover.map(|player| position.notations(player)).unwrap_or_default();
    notations.iter().map(Notation::to_string).collect()
}

/// The notations in one text, with commas between.
fn listed(position: &dyn Position) -> String {
    legal(position).join(", ")
}

/// Sends `text` for the player to move.
fn send(position: &mut dyn Position, text: &str) -> Result<(), Refused> {
    let player = position.to_move().iter().next().unwrap_or(P0);
    position.play(player, &Notation::parse(text).unwrap(), &mut NoChance).map(|_| ())
}

/// Lets nature throw `dice`, and the player to move play `text`.
fn turn(position: &mut dyn Position, dice: &str, text: &str) {
    position.act(&mut Thrown::new(dice)).unwrap();
    send(position, text).unwrap_or_else(|_| panic!("{text} in {}", position.state_string()));
}

/// The reason why the game is over, or `-`.
fn reason(position: &dyn Position) -> String {
    position.outcome().map_or_else(|| "-".to_string(), |outcome| outcome.reason.as_str().to_string())
}
