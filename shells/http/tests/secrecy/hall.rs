//! A hall in memory: the real service over the real driver, on one thread, with a manual clock.

use crate::agent::{Agent, NAMES, filing};
use crate::settings::{BEGIN, CATALOG, chain_hash, settings};
use crate::wire::{Heard, converse, send};
use hall_core::rooms::Room;
use hall_core::{Answer, Caller, Command, DeskCommand, Division, Entropy, HallKeys, JoinLobby, RoomCommand};
use hall_driver::{Challenges, Driven, Engine, ManualClock, NoDoorbells, StartOptions};
use hall_games::STANDARD;
use hall_http::{HttpSettings, LogSigner, Shell, ShellParts, admin_service, service};
use hall_journal::{JournalError, MemoryJournal, MemoryStorage};
use hall_wire::key::PrivateKey;
use hall_wire::{Digest, GameId, Span};
use salvo::Service;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The longest interval between two looks of the hall at its clock while time passes.
const CLOCK_INTERVAL_MS: u64 = 500;

/// Numbers that are the same in every hall.
struct Counting(u64);

impl Entropy for Counting {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0 += 1;
        let digest = Digest::of(&self.0.to_be_bytes());
        bytes.iter_mut().zip(digest.as_bytes().iter().cycle()).for_each(|(to, from)| *to = *from);
    }
}

/// A running hall with its agents.
pub(crate) struct TestHall {
    runtime: Runtime,
    engine: Engine,
    service: Arc<Service>,
    admin: Service,
    clock: Arc<ManualClock>,
    stop: oneshot::Sender<()>,
    writer: JoinHandle<Result<(), JournalError>>,
    pub(crate) agents: [Agent; 4],
    /// What is played.
    pub(crate) games: &'static [&'static str],
    streams: Vec<(GameId, Heard)>,
}

impl TestHall {
    /// A hall on this storage, with or without a beacon, in which these games are played.
    pub(crate) fn start(storage: &MemoryStorage, beacon: bool, games: &'static [&'static str]) -> Self {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let clock = Arc::new(ManualClock::new(BEGIN));
        let options = StartOptions {
            catalog: CATALOG,
            settings: settings(beacon),
            keys: HallKeys { log: log_signer().public(), ring: "whpk_AA".to_owned() },
            journal: Box::new(MemoryJournal::open(storage)),
            clock: Arc::<ManualClock>::clone(&clock),
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
            beacon_public_key: beacon.then(|| "ab".repeat(96)),
            beacon: Arc::default(),
            house_agents: Default::default(),
            witnesses: Vec::new(),
            doorbells: Arc::new(NoDoorbells),
            node: None,
            stream_threads: None,
        });
        let (stop, stopped) = oneshot::channel();
        let writer = runtime.spawn(async move {
            driven.run(async { drop(stopped.await) }, async |_| {}).await?;
            driven.end()
        });
        let (service, admin) = (Arc::new(service(Arc::clone(&shell))), admin_service(shell));
        let agents = NAMES.map(Agent::named);
        Self { runtime, engine, service, admin, clock, stop, writer, agents, games, streams: Vec::new() }
    }

    /// Registers all agents and begins each of the games.
    pub(crate) fn fill(&self) {
        for agent in &self.agents {
            self.command(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(agent.as_new()))).unwrap();
            let filing = Command::Desk(DeskCommand::FileHomologation { agent: agent.id, filing: filing() });
            self.command(Caller::Agent(agent.id), filing).unwrap();
        }
        for game in self.games {
            let seats = CATALOG.find(game).unwrap().describe().players_of(STANDARD).unwrap().min;
            for agent in self.agents.iter().take(usize::from(seats)) {
                let (game, variant) = ((*game).to_owned(), STANDARD.to_owned());
                let lobby = JoinLobby { game, variant, division: Division::Open };
                self.command(Caller::Agent(agent.id), Command::Desk(DeskCommand::JoinLobby(lobby))).unwrap();
            }
        }
        self.pass(2_000);
    }

    /// Shuts down cleanly.
    pub(crate) fn stop(self) {
        let Self { runtime, stop, writer, .. } = self;
        stop.send(()).unwrap();
        runtime.block_on(writer).unwrap().unwrap();
    }

    /// Gives a command as the hall itself or its operator gives it.
    pub(crate) fn command(&self, who: Caller, what: Command) -> Answer {
        let Self { engine, runtime, .. } = self;
        runtime.block_on(async { engine.submit(engine.arrive(), who, what).await.unwrap() })
    }

    /// A round of the beacon becomes known.
    pub(crate) fn receive_round(&self, round: u64, randomness: Digest) {
        let signature = randomness.to_hex().repeat(2).split_off(32);
        let chain_hash = chain_hash();
        let what = Command::Room(RoomCommand::ReceiveBeacon {
            chain_hash,
            round,
            randomness,
            signature,
            after: None,
        });
        self.command(Caller::Hall, what).unwrap();
    }

    /// Lets time pass, in which the hall does what is due.
    pub(crate) fn pass(&self, mut millis: u64) {
        while millis > 0 {
            let step = millis.min(CLOCK_INTERVAL_MS);
            millis -= step;
            self.clock.advance(Span::from_millis(step));
            self.runtime.block_on(async { tokio::time::sleep(Duration::from_millis(step)).await });
        }
    }

    /// Sends a request, signed by an agent or unsigned, and reads the whole answer.
    pub(crate) fn ask(&self, agent: Option<&Agent>, asked: &Asked) -> Vec<u8> {
        let body = asked.body.as_ref().map(Value::to_string);
        let mut head =
            format!("{} {} HTTP/1.1\r\nhost: hall\r\nconnection: close\r\n", asked.verb, asked.path);
        if let Some(accept) = asked.accept {
            head += &format!("accept: {accept}\r\n");
        }
        if let Some(agent) = agent {
            let challenge = self.challenge(agent);
            head += &agent.headers(&challenge, asked.verb, &asked.path, body.as_deref());
        }
        let body = body.unwrap_or_default();
        if asked.verb == "POST" {
            head += &format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        }
        self.runtime.block_on(send(&self.service, format!("{head}\r\n{body}").as_bytes()))
    }

    fn challenge(&self, agent: &Agent) -> String {
        let asked = Asked::get(format!("/api/auth/challenge?agent={}", agent.handle));
        let answer = String::from_utf8(self.ask(None, &asked)).unwrap();
        let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        body["data"]["challenge"].as_str().unwrap().to_owned()
    }

    /// Asks the address that only the operator reaches.
    pub(crate) fn ask_admin(&self, path: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nhost: hall\r\nconnection: close\r\n\r\n");
        String::from_utf8(self.runtime.block_on(send(&self.admin, request.as_bytes()))).unwrap()
    }

    /// Follows a game as a spectator from now on.
    pub(crate) fn follow(&mut self, game: GameId) {
        let (heard, service) = (Heard::default(), Arc::clone(&self.service));
        self.streams.push((game, Arc::clone(&heard)));
        let request = format!(
            "GET /api/games/{game}/events HTTP/1.1\r\nhost: hall\r\naccept: text/event-stream\r\n\r\n"
        );
        self.runtime.spawn(async move { converse(&service, request.as_bytes(), heard).await });
    }

    /// The events that the followers have received so far.
    pub(crate) fn heard(&self) -> impl Iterator<Item = (GameId, Vec<u8>)> {
        self.streams.iter().map(|(game, heard)| (*game, heard.lock().unwrap().clone()))
    }

    /// The game with this name, live or ended.
    pub(crate) fn room(&self, name: &str) -> Arc<Room> {
        let is_it = |room: &Room| room.variant().game.as_str() == name;
        let in_memory = self.engine.peek(|hall| hall.rooms().iter().find(|room| is_it(room)).cloned());
        in_memory.unwrap_or_else(|| {
            let archive = self.engine.archive();
            let ended = archive.ended_games(None, 2).unwrap().into_iter();
            ended.filter_map(|game| archive.ended_room(&game).unwrap()).find(|room| is_it(room)).unwrap()
        })
    }

    /// All live games.
    pub(crate) fn rooms(&self) -> Vec<Arc<Room>> {
        self.games.iter().map(|game| self.room(game)).collect()
    }

    /// Leaves that the newest checkpoint covers.
    pub(crate) fn covered(&self) -> u64 {
        self.engine.log().newest().map_or(0, |newest| newest.head.size)
    }
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) verb: &'static str,
    pub(crate) path: String,
    pub(crate) accept: Option<&'static str>,
    pub(crate) body: Option<Value>,
}

impl Asked {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { verb: "GET", path: path.into(), accept: None, body: None }
    }

    pub(crate) fn post(path: impl Into<String>, body: Value) -> Self {
        Self { verb: "POST", path: path.into(), accept: None, body: Some(body) }
    }

    /// A post with an empty body.
    pub(crate) fn empty_post(path: impl Into<String>) -> Self {
        Self::post(path, json!({}))
    }
}

fn log_signer() -> LogSigner {
    LogSigner::new("hall.example", PrivateKey::from_seed(&[3; 32]))
}
