//! Choices that look random and can be repeated.

use hall_client::answer::{LegalMove, View};
use hall_client::wire::Digest;

/// Draws that depend only on seed, game and turn, so that an agent that was restarted during a turn makes the same
/// choice again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice {
    seed: u64,
}

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// A place in a list of `length`; 0 in an empty one. The bias of the remainder is below 2^-56.
    pub(super) fn place(self, view: &View, length: usize) -> usize {
        let digest = Digest::of(format!("{}:{}:{}", self.seed, view.game_id, view.turn_index).as_bytes());
        let number =
            digest.as_bytes().iter().take(8).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(number.checked_rem(length).unwrap_or(0)).unwrap_or(0)
    }

    /// One of these moves.
    pub(super) fn pick<'a>(self, view: &View, moves: &[&'a LegalMove]) -> Option<&'a LegalMove> {
        moves.get(self.place(view, moves.len())).copied()
    }

    /// Any legal move.
    pub(super) fn any(self, view: &View) -> Option<&LegalMove> {
        view.legal_moves.get(self.place(view, view.legal_moves.len()))
    }
}
