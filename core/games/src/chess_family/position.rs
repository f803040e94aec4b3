//! A game of the family in play.

use super::Rules;
use super::end::End;
use super::repetitions::Repetitions;
use super::seats::colour_of;
use hall_wire::Player;
use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::{Move, Position as _};

/// Room for most positions, so that writing one allocates once.
pub(super) const USUAL_FEN_BYTES: usize = 80;

/// Room for every move as people write it.
pub(super) const USUAL_SAN_BYTES: usize = 16;

/// The state before nature has drawn the start position.
pub(super) const UNSET: &str = "unset";

/// How far a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nature has not drawn the start position.
    Unset,
    Playing,
    Over(End),
}

/// A position with what the automatic draws must remember.
#[derive(Clone, Debug)]
pub(crate) struct FamilyPosition<R: Rules> {
    pub(super) now: R::Board,
    pub(super) seen: Repetitions<R::Key>,
    /// Computed once per move, because everything else asks for it again and again.
    pub(super) phase: Phase,
}

impl<R: Rules> FamilyPosition<R> {
    /// The opening position, or the wait for nature to draw it.
    pub(super) fn initial() -> Self {
        let opening = Self::without_past(R::Board::default());
        if R::START_POSITIONS.is_some() { Self { phase: Phase::Unset, ..opening } } else { opening }
    }

    /// `now`, its past forgotten.
    pub(super) fn without_past(now: R::Board) -> Self {
        let seen = Repetitions::from(R::key(&now));
        Self::with(now, seen)
    }

    /// `now`, with the positions that `seen` remembers.
    pub(super) fn with(now: R::Board, seen: Repetitions<R::Key>) -> Self {
        let phase = R::end(&now, &seen).map_or(Phase::Playing, Phase::Over);
        Self { now, seen, phase }
    }

    /// Whether nature has yet to draw the start position.
    pub(super) fn is_unset(&self) -> bool {
        self.phase == Phase::Unset
    }

    /// Why the game is over, if it is.
    pub(super) const fn end(&self) -> Option<End> {
        match self.phase {
            Phase::Over(end) => Some(end),
            Phase::Unset | Phase::Playing => None,
        }
    }

    /// Begins from the start position with this number.
    pub(super) fn set_up(&mut self, number: u64) -> Option<()> {
        if self.is_unset() {
            *self = Self::without_past(R::start(number)?);
            return Some(());
        }
        None
    }

    /// Whether it is the turn of `player` in a game that is not over.
    pub(super) fn waits_for(&self, player: Player) -> bool {
        self.phase == Phase::Playing && colour_of(player) == Some(self.now.turn())
    }

    /// Plays a legal move and returns its SAN; `legal` are all legal moves.
    pub(super) fn advance(&mut self, chosen: Move, legal: &shakmaty::MoveList) -> SanPlus {
        let san = San::disambiguate(chosen, legal);
        let forgets = self.now.is_irreversible(chosen);
        R::play(&mut self.now, chosen);
        if forgets {
            self.seen.forget();
        }
        self.seen.push(R::key(&self.now));
        let end = R::end(&self.now, &self.seen);
        self.phase = end.map_or(Phase::Playing, Phase::Over);
        let suffix = match end.and_then(End::winner) {
            Some(_) => Some(Suffix::Checkmate),
            None => self.now.is_check().then_some(Suffix::Check),
        };
        SanPlus { san, suffix }
    }
}
