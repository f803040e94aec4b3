//! What the hall does in a player's place: default actions, strikes, forced moves and forfeits.
//!
//! A penalty is one strike and one move, or, with the third strike, the end of the game; never one without the
//! other. Where its random move must wait for the beacon, the strike waits with it.

use super::beacon;
use super::clock;
use super::draft::{Draft, Resolving, Turning};
use super::fact::{BeaconStatus, Forced, RoomChange};
use super::room::{Held, Room};
use crate::decision::{Decision, Effect};
use crate::rejection::{Rejection, Report};
use crate::reply::Reply;
use crate::rules::limits;
use alloc::boxed::Box;
use hall_games::{Chance, Reason, Refused};
use hall_wire::{Notation, Player, Timestamp};

/// A penalty that is due.
pub(super) struct Penalty {
    pub(super) player: Player,
    pub(super) cause: Forced,
    pub(super) charged_until: Timestamp,
}

/// What became of a penalty.
#[derive(PartialEq, Eq)]
pub(super) enum Inflicted {
    Done,
    Held,
}

impl Inflicted {
    pub(super) fn is_held(&self) -> bool {
        *self == Self::Held
    }
}

/// Acts in a room that waits for the hall: a deadline was missed, or the wait for the beacon is over.
pub(super) fn act(room: &Room, at: Timestamp) -> Decision {
    let mut draft = Draft::of(room, at);
    if let Some(Held { player, cause, charged_until, .. }) = room.state.held {
        if room.beacon_status() == BeaconStatus::Waiting {
            beacon::missed(&mut draft);
        }
        inflict(&mut draft, &Penalty { player, cause, charged_until });
    } else {
        miss_deadline(&mut draft, room);
    }
    let answer = answer_held(room, |player| Rejection::IllegalMove(Box::new(report(&draft.room, player))));
    let (facts, mut effects) = draft.finish(room);
    effects.extend(answer);
    Decision { answer: Ok(Reply::Done), facts, effects }
}

/// The answer that somebody waits for whose third illegal move was held until the beacon's round was known.
pub(super) fn answer_held(room: &Room, rejection: impl FnOnce(Player) -> Rejection) -> Option<Effect> {
    let held = room.state.held.filter(|held| held.cause == Forced::IllegalMoves)?;
    let answer = Box::new(Err(rejection(held.player)));
    Some(Effect::AnswerHeld { game: room.id(), turn_index: room.turn_index(), answer })
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
        let turning = Turning {
            player: Some(player),
            forced: Some(Forced::Deadline),
            at: draft.at(),
            charged_until: deadline,
            body: None,
        };
        draft.forfeit(turning, player, Reason::CLOCK);
    } else {
        inflict(draft, &Penalty { player, cause: Forced::Deadline, charged_until: deadline });
    }
}

/// Gives a strike and plays for the player, or ends the game with the third strike.
pub(super) fn inflict(draft: &mut Draft, penalty: &Penalty) -> Inflicted {
    let Penalty { player, cause, charged_until } = *penalty;
    let turn_index = draft.room.turn_index();
    let count = draft.room.seat(player).map_or(0, |seat| seat.strikes) + 1;
    let forfeits = count >= limits::STRIKES_TO_FORFEIT;
    // A missed deadline plays a pass where the rules have one; three illegal moves always play at random.
    let pass = if cause == Forced::Deadline { draft.room.position().pass(player) } else { None };
    if !forfeits && must_wait(&draft.room, player, pass.as_ref()) {
        draft.change(RoomChange::PenaltyHeld { turn_index, player, cause, charged_until });
        return Inflicted::Held;
    }
    draft.change(RoomChange::StrikeGiven { turn_index, player, cause, count });
    let turning =
        Turning { player: Some(player), forced: Some(cause), at: draft.at(), charged_until, body: None };
    if forfeits {
        draft.forfeit(turning, player, Reason::STRIKES);
    } else {
        let resolving = pass.map_or(Resolving::Random, Resolving::Move);
        draft.play(turning, &resolving, None).expect("a default action is legal");
    }
    Inflicted::Done
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

/// What a player is told after its third illegal move in a turn: the forced turn, and the turn that it opened.
pub(super) fn report(room: &Room, player: Player) -> Report {
    let mut report = room.report(player);
    report.legal_moves = Some(room.legal_moves(player));
    report.applied = room.last_turn().copied();
    report
}
