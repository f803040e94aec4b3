//! What can be asked of a room.

use alloc::string::String;
use hall_wire::message::Challenge;
use hall_wire::{Digest, GameId, Notation, Player, Signature, Timestamp, words};
use serde::{Deserialize, Serialize};

/// A command to one room, or to each room that it concerns. The serialized names stand in journals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "nearly all commands to rooms are moves")]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum RoomCommand {
    /// Move, resign, offer or accept a draw (specification 2.9).
    #[serde(rename = "submit_move")]
    Submit(MoveSubmission),
    /// Adjudicate a live game: decide or abort it on the operator's instruction.
    #[serde(rename = "decide_game")]
    Adjudicate {
        game: GameId,
        /// How it ends.
        verdict: GameVerdict,
        /// The operator's reason, passed on in the notice.
        reason: String,
    },
    /// Take a player out of a live game at a table of more than two, on the operator's instruction.
    #[serde(rename = "vacate_seat")]
    Vacate {
        game: GameId,
        player: Player,
        /// The operator's reason, passed on in the notice.
        reason: String,
    },
    /// The hall was away (a restart, a stopped process or a slow disk): no agent pays for it.
    #[serde(rename = "note_gap")]
    ExtendForGap {
        /// The last instant before it.
        from: Timestamp,
        /// The first instant after it.
        until: Timestamp,
        /// Why it was away.
        #[serde(rename = "reason")]
        cause: GapCause,
        /// The last game that an earlier command for the same gap has extended.
        after: Option<GameId>,
    },
    /// A beacon round whose signature was verified.
    #[serde(rename = "receive_beacon")]
    ReceiveBeacon {
        chain_hash: Digest,
        round: u64,
        /// Its randomness: sha256 of the signature.
        randomness: Digest,
        /// Its signature, lowercase hexadecimal.
        signature: String,
        /// The last game that an earlier command for the same round has told.
        after: Option<GameId>,
    },
}

/// A move request whose shape was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveSubmission {
    /// The game of path and body.
    pub game: GameId,
    /// The turn that the caller means.
    pub turn_index: u32,
    /// The move, if one was given.
    pub choice: Option<Choice>,
    /// Whether it resigns.
    pub resign: bool,
    /// Whether it offers a draw.
    pub draw_offer: bool,
    /// Whether it accepts one.
    pub draw_accept: bool,
    /// Words for the spectators.
    pub commentary: Option<String>,
    /// The result of checking the body signature. A shell checks it, because the check is slow and needs no state.
    #[serde(rename = "signature_verified")]
    pub signature_check: SignatureCheck,
    /// What was signed. Journaled in the facts, not with the command.
    #[serde(skip)]
    pub signed: Option<SignedBody>,
}

words!(
    /// Why the hall was away.
    GapCause {
        /// It was not running.
        Restart = "restart",
        /// Its process was suspended.
        Pause = "pause",
        /// A write took too long.
        SlowCommit = "slow_commit",
        /// It accepted no writes because the disk was nearly full.
        LowDisk = "low_disk",
    }
);

/// The result of checking a signature. Journals write it as a boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum SignatureCheck {
    /// It is a valid signature of the message by the agent's key.
    Valid,
    /// It is not.
    Invalid,
}

impl From<bool> for SignatureCheck {
    fn from(valid: bool) -> Self {
        if valid { Self::Valid } else { Self::Invalid }
    }
}

impl From<SignatureCheck> for bool {
    fn from(check: SignatureCheck) -> Self {
        check == SignatureCheck::Valid
    }
}

/// How a move is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// By its notation.
    Notation(Notation),
    /// A string that cannot be a notation in any game: an illegal move, unless no move is applied.
    #[serde(rename = "gibberish")]
    Unparsable,
    /// By its index in the list of legal moves.
    Index(i64),
}

/// A signed move body, with the proof that the request was not a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedBody {
    /// The canonical text of the body without `signature`: exactly the bytes hashed.
    pub body: String,
    /// sha256 of `body`.
    pub sha256: Digest,
    /// The body signature.
    pub signature: Signature,
    /// The challenge of the request.
    pub challenge: Challenge,
    /// The header signature of the request.
    pub auth_signature: Signature,
    /// sha256 of the raw request body, which the header signature covers.
    pub request_sha256: Digest,
}

/// How the hall's operator adjudicates a live game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameVerdict {
    /// This player wins.
    Winner(Player),
    /// A draw.
    Draw,
    /// Aborted: nobody wins, nothing is rated.
    Abort,
}
