//! What the hall does in a player's place: default actions, strikes, forced moves and forfeits.
//!
//! A penalty is one strike and one move or, with the third strike, the end of the game. A strike is never recorded
//! without the move or the end. Where its random move must wait for the beacon, the strike waits with it.

use crate::beacon;
use crate::clock;
use crate::decision::{RoomDecision, RoomRejection};
use crate::draft::{Draft, MoveSource, TurnContext};
use crate::fact::{BeaconStatus, ForcedCause, RoomChange};
use crate::limits;
use crate::notices;
use crate::room::{DeferredPenalty, Room};
use crate::settle;
use crate::status::TurnStatus;
use alloc::boxed::Box;
use hall_games::{Chance, Reason, Refused};
use hall_wire::{Notation, Player, Timestamp};

/// A penalty that is due.
pub(crate) struct Penalty {
    pub(crate) player: Player,
    pub(crate) cause: ForcedCause,
    pub(crate) charged_until: Timestamp,
}

/// The outcome of a penalty.
#[derive(PartialEq, Eq)]
pub(crate) enum PenaltyOutcome {
    /// The strike is given and the turn resolved.
    Imposed,
    /// It waits for the beacon.
    Deferred,
}

/// Acts in a room that waits for the hall: a deadline was missed, or the wait for the beacon is over.
pub(crate) fn act(room: &Room, at: Timestamp) -> RoomDecision {
    if !room.is_playable() {
        return settle::break_off(room, at);
    }
    let mut draft = Draft::of(room, at);
    if let Some(DeferredPenalty { player, cause, charged_until, .. }) = room.state.deferred {
        if room.beacon_status() == BeaconStatus::Waiting {
            beacon::missed(&mut draft);
        }
        impose(&mut draft, &Penalty { player, cause, charged_until });
    } else {
        miss_deadline(&mut draft, room);
    }
    let answer = notices::deferred_answer(room, |player| {
        RoomRejection::IllegalMove(Box::new(status(&draft.room, player)))
    });
    let (facts, mut notices) = notices::finish(draft, room);
    notices.extend(answer);
    RoomDecision { answer: Ok(None), facts, notices }
}

/// The player with the earliest deadline has missed it.
fn miss_deadline(draft: &mut Draft, room: &Room) {
    let missed = room.players().filter_map(|player| Some((room.deadline_of(player)?, player))).min();
    let Some((deadline, player)) = missed else { return };
    let seat = room.seat(player);
    let lost = seat.is_some_and(|seat| {
        seat.open.as_ref().is_some_and(|open| clock::loses_on_time(open, seat.remaining))
    });
    if lost {
        let context = TurnContext {
            player: Some(player),
            forced: Some(ForcedCause::Deadline),
            at: draft.at(),
            charged_until: deadline,
            body: None,
        };
        draft.forfeit(context, player, Reason::CLOCK);
    } else {
        impose(draft, &Penalty { player, cause: ForcedCause::Deadline, charged_until: deadline });
    }
}

/// Gives a strike and plays for the player, or ends the game with the third strike.
pub(crate) fn impose(draft: &mut Draft, penalty: &Penalty) -> PenaltyOutcome {
    let Penalty { player, cause, charged_until } = *penalty;
    let turn_index = draft.room.turn_index();
    let count = draft.room.seat(player).map_or(0, |seat| seat.strikes) + 1;
    let forfeits = count >= limits::STRIKES_TO_FORFEIT;
    // A missed deadline plays a pass where the rules have one; three illegal moves always play at random.
    let pass =
        if cause == ForcedCause::Deadline { draft.room.position().default_action(player) } else { None };
    if !forfeits && must_wait(&draft.room, player, pass.as_ref()) {
        draft.change(RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until });
        return PenaltyOutcome::Deferred;
    }
    draft.change(RoomChange::StrikeGiven { turn_index, player, cause, count });
    let context =
        TurnContext { player: Some(player), forced: Some(cause), at: draft.at(), charged_until, body: None };
    if forfeits {
        draft.forfeit(context, player, Reason::STRIKES);
    } else {
        let source = pass.map_or(MoveSource::Random, MoveSource::Move);
        draft.play(context, &source, None).expect("a default action is legal");
    }
    PenaltyOutcome::Imposed
}

/// Whether the penalty needs a random number that cannot be drawn yet: for a random move, or for what a pass brings
/// about.
fn must_wait(room: &Room, player: Player, pass: Option<&Notation>) -> bool {
    struct NotYet;
    impl Chance for NotYet {
        fn below(&mut self, _n: u64) -> Option<u64> {
            None
        }
    }
    if room.beacon_status() != BeaconStatus::Waiting {
        return false;
    }
    let tried = |pass| room.position.clone().play(player, pass, &mut NotYet);
    pass.is_none_or(|pass| tried(pass) == Err(Refused::NeedsChance))
}

/// The report for a player after its third illegal move in a turn: the forced turn, and the turn that it opened.
pub(crate) fn status(room: &Room, player: Player) -> TurnStatus {
    let mut status = room.status(player);
    status.legal_moves = Some(room.legal_moves(player));
    status.applied = room.last_turn().copied();
    status
}
