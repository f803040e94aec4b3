//! True facts that are applied wrongly.

use super::*;
use hall_core::{DeskFact, GovernanceFact, HallFact};

pub(crate) const ALL: &[Falsification] = &[
    ("an agent's model", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Desk(DeskFact::AgentRegistered { model_id, .. }) if { model_id.push('!'); true }),
        )
    }),
    ("an operator's name", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Desk(DeskFact::AgentRegistered { operator_name, .. }) if operator_name.take().is_some()),
        )
    }),
    ("an entry's hash", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Desk(DeskFact::HomologationFiled { hash, .. }) if { *hash = Digest::of(b""); true }),
        )
    }),
    ("an entry's tools", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Desk(DeskFact::HomologationFiled { filing, .. }) if { filing.config_sha256 = Digest::of(b""); true }),
        )
    }),
    ("a forgotten join", |it| {
        drop_kind(it, |it| matches!(it, Fact::Desk(DeskFact::LobbyJoined { .. }))) && it.facts.is_empty()
    }),
    ("a forgotten leave", |it| drop_kind(it, |it| matches!(it, Fact::Desk(DeskFact::LobbyLeft { .. })))),
    ("a forgotten sweep", |it| drop_kind(it, |it| matches!(it, Fact::Desk(DeskFact::LobbiesSwept { .. })))),
    ("a forgotten post", |it| {
        let counted = matches!(it.answer, Ok(Reply::FeedbackTaken { remaining_today: Some(_), .. }));
        counted && drop_kind(it, |it| matches!(it, Fact::Desk(DeskFact::FeedbackPosted { .. })))
    }),
    ("a forgotten docket entry", |it| {
        drop_kind(it, |it| matches!(it, Fact::Governance(GovernanceFact::DocketEntered { .. })))
    }),
    ("a forgotten suspension", |it| {
        drop_kind(it, |it| matches!(it, Fact::Governance(GovernanceFact::AgentSuspended { .. })))
    }),
    ("a forgotten restoration", |it| {
        drop_kind(it, |it| matches!(it, Fact::Governance(GovernanceFact::AgentRestored { .. })))
    }),
    ("a forgotten suspension of an operator", |it| {
        drop_kind(it, |it| matches!(it, Fact::Governance(GovernanceFact::OperatorSuspended { .. })))
    }),
    ("a forgotten closing", |it| {
        drop_kind(it, |it| matches!(it, Fact::Governance(GovernanceFact::SeasonClosed { .. })))
    }),
    ("forgotten settings", |it| {
        it.facts.len() == 1 && drop_kind(it, |it| matches!(it, Fact::Hall(HallFact::SettingsSet { .. })))
    }),
    ("a forgotten rating", |it| drop_kind(it, |it| matches!(it, Fact::Desk(DeskFact::GameRated { .. })))),
    ("another rating", |it| rated(it, |it| it.rating.rating += 1)),
    ("a forgotten archiving", |it| {
        drop_kind(it, |it| matches!(it, Fact::Hall(HallFact::GameArchived { .. })))
    }),
    ("seats exchanged", |it| started(it, |it| it.seats.reverse())),
    ("another commitment", |it| started(it, |it| it.commitment = Digest::of(b""))),
    ("another beacon round", |it| {
        started(it, |it| it.beacon.iter_mut().for_each(|beacon| beacon.round += 1))
    }),
    ("another first deadline", |it| {
        started(it, |it| it.turns[0].move_deadline = it.turns[0].move_deadline + SECOND)
    }),
    ("another clock", |it| {
        resolution(it, |it| {
            it.clocks.as_mut().is_some_and(|clocks| {
                clocks[0] = clocks[0] + SECOND;
                true
            })
        })
    }),
    ("another deadline", |it| {
        resolution(it, |it| {
            it.turns.first_mut().is_some_and(|open| {
                open.move_deadline = open.move_deadline + SECOND;
                true
            })
        })
    }),
    ("another time of a turn", |it| {
        resolution(it, |it| {
            it.at = it.at + SECOND;
            true
        })
    }),
    ("another body", |it| resolution(it, |it| it.body.take().is_some())),
    ("a forgotten illegal move", |it| {
        drop_change(it, |it| matches!(it, RoomChange::IllegalAttempted { .. }))
    }),
    ("a forgotten strike", |it| drop_change(it, |it| matches!(it, RoomChange::StrikeGiven { .. }))),
    ("a forgotten offer", |it| drop_change(it, |it| matches!(it, RoomChange::DrawOffered { .. }))),
    ("a forgotten credit", |it| drop_change(it, |it| matches!(it, RoomChange::DeadlineExtended { .. }))),
    ("a forgotten wait", |it| drop_change(it, |it| matches!(it, RoomChange::PenaltyDeferred { .. }))),
    ("a forgotten beacon", |it| {
        drop_change(it, |it| matches!(it, RoomChange::BeaconSettled { .. })) && it.facts.is_empty()
    }),
    ("another winner", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::Ended { result, .. } if result.winners.first_mut().is_some_and(|winner| { *winner = Player::new(1 - winner.seat()); true })),
        )
    }),
];
