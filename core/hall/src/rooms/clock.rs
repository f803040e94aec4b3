//! Clocks: the deadline of a turn, what a turn costs, and time given back for a gap.

use super::draft::Draft;
use super::fact::{OpenTurn, RoomChange};
use super::room::{Held, Phase, Room};
use crate::fact::Fact;
use alloc::string::ToString;
use alloc::vec::Vec;
use hall_games::PlayerSet;
use hall_wire::{Player, Span, Timestamp};

/// Until when the player may move: the earlier of the time for this move and what is left on the side clock.
pub(super) fn deadline(open: &OpenTurn, remaining: Option<Span>) -> Timestamp {
    match side_deadline(open, remaining) {
        Some(side) => side.min(open.move_deadline),
        None => open.move_deadline,
    }
}

/// When the side clock runs out.
fn side_deadline(open: &OpenTurn, remaining: Option<Span>) -> Option<Timestamp> {
    remaining.map(|remaining| open.started_at + open.credit + remaining)
}

/// Whether missing the deadline means that the side clock is used up; so it is on a tie, too.
pub(super) fn loses_on_time(open: &OpenTurn, remaining: Option<Span>) -> bool {
    side_deadline(open, remaining).is_some_and(|side| side <= open.move_deadline)
}

/// Whether a request with this stamp comes after the deadline. The one place where that is decided.
pub(super) fn is_late(stamp: Timestamp, deadline: Timestamp) -> bool {
    stamp > deadline
}

/// What is left by seat after `player` has used its turn until `until`.
pub(super) fn charge(room: &Room, player: Option<Player>, until: Timestamp) -> Option<Vec<Span>> {
    let mut clocks = room.clocks()?;
    let open = player.and_then(|player| room.seat(player)?.open);
    if let Some(open) = open
        && let Some(left) = clocks.get_mut(open.player.index())
    {
        let credit = open.credit.saturating_sub(after(&room.state.gaps, until.max(open.started_at)));
        *left = left.saturating_sub(until.since(open.started_at + credit));
    }
    Some(clocks)
}

/// How much of these gaps comes after an instant.
fn after(gaps: &[(Timestamp, Timestamp)], instant: Timestamp) -> Span {
    gaps.iter().fold(Span::ZERO, |sum, (from, until)| sum + until.since((*from).max(instant)))
}

/// Gaps that a room remembers: as many as may lie between the stamp of a request and its decision, and more.
const GAPS: usize = 8;

/// Remembers one more gap; of a fact of before gaps were kept, none.
pub(super) fn remember(gaps: &mut Vec<(Timestamp, Timestamp)>, gap: Option<(Timestamp, Timestamp)>) {
    gaps.extend(gap);
    if gaps.len() > GAPS {
        gaps.remove(0);
    }
}

/// The clocks after a turn: those who were to move already keep theirs, the others begin at `at`.
pub(super) fn next_turns(
    room: &Room,
    mover: Option<Player>,
    to_move: PlayerSet,
    at: Timestamp,
) -> Vec<OpenTurn> {
    let fresh = |player| OpenTurn {
        player,
        started_at: at,
        move_deadline: at + room.timing().move_time,
        credit: Span::ZERO,
    };
    to_move
        .iter()
        .map(|player| {
            let running = room.seat(player).and_then(|seat| seat.open).filter(|_| mover != Some(player));
            running.unwrap_or_else(|| fresh(player))
        })
        .collect()
}

/// Time in which the hall was away.
pub(crate) struct Gap<'a> {
    /// The last instant before it.
    pub(crate) from: Timestamp,
    /// The first instant after it.
    pub(crate) until: Timestamp,
    /// Why, for the game's log.
    pub(crate) reason: &'a str,
}

/// Gives the open turns of a room their full time again after a gap. A penalty that waits for the beacon waits as
/// long as before, too.
pub(super) fn extend(room: &Room, at: Timestamp, gap: &Gap<'_>) -> Vec<Fact> {
    let mut draft = Draft::of(room, at);
    let turn_index = room.turn_index();
    match (room.phase(), room.state.held) {
        (Phase::Playing, _) => {
            let reason = gap.reason.to_string();
            let turns = room.seats().iter().filter_map(|seat| seat.open);
            let turns = turns.map(|open| extended(open, at + room.timing().move_time, gap)).collect();
            let gap = Some((gap.from, gap.until));
            draft.change(RoomChange::DeadlineExtended { turn_index, turns, gap, reason });
        }
        (Phase::AwaitingBeacon, Some(Held { player, cause, charged_until, .. })) => {
            draft.change(RoomChange::PenaltyHeld { turn_index, player, cause, charged_until });
        }
        (Phase::AwaitingBeacon | Phase::Ended, _) => {}
    }
    draft.into_facts()
}

fn extended(open: OpenTurn, move_deadline: Timestamp, gap: &Gap<'_>) -> OpenTurn {
    OpenTurn {
        move_deadline: open.move_deadline.max(move_deadline),
        credit: open.credit + gap.until.since(gap.from.max(open.started_at)),
        ..open
    }
}
