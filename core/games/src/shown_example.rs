//! The examples of a guide as they can be drawn.

use crate::picture::Picture;
use alloc::vec::Vec;

/// A position of a guide, and legal moves in it, to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownExample {
    /// What it teaches.
    pub topic: &'static str,
    /// The position, with everything revealed.
    pub before: Picture,
    /// Legal moves of the first player who is to move.
    pub moves: Vec<ShownMove>,
    /// What is refused there, with the reason.
    pub refused: Vec<(&'static str, &'static str)>,
}

/// A legal move of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownMove {
    /// The move as it is sent.
    pub notation: &'static str,
    /// What it shows.
    pub note: &'static str,
    /// The position after it, with the move marked; `None` if nothing is to be seen of it yet.
    pub after: Option<Picture>,
}
