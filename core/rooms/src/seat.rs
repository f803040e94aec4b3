//! The state of one seat.

use crate::fact::{OpenTurn, Seat};
use crate::status::TurnBrief;
use hall_wire::Span;
use serde::{Deserialize, Serialize};

/// A seat with its clock, strikes and last turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatState {
    /// Who sits here, under which entry.
    pub seat: Seat,
    /// Time left on the side clock, if there is one, apart from the turn that is open.
    pub remaining: Option<Span>,
    /// Strikes in this game.
    pub strikes: u8,
    /// Illegal attempts in the current turn.
    pub illegal_attempts: u8,
    /// The clock that runs, if this player is to move.
    pub open: Option<OpenTurn>,
    /// The last turn that this player resolved.
    pub last: Option<TurnBrief>,
}
