//! The fields of every payload.

use super::super::*;
use super::world::{World, official};
use hall_core::desk::LeaderboardFilter;
use hall_core::rooms::Room;
use hall_core::{Choice, Rejection, RoomRejection};
use hall_wire::json::Value;
use hall_wire::key::PrivateKey;
use hall_wire::{Digest, Player};
use serde_json::json;

#[test]
fn a_game_record_has_exactly_the_specified_fields() {
    let world = World::played();
    let record = serde_json::to_value(GameRecord::of(&world.room(), &HouseAgents::default())).unwrap();
    let expected = [
        "beacon",
        "commitment",
        "deadline_utc",
        "division",
        "ended_at",
        "game",
        "id",
        "replay",
        "result",
        "ruleset_version",
        "season_id",
        "seats",
        "started_at",
        "status",
        "strikes",
        "to_move",
        "turn_index",
        "variant",
    ];
    assert_eq!(names(&record), expected);
    assert_eq!(
        names(&record["seats"][0]),
        ["agent_id", "handle", "homologation_id", "player", "pubkey_ed25519"]
    );
    assert_eq!(names(&record["beacon"]), ["chain_hash", "round", "status"]);
    assert_eq!(record["strikes"], json!({ "p0": 0, "p1": 1 }));
    assert_eq!(record["result"], json!({ "winners": ["p1"], "draw": false, "reason": "resignation" }));
    assert_eq!(record["replay"], format!("/api/games/{}/replay", world.game()));
}

#[test]
fn the_outline_of_an_ended_game_has_the_same_record() {
    let room = World::played().room();
    let outline = Room::from_outline(room.outline(), &hall_games::CATALOG);
    assert!(outline.turns().is_empty() && !room.turns().is_empty());
    let record = |room: &Room| serde_json::to_value(GameRecord::of(room, &HouseAgents::default())).unwrap();
    assert_eq!(record(&outline), record(&room));
}

#[test]
fn a_live_game_has_neither_result_nor_replay() {
    let record =
        serde_json::to_value(GameRecord::of(&World::started().room(), &HouseAgents::default())).unwrap();
    for absent in ["result", "replay", "ended_at"] {
        assert_eq!(record[absent], Value::Null, "{absent} is written as null");
    }
    assert_eq!((&record["status"], &record["to_move"]), (&json!("live"), &json!(["p0"])));
}

#[test]
fn a_view_has_exactly_the_specified_fields() {
    let world = World::played();
    let view =
        serde_json::to_value(View::of(&world.room(), Player::new(1), world.history(Player::new(1)))).unwrap();
    let expected = [
        "board_text",
        "boundary",
        "deadline_utc",
        "game_id",
        "history",
        "legal_moves",
        "phase",
        "private",
        "public",
        "result",
        "rules_card",
        "season_id",
        "state_string",
        "to_move",
        "turn_index",
        "you",
    ];
    assert_eq!(names(&view), expected);
    assert_eq!(view["you"], json!({ "player": "p1", "seat": 1 }));
    assert_eq!(view["private"], json!({}));
    let of_public = ["check", "clocks_ms", "draw_offer", "fen", "illegal_attempts", "last_move", "strikes"];
    assert_eq!(names(&view["public"]), of_public);
    let of_turn = ["at", "commentary", "forced", "move", "notation", "player", "san", "turn_index"];
    for turn in view["history"].as_array().unwrap() {
        assert_eq!(names(turn), of_turn);
    }
    assert_eq!(view["history"][0]["commentary"], "mark of p0 at 0");
    assert_eq!(view["history"][1]["forced"], "illegal_moves");
    let resigned = view["history"].as_array().unwrap().last().unwrap();
    assert_eq!((&resigned["notation"], &resigned["player"]), (&Value::Null, &json!("p0")));
}

#[test]
fn legal_moves_are_complete_and_numbered_from_zero() {
    let room = World::started().room();
    let data = LegalMovesData::of(&room, Player::new(0));
    let indices: Vec<u32> = data.legal_moves.iter().map(|entry| entry.index).collect();
    assert_eq!(indices, (0..20).collect::<Vec<_>>());
    let first = serde_json::to_value(&data.legal_moves[0]).unwrap();
    assert_eq!(first, json!({ "index": 0, "move": "a2a3", "notation": "a2a3", "summary": "pawn a2 to a3" }));
    assert!(LegalMovesData::of(&room, Player::new(1)).legal_moves.is_empty(), "it is not the turn of p1");
}

#[test]
fn an_event_holds_the_words_in_the_place_of_their_hash() {
    let world = World::played();
    let events: Vec<Value> = world
        .facts
        .iter()
        .filter_map(EventElement::of)
        .map(|event| serde_json::to_value(event).unwrap())
        .collect();
    let sequence: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(sequence, (1..=u64::try_from(events.len()).unwrap()).collect::<Vec<_>>());
    let moved = events.iter().find(|event| event["event"]["type"] == "move").unwrap();
    assert_eq!(names(moved), ["created_at", "event", "seq"]);
    let data = &moved["event"]["data"];
    assert_eq!(data["commentary"], "mark of p0 at 0");
    assert_eq!(data.get("commentary_sha256"), None);
    let expected = [
        "at",
        "body_sha256",
        "clocks_ms",
        "commentary",
        "deadline_utc",
        "forced",
        "notation",
        "player",
        "san",
        "state_hash",
        "to_move",
        "turn_index",
    ];
    assert_eq!(names(data), expected);
}

#[test]
fn a_replay_has_one_entry_for_each_turn_with_the_attempts_before_it() {
    let world = World::played();
    let replay =
        serde_json::to_value(ReplayRecord::of(&world.room(), &world.facts, "https://hall.example", None))
            .unwrap();
    let expected = [
        "beacon",
        "commitment",
        "division",
        "events",
        "game",
        "game_id",
        "hidden",
        "log",
        "moves",
        "pgn",
        "result",
        "ruleset_version",
        "season_id",
        "seats",
        "seed",
        "variant",
        "version",
    ];
    assert_eq!(names(&replay), expected);
    let moves = replay["moves"].as_array().unwrap();
    let indices: Vec<u64> = moves.iter().map(|entry| entry["turn_index"].as_u64().unwrap()).collect();
    assert_eq!(indices, [0, 1, 2]);
    let of_move = [
        "at",
        "attempts",
        "body",
        "body_sha256",
        "clocks_ms",
        "deadline_utc",
        "draws",
        "forced",
        "notation",
        "player",
        "signature",
        "started_at",
        "state_hash",
        "turn_index",
    ];
    assert_eq!(names(&moves[0]), of_move);
    let body = moves[0]["body"].as_str().unwrap();
    assert_eq!(moves[0]["body_sha256"], Digest::of(body.as_bytes()).to_hex());
    assert_eq!((&moves[1]["forced"], &moves[1]["body"]), (&json!("illegal_moves"), &Value::Null));
    let attempts = moves[1]["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 3);
    assert_eq!(
        names(&attempts[0]),
        ["at", "auth_signature", "body", "challenge", "request_sha256", "signature"]
    );
    let draw = &moves[1]["draws"][0];
    assert_eq!(names(draw), ["counter", "n", "value", "x"]);
    assert_eq!(draw["x"].as_str().unwrap().len(), 16);
    assert_eq!(replay["seed"].as_str().unwrap().len(), 64);
    assert!(replay["pgn"].as_str().unwrap().contains("[White \"mark-"), "the PGN names the players");
}

#[test]
fn a_refusal_restates_the_legal_moves_from_the_second_illegal_move_on() {
    let mut world = World::started();
    let report = |world: &mut World| match world.submit(Player::new(0), Some(Choice::Index(99)), false, None)
    {
        Err(Rejection::Room(RoomRejection::IllegalMove(report))) => {
            serde_json::to_value(RoomReport::from(*report)).unwrap()
        }
        other => panic!("{other:?}"),
    };
    let always = [
        "game_id",
        "illegal_attempts",
        "last_move",
        "rejected_by",
        "result",
        "strikes",
        "to_move",
        "turn_index",
        "your_last",
    ];
    let first = report(&mut world);
    assert_eq!(names(&first), always);
    assert_eq!((&first["rejected_by"], &first["illegal_attempts"]), (&json!("ROOM_REJECTED"), &json!(1)));
    let second = report(&mut world);
    assert_eq!(second["legal_moves"].as_array().unwrap().len(), 20);
    assert_eq!(second.get("applied"), None);
    let third = report(&mut world);
    assert_eq!(third["applied"]["forced"], "illegal_moves");
    assert_eq!((&third["turn_index"], &third["illegal_attempts"]), (&json!(1), &json!(0)));
}

#[test]
fn ratings_are_numbers_with_the_decimals_that_are_kept() {
    let world = World::played();
    let filter = LeaderboardFilter::default();
    let rows: Vec<Value> = world
        .hall
        .desk()
        .leaderboard(&filter, None)
        .map(|row| {
            serde_json::to_value(LeaderboardRow::of(world.hall.desk(), &row, &HouseAgents::default()))
                .unwrap()
        })
        .collect();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        for (field, decimals) in [("rating", 2), ("rd", 2), ("volatility", 9)] {
            let written = row[field].to_string();
            let behind = written.split_once('.').map_or(0, |(_, behind)| behind.len());
            assert!(behind <= decimals, "{field} is written as {written}");
        }
    }
    assert_eq!((&rows[0]["rank"], &rows[0]["wins"], &rows[0]["losses"]), (&json!(1), &json!(1), &json!(0)));
    assert_eq!((&rows[1]["rank"], &rows[1]["strikes"]), (&json!(2), &json!(0)));
}

#[test]
fn the_profile_has_the_record_of_the_standing_entries() {
    let world = World::played();
    let profile = serde_json::to_value(world.profile()).unwrap();
    assert_eq!(names(&profile), ["agent", "homologations", "ratings", "record"]);
    assert_eq!(profile["record"], json!({ "wins": 0, "losses": 1, "draws": 0 }));
    assert_eq!(profile["agent"]["status"], "active");
    let fields = &profile["homologations"][0]["fields"];
    assert_eq!(fields["endpoint_url_sha256"], Digest::of(b"https://mark.example/").to_hex());
    assert_eq!(fields.get("endpoint_url"), None, "the address itself is not published");
}

#[test]
fn the_official_document_verifies_and_any_change_breaks_it() {
    let key = PrivateKey::from_seed(&[7; 32]);
    let OfficialData { official } = official(&key);
    let signature = official.signature.unwrap();
    let message = |official: &Official| hall_wire::message::official(&official.digest());
    assert!(key.public().verifies(message(&official).as_bytes(), &signature));
    let moved = Official { base_url: "https://other.example".to_owned(), ..official };
    assert!(!key.public().verifies(message(&moved).as_bytes(), &signature));
}

/// The names of an object's members, sorted.
fn names(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}
