//! The two sides of the table: `p0` and `p1`.

use hall_wire::Player;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    P0,
    P1,
}

impl Side {
    /// Both, in seat order.
    pub(super) const BOTH: [Self; 2] = [Self::P0, Self::P1];

    /// The side of `player`; `None` for a seat that the game does not have.
    pub(super) fn of(player: Player) -> Option<Self> {
        Self::BOTH.into_iter().find(|side| side.player() == player)
    }

    /// Who sits there.
    pub(super) const fn player(self) -> Player {
        match self {
            Self::P0 => Player::new(0),
            Self::P1 => Player::new(1),
        }
    }

    /// The opponent.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::P0 => Self::P1,
            Self::P1 => Self::P0,
        }
    }

    /// The letter of its checkers in the board text.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::P0 => 'X',
            Self::P1 => 'O',
        }
    }

    /// The point that `p0` counts as the `point` of this side, and the other way round.
    pub(super) const fn seen_by_p0(self, point: u8) -> u8 {
        match self {
            Self::P0 => point,
            Self::P1 => 25_u8.saturating_sub(point),
        }
    }
}
