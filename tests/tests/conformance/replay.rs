//! The record, the replay and the PGN of a game: a stranger can verify it with these alone.

use hall_tests::{Game, Hall, Value, json};
use hall_wire::roll::Seed;
use hall_wire::{Digest, GameId, Signature};

#[test]
fn a_live_game_has_a_record_but_no_replay() {
    let hall = Hall::start();
    let game = Game::new(&hall, "live");
    let record = game.record(&hall);
    crate::has_exactly(
        &record,
        "id game variant division season_id status seats ruleset_version commitment beacon turn_index to_move \
         deadline_utc strikes started_at ended_at result replay",
    );
    for (field, value) in [
        ("id", json!(game.id)),
        ("game", json!("chess")),
        ("variant", json!("standard")),
        ("division", json!("open")),
        ("season_id", json!("s1")),
        ("status", json!("live")),
        ("ruleset_version", json!("chess/1")),
        ("beacon", json!({ "chain_hash": null, "round": null, "status": "off" })),
        ("turn_index", json!(0)),
        ("to_move", json!(["p0"])),
        ("strikes", json!({ "p0": 0, "p1": 0 })),
        ("ended_at", Value::Null),
        ("result", Value::Null),
        ("replay", Value::Null),
    ] {
        assert_eq!(record[field], value, "{field}");
    }
    let seats = record["seats"].as_array().unwrap();
    assert_eq!(seats.len(), 2);
    for (number, seat) in seats.iter().enumerate() {
        crate::has_exactly(seat, "player agent_id handle pubkey_ed25519 homologation_id");
        assert_eq!(seat["player"], format!("p{number}"));
        assert_eq!(seat["agent_id"], game.players[number].id());
        assert_eq!(seat["pubkey_ed25519"], game.players[number].key.public().to_string());
    }
    assert!(game.id.starts_with("g_") && game.id.len() == 28);
    for what in ["replay", "pgn"] {
        assert_eq!(hall.get(&game.path(what)).verdict(), "409 REPLAY_NOT_READY");
    }
}

#[test]
fn every_turn_can_be_verified_from_the_replay_alone() {
    let hall = Hall::start();
    let game = Game::new(&hall, "proof");
    game.play(&hall, 0, "f2f3 e7e5");
    assert_eq!(game.try_move(&hall, 2, "e1e8").status, 422);
    assert_eq!(game.act(&hall, 0, 2, json!({ "move": "g2g4", "commentary": "quill oh no" })).status, 200);
    let by_index = game.view(&hall, 1)["legal_moves"]
        .as_array()
        .unwrap()
        .iter()
        .position(|entry| entry["notation"] == "d8h4");
    let last = game.act(&hall, 1, 3, json!({ "move": { "index": by_index } })).data()["verdict"].clone();
    let reply = hall.get(&game.path("replay"));
    let saved_as = format!("attachment; filename=\"{}.json\"", game.id);
    assert_eq!(reply.header("Content-Disposition"), Some(saved_as.as_str()), "it is downloaded as one file");
    let replay = reply.data()["replay"].clone();
    crate::has_exactly(
        &replay,
        "version game_id game variant division season_id ruleset_version seats commitment seed beacon events moves \
         hidden result pgn log",
    );
    assert_eq!(replay["version"], "svc.replay.v1");
    // A checkpoint may have covered the game already.
    assert!(replay["log"].is_null() || replay["log"].is_object());
    crate::has_exactly(&replay["beacon"], "chain_hash round status randomness signature");
    let id = GameId::parse(&game.id).unwrap();
    let seed = Seed::parse(replay["seed"].as_str().unwrap()).unwrap();
    assert_eq!(replay["commitment"], seed.commitment(&id).to_hex());
    assert_eq!(*replay["events"].as_array().unwrap(), game.events(&hall));
    let moves = replay["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 4);
    for (number, turn) in moves.iter().enumerate() {
        crate::has_exactly(
            turn,
            "turn_index player started_at deadline_utc at notation forced body signature body_sha256 state_hash \
             clocks_ms draws attempts",
        );
        assert_eq!(turn["turn_index"], number);
        check_body(&game, number, turn);
        assert_eq!(turn["attempts"].as_array().unwrap().len(), usize::from(number == 2));
    }
    assert_eq!(moves[3]["state_hash"], last["state_hash"]);
    assert_eq!(moves[3]["notation"], "d8h4");
    let labels = reply.json()["metadata"]["untrusted_fields"].clone();
    for label in [
        "data.replay.seats[].handle",
        "data.replay.pgn",
        "data.replay.moves[].body",
        "data.replay.moves[].attempts[].body",
        "data.replay.events[].event.data.commentary",
        "data.replay.events[].event.data.seats[].handle",
    ] {
        assert!(labels.as_array().unwrap().contains(&json!(label)), "{label} is not in {labels}");
    }
}

#[test]
fn the_pgn_contains_the_game() {
    let hall = Hall::start();
    let game = Game::new(&hall, "pgn");
    game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    let reply = hall.get(&game.path("pgn"));
    assert_eq!(reply.status, 200);
    assert!(reply.header("Content-Type").unwrap().starts_with("application/x-chess-pgn"));
    let pgn = reply.text();
    for tag in ["Event", "Site", "Date", "Round", "White", "Black", "Result"] {
        assert_eq!(pgn.matches(&format!("[{tag} \"")).count(), 1, "{tag}: {pgn}");
    }
    assert!(pgn.contains(&format!("[White \"{}\"]", game.white().handle)), "{pgn}");
    assert!(pgn.contains("[Result \"0-1\"]"), "{pgn}");
    let bare = hall.get(&game.path("replay")).data()["replay"]["pgn"].as_str().unwrap().to_owned();
    let text: Vec<&str> = bare.split("\n\n").nth(1).unwrap().split_whitespace().collect();
    assert_eq!(text, ["1.", "f3", "e5", "2.", "g4", "Qh4#", "0-1"], "{bare}");
    // The served form has the clock after each move, and every tag of the bare form.
    let moves = pgn.split("\n\n").nth(1).unwrap();
    assert_eq!(moves.matches("{[%clk 0:").count(), 4, "{moves}");
    let plain: Vec<&str> = moves.split(['{', '}']).step_by(2).flat_map(str::split_whitespace).collect();
    assert_eq!(plain, ["1.", "f3", "1...", "e5", "2.", "g4", "2...", "Qh4#", "0-1"], "{pgn}");
    let tags = bare.split("\n\n").next().unwrap();
    assert!(tags.lines().all(|tag| pgn.contains(tag)), "{pgn}");
}

#[test]
fn record_replay_events_and_views_agree_after_a_restart() {
    let hall = Hall::start();
    let ended = Game::new(&hall, "ended");
    ended.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    let live = Game::new(&hall, "alive");
    live.play(&hall, 0, "e2e4 e7e5");
    let _ = ended.complete_replay(&hall);
    let paths =
        [ended.path(""), ended.path("events"), ended.path("replay"), ended.path("pgn"), live.path("events")];
    let before: Vec<String> = paths.iter().map(|path| hall.get(path).text()).collect();
    let view = ended.view(&hall, 0);
    let hall = hall.restart();
    for (path, before) in paths[..4].iter().zip(&before) {
        assert_eq!(hall.get(path).text(), *before, "{path}");
    }
    assert_eq!(ended.view(&hall, 0), view);
    let events = live.events(&hall);
    let old: Value = before[4].parse().unwrap();
    let old = old["data"]["events"].as_array().unwrap();
    assert_eq!(&events[..old.len()], old, "what was seen stays");
    live.play(&hall, 2, "g1f3 b8c6");
}

/// The signed body has its hash, names the played move, and its signature verifies.
fn check_body(game: &Game, number: usize, turn: &Value) {
    let body = turn["body"].as_str().unwrap();
    let digest = Digest::of(body.as_bytes());
    assert_eq!(turn["body_sha256"], digest.to_hex());
    let read: Value = body.parse().unwrap();
    assert_eq!(hall_wire::json::canonical(&read), body);
    assert_eq!(read["game_id"], game.id);
    assert_eq!(read["turn_index"], number);
    assert!(read["move"] == turn["notation"] || read["move"]["index"].is_u64());
    let signature = Signature::parse(turn["signature"].as_str().unwrap()).unwrap();
    let message = format!("svc.move.v1:{}:{number}:{digest}", game.id);
    assert!(game.players[number % 2].key.public().verifies(message.as_bytes(), &signature));
}
