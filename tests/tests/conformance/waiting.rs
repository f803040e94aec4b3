//! Pulse and own games: whose turn it is, and answers held until the agent's turn.

use hall_tests::{Draft, Game, Hall, Reply, Value, json};
use std::time::{Duration, Instant};

#[test]
fn the_pulse_has_its_fields_and_names_turns_only_to_their_owner() {
    let hall = Hall::start();
    let game = Game::new(&hall, "pulse");
    let public = hall.get("/api/pulse").data();
    crate::has_exactly(
        &public,
        "live_games ended_games lobby_waiting lobbies log_size docket_size season_id time_utc waiting_on_you recently_ended waiting_tag",
    );
    assert_eq!(public["live_games"], 1);
    assert_eq!(public["ended_games"], 0);
    assert_eq!(public["waiting_on_you"], json!([]));
    assert_eq!((&public["recently_ended"], &public["waiting_tag"]), (&json!([]), &Value::Null));
    assert!(public["log_size"].as_u64().is_some_and(|size| size > 0));
    let own = hall.ask(game.white(), "/api/pulse").data();
    assert_eq!(own["waiting_on_you"].as_array().unwrap().len(), 1);
    crate::has_exactly(&own["waiting_on_you"][0], "game_id turn_index deadline_utc");
    assert!(own["waiting_tag"].is_string());
    assert!(hall.waiting_on(game.black()).is_empty());
    assert_eq!(game.act(&hall, 0, 0, json!({ "resign": true })).status, 200);
    let public = hall.get("/api/pulse").data();
    assert_eq!((&public["live_games"], &public["ended_games"]), (&json!(0), &json!(1)));
}

#[test]
fn a_pulse_with_bad_headers_is_an_error() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let good = hall.draft(&ada, "GET", "/api/pulse", None);
    for name in ["X-Svc-Agent", "X-Svc-Challenge", "X-Svc-Signature"] {
        assert_eq!(hall.send(&good.request().without(name)).verdict(), "401 AUTH_MISSING", "{name}");
    }
    let mut forged = good.clone();
    forged.signed_method = "POST".to_owned();
    assert_eq!(hall.send(&forged.request()).verdict(), "401 SIG_INVALID");
    assert_eq!(hall.send(&good.request()).status, 200);
    assert_eq!(hall.send(&good.request()).verdict(), "401 CHALLENGE_SPENT");
}

#[test]
fn a_wait_ends_when_a_turn_comes() {
    let hall = Hall::start();
    let game = Game::new(&hall, "turn");
    for target in ["/api/pulse?wait=25", "/api/my/games?wait=25"] {
        let turn = game.record(&hall)["turn_index"].as_u64().unwrap();
        let (mover, waiter) = (Game::seat_of(turn), 1 - Game::seat_of(turn));
        let (reply, took) = held(&hall, &game, waiter, target, || {
            let index = json!({ "move": { "index": 0 } });
            assert_eq!(game.act(&hall, mover, turn, index).status, 200);
        });
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(took < Duration::from_secs(10), "{target} was held for {took:?}");
        let data = reply.data();
        let waits = data["waiting_on_you"].as_array().map_or_else(
            || data["games"][0]["your_turn"] == true,
            |turns| turns.len() == 1 && turns[0]["turn_index"] == turn + 1,
        );
        assert!(waits, "{target}: {data}");
    }
}

#[test]
fn a_wait_is_answered_at_once_if_a_turn_is_already_waiting() {
    let hall = Hall::start();
    let game = Game::new(&hall, "once");
    for target in ["/api/pulse?wait=25", "/api/my/games?wait=25", "/api/pulse?wait=25&after=unknown-tag"] {
        let begun = Instant::now();
        assert_eq!(hall.ask(game.white(), target).status, 200, "{target}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{target}");
    }
}

#[test]
fn a_wait_that_times_out_returns_the_current_state() {
    let hall = Hall::start();
    let game = Game::new(&hall, "out");
    let begun = Instant::now();
    let data = hall.ask(game.black(), "/api/pulse?wait=1").data();
    assert!(begun.elapsed() >= Duration::from_millis(900), "{:?}", begun.elapsed());
    assert_eq!(data["waiting_on_you"], json!([]));
    let begun = Instant::now();
    assert_eq!(hall.ask(game.black(), "/api/pulse?wait=0").status, 200);
    assert!(begun.elapsed() < Duration::from_millis(900));
    let tag = hall.ask(game.white(), "/api/pulse").data()["waiting_tag"].as_str().unwrap().to_owned();
    let begun = Instant::now();
    let data = hall.ask(game.white(), &format!("/api/pulse?wait=1&after={tag}")).data();
    assert!(begun.elapsed() >= Duration::from_millis(900), "the same turns wait as before");
    assert_eq!(data["waiting_tag"], tag.as_str());
}

#[test]
fn a_wait_after_a_tag_ends_when_the_waiting_turns_change() {
    let hall = Hall::start();
    let game = Game::new(&hall, "tag");
    let tag = hall.ask(game.white(), "/api/my/games").data()["waiting_tag"].as_str().unwrap().to_owned();
    let target = format!("/api/pulse?wait=25&after={tag}");
    let (reply, took) =
        held(&hall, &game, 0, &target, || game.play(&hall, 0, "e2e4").as_object().map_or((), |_| ()));
    assert!(took < Duration::from_secs(10), "{took:?}");
    let data = reply.data();
    assert_eq!(data["waiting_on_you"], json!([]), "its turn is over");
    assert_ne!(data["waiting_tag"], tag.as_str());
}

#[test]
fn a_wait_ends_with_the_result_when_the_opponent_ends_the_game() {
    let hall = Hall::start();
    let result = json!({ "winners": ["p1"], "draw": false, "reason": "resignation" });
    for (name, path) in [("pulse", "/api/pulse"), ("own", "/api/my/games")] {
        for with_tag in [true, false] {
            let game = Game::new(&hall, &format!("{name}-{with_tag}"));
            let before = hall.ask(game.black(), path).data();
            assert_eq!(before["recently_ended"], json!([]));
            let tag = before["waiting_tag"].as_str().unwrap().to_owned();
            let after = if with_tag { format!("&after={tag}") } else { String::new() };
            let draft = hall.draft(game.black(), "GET", &format!("{path}?wait=25{after}"), None);
            let mut wire = hall.connect();
            wire.send(&draft.request().bytes());
            await_arrival(&hall, &draft);
            let ended = Instant::now();
            assert_eq!(game.act(&hall, 0, 0, json!({ "resign": true })).status, 200);
            let data = wire.read("GET").unwrap().data();
            assert!(
                ended.elapsed() < Duration::from_secs(5),
                "{path} with tag {with_tag}: {:?}",
                ended.elapsed()
            );
            let listed = &data["recently_ended"];
            assert_eq!(listed.as_array().unwrap().len(), 1);
            crate::has_exactly(&listed[0], "game_id result ended_at");
            assert_eq!((&listed[0]["game_id"], &listed[0]["result"]), (&json!(game.id), &result));
            assert_eq!(listed[0]["ended_at"], game.record(&hall)["ended_at"]);
            assert_ne!(data["waiting_tag"], tag.as_str());
            assert_eq!(hall.ask(game.white(), path).data()["recently_ended"], *listed, "for both players");
        }
    }
}

#[test]
fn an_earlier_end_does_not_end_a_wait_and_its_tag_survives_a_restart() {
    let hall = Hall::start();
    let game = Game::new(&hall, "old");
    assert_eq!(game.act(&hall, 0, 0, json!({ "resign": true })).status, 200);
    let before = hall.ask(game.black(), "/api/pulse").data();
    let tag = before["waiting_tag"].as_str().unwrap();
    for target in ["/api/pulse?wait=1".to_owned(), format!("/api/my/games?wait=1&after={tag}")] {
        let begun = Instant::now();
        assert_eq!(hall.ask(game.black(), &target).data()["waiting_tag"], tag);
        assert!(begun.elapsed() >= Duration::from_millis(900), "{target}: {:?}", begun.elapsed());
    }
    let hall = hall.kill_and_restart();
    let after = hall.ask(game.black(), "/api/pulse").data();
    assert_eq!((&after["waiting_tag"], &after["recently_ended"]), (&json!(tag), &before["recently_ended"]));
}

#[test]
fn a_stop_answers_waiting_requests() {
    let hall = Hall::start();
    let game = Game::new(&hall, "stop");
    let mut wire = hall.connect();
    let draft = hall.draft(game.black(), "GET", "/api/pulse?wait=25", None);
    wire.send(&draft.request().bytes());
    await_arrival(&hall, &draft);
    let begun = Instant::now();
    let (_folder, status) = hall.stop();
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let reply = wire.read("GET").unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.data()["waiting_on_you"], json!([]));
}

/// Waits until the hall has received a request that was sent. A bad signature does not spend the challenge.
fn await_arrival(hall: &Hall, draft: &Draft) {
    let forged = draft.request().without("X-Svc-Signature").with("X-Svc-Signature", &"0".repeat(128));
    while hall.send(&forged).verdict() != "401 CHALLENGE_SPENT" {}
}

/// Sends a request that is held, runs `act` meanwhile, and returns the reply and its duration.
fn held(hall: &Hall, game: &Game, seat: usize, target: &str, act: impl FnOnce()) -> (Reply, Duration) {
    let mut wire = hall.connect();
    let draft = hall.draft(&game.players[seat], "GET", target, None);
    let begun = Instant::now();
    wire.send(&draft.request().bytes());
    act();
    (wire.read("GET").unwrap(), begun.elapsed())
}
