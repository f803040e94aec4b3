//! An ended game as the games write its record.

use crate::result::GameResult;
use alloc::string::String;
use hall_wire::{Notation, Player};

/// What a record is written from: [`Game::record`](crate::Game::record).
#[derive(Clone, Copy, Debug)]
pub struct GameRecord<'a> {
    /// The variant that was played.
    pub variant: &'a str,
    /// Tags with their values, in order, named as in PGN (`White` and `Black` are the first and the second seat).
    pub tags: &'a [(&'a str, String)],
    /// The complete outcome of each act of nature, in order, with the number of applied moves before it.
    pub chance: &'a [(usize, String)],
    /// The applied moves in order.
    pub moves: &'a [(Player, Notation)],
    /// Comments: `notes[i]` stands behind the move `moves[i]`, and one more behind all of them; empty and missing
    /// notes are left out. Every note becomes one comment; characters that would end it early are replaced.
    pub notes: &'a [String],
    /// How the game ended.
    pub result: &'a GameResult,
}

impl<'a> GameRecord<'a> {
    /// A record of these moves alone, in the variant `standard`.
    #[must_use]
    pub const fn of(moves: &'a [(Player, Notation)], result: &'a GameResult) -> Self {
        Self { variant: "standard", tags: &[], chance: &[], moves, notes: &[], result }
    }
}
