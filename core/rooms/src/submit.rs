//! What a player may ask of a room: move, resign, offer and accept a draw.
//!
//! The order of checks is part of the contract: seat, body signature, live, turn, then draw and move rules. What
//! is refused before the rules changes no counter.

use crate::clock;
use crate::command::{Choice, MoveSubmission, SignatureCheck, SignedBody};
use crate::decision::{RoomDecision, RoomRejection, RoomReply};
use crate::draft::{Draft, MoveSource, TurnContext};
use crate::fact::{Attempt, BodyRecord, ForcedCause, RoomChange};
use crate::limits;
use crate::notices;
use crate::penalty::{self, Penalty, PenaltyOutcome};
use crate::room::Room;
use crate::status::TurnStatus;
use alloc::boxed::Box;
use hall_games::{GameResult, PlayerSet, Reason, Refused};
use hall_wire::{AgentId, Notation, Player, Timestamp, json};

/// Decides a move request to a room, whether live or ended and archived. `at` is core time, `stamp` is when the last
/// byte of the request arrived. The caller has checked what comes before the room, such as a suspension.
#[must_use]
pub fn submit(
    room: &Room,
    at: Timestamp,
    stamp: Timestamp,
    agent: &AgentId,
    submission: &MoveSubmission,
) -> RoomDecision {
    let Some(player) = room.player_of(agent) else {
        return RoomDecision::refuse(RoomRejection::NotSeated);
    };
    let signed = match &submission.signed {
        Some(signed) if submission.signature_check == SignatureCheck::Valid => signed,
        _ => return RoomDecision::refuse(RoomRejection::BodySignatureInvalid),
    };
    let status = || Box::new(room.status(player));
    if room.result().is_some() {
        return RoomDecision::refuse(RoomRejection::GameNotLive(status()));
    }
    let late = room.deadline_of(player).is_none_or(|deadline| clock::is_late(stamp, deadline));
    if submission.turn_index != room.turn_index() || !room.to_move().contains(player) || late {
        return RoomDecision::refuse(RoomRejection::WrongTurn(status()));
    }
    let request = MoveRequest { room, at, stamp, player, submission, signed };
    request.decide()
}

/// A well-signed request by a player who is to move in this turn.
struct MoveRequest<'a> {
    room: &'a Room,
    at: Timestamp,
    stamp: Timestamp,
    player: Player,
    submission: &'a MoveSubmission,
    signed: &'a SignedBody,
}

impl MoveRequest<'_> {
    fn decide(&self) -> RoomDecision {
        let asked = self.submission;
        if asked.resign {
            let mut draft = self.draft();
            draft.leave(self.context(), self.player, Reason::RESIGNATION);
            return self.taken(draft);
        }
        let keeps_old_rules = self.room.rules().is_some_and(|rules| !rules.plays_on());
        if asked.draw_offer && !self.room.has_draw_offers() && !keeps_old_rules {
            return RoomDecision::refuse(RoomRejection::DrawOfferImpossible);
        }
        let offered = self.room.draw_offer().is_some_and(|by| by != self.player);
        if offered && (asked.draw_accept || asked.draw_offer) {
            let mut draft = self.draft();
            let result = GameResult::drawn(Reason::AGREEMENT);
            draft.end(self.context(), result);
            return self.taken(draft);
        }
        if asked.draw_accept {
            return RoomDecision::refuse(RoomRejection::NoDrawOffer(self.status()));
        }
        match asked.choice {
            Some(choice) => self.play(choice),
            None => RoomDecision::refuse(RoomRejection::MoveMissing),
        }
    }

    fn play(&self, choice: Choice) -> RoomDecision {
        let Some(notation) = self.named(choice) else {
            return self.illegal();
        };
        let mut draft = self.draft();
        let commentary = self.submission.commentary.clone();
        match draft.play(self.context(), &MoveSource::Move(notation), commentary) {
            Ok(()) => {}
            Err(Refused::Illegal) => return self.illegal(),
            // Decision: a move that needs the beacon before its round is known is refused as out of turn, for
            // the room waits only for penalties and acts of nature; no game of the catalog rolls in a move.
            Err(Refused::NeedsChance) => {
                return RoomDecision::refuse(RoomRejection::WrongTurn(self.status()));
            }
        }
        self.taken(draft)
    }

    /// The named move, if it has the form of one.
    fn named(&self, choice: Choice) -> Option<Notation> {
        match choice {
            Choice::Notation(notation) => Some(notation),
            Choice::Unparsable => None,
            Choice::Index(index) => {
                let legal = self.room.notations(self.player);
                usize::try_from(index).ok().and_then(|index| legal.get(index)).copied()
            }
        }
    }

    /// The legal move that an illegal one was probably meant to be.
    ///
    /// Decision: the third illegal move gets none, because the turn has been played by then.
    fn did_you_mean(&self) -> Option<Notation> {
        let guess = |notation| self.room.position().did_you_mean(self.player, &notation);
        match self.submission.choice? {
            Choice::Notation(notation) => guess(notation),
            Choice::Unparsable => {
                let trimmed = self.trimmed()?;
                if self.room.notations(self.player).contains(&trimmed) {
                    Some(trimmed)
                } else {
                    guess(trimmed)
                }
            }
            Choice::Index(_) => None,
        }
    }

    /// The notation that is left of the move that was signed without the white space around it.
    fn trimmed(&self) -> Option<Notation> {
        let body = json::parse(self.signed.body.as_bytes()).ok()?;
        Notation::parse(body.value.get("move")?.as_str()?.trim())
    }

    /// Counts an illegal move; the third in a turn costs a strike and a random move.
    fn illegal(&self) -> RoomDecision {
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
            let mut status = draft.room.status(self.player);
            status.did_you_mean = self.did_you_mean();
            if count > 1 {
                status.legal_moves = Some(draft.room.legal_moves(self.player));
            }
            return self.refused(draft, status);
        }
        let penalty =
            Penalty { player: self.player, cause: ForcedCause::IllegalMoves, charged_until: self.stamp };
        if penalty::impose(&mut draft, &penalty) == PenaltyOutcome::Deferred {
            let (facts, notices) = notices::finish(draft, self.room);
            let deferred = RoomReply::Deferred { game: self.room.id(), turn_index: self.room.turn_index() };
            return RoomDecision { answer: Ok(Some(deferred)), facts, notices };
        }
        let status = penalty::status(&draft, self.room.turn_index(), self.player);
        self.refused(draft, status)
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

    fn context(&self) -> TurnContext {
        TurnContext {
            player: Some(self.player),
            forced: None,
            at: self.stamp,
            charged_until: self.stamp,
            out_with: PlayerSet::EMPTY,
            body: Some(self.body()),
            offers_draw: self.submission.draw_offer && self.room.has_draw_offers(),
        }
    }

    fn status(&self) -> Box<TurnStatus> {
        Box::new(self.room.status(self.player))
    }

    fn refused(&self, draft: Draft, status: TurnStatus) -> RoomDecision {
        let (facts, notices) = notices::finish(draft, self.room);
        RoomDecision { answer: Err(RoomRejection::IllegalMove(Box::new(status))), facts, notices }
    }

    fn taken(&self, draft: Draft) -> RoomDecision {
        let done = draft.done_in(self.room.turn_index(), self.player);
        let notation = done.and_then(|turn| turn.notation);
        let result = draft.room.result().cloned();
        let state_hash = draft.state_hash(self.room.turn_index());
        let (facts, notices) = notices::finish(draft, self.room);
        let reply = RoomReply::MoveTaken { turn_index: self.room.turn_index(), notation, state_hash, result };
        RoomDecision { answer: Ok(Some(reply)), facts, notices }
    }
}
