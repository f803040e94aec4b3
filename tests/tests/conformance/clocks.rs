//! Deadlines, default actions and the clock of a side, with times short enough to wait for.

use hall_tests::{Game, Hall, Settings, Value, eventually, json};
use std::time::Duration;

/// Longer than any wait below can take.
const TIMEOUT: Duration = Duration::from_secs(30);

#[test]
fn a_chess_turn_lasts_one_minute_and_the_hall_states_its_deadline() {
    let hall = Hall::start();
    let game = Game::new(&hall, "minute");
    let record = game.record(&hall);
    let deadline = crate::millis(&record["deadline_utc"]);
    assert_eq!(deadline - crate::millis(&record["started_at"]), 60_000);
    let waiting = hall.waiting_on(game.white());
    assert_eq!(
        waiting,
        [json!({ "game_id": game.id, "turn_index": 0, "deadline_utc": record["deadline_utc"] })]
    );
    game.play(&hall, 0, "e2e4");
    let event = game.events(&hall).pop().unwrap()["event"].clone();
    let granted = crate::millis(&event["data"]["deadline_utc"]) - crate::millis(&event["data"]["at"]);
    assert!(
        (60_000..=61_000).contains(&granted),
        "a minute from when the turn before was resolved: {granted}"
    );
    let started = &game.events(&hall)[0]["event"]["data"].clone();
    assert_eq!(started["move_ms"], 60_000);
    assert_eq!(started["side_ms"], 2_400_000);
}

#[test]
fn missed_deadlines_bring_default_moves_strikes_and_a_forfeit() {
    let hall = Hall::with(Settings::default().set("games.chess.move_seconds=1"));
    let game = Game::new(&hall, "missed");
    let record = eventually("both players are absent until one forfeits", TIMEOUT, || {
        let record = game.record(&hall);
        (record["status"] == "ended").then_some(record)
    });
    // White misses turns 0, 2 and 4; the third strike ends the game without a move.
    assert_eq!(record["result"], json!({ "winners": ["p1"], "draw": false, "reason": "strikes" }));
    assert_eq!(record["strikes"], json!({ "p0": 3, "p1": 2 }));
    assert_eq!(record["turn_index"], 5);
    let replay = hall.get(&game.path("replay")).data()["replay"].clone();
    let turns = replay["moves"].as_array().unwrap();
    assert_eq!(turns.len(), 5);
    for (number, turn) in turns.iter().enumerate() {
        assert_eq!(turn["forced"], "deadline");
        assert_eq!(turn["player"], ["p0", "p1"][number % 2]);
        assert_eq!(turn["notation"].is_null(), number == 4);
        let deadline = crate::millis(&turn["deadline_utc"]);
        assert_eq!(deadline - crate::millis(&turn["started_at"]), 1_000);
        let late = crate::millis(&turn["at"]) - deadline;
        assert!((0..=3_000).contains(&late), "resolved {late} ms after its deadline");
    }
    let strikes: Vec<Value> = game
        .events(&hall)
        .iter()
        .filter(|event| event["event"]["type"] == "strike")
        .map(|event| event["event"]["data"].clone())
        .collect();
    assert_eq!(strikes.len(), 5);
    assert_eq!(strikes[0], json!({ "turn_index": 0, "player": "p0", "cause": "deadline", "count": 1 }));
    assert_eq!(strikes[4], json!({ "turn_index": 4, "player": "p0", "cause": "deadline", "count": 3 }));
}

#[test]
fn a_move_after_a_deadline_meets_the_turn_that_the_default_action_opened() {
    let hall = Hall::with(Settings::default().set("games.chess.move_seconds=1"));
    let game = Game::new(&hall, "late");
    eventually("white misses the first deadline", TIMEOUT, || {
        (game.record(&hall)["turn_index"] != 0).then_some(())
    });
    let late = game.try_move(&hall, 0, "e2e4");
    assert!(["409 wrong_turn", "409 GAME_NOT_LIVE"].contains(&late.verdict().as_str()), "{}", late.verdict());
    let last = &late.detail()["your_last"];
    assert_eq!(last["forced"], "deadline");
    assert_eq!(last["body_sha256"], Value::Null, "so white knows that its own body was not taken");
}

#[test]
fn a_side_loses_when_its_clock_runs_out() {
    let hall = Hall::with(Settings::default().set("games.chess.side_seconds=2"));
    let game = Game::new(&hall, "flag");
    let record = game.record(&hall);
    assert_eq!(
        crate::millis(&record["deadline_utc"]) - crate::millis(&record["started_at"]),
        2_000,
        "the earlier one"
    );
    game.play(&hall, 0, "e2e4 e7e5");
    let clocks = game.view(&hall, 0)["public"]["clocks_ms"].clone();
    for player in ["p0", "p1"] {
        assert!((0..=2_000).contains(&clocks[player].as_i64().unwrap()), "{clocks}");
    }
    let record = eventually("white's clock runs out", TIMEOUT, || {
        let record = game.record(&hall);
        (record["status"] == "ended").then_some(record)
    });
    assert_eq!(record["result"], json!({ "winners": ["p1"], "draw": false, "reason": "clock" }));
    let last = game.view(&hall, 1)["history"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["notation"], Value::Null);
}

#[test]
fn no_clocks_are_shown_without_a_side_clock() {
    let hall = Hall::with(Settings::default().set("games.chess.side_seconds=0"));
    let game = Game::new(&hall, "free");
    assert_eq!(game.view(&hall, 0)["public"]["clocks_ms"], Value::Null);
    game.play(&hall, 0, "e2e4");
    let events = game.events(&hall);
    assert_eq!(events[0]["event"]["data"]["side_ms"], Value::Null);
    assert_eq!(events[1]["event"]["data"]["clocks_ms"], Value::Null);
    let chess = hall.get("/api/catalog").data()["games"][0].clone();
    assert_eq!(chess["side_ms"], Value::Null);
}

#[test]
fn time_is_charged_to_the_side_that_used_it() {
    let hall = Hall::start();
    let game = Game::new(&hall, "charge");
    game.play(&hall, 0, "e2e4");
    let started = crate::millis(&game.record(&hall)["started_at"]);
    let event = game.events(&hall)[1]["event"]["data"].clone();
    let used = crate::millis(&event["at"]) - started;
    assert_eq!(event["clocks_ms"]["p0"].as_i64().unwrap(), 2_400_000 - used);
    assert_eq!(event["clocks_ms"]["p1"].as_i64().unwrap(), 2_400_000);
}
