//! Illegal moves: refused, refused with the list, replaced by a random move with a strike.

use hall_tests::{Game, Hall, Value, json};
use hall_wire::roll::{Rolls, Seed};
use hall_wire::{Digest, GameId};

#[test]
fn the_traps_of_chess_notation_are_illegal_moves() {
    let hall = Hall::start();
    let cases: [(&str, &str, &[&str]); 4] = [
        (
            "opening",
            "",
            &["e4", "Nf3", "E2E4", "e2-e4", "e2e4q", "e7e5", "e2e5", "e2 e4", "0000", "a1a1", "e2", "null"],
        ),
        ("castle", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", &["e1h1", "O-O", "0-0", "o-o", "e1f1q", "E1G1", "e1c1"]),
        (
            "promote",
            "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6",
            &["b7a8", "b7a8Q", "b7a8k", "b7a8p", "b7a8=q", "bxa8=Q", "b7b8q"],
        ),
        ("check", "e2e4 f7f6 d1h5", &["a7a6", "e8f7", "h7h6"]),
    ];
    for (name, moves, traps) in cases {
        for (number, pair) in traps.chunks(2).enumerate() {
            let game = Game::new(&hall, &format!("{name}-{number}"));
            game.play(&hall, 0, moves);
            let turn = u64::try_from(moves.split_whitespace().count()).unwrap();
            for (attempt, trap) in (1..).zip(pair) {
                let reply = game.try_move(&hall, turn, trap);
                assert_eq!(reply.verdict(), "422 illegal_move", "{trap} after {moves}");
                assert_eq!(reply.detail()["illegal_attempts"], attempt, "{trap}");
            }
        }
    }
}

#[test]
fn a_legal_move_in_another_spelling_is_suggested_but_still_counts_as_illegal() {
    let hall = Hall::start();
    let cases = [
        ("san", "", "Nf3", "g1f3"),
        ("upper", "", "E2E4", "e2e4"),
        ("rook", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", "e1h1", "e1g1"),
        ("letters", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", "O-O", "e1g1"),
        ("queen", "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6", "b7a8", "b7a8q"),
        ("check", "e2e4 f7f6 d2d4 g7g5", "Qh5#", "d1h5"),
        ("space", "", " e2e4", "e2e4"),
        ("line", "", "Nf3\n", "g1f3"),
    ];
    for (name, moves, written, meant) in cases {
        let game = Game::new(&hall, name);
        game.play(&hall, 0, moves);
        let turn = u64::try_from(moves.split_whitespace().count()).unwrap();
        let reply = game.try_move(&hall, turn, written);
        assert_eq!(reply.verdict(), "422 illegal_move", "{written}");
        let detail = reply.detail();
        assert_eq!(
            (&detail["did_you_mean"], &detail["illegal_attempts"]),
            (&json!(meant), &json!(1)),
            "{written}"
        );
        let message = reply.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(meant), "{message}");
        assert_eq!(game.try_move(&hall, turn, meant).status, 200, "{meant}");
    }
}

#[test]
fn an_index_outside_the_list_is_an_illegal_move() {
    let hall = Hall::start();
    for (name, index) in [("below", -1_i64), ("at-end", 20), ("far", 9_007_199_254_740_991)] {
        let game = Game::new(&hall, name);
        let reply = game.act(&hall, 0, 0, json!({ "move": { "index": index } }));
        assert_eq!(reply.verdict(), "422 illegal_move", "{index}");
        assert_eq!(reply.detail()["illegal_attempts"], 1, "{index}");
    }
}

#[test]
fn three_illegal_moves_in_a_turn_follow_the_three_steps() {
    let hall = Hall::start();
    let game = Game::new(&hall, "steps");
    let report = "rejected_by game_id turn_index to_move illegal_attempts strikes last_move your_last result";
    let first = game.try_move(&hall, 0, "e2e5");
    assert_eq!(first.verdict(), "422 illegal_move");
    let expected = json!({
        "rejected_by": "ROOM_REJECTED", "game_id": game.id, "turn_index": 0, "to_move": ["p0"],
        "illegal_attempts": 1, "strikes": { "p0": 0, "p1": 0 }, "last_move": null, "your_last": null, "result": null,
    });
    assert_eq!(first.detail(), expected);
    assert_eq!(game.view(&hall, 0)["public"]["illegal_attempts"], 1);
    assert_eq!(game.view(&hall, 0)["turn_index"], 0, "the turn is not consumed");
    let legal = game.view(&hall, 0)["legal_moves"].clone();
    let same = game.try_move(&hall, 0, "e2e5");
    assert_eq!(same.verdict(), "422 illegal_move", "the same move under a fresh challenge counts again");
    let mut expected = expected;
    expected["illegal_attempts"] = json!(2);
    expected["legal_moves"] = legal.clone();
    assert_eq!(same.detail(), expected);
    let third = game.try_move(&hall, 0, "e2e5");
    assert_eq!(third.verdict(), "422 illegal_move");
    assert!(third.message().contains("played a random legal move for you"), "{}", third.message());
    let detail = third.detail();
    crate::has_exactly(&detail, &format!("{report} legal_moves applied"));
    assert_eq!(detail["turn_index"], 1, "that of the turn that the forced move opened");
    assert_eq!(detail["illegal_attempts"], 0);
    assert_eq!(detail["to_move"], json!(["p1"]));
    assert_eq!(detail["strikes"], json!({ "p0": 1, "p1": 0 }));
    let applied = &detail["applied"];
    assert_eq!(applied["turn_index"], 0);
    assert_eq!(applied["player"], "p0");
    assert_eq!(applied["forced"], "illegal_moves");
    assert_eq!(applied["body_sha256"], Value::Null);
    assert_eq!(detail["last_move"], *applied);
    assert_eq!(detail["your_last"], *applied);
    let notations: Vec<&Value> = legal.as_array().unwrap().iter().map(|entry| &entry["notation"]).collect();
    assert!(notations.contains(&&applied["notation"]), "a legal move: {applied}");
    let black = game.view(&hall, 1);
    assert_eq!(black["to_move"], json!(["p1"]));
    assert_eq!(black["history"][0]["forced"], "illegal_moves");
    let kinds: Vec<Value> = game.events(&hall).iter().map(|event| event["event"]["type"].clone()).collect();
    assert_eq!(
        kinds,
        ["game_started", "illegal_attempt", "illegal_attempt", "illegal_attempt", "strike", "move"]
    );
}

#[test]
fn the_random_move_follows_from_the_revealed_seed() {
    let hall = Hall::start();
    let game = Game::new(&hall, "seeded");
    let mut expected = Vec::new();
    for turn in [0, 1] {
        let legal = game.view(&hall, Game::seat_of(turn))["legal_moves"].clone();
        for _ in 0..3 {
            assert_eq!(game.try_move(&hall, turn, "a1a1").status, 422);
        }
        expected.push((turn, legal));
    }
    assert_eq!(game.act(&hall, 0, 2, json!({ "resign": true })).status, 200);
    let replay = hall.get(&game.path("replay")).data()["replay"].clone();
    let seed = Seed::parse(replay["seed"].as_str().unwrap()).unwrap();
    let id = GameId::parse(&game.id).unwrap();
    assert_eq!(replay["commitment"], seed.commitment(&id).to_hex());
    for (turn, legal) in expected {
        let index = usize::try_from(turn).unwrap();
        let entry = &replay["moves"][index];
        let count = u64::try_from(legal.as_array().unwrap().len()).unwrap();
        let mut rolls = Rolls::new(id, u32::try_from(turn).unwrap(), &seed, "");
        let chosen = usize::try_from(rolls.below(count)).unwrap();
        assert_eq!(entry["notation"], legal[chosen]["notation"], "turn {turn}");
        assert_eq!(entry["forced"], "illegal_moves");
        assert_eq!(entry["body"], Value::Null);
        let last = entry["draws"].as_array().unwrap().last().unwrap();
        assert_eq!(last["value"], chosen);
        assert_eq!(last["n"], count);
        let attempts = entry["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 3);
        for attempt in attempts {
            check_attempt(&game, Game::seat_of(turn), turn, attempt);
        }
    }
}

#[test]
fn the_third_strike_forfeits_the_game_without_another_move() {
    let hall = Hall::start();
    let game = Game::new(&hall, "forfeit");
    let mut turn = 0;
    for strike in 1..=3 {
        for attempt in 1..=3 {
            let reply = game.act(&hall, 0, turn, json!({ "move": "a1a1" }));
            let detail = reply.detail();
            assert_eq!(reply.verdict(), "422 illegal_move", "{strike} {attempt}");
            if attempt == 3 {
                assert_eq!(detail["strikes"]["p0"], strike);
            }
            if (strike, attempt) == (3, 3) {
                assert_eq!(
                    detail["result"],
                    json!({ "winners": ["p1"], "draw": false, "reason": "strikes" })
                );
                assert_eq!(detail["to_move"], json!([]));
                assert_eq!(detail["applied"]["notation"], Value::Null, "no move is applied with the forfeit");
                assert!(reply.message().contains("ended the game"), "{}", reply.message());
            }
        }
        if strike < 3 {
            let legal = game.view(&hall, 1)["legal_moves"][0]["notation"].as_str().unwrap().to_owned();
            assert_eq!(game.act(&hall, 1, turn + 1, json!({ "move": legal })).status, 200);
        }
        turn += 2;
    }
    let record = game.record(&hall);
    assert_eq!(record["status"], "ended");
    assert_eq!(record["strikes"], json!({ "p0": 3, "p1": 0 }));
    let history = game.view(&hall, 1)["history"].clone();
    let last = history.as_array().unwrap().last().unwrap();
    assert_eq!(last["notation"], Value::Null);
    assert_eq!(last["forced"], "illegal_moves");
    assert_eq!(last["player"], "p0");
    assert_eq!(game.try_move(&hall, 5, "a1a1").verdict(), "409 GAME_NOT_LIVE");
}

#[test]
fn only_wellformed_doubly_signed_moves_of_the_turn_count() {
    let hall = Hall::start();
    let game = Game::new(&hall, "count");
    assert_eq!(game.try_move(&hall, 0, "e2e5").status, 422);
    let mut forged = game.body(0, 0, json!({ "move": "e2e5" }));
    forged["signature"] = "0".repeat(128).into();
    assert_eq!(hall.post(game.white(), &game.path("moves"), &forged).verdict(), "401 SIG_INVALID");
    assert_eq!(game.act(&hall, 0, 1, json!({ "move": "e2e5" })).verdict(), "409 wrong_turn");
    assert_eq!(game.act(&hall, 1, 0, json!({ "move": "e2e5" })).verdict(), "409 wrong_turn");
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": ["e2e5"] })).verdict(), "422 INVALID_BODY");
    assert_eq!(game.act(&hall, 0, 0, json!({ "draw_accept": true })).verdict(), "409 no_draw_offer");
    let spent = game.draft(&hall, 0, 0, json!({ "move": "e2e6" })).request();
    assert_eq!(hall.send(&spent).detail()["illegal_attempts"], 2);
    assert_eq!(hall.send(&spent).verdict(), "401 CHALLENGE_SPENT");
    assert_eq!(game.view(&hall, 0)["public"]["illegal_attempts"], 2);
    game.play(&hall, 0, "e2e4");
    assert_eq!(game.view(&hall, 1)["public"]["illegal_attempts"], 0, "each turn begins at none");
    assert_eq!(game.record(&hall)["strikes"], json!({ "p0": 0, "p1": 0 }));
}

/// An attempt is proof that it was sent: it has a body signature, and a header signature over its own challenge.
fn check_attempt(game: &Game, seat: usize, turn: u64, attempt: &Value) {
    crate::has_exactly(attempt, "at body signature challenge auth_signature request_sha256");
    let agent = &game.players[seat];
    let signed = |text: String, signature: &Value| {
        let signature = hall_wire::Signature::parse(signature.as_str().unwrap()).unwrap();
        assert!(agent.key.public().verifies(text.as_bytes(), &signature), "{text}");
    };
    let body = Digest::of(attempt["body"].as_str().unwrap().as_bytes());
    signed(format!("svc.move.v1:{}:{turn}:{body}", game.id), &attempt["signature"]);
    let text = |name: &str| attempt[name].as_str().unwrap();
    signed(
        format!(
            "svc.auth.v1:{}:{}:POST:{}:{}",
            agent.handle,
            text("challenge"),
            game.path("moves"),
            text("request_sha256")
        ),
        &attempt["auth_signature"],
    );
}
