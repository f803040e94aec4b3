//! The notices that follow from a decision, found by comparing the room before and after it.

use crate::decision::{EndedGame, EndedSeat, Notice, RoomRejection};
use crate::draft::Draft;
use crate::fact::{BeaconStatus, ForcedCause, RoomChange, RoomFact};
use crate::room::Room;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_wire::Player;

/// The facts of a draft, and the notices that follow from comparing the room with what it was.
pub(crate) fn finish(draft: Draft, before: &Room) -> (Vec<Arc<RoomFact>>, Vec<Notice>) {
    let Draft { room, facts, .. } = draft;
    let mut notices = Vec::new();
    if !facts.is_empty() {
        notices.extend(ended(before, &room));
        notices.extend(facts.iter().filter_map(|fact| of_change(&room, fact, &facts)));
        // A shared turn has a resolution for each player.
        notices.dedup();
        notices.extend(turns(Some(before), &room));
    }
    (facts, notices)
}

fn ended(before: &Room, room: &Room) -> Option<Notice> {
    let result = room.result().filter(|_| before.result().is_none())?.clone();
    let seats = room.players().zip(room.seats()).map(|(player, seat)| EndedSeat {
        player,
        agent: seat.seat.agent,
        homologation: seat.seat.homologation,
        strikes: seat.strikes,
    });
    Some(Notice::GameEnded(EndedGame {
        game: room.id(),
        variant: room.variant(),
        seats: seats.collect(),
        result,
    }))
}

fn of_change(room: &Room, fact: &RoomFact, facts: &[Arc<RoomFact>]) -> Option<Notice> {
    if let RoomChange::MoveSealed { turn_index, player, .. } = &fact.change {
        let turn_index = *turn_index;
        let mut resolved = facts.iter().filter_map(|fact| fact.change.resolution());
        let seat = room.seat(*player).filter(|_| !resolved.any(|it| it.turn_index == turn_index))?;
        return Some(Notice::PlayerActed { agent: seat.seat.agent, game: room.id(), turn_index });
    }
    if let RoomChange::BeaconSettled { status: BeaconStatus::Missed, .. } = &fact.change {
        let round = room.beacon_terms().map_or(0, |terms| terms.round);
        return Some(Notice::BeaconMissed { game: room.id(), round });
    }
    let resolution = fact.change.resolution()?;
    Some(Notice::TurnResolved { game: room.id(), turn_index: resolution.turn_index })
}

/// The players whose turns changed and those whose turn began; `before` is `None` for a game that has just begun.
pub(crate) fn turns(before: Option<&Room>, after: &Room) -> Vec<Notice> {
    let mut notices = Vec::new();
    for (player, seat) in after.players().zip(after.seats()) {
        let agent = seat.seat.agent;
        let had_deadline = before.and_then(|room| room.deadline_of(player)).is_some();
        let deadline = after.deadline_of(player);
        let is_new_turn = before.is_none_or(|room| room.turn_index() != after.turn_index());
        if is_new_turn || had_deadline != deadline.is_some() {
            notices.push(Notice::TurnsChanged { agent });
            let (game, turn_index) = (after.id(), after.turn_index());
            notices.extend(deadline.map(|deadline| Notice::TurnBegan { agent, game, turn_index, deadline }));
        }
    }
    notices
}

/// The answer to a third illegal move that was deferred until the beacon's round was known, if there is one.
pub(crate) fn deferred_answer(
    room: &Room,
    rejection: impl FnOnce(Player) -> RoomRejection,
) -> Option<Notice> {
    let deferred = room.state.deferred.filter(|deferred| deferred.cause == ForcedCause::IllegalMoves)?;
    let answer = rejection(deferred.player);
    Some(Notice::DeferredAnswer { game: room.id(), turn_index: room.turn_index(), answer })
}
