//! Dice that are rolled.

use super::bid::Bid;
use crate::Chance;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// The dice of each player at the start.
pub(super) const DICE: u8 = 5;
/// The sides of a die; the highest face is wild.
pub(super) const FACES: u8 = 6;
pub(super) const MOST_SEATS: u8 = 4;
/// The dice of all players of the largest table.
pub(super) const MOST_DICE: u8 = MOST_SEATS * DICE;

/// What one player rolled: faces in order of size, behind zeros for the dice that are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Roll([u8; 5]);

impl Roll {
    /// A roll of these faces in any order; `None` for too many, and for a face that no die has.
    pub(super) fn of(faces: &[u8]) -> Option<Self> {
        let mut roll = [0; 5];
        roll.get_mut(..faces.len())?.copy_from_slice(faces);
        roll.sort_unstable();
        faces.iter().all(|face| (1..=FACES).contains(face)).then_some(Self(roll))
    }

    /// Rolls `dice` dice; `None` if a random number is missing.
    fn from_chance(dice: u8, chance: &mut dyn Chance) -> Option<Self> {
        let face = |_| u8::try_from(chance.below(u64::from(FACES))?).ok()?.checked_add(1);
        Self::of(&(0..dice).map(face).collect::<Option<Vec<u8>>>()?)
    }

    /// The faces in order of size.
    pub(super) fn faces(&self) -> impl Iterator<Item = u8> {
        self.0.into_iter().filter(|face| *face > 0)
    }
}

/// The rolls of all players in a round, empty for those who are out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rolls(pub(super) [Roll; 4]);

impl Rolls {
    /// Rolls for every player, all dice of one before the next; `None` if a random number is missing.
    pub(super) fn from_chance(dice: [u8; 4], chance: &mut dyn Chance) -> Option<Self> {
        let mut rolls = Self::default();
        for (roll, dice) in rolls.0.iter_mut().zip(dice) {
            *roll = Roll::from_chance(dice, chance)?;
        }
        Some(rolls)
    }

    /// Whether the bid holds: a six counts for every face.
    pub(super) fn bear_out(&self, bid: Bid) -> bool {
        let faces = self.0.iter().flat_map(Roll::faces);
        faces.filter(|face| *face == bid.face || *face == FACES).count() >= usize::from(bid.quantity)
    }

    /// Whether every player rolled as many dice as `dice` says.
    pub(super) fn are_of(&self, dice: [u8; 4]) -> bool {
        self.0.iter().zip(dice).all(|(roll, dice)| roll.faces().count() == usize::from(dice))
    }

    /// All dice, as `p0 1 3 3 5 6 p1 2 2 4`.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for (seat, roll) in self.0.iter().enumerate().filter(|(_, roll)| roll.faces().next().is_some()) {
            let space = if out.is_empty() { "" } else { " " };
            write!(out, "{space}p{seat}").expect("writing to a string does not fail");
            for face in roll.faces() {
                write!(out, " {face}").expect("writing to a string does not fail");
            }
        }
        out
    }
}
