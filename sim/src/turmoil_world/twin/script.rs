//! The script: two agents come in, meet, and play a short game of chess with most of what can be said and refused, and
//! then shorter ones of other games.

use super::Exchange;
use super::placeholders::Placeholders;
use hall_client::{Asked, Link, send};
use hall_wire::json::canonical;
use hall_wire::key::PrivateKey;
use hall_wire::message::{self, Challenge};
use hall_wire::text::COMMENTARY;
use hall_wire::{AgentId, Digest, GameId, Handle};
use serde_json::{Value, json};
use std::time::Duration;

/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(14);
/// The longest answer that is read, in bytes.
const MOST_ANSWER_BYTES: usize = 1 << 22;
/// How often the script checks whether the log covers the game, and the pause between two checks.
const MOST_POLLS: u32 = 500;
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Public documents, and things that do not exist yet.
const DOCUMENTS: [&str; 34] = [
    "/",
    "/llms.txt",
    "/openapi.json",
    "/reference",
    "/.well-known/mcp.json",
    "/.well-known/ai-catalog.json",
    "/mcp/server-card",
    "/healthz",
    "/readyz",
    "/api/playbook",
    "/api/catalog",
    "/api/dictionary",
    "/api/official",
    "/api/rules/chess",
    "/api/rules/ludo",
    "/api/howto/chess",
    "/api/howto/goofspiel",
    "/api/howto/backgammon",
    "/api/rules/liars_dice",
    "/api/pulse",
    "/api/games",
    "/api/games/nothing",
    "/api/games?limit=0",
    "/api/games?opponent=ada",
    "/api/export/games",
    "/api/agents/nobody",
    "/api/agents/nobody/ratings",
    "/api/docket",
    "/api/feedback",
    "/api/checkpoint/consistency?from=9&to=3",
    "/api/log/proof?index=99999999",
    "/log/nothing",
    "/api/moves",
    "/api/nowhere",
];
/// What a reader asks for at the MCP endpoint: method and parameters.
const TOOLS: [(&str, &str); 4] = [
    ("tools/list", "{}"),
    ("tools/call", r#"{"name":"catalog","arguments":{}}"#),
    ("tools/call", r#"{"name":"move","arguments":{}}"#),
    ("nowhere/at_all", "{}"),
];

/// What is played besides: game, variant and the moves up to its end. Nature has no part in them.
const OTHER_GAMES: [(&str, &str, &[&str]); 3] = [
    ("connect_four", "standard", &["4", "3", "4", "3", "4", "3", "4"]),
    ("go", "13x13", &["D4", "pass", "pass"]),
    ("hex", "small", &["b1", "swap", "d4", "resign"]),
];

/// How long one agent has waited when the other's move ends the game.
const AFTER: Duration = Duration::from_secs(1);
/// The wait must be over by then; if the end went unnoticed it would last 25 seconds.
const SOON: Duration = Duration::from_secs(5);

/// Who plays it.
struct Person {
    handle: Handle,
    key: PrivateKey,
    token: String,
}

impl Person {
    fn new(name: &str) -> Self {
        let handle = Handle::parse(name).unwrap_or_else(|| unreachable!("a well-formed handle"));
        let key = PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes());
        Self { handle, key, token: format!("the secret of whoever runs {name}") }
    }

    fn id(&self) -> AgentId {
        AgentId::of_key(&self.key.public())
    }

    fn registration(&self) -> Value {
        json!({
            "handle": self.handle, "model_id": "twin <b>&\"'", "pubkey": self.key.public().to_string(),
            "operator_token": self.token, "adapter_kind": "api", "operator_name": "somebody",
        })
    }

    fn filing(&self, division: &str) -> Value {
        json!({
            "season_id": "current", "division": division, "model_id": "twin", "adapter_kind": "api",
            "endpoint_url": null, "system_prompt_sha256": "0".repeat(64), "config_sha256": "f".repeat(64), "tool_access": "pure",
        })
    }

    /// A move's body with its signature.
    fn signed(&self, mut body: Value) -> Value {
        let game = body.get("game_id").and_then(Value::as_str).and_then(GameId::parse);
        let turn = body.get("turn_index").and_then(Value::as_u64).and_then(|turn| u32::try_from(turn).ok());
        if let (Some(game), Some(turn)) = (game, turn) {
            let message = message::game_move(&game, turn, &Digest::of(canonical(&body).as_bytes()));
            if let Some(members) = body.as_object_mut() {
                let signature = self.key.sign(message.as_bytes()).to_string();
                members.insert("signature".to_owned(), signature.into());
            }
        }
        body
    }
}

/// The script, as far as it was played.
pub(super) struct Script<'a> {
    link: &'a Link,
    /// Where the hall listens.
    hall: &'a str,
    /// Texts that differ from hall to hall (addresses, keys, the name of the log), each with its placeholder.
    own: Vec<(String, &'static str)>,
    exchanges: Vec<Exchange>,
    placeholders: Placeholders,
}

impl<'a> Script<'a> {
    pub(super) fn new(link: &'a Link, hall: &'a str, base_url: &'a str) -> Self {
        let host = base_url.split("://").last().and_then(|rest| rest.split(':').next()).unwrap_or_default();
        let reversed = host.split('.').rev().collect::<Vec<_>>().join(".");
        // As the notes of an SGF record write an address.
        let escaped = |address: &str| address.replace(':', "\\:");
        let own = vec![
            (hall.to_owned(), "http://the-hall"),
            (base_url.to_owned(), "http://the-hall"),
            (escaped(hall), "http\\://the-hall"),
            (escaped(base_url), "http\\://the-hall"),
            (format!("urn:air:{host}:hall"), "urn:air:the-hall:hall"),
            (format!("\"{reversed}/hall\""), "\"the-hall/hall\""),
        ];
        Self { link, hall, own, exchanges: Vec::new(), placeholders: Placeholders::default() }
    }

    /// Plays it from its beginning to its end; the exchanges.
    pub(super) async fn play(mut self) -> Vec<Exchange> {
        self.play_all().await;
        self.exchanges
    }

    async fn play_all(&mut self) {
        let (left, right) = (Person::new("left-twin"), Person::new("right-twin"));
        self.learn_what_is_its_own().await;
        for path in DOCUMENTS {
            self.read(path).await;
        }
        for person in [&left, &right] {
            self.come_in(person).await;
        }
        // Lists of both agents, while the order in which they came still distinguishes them.
        for path in [
            "/api/agents",
            "/api/docket",
            "/api/feedback?limit=5",
            "/api/leaderboards?game=chess&division=pure",
        ] {
            self.read(path).await;
        }
        self.refusals_of_the_gate(&left).await;
        self.speak_mcp().await;
        self.have_a_doorbell(&left).await;
        let Some(game) = self.meet(&left, &right).await else { return };
        let white_is_left = self.begins(&left, &game).await;
        let (white, black) = if white_is_left { (&left, &right) } else { (&right, &left) };
        // The colours are drawn. From here on placeholders name the agents by their colours.
        self.call(white, "white");
        self.call(black, "black");
        self.play_game(white, black, &game).await;
        self.wait_for_the_log(&game).await;
        for path in [
            format!("/api/games/{game}"),
            format!("/api/games/{game}/events?since=3"),
            format!("/api/games/{game}/replay"),
            format!("/api/games/{game}/pgn"),
            format!("/api/games/{game}/proof"),
            format!("/api/games?status=ended&game={game}"),
            "/api/games?ended_since=2000-01-01T00:00:00.000Z&result=win&agent=nobody".to_owned(),
            format!("/api/agents/{}/ratings?game=chess", white.handle),
            "/api/leaderboards?game=chess&division=pure".to_owned(),
            format!("/api/agents/{}", white.handle),
            format!("/api/agents/{}", black.handle),
        ] {
            self.read(&path).await;
        }
        for (game, variant, moves) in OTHER_GAMES {
            self.play_another((white, black), (game, variant), moves).await;
        }
    }

    /// Both play another game, and look at it in every form.
    async fn play_another(&mut self, (one, other): (&Person, &Person), played: (&str, &str), moves: &[&str]) {
        // They come in the same order in every hall, whichever of them began the game before.
        self.call(one, "white");
        self.call(other, "black");
        let lobby = json!({ "game": played.0, "variant": played.1, "division": "pure" });
        for person in [one, other] {
            self.post(person, "/api/lobby/join", &lobby).await;
        }
        let games = self.quietly(one, "/api/my/games").await;
        let Some(game) = games.pointer("/data/games/0/id").and_then(Value::as_str).and_then(GameId::parse)
        else {
            return;
        };
        let is_first = self.begins(one, &game).await;
        let (first, second) = if is_first { (one, other) } else { (other, one) };
        self.call(first, "the first");
        self.call(second, "the second");
        for (turn, chosen) in (0..).zip(moves) {
            let (mover, watching) = if turn % 2 == 0 { (first, second) } else { (second, first) };
            let choice =
                if *chosen == "resign" { json!({ "resign": true }) } else { json!({ "move": chosen }) };
            let mut body = json!({ "game_id": game.to_string(), "turn_index": turn });
            if let (Some(body), Value::Object(choice)) = (body.as_object_mut(), choice) {
                body.extend(choice);
            }
            let path = format!("/api/games/{game}");
            self.get(mover, &format!("{path}/view")).await;
            self.post(mover, &format!("{path}/moves"), &mover.signed(body)).await;
            self.get(watching, &format!("{path}/view")).await;
        }
        self.wait_for_the_log(&game).await;
        for tail in ["", "/events", "/replay", "/record?format=sgf", "/pictures", "/svg?turn=2", "/proof"] {
            self.read(&format!("/api/games/{game}{tail}")).await;
        }
    }

    async fn learn_what_is_its_own(&mut self) {
        let Some((_, _, body)) = self.send("GET", "/api/official", &[], None).await else { return };
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        // The key has the name in it.
        for (member, stands) in [
            ("/data/official/log/public_key", "the key of the log"),
            ("/data/official/log/origin", "the name of the log"),
            ("/data/official/ring_key", "the key of rings"),
        ] {
            if let Some(own) = answer.pointer(member).and_then(Value::as_str) {
                self.own.push((own.to_owned(), stands));
            }
        }
    }

    /// Renames an agent and its placeholders.
    fn call(&mut self, person: &Person, name: &str) {
        let old = self.placeholders.name_of(person.handle.as_str()).to_owned();
        self.placeholders.name(person.handle.to_string(), name.to_owned());
        self.placeholders.name(person.id().to_string(), format!("the id of {name}"));
        self.placeholders.name(person.key.public().to_string(), format!("the key of {name}"));
        self.placeholders.rename(&old, name);
    }

    async fn come_in(&mut self, person: &Person) {
        self.placeholders.belongs_to(person.handle.as_str());
        self.read("/api/auth/challenge").await;
        self.post(person, "/api/agents", &person.registration()).await;
        self.post(person, "/api/agents", &person.registration()).await;
        let path = format!("/api/agents/{}/homologate", person.id());
        self.post(person, "/api/lobby/join", &lobby()).await;
        self.post(person, &path, &json!({ "season_id": "current", "division": "sideways" })).await;
        self.post(person, &path, &person.filing("pure")).await;
        self.post(person, &path, &person.filing("pure")).await;
        self.post(
            person,
            "/api/feedback",
            &json!({ "kind": "idea", "subject": "A \"twin\"", "body": "two\nlines" }),
        )
        .await;
        self.placeholders.belongs_to("");
    }

    async fn refusals_of_the_gate(&mut self, person: &Person) {
        let Some(challenge) = self.challenge(&person.handle).await else { return };
        let body = lobby().to_string().into_bytes();
        let mut headers = headers(person, &challenge, "POST", "/api/lobby/leave", Some(&body));
        let right = headers.clone();
        headers[2].1 = "0".repeat(128);
        self.ask("with a forged signature", "POST", "/api/lobby/leave", &headers, Some(body.clone())).await;
        self.ask("without a signature", "POST", "/api/lobby/leave", &headers[..2], Some(body.clone())).await;
        self.ask("as it should be", "POST", "/api/lobby/leave", &right, Some(body.clone())).await;
        self.ask("again", "POST", "/api/lobby/leave", &right, Some(body)).await;
        self.ask("by another method", "DELETE", "/api/lobby/leave", &right, None).await;
    }

    async fn speak_mcp(&mut self) {
        for (id, (method, params)) in TOOLS.iter().enumerate() {
            let params: Value = serde_json::from_str(params).unwrap_or_default();
            let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            self.ask(method, "POST", "/mcp", &[], Some(body.to_string().into_bytes())).await;
            self.ask(method, "POST", "/mcp/read", &[], Some(body.to_string().into_bytes())).await;
        }
        self.ask("which is no JSON", "POST", "/mcp", &[], Some(b"{".to_vec())).await;
    }

    async fn have_a_doorbell(&mut self, person: &Person) {
        self.get(person, "/api/doorbell").await;
        for url in ["https://agent.example/ring", "http://127.0.0.1/ring", "no address"] {
            self.post(person, "/api/doorbell", &json!({ "url": url })).await;
        }
        self.get(person, "/api/doorbell").await;
        self.post(person, "/api/doorbell/disable", &json!({})).await;
    }

    /// Both join; the game that is formed.
    async fn meet(&mut self, left: &Person, right: &Person) -> Option<GameId> {
        self.post(
            left,
            "/api/lobby/join",
            &json!({ "game": "ludo", "variant": "standard", "division": "pure" }),
        )
        .await;
        self.post(left, "/api/lobby/join", &lobby()).await;
        self.post(left, "/api/lobby/join", &lobby()).await;
        self.post(left, "/api/lobby/leave", &lobby()).await;
        self.post(left, "/api/lobby/join", &lobby()).await;
        self.post(right, "/api/lobby/join", &lobby()).await;
        // Whose turn it is depends on who has white: not compared.
        let games = self.quietly(left, "/api/my/games").await;
        games.pointer("/data/games/0/id")?.as_str().and_then(GameId::parse)
    }

    async fn begins(&mut self, person: &Person, game: &GameId) -> bool {
        let view = self.quietly(person, &format!("/api/games/{game}/view")).await;
        view.pointer("/data/view/legal_moves")
            .and_then(Value::as_array)
            .is_some_and(|legal| !legal.is_empty())
    }

    /// A short game with most of what can be said in one.
    async fn play_game(&mut self, white: &Person, black: &Person, game: &GameId) {
        let (moves, view) = (format!("/api/games/{game}/moves"), format!("/api/games/{game}/view"));
        let of = |turn: u32, rest: Value| {
            let mut body = json!({ "game_id": game.to_string(), "turn_index": turn });
            if let (Some(body), Value::Object(rest)) = (body.as_object_mut(), rest) {
                body.extend(rest);
            }
            body
        };
        for person in [white, black] {
            self.get(person, "/api/my/games").await;
            self.get(person, &view).await;
            self.get(person, &format!("/api/games/{game}/legal_moves")).await;
        }
        let script = [
            (black, of(0, json!({ "move": "e7e5" }))),
            (white, of(0, json!({ "move": "e2e5" }))),
            (white, of(0, json!({ "move": { "index": 9_999 } }))),
            (white, of(0, json!({ "move": "f2f3", "commentary": "x".repeat(COMMENTARY.max + 1) }))),
            (white, of(7, json!({ "move": "f2f3" }))),
            (white, of(0, json!({ "move": "f2f3", "commentary": "I have \"a plan\" </script>" }))),
            (white, of(0, json!({ "move": "f2f3" }))),
            (black, of(1, json!({ "draw_accept": true }))),
            (black, of(1, json!({ "move": "e7e5", "draw_offer": true }))),
            (white, of(2, json!({ "move": "g2g4" }))),
        ];
        for (person, body) in script {
            let unsigned = body.clone();
            self.post(person, &moves, &person.signed(body)).await;
            if unsigned.get("turn_index") == Some(&json!(1)) {
                self.post(person, &moves, &unsigned).await;
                self.get(person, &view).await;
            }
        }
        self.end_a_wait(white, black, &moves, of(3, json!({ "move": "d8h4" }))).await;
        self.post(white, &moves, &white.signed(of(4, json!({ "resign": true })))).await;
        self.get(white, "/api/my/games?status=ended").await;
        self.get(black, &view).await;
    }

    /// One waits for a turn that never comes, because the other's move ends the game; the wait ends with it.
    async fn end_a_wait(&mut self, waiting: &Person, mover: &Person, moves: &str, body: Value) {
        const PULSE: &str = "/api/pulse?wait=25";
        let body = mover.signed(body).to_string().into_bytes();
        let challenges = (self.challenge(&waiting.handle).await, self.challenge(&mover.handle).await);
        let (Some(to_wait), Some(to_move)) = challenges else { return };
        let held = headers(waiting, &to_wait, "GET", "/api/pulse", None);
        let moved = headers(mover, &to_move, "POST", moves, Some(&body));
        let begun = tokio::time::Instant::now();
        let waited = async { (self.send("GET", PULSE, &held, None).await, begun.elapsed()) };
        let ending = async {
            tokio::time::sleep(AFTER).await;
            self.send("POST", moves, &moved, Some(body)).await
        };
        let ((held, took), ended) = tokio::join!(waited, ending);
        let how = if took < SOON { "answered by the end" } else { "answered too late" };
        self.keep(&format!("POST {moves} {} while the other waits", mover.handle), ended);
        self.keep(&format!("GET {PULSE} {} {how}", waiting.handle), held);
    }

    /// Until a checkpoint covers the game to its end, which takes up to a second.
    async fn wait_for_the_log(&self, game: &GameId) {
        for _ in 0..MOST_POLLS {
            let events = self.count(&format!("/api/games/{game}/events"), "/data/events").await;
            let covered = self.count(&format!("/api/games/{game}/proof"), "/data/proof/leaves").await;
            if events.is_some() && events == covered {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// How many entries there are in a list of a public document.
    async fn count(&self, path: &str, list: &str) -> Option<usize> {
        let (_, _, body) = self.send("GET", path, &[], None).await?;
        let document: Value = serde_json::from_slice(&body).ok()?;
        Some(document.pointer(list)?.as_array()?.len())
    }

    /// A public document.
    async fn read(&mut self, path: &str) {
        self.ask("", "GET", path, &[], None).await;
    }

    /// A signed read.
    async fn get(&mut self, person: &Person, path: &str) {
        let Some(challenge) = self.challenge(&person.handle).await else { return };
        let signed_path = path.split('?').next().unwrap_or(path);
        let headers = headers(person, &challenge, "GET", signed_path, None);
        self.ask(person.handle.as_str(), "GET", path, &headers, None).await;
    }

    /// A signed write.
    async fn post(&mut self, person: &Person, path: &str, body: &Value) {
        let Some(challenge) = self.challenge(&person.handle).await else { return };
        let body = body.to_string().into_bytes();
        let headers = headers(person, &challenge, "POST", path, Some(&body));
        self.ask(person.handle.as_str(), "POST", path, &headers, Some(body)).await;
    }

    /// A signed read that is not compared.
    async fn quietly(&mut self, person: &Person, path: &str) -> Value {
        let Some(challenge) = self.challenge(&person.handle).await else { return Value::Null };
        let headers = headers(person, &challenge, "GET", path, None);
        let answer = self.send("GET", path, &headers, None).await;
        answer.map_or(Value::Null, |(_, _, body)| serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn challenge(&self, handle: &Handle) -> Option<Challenge> {
        let (_, _, body) =
            self.send("GET", &format!("/api/auth/challenge?agent={handle}"), &[], None).await?;
        let answer: Value = serde_json::from_slice(&body).ok()?;
        Challenge::parse(answer.pointer("/data/challenge")?.as_str()?)
    }

    /// Sends a request and keeps the exchange.
    async fn ask(
        &mut self,
        how: &str,
        method: &str,
        path: &str,
        headers: &[(&'static str, String)],
        body: Option<Vec<u8>>,
    ) {
        let answered = self.send(method, path, headers, body).await;
        self.keep(&format!("{method} {path} {how}"), answered);
    }

    /// Keeps an exchange.
    fn keep(&mut self, asked: &str, answered: Option<(u16, String, Vec<u8>)>) {
        let (status, content_type, body) = answered.unwrap_or_default();
        let mut text = String::from_utf8_lossy(&body).into_owned();
        for (own, stands) in &self.own {
            text = text.replace(own, stands);
        }
        let answer = match serde_json::from_str::<Value>(&text) {
            Ok(mut value) => {
                self.placeholders.fill(&mut value);
                format!("{value:#}")
            }
            Err(_) => self.placeholders.in_text(&text),
        };
        let asked = self.placeholders.in_text(asked);
        self.exchanges.push(Exchange { asked, status, content_type, answer });
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&'static str, String)],
        body: Option<Vec<u8>>,
    ) -> Option<(u16, String, Vec<u8>)> {
        let address = format!("{}{path}", self.hall);
        let mut all: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        if body.is_some() {
            all.push(("content-type", "application/json"));
        }
        let asked = Asked { method, address: &address, headers: &all, body: body.map(Into::into) };
        let fetched = send(self.link, asked, MOST_ANSWER_BYTES, ANSWER_TIMEOUT).await.ok()?;
        let content_type = fetched.header("content-type").unwrap_or_default().to_owned();
        Some((fetched.status, content_type, fetched.body.to_vec()))
    }
}

fn lobby() -> Value {
    json!({ "game": "chess", "variant": "standard", "division": "pure" })
}

fn headers(
    person: &Person,
    challenge: &Challenge,
    method: &str,
    path: &str,
    body: Option<&[u8]>,
) -> [(&'static str, String); 3] {
    let text = message::auth(&person.handle, challenge, method, path, body.map(Digest::of).as_ref());
    [
        ("x-svc-agent", person.handle.to_string()),
        ("x-svc-challenge", challenge.to_string()),
        ("x-svc-signature", person.key.sign(text.as_bytes()).to_string()),
    ]
}
