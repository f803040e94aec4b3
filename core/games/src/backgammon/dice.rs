//! What nature throws: one roll that opens the game, and two dice for each turn after the first.

use super::side::Side;
use crate::Chance;
use core::fmt;

/// Sides of a die.
const SIDES: u8 = 6;

/// How many equal pairs in a row an opening throws at most. A working source never gives so many; one that always
/// gives the same number must not hold up the hall.
const MOST_EQUAL_PAIRS: usize = 1_000;

/// Two dice, the higher first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dice {
    pub(super) high: u8,
    pub(super) low: u8,
}

/// An act of nature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Roll {
    /// One die for each side, always different; the higher one starts and plays both.
    Opening { p0: u8, p1: u8 },
    /// Two dice for the side whose turn begins.
    Turn(Dice),
}

impl Dice {
    /// These two in order; `None` if one is no face of a die.
    pub(super) fn of(one: u8, other: u8) -> Option<Self> {
        let is_face = |die: u8| (1..=SIDES).contains(&die);
        let dice = Self { high: one.max(other), low: one.min(other) };
        (is_face(one) && is_face(other)).then_some(dice)
    }

    pub(super) const fn is_double(self) -> bool {
        self.high == self.low
    }

    /// Reads two digits, the higher first.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let [high, low] = text.as_bytes() else { return None };
        let dice = Self::of(high.wrapping_sub(b'0'), low.wrapping_sub(b'0'))?;
        (high >= low).then_some(dice)
    }
}

impl fmt::Display for Dice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.high, self.low)
    }
}

impl Roll {
    /// Draws the opening: the die of `p0`, then that of `p1`, both again while they are equal.
    pub(super) fn opening(chance: &mut dyn Chance) -> Option<Self> {
        for _ in 0..MOST_EQUAL_PAIRS {
            let (p0, p1) = (die(chance)?, die(chance)?);
            if p0 != p1 {
                return Some(Self::Opening { p0, p1 });
            }
        }
        None
    }

    /// Draws two dice.
    pub(super) fn turn(chance: &mut dyn Chance) -> Option<Self> {
        let (one, other) = (die(chance)?, die(chance)?);
        Dice::of(one, other).map(Self::Turn)
    }

    /// Reads what `Display` writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let Some((p0, p1)) = text.strip_prefix("p0 ").and_then(|rest| rest.split_once(" p1 ")) else {
            return Dice::parse(text).map(Self::Turn);
        };
        let (p0, p1) = (p0.parse().ok()?, p1.parse().ok()?);
        Dice::of(p0, p1).filter(|dice| !dice.is_double()).map(|_| Self::Opening { p0, p1 })
    }

    /// The dice, and who plays them where the roll itself says so.
    pub(super) fn dice(self) -> Option<(Dice, Option<Side>)> {
        match self {
            Self::Opening { p0, p1 } => {
                Some((Dice::of(p0, p1)?, Some(if p0 > p1 { Side::P0 } else { Side::P1 })))
            }
            Self::Turn(dice) => Some((dice, None)),
        }
    }
}

impl fmt::Display for Roll {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening { p0, p1 } => write!(out, "p0 {p0} p1 {p1}"),
            Self::Turn(dice) => write!(out, "{dice}"),
        }
    }
}

fn die(chance: &mut dyn Chance) -> Option<u8> {
    u8::try_from(chance.below(u64::from(SIDES))? + 1).ok()
}
