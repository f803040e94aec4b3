//! The decision of a room: an answer, facts, and notices to the hall around it.

use crate::command::GameVerdict;
use crate::fact::RoomFact;
use crate::label::GameVariant;
use crate::status::TurnStatus;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_games::GameResult;
use hall_wire::{AgentId, Digest, GameId, HomologationId, Notation, Player, Timestamp};
use serde::{Deserialize, Serialize};

/// The decision on a [`crate::RoomCommand`].
#[derive(Clone, Debug, PartialEq)]
pub struct RoomDecision {
    /// The answer for the caller; `None` if there is nothing to report.
    pub answer: Result<Option<RoomReply>, RoomRejection>,
    /// What changes, in order. A rejection comes with facts only where an illegal attempt is counted.
    pub facts: Vec<Arc<RoomFact>>,
    /// What the hall must know of it.
    pub notices: Vec<Notice>,
}

impl RoomDecision {
    /// A refusal that changes nothing.
    #[must_use]
    pub const fn refuse(rejection: RoomRejection) -> Self {
        Self { answer: Err(rejection), facts: Vec::new(), notices: Vec::new() }
    }
}

/// The answer to a command that was not refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomReply {
    /// The request was taken: the turn is resolved as asked for, or the player's part of a shared turn is sealed.
    MoveTaken {
        /// The turn that it was for.
        turn_index: u32,
        /// The move applied; `None` for a resignation or an agreement.
        notation: Option<Notation>,
        /// Hash of the state after it; `None` while the turn is not resolved, because others share it or because the hall
        /// must act first.
        state_hash: Option<Digest>,
        /// The result, if that ended the game.
        result: Option<GameResult>,
    },
    /// The answer is deferred until the game's beacon round is known: it comes as [`Notice::DeferredAnswer`] for this
    /// turn.
    #[serde(rename = "held")]
    Deferred {
        /// The game.
        game: GameId,
        /// The turn that waits.
        turn_index: u32,
    },
    /// The command was applied to as many rooms as one command may touch. If a game is named, repeat the command to
    /// continue after that game.
    Continued {
        /// The last game that was reached, if there are more.
        after: Option<GameId>,
    },
}

/// Why a command to a room was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomRejection {
    /// No such game in memory; an ended one may be in the archive.
    GameNotFound,
    /// The caller has no seat in this game.
    NotSeated,
    /// The body signature did not verify.
    BodySignatureInvalid,
    /// The game has ended.
    GameNotLive(Box<TurnStatus>),
    /// The turn is not the current one, or the caller is not to move.
    WrongTurn(Box<TurnStatus>),
    /// The move is not legal.
    IllegalMove(Box<TurnStatus>),
    /// There is no draw offer to accept.
    NoDrawOffer(Box<TurnStatus>),
    /// A body without a move that offers a draw while none is offered by the opponent.
    MoveMissing,
    /// The player named is not seated, or no longer (operator's verdicts).
    PlayerUnknown,
    /// A draw is offered at a table that has no draw offers: one of more than two, or one whose turns are shared.
    DrawOfferImpossible,
    /// The seat cannot become vacant, because fewer than two others would play on, or because it is vacant already.
    SeatNeeded,
}

impl RoomRejection {
    /// The kind of refusal in capitals, without its details, for logs and traces.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::GameNotFound => "GAME_NOT_FOUND",
            Self::NotSeated => "NOT_SEATED",
            Self::BodySignatureInvalid => "BODY_SIGNATURE_INVALID",
            Self::GameNotLive(_) => "GAME_NOT_LIVE",
            Self::WrongTurn(_) => "WRONG_TURN",
            Self::IllegalMove(_) => "ILLEGAL_MOVE",
            Self::NoDrawOffer(_) => "NO_DRAW_OFFER",
            Self::MoveMissing => "MOVE_MISSING",
            Self::PlayerUnknown => "PLAYER_UNKNOWN",
            Self::DrawOfferImpossible => "DRAW_OFFER_IMPOSSIBLE",
            Self::SeatNeeded => "SEAT_NEEDED",
        }
    }

    /// How the game stands, where the refusal tells it.
    #[must_use]
    pub fn into_status(self) -> Option<Box<TurnStatus>> {
        match self {
            Self::GameNotLive(status)
            | Self::WrongTurn(status)
            | Self::IllegalMove(status)
            | Self::NoDrawOffer(status) => Some(status),
            Self::GameNotFound
            | Self::NotSeated
            | Self::BodySignatureInvalid
            | Self::MoveMissing
            | Self::DrawOfferImpossible
            | Self::SeatNeeded
            | Self::PlayerUnknown => None,
        }
    }
}

/// What a room reports to the hall around it, so that desk and shells act on it in the same decision.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum Notice {
    /// The operator's verdict ended the game.
    VerdictGiven {
        game: GameId,
        /// How it ended.
        verdict: GameVerdict,
        /// Why, in the operator's words.
        reason: String,
    },
    /// The operator vacated a seat.
    SeatVacated {
        game: GameId,
        player: Player,
        /// Why, in the operator's words.
        reason: String,
    },
    /// The game was aborted, because this release has no rules for it.
    RulesMissing {
        game: GameId,
        /// The version of the rules that it began under.
        version: String,
    },
    /// The game is over.
    GameEnded(EndedGame),
    /// A game gave up its beacon round.
    BeaconMissed { game: GameId, round: u64 },
    /// A player has acted in a turn that others share and that is not resolved by it.
    PlayerActed { agent: AgentId, game: GameId, turn_index: u32 },
    /// A turn is resolved.
    TurnResolved { game: GameId, turn_index: u32 },
    /// The set of turns that wait on this agent may have changed.
    TurnsChanged { agent: AgentId },
    /// A turn waits on this agent.
    TurnBegan {
        agent: AgentId,
        game: GameId,
        turn_index: u32,
        /// The agent's deadline.
        deadline: Timestamp,
    },
    /// The answer that was deferred for this turn ([`RoomReply::Deferred`]).
    DeferredAnswer { game: GameId, turn_index: u32, answer: RoomRejection },
}

/// A game that is over, as far as standings depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct EndedGame {
    pub game: GameId,
    pub variant: GameVariant,
    /// The seats in seat order.
    pub seats: Vec<EndedSeat>,
    /// How it ended.
    pub result: GameResult,
}

/// A seat of an ended game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct EndedSeat {
    pub player: Player,
    pub agent: AgentId,
    /// The entry that the agent played under.
    pub homologation: HomologationId,
    /// Strikes received in the game.
    pub strikes: u8,
}
