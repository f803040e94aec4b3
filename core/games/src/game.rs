//! The interface of every game of the hall: [`Game`] and [`Position`].
//!
//! The traits fit games with hidden information ([`Position::private`], [`Position::told`]), chance ([`Chance`]), more
//! than two seats, several players to move at the same time ([`Position::to_move`] is a set) and a legal pass
//! ([`Position::pass`]).

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player, Span};
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

    /// The game as PGN; `None` for games that have no such form. `tags` come in order, `turns` are the resolved
    /// turns whose move was applied.
    fn pgn(&self, tags: &[(&str, String)], turns: &[Notation], result: &GameResult) -> Option<String> {
        self.annotated_pgn(tags, turns, &[], result)
    }

    /// The same with comments: `notes[i]` stands behind the move of `turns[i]`, and one more behind all of them; empty
    /// and missing notes are left out. Every note becomes one comment; characters that would end it early are
    /// replaced.
    fn annotated_pgn(
        &self,
        tags: &[(&str, String)],
        turns: &[Notation],
        notes: &[String],
        result: &GameResult,
    ) -> Option<String>;
}

/// A position of one game in play.
///
/// A position changes only in [`Position::play`]. The room ends games by resignation, clock or agreement, which does
/// not change the position.
pub trait Position: fmt::Debug + Send + Sync {
    /// Who must move now; empty once the game is over by its own rules.
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
    fn meant(&self, _player: Player, _notation: &Notation) -> Option<Notation> {
        None
    }

    /// The pass that a missed deadline plays, where the rules have one that is legal now.
    fn pass(&self, player: Player) -> Option<Notation>;

    /// Plays a move.
    ///
    /// # Errors
    /// [`Refused::Illegal`] if the notation is not, to the letter, that of a legal move of `player`, and
    /// [`Refused::NeedsChance`] if the move needs a draw and `chance` has none to give yet. The position is
    /// unchanged after an error.
    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        chance: &mut dyn Chance,
    ) -> Result<Played, Refused>;

    /// The end of the game by its own rules, if it is over.
    fn outcome(&self) -> Option<Outcome>;

    /// The public state in the game's standard text form (chess: FEN). It is hashed into the log, so it holds
    /// nothing private.
    fn state_string(&self) -> String;

    /// The board for people and language models, as `viewer` may see it.
    fn board_text(&self, viewer: &Viewer<'_>) -> String;

    /// The game's own part of `view.public`.
    fn public(&self) -> Map<String, Value>;

    /// What everybody may know of a move that `player` made while the game is live: the notation itself, one that says
    /// less, or `None` for a move that stays sealed. It depends on the move alone, so that what was disclosed of a
    /// move never changes. Once the game has ended, everything is disclosed.
    fn told(&self, player: Player, notation: &Notation) -> Option<Notation>;

    /// The private state of `player`, `{}` in games of perfect information.
    fn private(&self, player: Player) -> Value;

    /// What was hidden during the game, for the replay of the ended game; `null` if nothing was.
    fn hidden(&self) -> Value;

    /// The whole position as text that [`Game::restore`] reads back to an equal one.
    fn save(&self) -> String;

    /// A copy of the position.
    fn clone_box(&self) -> Box<dyn Position>;
}

impl Clone for Box<dyn Position> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// Where a position gets its random numbers. They are drawn in a decision and read back in a replay.
pub trait Chance {
    /// A number below `n`; `None` if no draw can be made yet because the beacon's round is not known.
    fn below(&mut self, n: u64) -> Option<u64>;
}

/// A set of players.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerSet(u64);

impl PlayerSet {
    /// Nobody.
    pub const EMPTY: Self = Self(0);

    /// Only `player`. No game has more than 64 seats; higher ones give the empty set.
    #[must_use]
    pub fn only(player: Player) -> Self {
        Self(1_u64.checked_shl(u32::from(player.seat())).unwrap_or(0))
    }

    /// This set and `player`.
    #[must_use]
    pub fn with(self, player: Player) -> Self {
        Self(self.0 | Self::only(player).0)
    }

    /// This set without `player`.
    #[must_use]
    pub fn without(self, player: Player) -> Self {
        Self(self.0 & !Self::only(player).0)
    }

    /// Whether `player` is in the set.
    #[must_use]
    pub fn contains(self, player: Player) -> bool {
        self.0 & Self::only(player).0 != 0
    }

    /// Whether nobody is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The players in seat order.
    pub fn iter(self) -> impl Iterator<Item = Player> {
        (0..64).map(Player::new).filter(move |player| self.contains(*player))
    }
}

impl fmt::Debug for PlayerSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}

/// What the catalog says of a game.
#[derive(Clone, Debug)]
pub struct Description {
    /// The game id, as `chess`.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The fewest seats.
    pub min_players: u8,
    /// The most seats.
    pub max_players: u8,
    /// `perfect` or `hidden`.
    pub information: &'static str,
    /// `none` or what is random.
    pub randomness: &'static str,
    /// Variant keys besides `standard`.
    pub variants: &'static [&'static str],
    /// What the players are called, by seat (chess: White, Black); empty in games that have no names for them.
    pub player_names: &'static [&'static str],
    /// How moves are written, in one sentence.
    pub notation: &'static str,
    /// The version of the rules, as `chess/1`; it changes whenever a rule does.
    pub ruleset_version: &'static str,
    /// Time for one move, unless the hall's operator sets another one.
    pub move_time: Span,
    /// Time for all moves of one side; zero for no such clock.
    pub side_time: Span,
}

/// One legal move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
}

/// Why a move was not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is not a legal move of this player.
    Illegal,
    /// It needs a random draw that cannot be made yet.
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

/// The end of a game by its own rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who won; empty in a draw.
    pub winners: PlayerSet,
    /// Why.
    pub reason: Reason,
}

/// The one word that says why a game ended (as `checkmate`); games add their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reason(Cow<'static, str>);

impl Reason {
    /// Drawn by agreement.
    pub const AGREEMENT: Self = Self(Cow::Borrowed("agreement"));
    /// Given up.
    pub const RESIGNATION: Self = Self(Cow::Borrowed("resignation"));
    /// The side clock was used up.
    pub const CLOCK: Self = Self(Cow::Borrowed("clock"));
    /// The third strike.
    pub const STRIKES: Self = Self(Cow::Borrowed("strikes"));
    /// Decided by the hall's operator.
    pub const ADJUDICATED: Self = Self(Cow::Borrowed("adjudicated"));
    /// Aborted by the hall's operator; nobody wins and nothing is rated.
    pub const ABORTED: Self = Self(Cow::Borrowed("aborted"));

    /// A reason that is specific to a game.
    #[must_use]
    pub const fn of_game(word: &'static str) -> Self {
        Self(Cow::Borrowed(word))
    }

    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How a game ended, by its own rules or otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// Who won; empty in a draw and in an aborted game.
    pub winners: Vec<Player>,
    /// Whether it is a draw. An aborted game is neither won nor drawn.
    pub draw: bool,
    /// Why.
    pub reason: Reason,
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        Self {
            draw: outcome.winners.is_empty(),
            winners: outcome.winners.iter().collect(),
            reason: outcome.reason,
        }
    }
}

/// The viewer of a board, and what the room knows that the position does not.
#[derive(Clone, Copy, Debug)]
pub struct Viewer<'a> {
    /// The player who looks at the board.
    pub player: Player,
    /// The result, if the game has ended in any way.
    pub result: Option<&'a GameResult>,
    /// The last move that was applied, if any, and who made it, as far as the viewer may know it ([`Position::told`]).
    pub last_move: Option<(Player, Notation)>,
}

/// The rule book of a hall: the games that it offers, and every version of their rules that a journal may name.
#[derive(Clone, Copy, Debug)]
pub struct Catalog(&'static [&'static dyn Game]);

impl Catalog {
    /// A catalog of `games`, in the order in which they are listed. New games are played by the first version of a game;
    /// versions listed after it serve games that began under them.
    #[must_use]
    pub const fn new(games: &'static [&'static dyn Game]) -> Self {
        Self(games)
    }

    /// The game with this id, by the rules of new games.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&'static dyn Game> {
        self.versions().find(|game| game.describe().id == id)
    }

    /// The game with this id, by this version of its rules.
    #[must_use]
    pub fn find_version(&self, id: &str, version: &str) -> Option<&'static dyn Game> {
        let is_meant = |described: Description| (described.id, described.ruleset_version) == (id, version);
        self.versions().find(|game| is_meant(game.describe()))
    }

    /// The games in order, each by the rules of new games.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Game> {
        let version = |game: &dyn Game| game.describe().ruleset_version;
        self.versions().filter(move |game| {
            self.find(game.describe().id).is_some_and(|newest| version(newest) == version(*game))
        })
    }

    /// Every version of every game.
    fn versions(&self) -> impl Iterator<Item = &'static dyn Game> {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;
    use alloc::vec::Vec;

    fn set(seats: &[u8]) -> PlayerSet {
        seats.iter().fold(PlayerSet::EMPTY, |set, seat| set.with(Player::new(*seat)))
    }

    fn seats(set: PlayerSet) -> Vec<u8> {
        set.iter().map(Player::seat).collect()
    }

    #[test]
    fn a_player_added_twice_is_in_the_set_once_and_gone_after_one_removal() {
        let two = set(&[2, 0, 2]);
        assert_eq!(seats(two), [0, 2]);
        assert_eq!(seats(two.without(Player::new(2))), [0]);
        assert_eq!(two.without(Player::new(1)), two, "who is not in it cannot be taken out");
    }

    #[test]
    fn only_the_set_without_players_is_empty() {
        assert!(PlayerSet::EMPTY.is_empty());
        assert!(!set(&[63]).is_empty());
        assert!(set(&[63]).without(Player::new(63)).is_empty());
        assert!(PlayerSet::only(Player::new(64)).is_empty(), "no game has such a seat");
    }

    #[test]
    fn the_error_of_an_unreadable_position_says_that_the_game_did_not_write_it() {
        assert_eq!(UnreadablePosition.to_string(), "the saved position was not written by this game");
    }
}
