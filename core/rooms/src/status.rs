//! A short summary of a game's state, for refusals.

use crate::fact::ForcedCause;
use alloc::vec::Vec;
use hall_games::{GameResult, LegalMove, PlayerSet};
use hall_wire::{Digest, GameId, Notation, Player, Timestamp};
use serde::{Deserialize, Serialize};

/// The state of the game as reported to a refused caller, so that an agent that lost an answer finds out what
/// happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStatus {
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
    /// The legal move that the caller probably meant, if it named one in another notation and is still to move.
    pub did_you_mean: Option<Notation>,
    /// All legal moves, from the second illegal move in a turn on.
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
    pub forced: Option<ForcedCause>,
    /// Hash of the signed body, if somebody signed.
    pub body_sha256: Option<Digest>,
}
