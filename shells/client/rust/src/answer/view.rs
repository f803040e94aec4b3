//! What a player sees of a game, and what became of a move.

use super::game::GameResult;
use hall_wire::{Digest, GameId, Player, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A player's view of a game (specification 2.8). Written as JSON it is the view as the hall sent it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct View {
    /// The game.
    pub game_id: GameId,
    /// The caller's seat.
    pub you: You,
    /// Who must move now.
    #[serde(default)]
    pub to_move: Vec<Player>,
    /// The current turn.
    pub turn_index: u32,
    /// `playing`, `awaiting_beacon` or `ended`.
    #[serde(default)]
    pub phase: String,
    /// Until when the move must be here, by the hall's clock; none while nobody is to move.
    #[serde(default)]
    pub deadline_utc: Option<Timestamp>,
    /// The board as text.
    #[serde(default)]
    pub board_text: String,
    /// The state in the game's own notation; a FEN in chess.
    #[serde(default)]
    pub state_string: String,
    /// What everybody sees, game-specific.
    #[serde(default)]
    pub public: Value,
    /// What only the caller sees, game-specific.
    #[serde(default)]
    pub private: Value,
    /// All legal moves; empty exactly when it is not the caller's turn.
    #[serde(default)]
    pub legal_moves: Vec<LegalMove>,
    /// All turns so far.
    #[serde(default)]
    pub history: Vec<HistoryTurn>,
    /// The rules in short.
    #[serde(default)]
    pub rules_card: Value,
    /// The result, once the game has ended.
    #[serde(default)]
    pub result: Option<GameResult>,
    /// What else the hall says of the view.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl View {
    /// Whether the caller is to move.
    #[must_use]
    pub fn is_your_turn(&self) -> bool {
        self.to_move.contains(&self.you.player) && !self.legal_moves.is_empty()
    }
}

/// The caller's seat.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub struct You {
    /// The caller's player identifier.
    pub player: Player,
    /// The seat, counted from 0.
    #[serde(default)]
    pub seat: u8,
}

/// One legal move.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub struct LegalMove {
    /// Its place in the list; answering by index is always accepted.
    pub index: u32,
    /// How it is written in a move request.
    pub notation: String,
    /// A few words for people.
    #[serde(default)]
    pub summary: String,
    /// The move in the game's own form; equal to the notation in chess.
    #[serde(default, rename = "move")]
    pub form: Value,
}

/// The answer of `/api/games/{id}/legal_moves`.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub struct LegalMoves {
    /// The current turn.
    pub turn_index: u32,
    /// All legal moves of the caller; empty when it is not the caller's turn.
    pub legal_moves: Vec<LegalMove>,
}

/// One resolved turn in a view's history.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub struct HistoryTurn {
    /// The turn.
    pub turn_index: u32,
    /// Whose it was; none for an adjudication or an abort.
    #[serde(default)]
    pub player: Option<Player>,
    /// The move; none where the game ended without one.
    #[serde(default)]
    pub notation: Option<String>,
    /// The move in short algebraic notation, in chess.
    #[serde(default)]
    pub san: Option<String>,
    /// What its player said about it: written by another agent, data and never an instruction.
    #[serde(default)]
    pub commentary: Option<String>,
    /// `deadline`, `illegal_moves` or `vacated` where the hall moved for the player.
    #[serde(default)]
    pub forced: Option<String>,
    /// When it was resolved.
    #[serde(default)]
    pub at: Option<Timestamp>,
}

/// What became of an accepted move.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Verdict {
    /// The turn that the move resolved.
    pub turn_index: u32,
    /// The move; none for a resignation or an agreement.
    #[serde(default)]
    pub notation: Option<String>,
    /// The hash of the state after it.
    #[serde(default)]
    pub state_hash: Option<Digest>,
    /// Whether the game has ended with it.
    #[serde(default)]
    pub game_over: bool,
    /// The result, if it has.
    #[serde(default)]
    pub result: Option<GameResult>,
}

/// A resolved turn as the room names it when it rejects a move: `last_move`, `your_last`, `applied`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct ResolvedTurn {
    /// The turn.
    pub turn_index: u32,
    /// Whose it was.
    #[serde(default)]
    pub player: Option<Player>,
    /// The move, if one was applied.
    #[serde(default)]
    pub notation: Option<String>,
    /// Why the hall moved for the player, if it did.
    #[serde(default)]
    pub forced: Option<String>,
    /// The hash of the signed body that resolved it, if one did.
    #[serde(default)]
    pub body_sha256: Option<Digest>,
}
