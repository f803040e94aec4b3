//! Where the checkers stand, and what one die does with one of them.

use super::side::Side;
use core::fmt;

/// How many checkers a side has.
pub(super) const CHECKERS: u8 = 15;
/// The place of checkers that have been borne off.
pub(super) const OFF: u8 = 0;
/// The place of checkers that have been hit.
pub(super) const BAR: u8 = 25;
/// The highest point of the home board.
const HOME: u8 = 6;

/// The checkers of one side: how many stand on each of its own points 1 to 24, on [`OFF`] and on [`BAR`].
///
/// Each place has four bits, the bar the highest, so that boards are copied and compared as numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Half(u128);

/// The board as one side sees it. Point n of one side is point 25-n of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Board {
    /// The side that looks at it.
    pub(super) mine: Half,
    /// The other side, by its own points.
    pub(super) theirs: Half,
}

/// One checker moved by one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: u8,
    pub(super) to: u8,
    /// Whether a checker of the other side goes to the bar.
    pub(super) hits: bool,
}

impl Half {
    /// No checker anywhere.
    pub(super) const NONE: Self = Self(0);

    /// These places with their checkers; all others of the fifteen are borne off. `None` if there are more.
    pub(super) fn of(places: &[(u8, u8)]) -> Option<Self> {
        let half =
            places.iter().try_fold(Self::NONE, |half, (place, checkers)| half.with(*place, *checkers))?;
        half.with(OFF, CHECKERS.checked_sub(half.total())?)
    }

    /// How many stand at `place`.
    pub(super) fn count(self, place: u8) -> u8 {
        u8::try_from(self.0 >> shift(place) & 15).unwrap_or(0)
    }

    /// So many more at `place`; `None` if they were more than fifteen there.
    pub(super) fn with(self, place: u8, checkers: u8) -> Option<Self> {
        let fits = place <= BAR && self.count(place).checked_add(checkers)? <= CHECKERS;
        fits.then(|| Self(self.0 + (u128::from(checkers) << shift(place))))
    }

    /// One checker that stands at `from` goes to `to`.
    const fn moved(self, from: u8, to: u8) -> Self {
        Self(self.0 - (1 << shift(from)) + (1 << shift(to)))
    }

    /// The place of the furthest checker.
    fn furthest(self) -> u8 {
        u8::try_from(self.0.checked_ilog2().unwrap_or(0) / 4).unwrap_or(OFF)
    }

    /// The places on which checkers stand, with their number, from the bar down.
    pub(super) fn occupied(self) -> impl Iterator<Item = (u8, u8)> {
        let mut left = self;
        core::iter::from_fn(move || {
            if left == Self::NONE {
                return None;
            }
            let place = left.furthest();
            let found = (place, left.count(place));
            left.0 &= !(15 << shift(place));
            Some(found)
        })
    }

    /// All checkers together.
    pub(super) fn total(self) -> u8 {
        self.occupied().fold(0, |sum, (_, checkers)| sum.saturating_add(checkers))
    }

    /// The pips that they still have to go.
    pub(super) fn pips(self) -> u16 {
        self.occupied().map(|(place, checkers)| u16::from(place) * u16::from(checkers)).sum()
    }
}

impl fmt::Debug for Half {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.occupied()).finish()
    }
}

/// Where the bits of a place begin.
const fn shift(place: u8) -> u8 {
    4 * place
}

impl Board {
    /// The beginning, which both sides see alike.
    pub(super) fn start() -> Self {
        let half = Half::of(&[(24, 2), (13, 5), (8, 3), (6, 5)]).expect("these are fifteen");
        Self { mine: half, theirs: half }
    }

    /// A board of `p0` as `side` sees it, or one of `side` as `p0` does.
    pub(super) const fn seen_by(self, side: Side) -> Self {
        match side {
            Side::P0 => self,
            Side::P1 => Self { mine: self.theirs, theirs: self.mine },
        }
    }

    /// The step that takes a checker from `from` by `die`, if it is allowed now.
    ///
    /// Checkers on the bar go first. A point with two checkers of the other side is blocked. A checker is borne off
    /// only when all stand in the home board, and by more pips than it needs only from the highest point.
    pub(super) fn step(&self, from: u8, die: u8) -> Option<Step> {
        if self.mine.count(from) == 0 || from != BAR && self.mine.count(BAR) > 0 {
            return None;
        }
        let to = from.saturating_sub(die);
        if to == OFF {
            let highest = if from == die { HOME } else { from };
            return (self.mine.furthest() <= highest).then_some(Step { from, to, hits: false });
        }
        let defenders = self.theirs.count(BAR - to);
        (defenders < 2).then_some(Step { from, to, hits: defenders == 1 })
    }

    /// The board after a step that is allowed.
    pub(super) const fn after(self, step: Step) -> Self {
        let Self { mine, theirs } = self;
        let theirs = if step.hits { theirs.moved(BAR - step.to, BAR) } else { theirs };
        Self { mine: mine.moved(step.from, step.to), theirs }
    }
}
