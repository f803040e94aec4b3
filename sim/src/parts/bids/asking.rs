//! What the players of the bidding game ask for, and what the room answers.

use super::position::{BIDS, listed};
use super::table::{Resolving, Table, forced, player, player_set};
use super::tale;
use crate::reference::text;
use hall_core::rooms::{Attempt, BeaconStatus, BodyRecord, ChallengeText, ForcedCause, RoomChange};
use hall_core::{Answer, Choice, SignedBody, TurnBrief, TurnStatus};
use hall_games::{GameResult, Reason};
use hall_wire::{Notation, Player, Timestamp};

/// What a player asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) place: usize,
    pub(super) turn_index: u32,
    pub(super) choice: Option<Choice>,
    pub(super) resign: bool,
    pub(super) commentary: Option<&'static str>,
}

/// What was taken.
#[derive(Debug, PartialEq)]
pub(super) struct Taken {
    pub(super) turn_index: u32,
    pub(super) notation: Option<Notation>,
    pub(super) result: Option<GameResult>,
}

/// What is said where nothing is taken.
#[derive(Debug, PartialEq)]
pub(super) enum Told {
    Illegal(Box<TurnStatus>),
    WrongTurn(Box<TurnStatus>),
    NotLive(Box<TurnStatus>),
    MoveMissing,
    /// The answer comes when the beacon is known, or has not come for too long.
    Held {
        turn_index: u32,
    },
    /// What the table never says.
    Else(Box<Answer>),
}

impl Table {
    /// What the room does and answers.
    pub(super) fn ask(
        &mut self,
        wish: Wish,
        stamp: Timestamp,
        now: Timestamp,
        signed: &SignedBody,
    ) -> Result<Taken, Told> {
        let Wish { place, turn_index, choice, resign, commentary } = wish;
        if self.result.is_some() {
            return Err(Told::NotLive(Box::new(self.report(place))));
        }
        let late = self.deadline_of(place).is_none_or(|deadline| stamp > deadline);
        if late || turn_index != self.turn_index() {
            return Err(Told::WrongTurn(Box::new(self.report(place))));
        }
        let body = Some(body_of(signed));
        let turn = Resolving { place, forced: None, body, commentary, at: stamp, charged: stamp, now };
        if resign {
            self.lose(turn, Reason::RESIGNATION);
            return Ok(Taken { turn_index, notation: None, result: self.result.clone() });
        }
        let named = match choice {
            None => return Err(Told::MoveMissing),
            Some(Choice::Unparsable) => None,
            Some(Choice::Index(index)) => usize::try_from(index).ok().and_then(|index| BIDS.get(index)),
            Some(Choice::Notation(notation)) => BIDS.iter().find(|bid| **bid == notation.as_str()),
        };
        let Some(bid) = named else { return Err(self.count_illegal(place, stamp, now, signed)) };
        // Only penalties wait. A bid that decides a round by a die can be made when the round of the beacon is known.
        if self.beacon.status == BeaconStatus::Waiting && self.position.needs_die(place, bid) {
            return Err(Told::WrongTurn(Box::new(self.report(place))));
        }
        let draws = self.draws();
        self.bid(turn, bid, draws);
        Ok(Taken { turn_index, notation: Notation::parse(bid), result: self.result.clone() })
    }

    /// Says why, with the second one what is legal, and acts at the third.
    fn count_illegal(&mut self, place: usize, stamp: Timestamp, now: Timestamp, signed: &SignedBody) -> Told {
        let (turn_index, player) = (self.turn_index(), player(place));
        let Some(seat) = self.seats.get_mut(place) else { return Told::MoveMissing };
        seat.illegal += 1;
        let count = seat.illegal;
        let attempt = Attempt {
            at: stamp,
            body: body_of(signed),
            challenge: ChallengeText(text::hex(signed.challenge.as_bytes())),
            auth_signature: signed.auth_signature,
            request_sha256: signed.request_sha256,
        };
        let data = tale::attempt(turn_index, player, count);
        let change = RoomChange::IllegalAttempted { turn_index, player, count, attempt };
        self.tell(now, change, Some(("illegal_attempt", data)));
        if count < 3 {
            let legal_moves = (count == 2).then(listed);
            return Told::Illegal(Box::new(TurnStatus { legal_moves, ..self.report(place) }));
        }
        self.punish(forced(place, ForcedCause::IllegalMoves, stamp, now), ForcedCause::IllegalMoves);
        if self.held.is_some() {
            return Told::Held { turn_index };
        }
        Told::Illegal(Box::new(self.report_of_penalty(place)))
    }

    /// What is told after a third illegal move: the forced turn, and the turn that it opened.
    pub(super) fn report_of_penalty(&self, place: usize) -> TurnStatus {
        let legal = if self.deadline_of(place).is_some() { listed() } else { Vec::new() };
        let applied = self.turns.last().map(|turn| turn.brief);
        TurnStatus { legal_moves: Some(legal), applied, ..self.report(place) }
    }

    pub(super) fn report(&self, place: usize) -> TurnStatus {
        let seat = self.seats.get(place);
        TurnStatus {
            game: self.game,
            turn_index: self.turn_index(),
            to_move: player_set(self.to_move()),
            illegal_attempts: seat.map_or(0, |seat| seat.illegal),
            strikes: self.seats.iter().map(|seat| seat.strikes).collect(),
            last_move: self.turns.last().map(|turn| self.told(None, turn.brief)),
            your_last: seat.and_then(|seat| seat.last),
            result: self.result.clone(),
            did_you_mean: None,
            legal_moves: None,
            applied: None,
            deadline: self.deadline(),
        }
    }

    /// What is told of a turn: neither a bid nor what gives it away, before the end, but to whoever made it.
    pub(super) fn told(&self, viewer: Option<Player>, brief: TurnBrief) -> TurnBrief {
        if self.result.is_some() || viewer == brief.player {
            return brief;
        }
        TurnBrief { notation: None, body_sha256: None, ..brief }
    }
}

fn body_of(signed: &SignedBody) -> BodyRecord {
    BodyRecord { text: signed.body.clone(), sha256: signed.sha256, signature: signed.signature }
}
