//! The randomness beacon of the built hall, with relays on this machine.

use hall_outbound::fixtures::quicknet;
use hall_tests::relay::{Honesty, Relay};
use hall_tests::{Game, Hall, Settings, Value, eventually, hall, json};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Settings of a hall whose games of the next seconds are bound to the recorded rounds: the first of them is due in
/// three seconds. The signatures of a chain do not cover its genesis time.
fn settings(relay: &str) -> Settings {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let genesis = now + 3 - 3 * (quicknet::IN_A_ROW[0].0 - 1);
    Settings::default().set(&format!("beacon.relays={relay}")).set(&format!("beacon.genesis={genesis}"))
}

fn status(game: &Game, hall: &Hall) -> String {
    game.record(hall)["beacon"]["status"].as_str().unwrap().to_owned()
}

fn ready(hall: &Hall) -> Value {
    hall.get("/readyz").json()["beacon"].clone()
}

/// Plays illegal moves until the hall forces a move, and returns the last refusal.
fn force(game: &Game, hall: &Hall, turn: u64) -> Value {
    for _ in 0..2 {
        assert_eq!(game.try_move(hall, turn, "a1a1").status, 422);
    }
    let third = game.try_move(hall, turn, "a1a1");
    assert_eq!(third.verdict(), "422 illegal_move");
    third.detail()
}

#[test]
fn a_forced_move_is_drawn_with_the_games_round_and_a_stranger_verifies_it() {
    let hall = Hall::with(settings(&Relay::start(Honesty::Honest).url));
    let game = Game::new(&hall, "round");
    let beacon = game.record(&hall)["beacon"].clone();
    assert_eq!(
        (beacon["chain_hash"].as_str(), beacon["status"].as_str()),
        (Some(quicknet::HASH), Some("waiting"))
    );
    eventually("the round", Duration::from_secs(30), || (status(&game, &hall) == "verified").then_some(()));
    assert_eq!(ready(&hall), "verified");
    let events = game.events(&hall);
    let told = events.iter().find(|event| event["event"]["type"] == "beacon").unwrap();
    assert_eq!(told["event"]["data"]["round"], beacon["round"]);
    assert_eq!(force(&game, &hall, 0)["applied"]["forced"], "illegal_moves");
    assert_eq!(game.act(&hall, 1, 1, json!({ "resign": true })).status, 200);
    let replay = hall.get(&game.path("replay"));
    let of_game = replay.data()["replay"]["beacon"].clone();
    assert_eq!(
        (&of_game["status"], &of_game["randomness"]),
        (&json!("verified"), &told["event"]["data"]["randomness"])
    );
    let folder = hall::folder();
    let file = folder.path().join("replay.json");
    std::fs::write(&file, replay.text()).unwrap();
    // Quicknet's key, with the genesis time that this hall uses.
    let official = hall.get("/api/official").data()["official"]["beacon"].clone();
    let text = |name: &str| official[name].as_str().unwrap().to_owned();
    let (hash, key) = (text("chain_hash"), text("public_key"));
    let chain = format!("{hash}:{key}:{}:{}", official["genesis"], official["period"]);
    let output =
        Command::new(hall::binary()).arg("verify").arg(&file).arg("--chain").arg(chain).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_forged_round_is_never_used_and_the_missing_beacon_is_docketed_once() {
    let hall = Hall::with(settings(&Relay::start(Honesty::Forging).url).set("games.chess.move_seconds=600"));
    let (one, two) = (Game::new(&hall, "one"), Game::new(&hall, "two"));
    for game in [&one, &two] {
        assert_eq!(force(game, &hall, 0)["applied"]["forced"], "illegal_moves");
        assert_eq!(status(game, &hall), "missed");
        assert_eq!(game.record(&hall)["strikes"]["p0"], 1);
    }
    assert_eq!(ready(&hall), "missed");
    let docket = hall.get("/api/docket").data()["docket"].clone();
    let told = docket.as_array().unwrap().iter().filter(|entry| entry["kind"] == "beacon").count();
    assert_eq!(told, 1);
}
