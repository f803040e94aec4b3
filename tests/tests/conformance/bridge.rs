//! The bridge for chat clients, as a process on standard input and output (decision 11).

use crate::mcp::bridge_process::{Bridge, HANDLE};
use hall_tests::{Game, Hall, Value, json};
use rustix::process::Signal;
use std::time::{Duration, Instant};

#[test]
fn the_bridge_gives_tools_the_same_hints_as_the_hall() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let offered = bridge.tools();
    let mut compared = 0;
    for tool in hall.tools("/mcp").iter().filter(|tool| tool["name"] != "challenge") {
        let same = offered.iter().find(|other| other["name"] == tool["name"]).unwrap();
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint"] {
            assert_eq!(same["annotations"][hint], tool["annotations"][hint], "{} {hint}", tool["name"]);
        }
        compared += 1;
    }
    assert_eq!((compared, offered.len()), (16, 17));
}

#[test]
fn a_read_only_tool_does_not_register_the_agent() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let reading: Vec<Value> =
        bridge.tools().into_iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true).collect();
    assert_eq!(reading.len(), 10);
    let game = "g_00000000000000000000000000";
    for tool in reading {
        let name = tool["name"].as_str().unwrap();
        let arguments = match name {
            "view" | "legal_moves" | "game" | "replay" => json!({ "game_id": game }),
            "rules" => json!({ "game": "chess" }),
            "wait_for_turn" => json!({ "seconds": 0 }),
            _ => json!({}),
        };
        let envelope = bridge.call(name, &arguments);
        if ["my_games", "view", "legal_moves", "wait_for_turn"].contains(&name) {
            assert_eq!(envelope["error"]["code"], "AUTH_UNKNOWN_AGENT", "{name}: {envelope}");
            assert!(envelope["error"]["message"].as_str().unwrap().contains("lobby_join"), "{envelope}");
        } else if name != "game" && name != "replay" {
            assert_eq!(envelope["ok"], true, "{name}: {envelope}");
        }
        let known = hall.get(&format!("/api/agents/{HANDLE}"));
        assert_eq!(known.verdict(), "404 AGENT_NOT_FOUND", "after {name}");
    }
    assert_eq!(bridge.data("lobby_join", &json!({}))["paired"], false);
    assert_eq!(hall.get(&format!("/api/agents/{HANDLE}")).status, 200);
}

#[test]
fn a_waiting_agent_learns_that_one_game_has_ended_while_another_continues() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    let lost = bridge.game_against(&hall, &ada);
    let goes_on = bridge.game_against(&hall, &bob);
    let before = bridge.data("wait_for_turn", &json!({ "seconds": 0 }));
    assert_eq!((before["games"].as_array().unwrap().len(), &before["ended"]), (2, &json!([])));
    let turn = hall.waiting_on(&ada)[0]["turn_index"].as_u64().unwrap();
    let game = Game { id: lost.clone(), players: [ada.clone(), ada] };
    assert_eq!(game.act(&hall, 0, turn, json!({ "resign": true })).status, 200);
    let after = bridge.data("wait_for_turn", &json!({ "seconds": 60 }));
    assert_eq!(
        (&after["games"][0]["id"], &after["ended"]),
        (&json!(goes_on), &json!([of_resignation(&lost, &after)]))
    );
    assert_eq!(bridge.data("wait_for_turn", &json!({ "seconds": 0 }))["ended"], json!([]), "told once");
}

#[test]
fn the_end_of_a_game_is_reported_at_once_while_the_bridge_waits() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let ada = hall.enter("ada");
    let lost = bridge.game_against(&hall, &ada);
    assert_eq!(bridge.data("wait_for_turn", &json!({ "seconds": 0 }))["ended"], json!([]));
    let turn = hall.waiting_on(&ada)[0]["turn_index"].as_u64().unwrap();
    let game = Game { id: lost.clone(), players: [ada.clone(), ada] };
    let began = Instant::now();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| bridge.data("wait_for_turn", &json!({ "seconds": 60 })));
        assert_eq!(game.act(&hall, 0, turn, json!({ "resign": true })).status, 200);
        let told = waits.join().unwrap();
        assert_eq!(told["ended"], json!([of_resignation(&lost, &told)]));
        assert!(told["note"].as_str().unwrap().contains("lobby_join"), "{told}");
    });
    // The hall would hold the bridge's request for ten seconds.
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// The report of a game that the opponent resigned.
fn of_resignation(game: &str, told: &Value) -> Value {
    let you = &told["ended"][0]["you"];
    let result = json!({ "winners": [you], "draw": false, "reason": "resignation" });
    assert!(["p0", "p1"].contains(&you.as_str().unwrap()));
    json!({ "game_id": game, "you": you, "result": result })
}

#[test]
fn a_wait_without_a_lobby_or_game_returns_at_once() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let note = |told: &Value| told["note"].as_str().unwrap_or_default().contains("in no lobby");
    assert_eq!(bridge.data("lobby_join", &json!({}))["paired"], false);
    let began = Instant::now();
    assert!(!note(&bridge.data("wait_for_turn", &json!({ "seconds": 1 }))), "it waits for an opponent");
    // It waits for all of the seconds.
    assert!(began.elapsed() >= Duration::from_secs(1));
    let _ = bridge.data("lobby_leave", &json!({}));
    let began = Instant::now();
    assert!(note(&bridge.data("wait_for_turn", &json!({ "seconds": 60 }))));
    assert!(note(&bridge.data("wait_for_turn", &json!({ "seconds": 60 }))), "and the second time");
    assert!(began.elapsed() < Duration::from_secs(5));
    let (code, message) = bridge.refused("lobby_leave", &json!({}));
    assert!(code == "NOT_IN_LOBBY" && message.contains("wait_for_turn"), "{message}");
}

#[test]
fn an_agent_that_another_change_took_out_of_its_lobby_does_not_wait_there() {
    for change in ["another model", "another program", "the end of the season"] {
        let hall = Hall::start();
        let mut bridge = Bridge::to(&hall);
        assert_eq!(bridge.data("lobby_join", &json!({}))["paired"], false);
        assert_eq!(bridge.data("homologate", &json!({}))["unchanged"], true);
        assert_eq!(
            bridge.data("wait_for_turn", &json!({ "seconds": 0 })).get("note"),
            None,
            "it waits still"
        );
        let _other = match change {
            "another model" => {
                assert_eq!(bridge.data("homologate", &json!({ "model_id": "other" }))["unchanged"], false);
                None
            }
            "another program" => {
                let mut other = bridge.twin(&hall);
                assert_eq!(other.data("lobby_leave", &json!({}))["left"]["game"], "chess");
                Some(other)
            }
            _ => {
                assert!(hall.admin(&["season", "close", "s1"]).status.success());
                None
            }
        };
        let began = Instant::now();
        let told = bridge.data("wait_for_turn", &json!({ "seconds": 60 }));
        assert!(began.elapsed() < Duration::from_secs(5), "{change}");
        assert!(told["note"].as_str().unwrap_or_default().contains("lobby_join"), "{change}: {told}");
    }
}

#[test]
fn a_game_that_began_and_ended_before_the_first_wait_is_reported() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let ada = hall.enter("ada");
    let lost = bridge.game_against(&hall, &ada);
    let turn = hall.waiting_on(&ada)[0]["turn_index"].as_u64().unwrap();
    let game = Game { id: lost.clone(), players: [ada.clone(), ada] };
    assert_eq!(game.act(&hall, 0, turn, json!({ "resign": true })).status, 200);
    let began = Instant::now();
    let told = bridge.data("wait_for_turn", &json!({ "seconds": 60 }));
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(told["ended"][0]["game_id"], lost.as_str(), "{told}");
    assert_eq!(told["ended"][0]["result"]["reason"], "resignation", "{told}");
    assert!(told["note"].as_str().unwrap().contains("lobby_join"), "{told}");
}

#[test]
fn a_bridge_leaves_its_lobbies_when_the_chat_client_closes_its_input() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    for division in ["open", "pure"] {
        assert_eq!(bridge.data("lobby_join", &json!({ "division": division }))["paired"], false);
    }
    assert_eq!(hall.get("/api/pulse").data()["lobby_waiting"], 2);
    let _folder = bridge.close();
    assert_eq!(hall.get("/api/pulse").data()["lobby_waiting"], 0);
}

#[test]
fn a_bridge_leaves_its_lobbies_when_it_is_told_to_stop() {
    for signal in [Signal::TERM, Signal::INT] {
        let hall = Hall::start();
        let mut bridge = Bridge::to(&hall);
        assert_eq!(bridge.data("lobby_join", &json!({}))["paired"], false);
        let _folder = bridge.stop_by(signal);
        assert_eq!(hall.get("/api/pulse").data()["lobby_waiting"], 0, "{signal:?}");
    }
}

#[test]
fn a_bridge_with_the_handle_of_another_agent_says_so() {
    let hall = Hall::start();
    let mut owner = Bridge::to(&hall);
    assert_eq!(owner.data("lobby_join", &json!({}))["paired"], false);
    let mut bridge = Bridge::to(&hall);
    let game = json!({ "game_id": "g_00000000000000000000000000" });
    for (name, arguments) in [
        ("register", json!({})),
        ("homologate", json!({})),
        ("lobby_join", json!({})),
        ("lobby_leave", json!({})),
        ("my_games", json!({})),
        ("view", game.clone()),
        ("legal_moves", game),
        ("wait_for_turn", json!({ "seconds": 60 })),
    ] {
        let (code, message) = bridge.refused(name, &arguments);
        assert_eq!(code, "HANDLE_TAKEN", "{name}: {message}");
        assert!(message.contains("--handle"), "{name}: {message}");
    }
    assert_eq!(bridge.data("pulse", &json!({}))["lobby_waiting"], 1, "what is public is told all the same");
    assert_eq!(hall.get("/api/pulse").data()["lobby_waiting"], 1, "the other agent waits on");
}

#[test]
fn registering_again_tells_an_agent_who_it_is() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let first = bridge.data("register", &json!({}));
    let again = bridge.data("register", &json!({}));
    assert_eq!(again["handle"], HANDLE);
    for member in ["agent_id", "handle"] {
        assert_eq!(again[member], first[member], "{again}");
    }
    let mut renamed = Bridge::with(&hall, "another", bridge.close());
    for name in ["register", "lobby_join"] {
        let (code, message) = renamed.refused(name, &json!({}));
        assert_eq!(code, "KEY_ALREADY_REGISTERED", "{name}: {message}");
        assert!(message.contains("--handle"), "{name}: {message}");
    }
}

#[test]
fn a_wait_that_is_written_as_text_is_waited_for_too() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let _ = bridge.data("register", &json!({}));
    let began = Instant::now();
    let told = bridge.data("my_games", &json!({ "wait": "11" }));
    assert_eq!(told["games"], json!([]));
    let seconds = began.elapsed().as_secs();
    assert!((11..20).contains(&seconds), "{seconds} s");
}

#[test]
fn the_rules_fit_a_context_window_and_do_not_mention_http() {
    let hall = Hall::start();
    let (bytes, envelope) = Bridge::to(&hall).measured("rules", &json!({ "game": "chess" }));
    assert!(bytes < 12_000, "{bytes}");
    let data = envelope["data"].to_string();
    for word in ["/api", "GET ", "POST", "signature"] {
        assert!(!data.contains(word), "{word}: {data}");
    }
    assert!(data.contains("e7e8q") && data.contains("threefold_repetition") && data.contains("strike"));
}

#[test]
fn mistakes_of_the_chat_client_are_reported_by_its_own_argument_names() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let ada = hall.enter("ada");
    let id = bridge.game_against(&hall, &ada);
    for (name, arguments, field) in [
        ("view", json!({}), "game_id"),
        ("view", json!({ "game_id": 7 }), "game_id"),
        ("view", json!({ "game_id": "../pulse" }), "game_id"),
        ("view", json!({ "game_id": id, "colour": "white" }), "colour"),
        ("view", json!({ "game_id": id, "history": "some" }), "history"),
        (
            "move",
            json!({ "game_id": id, "turn_index": 0, "move": "e2e4", "wait_seconds": -1 }),
            "wait_seconds",
        ),
        ("lobby_join", json!({ "colour": "white" }), "colour"),
        ("lobby_join", json!({ "agent": "ada" }), "agent"),
        ("register", json!({ "pubkey": "0" }), "pubkey"),
        ("register", json!({ "handle": "ada" }), "handle"),
        (
            "offer_draw",
            json!({ "game_id": id, "turn_index": 0, "move": "e2e4", "draw_offer": false }),
            "draw_offer",
        ),
        ("move", json!({ "game_id": id, "turn_index": 0, "move": "e2e4", "signature": "0" }), "signature"),
        ("move", json!({ "game_id": id }), "turn_index"),
        ("move", json!({ "game_id": id, "turn_index": 0, "move": true }), "move"),
        ("wait_for_turn", json!({ "seconds": "long" }), "seconds"),
        ("wait_for_turn", json!({ "minutes": 1 }), "minutes"),
    ] {
        let envelope = bridge.call(name, &arguments);
        let code = envelope["error"]["code"].as_str().unwrap();
        assert!(["INVALID_BODY", "INVALID_QUERY"].contains(&code), "{name} {arguments}: {envelope}");
        assert_eq!(envelope["data"]["problems"][0]["field"], field, "{envelope}");
        assert!(envelope["data"]["problems"][0]["rule"].as_str().is_some_and(|rule| !rule.is_empty()));
        let message = envelope["error"]["message"].as_str().unwrap();
        assert!(message.contains("data.problems") && !message.contains("signed"), "{message}");
    }
    let early = json!({ "game_id": id, "turn_index": 0, "move": "e2e4" });
    let (code, message) = bridge.refused("move", &early);
    assert_eq!(code, "wrong_turn");
    assert!(message.contains("wait_for_turn") && !message.contains("/api"), "{message}");
}
