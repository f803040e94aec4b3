//! The rules that a replay's game was played by, as the catalog of `hall-games` has them: public, and compared there
//! with what other people's programs say of the same games.
//!
//! Nothing here names a game: one that the catalog gains is checked as soon as it is there.

use super::document::Replay;
use hall_games::{CATALOG, Game, GameRecord, PlayerCount, Position, STANDARD};
use hall_wire::json::Value;
use hall_wire::{Notation, Player};

/// The rules of one replay.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    game: &'static dyn Game,
}

impl Rules {
    /// The rules of this id and version; `None` if the catalog has none such.
    pub(super) fn of(replay: &Replay<'_>) -> Option<Self> {
        CATALOG.find_version(replay.game, replay.ruleset).map(|game| Self { game })
    }

    /// The beginning of the game.
    ///
    /// A variant that does not exist and a wrong number of seats fail as such; what else is wrong is found on the standard
    /// game.
    pub(super) fn open(self, replay: &Replay<'_>) -> Option<Box<dyn Position>> {
        let seats = u8::try_from(replay.seats.len()).unwrap_or(u8::MAX);
        let opened = self.game.open(variant(replay), seats);
        opened.or_else(|_| self.game.open(STANDARD, self.game.describe().players.min)).ok()
    }

    /// How many play the variant of the replay.
    pub(super) fn players(self, replay: &Replay<'_>) -> PlayerCount {
        let described = self.game.describe();
        described.players_of(variant(replay)).unwrap_or(described.players)
    }

    /// Whether several who are to move share one turn.
    pub(super) fn shares_turns(self) -> bool {
        self.game.describe().simultaneous
    }

    /// Whether nature acts in the game.
    pub(super) fn has_chance(self) -> bool {
        self.game.describe().randomness != "none"
    }

    /// Whether the others play on when a player leaves this table, and places are counted at it.
    pub(super) fn plays_on(self, replay: &Replay<'_>) -> bool {
        replay.seats.len() > 2 && self.game.plays_on()
    }

    /// The game as PGN without the tags that its hall adds; `None` for games without that form, and if the moves are not
    /// a legal game.
    pub(super) fn pgn(self, replay: &Replay<'_>) -> Option<String> {
        let applied =
            |turn: &super::document::Turn<'_>| turn.player.zip(turn.notation.and_then(Notation::parse));
        let moves: Vec<(Player, Notation)> = replay.moves.iter().filter_map(applied).collect();
        let acts = replay.chance.iter().flatten();
        let chance: Vec<(usize, String)> = acts
            .map(|act| {
                let before = replay.moves.iter().filter(|turn| turn.turn_index < act.turn_index);
                (before.filter_map(applied).count(), act.outcome.to_owned())
            })
            .collect();
        let variant = variant(replay);
        let record = GameRecord { variant, chance: &chance, ..GameRecord::of(&moves, &replay.result) };
        self.game.record("pgn", &record)
    }

    /// Whether the game can be written as PGN.
    pub(super) fn has_pgn(self) -> bool {
        self.game.describe().record_formats.contains(&"pgn")
    }
}

fn variant<'v>(replay: &Replay<'v>) -> &'v str {
    replay.value.get("variant").and_then(Value::as_str).unwrap_or_default()
}
