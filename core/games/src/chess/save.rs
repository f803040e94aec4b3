//! A position as text: the FEN, and behind it the earlier positions that repetition still counts.
//!
//! `<FEN>` then, for each earlier position, oldest first, `;` and its 24 key bytes in lower case hexadecimal. A
//! FEN alone is a position whose past does not matter.

use super::draws::{KEY_BYTES, Key, Repetitions};
use super::position::ChessPosition;
use crate::Position as _;
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::text::{decode_hex, encode_hex};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position as _};

impl ChessPosition {
    /// The text that [`Self::restore`] reads.
    pub(super) fn save(&self) -> String {
        let mut out = self.state_string();
        out.reserve_exact(self.seen.earlier().len() * (1 + 2 * KEY_BYTES));
        for key in self.seen.earlier() {
            out.push(';');
            out.push_str(&encode_hex(key));
        }
        out
    }

    /// Reads what [`Self::save`] wrote, to the letter; `None` for anything else, among it impossible positions and
    /// an en passant square without a legal capture.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let mut parts = saved.split(';');
        let fen: Fen = parts.next()?.parse().ok()?;
        let now: Chess = fen.into_position(CastlingMode::Standard).ok()?;
        let earlier: Vec<Key> = parts.map(decode_hex::<KEY_BYTES>).collect::<Option<_>>()?;
        // Every earlier position that still counts is at least one half-move without a capture or a pawn move.
        if u32::try_from(earlier.len()).ok()? > now.halfmoves() {
            return None;
        }
        let seen = Repetitions::with_earlier(earlier, &now);
        let restored = Self::with(now, seen);
        (restored.save() == saved).then_some(restored)
    }
}
