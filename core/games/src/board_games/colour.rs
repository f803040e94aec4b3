//! The two sides of a game whose rules call them Black and White.

use hall_wire::Player;

/// One of the two sides: `p0` is Black and begins, `p1` is White.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Black,
    White,
}

impl Colour {
    /// In seat order.
    pub(crate) const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// What the players are called, in seat order.
    pub(crate) const NAMES: &[&str] = &[Self::Black.name(), Self::White.name()];

    /// The colour of `player`; `None` for a seat that these games do not have.
    pub(crate) fn of(player: Player) -> Option<Self> {
        Self::BOTH.into_iter().find(|colour| colour.player() == player)
    }

    pub(crate) const fn player(self) -> Player {
        match self {
            Self::Black => Player::new(0),
            Self::White => Player::new(1),
        }
    }

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Black => "Black",
            Self::White => "White",
        }
    }
}
