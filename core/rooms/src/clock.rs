//! Clocks: the deadline of a turn, and what a turn costs.

use crate::fact::OpenTurn;
use crate::limits;
use crate::seat::SeatState;
use alloc::vec::Vec;
use hall_games::PlayerSet;
use hall_wire::{Player, Span, Timestamp};

/// The last instant at which the player may move: the earlier of the time for this move and what is left on the side
/// clock.
pub(crate) fn deadline(open: &OpenTurn, remaining: Option<Span>) -> Timestamp {
    match side_deadline(open, remaining) {
        Some(side) => side.min(open.move_deadline),
        None => open.move_deadline,
    }
}

/// When the side clock runs out.
fn side_deadline(open: &OpenTurn, remaining: Option<Span>) -> Option<Timestamp> {
    remaining.map(|remaining| open.started_at + open.credit + remaining)
}

/// Whether missing the deadline means that the side clock is used up. True also if both limits fall on the same
/// instant.
pub(crate) fn loses_on_time(open: &OpenTurn, remaining: Option<Span>) -> bool {
    side_deadline(open, remaining).is_some_and(|side| side <= open.move_deadline)
}

/// Whether a request with this stamp comes after the deadline. Nothing else decides this.
pub(crate) fn is_late(stamp: Timestamp, deadline: Timestamp) -> bool {
    stamp > deadline
}

/// What is left by seat after `player` has used its turn until `until`; `None` without side clocks.
pub(crate) fn charge(
    seats: &[SeatState],
    gaps: &[(Timestamp, Timestamp)],
    player: Option<Player>,
    until: Timestamp,
) -> Option<Vec<Span>> {
    let mut clocks = remaining(seats)?;
    let open = player.and_then(|player| seats.get(player.index())?.open);
    if let Some(open) = open
        && let Some(left) = clocks.get_mut(open.player.index())
    {
        let credit = open.credit.saturating_sub(after(gaps, until.max(open.started_at)));
        *left = left.saturating_sub(until.since(open.started_at + credit));
    }
    Some(clocks)
}

/// Time left on each side clock, in seat order, without the open turns; `None` without side clocks.
pub(crate) fn remaining(seats: &[SeatState]) -> Option<Vec<Span>> {
    seats.iter().map(|seat| seat.remaining).collect()
}

/// How much of these gaps lies after an instant.
fn after(gaps: &[(Timestamp, Timestamp)], instant: Timestamp) -> Span {
    gaps.iter().fold(Span::ZERO, |sum, (from, until)| sum + until.since((*from).max(instant)))
}

/// Remembers one more gap. Facts of releases that kept no gaps have none.
pub(crate) fn remember(gaps: &mut Vec<(Timestamp, Timestamp)>, gap: Option<(Timestamp, Timestamp)>) {
    gaps.extend(gap);
    if gaps.len() > limits::REMEMBERED_GAPS {
        gaps.remove(0);
    }
}

/// The clocks after a turn: those who were to move already keep theirs, the others begin at `at`.
pub(crate) fn next_turns(
    seats: &[SeatState],
    move_time: Span,
    mover: Option<Player>,
    to_move: PlayerSet,
    at: Timestamp,
) -> Vec<OpenTurn> {
    let fresh =
        |player| OpenTurn { player, started_at: at, move_deadline: at + move_time, credit: Span::ZERO };
    to_move
        .iter()
        .map(|player| {
            let running =
                seats.get(player.index()).and_then(|seat| seat.open).filter(|_| mover != Some(player));
            running.unwrap_or_else(|| fresh(player))
        })
        .collect()
}
