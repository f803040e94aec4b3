//! Falsified facts of the desk.

use super::*;
use hall_core::{DeskFact, GovernanceFact, HallFact};

pub(crate) const ALL: &[Falsification] = &[
    ("no first fact", |it| {
        !it.facts.is_empty() && {
            it.facts.remove(0);
            true
        }
    }),
    ("no last fact", |it| it.facts.pop().is_some()),
    ("a fact twice", |it| {
        it.facts.last().cloned().is_some_and(|last| {
            it.facts.push(last);
            true
        })
    }),
    ("facts in another order", |it| {
        it.facts.len() > 1 && {
            it.facts.reverse();
            true
        }
    }),
    ("a fact more in a refusal", |it| {
        it.answer.is_err() && {
            it.facts.push(Fact::Hall(HallFact::Stopped { at: hall_wire::Timestamp::from_millis(0) }));
            true
        }
    }),
    ("leaf of a key", |it| {
        fact(it, |it| alter!(it, Fact::Hall(HallFact::KeyPublished { leaf, .. }) if spoil(leaf)))
    }),
    ("leaf of a registration", |it| {
        fact(it, |it| alter!(it, Fact::Desk(DeskFact::AgentRegistered { leaf, .. }) if spoil(leaf)))
    }),
    ("leaf of a homologation", |it| {
        fact(it, |it| alter!(it, Fact::Desk(DeskFact::HomologationFiled { leaf, .. }) if spoil(leaf)))
    }),
    ("leaf of a docket entry", |it| {
        fact(it, |it| alter!(it, Fact::Governance(GovernanceFact::DocketEntered { leaf, .. }) if spoil(leaf)))
    }),
    ("leaf of an event", |it| room(it, |it| it.event.as_mut().is_some_and(|event| spoil(&mut event.leaf)))),
    ("number of an event", |it| {
        room(it, |it| {
            it.event.as_mut().is_some_and(|event| {
                event.seq += 1;
                true
            })
        })
    }),
    ("number of a room's fact", |it| {
        room(it, |it| {
            it.number += 1;
            true
        })
    }),
    ("time of a room's fact", |it| {
        room(it, |it| {
            it.at = it.at + SECOND;
            true
        })
    }),
    ("commentary of a move", |it| {
        room(it, |it| it.event.as_mut().is_some_and(|event| event.commentary.take().is_some()))
    }),
    ("an operator's name", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Desk(DeskFact::AgentRegistered { operator_name, .. }) if operator_name.take().is_some()),
        )
    }),
    ("the voided entry", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Desk(DeskFact::HomologationFiled { voids, .. }) if voids.take().is_some()),
        )
    }),
    ("the season filed for", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Desk(DeskFact::HomologationFiled { filing, .. }) if { filing.season_id = "current".into(); true }),
        )
    }),
    ("why a lobby was left", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Desk(DeskFact::LobbyLeft { cause, .. }) if *cause != LeaveCause::Left && { *cause = LeaveCause::Left; true }),
        )
    }),
    ("who joined a lobby", |it| {
        fact(it, |it| alter!(it, Fact::Desk(DeskFact::LobbyJoined { agent, .. }) if { *agent = OTHER; true }))
    }),
    ("the division joined", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Desk(DeskFact::LobbyJoined { lobby, .. }) if lobby.division == Division::Pure && { lobby.division = Division::Open; true }),
        )
    }),
    ("when lobbies were swept", |it| {
        fact(it, |it| alter!(it, Fact::Desk(DeskFact::LobbiesSwept { at }) if { *at = *at + SECOND; true }))
    }),
    ("a docket number", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) if { entry.id += 1; true }),
        )
    }),
    ("a docket kind", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) if { entry.kind = DocketKind::Outage; true }),
        )
    }),
    ("a docket reason", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) if { entry.reason.clear(); true }),
        )
    }),
    ("another reason in the docket", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) if { entry.reason.push('!'); true }),
        )
    }),
    ("a remedy in the docket", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) if entry.disposition.take().is_some()),
        )
    }),
    ("an opening for a closing", |it| docket_word(it, "opened", "closed")),
    ("a closing for an opening", |it| docket_word(it, "closed", "opened")),
    ("a suspension for a restoration", |it| docket_word(it, "suspended", "restored")),
    ("a restoration for a suspension", |it| docket_word(it, "restored", "suspended")),
    ("a key for another", |it| docket_word(it, "ring key", "log key")),
    ("another time of an outage", |it| docket_word(it, "until 2026", "until 2027")),
    ("who is suspended", |it| {
        fact(
            it,
            |it| alter!(it, Fact::Governance(GovernanceFact::AgentSuspended { agent, .. }) if { *agent = OTHER; true }),
        )
    }),
    ("a rating", |it| rated(it, |it| it.rating.rating += 1)),
    ("a deviation", |it| rated(it, |it| it.rating.rd -= 1)),
    ("a volatility", |it| rated(it, |it| it.rating.volatility += 1)),
    ("a count of games", |it| rated(it, |it| it.rating.games_played += 1)),
    ("a count of losses", |it| rated(it, |it| it.rating.losses += 1)),
    ("a score", |it| rated(it, |it| it.half_points = (it.half_points + 1) % 3)),
    ("strikes in the standing", |it| rated(it, |it| it.strikes += 1)),
    ("a seat that does not count", |it| {
        fact(it, |it| alter!(it, Fact::Desk(DeskFact::GameRated { seats, .. }) if seats.pop().is_some()))
    }),
];

/// Changes a word of a docket entry and of its leaf.
fn docket_word(decision: &mut Decision, word: &str, other: &str) -> bool {
    fact(decision, |fact| match fact {
        Fact::Governance(GovernanceFact::DocketEntered { entry, leaf }) if leaf.contains(word) => {
            entry.subject = entry.subject.replace(word, other);
            entry.reason = entry.reason.replace(word, other);
            *leaf = leaf.replace(word, other);
            true
        }
        _ => false,
    })
}
