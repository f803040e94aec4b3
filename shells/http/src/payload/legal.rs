//! The legal moves: the bulk of every view.

use super::schema::payload;
use hall_core::rooms::Room;
use hall_games::LegalMove;
use hall_wire::{GameId, Notation, Player};

payload! {
    /// One legal move of the current turn.
    pub LegalMoveEntry as "LegalMove" {
        /// Its place in the list, from 0; `{ "index": n }` as a move names it.
        index: u32,
        /// What to send as `move`.
        r#move: Notation,
        /// The move in the notation of the game.
        notation: Notation,
        /// The move in words.
        summary: String,
    }

    /// The complete set of legal moves of the caller.
    pub LegalMovesData as "LegalMovesData" {
        /// The game.
        game_id: GameId,
        /// The current turn.
        turn_index: u32,
        /// The complete legal set; non-empty exactly when it is the caller's turn.
        legal_moves: Vec<LegalMoveEntry>,
    }
}

/// The entries of `legal` in their order.
#[must_use]
pub fn legal_moves(legal: Vec<LegalMove>) -> Vec<LegalMoveEntry> {
    let indexed = (0..).zip(legal);
    indexed
        .map(|(index, entry)| LegalMoveEntry {
            index,
            r#move: entry.notation,
            notation: entry.notation,
            summary: entry.summary,
        })
        .collect()
}

impl LegalMovesData {
    /// What `player` may play in `room`.
    #[must_use]
    pub fn of(room: &Room, player: Player) -> Self {
        let legal_moves = legal_moves(room.legal_moves(player));
        Self { game_id: room.id(), turn_index: room.turn_index(), legal_moves }
    }
}
