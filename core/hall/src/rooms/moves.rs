//! What a player may ask of a room: move, resign, offer and accept a draw. And how the operator settles a game.
//!
//! The order of checks is part of the contract: seat, body signature, live, turn, then draw and move rules. What
//! is refused before the rules changes no counter.

use super::clock;
use super::draft::{Draft, Resolving, Turning};
use super::fact::{Attempt, BodyRecord, Forced, RoomChange};
use super::penalty::{self, Penalty};
use super::room::Room;
use crate::command::{Choice, GameVerdict, MoveSubmission, SignedBody};
use crate::decision::Decision;
use crate::rejection::{Rejection, Report};
use crate::reply::Reply;
use crate::rules::limits;
use alloc::boxed::Box;
use alloc::vec::Vec;
use hall_games::{GameResult, Reason, Refused};
use hall_wire::{AgentId, Notation, Player, Timestamp};

/// Decides a move request.
pub(super) fn submit(
    room: &Room,
    at: Timestamp,
    stamp: Timestamp,
    agent: &AgentId,
    submission: &MoveSubmission,
) -> Decision {
    let Some(player) = room.player_of(agent) else {
        return Decision::refuse(Rejection::NotSeated);
    };
    let signed = match &submission.signed {
        Some(signed) if submission.signature_verified => signed,
        _ => return Decision::refuse(Rejection::BodySignatureInvalid),
    };
    let report = || Box::new(room.report(player));
    if room.result().is_some() {
        return Decision::refuse(Rejection::GameNotLive(report()));
    }
    let late = room.deadline_of(player).is_none_or(|deadline| clock::is_late(stamp, deadline));
    if submission.turn_index != room.turn_index() || !room.to_move().contains(player) || late {
        return Decision::refuse(Rejection::WrongTurn(report()));
    }
    let request = Request { room, at, stamp, player, submission, signed };
    request.decide()
}

/// Settles a live game as the operator says.
///
/// # Errors
/// The game has ended, or the winner has no seat.
pub(super) fn settle(room: &Room, at: Timestamp, verdict: GameVerdict) -> Result<Decision, Rejection> {
    if room.result().is_some() {
        return Err(Rejection::GameNotLive(Box::new(room.report(Player::new(0)))));
    }
    let result = match verdict {
        GameVerdict::Winner(winner) if room.seat(winner).is_none() => return Err(Rejection::PlayerUnknown),
        GameVerdict::Winner(winner) => {
            GameResult { winners: [winner].into(), draw: false, reason: Reason::ADJUDICATED }
        }
        GameVerdict::Draw => GameResult { winners: Vec::new(), draw: true, reason: Reason::ADJUDICATED },
        GameVerdict::Abort => GameResult { winners: Vec::new(), draw: false, reason: Reason::ABORTED },
    };
    let mut draft = Draft::of(room, at);
    draft.end(Turning { player: None, forced: None, at, charged_until: at, body: None }, result);
    let answer =
        penalty::answer_held(room, |player| Rejection::GameNotLive(Box::new(draft.room.report(player))));
    let (facts, mut effects) = draft.finish(room);
    effects.extend(answer);
    Ok(Decision { answer: Ok(Reply::Done), facts, effects })
}

/// A well-signed request by a player who is to move in this turn.
struct Request<'a> {
    room: &'a Room,
    at: Timestamp,
    stamp: Timestamp,
    player: Player,
    submission: &'a MoveSubmission,
    signed: &'a SignedBody,
}

impl Request<'_> {
    fn decide(&self) -> Decision {
        let asked = self.submission;
        if asked.resign {
            let mut draft = self.draft();
            draft.forfeit(self.turning(), self.player, Reason::RESIGNATION);
            return self.taken(draft);
        }
        let offered = self.room.draw_offer().is_some_and(|by| by != self.player);
        if offered && (asked.draw_accept || asked.draw_offer) {
            let mut draft = self.draft();
            let result = GameResult { winners: Vec::new(), draw: true, reason: Reason::AGREEMENT };
            draft.end(self.turning(), result);
            return self.taken(draft);
        }
        if asked.draw_accept {
            return Decision::refuse(Rejection::NoDrawOffer(self.report()));
        }
        match asked.choice {
            Some(choice) => self.play(choice),
            None => Decision::refuse(Rejection::MoveMissing),
        }
    }

    fn play(&self, choice: Choice) -> Decision {
        let Some(notation) = self.named(choice) else {
            return self.illegal();
        };
        let mut draft = self.draft();
        let commentary = self.submission.commentary.clone();
        match draft.play(self.turning(), &Resolving::Move(notation), commentary) {
            Ok(()) => {}
            Err(Refused::Illegal) => return self.illegal(),
            // Decision: a move that needs the beacon before its round is known is refused as out of turn, for
            // the room waits only for penalties; no game of the catalog draws numbers in a move.
            Err(Refused::NeedsChance) => return Decision::refuse(Rejection::WrongTurn(self.report())),
        }
        if self.submission.draw_offer && draft.room.result().is_none() && self.room.seats().len() == 2 {
            let turn_index = self.room.turn_index();
            draft.change(RoomChange::DrawOffered { turn_index, player: self.player });
        }
        self.taken(draft)
    }

    /// The move that is named, if it can be one at all.
    fn named(&self, choice: Choice) -> Option<Notation> {
        match choice {
            Choice::Notation(notation) => Some(notation),
            Choice::Gibberish => None,
            Choice::Index(index) => {
                let legal = self.room.notations(self.player);
                usize::try_from(index).ok().and_then(|index| legal.get(index)).copied()
            }
        }
    }

    /// The legal move that an illegal one was probably meant to be.
    ///
    /// Decision: the third illegal move is told none, for by then the turn has been played.
    fn meant(&self) -> Option<Notation> {
        match self.submission.choice? {
            Choice::Notation(notation) => self.room.position().meant(self.player, &notation),
            Choice::Gibberish | Choice::Index(_) => None,
        }
    }

    /// Counts an illegal move; the third in a turn costs a strike and a random move.
    fn illegal(&self) -> Decision {
        let seat = self.room.seat(self.player);
        let count = seat.map_or(0, |seat| seat.illegal_attempts) + 1;
        let mut draft = self.draft();
        draft.change(RoomChange::IllegalAttempted {
            turn_index: self.room.turn_index(),
            player: self.player,
            count,
            attempt: Attempt {
                at: self.stamp,
                body: self.body(),
                challenge: self.signed.challenge.into(),
                auth_signature: self.signed.auth_signature,
                request_sha256: self.signed.request_sha256,
            },
        });
        if count < limits::ILLEGAL_MOVES_TO_STRIKE {
            let mut report = draft.room.report(self.player);
            report.did_you_mean = self.meant();
            if count > 1 {
                report.legal_moves = Some(draft.room.legal_moves(self.player));
            }
            return self.refused(draft, report);
        }
        let penalty = Penalty { player: self.player, cause: Forced::IllegalMoves, charged_until: self.stamp };
        if penalty::inflict(&mut draft, &penalty).is_held() {
            let (facts, effects) = draft.finish(self.room);
            let held = Reply::Held { game: self.room.id(), turn_index: self.room.turn_index() };
            return Decision { answer: Ok(held), facts, effects };
        }
        let report = penalty::report(&draft.room, self.player);
        self.refused(draft, report)
    }

    fn draft(&self) -> Draft {
        Draft::of(self.room, self.at)
    }

    fn body(&self) -> BodyRecord {
        BodyRecord {
            text: self.signed.body.clone(),
            sha256: self.signed.sha256,
            signature: self.signed.signature,
        }
    }

    fn turning(&self) -> Turning {
        Turning {
            player: Some(self.player),
            forced: None,
            at: self.stamp,
            charged_until: self.stamp,
            body: Some(self.body()),
        }
    }

    fn report(&self) -> Box<Report> {
        Box::new(self.room.report(self.player))
    }

    fn refused(&self, draft: Draft, report: Report) -> Decision {
        let (facts, effects) = draft.finish(self.room);
        Decision { answer: Err(Rejection::IllegalMove(Box::new(report))), facts, effects }
    }

    fn taken(&self, draft: Draft) -> Decision {
        let notation = draft.last_turn().and_then(|turn| turn.notation);
        let result = draft.room.result().cloned();
        let state_hash = draft.state_hash().expect("a request that is taken resolves its turn");
        let (facts, effects) = draft.finish(self.room);
        let reply = Reply::MoveTaken { turn_index: self.room.turn_index(), notation, state_hash, result };
        Decision { answer: Ok(reply), facts, effects }
    }
}
