//! Writes a journal of the present version, with every kind of fact in it, as JSON lines on standard output.
//!
//! The lines are kept under `tests/golden/`, one file for each version, kept forever. Run it only to add a file for a
//! new version: `cargo run -p hall-driver --example golden_journal > shells/driver/tests/golden/journal-vN.jsonl`.

use hall_core::{
    AdapterKind, Caller, Choice, Command, DeskCommand, Division, DocketKind, Entropy, FeedbackKind, Filing,
    GameVerdict, GovernanceCommand, HallCommand, HallKeys, HallSettings, JoinLobby, MoveSubmission, NewAgent,
    NewFeedback, Reply, RoomCommand, SeasonId, SignatureCheck, SignedBody, Timing, ToolAccess, Word,
};
use hall_driver::{Engine, ManualClock, StartOptions, start};
use hall_journal::MemoryJournal;
use hall_wire::key::PrivateKey;
use hall_wire::message::{self, Challenge};
use hall_wire::{AgentId, Digest, GameId, Handle, Notation, OperatorId, Span, Timestamp};
use std::sync::Arc;

struct Counting(u64);

impl Entropy for Counting {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0 += 1;
        let digest = Digest::of(&self.0.to_be_bytes());
        bytes.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
    }
}

struct Script {
    engine: Engine,
    clock: Arc<ManualClock>,
}

fn main() {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_795_000_000_000)));
    let running = start(
        StartOptions {
            catalog: hall_games::CATALOG,
            settings: settings(),
            keys: HallKeys { log: "hall.example+00000000+AA==".into(), ring: "whpk_AA==".into() },
            journal: Box::new(MemoryJournal::new()),
            clock: clock.clone(),
            entropy: Box::new(Counting(0)),
            reserve_bytes: 0,
            snapshot_every: 0,
            signing: true,
        },
        Box::new(|reason| panic!("{reason}")),
    )
    .expect("a fresh hall starts");
    let script = Script { engine: running.engine.clone(), clock };
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(script.run());
    let reader = Arc::clone(running.engine.archive().reader());
    running.stop().expect("the hall stops");
    for record in reader.records(1, usize::MAX).expect("the journal reads") {
        println!("{}", String::from_utf8(record.bytes).expect("records are JSON"));
    }
}

fn settings() -> HallSettings {
    let chess = Timing { move_time: Span::from_secs(4), side_time: Some(Span::from_secs(2_400)) };
    HallSettings {
        timing: [(Word::parse("chess").expect("a word"), chess)].into(),
        ..HallSettings::default()
    }
}

impl Script {
    async fn run(&self) {
        let ada = self.register("ada", 1, Some("Countess & Co 😀")).await;
        let bob = self.register("bob", 2, None).await;
        let eve = self.register("eve", 3, None).await;
        for agent in [ada, bob, eve] {
            self.homologate(agent, b"config").await;
        }
        self.mate(ada, bob).await;
        self.forfeit(ada, bob).await;
        self.grant(Caller::Agent(eve), Command::Desk(DeskCommand::JoinLobby(lobby()))).await;
        self.grant(Caller::Agent(eve), Command::Desk(DeskCommand::LeaveLobby(lobby()))).await;
        self.grant(Caller::Agent(eve), Command::Desk(DeskCommand::JoinLobby(lobby()))).await;
        self.homologate(eve, b"another config").await;
        self.feedback(eve).await;
        self.broken_off(ada, bob).await;
        self.govern().await;
        self.pair(ada, bob).await;
        self.pass(6_000).await;
    }

    async fn mate(&self, ada: AgentId, bob: AgentId) {
        let (game, seats) = self.pair(ada, bob).await;
        for (turn, text) in ["f2f3", "e7e5", "g2g4", "d8h4"].into_iter().enumerate() {
            self.clock.advance(Span::from_millis(700));
            self.submit(game, seats, turn, |request| MoveSubmission {
                choice: Notation::parse(text).map(Choice::Notation),
                draw_offer: turn == 0,
                commentary: (turn == 1).then(|| "naïve? 😀".to_owned()),
                ..request
            })
            .await;
        }
    }

    /// Illegal moves and missed deadlines until the third strike.
    async fn forfeit(&self, ada: AgentId, bob: AgentId) {
        let (game, seats) = self.pair(ada, bob).await;
        for _ in 0..3 {
            self.submit(game, seats, 0, |request| MoveSubmission {
                choice: Some(Choice::Unparsable),
                ..request
            })
            .await;
        }
        for _ in 0..6 {
            self.pass(4_001).await;
        }
    }

    async fn broken_off(&self, ada: AgentId, bob: AgentId) {
        let (game, _) = self.pair(ada, bob).await;
        let reason = "An engine was wrong.".to_owned();
        self.grant(
            Caller::Operator,
            Command::Room(RoomCommand::Adjudicate { game, verdict: GameVerdict::Abort, reason }),
        )
        .await;
    }

    async fn govern(&self) {
        let handle = Handle::parse("eve").expect("a handle");
        let operator = OperatorId::from_bytes([3; 16]);
        let reason = || "For the record.".to_owned();
        let season = |name| SeasonId::parse(name).expect("a season");
        for command in [
            Command::Governance(GovernanceCommand::SuspendAgent { handle: handle.clone(), reason: reason() }),
            Command::Governance(GovernanceCommand::RestoreAgent { handle, reason: reason() }),
            Command::Governance(GovernanceCommand::SuspendOperator { operator, reason: reason() }),
            Command::Governance(GovernanceCommand::RestoreOperator { operator, reason: reason() }),
            Command::Governance(GovernanceCommand::AddDocketEntry {
                kind: DocketKind::Note,
                subject: "A note".to_owned(),
                reason: reason(),
                disposition: Some("None.".to_owned()),
            }),
            Command::Governance(GovernanceCommand::CloseSeason { season: season("s1") }),
            Command::Governance(GovernanceCommand::OpenSeason { season: season("s2") }),
        ] {
            self.grant(Caller::Operator, command).await;
        }
        for name in ["ada", "bob"] {
            let agent = self.engine.peek(|hall| {
                let handle = Handle::parse(name).expect("a handle");
                hall.desk().agent_by_handle(&handle).map(|agent| AgentId::of_key(&agent.key))
            });
            self.homologate(agent.expect("registered"), b"config").await;
        }
    }

    async fn register(&self, name: &str, operator: u8, operator_name: Option<&str>) -> AgentId {
        let new = NewAgent {
            handle: Handle::parse(name).expect("a handle"),
            key: key(name).public(),
            operator: OperatorId::from_bytes([operator; 16]),
            operator_name: operator_name.map(str::to_owned),
            model_id: format!("model of {name}"),
            adapter_kind: Some(AdapterKind::Scaffold),
        };
        let Reply::Registered { agent, .. } =
            self.grant(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new))).await
        else {
            panic!("not registered");
        };
        agent
    }

    async fn homologate(&self, agent: AgentId, config: &[u8]) {
        let filing = Filing {
            season_id: "current".to_owned(),
            division: Division::Open,
            model_id: "model".to_owned(),
            adapter_kind: AdapterKind::Api,
            endpoint_url: Some("https://agent.example/".to_owned()),
            system_prompt_sha256: Digest::of(b"prompt"),
            config_sha256: Digest::of(config),
            tool_access: ToolAccess::EngineAssisted,
        };
        self.grant(Caller::Agent(agent), Command::Desk(DeskCommand::FileHomologation { agent, filing }))
            .await;
    }

    async fn feedback(&self, agent: AgentId) {
        let post = NewFeedback {
            kind: FeedbackKind::Docs,
            subject: "A subject".to_owned(),
            body: "Two\nlines".to_owned(),
            context: Some("{\"game\":\"chess\"}".to_owned()),
        };
        self.grant(Caller::Agent(agent), Command::Desk(DeskCommand::PostFeedback(post))).await;
    }

    /// A game between the two, and its seats in order.
    async fn pair(&self, ada: AgentId, bob: AgentId) -> (GameId, [usize; 2]) {
        self.grant(Caller::Agent(ada), Command::Desk(DeskCommand::JoinLobby(lobby()))).await;
        let Reply::Joined { game: Some(game), .. } =
            self.grant(Caller::Agent(bob), Command::Desk(DeskCommand::JoinLobby(lobby()))).await
        else {
            panic!("not paired");
        };
        let first_is_ada = self.engine.peek(|hall| {
            hall.rooms().find(&game).and_then(|room| room.seats().first().map(|seat| seat.seat.agent == ada))
        });
        (game, if first_is_ada == Some(true) { [0, 1] } else { [1, 0] })
    }

    async fn submit(
        &self,
        game: GameId,
        seats: [usize; 2],
        turn: usize,
        change: impl FnOnce(MoveSubmission) -> MoveSubmission,
    ) {
        let names = ["ada", "bob"];
        let name = seats.get(turn % 2).and_then(|place| names.get(*place)).expect("two seats");
        let turn_index = u32::try_from(turn).expect("few turns");
        let body = format!("{{\"game_id\":\"{game}\",\"turn_index\":{turn_index}}}");
        let sha256 = Digest::of(body.as_bytes());
        let signed = SignedBody {
            signature: key(name).sign(message::game_move(&game, turn_index, &sha256).as_bytes()),
            body,
            sha256,
            challenge: Challenge::from_bytes([7; 32]),
            auth_signature: key(name).sign(b"header"),
            request_sha256: Digest::of(b"request"),
        };
        let request = change(MoveSubmission {
            game,
            turn_index,
            choice: None,
            resign: false,
            draw_offer: false,
            draw_accept: false,
            commentary: None,
            signature_check: SignatureCheck::Valid,
            signed: Some(signed),
        });
        let agent = AgentId::of_key(&key(name).public());
        let arrival = self.engine.arrive();
        // An illegal move is refused, and that is in the journal too.
        let _ = self
            .engine
            .submit(arrival, Caller::Agent(agent), Command::Room(RoomCommand::Submit(request)))
            .await;
    }

    async fn grant(&self, who: Caller, what: Command) -> Reply {
        self.engine.submit(self.engine.arrive(), who, what).await.expect("the hall runs").expect("granted")
    }

    /// Lets time pass, and has what is then due done.
    async fn pass(&self, millis: u64) {
        self.clock.advance(Span::from_millis(millis));
        let nothing = Command::Hall(HallCommand::ArchiveGame { game: GameId::from_bytes([0; 16]) });
        let _ = self.engine.submit(self.engine.arrive(), Caller::Hall, nothing).await;
    }
}

fn key(name: &str) -> PrivateKey {
    PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes())
}

fn lobby() -> JoinLobby {
    JoinLobby { game: "chess".to_owned(), variant: "standard".to_owned(), division: Division::Open }
}
