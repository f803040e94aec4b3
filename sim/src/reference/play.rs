//! What the reference expects of the commands that concern games: moves, deadlines, verdicts, gaps and the beacon.

use super::Reference;
use super::docket;
use super::expectation::{Expectation, time};
use super::room::{DeferredPenalty, Room, TurnContext, body_of};
use super::text;
use super::words;
use hall_core::rooms::{BeaconStatus, ForcedCause, GapCause, Phase, RoomChange, SignatureCheck};
use hall_core::{
    Answer, Caller, Choice, DocketKind, Effect, GameVerdict, MoveSubmission, Rejection, Reply, RoomRejection,
    RoomReply, SignedBody, TurnStatus,
};
use hall_games::{GameResult, Reason, Refused};
use hall_wire::{Digest, GameId, Notation, Player, Span, Timestamp};
use serde_json::{Value, json};

impl Reference {
    /// A move request. The checks come in the order of decision 2.1.
    pub(super) fn submit(
        &mut self,
        step: &mut Expectation<'_>,
        who: Caller,
        request: &MoveSubmission,
    ) -> Answer {
        let Caller::Agent(agent) = who else { return Err(Rejection::Room(RoomRejection::NotSeated)) };
        if self.is_suspended(&agent) {
            return Err(Rejection::AgentSuspended);
        }
        let room = self.rooms.get_mut(&request.game).ok_or(Rejection::Room(RoomRejection::GameNotFound))?;
        let player = room.player_of(&agent).ok_or(Rejection::Room(RoomRejection::NotSeated))?;
        step.games.insert(room.id);
        let Some(signed) =
            request.signed.as_ref().filter(|_| request.signature_check == SignatureCheck::Valid)
        else {
            return Err(Rejection::Room(RoomRejection::BodySignatureInvalid));
        };
        if let Some(refusal) = room.refuses(player, request.turn_index, step.stamp) {
            return Err(refusal);
        }
        let before = room.waiting();
        let answer = ask(room, step, player, request, signed);
        step.turns_changed(room, &before);
        answer
    }

    /// The operator takes a player out of a game in which at least two others play on.
    pub(super) fn vacate(
        &mut self,
        step: &mut Expectation<'_>,
        game: &GameId,
        player: Player,
        reason: &str,
    ) -> Answer {
        let room = self.rooms.get_mut(game).ok_or(Rejection::Room(RoomRejection::GameNotFound))?;
        step.games.insert(room.id);
        if room.result.is_some() {
            return Err(Rejection::Room(RoomRejection::GameNotLive(room.report(Some(Player::new(0))))));
        }
        if player.index() >= room.seats.len() {
            return Err(Rejection::Room(RoomRejection::PlayerUnknown));
        }
        let seated = room.seated();
        if !room.plays_on() || !seated.contains(&player) || seated.len() < 3 {
            return Err(Rejection::Room(RoomRejection::SeatNeeded));
        }
        let before = room.waiting();
        let (at, player_left) = (step.at, Some(player));
        let context =
            TurnContext { player: player_left, at, charged_until: Some(at), ..TurnContext::default() };
        room.leave(step, context, Reason::ADJUDICATED);
        step.turns_changed(room, &before);
        // The docket says what the operator did before it says what followed from it; facts of rooms come first.
        let words = docket::vacated(game, player, reason);
        step.docket(&mut self.docket, DocketKind::Adjudication, words);
        Ok(Reply::Done)
    }

    /// Adjudicates a live game as the operator says.
    pub(super) fn adjudicate(
        &mut self,
        step: &mut Expectation<'_>,
        game: &GameId,
        verdict: GameVerdict,
        reason: &str,
    ) -> Answer {
        let room = self.rooms.get_mut(game).ok_or(Rejection::Room(RoomRejection::GameNotFound))?;
        step.games.insert(room.id);
        if room.result.is_some() {
            // The operator has no seat; the hall shows it what p0 would see.
            return Err(Rejection::Room(RoomRejection::GameNotLive(room.report(Some(Player::new(0))))));
        }
        let result = match verdict {
            GameVerdict::Winner(player) if !room.seated().contains(&player) => {
                return Err(Rejection::Room(RoomRejection::PlayerUnknown));
            }
            GameVerdict::Winner(player) => GameResult::won_by(player, Reason::ADJUDICATED),
            GameVerdict::Draw => GameResult::drawn(Reason::ADJUDICATED),
            GameVerdict::Abort => GameResult::aborted(),
        };
        let waiting = room.deferred.filter(|deferred| deferred.cause == ForcedCause::IllegalMoves);
        let waiting = waiting.map(|deferred| (room.turn_index, Some(deferred.player)));
        let before = room.waiting();
        let context = TurnContext { at: step.at, ..TurnContext::default() };
        let result = room.counted(result, None);
        room.end_by(step, context, result);
        step.turns_changed(room, &before);
        if let Some((turn_index, player)) = waiting {
            let answer = Box::new(Err(Rejection::Room(RoomRejection::GameNotLive(room.report(player)))));
            step.effects.push(Effect::DeferredAnswer { game: *game, turn_index, answer });
        }
        let words = docket::settled(game, verdict, reason);
        step.docket(&mut self.docket, DocketKind::Adjudication, words);
        Ok(Reply::Done)
    }

    /// The live game that has waited longest for the hall, if it was due by `horizon`.
    pub(super) fn due_game(&self, horizon: Timestamp) -> Option<GameId> {
        self.due.first().filter(|(due, _)| *due <= horizon).map(|(_, game)| *game)
    }

    /// A missed deadline, or the end of a wait.
    pub(super) fn act_in(&mut self, step: &mut Expectation<'_>, game: GameId) {
        let Some(room) = self.rooms.get_mut(&game) else { return };
        let (before, turn_index) = (room.waiting(), room.turn_index);
        if room.phase() == Phase::AwaitingBeacon && room.beacon == BeaconStatus::Waiting {
            settle_beacon(room, step, BeaconStatus::Missed, None);
        }
        if let Some(DeferredPenalty { player, cause, charged_until, .. }) = room.deferred {
            room.penalise(step, player, cause, charged_until);
            if cause == ForcedCause::IllegalMoves {
                let report = after_penalty(room, turn_index, player);
                let answer = Err(Rejection::Room(RoomRejection::IllegalMove(report)));
                step.effects.push(Effect::DeferredAnswer { game, turn_index, answer: Box::new(answer) });
            }
        } else if room.waits_since.is_some() {
            room.begin_turn(step);
        } else if let Some((deadline, players)) = room.first_to_miss() {
            miss_deadline(room, step, deadline, players);
        }
        step.turns_changed(room, &before);
    }

    /// The hall was away from `from` to `until`. How many games one command handles is up to the hall.
    pub(super) fn extend(
        &mut self,
        step: &mut Expectation<'_>,
        (from, until): (Timestamp, Timestamp),
        cause: GapCause,
        after: Option<GameId>,
    ) -> Answer {
        let (games, next) = self.batch(step, after);
        for game in games {
            let Some(room) = self.rooms.get_mut(&game) else { continue };
            // A wait for the beacon begins again: the hall could not ask for the round while it was away.
            if room.phase() == Phase::AwaitingBeacon && room.beacon == BeaconStatus::Waiting {
                room.wait_again(step);
            }
            if room.phase() != Phase::Playing {
                continue;
            }
            let again = until.max(step.at) + room.terms.timing.move_time;
            for open in room.seats.iter_mut().filter_map(|seat| seat.open.as_mut()) {
                open.move_deadline = open.move_deadline.max(again);
                open.credit = open.credit + until.since(from.max(open.started_at));
            }
            room.away.push((from, until));
            let turn_index = room.turn_index;
            let data = json!({
                "turn_index": turn_index, "deadline_utc": time(room.deadline()), "reason": cause.as_str(),
            });
            let change = RoomChange::DeadlineExtended {
                turn_index,
                turns: room.seats.iter().filter_map(|seat| seat.open).collect(),
                gap: Some((from, until)),
                cause,
            };
            step.tell(room, change, Some(("deadline_extended", data)), None);
        }
        Ok(Reply::Room(RoomReply::Continued { after: next }))
    }

    /// A verified round has come for all games that wait for it.
    pub(super) fn receive_beacon(
        &mut self,
        step: &mut Expectation<'_>,
        (chain, round): (Digest, u64),
        proof: (Digest, &str),
        after: Option<GameId>,
    ) -> Answer {
        let (games, next) = self.batch(step, after);
        for game in games {
            let Some(room) = self.rooms.get_mut(&game) else { continue };
            let bound =
                room.terms.beacon.is_some_and(|terms| (terms.chain_hash, terms.round) == (chain, round));
            if bound && room.beacon == BeaconStatus::Waiting {
                settle_beacon(room, step, BeaconStatus::Verified, Some((proof.0, proof.1.to_owned())));
            }
        }
        Ok(Reply::Room(RoomReply::Continued { after: next }))
    }

    /// The live games that a command for many handles: all behind `after`, or up to the one where the hall says that
    /// it stops, which must have more behind it.
    fn batch(&self, step: &mut Expectation<'_>, after: Option<GameId>) -> (Vec<GameId>, Option<GameId>) {
        let rest: Vec<GameId> = self.live.iter().copied().filter(|game| Some(*game) > after).collect();
        let Ok(Reply::Room(RoomReply::Continued { after: Some(last) })) = step.answer() else {
            return (rest, None);
        };
        let many = rest.iter().filter(|game| *game <= last).copied().collect();
        let some_left = self.rooms.keys().any(|game| game > last);
        step.object(Some(*last) > after && some_left, || {
            format!("it goes on after {last}, where nothing is left")
        });
        (many, Some(*last))
    }
}

fn settle_beacon(
    room: &mut Room,
    step: &mut Expectation<'_>,
    status: BeaconStatus,
    round: Option<(Digest, String)>,
) {
    room.beacon = status;
    room.round.clone_from(&round);
    let (randomness, signature) = round.unzip();
    let data = json!({
        "round": room.terms.beacon.map(|terms| terms.round),
        "status": words::beacon(status),
        "randomness": randomness.as_ref().map(text::digest),
        "signature": signature,
    });
    let change = RoomChange::BeaconSettled { status, randomness, signature };
    step.tell(room, change, Some(("beacon", data)), None);
}

/// A well-signed request of a player who is to move.
fn ask(
    room: &mut Room,
    step: &mut Expectation<'_>,
    player: Player,
    request: &MoveSubmission,
    signed: &SignedBody,
) -> Answer {
    let has_offers = room.seats.len() == 2 && !room.position.is_simultaneous();
    let turn_index = room.turn_index;
    let context = TurnContext {
        player: Some(player),
        at: step.stamp,
        charged_until: Some(step.stamp),
        body: Some(body_of(signed)),
        commentary: request.commentary.clone(),
        offers: request.draw_offer && has_offers,
        ..TurnContext::default()
    };
    if request.resign {
        room.leave(step, context, Reason::RESIGNATION);
        return Ok(taken(room, step, turn_index, player));
    }
    // Rules that are older than this refusal take no notice of the offer.
    if request.draw_offer && !has_offers && room.position.plays_on() {
        return Err(Rejection::Room(RoomRejection::DrawOfferImpossible));
    }
    let accepts = request.draw_accept || request.draw_offer;
    if accepts && room.offer.is_some_and(|by| by != player) {
        let result = room.counted(GameResult::drawn(Reason::AGREEMENT), None);
        room.end_by(step, context, result);
        return Ok(taken(room, step, turn_index, player));
    }
    if request.draw_accept {
        return Err(Rejection::Room(RoomRejection::NoDrawOffer(room.report(Some(player)))));
    }
    let named = match request.choice {
        None => return Err(Rejection::Room(RoomRejection::MoveMissing)),
        Some(Choice::Notation(notation)) => Some(notation),
        Some(Choice::Index(index)) => {
            let legal = room.position.notations(player);
            usize::try_from(index).ok().and_then(|place| legal.get(place)).copied()
        }
        Some(Choice::Unparsable) => None,
    };
    match named.map(|named| room.take(step, context, Some(named))) {
        Some(Ok(())) => {
            room.begin_turn(step);
            return Ok(taken(room, step, turn_index, player));
        }
        // Only penalties wait for the beacon. A move that needs a draw can be made when the round is known.
        Some(Err(Refused::NeedsChance)) => {
            return Err(Rejection::Room(RoomRejection::WrongTurn(room.report(Some(player)))));
        }
        Some(Err(Refused::Illegal)) | None => {}
    }
    let meant = match request.choice {
        Some(Choice::Notation(notation)) => room.position.did_you_mean(player, &notation),
        Some(Choice::Unparsable) => meant_inside(room, player, &signed.body),
        Some(Choice::Index(_)) | None => None,
    };
    illegal(room, step, player, signed, meant)
}

/// What a move with white space around it was meant to be: what is inside, or what the game takes that for.
fn meant_inside(room: &Room, player: Player, body: &str) -> Option<Notation> {
    let body: Value = serde_json::from_str(body).ok()?;
    let inside = Notation::parse(body.get("move")?.as_str()?.trim())?;
    let legal = room.position.notations(player).into_iter().find(|legal| *legal == inside);
    legal.or_else(|| room.position.did_you_mean(player, &inside))
}

/// The answer to a player whose request was taken in this turn: what it did, and the hash of the state after the turn
/// if the turn is resolved.
fn taken(room: &Room, step: &Expectation<'_>, turn_index: u32, player: Player) -> Reply {
    let mut resolved = step.facts.iter().filter_map(|fact| fact.in_room()?.change.resolution());
    let own = resolved.rfind(|resolution| resolution.turn_index == turn_index);
    Reply::Room(RoomReply::MoveTaken {
        turn_index,
        notation: room.done_in(turn_index, player).and_then(|done| done.notation),
        state_hash: own.map(|resolution| resolution.state_hash),
        result: room.result.clone(),
    })
}

/// These players have missed the same deadline. If that takes out everybody who is left, the game is drawn.
fn miss_deadline(room: &mut Room, step: &mut Expectation<'_>, deadline: Timestamp, players: Vec<Player>) {
    let flags: Vec<Player> = players.iter().copied().filter(|player| room.is_flagging(*player)).collect();
    let is_third = |player: &Player| room.seats.get(player.index()).is_some_and(|side| side.strikes == 2);
    let struck_out: Vec<Player> =
        players.iter().copied().filter(|player| !flags.contains(player) && is_third(player)).collect();
    let context = |player| TurnContext {
        player: Some(player),
        forced: Some(ForcedCause::Deadline),
        at: step.at,
        charged_until: Some(deadline),
        ..TurnContext::default()
    };
    if let (Some(last), true) = (players.last(), players.len() > 1)
        && flags.len() + struck_out.len() == room.seated().len()
    {
        let reason = if struck_out.is_empty() { Reason::CLOCK } else { Reason::STRIKES };
        let (context, others) = (context(*last), players.iter().filter(|player| *player != last));
        let others: Vec<TurnContext> =
            others.map(|player| TurnContext { player: Some(*player), ..context.clone() }).collect();
        struck_out.iter().for_each(|player| room.strike(step, *player, ForcedCause::Deadline));
        others.iter().for_each(|other| room.charge(other));
        let result = room.counted(GameResult::drawn(reason), None);
        return room.end_by(step, context, result);
    }
    let contexts: Vec<(Player, TurnContext)> =
        players.into_iter().map(|player| (player, context(player))).collect();
    for (player, context) in contexts {
        if room.result.is_some() {
            return;
        }
        if flags.contains(&player) {
            room.leave(step, context, Reason::CLOCK);
        } else {
            room.penalise(step, player, ForcedCause::Deadline, deadline);
        }
    }
}

/// The three steps of an illegal move (specification 3).
fn illegal(
    room: &mut Room,
    step: &mut Expectation<'_>,
    player: Player,
    signed: &SignedBody,
    meant: Option<Notation>,
) -> Answer {
    let turn_index = room.turn_index;
    let count = room.count_illegal(step, player, signed);
    if count < 3 {
        let mut report = room.report(Some(player));
        report.did_you_mean = meant;
        report.legal_moves = (count == 2).then(|| room.legal_moves(player));
        return Err(Rejection::Room(RoomRejection::IllegalMove(report)));
    }
    room.penalise(step, player, ForcedCause::IllegalMoves, step.stamp);
    if room.deferred.is_some() {
        return Ok(Reply::Room(RoomReply::Deferred { game: room.id, turn_index }));
    }
    Err(Rejection::Room(RoomRejection::IllegalMove(after_penalty(room, turn_index, player))))
}

/// The answer to a player's third illegal move in a turn: the forced turn, and the turn that it opened.
fn after_penalty(room: &Room, turn_index: u32, player: Player) -> Box<TurnStatus> {
    let mut report = room.report(Some(player));
    report.legal_moves = Some(room.legal_moves(player));
    report.applied = room.done_in(turn_index, player);
    report
}

/// How long it is until the next UTC day.
pub(super) fn until_tomorrow(at: Timestamp) -> Span {
    const DAY: i64 = 86_400_000;
    Span::from_millis(u64::try_from(DAY - at.as_millis().rem_euclid(DAY)).unwrap_or(0))
}
