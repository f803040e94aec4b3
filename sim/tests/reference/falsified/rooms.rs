//! Falsified facts of a game.

use super::*;

pub(crate) const ALL: &[Falsification] = &[
    ("who has the first seat", |it| started(it, |it| it.seats.reverse())),
    ("the seed", |it| started(it, |it| it.seed = Seed::from_bytes([9; 32]))),
    ("the commitment", |it| started(it, |it| it.commitment = Digest::of(b""))),
    ("the division", |it| {
        started(it, |it| {
            it.division = if it.division == Division::Open { Division::Pure } else { Division::Open }
        })
    }),
    ("the side clock of a game", |it| started(it, |it| it.timing.side_time = Some(Span::from_millis(5)))),
    ("the beacon's round", |it| started(it, |it| it.beacon.iter_mut().for_each(|beacon| beacon.round += 1))),
    ("the first deadline", |it| {
        started(it, |it| it.turns[0].move_deadline = it.turns[0].move_deadline + SECOND)
    }),
    ("the entry played under", |it| started(it, |it| it.seats[0].homologation = it.seats[1].homologation)),
    ("turn of a move", |it| {
        resolution(it, |it| {
            it.turn_index += 1;
            true
        })
    }),
    ("player of a move", |it| resolution(it, |it| it.player.take().is_some())),
    ("the move played", |it| {
        resolution(it, |it| {
            it.notation.is_some() && {
                it.notation = Notation::parse("a1a1");
                true
            }
        })
    }),
    ("the move as people write it", |it| resolution(it, |it| it.san.take().is_some())),
    ("why a move was forced", |it| resolution(it, |it| it.forced.take().is_some())),
    ("when a turn began", |it| {
        resolution(it, |it| {
            it.started_at = it.started_at + SECOND;
            true
        })
    }),
    ("the deadline that stood", |it| resolution(it, |it| it.deadline.take().is_some())),
    ("when a turn was resolved", |it| {
        resolution(it, |it| {
            it.at = it.at + SECOND;
            true
        })
    }),
    ("the body signed", |it| resolution(it, |it| it.body.take().is_some())),
    ("whether a draw chose", |it| {
        resolution(it, |it| {
            it.chosen_at_random = !it.chosen_at_random;
            true
        })
    }),
    ("a drawn number", |it| {
        resolution(it, |it| {
            it.rolls.first_mut().is_some_and(|roll| {
                roll.x ^= 1;
                true
            })
        })
    }),
    ("a draw's bound", |it| {
        resolution(it, |it| {
            it.rolls.first_mut().is_some_and(|roll| {
                roll.n += 1;
                true
            })
        })
    }),
    ("a state hash", |it| {
        resolution(it, |it| {
            it.state_hash = Digest::of(b"");
            true
        })
    }),
    ("a side clock", |it| {
        resolution(it, |it| {
            it.clocks.as_mut().is_some_and(|clocks| {
                clocks[0] = clocks[0] + SECOND;
                true
            })
        })
    }),
    ("who moves next", |it| {
        resolution(it, |it| {
            it.to_move = PlayerSet::only(Player::new(5));
            true
        })
    }),
    ("the next deadline", |it| {
        resolution(it, |it| {
            it.turns.first_mut().is_some_and(|open| {
                open.move_deadline = open.move_deadline + SECOND;
                true
            })
        })
    }),
    ("a credit for the next turn", |it| {
        resolution(it, |it| {
            it.turns.first_mut().is_some_and(|open| {
                open.credit = SECOND;
                true
            })
        })
    }),
    ("a count of illegal moves", |it| {
        change(it, |it| alter!(it, RoomChange::IllegalAttempted { count, .. } if { *count += 1; true }))
    }),
    ("what was sent illegally", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::IllegalAttempted { attempt, .. } if { attempt.request_sha256 = Digest::of(b""); true }),
        )
    }),
    ("a count of strikes", |it| {
        change(it, |it| alter!(it, RoomChange::StrikeGiven { count, .. } if { *count += 1; true }))
    }),
    ("a strike's cause", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::StrikeGiven { cause, .. } if *cause == ForcedCause::Deadline && { *cause = ForcedCause::IllegalMoves; true }),
        )
    }),
    ("who is struck", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::StrikeGiven { player, .. } if { *player = Player::new(1 - player.seat()); true }),
        )
    }),
    ("no strike", |it| drop_change(it, |it| matches!(it, RoomChange::StrikeGiven { .. }))),
    ("no offer", |it| drop_change(it, |it| matches!(it, RoomChange::DrawOffered { .. }))),
    ("no refusal of an offer", |it| drop_change(it, |it| matches!(it, RoomChange::DrawDeclined { .. }))),
    ("a credit", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::DeadlineExtended { turns, .. } if { turns[0].credit = turns[0].credit + SECOND; true }),
        )
    }),
    ("an extended deadline", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::DeadlineExtended { turns, .. } if { turns[0].move_deadline = turns[0].move_deadline + SECOND; true }),
        )
    }),
    ("a game without its credit", |it| {
        drop_kind(it, |it| {
            it.in_room().is_some_and(|it| matches!(it.change, RoomChange::DeadlineExtended { .. }))
        })
    }),
    ("what a held turn is charged", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::PenaltyDeferred { charged_until, .. } if { *charged_until = *charged_until + SECOND; true }),
        )
    }),
    ("a beacon said to be missed", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::BeaconSettled { status, .. } if *status == BeaconStatus::Verified && { *status = BeaconStatus::Missed; true }),
        )
    }),
    ("the beacon's randomness", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::BeaconSettled { randomness: Some(it), .. } if { *it = Digest::of(b""); true }),
        )
    }),
    ("the winner", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::Ended { result, .. } if result.winners.first_mut().is_some_and(|winner| { *winner = Player::new(1 - winner.seat()); true })),
        )
    }),
    ("a draw or not", |it| {
        change(it, |it| alter!(it, RoomChange::Ended { result, .. } if { result.draw = !result.draw; true }))
    }),
    ("why a game ended", |it| {
        change(
            it,
            |it| alter!(it, RoomChange::Ended { result, .. } if { result.reason = Reason::of_game("bored"); true }),
        )
    }),
    ("no end", |it| drop_change(it, |it| matches!(it, RoomChange::Ended { .. }))),
];
