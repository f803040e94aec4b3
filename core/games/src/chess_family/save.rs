//! A position as text: the FEN, and behind it the earlier positions that repetition still counts.
//!
//! `<FEN>` then, for each earlier position, oldest first, `;` and its key in lower case hexadecimal. A FEN alone is a
//! position whose past does not matter. Before nature has drawn the start position the text is that of the state.

use super::Rules;
use super::position::{FamilyPosition, UNSET};
use super::repetitions::{Key as _, Repetitions};
use crate::Position as _;
use alloc::string::String;
use alloc::vec::Vec;
use shakmaty::fen::Fen;

impl<R: Rules> FamilyPosition<R> {
    /// The text that [`Self::restore`] reads.
    pub(super) fn save(&self) -> String {
        let mut out = self.state_string();
        out.reserve_exact(self.seen.earlier().len() * (1 + 2 * size_of::<R::Key>()));
        for key in self.seen.earlier() {
            out.push(';');
            out.push_str(&key.encode());
        }
        out
    }

    /// Reads what [`Self::save`] wrote, to the letter; `None` for anything else, among it impossible positions and
    /// an en passant square without a legal capture.
    pub(crate) fn restore(saved: &str) -> Option<Self> {
        if saved == UNSET && R::START_POSITIONS.is_some() {
            return Some(Self::initial());
        }
        let mut parts = saved.split(';');
        let fen: Fen = parts.next()?.parse().ok()?;
        let now: R::Board = fen.into_position(R::CASTLING).ok()?;
        let earlier: Vec<R::Key> = parts.map(R::Key::decode).collect::<Option<_>>()?;
        if u32::try_from(earlier.len()).ok()? > R::reversible_half_moves(&now) {
            return None;
        }
        let seen = Repetitions::with_earlier(earlier, R::key(&now));
        let restored = Self::with(now, seen);
        (restored.save() == saved).then_some(restored)
    }
}
