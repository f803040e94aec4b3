//! The view, legal moves and accepted moves of a chess game.

use hall_tests::{Game, Hall, Value, json};
use hall_wire::Digest;

const FIRST_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn the_opening_view_shows_everything_an_agent_needs() {
    let hall = Hall::start();
    let game = Game::new(&hall, "view");
    let view = game.view(&hall, 0);
    crate::has_exactly(
        &view,
        "game_id you to_move turn_index phase deadline_utc board_text state_string public private legal_moves \
         history rules_card boundary result season_id",
    );
    assert_eq!(view["game_id"], game.id);
    assert_eq!(view["you"], json!({ "player": "p0", "seat": 0 }));
    assert_eq!(view["to_move"], json!(["p0"]));
    assert_eq!(view["turn_index"], 0);
    assert_eq!(view["phase"], "playing");
    assert_eq!(view["state_string"], FIRST_FEN);
    assert_eq!(view["private"], json!({}));
    assert_eq!(view["history"], json!([]));
    assert_eq!(view["result"], Value::Null);
    assert_eq!(view["season_id"], "s1");
    crate::is_time(&view["deadline_utc"]);
    let reply = hall.ask(game.white(), &game.path("view")).json();
    assert_eq!(view["boundary"], reply["metadata"]["boundary"]);
    let public = &view["public"];
    crate::has_exactly(public, "fen check last_move draw_offer strikes illegal_attempts clocks_ms");
    assert_eq!(public["fen"], FIRST_FEN);
    assert_eq!(public["check"], false);
    assert_eq!(public["last_move"], Value::Null);
    assert_eq!(public["draw_offer"], Value::Null);
    assert_eq!(public["strikes"], json!({ "p0": 0, "p1": 0 }));
    assert_eq!(public["illegal_attempts"], 0);
    for player in ["p0", "p1"] {
        let left = public["clocks_ms"][player].as_i64().unwrap();
        assert!((2_390_000..=2_400_000).contains(&left), "40 minutes a side: {left}");
    }
    let black = game.view(&hall, 1);
    assert_eq!(black["you"], json!({ "player": "p1", "seat": 1 }));
    assert_eq!(black["to_move"], json!(["p0"]));
    assert_eq!(black["legal_moves"], json!([]));
}

#[test]
fn the_opening_has_twenty_moves_sorted_and_numbered() {
    let hall = Hall::start();
    let game = Game::new(&hall, "twenty");
    let view = game.view(&hall, 0);
    let legal = view["legal_moves"].as_array().unwrap();
    assert_eq!(legal.len(), 20);
    let mut sorted: Vec<&str> = legal.iter().map(|entry| entry["notation"].as_str().unwrap()).collect();
    assert!(sorted.is_sorted());
    sorted.dedup();
    assert_eq!(sorted.len(), 20);
    assert!(sorted.contains(&"e2e4") && sorted.contains(&"g1f3"));
    for (index, entry) in legal.iter().enumerate() {
        crate::has_exactly(entry, "index move notation summary");
        assert_eq!(entry["index"], index);
        assert_eq!(entry["move"], entry["notation"]);
        assert!(entry["summary"].as_str().is_some_and(|summary| !summary.is_empty()));
    }
    let only = hall.ask(game.white(), &game.path("legal_moves")).data();
    assert_eq!(only, json!({ "game_id": game.id, "turn_index": 0, "legal_moves": legal }));
    let of_black = hall.ask(game.black(), &game.path("legal_moves")).data();
    assert_eq!(of_black, json!({ "game_id": game.id, "turn_index": 0, "legal_moves": [] }));
}

#[test]
fn the_board_text_has_the_lines_of_the_specification() {
    let hall = Hall::start();
    let game = Game::new(&hall, "board");
    game.play(&hall, 0, "e2e4");
    let view = game.view(&hall, 1);
    let text = view["board_text"].as_str().unwrap();
    let rows: Vec<&str> =
        text.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(rows.len(), 8, "{text}");
    assert!(rows[0].contains('8') && rows[7].contains('1'), "White is below: {text}");
    for row in &rows {
        let ends = [row.trim().chars().next().unwrap(), row.trim().chars().last().unwrap()];
        assert_eq!(ends[0], ends[1], "rank numbers on both sides: {row}");
    }
    assert!(text.contains("e2e4") && text.contains("p1"), "{text}");
    assert!(text.lines().next().unwrap().split_whitespace().eq("a b c d e f g h".split(' ')), "{text}");
    let of_white = game.view(&hall, 0)["board_text"].as_str().unwrap().to_owned();
    assert_eq!(of_white.lines().filter(|line| rows.contains(line)).count(), 8, "White below for both");
}

#[test]
fn every_opening_move_is_accepted_by_notation_and_by_index() {
    let hall = Hall::with(
        hall_tests::Settings::default().set("limits.concurrent_games=0").set("limits.joins_per_day=0"),
    );
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    for index in 0..20 {
        let game = Game::of(&hall, &ada, &bob);
        let legal = game.view(&hall, 0)["legal_moves"].clone();
        let notation = legal[index]["notation"].clone();
        let by = if index % 2 == 0 { json!({ "index": index }) } else { notation.clone() };
        let reply = game.act(&hall, 0, 0, json!({ "move": by }));
        assert_eq!(reply.status, 200, "{}", reply.text());
        let verdict = reply.data()["verdict"].clone();
        crate::has_exactly(&verdict, "accepted turn_index notation state_hash game_over result");
        assert_eq!(verdict["accepted"], true);
        assert_eq!(verdict["turn_index"], 0);
        assert_eq!(verdict["notation"], notation);
        assert_eq!(verdict["game_over"], false);
        assert_eq!(verdict["result"], Value::Null);
        let fen = game.view(&hall, 1)["state_string"].as_str().unwrap().to_owned();
        let state = Digest::of(format!("svc.state.v1:{}:1:{fen}", game.id).as_bytes());
        assert_eq!(verdict["state_hash"], state.to_hex());
    }
}

#[test]
fn a_move_passes_the_turn_and_becomes_public_with_its_commentary() {
    let hall = Hall::start();
    let game = Game::new(&hall, "pass");
    let commentary = "quill: opening with the king's pawn";
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e4", "commentary": commentary })).status, 200);
    let view = game.view(&hall, 1);
    assert_eq!(view["to_move"], json!(["p1"]));
    assert_eq!(view["turn_index"], 1);
    assert_eq!(view["legal_moves"].as_array().unwrap().len(), 20);
    let entry = &view["history"][0];
    crate::has_exactly(entry, "turn_index player move notation san commentary at forced");
    assert_eq!(entry["player"], "p0");
    assert_eq!(entry["notation"], "e2e4");
    assert_eq!(entry["san"], "e4");
    assert_eq!(entry["commentary"], commentary);
    assert_eq!(entry["forced"], Value::Null);
    crate::is_time(&entry["at"]);
    let last = &view["public"]["last_move"];
    crate::has_exactly(last, "turn_index player notation forced body_sha256");
    assert_eq!(last["notation"], "e2e4");
    assert_eq!(last["body_sha256"].as_str().map(str::len), Some(64));
    let record = game.record(&hall);
    assert_eq!(record["to_move"], json!(["p1"]));
    assert_eq!(record["turn_index"], 1);
    assert_eq!(record["deadline_utc"], view["deadline_utc"]);
}

#[test]
fn a_refused_move_publishes_no_commentary() {
    let hall = Hall::start();
    let game = Game::new(&hall, "quiet");
    let commentary = "quill secret plan";
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e5", "commentary": commentary })).status, 422);
    assert_eq!(game.act(&hall, 1, 0, json!({ "move": "e7e5", "commentary": commentary })).status, 409);
    game.play(&hall, 0, "e2e4");
    for text in [hall.get(&game.path("events")).text(), hall.ask(game.black(), &game.path("view")).text()] {
        assert!(!text.contains(commentary), "{text}");
    }
}

#[test]
fn a_stale_or_future_turn_is_refused_as_wrong_turn_with_what_happened() {
    let hall = Hall::start();
    let game = Game::new(&hall, "stale");
    let sent = game.body(0, 0, json!({ "move": "e2e4" }));
    assert_eq!(hall.post(game.white(), &game.path("moves"), &sent).status, 200);
    let mut unsigned = sent.clone();
    unsigned.as_object_mut().unwrap().remove("signature");
    let body_sha256 = Digest::of(hall_wire::json::canonical(&unsigned).as_bytes()).to_hex();
    let again = hall.post(game.white(), &game.path("moves"), &sent);
    assert_eq!(again.verdict(), "409 wrong_turn", "the same body under a fresh challenge");
    let turn = json!({ "turn_index": 0, "player": "p0", "notation": "e2e4", "forced": null, "body_sha256": body_sha256 });
    let expected = json!({
        "rejected_by": "ROOM_REJECTED", "game_id": game.id, "turn_index": 1, "to_move": ["p1"],
        "illegal_attempts": 0, "strikes": { "p0": 0, "p1": 0 }, "last_move": turn, "your_last": turn, "result": null,
    });
    assert_eq!(again.detail(), expected);
    for (seat, turn) in [(0, 1), (0, 2), (1, 0), (1, 2), (1, 4_000_000)] {
        let reply = game.act(&hall, seat, turn, json!({ "move": "e7e5" }));
        assert_eq!(reply.verdict(), "409 wrong_turn", "seat {seat}, turn {turn}");
    }
    let of_black = game.act(&hall, 1, 0, json!({ "resign": true }));
    assert_eq!(of_black.verdict(), "409 wrong_turn", "resigning in a stale turn included");
    assert_eq!(of_black.detail()["your_last"], Value::Null);
    assert_eq!(game.act(&hall, 0, 1, json!({ "resign": true })).verdict(), "409 wrong_turn", "not to move");
}

#[test]
fn castling_promotion_and_en_passant_are_written_as_moves_of_king_and_pawn() {
    let hall = Hall::start();
    let game = Game::new(&hall, "special");
    let verdict = game.play(
        &hall,
        0,
        "e2e4 a7a6 e4e5 d7d5 e5d6 g8f6 g1f3 g7g6 f1e2 f8g7 e1g1 e8g8 d6c7 a6a5 c7b8n a5a4 b8d7 a4a3 d7b8 a3b2 b8c6 b2a1q",
    );
    assert_eq!(verdict["accepted"], true);
    let history = game.view(&hall, 0)["history"].clone();
    let sans: Vec<&str> =
        history.as_array().unwrap().iter().map(|turn| turn["san"].as_str().unwrap()).collect();
    for (turn, san) in [(4, "exd6"), (10, "O-O"), (11, "O-O"), (14, "cxb8=N"), (21, "bxa1=Q")] {
        assert_eq!(sans[turn], san);
    }
}

#[test]
fn an_ended_game_keeps_its_view_and_takes_no_more_moves() {
    let hall = Hall::start();
    let game = Game::new(&hall, "mate");
    let verdict = game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    let result = json!({ "winners": ["p1"], "draw": false, "reason": "checkmate" });
    assert_eq!(verdict["game_over"], true);
    assert_eq!(verdict["result"], result);
    for seat in [0, 1] {
        let view = game.view(&hall, seat);
        assert_eq!(view["phase"], "ended");
        assert_eq!(view["result"], result);
        assert_eq!(view["to_move"], json!([]));
        assert_eq!(view["legal_moves"], json!([]));
        assert_eq!(view["deadline_utc"], Value::Null);
        assert_eq!(view["public"]["check"], true);
        assert_eq!(view["history"].as_array().unwrap().len(), 4);
        let late = game.act(&hall, seat, 4, json!({ "move": "a2a3" }));
        assert_eq!(late.verdict(), "409 GAME_NOT_LIVE");
        let detail = late.detail();
        crate::has_exactly(
            &detail,
            "rejected_by game_id turn_index to_move illegal_attempts strikes last_move your_last result",
        );
        assert_eq!(detail["rejected_by"], "ROOM_REJECTED");
        assert_eq!(detail["result"], result);
        assert_eq!(detail["last_move"]["notation"], "d8h4");
        assert_eq!(detail["your_last"]["notation"], ["g2g4", "d8h4"][seat]);
        assert!(hall.waiting_on(&game.players[seat]).is_empty());
    }
    let record = game.record(&hall);
    assert_eq!(record["status"], "ended");
    assert_eq!(record["result"], result);
    assert_eq!(record["replay"], game.path("replay"));
    assert_eq!(record["turn_index"], 4);
    assert_eq!(record["deadline_utc"], Value::Null);
    crate::is_time(&record["ended_at"]);
}

#[test]
fn automatic_ends_apply_on_the_ply_on_which_they_arise() {
    let hall = Hall::start();
    for (name, moves, reason) in [
        (
            "stale",
            "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6",
            "stalemate",
        ),
        ("thrice", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "threefold_repetition"),
    ] {
        let game = Game::new(&hall, name);
        let verdict = game.play(&hall, 0, moves);
        assert_eq!(verdict["result"], json!({ "winners": [], "draw": true, "reason": reason }));
    }
}
