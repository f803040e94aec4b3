//! What chess and its variants share: a game in play, its end, the wire notation, texts, PGN and saved form.
//!
//! Owns everything that follows from shakmaty's [`Position`](shakmaty::Position), whichever rules it moves by. A
//! game of the family adds its [`Rules`]: the start position, what ends the game, what repetition compares, and its own
//! words. Knows no clocks, strikes, draw offers or agents: those belong to the room, and the guides only describe
//! them. Invariant: a position is over exactly if it has an [`Outcome`](crate::Outcome), and then nobody is to move
//! and no move is legal.

mod board_text;
mod did_you_mean;
mod end;
mod how_to;
mod impl_position;
pub(crate) mod pgn;
mod picture;
mod pockets;
mod position;
mod repetitions;
mod rules_card;
mod save;
mod seats;
mod summary;
mod wire_move;

#[cfg(test)]
pub(crate) mod testing;

pub(crate) use end::End;
pub(crate) use how_to::{Guide, words};
pub(crate) use repetitions::{Key, Repetitions, STANDARD_KEY_BYTES, standard_key};
pub(crate) use rules_card::Card;

use crate::{
    Description, Game, GameRecord, PlayerCount, Position, STANDARD, SetupRefused, ShownExample,
    UnreadablePosition,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;
use hall_wire::Span;
use hall_wire::json::Value;
use how_to::how_to;
use position::FamilyPosition;
use rules_card::rules_card;
use shakmaty::{CastlingMode, FromSetup, Move, Position as _};

/// What one game adds to the family.
pub(crate) trait Rules: Clone + Copy + Debug + Send + Sync + 'static {
    /// The position with shakmaty's rules of movement; its default is the usual start position.
    type Board: shakmaty::Position + FromSetup + Default + Clone + Debug + Send + Sync + 'static;
    /// What two positions have in common that count as the same.
    type Key: Key;

    /// The game's id.
    const ID: &'static str;
    /// Its name for people.
    const NAME: &'static str;
    /// How moves are written, in one sentence.
    const NOTATION: &'static str;
    /// What is random.
    const RANDOMNESS: &'static str = "none";
    /// The version of its rules; it changes whenever one of them does.
    const RULESET_VERSION: &'static str;
    /// What PGN calls the game; `None` for chess itself, which needs no `Variant`.
    const PGN_VARIANT: Option<&'static str>;
    /// How castling is written and which kings and rooks castle.
    const CASTLING: CastlingMode = CastlingMode::Standard;
    /// Where nature draws the start position: how many there are.
    const START_POSITIONS: Option<u64> = None;
    /// Whether captures explode.
    const EXPLODES: bool = false;

    /// The start position with this number, below [`Self::START_POSITIONS`].
    fn start(_number: u64) -> Option<Self::Board> {
        None
    }

    /// Plays a legal move.
    fn play(now: &mut Self::Board, chosen: Move) {
        now.play_unchecked(chosen);
    }

    /// The position as repetition sees it.
    fn key(now: &Self::Board) -> Self::Key;

    /// The most half-moves that can have led to `now` since the last one that cannot be undone.
    fn reversible_half_moves(now: &Self::Board) -> u32 {
        now.halfmoves()
    }

    /// How `now` ends the game, if it does; `seen` ends with `now`.
    fn end(now: &Self::Board, seen: &Repetitions<Self::Key>) -> Option<End>;

    /// What the rules card says of this game alone.
    fn card() -> Card;

    /// What the guide says of this game alone.
    fn guide() -> Guide;
}

impl<R: Rules> Game for R {
    fn describe(&self) -> Description {
        Description {
            id: R::ID,
            name: R::NAME,
            players: PlayerCount::exactly(2),
            information: "perfect",
            randomness: R::RANDOMNESS,
            variants: &[],
            simultaneous: false,
            points: None,
            record_formats: &["pgn"],
            default_action: "A legal move drawn at random.",
            player_names: seats::NAMES,
            notation: R::NOTATION,
            ruleset_version: R::RULESET_VERSION,
            move_time: Span::from_secs(60),
            side_time: Span::from_secs(40 * 60),
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        match (variant, seats) {
            (STANDARD, 2) => Ok(Box::new(FamilyPosition::<R>::initial())),
            (STANDARD, _) => Err(SetupRefused::Seats),
            _ => Err(SetupRefused::Variant),
        }
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        let position = FamilyPosition::<R>::restore(saved).ok_or(UnreadablePosition)?;
        Ok(Box::new(position))
    }

    fn rules_card(&self) -> Value {
        rules_card::<R>()
    }

    fn how_to(&self) -> Value {
        how_to::<R>()
    }

    fn examples(&self) -> Vec<ShownExample> {
        R::guide().examples.iter().filter_map(|example| example.shown(self)).collect()
    }

    fn record(&self, format: &str, record: &GameRecord<'_>) -> Option<String> {
        if format == "pgn" { pgn::write::<R>(record) } else { None }
    }
}
