//! Bids and the challenge, and how they are written.

use super::dice::{FACES, MOST_DICE};
use alloc::format;
use alloc::string::String;
use core::fmt;
use hall_wire::Notation;

/// The challenge of the bid before it.
pub(super) const LIAR: &str = "liar";

/// The quantities in the order of their written bids, whose bytes put `10x1` before `1x1`.
const QUANTITIES_AS_WRITTEN: [u8; 20] =
    [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 1, 20, 2, 3, 4, 5, 6, 7, 8, 9];

/// A claim that at least `quantity` dice show `face`. Its order is that of the game: a higher bid has a greater
/// quantity, or the same one and a higher face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bid {
    pub(super) quantity: u8,
    pub(super) face: u8,
}

impl Bid {
    /// Every bid on `dice` dice, ordered as they are written.
    pub(super) fn all(dice: u8) -> impl Iterator<Item = Self> {
        let possible = move |quantity: &u8| *quantity <= dice;
        let of_quantity = |quantity| (1..=FACES).map(move |face| Self { quantity, face });
        QUANTITIES_AS_WRITTEN.into_iter().filter(possible).flat_map(of_quantity)
    }

    /// Reads a bid that is written to the letter.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (quantity, face) = text.split_once('x')?;
        let plain = |digits: &str| !digits.starts_with(['0', '+']);
        let number = |digits: &str| digits.parse::<u8>().ok().filter(|_| plain(digits));
        let bid = Self { quantity: number(quantity)?, face: number(face)? };
        (bid.quantity <= MOST_DICE && bid.face <= FACES).then_some(bid)
    }

    /// How many bids there are that are not higher than this one.
    pub(super) const fn rank(self) -> u8 {
        (self.quantity - 1) * FACES + self.face
    }

    /// The bid in words.
    pub(super) fn summary(self, dice: u8) -> String {
        let Self { quantity, face } = self;
        format!("at least {quantity} of {dice} dice are {}", face_name(face))
    }

    pub(super) fn notation(self) -> Notation {
        notation(&format!("{self}"))
    }
}

impl fmt::Display for Bid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}x{}", self.quantity, self.face)
    }
}

/// The challenge as it is sent.
pub(super) fn liar() -> Notation {
    notation(LIAR)
}

fn notation(text: &str) -> Notation {
    Notation::parse(text).expect("bids and the challenge are short ASCII")
}

/// The faces in words, from 1.
pub(super) const FACE_NAMES: [&str; 6] = ["ones", "twos", "threes", "fours", "fives", "sixes"];

fn face_name(face: u8) -> &'static str {
    FACE_NAMES.get(usize::from(face).wrapping_sub(1)).copied().unwrap_or("nothing")
}
