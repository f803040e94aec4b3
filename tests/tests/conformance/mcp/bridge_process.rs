//! The bridge for chat clients as a process, and a chat client on its standard streams.

use hall_tests::{Agent, Hall, Value, hall, json};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The handle of its agent.
pub(crate) const HANDLE: &str = "chatter";

/// The file with its key, in its folder.
const KEY: &str = "key.json";

/// A bridge, and the chat client's ends of its streams.
pub(crate) struct Bridge {
    process: Child,
    /// `None` once it is closed.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    folder: TempDir,
}

impl Bridge {
    /// One with a new key.
    pub(crate) fn to(hall: &Hall) -> Self {
        Self::with(hall, HANDLE, hall::folder())
    }

    /// One with this handle and the key in this folder, made if there is none.
    pub(crate) fn with(hall: &Hall, handle: &str, folder: TempDir) -> Self {
        let mut process = Command::new(hall::binary())
            .args([
                "mcp-bridge",
                "--hall",
                &format!("http://{}", hall.address()),
                "--handle",
                handle,
                "--key",
            ])
            .arg(folder.path().join(KEY))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take(), process.stdout.take().unwrap());
        let mut bridge = Self { process, input, output: BufReader::new(output), folder };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let _ = bridge.ask("initialize", &hello);
        bridge.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        bridge
    }

    /// Another one with the same handle and key.
    pub(crate) fn twin(&self, hall: &Hall) -> Self {
        let folder = hall::folder();
        let _ = std::fs::copy(self.folder.path().join(KEY), folder.path().join(KEY)).unwrap();
        Self::with(hall, HANDLE, folder)
    }

    /// Closes its standard input, waits for its end, and gives the folder with its key.
    pub(crate) fn close(mut self) -> TempDir {
        drop(self.input.take());
        self.ended()
    }

    /// Stops it by a signal while its standard input stays open, waits for its end, and gives the folder with its key.
    pub(crate) fn stop_by(self, signal: Signal) -> TempDir {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
        self.ended()
    }

    fn ended(mut self) -> TempDir {
        let ended = || self.process.try_wait().unwrap();
        assert!(hall_tests::eventually("the bridge ends", Duration::from_secs(20), ended).success());
        std::mem::replace(&mut self.folder, hall::folder())
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.ask_measured(method, params).1
    }

    /// The bytes of an answer, and its result.
    fn ask_measured(&mut self, method: &str, params: &Value) -> (usize, Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the bridge has ended");
        (line.len(), line.parse::<Value>().unwrap()["result"].take())
    }

    /// The size of the answer to a tool call in bytes, and its envelope; for `tools/list`, the list.
    pub(crate) fn measured(&mut self, name: &str, arguments: &Value) -> (usize, Value) {
        if name == "tools/list" {
            return self.ask_measured(name, arguments);
        }
        let call = json!({ "name": name, "arguments": arguments });
        let (bytes, mut result) = self.ask_measured("tools/call", &call);
        (bytes, result["structuredContent"].take())
    }

    pub(crate) fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", &json!({}))["tools"].as_array().unwrap().clone()
    }

    /// Calls a tool and returns the envelope.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let mut result = self.ask("tools/call", &json!({ "name": name, "arguments": arguments }));
        let envelope = result["structuredContent"].take();
        let text = result["content"][0]["text"].as_str().unwrap().parse::<Value>();
        if let Ok(text) = text {
            assert_eq!(text, envelope, "a client that reads text alone is told the same");
        } else {
            assert!(envelope.to_string().len() > 32 * 1024, "only what is long is not repeated: {envelope}");
        }
        assert_eq!(result["isError"], envelope["ok"] == false, "{name}: {envelope}");
        envelope
    }

    pub(crate) fn data(&mut self, name: &str, arguments: &Value) -> Value {
        let mut envelope = self.call(name, arguments);
        assert_eq!(envelope["ok"], true, "{name}: {envelope}");
        envelope["data"].take()
    }

    /// Calls a tool that is refused, and returns code and message.
    pub(crate) fn refused(&mut self, name: &str, arguments: &Value) -> (String, String) {
        let envelope = self.call(name, arguments);
        let text = |member: &str| envelope["error"][member].as_str().unwrap_or_default().to_owned();
        (text("code"), text("message"))
    }

    /// A game against `opponent`, in which it is the opponent's turn.
    pub(crate) fn game_against(&mut self, hall: &Hall, opponent: &Agent) -> String {
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
