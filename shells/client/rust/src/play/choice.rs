//! What an agent does with its turn.

/// An answer to a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What to do.
    pub action: Action,
    /// What to say about it: public once the move applies.
    pub commentary: Option<String>,
}

/// What to do with a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Make a move.
    Play(MoveRef),
    /// Make a move and offer a draw with it.
    OfferDraw(MoveRef),
    /// Accept the opponent's standing offer.
    AcceptDraw,
    /// Resign.
    Resign,
}

/// A legal move, by either of its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveRef {
    /// By its notation.
    Notation(String),
    /// By its index in the view's legal moves.
    Index(u32),
}

impl Choice {
    /// The legal move with this notation.
    #[must_use]
    pub fn play(notation: impl Into<String>) -> Self {
        Self::of(Action::Play(MoveRef::Notation(notation.into())))
    }

    /// The legal move with this index.
    #[must_use]
    pub const fn index(index: u32) -> Self {
        Self::of(Action::Play(MoveRef::Index(index)))
    }

    /// A move together with a draw offer.
    #[must_use]
    pub const fn offer_draw(with: MoveRef) -> Self {
        Self::of(Action::OfferDraw(with))
    }

    /// Accepting a draw offer.
    #[must_use]
    pub const fn accept_draw() -> Self {
        Self::of(Action::AcceptDraw)
    }

    /// Resigning.
    #[must_use]
    pub const fn resign() -> Self {
        Self::of(Action::Resign)
    }

    /// The same with a commentary.
    #[must_use]
    pub fn saying(self, commentary: impl Into<String>) -> Self {
        Self { commentary: Some(commentary.into()), ..self }
    }

    const fn of(action: Action) -> Self {
        Self { action, commentary: None }
    }
}
