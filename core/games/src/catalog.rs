//! What a hall says of its games, and the rule book that holds them.

use crate::game::Game;
use hall_wire::Span;
use serde::Serialize;

/// How a game counts the points of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Points {
    /// What one of them is, in words.
    pub unit: &'static str,
    /// Whether two of them are what players call one point: results hold whole numbers only.
    pub are_halves: bool,
}

impl Points {
    pub(crate) const fn whole(unit: &'static str) -> Self {
        Self { unit, are_halves: false }
    }

    pub(crate) const fn halves(unit: &'static str) -> Self {
        Self { unit, are_halves: true }
    }
}

/// What the catalog says of a game.
#[derive(Clone, Debug)]
pub struct Description {
    /// The game id, as `chess`.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The seats of the variant `standard`.
    pub players: PlayerCount,
    /// `perfect` or `hidden`.
    pub information: &'static str,
    /// `none` or what is random.
    pub randomness: &'static str,
    /// The variants besides `standard`.
    pub variants: &'static [Variant],
    /// Whether several players to move share one turn, in which what each does is sealed until all have acted. Nature then
    /// acts before the first of them: a room waits for the beacon there, because a wait within a shared turn would stop the
    /// play of the others and not their clocks.
    pub simultaneous: bool,
    /// How points are counted; `None` in games without points.
    pub points: Option<Points>,
    /// The formats of the field in which [`Game::record`] writes the game, the default first; `json`, which every game
    /// has, is not among them.
    pub record_formats: &'static [&'static str],
    /// What the hall does at a missed deadline, in one sentence.
    pub default_action: &'static str,
    /// What the players are called, by seat (chess: White, Black); empty in games that have no names for them.
    pub player_names: &'static [&'static str],
    /// How moves are written, in one sentence.
    pub notation: &'static str,
    /// The version of the rules, as `chess/1`, which is counted from 1 and goes up whenever a rule changes.
    pub ruleset_version: &'static str,
    /// Time for one move, unless the hall's operator sets another one.
    pub move_time: Span,
    /// Time for all moves of one side; zero for no such clock.
    pub side_time: Span,
}

/// How many play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerCount {
    /// The fewest seats: a table is formed as soon as so many wait.
    pub min: u8,
    /// The most seats.
    pub max: u8,
}

impl PlayerCount {
    /// Always so many.
    #[must_use]
    pub const fn exactly(seats: u8) -> Self {
        Self { min: seats, max: seats }
    }
}

/// A variant of a game besides `standard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Variant {
    /// Its key.
    pub id: &'static str,
    /// What is different, in one sentence.
    pub summary: &'static str,
    /// How many play.
    pub players: PlayerCount,
}

/// The key of the variant that every game has.
pub const STANDARD: &str = "standard";

impl Description {
    /// The seats of a variant; `None` if there is no such variant.
    #[must_use]
    pub fn players_of(&self, variant: &str) -> Option<PlayerCount> {
        if variant == STANDARD {
            return Some(self.players);
        }
        self.variants.iter().find(|known| known.id == variant).map(|known| known.players)
    }

    /// Whether these are the first rules that the game had.
    #[must_use]
    pub fn is_by_first_rules(&self) -> bool {
        self.ruleset_version.strip_prefix(self.id) == Some("/1")
    }

    /// The keys of all variants, `standard` first.
    pub fn variant_ids(&self) -> impl Iterator<Item = &'static str> + use<> {
        [STANDARD].into_iter().chain(self.variants.iter().map(|variant| variant.id))
    }
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
    pub fn versions(&self) -> impl Iterator<Item = &'static dyn Game> {
        self.0.iter().copied()
    }
}
