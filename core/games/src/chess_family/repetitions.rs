//! Which positions have occurred, for the draw by threefold repetition.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;
use hall_wire::text::{decode_hex, encode_hex};
use shakmaty::packed::PackedSetup;
use shakmaty::{EnPassantMode, Position};

/// How many bytes the key of a position without pockets has: 64 bits of occupied squares and 32 half-bytes of pieces.
pub(crate) const STANDARD_KEY_BYTES: usize = 24;

/// How many keys the list grows by; most games lose a pawn or a piece before they need more.
const GROWTH: usize = 8;

/// One position as repetition sees it: the pieces, who is to move, the castling rights, and the en passant square
/// where a legal capture exists.
pub(crate) trait Key: Copy + Debug + Eq + Send + Sync + 'static {
    /// In lower case hexadecimal.
    fn encode(&self) -> String;

    /// The key that is written so.
    fn decode(text: &str) -> Option<Self>;
}

impl<const N: usize> Key for [u8; N] {
    fn encode(&self) -> String {
        encode_hex(self)
    }

    fn decode(text: &str) -> Option<Self> {
        decode_hex(text)
    }
}

/// The key of a position without pockets.
///
/// It is the position itself and not a hash of it, because a collision would end a game wrongly. Only the side to move
/// may be cut off, where Black has no king that tells it; positions with different sides to move are never compared.
pub(crate) fn standard_key(position: &impl Position) -> [u8; STANDARD_KEY_BYTES] {
    let setup = position.to_setup(EnPassantMode::Legal);
    let packed = PackedSetup::pack_standard_normalized(&setup).expect("a standard position can be packed");
    let mut key = [0; STANDARD_KEY_BYTES];
    key.iter_mut().zip(packed.as_bytes()).for_each(|(to, from)| *to = *from);
    key
}

/// The positions since the last move that cannot be undone, the current one last.
///
/// A position before such a move (in chess a capture, a pawn move, the loss of a castling right or of a legal en passant
/// capture) can never occur again, so it is forgotten.
#[derive(Clone, Debug)]
pub(crate) struct Repetitions<K>(Vec<K>);

impl<K: Key> Repetitions<K> {
    /// Begins with one position.
    pub(super) fn from(key: K) -> Self {
        Self::with_earlier(Vec::new(), key)
    }

    /// The list `earlier` with one more position behind it.
    pub(super) fn with_earlier(earlier: Vec<K>, key: K) -> Self {
        let mut list = Self(earlier);
        list.push(key);
        list
    }

    /// Forgets all positions: what follows cannot lead back to them.
    pub(super) fn forget(&mut self) {
        self.0.clear();
        self.0.shrink_to(GROWTH);
    }

    /// Adds the position that has arisen.
    pub(super) fn push(&mut self, key: K) {
        if self.0.len() == self.0.capacity() {
            self.0.reserve_exact(GROWTH);
        }
        self.0.push(key);
    }

    /// Whether the current position has occurred at least three times.
    pub(super) fn threefold(&self) -> bool {
        let Some(current) = self.0.last() else { return false };
        // With the other side to move it is another position, so only every second one is compared.
        self.0.iter().rev().step_by(2).filter(|key| *key == current).count() >= 3
    }

    /// The positions before the current one, oldest first.
    pub(super) fn earlier(&self) -> &[K] {
        self.0.split_last().map_or(&[], |(_, earlier)| earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Chess as Rules;
    use crate::chess_family::FamilyPosition;
    use shakmaty::Chess;

    #[test]
    fn a_full_board_fits_into_a_key_with_either_side_to_move() {
        let mut position = Chess::default();
        for text in ["e2e4", "e7e5"] {
            let packed =
                PackedSetup::pack_standard_normalized(&position.to_setup(EnPassantMode::Legal)).unwrap();
            assert!(packed.as_bytes().len() <= STANDARD_KEY_BYTES);
            let uci: shakmaty::uci::UciMove = text.parse().unwrap();
            position.play_unchecked(uci.to_move(&position).unwrap());
        }
    }

    #[test]
    fn forty_half_moves_without_a_pawn_move_fit_into_a_kibibyte_and_a_half() {
        let key = standard_key(&Chess::default());
        let mut list = Repetitions::from(key);
        for _ in 0..40 {
            list.push(key);
        }
        let bytes = size_of::<FamilyPosition<Rules>>() + list.0.capacity() * STANDARD_KEY_BYTES;
        assert!(bytes <= 1_536, "{bytes}");
        list.forget();
        assert!(list.0.capacity() <= GROWTH);
    }
}
