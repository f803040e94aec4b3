//! Where the checkers stand, and what one die does with one of them.

use super::side::Side;

/// How many checkers a side has.
pub(super) const CHECKERS: u8 = 15;
/// The place of checkers that have been borne off.
pub(super) const OFF: u8 = 0;
/// The place of checkers that have been hit.
pub(super) const BAR: u8 = 25;
/// The highest point of the home board.
const HOME: u8 = 6;

/// The checkers of one side on each of its own points 1 to 24, with [`OFF`] before them and [`BAR`] behind them.
pub(super) type Half = [u8; 26];

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

/// How many checkers of `half` stand at `point`.
pub(super) fn count(half: &Half, point: u8) -> u8 {
    half.get(usize::from(point)).copied().unwrap_or(0)
}

/// The places of `half` with their checkers, empty ones left out, from the bar down.
pub(super) fn occupied(half: &Half) -> impl Iterator<Item = (u8, u8)> {
    (OFF..=BAR).rev().zip(half.iter().rev().copied()).filter(|(_, checkers)| *checkers > 0)
}

/// The pips that `half` still has to go.
pub(super) fn pips(half: &Half) -> u16 {
    occupied(half).map(|(point, checkers)| u16::from(point) * u16::from(checkers)).sum()
}

/// These places with their checkers; all others are borne off.
pub(super) fn half(places: &[(u8, u8)]) -> Half {
    let mut half = [0; 26];
    change(&mut half, OFF, |_| CHECKERS);
    for (point, checkers) in places {
        change(&mut half, OFF, |off| off.saturating_sub(*checkers));
        change(&mut half, *point, |_| *checkers);
    }
    half
}

impl Board {
    /// The beginning, which both sides see alike.
    pub(super) fn start() -> Self {
        let half = half(&[(24, 2), (13, 5), (8, 3), (6, 5)]);
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
        if count(&self.mine, from) == 0 || from != BAR && count(&self.mine, BAR) > 0 {
            return None;
        }
        let to = from.saturating_sub(die);
        if to == OFF {
            let furthest = if from == die { HOME } else { from };
            return occupied(&self.mine)
                .next()
                .is_some_and(|(highest, _)| highest <= furthest)
                .then_some(Step { from, to, hits: false });
        }
        let defenders = count(&self.theirs, BAR - to);
        (defenders < 2).then_some(Step { from, to, hits: defenders == 1 })
    }

    /// The board after a step that is allowed.
    pub(super) fn after(mut self, step: Step) -> Self {
        change(&mut self.mine, step.from, |checkers| checkers.saturating_sub(1));
        change(&mut self.mine, step.to, |checkers| checkers + 1);
        if step.hits {
            change(&mut self.theirs, BAR - step.to, |checkers| checkers.saturating_sub(1));
            change(&mut self.theirs, BAR, |checkers| checkers + 1);
        }
        self
    }
}

/// Sets what stands at `point` to what `new` makes of it.
pub(super) fn change(half: &mut Half, point: u8, new: impl FnOnce(u8) -> u8) {
    if let Some(checkers) = half.get_mut(usize::from(point)) {
        *checkers = new(*checkers);
    }
}
