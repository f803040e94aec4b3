//! Games that end without a turn, by adjudication or because this release lacks their rules, and seats that the operator
//! vacates.

use crate::command::GameVerdict;
use crate::decision::{Notice, RoomDecision, RoomRejection};
use crate::draft::{Draft, TurnContext};
use crate::notices;
use crate::room::Room;
use crate::standing;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;
use hall_games::{GameResult, PlayerSet, Reason};
use hall_wire::{Player, Timestamp};

/// Adjudicates a live game. Refused if the game has ended, or if the winner is not seated (decision 13.5): who has left or is
/// out has lost.
pub(crate) fn adjudicate(room: &Room, at: Timestamp, verdict: GameVerdict, reason: &str) -> RoomDecision {
    if room.result().is_some() {
        return RoomDecision::refuse(RoomRejection::GameNotLive(Box::new(room.status(Player::new(0)))));
    }
    let result = match verdict {
        GameVerdict::Winner(winner) if !room.seated().contains(winner) => {
            return RoomDecision::refuse(RoomRejection::PlayerUnknown);
        }
        GameVerdict::Winner(winner) => GameResult::won_by(winner, Reason::ADJUDICATED),
        GameVerdict::Draw => GameResult::drawn(Reason::ADJUDICATED),
        GameVerdict::Abort => GameResult::aborted(),
    };
    end(room, at, result, Notice::VerdictGiven { game: room.id(), verdict, reason: reason.to_string() })
}

/// Takes a player out of a live game in which at least two others play on.
pub(crate) fn vacate(room: &Room, at: Timestamp, player: Player, reason: &str) -> RoomDecision {
    if room.result().is_some() {
        return RoomDecision::refuse(RoomRejection::GameNotLive(Box::new(room.status(Player::new(0)))));
    }
    if room.seat(player).is_none() {
        return RoomDecision::refuse(RoomRejection::PlayerUnknown);
    }
    let seated = room.seated();
    if !standing::plays_on(room) || !seated.contains(player) || seated.without(player).iter().count() < 2 {
        return RoomDecision::refuse(RoomRejection::SeatNeeded);
    }
    let mut draft = Draft::of(room, at);
    draft.leave(context(at, Some(player)), player, Reason::ADJUDICATED);
    let vacated = Notice::SeatVacated { game: room.id(), player, reason: reason.to_string() };
    let (facts, changed) = notices::finish(draft, room);
    let notices = [vacated].into_iter().chain(changed).collect();
    RoomDecision { answer: Ok(None), facts, notices }
}

/// Aborts a game for which this release has no rules.
pub(crate) fn abort_without_rules(room: &Room, at: Timestamp) -> RoomDecision {
    let result = GameResult::aborted();
    let version = room.ruleset_version().to_string();
    end(room, at, result, Notice::RulesMissing { game: room.id(), version })
}

/// Ends a game outside its rules, without a turn of a player.
fn end(room: &Room, at: Timestamp, result: GameResult, cause: Notice) -> RoomDecision {
    let mut draft = Draft::of(room, at);
    draft.end(context(at, None), result);
    let answer = notices::deferred_answer(room, |player| {
        RoomRejection::GameNotLive(Box::new(draft.room.status(player)))
    });
    let (facts, changed) = notices::finish(draft, room);
    let mut notices = Vec::from([cause]);
    notices.extend(changed);
    notices.extend(answer);
    RoomDecision { answer: Ok(None), facts, notices }
}

/// What the operator does in a turn, of any player or of none.
const fn context(at: Timestamp, player: Option<Player>) -> TurnContext {
    TurnContext {
        player,
        forced: None,
        at,
        charged_until: at,
        out_with: PlayerSet::EMPTY,
        body: None,
        offers_draw: false,
    }
}
