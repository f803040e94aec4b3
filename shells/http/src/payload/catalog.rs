//! What is played here: the catalog, the rules cards and the guides.

use super::house_agents::HouseAgents;
use super::schema::{Components, Schema, payload};
use hall_core::rooms::Room;
use hall_core::{Division, HallSettings, Word};
use hall_games::{Catalog, Description, Game, Variant};
use hall_wire::Span;
use hall_wire::json::Value;
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

payload! {
    /// How many play a game.
    pub PlayerCount as "PlayerCount" {
        /// The fewest.
        min: u8,
        /// The most.
        max: u8,
    }

    /// A variant of a game besides `standard`.
    pub VariantData as "Variant" {
        /// Its key, as lobbies name it.
        id: &'static str,
        /// What is different in it.
        summary: &'static str,
        /// How many play it.
        players: PlayerCount,
    }

    /// A game on offer.
    pub CatalogGame as "CatalogGame" {
        /// Its id, as lobbies name it.
        id: &'static str,
        /// Its name.
        name: &'static str,
        /// How many play its variant `standard`. A table is formed as soon as `min` agents wait.
        players: PlayerCount,
        /// `perfect` or `hidden`.
        information: &'static str,
        /// `none`, or what is random.
        randomness: &'static str,
        /// Its variants besides `standard`.
        variants: Vec<VariantData>,
        /// Whether players that are to move at the same time share a turn, in which every action is sealed until all
        /// have acted.
        simultaneous: bool,
        /// What one point is; null in games without points.
        points: Option<&'static str>,
        /// The formats of an ended game's record, the default first.
        record_formats: Vec<&'static str>,
        /// What the hall does at a missed deadline.
        default_action: &'static str,
        /// The divisions that it is played in.
        divisions: Vec<Division>,
        /// Time for one move. The deadline that counts is deadline_utc.
        move_ms: u64,
        /// Time for all moves of one side; null for no such clock.
        side_ms: Option<u64>,
        /// How moves are written.
        notation: &'static str,
        /// The version of the rules.
        ruleset_version: &'static str,
        /// What is to know about how the agents of the hall itself play it; left out if there is nothing.
        house_agents_note [skip_serializing_if = "Option::is_none"]: Option<String>,
    }

    /// The games on offer.
    pub CatalogData as "CatalogData" {
        /// The games.
        games: Vec<CatalogGame>,
        /// How many agents the hall itself runs, to join a lobby in which an agent waits; left out if there are none.
        house_agents [skip_serializing_if = "crate::payload::house_agents::is_none"]: u64,
    }

    /// The rules of one game.
    pub RulesData as "RulesData" {
        /// Its id.
        game: &'static str,
        /// The version of the rules.
        ruleset_version: &'static str,
        /// How moves are written.
        notation: &'static str,
        /// Time for one move. The deadline that counts is deadline_utc.
        move_ms: u64,
        /// Time for all moves of one side; null for no such clock.
        side_ms: Option<u64>,
        /// What must be known to play.
        rules_card: Fixed,
        /// The whole guide: grammar, phases, traps, examples.
        how_to_play: Fixed,
    }

    /// How to play one game.
    pub GuideData as "GuideData" {
        /// Its id.
        game: &'static str,
        /// Time for one move. The deadline that counts is deadline_utc.
        move_ms: u64,
        /// Time for all moves of one side; null for no such clock.
        side_ms: Option<u64>,
        /// Move grammar with examples, phases, traps, and a game played by the engine that runs the games.
        how_to_play: Fixed,
    }
}

/// JSON that is made and written once: it is a good part of every view.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Fixed(pub &'static RawValue);

impl Schema for Fixed {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "object" })
    }
}

/// What is told of a game by one version of its rules.
#[derive(Debug)]
struct Manual {
    rules_card: Box<RawValue>,
    how_to_play: Box<RawValue>,
}

/// The manual of a game, made once for each version of its rules in the life of the process: the guide plays its
/// examples. There are as many as this release has versions.
fn manual_of(game: &dyn Game) -> &'static Manual {
    static MANUALS: Mutex<BTreeMap<&'static str, &'static Manual>> = Mutex::new(BTreeMap::new());
    let mut manuals = MANUALS.lock().unwrap_or_else(PoisonError::into_inner);
    manuals.entry(game.describe().ruleset_version).or_insert_with(|| {
        Box::leak(Box::new(Manual {
            rules_card: written(&game.rules_card()),
            how_to_play: written(&game.how_to()),
        }))
    })
}

/// JSON that is written already.
fn written(value: &Value) -> Box<RawValue> {
    // A value has only strings as keys, so it can be written.
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

impl Fixed {
    /// The rules card of a game in play; null for a game without rules in this release.
    #[must_use]
    pub fn card(room: &Room) -> Self {
        Self(room.rules().map_or(RawValue::NULL, |game| &manual_of(game).rules_card))
    }
}

impl GuideData {
    /// The guide to a game, with the clocks of `settings`.
    #[must_use]
    pub fn of(game: &dyn Game, settings: &HallSettings) -> Self {
        let described = game.describe();
        let (move_ms, side_ms) = clocks_of(&described, settings);
        Self { game: described.id, move_ms, side_ms, how_to_play: Fixed(&manual_of(game).how_to_play) }
    }
}

impl RulesData {
    /// The rules of a game, with the clocks of `settings`.
    #[must_use]
    pub fn of(game: &dyn Game, settings: &HallSettings) -> Self {
        let described = game.describe();
        let (move_ms, side_ms) = clocks_of(&described, settings);
        let manual = manual_of(game);
        Self {
            game: described.id,
            ruleset_version: described.ruleset_version,
            notation: described.notation,
            move_ms,
            side_ms,
            rules_card: Fixed(&manual.rules_card),
            how_to_play: Fixed(&manual.how_to_play),
        }
    }
}

/// The milliseconds that a hall with these settings gives for one move of a game, and for all moves of one side.
fn clocks_of(described: &Description, settings: &HallSettings) -> (u64, Option<u64>) {
    let timing = Word::parse(described.id).and_then(|id| settings.timing.get(&id).copied());
    let side_by_default = Some(described.side_time).filter(|time| time.as_millis() > 0);
    let move_time = timing.map_or(described.move_time, |timing| timing.move_time);
    let side_time = timing.map_or(side_by_default, |timing| timing.side_time);
    (move_time.as_millis(), side_time.map(Span::as_millis))
}

impl From<hall_games::PlayerCount> for PlayerCount {
    fn from(count: hall_games::PlayerCount) -> Self {
        Self { min: count.min, max: count.max }
    }
}

impl From<Variant> for VariantData {
    fn from(variant: Variant) -> Self {
        Self { id: variant.id, summary: variant.summary, players: variant.players.into() }
    }
}

impl CatalogData {
    /// The games of `catalog` with the clocks of `settings`, and the `house_agents`.
    #[must_use]
    pub fn of(catalog: &Catalog, settings: &HallSettings, house_agents: &HouseAgents) -> Self {
        let games = catalog.iter().map(|game| {
            let described = game.describe();
            let (move_ms, side_ms) = clocks_of(&described, settings);
            CatalogGame {
                id: described.id,
                name: described.name,
                players: described.players.into(),
                information: described.information,
                randomness: described.randomness,
                variants: described.variants.iter().copied().map(VariantData::from).collect(),
                simultaneous: described.simultaneous,
                points: described.points.map(|points| points.unit),
                record_formats: described.record_formats.iter().copied().chain(["json"]).collect(),
                default_action: described.default_action,
                divisions: Division::ALL.to_vec(),
                move_ms,
                side_ms,
                notation: described.notation,
                ruleset_version: described.ruleset_version,
                house_agents_note: house_agents.note(described.id),
            }
        });
        Self { games: games.collect(), house_agents: u64::try_from(house_agents.count()).unwrap_or(u64::MAX) }
    }
}
