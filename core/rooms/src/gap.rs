//! Time restored after a gap in which the hall was away (decision 5.3).

use crate::command::GapCause;
use crate::draft::Draft;
use crate::fact::{BeaconStatus, OpenTurn, RoomChange, RoomFact};
use crate::room::{DeferredPenalty, Phase, Room};
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_wire::Timestamp;

/// Time in which the hall was away.
pub(crate) struct Gap {
    /// The last instant before it.
    pub(crate) from: Timestamp,
    /// The first instant after it.
    pub(crate) until: Timestamp,
    /// Why it was away.
    pub(crate) cause: GapCause,
}

/// Gives the open turns of a room their full time again after a gap. A penalty, or an act of the hall,
/// that waits for the beacon has its full wait again, too, unless the beacon is settled: then nothing waits any longer.
pub(crate) fn extend(room: &Room, at: Timestamp, gap: &Gap) -> Vec<Arc<RoomFact>> {
    let mut draft = Draft::of(room, at);
    let turn_index = room.turn_index();
    match (room.phase(), room.state.deferred) {
        (Phase::Playing, _) => {
            let turns = room.seats().iter().filter_map(|seat| seat.open);
            let turns = turns.map(|open| extended(open, at + room.timing().move_time, gap)).collect();
            let cause = gap.cause;
            let gap = Some((gap.from, gap.until));
            draft.change(RoomChange::DeadlineExtended { turn_index, turns, gap, cause });
        }
        (Phase::AwaitingBeacon, _) if room.beacon_status() != BeaconStatus::Waiting => {}
        (Phase::AwaitingBeacon, Some(DeferredPenalty { player, cause, charged_until, .. })) => {
            draft.change(RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until });
        }
        (Phase::AwaitingBeacon, None) => draft.change(RoomChange::HallDeferred { turn_index }),
        (Phase::Ended, _) => {}
    }
    draft.into_facts()
}

fn extended(open: OpenTurn, move_deadline: Timestamp, gap: &Gap) -> OpenTurn {
    OpenTurn {
        move_deadline: open.move_deadline.max(move_deadline),
        credit: open.credit + gap.until.since(gap.from.max(open.started_at)),
        ..open
    }
}
