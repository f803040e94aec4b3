//! A whole hall in memory behind a real socket, and agents that speak to it in bare HTTP.

use crate::journal::{Reads, WatchedJournal};
use hall_core::{AdapterKind, BeaconChain, Caller, Command, Entropy, HallKeys, HallSettings, Timing, Word};
use hall_driver::{Challenges, ManualClock, NoDoorbells, Running, StartOptions};
use hall_games::{CATALOG, Catalog};
use hall_http::{
    HttpSettings, LogSigner, NodeView, Route, RunningServer, Shell, ShellParts, StreamThreads, serve,
    serve_admin,
};
use hall_journal::{MemoryJournal, MemoryStorage};
use hall_wire::json::canonical;
use hall_wire::key::PrivateKey;
use hall_wire::message::{self, Challenge};
use hall_wire::{Digest, GameId, Handle, Span, Timestamp};
use rand_pcg::rand_core::Rng as _;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A running hall.
pub(crate) struct TestHall {
    pub(crate) address: SocketAddr,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) engine: hall_driver::Engine,
    pub(crate) reads: Arc<Reads>,
    storage: MemoryStorage,
    running: Running,
    server: RunningServer,
    admin: RunningServer,
}

/// What a hall is started with.
struct Parts {
    settings: HttpSettings,
    hall_settings: HallSettings,
    signing: bool,
    node: Option<NodeView>,
    catalog: Catalog,
    clock: Arc<ManualClock>,
    storage: MemoryStorage,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            settings: settings(),
            hall_settings: hall_settings(),
            signing: true,
            node: None,
            catalog: CATALOG,
            clock: Arc::new(ManualClock::new(Timestamp::from_millis(1_795_211_400_000))),
            storage: MemoryStorage::default(),
        }
    }
}

/// Settings that do not limit tests from one address.
pub(crate) fn settings() -> HttpSettings {
    HttpSettings { requests_per_minute: 0, ..HttpSettings::default() }
}

/// Settings of the hall with small quotas.
pub(crate) fn hall_settings() -> HallSettings {
    let timing = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
    HallSettings {
        joins_per_day: 4,
        concurrent_games: 2,
        feedback_per_day: 1,
        timing: [(Word::parse("chess").unwrap(), timing)].into(),
        ..HallSettings::default()
    }
}

struct Pcg(rand_pcg::Pcg64);

impl Entropy for Pcg {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

impl TestHall {
    pub(crate) async fn start(settings: HttpSettings) -> Self {
        Self::signing(settings, true).await
    }

    /// A hall that signs checkpoints, or does not.
    pub(crate) async fn signing(settings: HttpSettings, signing: bool) -> Self {
        Self::of(Parts { settings, signing, ..Parts::default() }).await
    }

    /// One process of a hall on several machines.
    pub(crate) async fn node(node: NodeView) -> Self {
        Self::of(Parts { node: Some(node), ..Parts::default() }).await
    }

    /// A hall without a quota of joins.
    pub(crate) async fn with_many_joins() -> Self {
        let hall_settings = HallSettings { joins_per_day: 0, ..hall_settings() };
        Self::of(Parts { hall_settings, ..Parts::default() }).await
    }

    /// A hall whose games wait for the rounds of a beacon.
    pub(crate) async fn with_beacon(chain: BeaconChain) -> Self {
        let hall_settings = HallSettings { beacon: Some(chain), ..hall_settings() };
        Self::of(Parts { hall_settings, ..Parts::default() }).await
    }

    /// Stops this hall, and starts one with these games where it left off.
    pub(crate) async fn continue_with(self, catalog: Catalog) -> Self {
        let (clock, storage) = (Arc::clone(&self.clock), self.storage.clone());
        self.stop().await;
        Self::of(Parts { catalog, clock, storage, ..Parts::default() }).await
    }

    async fn of(parts: Parts) -> Self {
        let Parts { settings, hall_settings, signing, node, catalog, clock, storage } = parts;
        let reads = Arc::<Reads>::default();
        let inner = MemoryJournal::open(&storage);
        let running = hall_driver::start(
            StartOptions {
                catalog,
                settings: hall_settings,
                keys: HallKeys { log: log_signer().public(), ring: "whpk_AA".to_owned() },
                journal: Box::new(WatchedJournal { inner, reads: Arc::clone(&reads) }),
                clock: Arc::<ManualClock>::clone(&clock),
                entropy: Box::new(Pcg(rand_pcg::Pcg64::new(7, 7))),
                reserve_bytes: 0,
                snapshot_every: 0,
                signing,
            },
            Box::new(|error| panic!("the journal failed: {error}")),
        )
        .unwrap();
        let shell = Shell::new(ShellParts {
            engine: running.engine.clone(),
            challenges: Arc::new(Challenges::of_run(&[1; 32], settings.challenge_validity)),
            settings,
            run_secret: [1; 32],
            operator_secret: [2; 32],
            log: Arc::new(log_signer()),
            beacon_public_key: None,
            beacon: Arc::default(),
            house_agents: Default::default(),
            witnesses: Vec::new(),
            doorbells: Arc::new(NoDoorbells),
            node,
            stream_threads: Some(StreamThreads::start(|| {}).unwrap()),
        });
        let admin = serve_admin(&shell, TcpListener::bind("127.0.0.1:0").await.unwrap()).unwrap();
        let server = serve(shell, TcpListener::bind("127.0.0.1:0").await.unwrap()).await.unwrap();
        let engine = running.engine.clone();
        Self { address: server.local_addr(), clock, engine, reads, storage, running, server, admin }
    }

    pub(crate) async fn stop(self) {
        self.engine.announce_stop();
        tokio::join!(self.server.stop(), self.admin.stop());
        self.running.stop().unwrap();
    }

    /// Sends raw bytes on a new connection, and reads the whole answer.
    pub(crate) async fn raw(&self, request: &[u8]) -> Reply {
        exchange(self.address, request).await
    }

    /// Asks the listener for the hall's operator.
    pub(crate) async fn admin(&self, path: &str) -> Reply {
        exchange(self.admin.local_addr(), &Sent::new("GET", path).bytes()).await
    }

    /// Returns when the challenge of a request in flight is spent: only its wait is left then.
    pub(crate) async fn until_spent(&self, agent: &Agent, challenge: &Challenge) {
        let mut junk = agent.sign(challenge, "GET", "/api/my/games", None);
        junk.without("X-Svc-Signature").header("X-Svc-Signature", &"0".repeat(128));
        while self.send(&junk).await.code() != "CHALLENGE_SPENT" {}
    }

    /// Returns when a game that has ended is in memory no more.
    pub(crate) async fn until_archived(&self, game: &str) {
        let game = GameId::parse(game).unwrap();
        while self.engine.read(|hall| hall.rooms().find(&game).is_some()).await.unwrap() {}
    }

    pub(crate) async fn send(&self, request: &Sent) -> Reply {
        self.raw(&request.bytes()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(&Sent::new("GET", path)).await
    }

    /// The body of a binary answer.
    pub(crate) async fn bytes(&self, path: &str) -> Vec<u8> {
        self.bytes_for(&Sent::new("GET", path)).await
    }

    /// The same for a whole request.
    pub(crate) async fn bytes_for(&self, request: &Sent) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(&request.bytes()).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let head = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        assert!(bytes.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&bytes));
        bytes.split_off(head + 4)
    }

    /// A registered and homologated agent under a new operator.
    pub(crate) async fn agent(&self, name: &str) -> Agent {
        let agent = self.newcomer(name).await;
        let reply = agent.post(self, "/api/agents", &agent.registration()).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        for division in ["open", "pure"] {
            let path = format!("/api/agents/{}/homologate", agent.id());
            let reply = agent.post(self, &path, &filing(division)).await;
            assert_eq!(reply.status, 200, "{}", reply.body);
        }
        agent
    }

    /// An agent that is not registered yet.
    pub(crate) async fn newcomer(&self, name: &str) -> Agent {
        let seed = *Digest::of(name.as_bytes()).as_bytes();
        Agent { handle: Handle::parse(name).unwrap(), key: PrivateKey::from_seed(&seed) }
    }

    pub(crate) async fn challenge(&self, handle: &Handle) -> Challenge {
        let reply = self.get(&format!("/api/auth/challenge?agent={handle}")).await;
        Challenge::parse(reply.data()["challenge"].as_str().unwrap()).unwrap()
    }

    /// Two agents in a live game: first the one to move.
    pub(crate) async fn game(&self, one: &str, other: &str) -> (Agent, Agent, String) {
        self.game_of("chess", one, other).await
    }

    /// Starts a game of `game` between two new agents, who are given in the order of their seats.
    pub(crate) async fn game_of(&self, game: &str, one: &str, other: &str) -> (Agent, Agent, String) {
        let (one, other) = (self.agent(one).await, self.agent(other).await);
        let id = self.pair_at(game, &one, &other).await;
        let view = one.get(self, &format!("/api/games/{id}/view")).await;
        let first = view.data()["view"]["you"]["player"] == "p0";
        if first { (one, other, id) } else { (other, one, id) }
    }

    /// Pairs two agents for chess in the open division.
    pub(crate) async fn pair(&self, one: &Agent, other: &Agent) -> String {
        self.pair_at("chess", one, other).await
    }

    async fn pair_at(&self, game: &str, one: &Agent, other: &Agent) -> String {
        let lobby = json!({ "game": game, "division": "open" });
        let waits = one.post(self, "/api/lobby/join", &lobby).await;
        assert_eq!((waits.status, &waits.data()["paired"]), (201, &json!(false)), "{}", waits.body);
        let paired = other.post(self, "/api/lobby/join", &lobby).await;
        assert_eq!((paired.status, &paired.data()["paired"]), (201, &json!(true)), "{}", paired.body);
        paired.data()["game_id"].as_str().unwrap().to_owned()
    }

    /// Gives a command as the hall's operator.
    pub(crate) async fn command(&self, command: Command) {
        let arrival = self.engine.arrive();
        self.engine.submit(arrival, Caller::Operator, command).await.unwrap().unwrap();
    }
}

async fn exchange(address: SocketAddr, request: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    Reply::parse(&bytes)
}

/// The path of a route with what it needs, for the game with this id between `one` and `two`.
pub(crate) fn path_of(route: &Route, id: &str) -> String {
    let path = route.path.replace("{id}", id).replace("{game}", "chess").replace("{*rest}", "checkpoint");
    let path = path.replace("{handle}", "one").replace("{opponent}", "two");
    match path.as_str() {
        "/api/auth/challenge" => format!("{path}?agent=one"),
        "/api/leaderboards/cross" => format!("{path}?game=chess&variant=standard&division=open"),
        "/api/log/proof" => format!("{path}?leaf=0"),
        "/api/checkpoint/consistency" => format!("{path}?from=1&to=1"),
        _ => path,
    }
}

pub(crate) fn filing(division: &str) -> Value {
    json!({
        "season_id": "current", "division": division, "model_id": "test-model", "adapter_kind": AdapterKind::Api.as_str(),
        "endpoint_url": null, "system_prompt_sha256": "0".repeat(64), "config_sha256": "0".repeat(64),
        "tool_access": "pure",
    })
}

/// An agent with its key.
pub(crate) struct Agent {
    pub(crate) handle: Handle,
    pub(crate) key: PrivateKey,
}

impl Agent {
    pub(crate) fn id(&self) -> String {
        hall_wire::AgentId::of_key(&self.key.public()).to_string()
    }

    pub(crate) fn registration(&self) -> Value {
        json!({
            "handle": self.handle.as_str(), "model_id": "test-model", "pubkey": self.key.public().to_string(),
            "operator_token": format!("the token of {}", self.handle),
        })
    }

    /// A signed request that can be sent unchanged or spoiled first.
    pub(crate) fn sign(&self, challenge: &Challenge, method: &str, path: &str, body: Option<&str>) -> Sent {
        let signed_path = path.split('?').next().unwrap();
        let digest = body.map(|body| Digest::of(body.as_bytes()));
        let message = message::auth(&self.handle, challenge, method, signed_path, digest.as_ref());
        let mut sent = Sent::new(method, path);
        sent.header("X-Svc-Agent", self.handle.as_str());
        sent.header("X-Svc-Challenge", &challenge.to_string());
        sent.header("X-Svc-Signature", &self.key.sign(message.as_bytes()).to_string());
        sent.body = body.map(str::to_owned);
        sent
    }

    pub(crate) async fn get(&self, hall: &TestHall, path: &str) -> Reply {
        let challenge = hall.challenge(&self.handle).await;
        hall.send(&self.sign(&challenge, "GET", path, None)).await
    }

    pub(crate) async fn post(&self, hall: &TestHall, path: &str, body: &Value) -> Reply {
        let challenge = hall.challenge(&self.handle).await;
        hall.send(&self.sign(&challenge, "POST", path, Some(&body.to_string()))).await
    }

    /// A body of the moves endpoint with its signature.
    pub(crate) fn move_body(&self, game: &str, turn_index: u32, fields: &Value) -> Value {
        let mut body = json!({ "game_id": game, "turn_index": turn_index });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let digest = Digest::of(canonical(&body).as_bytes());
        let message = message::game_move(&GameId::parse(game).unwrap(), turn_index, &digest);
        let signature = self.key.sign(message.as_bytes()).to_string();
        body.as_object_mut().unwrap().insert("signature".to_owned(), signature.into());
        body
    }

    pub(crate) async fn play(&self, hall: &TestHall, game: &str, turn_index: u32, fields: &Value) -> Reply {
        let body = self.move_body(game, turn_index, fields);
        self.post(hall, &format!("/api/games/{game}/moves"), &body).await
    }
}

/// A request that is about to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<String>,
}

impl Sent {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        let headers = vec![
            ("Host".to_owned(), "hall.example".to_owned()),
            ("Connection".to_owned(), "close".to_owned()),
        ];
        Self { method: method.to_owned(), path: path.to_owned(), headers, body: None }
    }

    pub(crate) fn header(&mut self, name: &str, value: &str) -> &mut Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(&mut self, name: &str) -> &mut Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &self.body {
            text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        } else {
            text.push_str("\r\n");
        }
        text.into_bytes()
    }
}

/// An answer as it was received.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text.as_str(), ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Self { status: status.unwrap_or(0), headers, body: body.to_owned() }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    pub(crate) fn data(&self) -> Value {
        let envelope = self.json();
        assert_eq!(envelope["ok"], true, "{}", self.body);
        envelope["data"].clone()
    }

    /// The error code of a failure, whose envelope must be whole.
    pub(crate) fn code(&self) -> String {
        let envelope = self.json();
        assert_eq!(envelope["ok"], false, "{}", self.body);
        assert!(envelope["metadata"]["boundary"].is_string(), "{}", self.body);
        assert!(envelope["metadata"]["untrusted_fields"].is_array(), "{}", self.body);
        assert!(!envelope["error"]["message"].as_str().unwrap().is_empty());
        assert_eq!(self.header("content-type"), Some("application/json; charset=utf-8"));
        envelope["error"]["code"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn log_signer() -> LogSigner {
    LogSigner::new("hall.example", PrivateKey::from_seed(&[3; 32]))
}
