//! The state of one seat.

use crate::fact::{BodyRecord, OpenTurn, SealedAction, Seat};
use crate::status::TurnBrief;
use alloc::boxed::Box;
use hall_games::Reason;
use hall_wire::{Span, Timestamp};
use serde::{Deserialize, Serialize};

/// How a seat became vacant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vacancy {
    /// Its place among the vacant seats, in the order in which they were vacated, from 0.
    pub order: u8,
    /// The reason.
    pub reason: Reason,
    /// The turn in which it was vacated.
    pub turn_index: u32,
    /// When the player left.
    pub left_at: Timestamp,
    /// The instant up to which its side clock is charged, if it was to move.
    pub charged_until: Timestamp,
    /// The signed body of a resignation. It belongs to the turn in which the seat was vacated, if that was the
    /// player's.
    pub body: Option<BodyRecord>,
}

/// A seat with its clock, strikes and last turn. What few seats have, or for a moment only, lies apart, because a live
/// game is in memory with all of its seats.
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
    /// What the player did in the shared turn that is not resolved yet.
    #[serde(default)]
    pub sealed: Option<Box<SealedAction>>,
    /// Why and when the seat became vacant, if it is.
    #[serde(default)]
    pub vacancy: Option<Box<Vacancy>>,
}
