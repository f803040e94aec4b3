//! What can happen in a room.
//!
//! Almost every change is also a spectator event; the event's canonical leaf is stored with it. What a change
//! keeps private until the end (the seed, signed bodies, attempts) stands beside the leaf, never in it.

use crate::command::GapCause;
use crate::label::{Division, GameVariant, SeasonId, Word};
use crate::status::TurnBrief;
use crate::timing::Timing;
use alloc::string::String;
use alloc::vec::Vec;
use hall_games::{GameResult, PlayerSet, Reason};
use hall_wire::message::Challenge;
use hall_wire::roll::{RollHash, Seed};
use hall_wire::{
    AgentId, Digest, GameId, Handle, HomologationId, Notation, Player, PublicKey, Signature, Span, Timestamp,
    words,
};
use serde::{Deserialize, Serialize};

/// A change of one room. `number` counts the facts of the game from 1 without a gap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct RoomFact {
    pub game: GameId,
    /// Position among the facts of the game, from 1.
    pub number: u32,
    pub at: Timestamp,
    pub change: RoomChange,
    /// The spectator event for the change, if it has one.
    pub event: Option<RoomEvent>,
}

/// The public side of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomEvent {
    /// Position among the spectator events of the game, from 1.
    pub seq: u32,
    /// Canonical text of the event's leaf in the log.
    pub leaf: String,
    /// Commentary, which the leaf holds only as a hash.
    pub commentary: Option<String>,
}

/// What changed in a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum RoomChange {
    /// The game began.
    Started(Started),
    /// A turn was resolved by a move: a player's, a default action or a forced move.
    MovePlayed(Resolution),
    /// A well-signed illegal move was counted.
    IllegalAttempted {
        turn_index: u32,
        player: Player,
        /// Number of this attempt among those of the player in this turn, from 1.
        count: u8,
        /// What was sent.
        attempt: Attempt,
    },
    /// A strike was recorded.
    StrikeGiven {
        turn_index: u32,
        /// The player that received the strike.
        player: Player,
        cause: ForcedCause,
        /// Number of this strike among those of the player in this game, from 1.
        count: u8,
    },
    /// A draw was offered together with the move before.
    DrawOffered {
        /// The turn with whose move it was offered.
        turn_index: u32,
        /// Who offered it.
        player: Player,
    },
    /// A standing offer was declined by not being accepted.
    DrawDeclined {
        /// The turn whose resolution declined it.
        turn_index: u32,
        /// Who declined it: the opponent of the player that offered.
        player: Player,
    },
    /// A player, or the hall in its place, acted in a turn that several share: what it did is sealed until the turn
    /// resolves.
    MoveSealed {
        turn_index: u32,
        player: Player,
        action: SealedAction,
        /// The clocks of the others, where the last vacant seat has acted: they run, or begin to run now if the hall has waited
        /// for the beacon.
        turns: Vec<OpenTurn>,
    },
    /// Nature acted at the beginning of a turn.
    NatureActed {
        /// The turn that is about to begin.
        turn_index: u32,
        /// What everybody may know of the outcome.
        outcome: Option<String>,
        /// The complete outcome.
        complete: String,
        /// The hashes taken for it.
        #[serde(rename = "draws")]
        rolls: Vec<RollHash>,
        /// Hash of the state after it.
        state_hash: Digest,
        /// Time left by seat, with side clocks.
        clocks: Option<Vec<Span>>,
        /// Who is to move after it.
        to_move: PlayerSet,
        /// The clocks of those who are to move after it.
        turns: Vec<OpenTurn>,
    },
    /// The hall must act before the turn can begin (nature, or a vacant seat), and the beacon's round is not known yet:
    /// nobody is to move until then.
    HallDeferred {
        /// The turn that waits.
        turn_index: u32,
    },
    /// Cards or dice were shown to all, as the rules say.
    Shown {
        /// The turn with whose move they were shown.
        turn_index: u32,
        text: String,
    },
    /// A player left a table at which others play on.
    SeatVacated {
        /// The current turn.
        turn_index: u32,
        /// Who left.
        player: Player,
        /// Why: a resignation, the third strike, the side clock or the operator's verdict.
        reason: Reason,
        /// The signed body of a resignation.
        body: Option<BodyRecord>,
        /// When the player left: the stamp of its request, in a turn that players share the deadline that it missed, or when
        /// the hall acted.
        left_at: Timestamp,
        /// The instant up to which its side clock is charged, if it was to move.
        charged_until: Timestamp,
    },
    /// The open turns were given time for a gap.
    DeadlineExtended {
        /// The current turn.
        turn_index: u32,
        /// The new clocks of the open turns.
        turns: Vec<OpenTurn>,
        /// The first and the last instant of the gap; `None` in facts of before that was kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gap: Option<(Timestamp, Timestamp)>,
        /// Why the hall was away.
        #[serde(rename = "reason")]
        cause: GapCause,
    },
    /// A penalty needs a random move, and the beacon's round is not known yet: the turn waits, and its clock is stopped.
    #[serde(rename = "penalty_held")]
    PenaltyDeferred {
        /// The turn that waits.
        turn_index: u32,
        /// The player whose turn it is.
        player: Player,
        /// Why a move is forced.
        cause: ForcedCause,
        /// What its side clock will be charged to.
        charged_until: Timestamp,
    },
    /// The beacon's round became known, or was given up.
    BeaconSettled {
        /// `verified` or `missed`.
        status: BeaconStatus,
        /// sha256 of the signature, if verified.
        randomness: Option<Digest>,
        /// Lowercase hexadecimal, if verified.
        signature: Option<String>,
    },
    /// The game is over.
    Ended {
        /// How it ended.
        result: GameResult,
        /// The turn that this resolved, where it was not resolved by a move already.
        resolution: Option<Resolution>,
    },
}

impl RoomChange {
    /// The turn that this resolves, if it resolves one.
    #[must_use]
    pub const fn resolution(&self) -> Option<&Resolution> {
        match self {
            Self::MovePlayed(resolution) | Self::Ended { resolution: Some(resolution), .. } => {
                Some(resolution)
            }
            Self::Started(_)
            | Self::IllegalAttempted { .. }
            | Self::StrikeGiven { .. }
            | Self::DrawOffered { .. }
            | Self::DrawDeclined { .. }
            | Self::DeadlineExtended { .. }
            | Self::PenaltyDeferred { .. }
            | Self::BeaconSettled { .. }
            | Self::MoveSealed { .. }
            | Self::NatureActed { .. }
            | Self::HallDeferred { .. }
            | Self::Shown { .. }
            | Self::SeatVacated { .. }
            | Self::Ended { resolution: None, .. } => None,
        }
    }
}

/// What a player did in a shared turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedAction {
    /// The move.
    pub notation: Notation,
    /// Why the hall acted in the player's place.
    pub forced: Option<ForcedCause>,
    /// When the turn began for the player.
    pub started_at: Timestamp,
    /// The deadline that stood for the player.
    pub deadline: Option<Timestamp>,
    /// The stamp of the player's request, or when the hall acted.
    pub at: Timestamp,
    /// What was signed, if somebody signed.
    pub body: Option<BodyRecord>,
    /// Words for the spectators, told with the move.
    pub commentary: Option<String>,
    /// The hashes taken for a random move; empty for any other.
    #[serde(rename = "draws")]
    pub rolls: Vec<RollHash>,
    /// What is left on the player's side clock, with side clocks.
    pub remaining: Option<Span>,
}

/// The terms of a game that begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Started {
    #[serde(rename = "board")]
    pub variant: GameVariant,
    /// The division that the game counts for.
    pub division: Division,
    /// The season that the game counts for.
    pub season: SeasonId,
    /// The players, in seat order.
    pub seats: Vec<Seat>,
    pub ruleset_version: Word,
    pub timing: Timing,
    /// Secret until the game ends.
    pub seed: Seed,
    /// The public commitment to the seed.
    pub commitment: Digest,
    /// Chain and round of the beacon, unless it is off.
    pub beacon: Option<BeaconTerms>,
    /// Who moves first.
    pub to_move: PlayerSet,
    /// The clocks of those who move first.
    pub turns: Vec<OpenTurn>,
}

/// A seat of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Seat {
    pub agent: AgentId,
    pub handle: Handle,
    pub key: PublicKey,
    /// The entry that it plays under.
    pub homologation: HomologationId,
}

/// Which beacon round a game is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BeaconTerms {
    /// The hash by which the chain is known.
    pub chain_hash: Digest,
    /// The first round that is due long enough after the game was formed.
    pub round: u64,
}

words!(
    /// How far a game's beacon is; final from `missed` or the end of the game on.
    BeaconStatus {
        /// The hall has no beacon.
        Off = "off",
        /// The round is not known yet.
        Waiting = "waiting",
        /// The round is known and verified.
        Verified = "verified",
        /// A roll could not wait any longer.
        Missed = "missed",
    }
);

impl BeaconStatus {
    /// The status of a game that begins.
    #[must_use]
    pub const fn at_start(terms: Option<&BeaconTerms>) -> Self {
        if terms.is_some() { Self::Waiting } else { Self::Off }
    }
}

/// The clock of one player who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// The player that is to move.
    pub player: Player,
    /// When the clock began to run.
    pub started_at: Timestamp,
    /// The deadline by the time for one move.
    pub move_deadline: Timestamp,
    /// Time in which the hall was away, not charged to the side clock. A request stamped before the end of a gap is
    /// credited only with what lies before its stamp.
    pub credit: Span,
}

words!(
    /// Why the hall moved in a player's place, or ended the game for it.
    ForcedCause {
        /// The deadline passed.
        Deadline = "deadline",
        /// Three illegal moves in one turn.
        IllegalMoves = "illegal_moves",
        /// The seat is vacant.
        Vacated = "vacated",
    }
);

/// How one turn was resolved: an applied move, or what ended the game without one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// The turn.
    pub turn_index: u32,
    /// The player whose turn it was; `None` for an adjudication or abort.
    pub player: Option<Player>,
    /// The move applied, if one was.
    pub notation: Option<Notation>,
    /// The move as people write it.
    pub san: Option<Notation>,
    /// Why the hall acted in the player's place.
    pub forced: Option<ForcedCause>,
    /// When the turn began.
    pub started_at: Timestamp,
    /// The deadline that stood, before any wait for a beacon.
    pub deadline: Option<Timestamp>,
    /// The stamp of the resolving request, or when the hall acted.
    pub at: Timestamp,
    /// What was signed, if somebody signed.
    pub body: Option<BodyRecord>,
    /// Whether the first roll chose the move (a forced random move).
    #[serde(rename = "chosen_by_draw")]
    pub chosen_at_random: bool,
    /// The hashes taken in the turn: to choose a random move, or by the move itself.
    #[serde(rename = "draws")]
    pub rolls: Vec<RollHash>,
    /// Hash of the state after it.
    pub state_hash: Digest,
    /// Time left by seat, with side clocks.
    pub clocks: Option<Vec<Span>>,
    /// Who is to move after it.
    pub to_move: PlayerSet,
    /// The clocks of those who are to move after it.
    pub turns: Vec<OpenTurn>,
}

impl Resolution {
    pub(crate) fn brief(&self) -> TurnBrief {
        TurnBrief {
            turn_index: self.turn_index,
            player: self.player,
            notation: self.notation,
            forced: self.forced,
            body_sha256: self.body.as_ref().map(|body| body.sha256),
        }
    }
}

/// A signed move body as it is kept for the replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct BodyRecord {
    /// The canonical text without `signature`.
    pub text: String,
    pub sha256: Digest,
    pub signature: Signature,
}

/// An illegal move that was counted, with the proof that its request was not a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Attempt {
    /// The stamp of the request.
    pub at: Timestamp,
    pub body: BodyRecord,
    /// The challenge of the request.
    pub challenge: ChallengeText,
    pub auth_signature: Signature,
    /// sha256 of the raw request body.
    pub request_sha256: Digest,
}

/// A challenge in its written form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChallengeText(pub String);

impl From<Challenge> for ChallengeText {
    fn from(challenge: Challenge) -> Self {
        Self(alloc::string::ToString::to_string(&challenge))
    }
}
