//! The interface of every game of the hall: [`Game`] and [`Position`].
//!
//! The traits fit games with hidden information ([`Position::private`], [`Position::disclosed`]), chance ([`Chance`]), acts
//! of nature ([`Position::act`]), more than two seats, several players to move at the same time ([`Position::to_move`]
//! is a set) and a legal pass ([`Position::default_action`]).

use crate::catalog::Description;
use crate::picture::Picture;
use crate::player_set::PlayerSet;
use crate::record::GameRecord;
use crate::result::{BySeat, GameResult, Outcome};
use crate::shown_example::ShownExample;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};
use serde::{Deserialize, Serialize};

/// The rules of one game.
pub trait Game: fmt::Debug + Sync {
    /// What the catalog says of the game.
    fn describe(&self) -> Description;

    /// Sets up a new game for `seats` players.
    ///
    /// # Errors
    /// The variant does not exist, or the game is not played by that many players.
    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused>;

    /// Restores a position that [`Position::save`] wrote.
    ///
    /// # Errors
    /// The text was not written by this game.
    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition>;

    /// The rules card: what an agent must know to play, as JSON with only text written by us.
    fn rules_card(&self) -> Value;

    /// The how-to-play guide: move grammar with examples, phases, traps and an example game played by this code.
    fn how_to(&self) -> Value;

    /// The examples of the guide that hold a legal move, in its order, to be drawn.
    fn examples(&self) -> Vec<ShownExample> {
        Vec::new()
    }

    /// Whether the others play on when a player leaves a table of more than two, and whether such a table has places.
    /// Only rules that are older than that say no.
    fn plays_on(&self) -> bool {
        true
    }

    /// The record of an ended game in one of the [`record_formats`](Description::record_formats) of the game; `None` in
    /// other formats, and if the moves are not a legal game.
    fn record(&self, _format: &str, _record: &GameRecord<'_>) -> Option<String> {
        None
    }
}

/// A position of one game in play.
///
/// A position changes only in [`Position::play`]. The room ends games by resignation, clock or agreement, which does
/// not change the position.
pub trait Position: ClonePosition + fmt::Debug + Send + Sync {
    /// Who must move now; empty while nature is to act, and once the game is over by its own rules.
    fn to_move(&self) -> PlayerSet;

    /// Every legal move of `player`, ordered by notation, with indices from 0; empty if it need not move.
    fn legal_moves(&self, player: Player) -> Vec<LegalMove>;

    /// The notations of [`Position::legal_moves`] alone, in the same order, for looking up a move by its index.
    fn notations(&self, player: Player) -> Vec<Notation> {
        self.legal_moves(player).into_iter().map(|legal| legal.notation).collect()
    }

    /// The legal move of `player` that an illegal notation was probably meant to be: the same move in another
    /// spelling. It is only a hint and is never played. `None` if the notation names a legal move, if more than one
    /// move may be meant, and by default.
    fn did_you_mean(&self, _player: Player, _notation: &Notation) -> Option<Notation> {
        None
    }

    /// The move that a missed deadline plays (a pass; a check, else a fold); `None` where the rules name none or none is
    /// legal now. Then a legal move is drawn at random.
    fn default_action(&self, _player: Player) -> Option<Notation> {
        None
    }

    /// Whether nature must act before anybody can move: dice are to be rolled, cards shuffled or turned.
    fn awaits_nature(&self) -> bool {
        false
    }

    /// Lets nature act once.
    ///
    /// # Errors
    /// [`Refused::NeedsChance`] if `chance` has no number to give yet, and [`Refused::Illegal`] if nature is not to act.
    /// The position is unchanged after an error.
    fn act(&mut self, _chance: &mut dyn Chance) -> Result<Act, Refused> {
        Err(Refused::Illegal)
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`Refused::Illegal`] if the notation is not, to the letter, that of a legal move of `player`, and
    /// [`Refused::NeedsChance`] if the move needs a random number and `chance` has none to give yet. The position is
    /// unchanged after an error.
    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        chance: &mut dyn Chance,
    ) -> Result<Played, Refused>;

    /// The end of the game by its own rules, if it is over.
    fn outcome(&self) -> Option<Outcome>;

    /// The players that are out by the rules, in the order in which they went out.
    fn eliminated(&self) -> Vec<Player> {
        Vec::new()
    }

    /// The points of each seat in a game that ended here with `result`, by its rules or otherwise; `None` in games
    /// without points.
    fn points(&self, _result: &GameResult) -> Option<Vec<i64>> {
        None
    }

    /// The public state in the game's standard text form (chess: FEN). It is hashed into the log, so it holds
    /// nothing private.
    fn state_string(&self) -> String;

    /// The board for people and language models, as `viewer` may see it.
    fn board_text(&self, viewer: &Viewer<'_>) -> String;

    /// What can be seen of the position; everything if it is `revealed`, as after the game's end.
    fn picture(&self, _revealed: bool) -> Picture {
        Picture::table().labelled(self.state_string())
    }

    /// The places of the board, as (column, row), that a move names, so that a renderer can mark the last one; empty in
    /// games whose [`Position::picture`] marks it already, and at a table.
    fn places(&self, _notation: &Notation) -> Vec<(u8, u8)> {
        Vec::new()
    }

    /// The game's own part of `view.public`.
    fn public(&self) -> Map<String, Value>;

    /// What everybody may know of a move that `player` made while the game is live: the notation itself, one that says
    /// less, or `None` for a move that stays sealed. It depends on the move alone, so that what was disclosed of a
    /// move never changes. Once the game has ended, everything is disclosed. Every game says so itself: a default that
    /// one forgets to replace would show what is hidden.
    fn disclosed(&self, player: Player, notation: &Notation) -> Option<Notation>;

    /// The private state of `player`, `{}` in games of perfect information.
    fn private(&self, _player: Player) -> Value {
        Value::Object(Map::new())
    }

    /// What was hidden during the game, for the replay of the ended game; `null` if nothing was.
    fn hidden(&self) -> Value {
        Value::Null
    }

    /// The whole position as text that [`Game::restore`] reads back to an equal one.
    fn save(&self) -> String;
}

/// Every position can be copied, whatever its type.
pub trait ClonePosition {
    /// A copy of the position.
    fn clone_box(&self) -> Box<dyn Position>;
}

impl<T: Position + Clone + 'static> ClonePosition for T {
    fn clone_box(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}

impl dyn Position + '_ {
    /// The result of a game that is over by its rules, with the points that they give.
    #[must_use]
    pub fn result_by_the_rules(&self) -> Option<GameResult> {
        let mut result = GameResult::from(self.outcome()?);
        result.points = self.points(&result).map(BySeat);
        Some(result)
    }
}

impl Clone for Box<dyn Position> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// Where a position gets its random numbers. They are rolled in a decision and read back in a replay.
pub trait Chance {
    /// A number below `n`; `None` if none can be taken yet because the beacon's round is not known.
    fn below(&mut self, n: u64) -> Option<u64>;
}

/// A source that has no number to give: for what must not roll, and to find out what would.
#[derive(Clone, Copy, Debug)]
pub struct NoChance;

impl Chance for NoChance {
    fn below(&mut self, _n: u64) -> Option<u64> {
        None
    }
}

/// One legal move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegalMove {
    /// How it is written on the wire; its place in the list is its index.
    pub notation: Notation,
    /// A short text for people: chess says piece, from and to.
    pub summary: String,
}

/// The result of playing a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The move as people write it (chess: SAN), if everybody may know it immediately.
    pub san: Option<Notation>,
    /// Cards or dice that the rules show to all because of the move, as text.
    pub shown: Option<String>,
}

impl Played {
    /// A move that people write as it is on the wire, and that shows nothing.
    pub const PLAIN: Self = Self { san: None, shown: None };
}

/// An act of nature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// What everybody may know of its outcome; `None` if all of it is hidden.
    pub outcome: Option<String>,
    /// Its complete outcome.
    pub complete: String,
}

/// Why a move was not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is not a legal move of this player.
    Illegal,
    /// It needs a random number that cannot be taken yet.
    NeedsChance,
}

/// Why a game cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupRefused {
    /// No such variant.
    Variant,
    /// The game is not played by that many.
    Seats,
}

/// A saved position that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadablePosition;

impl fmt::Display for UnreadablePosition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the saved position was not written by this game")
    }
}

/// The viewer of a board, and what the room knows that the position does not.
#[derive(Clone, Copy, Debug)]
pub struct Viewer<'a> {
    /// The player who looks at the board.
    pub player: Player,
    /// The result, if the game has ended in any way.
    pub result: Option<&'a GameResult>,
    /// Who must move now: nobody while the turn waits, and in a turn that players share those who have not acted.
    pub to_move: PlayerSet,
    /// The last move that was applied, if any, and who made it, as far as the viewer may know it ([`Position::disclosed`]).
    pub last_move: Option<(Player, Notation)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn the_error_of_an_unreadable_position_says_that_the_game_did_not_write_it() {
        assert_eq!(UnreadablePosition.to_string(), "the saved position was not written by this game");
    }
}
