//! Draw offers, answers to them, and resignation, in every form of the body.

use hall_tests::{Game, Hall, Value, json};

fn agreed() -> Value {
    json!({ "winners": [], "draw": true, "reason": "agreement" })
}

#[test]
fn an_offer_is_accepted_by_either_flag_with_or_without_a_move() {
    let hall = Hall::start();
    for (name, acceptance) in [
        ("accept", json!({ "draw_accept": true })),
        ("accept-move", json!({ "draw_accept": true, "move": "e7e5" })),
        ("accept-junk", json!({ "draw_accept": true, "move": "nonsense" })),
        ("offer", json!({ "draw_offer": true })),
        ("offer-move", json!({ "draw_offer": true, "move": "e7e5" })),
        ("both", json!({ "draw_offer": true, "draw_accept": true })),
    ] {
        let game = Game::new(&hall, name);
        assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e4", "draw_offer": true })).status, 200);
        assert_eq!(game.view(&hall, 1)["public"]["draw_offer"], "p0", "{name}");
        let reply = game.act(&hall, 1, 1, acceptance);
        assert_eq!(reply.status, 200, "{name}: {}", reply.text());
        let verdict = reply.data()["verdict"].clone();
        assert_eq!(verdict["result"], agreed(), "{name}");
        assert_eq!(verdict["turn_index"], 1, "{name}");
        assert_eq!(verdict["notation"], Value::Null, "no move is applied: {name}");
        let history = game.view(&hall, 0)["history"].clone();
        assert_eq!(history.as_array().unwrap().len(), 2, "{name}");
        assert_eq!(history[1]["notation"], Value::Null, "{name}");
        assert_eq!(history[1]["player"], "p1", "{name}");
    }
}

#[test]
fn any_other_move_declines_an_offer() {
    let hall = Hall::start();
    let game = Game::new(&hall, "decline");
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e4", "draw_offer": true })).status, 200);
    assert_eq!(game.act(&hall, 1, 1, json!({ "move": "e7e5", "draw_offer": false })).status, 200);
    assert_eq!(game.view(&hall, 0)["public"]["draw_offer"], Value::Null);
    let kinds: Vec<Value> = game.events(&hall).iter().map(|event| event["event"]["type"].clone()).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "draw_offered").count(), 1, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| *kind == "draw_declined").count(), 1, "{kinds:?}");
    assert_eq!(
        game.act(&hall, 0, 2, json!({ "draw_accept": true })).verdict(),
        "409 no_draw_offer",
        "one's own offer"
    );
    game.play(&hall, 2, "g1f3");
    assert_eq!(
        game.act(&hall, 1, 3, json!({ "draw_accept": true })).verdict(),
        "409 no_draw_offer",
        "a dead offer"
    );
}

#[test]
fn a_forced_move_declines_an_offer_too() {
    let hall = Hall::start();
    let game = Game::new(&hall, "forced");
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e4", "draw_offer": true })).status, 200);
    for _ in 0..2 {
        assert_eq!(game.try_move(&hall, 1, "a1a1").status, 422);
        assert_eq!(game.view(&hall, 0)["public"]["draw_offer"], "p0", "a refused move does not");
    }
    assert_eq!(game.try_move(&hall, 1, "a1a1").status, 422);
    assert_eq!(game.view(&hall, 0)["public"]["draw_offer"], Value::Null);
}

#[test]
fn an_offer_in_a_refused_body_is_void() {
    let hall = Hall::start();
    let game = Game::new(&hall, "void");
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e5", "draw_offer": true })).status, 422);
    assert_eq!(game.act(&hall, 0, 1, json!({ "move": "e2e4", "draw_offer": true })).status, 409);
    game.play(&hall, 0, "e2e4");
    assert_eq!(game.view(&hall, 1)["public"]["draw_offer"], Value::Null);
    assert_eq!(game.act(&hall, 1, 1, json!({ "draw_accept": true })).verdict(), "409 no_draw_offer");
    let offer = game.act(&hall, 1, 1, json!({ "draw_offer": true }));
    assert_eq!(offer.verdict(), "422 INVALID_BODY", "an offer needs a move");
    assert_eq!(crate::problem_fields(&offer), ["move"]);
    for attempt in 1..=3 {
        let reply = game.act(&hall, 1, 1, json!({ "move": "a1a1", "draw_offer": true }));
        assert_eq!(reply.verdict(), "422 illegal_move", "{attempt}");
    }
    assert_eq!(
        game.view(&hall, 0)["public"]["draw_offer"],
        Value::Null,
        "an offer in a replaced body is void"
    );
}

#[test]
fn an_offer_accepts_a_standing_offer_and_never_renews_itself() {
    let hall = Hall::start();
    let game = Game::new(&hall, "renew");
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e4", "draw_offer": true })).status, 200);
    game.play(&hall, 1, "e7e5 g1f3");
    assert_eq!(game.view(&hall, 1)["public"]["draw_offer"], Value::Null);
    assert_eq!(game.act(&hall, 1, 3, json!({ "move": "b8c6", "draw_offer": true })).status, 200);
    assert_eq!(game.view(&hall, 0)["public"]["draw_offer"], "p1");
    let verdict = game.act(&hall, 0, 4, json!({ "draw_offer": true })).data()["verdict"].clone();
    assert_eq!(verdict["result"], agreed());
}

#[test]
fn only_the_value_true_counts() {
    let hall = Hall::start();
    let game = Game::new(&hall, "true");
    let members = json!({ "move": "e2e4", "resign": false, "draw_offer": false, "draw_accept": false });
    assert_eq!(game.act(&hall, 0, 0, members).status, 200);
    assert_eq!(game.view(&hall, 1)["public"]["draw_offer"], Value::Null);
    assert_eq!(game.act(&hall, 1, 1, json!({ "resign": true, "draw_offer": false })).status, 200);
}

#[test]
fn the_player_to_move_resigns_with_or_without_naming_a_move() {
    let hall = Hall::start();
    for (name, members) in [
        ("bare", json!({ "resign": true })),
        ("legal", json!({ "resign": true, "move": "e7e5" })),
        ("illegal", json!({ "resign": true, "move": "nonsense" })),
        ("index", json!({ "resign": true, "move": { "index": 99 } })),
        ("empty", json!({ "resign": true, "move": "" })),
        ("long", json!({ "resign": true, "move": "x".repeat(65) })),
        ("words", json!({ "resign": true, "commentary": "well played" })),
    ] {
        let game = Game::new(&hall, name);
        game.play(&hall, 0, "e2e4");
        let reply = game.act(&hall, 1, 1, members);
        assert_eq!(reply.status, 200, "{name}: {}", reply.text());
        let verdict = reply.data()["verdict"].clone();
        let result = json!({ "winners": ["p0"], "draw": false, "reason": "resignation" });
        assert_eq!(verdict["result"], result, "{name}");
        assert_eq!(verdict["game_over"], true, "{name}");
        assert_eq!(verdict["notation"], Value::Null, "{name}");
        let record = game.record(&hall);
        assert_eq!(record["result"], result, "{name}");
        assert_eq!(record["turn_index"], 2, "{name}");
        assert_eq!(record["strikes"], json!({ "p0": 0, "p1": 0 }), "{name}");
    }
}
