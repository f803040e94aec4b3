//! Every payload against its own schema.

use super::super::schema::{Components, Schema};
use super::super::*;
use super::world::{World, official};
use hall_core::desk::LeaderboardFilter;
use hall_games::CATALOG;
use hall_wire::Player;
use hall_wire::json::Value;
use hall_wire::key::PrivateKey;
use serde::Serialize;

#[test]
fn every_payload_fits_its_own_schema() {
    fn check<T: Schema + Serialize>(name: &str, value: &T) {
        let mut components = Components::new();
        let wanted = T::schema(&mut components);
        let written = serde_json::to_value(value).unwrap();
        if let Err(problem) = fits(&wanted, &written, &components) {
            panic!("{name}: {problem}");
        }
    }
    let world = World::played();
    let room = world.room();
    let player = Player::new(0);
    check("game", &GameData { game: GameRecord::of(&room, &HouseAgents::default()) });
    check("my game", &MyGame::of(&room, player, &HouseAgents::default()));
    check("view", &ViewData { view: View::of(&room, player, world.history(player)) });
    check(
        "replay",
        &ReplayData { replay: ReplayRecord::of(&room, &world.facts, "https://hall.example", None) },
    );
    check("profile", &world.profile());
    check("pulse", &PulseData::of(&world.hall, world.now));
    check("legal moves", &LegalMovesData::of(&World::started().room(), player));
    check(
        "live view",
        &ViewData { view: View::of(&World::started().room(), player, World::started().history(player)) },
    );
    check("official", &official(&PrivateKey::from_seed(&[7; 32])));
    check("rules", &RulesData::of(&hall_games::CHESS, world.hall.settings().unwrap()));
    check("catalog", &CatalogData::of(&CATALOG, world.hall.settings().unwrap(), &HouseAgents::default()));
    for fact in &world.facts {
        if let Some(event) = EventElement::of(fact) {
            check("event", &event);
        }
    }
    for row in world.hall.desk().leaderboard(&LeaderboardFilter::default(), None) {
        check("row", &LeaderboardRow::of(world.hall.desk(), &row, &HouseAgents::default()));
    }
}

/// Checks `value` against the keywords that payload schemas use.
fn fits(schema: &Value, value: &Value, components: &Components) -> Result<(), String> {
    shape_fits(schema, value, components, true)
}

/// `closed`: members that the schema does not describe are a problem; parts of a whole know only their own.
fn shape_fits(schema: &Value, value: &Value, components: &Components, closed: bool) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/components/schemas/").unwrap();
        return shape_fits(&components[name], value, components, closed)
            .map_err(|problem| format!("{name}: {problem}"));
    }
    if let Some(shapes) = schema["oneOf"].as_array() {
        let fitting = shapes.iter().filter(|shape| fits(shape, value, components).is_ok()).count();
        return if fitting == 1 { Ok(()) } else { Err(format!("{fitting} shapes fit {value}")) };
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        shape_fits(part, value, components, false)?;
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().map(|kind| kind.as_str().unwrap()).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_a(kind, value)) {
        return Err(format!("{value} is none of {kinds:?}"));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{value} is none of {words:?}"));
    }
    if let Some(members) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten() {
            if !members.contains_key(name.as_str().unwrap()) {
                return Err(format!("{name} is missing"));
            }
        }
        if let Some(properties) = schema["properties"].as_object() {
            for (name, member) in members {
                let known = properties.get(name);
                if known.is_none() && closed {
                    return Err(format!("{name} is not described"));
                }
                if let Some(known) = known {
                    fits(known, member, components).map_err(|problem| format!("{name}: {problem}"))?;
                }
            }
        }
    }
    for item in value.as_array().into_iter().flatten() {
        fits(&schema["items"], item, components)?;
    }
    Ok(())
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the schemas use no type {other}"),
    }
}
