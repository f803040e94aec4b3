//! The bridge for chat clients, as a process on standard input and output (decision 11).

use hall_tests::{Agent, Game, Hall, Value, hall, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const HANDLE: &str = "chatter";

/// A bridge, and the chat client's ends of its streams.
struct Bridge {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

impl Bridge {
    fn to(hall: &Hall) -> Self {
        let folder = hall::folder();
        let mut process = Command::new(hall::binary())
            .args([
                "mcp-bridge",
                "--hall",
                &format!("http://{}", hall.address()),
                "--handle",
                HANDLE,
                "--key",
            ])
            .arg(folder.path().join("key.json"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let mut bridge = Self { process, input, output: BufReader::new(output), _folder: folder };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let _ = bridge.ask("initialize", &hello);
        bridge.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        bridge
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the bridge has ended");
        line.parse::<Value>().unwrap()["result"].take()
    }

    fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", &json!({}))["tools"].as_array().unwrap().clone()
    }

    /// Calls a tool and gives the envelope.
    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let mut result = self.ask("tools/call", &json!({ "name": name, "arguments": arguments }));
        let envelope = result["structuredContent"].take();
        assert_eq!(result["isError"], envelope["ok"] == false, "{name}: {envelope}");
        envelope
    }

    fn data(&mut self, name: &str, arguments: &Value) -> Value {
        let mut envelope = self.call(name, arguments);
        assert_eq!(envelope["ok"], true, "{name}: {envelope}");
        envelope["data"].take()
    }

    /// Calls a tool that is refused, and gives code and message.
    fn refused(&mut self, name: &str, arguments: &Value) -> (String, String) {
        let envelope = self.call(name, arguments);
        let text = |member: &str| envelope["error"][member].as_str().unwrap_or_default().to_owned();
        (text("code"), text("message"))
    }

    /// A game against `opponent`, in which it is the opponent's turn.
    fn game_against(&mut self, hall: &Hall, opponent: &Agent) -> String {
        assert_eq!(self.data("lobby_join", &json!({}))["paired"], false);
        let id = hall.join(opponent, "open").data()["game_id"].as_str().unwrap().to_owned();
        let games = self.data("my_games", &json!({ "status": "live" }))["games"].take();
        let game = games.as_array().unwrap().iter().find(|game| game["id"] == id.as_str()).unwrap();
        if game["your_turn"] == true {
            let asked = json!({ "game_id": id, "turn_index": 0, "move": { "index": 0 } });
            assert_eq!(self.data("move", &asked)["verdict"]["accepted"], true);
        }
        id
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn the_bridge_hints_at_what_a_tool_does_as_the_hall_does() {
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
fn a_tool_that_only_reads_registers_nobody() {
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
fn whoever_waits_is_told_that_a_game_has_ended_while_another_goes_on() {
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
    assert_eq!((&after["games"][0]["id"], &after["ended"]), (&json!(goes_on), &json!([lost])));
    assert_eq!(bridge.data("wait_for_turn", &json!({ "seconds": 0 }))["ended"], json!([]), "told once");
}

#[test]
fn a_game_that_ends_while_the_bridge_waits_is_told_at_once() {
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
        assert_eq!(waits.join().unwrap()["ended"], json!([lost]));
    });
    // The hall would hold the bridge's request for ten seconds.
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn what_the_chat_client_gets_wrong_is_told_in_its_own_words() {
    let hall = Hall::start();
    let mut bridge = Bridge::to(&hall);
    let ada = hall.enter("ada");
    let id = bridge.game_against(&hall, &ada);
    for (name, arguments, field) in [
        ("view", json!({}), "game_id"),
        ("view", json!({ "game_id": 7 }), "game_id"),
        ("view", json!({ "game_id": "../pulse" }), "game_id"),
        ("view", json!({ "game_id": id, "colour": "white" }), "colour"),
        ("view", json!({ "game_id": id, "history": "all" }), "history"),
        ("lobby_join", json!({ "colour": "white" }), "colour"),
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
