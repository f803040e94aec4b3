//! Falsified answers and effects.

use super::*;
use hall_core::RoomReply;

pub(crate) const ALL: &[Falsification] = &[
    ("a refusal instead of a grant", |it| {
        let granted = it.answer.is_ok();
        it.answer = Err(Rejection::NothingToChange);
        granted
    }),
    ("a grant instead of a refusal", |it| {
        let refused = it.answer.is_err();
        it.answer = Ok(Reply::Done);
        refused
    }),
    ("another agent registered", |it| {
        reply(it, |it| alter!(it, Reply::Registered { agent, .. } if { *agent = OTHER; true }))
    }),
    ("homologation said to be unchanged", |it| {
        reply(it, |it| alter!(it, Reply::Homologated { unchanged, .. } if { *unchanged = !*unchanged; true }))
    }),
    ("hash of the homologation", |it| {
        reply(it, |it| alter!(it, Reply::Homologated { hash, .. } if { *hash = Digest::of(b""); true }))
    }),
    ("what was voided", |it| {
        reply(
            it,
            |it| alter!(it, Reply::Homologated { voided_previous, .. } if voided_previous.take().is_some()),
        )
    }),
    ("paired or not", |it| reply(it, |it| alter!(it, Reply::Joined { game, .. } if game.take().is_some()))),
    ("turn of the verdict", |it| {
        reply(
            it,
            |it| alter!(it, Reply::Room(RoomReply::MoveTaken { turn_index, .. }) if { *turn_index += 1; true }),
        )
    }),
    ("state hash of the verdict", |it| {
        reply(
            it,
            |it| alter!(it, Reply::Room(RoomReply::MoveTaken { state_hash, .. }) if { *state_hash = Some(Digest::of(b"")); true }),
        )
    }),
    ("notation of the verdict", |it| {
        reply(
            it,
            |it| alter!(it, Reply::Room(RoomReply::MoveTaken { notation, .. }) if notation.take().is_some()),
        )
    }),
    ("result of the verdict", |it| {
        reply(
            it,
            |it| alter!(it, Reply::Room(RoomReply::MoveTaken { result, .. }) if result.take().is_some()),
        )
    }),
    ("posts left", |it| {
        reply(
            it,
            |it| alter!(it, Reply::FeedbackTaken { remaining_today: Some(left), .. } if { *left += 1; true }),
        )
    }),
    ("number of the docket entry", |it| {
        reply(it, |it| alter!(it, Reply::DocketEntered { id } if { *id += 1; true }))
    }),
    ("turn of a held answer", |it| {
        reply(
            it,
            |it| alter!(it, Reply::Room(RoomReply::Deferred { turn_index, .. }) if { *turn_index += 1; true }),
        )
    }),
    ("games left to see to", |it| {
        reply(
            it,
            |it| alter!(it, Reply::Room(RoomReply::Continued { after }) if { *after = Some(hall_wire::GameId::from_bytes([255; 16])); true }),
        )
    }),
    (
        "time until the next join",
        |it| alter!(&mut it.answer, Err(Rejection::QuotaJoins { retry_after }) if { *retry_after = *retry_after + SECOND; true }),
    ),
    (
        "time until the next post",
        |it| alter!(&mut it.answer, Err(Rejection::FeedbackQuota { retry_after }) if { *retry_after = *retry_after + SECOND; true }),
    ),
    ("turn of a report", |it| {
        report(it, |it| {
            it.turn_index += 1;
            true
        })
    }),
    ("mover of a report", |it| {
        report(it, |it| {
            it.to_move = PlayerSet::EMPTY;
            true
        })
    }),
    ("attempts of a report", |it| {
        report(it, |it| {
            it.illegal_attempts += 1;
            true
        })
    }),
    ("strikes of a report", |it| {
        report(it, |it| {
            it.strikes[1] += 1;
            true
        })
    }),
    ("last move of a report", |it| report(it, |it| it.last_move.take().is_some())),
    ("own last move of a report", |it| report(it, |it| it.your_last.take().is_some())),
    ("result of a report", |it| report(it, |it| it.result.take().is_some())),
    ("deadline of a report", |it| report(it, |it| it.deadline.take().is_some())),
    ("applied move of a report", |it| report(it, |it| it.applied.take().is_some())),
    ("hint of a report", |it| report(it, |it| it.did_you_mean.take().is_some())),
    ("legal moves of a report", |it| {
        report(it, |it| it.legal_moves.as_mut().is_some_and(|moves| moves.pop().is_some()))
    }),
    ("order of the legal moves", |it| {
        report(it, |it| {
            it.legal_moves.as_mut().is_some_and(|moves| {
                moves.len() > 1 && {
                    moves.swap(0, 1);
                    true
                }
            })
        })
    }),
    ("summary of a legal move", |it| {
        report(it, |it| {
            it.legal_moves.iter_mut().flatten().any(|entry| {
                entry.summary.push('!');
                true
            })
        })
    }),
    ("no effect", |it| it.effects.pop().is_some()),
    ("an effect twice", |it| {
        it.effects.first().cloned().is_some_and(|first| {
            it.effects.push(first);
            true
        })
    }),
    ("whom a ring is for", |it| {
        it.effects
            .iter_mut()
            .any(|it| alter!(it, Effect::RingDoorbell { agent, .. } if { *agent = OTHER; true }))
    }),
    ("a ring's deadline", |it| {
        it.effects.iter_mut().any(|it| alter!(it, Effect::RingDoorbell { deadline, .. } if { *deadline = *deadline + SECOND; true }))
    }),
    ("a ring's turn", |it| {
        it.effects
            .iter_mut()
            .any(|it| alter!(it, Effect::RingDoorbell { turn_index, .. } if { *turn_index += 1; true }))
    }),
    ("a held answer", |it| {
        it.effects.iter_mut().any(
            |it| alter!(it, Effect::DeferredAnswer { answer, .. } if { **answer = Ok(Reply::Done); true }),
        )
    }),
];
