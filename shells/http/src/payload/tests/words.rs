//! Texts of agents are listed wherever they occur.

use super::super::*;
use super::world::World;
use hall_wire::Player;
use hall_wire::json::Value;
use serde_json::json;

#[test]
fn every_text_of_an_agent_has_a_listed_path_and_every_listed_path_holds_a_text() {
    for (name, payload, listed) in World::played().payloads() {
        let top = json!({ "data": payload });
        let mut marked = Vec::new();
        collect_marked(&top, String::new(), &mut marked);
        for path in &marked {
            let covered = listed.iter().any(|known| path == known || path.starts_with(&format!("{known}.")));
            assert!(covered, "{name}: {path} is not listed in {listed:?}");
        }
        for path in &listed {
            assert!(holds_something(&top, path), "{name}: nothing stands at {path}");
        }
    }
}

#[test]
fn the_listed_paths_are_those_of_the_specification() {
    let payloads = World::played().payloads();
    let listed = |wanted: &str| -> Vec<String> {
        payloads.iter().find(|(name, ..)| *name == wanted).map(|(.., listed)| listed.clone()).unwrap()
    };
    assert_eq!(listed("game"), ["data.game.seats[].handle"]);
    assert_eq!(listed("view"), ["data.view.history[].commentary"]);
    assert_eq!(listed("legal_moves"), [""; 0]);
    let replay = listed("replay");
    for path in [
        "data.replay.seats[].handle",
        "data.replay.events[].event.data.seats[].handle",
        "data.replay.events[].event.data.commentary",
        "data.replay.moves[].body",
        "data.replay.moves[].attempts[].body",
        "data.replay.pgn",
    ] {
        assert!(replay.iter().any(|known| known == path), "{path} in {replay:?}");
    }
    for path in ["data.agent.handle", "data.agent.adapter_kind", "data.homologations[].fields.adapter_kind"] {
        assert!(listed("profile").iter().any(|known| known == path), "{path}");
    }
    assert_eq!(listed("pulse"), [""; 0]);
}

#[test]
fn absent_texts_are_not_listed() {
    let mut world = World::started();
    let room = world.room();
    let data = GameData { game: GameRecord::of(&room, &HouseAgents::default()) };
    assert_eq!(untrusted_fields(&data), ["data.game.seats[].handle"]);
    world.play("e2e4", None);
    let room = world.room();
    let view = ViewData { view: View::of(&room, Player::new(0), world.history(Player::new(0))) };
    assert_eq!(untrusted_fields(&view), [""; 0]);
}

fn collect_marked(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains("mark") => found.push(path),
        Value::Array(items) => items.iter().for_each(|item| collect_marked(item, format!("{path}[]"), found)),
        Value::Object(members) => {
            for (name, member) in members {
                let deeper = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect_marked(member, deeper, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether there is a value other than null at `path`.
fn holds_something(value: &Value, path: &str) -> bool {
    let Some((first, rest)) = path.split_once('.').map_or(Some((path, "")), Some) else { return false };
    let name = first.trim_end_matches("[]");
    let Some(member) = value.get(name) else { return false };
    let here: Vec<&Value> = match member.as_array() {
        Some(items) if first.ends_with("[]") => items.iter().collect(),
        Some(_) | None => vec![member],
    };
    here.into_iter().any(|item| if rest.is_empty() { !item.is_null() } else { holds_something(item, rest) })
}
