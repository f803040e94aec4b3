//! The two sides.

use crate::PlayerSet;
use hall_wire::Player;

/// One of two players who move in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// `p0`, who begins.
    First,
    /// `p1`.
    Second,
}

impl Side {
    /// Both, in seat order.
    pub(crate) const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The side of `player`; `None` for a seat that these games do not have.
    pub(crate) fn of(player: Player) -> Option<Self> {
        Self::BOTH.into_iter().find(|side| side.player() == player)
    }

    /// The seat.
    pub(crate) const fn player(self) -> Player {
        match self {
            Self::First => Player::new(0),
            Self::Second => Player::new(1),
        }
    }

    /// The set of this player alone.
    pub(crate) fn set(self) -> PlayerSet {
        PlayerSet::only(self.player())
    }

    /// The opponent.
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// One value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BySide<T> {
    first: T,
    second: T,
}

impl<T: Copy> BySide<T> {
    /// The values in seat order.
    pub(crate) const fn new(first: T, second: T) -> Self {
        Self { first, second }
    }

    /// The value of `side`.
    pub(crate) const fn of(self, side: Side) -> T {
        match side {
            Side::First => self.first,
            Side::Second => self.second,
        }
    }

    /// The value of `side`, to be changed.
    pub(crate) const fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }
}
