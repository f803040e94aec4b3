//! What the hall does in a player's place: default actions, strikes, forced moves and forfeits.
//!
//! A penalty is one strike and one move or, with the third strike, the end of the game. A strike is never recorded
//! without the move or the end. Where its random move must wait for the beacon, the strike waits with it.

use crate::adjudicate;
use crate::beacon;
use crate::clock;
use crate::decision::{RoomDecision, RoomRejection};
use crate::draft::{Draft, MoveSource, TurnContext};
use crate::fact::{BeaconStatus, ForcedCause, RoomChange};
use crate::limits;
use crate::notices;
use crate::room::{DeferredPenalty, Phase, Room};
use crate::status::TurnStatus;
use alloc::boxed::Box;
use alloc::vec::Vec;
use hall_games::{GameResult, NoChance, PlayerSet, Reason, Refused};
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
        return adjudicate::abort_without_rules(room, at);
    }
    let mut draft = Draft::of(room, at);
    if room.phase() == Phase::AwaitingBeacon && room.beacon_status() == BeaconStatus::Waiting {
        beacon::missed(&mut draft);
    }
    if let Some(DeferredPenalty { player, cause, charged_until, .. }) = room.state.deferred {
        impose(&mut draft, &Penalty { player, cause, charged_until });
    } else if room.state.hall_waits_since.is_some() {
        draft.begin_turn();
    } else {
        miss_deadline(&mut draft, room);
    }
    let answer = notices::deferred_answer(room, |player| {
        RoomRejection::IllegalMove(Box::new(status(&draft, room.turn_index(), player)))
    });
    let (facts, mut notices) = notices::finish(draft, room);
    notices.extend(answer);
    RoomDecision { answer: Ok(None), facts, notices }
}

/// The player with the earliest deadline has missed it. In a shared turn all who have missed it at this instant are
/// judged together.
fn miss_deadline(draft: &mut Draft, room: &Room) {
    let deadlines = || room.players().filter_map(|player| Some((room.deadline_of(player)?, player)));
    let Some((deadline, first)) = deadlines().min() else { return };
    let together = deadlines().filter(|(other, _)| room.is_simultaneous() && *other == deadline);
    let mut missed: Vec<Player> = together.map(|(_, player)| player).collect();
    if missed.is_empty() {
        missed.push(first);
    }
    let out: Vec<Reason> = missed.iter().filter_map(|player| goes_out(room, *player)).collect();
    if missed.len() > 1 && out.len() == room.seated().iter().count() {
        return all_out(draft, &missed, deadline, &out);
    }
    for player in missed {
        if draft.room.result().is_some() {
            return;
        }
        if goes_out(room, player) == Some(Reason::CLOCK) {
            let context = context(draft, Some(player), ForcedCause::Deadline, deadline);
            draft.leave(context, player, Reason::CLOCK);
        } else {
            impose(draft, &Penalty { player, cause: ForcedCause::Deadline, charged_until: deadline });
        }
    }
}

/// Why a player who has missed its deadline is out of the game, if it is: its side clock is used up, or this is its
/// third strike.
fn goes_out(room: &Room, player: Player) -> Option<Reason> {
    let seat = room.seat(player)?;
    if seat.open.as_ref().is_some_and(|open| clock::loses_on_time(open, seat.remaining)) {
        return Some(Reason::CLOCK);
    }
    (seat.strikes + 1 >= limits::STRIKES_TO_FORFEIT).then_some(Reason::STRIKES)
}

/// Everybody who was left is out at once: a draw.
///
/// Decision: its reason is the clock only if that is why all are out.
fn all_out(draft: &mut Draft, missed: &[Player], deadline: Timestamp, out: &[Reason]) {
    for (player, why) in missed.iter().zip(out) {
        if *why == Reason::STRIKES {
            give_strike(draft, *player, ForcedCause::Deadline);
        }
    }
    let by_clock = out.iter().all(|why| *why == Reason::CLOCK);
    let reason = if by_clock { Reason::CLOCK } else { Reason::STRIKES };
    let out_with = missed.iter().copied().collect();
    let context = context(draft, missed.last().copied(), ForcedCause::Deadline, deadline);
    draft.end(TurnContext { out_with, ..context }, GameResult::drawn(reason));
}

fn give_strike(draft: &mut Draft, player: Player, cause: ForcedCause) {
    let count = draft.room.seat(player).map_or(0, |seat| seat.strikes) + 1;
    let turn_index = draft.room.turn_index();
    draft.change(RoomChange::StrikeGiven { turn_index, player, cause, count });
}

/// What the hall does in a player's place.
const fn context(
    draft: &Draft,
    player: Option<Player>,
    cause: ForcedCause,
    charged_until: Timestamp,
) -> TurnContext {
    let (at, out_with) = (draft.at(), PlayerSet::EMPTY);
    TurnContext { player, forced: Some(cause), at, charged_until, out_with, body: None, offers_draw: false }
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
    give_strike(draft, player, cause);
    let context = context(draft, Some(player), cause, charged_until);
    if forfeits {
        draft.leave(context, player, Reason::STRIKES);
    } else {
        let source = pass.map_or(MoveSource::Random, MoveSource::Move);
        // In a turn that players share a missed deadline dates what it seals.
        let is_sealed_by_deadline = draft.room.is_simultaneous() && cause == ForcedCause::Deadline;
        let at = if is_sealed_by_deadline { charged_until } else { context.at };
        let context = TurnContext { at, ..context };
        draft.play(context, &source, None).expect("a default action is legal");
    }
    PenaltyOutcome::Imposed
}

/// Whether the penalty needs a random number that cannot be taken yet: for a random move, or for what a pass brings
/// about.
fn must_wait(room: &Room, player: Player, pass: Option<&Notation>) -> bool {
    if room.beacon_status() != BeaconStatus::Waiting {
        return false;
    }
    let tried = |pass| room.position.clone().play(player, pass, &mut NoChance);
    pass.is_none_or(|pass| !room.is_simultaneous() && tried(pass) == Err(Refused::NeedsChance))
}

/// The report for a player after its third illegal move in a turn: the forced turn, and the turn that it opened.
pub(crate) fn status(draft: &Draft, turn_index: u32, player: Player) -> TurnStatus {
    let mut status = draft.room.status(player);
    status.legal_moves = Some(draft.room.legal_moves(player));
    status.applied = draft.done_in(turn_index, player);
    status
}
