//! Bounds of a game that no setting changes.

use hall_wire::Span;

/// Strikes in one game that forfeit it.
pub const STRIKES_TO_FORFEIT: u8 = 3;
/// Illegal moves in one turn that cost a strike.
pub const ILLEGAL_MOVES_TO_STRIKE: u8 = 3;
/// The shortest time between the formation of a game and the beacon round that it is bound to.
pub const BEACON_LEAD: Span = Span::from_secs(3);
/// The longest time that a turn waits for its beacon round.
pub const BEACON_WAIT: Span = Span::from_secs(10);
/// The most rooms that one command touches; the caller continues from where it stopped.
pub const ROOMS_AT_ONCE: usize = 256;
/// Gaps that a room remembers: more than can lie between the stamp of a request and its decision.
pub const REMEMBERED_GAPS: usize = 8;
