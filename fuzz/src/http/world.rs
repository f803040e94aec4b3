//! A hall in memory with a game between two agents, and the wire to it.

use super::answer::FirstAnswer;
use hall_core::{
    AdapterKind, Answer, Caller, Command, DeskCommand, Division, Entropy, Filing, Hall, HallKeys,
    HallSettings, JoinLobby, NewAgent, Reply, SeasonId, Timing, ToolAccess, Word,
};
use hall_driver::{Challenges, Driven, Engine, ManualClock, NoDoorbells, StartOptions};
use hall_games::CATALOG;
use hall_http::{HttpSettings, LogSigner, Shell, ShellParts, service};
use hall_journal::MemoryJournal;
use hall_wire::json::canonical;
use hall_wire::key::PrivateKey;
use hall_wire::message::{self, Challenge};
use hall_wire::{AgentId, Digest, GameId, Handle, OperatorId, Span, Timestamp};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use salvo::Service;
use salvo::conn::{ConnCtrl, SocketAddr};
use salvo::http::uri::Scheme;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// The longest that an answer may take, in paused time: streams have no end.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(90);
/// The game in whose lobby the second agent waits.
const LEFT: &str = "hex";
/// Paths to which anything is sent with a good signature; `{game}` and `{agent}` are filled in.
const PATHS: [&str; 8] = [
    "/api/games/{game}/moves",
    "/api/lobby/join",
    "/api/lobby/leave",
    "/api/agents/{agent}/homologate",
    "/api/feedback",
    "/api/agents",
    "/api/doorbell",
    "/api/doorbell/verify",
];

struct Counting(u64);

impl Entropy for Counting {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0 += 1;
        let digest = Digest::of(&self.0.to_be_bytes());
        bytes.iter_mut().zip(digest.as_bytes().iter().cycle()).for_each(|(to, from)| *to = *from);
    }
}

/// An agent with its key.
struct Agent {
    handle: Handle,
    key: PrivateKey,
}

/// A running hall.
pub(super) struct World {
    runtime: Runtime,
    engine: Engine,
    service: Service,
    writer: JoinHandle<Result<(), hall_journal::JournalError>>,
    /// The first is to move.
    agents: [Agent; 2],
    game: GameId,
}

/// A signed request in its parts, each of which the signature covers.
pub(super) struct Genuine {
    method: Vec<u8>,
    path: Vec<u8>,
    handle: Vec<u8>,
    challenge: Vec<u8>,
    signature: Vec<u8>,
    body: Vec<u8>,
}

impl World {
    /// # Panics
    /// If a hall cannot be started.
    #[expect(clippy::unwrap_used, reason = "a fuzz target may panic")]
    pub(super) fn new() -> Self {
        // The clock is paused: time passes only, and at once, when every task waits.
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let options = StartOptions {
            catalog: CATALOG,
            settings: settings(),
            keys: HallKeys { log: log_signer().public(), ring: "whpk_AA".to_owned() },
            journal: Box::new(MemoryJournal::new()),
            clock: Arc::new(ManualClock::new(Timestamp::from_millis(1_795_211_400_000))),
            entropy: Box::new(Counting(0)),
            reserve_bytes: 0,
            snapshot_every: 0,
            signing: true,
        };
        let mut driven = Driven::open(options, None).unwrap();
        let engine = driven.engine().clone();
        let shell = Shell::new(ShellParts {
            engine: engine.clone(),
            settings: HttpSettings { requests_per_minute: 0, ..HttpSettings::default() },
            challenges: Arc::new(Challenges::of_run(&[1; 32], HttpSettings::default().challenge_validity)),
            run_secret: [1; 32],
            operator_secret: [2; 32],
            log: Arc::new(log_signer()),
            beacon_public_key: None,
            beacon: Arc::default(),
            house_agents: Default::default(),
            witnesses: Vec::new(),
            doorbells: Arc::new(NoDoorbells),
            node: None,
            stream_threads: None,
        });
        let writer = runtime.spawn(async move { driven.run(std::future::pending(), async |_| {}).await });
        let ada = runtime.block_on(enroll(&engine, "ada"));
        let bob = runtime.block_on(enroll(&engine, "bob"));
        let game = engine.peek(|hall| hall.rooms().iter().next().unwrap().id());
        let first = engine.peek(|hall| hall.rooms().find(&game).unwrap().seats().first().unwrap().seat.agent);
        let agents = if first == ada.id() { [ada, bob] } else { [bob, ada] };
        runtime.block_on(join(&engine, agents[1].id(), LEFT));
        Self { runtime, engine, service: service(shell), writer, agents, game }
    }

    /// The bytes of a connection in which the game is named.
    pub(super) fn naming_the_game(&self, bytes: &[u8]) -> Vec<u8> {
        const NAME: &[u8] = b"{game}";
        let game = self.game.to_string();
        let (mut named, mut rest) = (Vec::new(), bytes);
        while let Some(at) = rest.windows(NAME.len()).position(|window| window == NAME) {
            let (before, after) = rest.split_at(at);
            named.extend_from_slice(before);
            named.extend_from_slice(game.as_bytes());
            rest = after.get(NAME.len()..).unwrap_or_default();
        }
        named.extend_from_slice(rest);
        named
    }

    /// The digest of the state.
    pub(super) fn digest(&self) -> Digest {
        self.engine.peek(Hall::digest)
    }

    /// The invariants of the state, and whether the writer lives.
    pub(super) fn check(&self) {
        assert!(!self.writer.is_finished(), "the writer has ended");
        self.engine.peek(Hall::check);
    }

    /// Sends bytes on a new connection.
    pub(super) fn send(&self, bytes: &[u8]) -> FirstAnswer {
        let address = || SocketAddr::from(std::net::SocketAddr::from(([127, 0, 0, 1], 9)));
        let handler =
            self.service.hyper_handler(address(), address(), Scheme::HTTP, None, ConnCtrl::new(), None);
        self.runtime.block_on(async {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            let connection = http1::Builder::new()
                .auto_date_header(false)
                .half_close(true)
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(theirs), handler);
            let (mut reader, mut writer) = tokio::io::split(ours);
            let write = async {
                // The hall may close before all bytes are sent.
                let _ = writer.write_all(bytes).await;
                let _ = writer.shutdown().await;
            };
            let mut answer = Vec::new();
            let read = async {
                let mut part = [0; 4096];
                while let Ok(length @ 1..) = reader.read(&mut part).await {
                    answer.extend_from_slice(part.get(..length).unwrap_or_default());
                }
            };
            let all = async { tokio::join!(connection, write, read) };
            let _ = tokio::time::timeout(ANSWER_TIMEOUT, all).await;
            FirstAnswer::read(&answer)
        })
    }

    fn challenge(&self, agent: &Agent) -> Challenge {
        let request =
            format!("GET /api/auth/challenge?agent={} HTTP/1.1\r\nhost: hall\r\n\r\n", agent.handle);
        let told = self.send(request.as_bytes());
        let challenge = told.data("challenge").as_ref().and_then(Value::as_str).and_then(Challenge::parse);
        challenge.unwrap_or_else(|| panic!("no challenge: {told:?}"))
    }

    /// One of the requests that agents make.
    pub(super) fn genuine(&self, which: u8) -> Genuine {
        let [mover, other] = &self.agents;
        let lobby = json!({ "game": "chess", "division": "open" });
        let (agent, path, body) = match which % 5 {
            0 => (mover, 0, self.move_body(mover)),
            1 => (other, 1, lobby),
            2 => (other, 2, json!({ "game": LEFT, "division": "open" })),
            3 => (other, 3, filing()),
            _ => (other, 4, json!({ "kind": "docs", "subject": "a subject", "body": "a body" })),
        };
        self.sign(agent, path, body.to_string().as_bytes())
    }

    /// Any body, with a valid header signature.
    pub(super) fn signed(&self, path: u8, body: &[u8]) -> Genuine {
        let [mover, other] = &self.agents;
        let agent = if path & 0x80 == 0 { mover } else { other };
        self.sign(agent, usize::from(path & 0x7F) % PATHS.len(), body)
    }

    fn sign(&self, agent: &Agent, path: usize, body: &[u8]) -> Genuine {
        let path = PATHS.get(path).copied().unwrap_or_default();
        let path = path.replace("{game}", &self.game.to_string()).replace("{agent}", &agent.id().to_string());
        let challenge = self.challenge(agent);
        let signed = message::auth(&agent.handle, &challenge, "POST", &path, Some(&Digest::of(body)));
        Genuine {
            method: b"POST".to_vec(),
            path: path.into_bytes(),
            handle: agent.handle.as_str().as_bytes().to_vec(),
            challenge: challenge.to_string().into_bytes(),
            signature: agent.key.sign(signed.as_bytes()).to_string().into_bytes(),
            body: body.to_vec(),
        }
    }

    fn move_body(&self, agent: &Agent) -> Value {
        let mut body = json!({ "game_id": self.game.to_string(), "turn_index": 0, "move": "e2e4" });
        let digest = Digest::of(canonical(&body).as_bytes());
        let signature = agent.key.sign(message::game_move(&self.game, 0, &digest).as_bytes());
        if let Some(body) = body.as_object_mut() {
            body.insert("signature".to_owned(), signature.to_string().into());
        }
        body
    }
}

impl Agent {
    fn id(&self) -> AgentId {
        AgentId::of_key(&self.key.public())
    }
}

impl Genuine {
    /// Changes single bytes; whether anything was changed.
    pub(super) fn damage(&mut self, damage: &[u8]) -> bool {
        let before = self.bytes();
        let Self { method, path, handle, challenge, signature, body } = self;
        for change in damage.chunks_exact(3) {
            let [high, low, mask] = change else { continue };
            let place = usize::from(u16::from_be_bytes([*high, *low]));
            let parts = [&mut *method, path, handle, challenge, signature, body];
            let mut bytes: Vec<&mut u8> = parts.into_iter().flatten().collect();
            let length = bytes.len();
            if let Some(byte) = bytes.get_mut(place % length) {
                **byte ^= mask;
            }
        }
        self.bytes() != before
    }

    /// The request as it is sent.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let length = self.body.len().to_string();
        let parts: [&[u8]; 13] = [
            &self.method,
            b" ",
            &self.path,
            b" HTTP/1.1\r\nhost: hall\r\nx-svc-agent: ",
            &self.handle,
            b"\r\nx-svc-challenge: ",
            &self.challenge,
            b"\r\nx-svc-signature: ",
            &self.signature,
            b"\r\ncontent-type: application/json\r\ncontent-length: ",
            length.as_bytes(),
            b"\r\n\r\n",
            &self.body,
        ];
        parts.concat()
    }
}

fn settings() -> HallSettings {
    let timing = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
    HallSettings {
        joins_per_day: 0,
        concurrent_games: 0,
        feedback_per_day: 0,
        timing: Word::parse("chess").map(|chess| (chess, timing)).into_iter().collect(),
        first_season: season(),
        ..HallSettings::default()
    }
}

#[expect(clippy::unwrap_used, reason = "the name is well-formed")]
fn season() -> SeasonId {
    SeasonId::parse("s1").unwrap()
}

/// Registers an agent, files it, and has it join.
#[expect(clippy::unwrap_used, reason = "a fuzz target may panic")]
async fn enroll(engine: &Engine, name: &str) -> Agent {
    let digest = Digest::of(name.as_bytes());
    let agent = Agent { handle: Handle::parse(name).unwrap(), key: PrivateKey::from_seed(digest.as_bytes()) };
    let (id, mut operator) = (agent.id(), [0; 16]);
    operator.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
    let new = NewAgent {
        handle: agent.handle.clone(),
        key: agent.key.public(),
        operator: OperatorId::from_bytes(operator),
        operator_name: None,
        model_id: "model".to_owned(),
        adapter_kind: None,
    };
    let filing = Filing {
        season_id: "current".to_owned(),
        division: Division::Open,
        model_id: "model".to_owned(),
        adapter_kind: AdapterKind::Api,
        endpoint_url: None,
        system_prompt_sha256: Digest::of(b"prompt"),
        config_sha256: Digest::of(b"config"),
        tool_access: ToolAccess::Pure,
    };
    let ask = async |who, what| -> Answer { engine.submit(engine.arrive(), who, what).await.unwrap() };
    ask(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new))).await.unwrap();
    ask(Caller::Agent(id), Command::Desk(DeskCommand::FileHomologation { agent: id, filing })).await.unwrap();
    join(engine, id, "chess").await;
    agent
}

#[expect(clippy::unwrap_used, reason = "a fuzz target may panic")]
async fn join(engine: &Engine, agent: AgentId, game: &str) {
    let (game, variant) = (game.to_owned(), "standard".to_owned());
    let lobby = JoinLobby { game, variant, division: Division::Open };
    let what = Command::Desk(DeskCommand::JoinLobby(lobby));
    let joined = engine.submit(engine.arrive(), Caller::Agent(agent), what).await.unwrap();
    assert!(matches!(joined, Ok(Reply::Joined { .. })), "{agent} does not join: {joined:?}");
}

fn filing() -> Value {
    json!({
        "season_id": "current", "division": "pure", "model_id": "model", "adapter_kind": AdapterKind::Api.as_str(),
        "endpoint_url": null, "system_prompt_sha256": "0".repeat(64), "config_sha256": "0".repeat(64),
        "tool_access": "pure",
    })
}

fn log_signer() -> LogSigner {
    LogSigner::new("hall.example", PrivateKey::from_seed(&[3; 32]))
}
