//! The game that is played in this run, and its rules where this program has them.

use super::site::{Site, list_at, text_at};
use hall_client::wire::json::Value;
use hall_client::wire::{Notation, Player};
use hall_games::{CATALOG, Game as Rules, NoChance, Position};
use serde_json::json;

/// The player who moves first.
pub(super) const FIRST: Player = Player::new(0);
/// The one who answers.
const SECOND: Player = Player::new(1);

/// A game of the hall's catalog.
#[derive(Clone, Debug)]
pub(super) struct ChosenGame {
    pub(super) id: String,
    /// What the hall is compared with; `None` for a game or version that this program does not know.
    pub(super) rules: Option<&'static dyn Rules>,
    /// What the hall's catalog says of it, null if it does not list the game.
    entry: Value,
}

impl ChosenGame {
    /// The game called `wanted`, otherwise the first for two players in the hall's catalog. A hall that lists none is
    /// asked for the first game that this program knows: its claims then fail one by one.
    ///
    /// # Errors
    /// A text for people: the catalog has games, but not the one that is wanted.
    pub(super) async fn of(site: &Site, wanted: Option<&str>) -> Result<Self, String> {
        let listed = match site.get("/api/catalog").await.and_then(|reply| reply.data()) {
            Ok(data) => list_at(&data, "games").unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        let is_meant = |game: &&Value| match wanted {
            Some(wanted) => game.get("id").and_then(Value::as_str) == Some(wanted),
            None => game.pointer("/players/min") == Some(&json!(2)),
        };
        let found = listed.iter().find(is_meant).cloned();
        if let (None, Some(wanted), false) = (&found, wanted, listed.is_empty()) {
            let ids: Vec<&str> = listed.iter().filter_map(|game| game.get("id")?.as_str()).collect();
            return Err(format!("the hall has no game {wanted:?}; it has {}", ids.join(", ")));
        }
        let entry = found.unwrap_or_default();
        let known = CATALOG.iter().next().map(|game| game.describe().id);
        let id = wanted.or(known).unwrap_or_default().to_owned();
        let id = text_at(&entry, "id").unwrap_or(id);
        let version = text_at(&entry, "ruleset_version").unwrap_or_default();
        Ok(Self { rules: CATALOG.find_version(&id, &version), id, entry })
    }

    /// The lobby in which the two meet.
    pub(super) fn lobby(&self) -> Value {
        json!({ "game": self.id, "variant": "standard", "division": "open" })
    }

    /// Whether the players act at once, in turns that they share.
    pub(super) fn shares_turns(&self) -> bool {
        self.rules.map_or_else(
            || self.entry.get("simultaneous") == Some(&Value::Bool(true)),
            |rules| rules.describe().simultaneous,
        )
    }

    /// The beginning of the game by the rules, where nature does not decide it.
    pub(super) fn opening(&self) -> Option<Box<dyn Position>> {
        let opening = self.rules?.open("standard", 2).ok();
        opening.filter(|position| !position.awaits_nature() && !self.shares_turns())
    }

    /// The position after the first move, by the rules.
    pub(super) fn after(&self, notation: &str) -> Option<Box<dyn Position>> {
        let mut position = self.opening()?;
        position.play(FIRST, &Notation::parse(notation)?, &mut NoChance).ok()?;
        Some(position)
    }

    /// Another spelling of a legal move that the rules do not play but understand, and that move.
    pub(super) fn other_spelling(&self, position: &dyn Position) -> Option<(Notation, Notation)> {
        position.notations(SECOND).into_iter().find_map(|legal| {
            let written = position.clone_box().play(SECOND, &legal, &mut NoChance).ok()?.san?;
            (written != legal && position.did_you_mean(SECOND, &written) == Some(legal))
                .then_some((written, legal))
        })
    }

    /// Whether an ended game is expected to have a PGN.
    pub(super) fn has_pgn(&self) -> bool {
        self.rules.map_or_else(
            || list_at(&self.entry, "record_formats").is_ok_and(|formats| formats.contains(&json!("pgn"))),
            |rules| rules.describe().record_formats.contains(&"pgn"),
        )
    }
}
