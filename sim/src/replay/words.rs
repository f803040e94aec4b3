//! What is said of a step in a line: whom and what it is about, what was answered, what changed.

use crate::tag::tag;
use hall_core::rooms::{Resolution, Room, RoomChange, RoomFact};
use hall_core::{Answer, Choice, Command, DeskCommand, Fact, GovernanceCommand, Hall, RoomCommand};
use hall_wire::{GameId, Handle, Player};
use std::fmt::Write as _;

/// The agent that another one's request is about.
pub(super) const fn about(what: &Command) -> Option<&Handle> {
    if let Command::Desk(DeskCommand::RegisterAgent(new)) = what {
        return Some(&new.handle);
    }
    if let Command::Governance(GovernanceCommand::SuspendAgent { handle, .. })
    | Command::Governance(GovernanceCommand::RestoreAgent { handle, .. }) = what
    {
        return Some(handle);
    }
    None
}

/// Of a move, its turn and what is asked for in it.
pub(super) fn submission(what: &Command) -> Option<String> {
    let Command::Room(RoomCommand::Submit(submission)) = what else { return None };
    let mut text = format!("turn {}", submission.turn_index);
    if let Some(choice) = &submission.choice {
        let _ = match choice {
            Choice::Notation(notation) => write!(text, " {notation}"),
            Choice::Unparsable => write!(text, " unparsable"),
            Choice::Index(index) => write!(text, " index {index}"),
        };
    }
    text.push_str(if submission.resign { " resign" } else { "" });
    text.push_str(if submission.draw_offer { " draw_offer" } else { "" });
    text.push_str(if submission.draw_accept { " draw_accept" } else { "" });
    Some(text)
}

/// The word of a refusal; `None` of what was granted.
pub(super) fn refusal(answer: &Answer) -> Option<String> {
    answer.as_ref().err().map(|rejection| tag(rejection).to_owned())
}

/// What a fact changed: its word, and whom or what it concerns. The game is named unless it is `of`.
pub(crate) fn change(fact: &Fact, of: Option<GameId>, hall: &Hall) -> String {
    let Fact::Room(fact) = fact else { return tag(fact).to_owned() };
    let mut text = tag(&fact.change).to_owned();
    if of != Some(fact.game) {
        let _ = write!(text, " {}", fact.game);
    }
    if let Some(details) = details(fact, hall.rooms().find(&fact.game).map(AsRef::as_ref)) {
        let _ = write!(text, " {details}");
    }
    text
}

fn details(fact: &RoomFact, room: Option<&Room>) -> Option<String> {
    let handle = |player: &Player| {
        let seat = room.and_then(|room| room.seats().get(player.index()));
        seat.map_or_else(|| player.to_string(), |seat| seat.seat.handle.to_string())
    };
    match &fact.change {
        RoomChange::Started(started) => {
            let handles: Vec<&str> = started.seats.iter().map(|seat| seat.handle.as_str()).collect();
            Some(handles.join(" against "))
        }
        RoomChange::MovePlayed(resolution) => Some(resolved(resolution, handle)),
        RoomChange::IllegalAttempted { count, .. } => Some(count.to_string()),
        RoomChange::StrikeGiven { player, cause, count, .. } => {
            Some(format!("{} {count} ({})", handle(player), cause.as_str()))
        }
        RoomChange::DrawOffered { player, .. } | RoomChange::DrawDeclined { player, .. } => {
            Some(handle(player))
        }
        RoomChange::PenaltyDeferred { player, cause, .. } => {
            Some(format!("{} ({})", handle(player), cause.as_str()))
        }
        RoomChange::MoveSealed { player, .. } => Some(handle(player)),
        RoomChange::NatureActed { complete, .. } => Some(complete.clone()),
        RoomChange::Shown { text, .. } => Some(text.clone()),
        RoomChange::SeatVacated { player, reason, .. } => {
            Some(format!("{} ({})", handle(player), reason.as_str()))
        }
        RoomChange::DeadlineExtended { .. } | RoomChange::HallDeferred { .. } => None,
        RoomChange::BeaconSettled { status, .. } => Some(tag(status).to_owned()),
        RoomChange::Ended { result, .. } => {
            let winners: Vec<String> = result.winners.iter().map(handle).collect();
            let who = match (result.draw, winners.as_slice()) {
                (true, _) => "a draw".to_owned(),
                (false, []) => "nobody wins".to_owned(),
                (false, winners) => format!("{} wins", winners.join(", ")),
            };
            Some(format!("{}: {who}", result.reason.as_str()))
        }
    }
}

fn resolved(resolution: &Resolution, handle: impl Fn(&Player) -> String) -> String {
    let mut text = format!("turn {}", resolution.turn_index);
    if let Some(notation) = &resolution.notation {
        let _ = write!(text, " {notation}");
    }
    if let (Some(forced), Some(player)) = (&resolution.forced, &resolution.player) {
        let _ = write!(text, " for {} ({})", handle(player), forced.as_str());
    }
    text
}
