//! The bytes that a client's context window must hold: the list of tools, and the answers to one move (decision 11.1).
//!
//! Sizes are bytes of JSON-RPC answers. The long game has 300 turns and positions of up to 162 legal moves.

use super::bridge_process::Bridge;
use hall_tests::mcp::{message, signed};
use hall_tests::{Agent, Game, Hall, Request, Value, json};

/// The moves of the long game, which official clients also play.
const LONG_GAME: &str = include_str!("../../../interop/mcp/long_game.txt");

const KIB: usize = 1024;

fn line() -> Vec<&'static str> {
    LONG_GAME.split_whitespace().collect()
}

/// A signed call of a tool: the size of the answer in bytes, and the `data` of its envelope.
fn measured(
    hall: &Hall,
    agent: &Agent,
    name: &str,
    method: &str,
    path: &str,
    arguments: Value,
) -> (usize, Value) {
    let arguments = signed(agent, &hall.challenge(&agent.handle), method, path, arguments);
    let call = message("tools/call", &json!({ "name": name, "arguments": arguments }));
    let request = Request::new("POST", "/mcp").json(&call).with("MCP-Protocol-Version", "2025-11-25");
    let reply = hall.send(&request);
    let mut answer = reply.json();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    (reply.body.len(), answer["result"]["structuredContent"]["data"].take())
}

#[test]
fn the_list_of_tools_is_at_most_24_kib_at_both_endpoints() {
    let hall = Hall::start();
    for path in ["/mcp", "/mcp/read"] {
        let bytes = hall.rpc_at(path, "tools/list", &json!({})).body.len();
        assert!(bytes <= 24 * KIB, "{path}: {bytes} bytes");
        for tool in hall.tools(path) {
            let data = &tool["outputSchema"]["properties"]["data"]["properties"];
            assert!(data.as_object().is_some_and(|members| !members.is_empty()), "{tool}");
        }
    }
    let bridge = Bridge::to(&hall).measured("tools/list", &json!({})).0;
    assert!(bridge <= 24 * KIB, "the bridge: {bytes} bytes", bytes = bridge);
}

#[test]
fn the_answers_to_a_move_do_not_grow_with_the_game() {
    let hall = Hall::start();
    let game = Game::new(&hall, "long");
    let (view, moves) = (game.path("view"), game.path("moves"));
    let mut most = 0;
    for (turn_index, notation) in (0_u64..).zip(line()) {
        let seat = Game::seat_of(turn_index);
        let mover = &game.players[seat];
        if turn_index % 23 != 22 {
            let _ = game.play(&hall, turn_index, notation);
            continue;
        }
        let id = json!({ "game_id": game.id });
        let (viewed, seen) = measured(&hall, mover, "view", "GET", &view, id);
        let body = game.body(seat, turn_index, json!({ "move": notation }));
        let (moved, _) =
            measured(&hall, mover, "move", "POST", &moves, json!({ "game_id": game.id, "body": body }));
        let view = &seen["view"];
        let history = view["history"].as_array().unwrap();
        assert_eq!((history.len(), &history[9]["turn_index"]), (10, &json!(turn_index - 1)));
        let legal = view["legal_moves"].as_array().unwrap();
        for (index, entry) in legal.iter().enumerate() {
            assert_eq!(entry.is_string(), index >= 100, "{entry}");
        }
        most = most.max(legal.len());
        // Only the list of legal moves grows: up to 100 in full, and then notations.
        let full = legal.len().min(100);
        let bound = 5 * KIB + KIB / 2 + full * 80 + (legal.len() - full) * 8;
        assert!(
            viewed + moved <= bound,
            "turn {turn_index}, {} legal moves: {viewed} + {moved}",
            legal.len()
        );
    }
    assert!(most > 100, "a position with many legal moves was looked at: {most}");
    let agent = &game.players[0];
    let every = json!({ "game_id": game.id, "history": "all" });
    let (_, whole) = measured(&hall, agent, "view", "GET", &view, every);
    let over_http = hall.ask(agent, &view).data();
    assert_eq!(whole["view"]["history"], over_http["view"]["history"], "HTTP answers in full");
    assert_eq!(whole["view"]["history"].as_array().unwrap().len(), line().len());
    let none = json!({ "game_id": game.id, "history": 0 });
    let (_, short) = measured(&hall, agent, "view", "GET", &view, none);
    assert_eq!(short["view"]["history"], json!([]));
}

#[test]
fn a_chat_client_needs_at_most_6_kib_and_one_call_per_move_besides_the_move_itself() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let other = hall.enter("other");
    assert_eq!(bridge.data("lobby_join", &json!({}))["paired"], false);
    let id = hall.join(&other, "open").data()["game_id"].as_str().unwrap().to_owned();
    let seats = hall.get(&format!("/api/games/{id}")).data()["game"]["seats"].take();
    let own = usize::from(seats[0]["handle"] == other.handle.as_str());
    let game = Game { id: id.clone(), players: [other.clone(), other] };
    let mut most = 0;
    for (turn_index, notation) in (0_u64..).zip(line()) {
        if Game::seat_of(turn_index) != own {
            let _ = game.play(&hall, turn_index, notation);
            continue;
        }
        let (waited, answer) = bridge.measured("wait_for_turn", &json!({ "seconds": 20 }));
        let turn = &answer["data"]["turn"];
        let expected = json!({
            "game_id": id, "game": "chess", "turn_index": turn_index, "you": format!("p{own}"),
            "colour": if own == 0 { "white" } else { "black" }, "deadline_utc": turn["deadline_utc"],
            "board": turn["board"], "last_move": turn["last_move"], "legal_moves": turn["legal_moves"],
        });
        assert_eq!(*turn, expected, "what is needed to choose, and no more");
        assert!(turn["board"].as_str().unwrap().contains("a b c d e f g h"), "{turn}");
        let legal = turn["legal_moves"].as_array().unwrap();
        assert!(legal.iter().any(|known| known == notation), "{turn}");
        most = most.max(legal.len());
        let (moved, answer) =
            bridge.measured("move", &json!({ "game_id": id, "turn_index": turn_index, "move": notation }));
        assert_eq!(answer["data"]["verdict"]["accepted"], true, "{answer}");
        assert!(waited + moved <= 6 * KIB, "turn {turn_index}: {waited} + {moved} bytes");
    }
    assert_eq!(most, if own == 0 { 162 } else { 31 }, "the position with the most legal moves was looked at");
}

#[test]
fn a_move_that_waits_returns_the_next_turn() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let ada = hall.enter("ada");
    let id = bridge.game_against(&hall, &ada);
    let game = Game { id: id.clone(), players: [ada.clone(), ada.clone()] };
    let theirs = hall.waiting_on(&ada)[0]["turn_index"].as_u64().unwrap();
    let legal = hall.ask(&ada, &game.path("legal_moves")).data()["legal_moves"][0]["notation"].take();
    assert_eq!(game.act(&hall, 0, theirs, json!({ "move": legal })).status, 200);
    let turn = bridge.data("wait_for_turn", &json!({ "seconds": 20 }))["turn"].take();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let next = turn["turn_index"].as_u64().unwrap() + 1;
            hall_tests::eventually("the opponent's turn", std::time::Duration::from_secs(20), || {
                (hall.waiting_on(&ada).first()?["turn_index"] == next).then_some(())
            });
            let legal = hall.ask(&ada, &game.path("legal_moves")).data()["legal_moves"][0]["notation"].take();
            assert_eq!(game.act(&hall, 0, next, json!({ "move": legal })).status, 200);
        });
        let asked = json!({
            "game_id": id, "turn_index": turn["turn_index"], "move": turn["legal_moves"][0], "wait_seconds": 60,
        });
        let answer = bridge.data("move", &asked);
        assert_eq!(answer["verdict"]["accepted"], true, "{answer}");
        assert_eq!(answer["turn"]["turn_index"], turn["turn_index"].as_u64().unwrap() + 2, "{answer}");
    });
}
