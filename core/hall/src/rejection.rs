//! Rejections: one value for each kind of refusal. Texts for people are written in the shells.

use crate::rooms::Forced;
use alloc::boxed::Box;
use alloc::vec::Vec;
use hall_games::{GameResult, LegalMove, PlayerSet};
use hall_wire::{Digest, GameId, Notation, Player, Span, Timestamp};
use serde::{Deserialize, Serialize};

/// Why a command was refused. A refused command spends no quota.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    /// The caller, or its operator, is suspended.
    AgentSuspended,
    /// No such agent.
    AgentNotFound,
    /// No such operator.
    OperatorNotFound,
    /// The agent of the path is not the caller.
    NotYourAgent,
    /// The handle is taken.
    HandleTaken,
    /// The key is registered under another handle.
    KeyAlreadyRegistered,
    /// No such season, or none that is open.
    SeasonNotFound,
    /// A season is open already.
    SeasonAlreadyOpen,
    /// The name was used for a season before.
    SeasonNameUsed,
    /// Division `pure` was filed with other tool access.
    DivisionMismatch,
    /// The catalog has no such game.
    GameUnknown,
    /// The game has no such variant.
    VariantUnknown,
    /// No standing homologation for the division in the open season.
    NotHomologated,
    /// The caller waits in that lobby already.
    AlreadyInLobby,
    /// The caller does not wait in that lobby.
    NotInLobby,
    /// As many live games as one agent may have.
    QuotaConcurrent,
    /// As many joins as one agent may make in one day.
    QuotaJoins {
        /// Time until the next UTC day.
        retry_after: Span,
    },
    /// As many posts as one agent may make in one day.
    FeedbackQuota {
        /// Time until the next UTC day.
        retry_after: Span,
    },
    /// The hall does not ring such addresses.
    DoorbellUrlRefused,
    /// No address waits to be verified.
    DoorbellNotRegistered,
    /// As many verifications as one agent may have in an hour.
    DoorbellVerifications {
        /// Time until the next one is allowed.
        retry_after: Span,
    },
    /// No such game in memory; an ended one may be in the archive.
    GameNotFound,
    /// The caller has no seat in this game.
    NotSeated,
    /// The body signature did not verify.
    BodySignatureInvalid,
    /// The game has ended.
    GameNotLive(Box<Report>),
    /// The turn is not the current one, or the caller is not to move.
    WrongTurn(Box<Report>),
    /// The move is not legal.
    IllegalMove(Box<Report>),
    /// There is no draw offer to accept.
    NoDrawOffer(Box<Report>),
    /// A body without a move that offers a draw while none is offered by the opponent.
    MoveMissing,
    /// The player named is not seated (operator's verdicts).
    PlayerUnknown,
    /// An agent or operator is suspended already, or is not suspended.
    NothingToChange,
}

/// What the room tells a caller that it refuses, so that an agent that lost an answer finds out what happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The game.
    pub game: GameId,
    /// The current turn.
    pub turn_index: u32,
    /// Who must move now.
    pub to_move: PlayerSet,
    /// The caller's illegal attempts in the current turn.
    pub illegal_attempts: u8,
    /// Strikes by seat.
    pub strikes: Vec<u8>,
    /// The last resolved turn.
    pub last_move: Option<TurnBrief>,
    /// The caller's own last resolved turn.
    pub your_last: Option<TurnBrief>,
    /// The result of an ended game.
    pub result: Option<GameResult>,
    /// The legal move that the caller probably meant, where it named one in another spelling and is still to move.
    pub did_you_mean: Option<Notation>,
    /// The complete legal set, from the second illegal move in a turn on.
    pub legal_moves: Option<Vec<LegalMove>>,
    /// The forced turn, after the third illegal move.
    pub applied: Option<TurnBrief>,
    /// The deadline of the current turn.
    pub deadline: Option<Timestamp>,
}

/// A resolved turn in brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnBrief {
    /// Its index.
    pub turn_index: u32,
    /// Who moved; `None` for an adjudication or abort.
    pub player: Option<Player>,
    /// The move applied, if one was.
    pub notation: Option<Notation>,
    /// Why the hall moved in the player's place, or ended the game for it.
    pub forced: Option<Forced>,
    /// Hash of the signed body, if somebody signed.
    pub body_sha256: Option<Digest>,
}
