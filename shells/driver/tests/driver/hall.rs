//! A running hall with a clock, a disk and agents under the test's control.

use hall_core::fixtures::{filing, keys, lobby, registration};
use hall_core::{
    Answer, BeaconChain, Caller, Choice, Command, DeskCommand, Division, Entropy, Filing, HallKeys,
    HallSettings, JoinLobby, MoveSubmission, Reply, RoomCommand, SignatureCheck, SignedBody, Timing, Word,
};
use hall_driver::{
    Driven, Engine, FollowOptions, Follower, HallClock, LeadOptions, ManualClock, Observer, Running,
    StartOptions, Unavailable, start,
};
use hall_journal::{Batch, Head, Journal, JournalError, JournalReader, MemoryJournal, MemoryStorage};
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Digest, GameId, Notation, Signature, Span, Timestamp};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};

/// The disk: it may block, fail, or be full.
#[derive(Default)]
pub(crate) struct Disk {
    state: Mutex<DiskState>,
    changed: Condvar,
}

#[derive(Default)]
struct DiskState {
    held: bool,
    waiting: bool,
    failing: bool,
    free: Option<u64>,
    slow: Option<(Arc<ManualClock>, Span)>,
}

impl Disk {
    /// The next append takes this long on this clock.
    pub(crate) fn be_slow_once(&self, clock: &Arc<ManualClock>, by: Span) {
        self.state.lock().unwrap().slow = Some((Arc::clone(clock), by));
    }

    pub(crate) fn hold(&self) {
        self.state.lock().unwrap().held = true;
    }

    pub(crate) fn release(&self) {
        self.state.lock().unwrap().held = false;
        self.changed.notify_all();
    }

    /// Returns once an append waits for the disk.
    pub(crate) fn until_waiting(&self) {
        let state = self.state.lock().unwrap();
        drop(self.changed.wait_while(state, |state| !state.waiting).unwrap());
    }

    pub(crate) fn fail(&self) {
        self.state.lock().unwrap().failing = true;
    }

    pub(crate) fn set_free(&self, bytes: u64) {
        self.state.lock().unwrap().free = Some(bytes);
    }
}

pub(crate) struct HeldJournal {
    pub(crate) inner: MemoryJournal,
    pub(crate) disk: Arc<Disk>,
}

impl Journal for HeldJournal {
    fn head(&self) -> Head {
        self.inner.head()
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        let mut state = self.disk.state.lock().unwrap();
        state.waiting = true;
        self.disk.changed.notify_all();
        state = self.disk.changed.wait_while(state, |state| state.held).unwrap();
        state.waiting = false;
        if let Some((clock, by)) = state.slow.take() {
            clock.advance(by);
        }
        if state.failing {
            return Err(JournalError::Poisoned);
        }
        drop(state);
        self.inner.append(batch)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        self.inner.reader()
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        Ok(self.disk.state.lock().unwrap().free)
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        Box::new(self.inner).close()
    }
}

struct Seeded(Pcg64Mcg);

impl Entropy for Seeded {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

pub(crate) struct TestHall {
    pub(crate) running: Running,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) disk: Arc<Disk>,
    pub(crate) storage: MemoryStorage,
    pub(crate) failures: Arc<Mutex<Vec<String>>>,
}

pub(crate) const RESERVE: u64 = 1_000;

pub(crate) fn settings() -> HallSettings {
    let chess = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
    HallSettings {
        joins_per_day: 0,
        concurrent_games: 0,
        timing: BTreeMap::from([(Word::parse("chess").unwrap(), chess)]),
        ..HallSettings::default()
    }
}

fn options(
    storage: &MemoryStorage,
    disk: &Arc<Disk>,
    clock: &Arc<ManualClock>,
    snapshot_every: u64,
) -> StartOptions {
    StartOptions {
        catalog: hall_games::CATALOG,
        settings: settings(),
        keys: keys(),
        journal: Box::new(HeldJournal { inner: MemoryJournal::open(storage), disk: Arc::clone(disk) }),
        clock: Arc::clone(clock) as Arc<dyn HallClock>,
        entropy: Box::new(Seeded(Pcg64Mcg::seed_from_u64(1))),
        reserve_bytes: RESERVE,
        snapshot_every,
        signing: true,
    }
}

impl TestHall {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_795_000_000_000)));
        Self::on(MemoryStorage::default(), clock, 0)
    }

    pub(crate) fn on(storage: MemoryStorage, clock: Arc<ManualClock>, snapshot_every: u64) -> Self {
        Self::with_keys(storage, clock, snapshot_every, keys())
    }

    /// A hall in which an agent has at most one live game.
    pub(crate) fn with_one_game_each() -> Self {
        Self::with_settings(HallSettings { concurrent_games: 1, ..settings() })
    }

    /// A hall whose games are bound to rounds of a beacon, which come every three seconds.
    pub(crate) fn with_beacon() -> Self {
        let chain_hash = Digest::of(b"chain");
        let genesis = Timestamp::from_millis(1_692_803_367_000);
        let beacon = Some(BeaconChain { chain_hash, genesis, period: Span::from_secs(3) });
        Self::with_settings(HallSettings { beacon, ..settings() })
    }

    fn with_settings(settings: HallSettings) -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_795_000_000_000)));
        let (storage, disk) = (MemoryStorage::default(), Arc::new(Disk::default()));
        let options = StartOptions { settings, ..options(&storage, &disk, &clock, 0) };
        let running = start(options, Box::new(|reason| panic!("{reason}"))).unwrap();
        Self { running, clock, disk, storage, failures: Arc::default() }
    }

    /// A hall in which no checkpoint is signed.
    pub(crate) fn withheld() -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_795_000_000_000)));
        let (storage, disk) = (MemoryStorage::default(), Arc::new(Disk::default()));
        let options = StartOptions { signing: false, ..options(&storage, &disk, &clock, 0) };
        let running = start(options, Box::new(|reason| panic!("{reason}"))).unwrap();
        Self { running, clock, disk, storage, failures: Arc::default() }
    }

    /// Why a hall does not start on this storage.
    pub(crate) fn refused(storage: &MemoryStorage, clock: &Arc<ManualClock>) -> String {
        match Driven::open(options(storage, &Arc::default(), clock, 0), None) {
            Ok(_) => panic!("it starts"),
            Err(error) => error.to_string(),
        }
    }

    pub(crate) fn with_keys(
        storage: MemoryStorage,
        clock: Arc<ManualClock>,
        snapshot_every: u64,
        keys: HallKeys,
    ) -> Self {
        let disk = Arc::new(Disk::default());
        let failures = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&failures);
        let running = start(
            StartOptions { keys, ..options(&storage, &disk, &clock, snapshot_every) },
            Box::new(move |reason| told.lock().unwrap().push(reason.to_owned())),
        )
        .unwrap();
        Self { running, clock, disk, storage, failures }
    }

    /// A process that follows this hall.
    pub(crate) fn followed(&self) -> Follower {
        Self::follower_of(&self.storage, &self.clock)
    }

    /// A process that follows whatever is on this storage.
    pub(crate) fn follower_of(storage: &MemoryStorage, clock: &Arc<ManualClock>) -> Follower {
        Self::follower_that(true, storage, clock)
    }

    /// The same; `signing` tells whether it publishes checkpoints from the start.
    pub(crate) fn follower_that(
        signing: bool,
        storage: &MemoryStorage,
        clock: &Arc<ManualClock>,
    ) -> Follower {
        Follower::open(FollowOptions {
            catalog: hall_games::CATALOG,
            reader: MemoryJournal::open(storage).reader(),
            until: None,
            clock: Arc::clone(clock) as Arc<dyn HallClock>,
            signing,
        })
        .unwrap()
    }

    /// What a follower of this storage needs to lead.
    pub(crate) fn lead_options(storage: &MemoryStorage) -> LeadOptions {
        LeadOptions {
            settings: settings(),
            keys: keys(),
            journal: Box::new(MemoryJournal::open(storage)),
            entropy: Box::new(Seeded(Pcg64Mcg::seed_from_u64(2))),
            reserve_bytes: RESERVE,
            snapshot_every: 0,
        }
    }

    /// Shuts down cleanly, and continues by hand.
    pub(crate) fn by_hand(self) -> (Driven, Arc<ManualClock>, Arc<Disk>) {
        self.running.stop().unwrap();
        let driven = Self::opened(&self.storage, &self.disk, &self.clock);
        (driven, self.clock, self.disk)
    }

    /// What is on this storage continues under this clock, by hand; `observer` sees the decisions.
    pub(crate) fn timed_by(
        storage: &MemoryStorage,
        clock: Arc<dyn HallClock>,
        observer: Box<dyn Observer>,
    ) -> Driven {
        let unused = Arc::new(ManualClock::new(clock.now()));
        let options = StartOptions { clock, ..options(storage, &Arc::default(), &unused, 0) };
        Driven::open(options, Some(observer)).unwrap()
    }

    /// A hall on this disk, by hand.
    pub(crate) fn opened(storage: &MemoryStorage, disk: &Arc<Disk>, clock: &Arc<ManualClock>) -> Driven {
        Driven::open(options(storage, disk, clock, 0), None).unwrap()
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.running.engine
    }

    /// Shuts down cleanly and restarts from the disk.
    pub(crate) fn restart(self, snapshot_every: u64) -> Self {
        self.running.stop().unwrap();
        Self::on(self.storage, self.clock, snapshot_every)
    }

    pub(crate) async fn ask(&self, who: Caller, what: Command) -> Result<Answer, Unavailable> {
        self.engine().submit(self.engine().arrive(), who, what).await
    }

    pub(crate) async fn granted(&self, who: Caller, what: Command) -> Reply {
        self.ask(who, what).await.unwrap().unwrap()
    }

    pub(crate) async fn register(&self, name: &str, operator: u8) -> AgentId {
        let new = registration(name, operator);
        let Reply::Registered { agent, .. } =
            self.granted(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new))).await
        else {
            panic!("not registered");
        };
        self.file(agent, Division::Open).await;
        agent
    }

    pub(crate) async fn file(&self, agent: AgentId, division: Division) {
        let filing = Filing { division, ..filing() };
        self.granted(Caller::Agent(agent), Command::Desk(DeskCommand::FileHomologation { agent, filing }))
            .await;
    }

    pub(crate) async fn join(&self, agent: AgentId) -> Option<GameId> {
        self.join_in(agent, Division::Open).await
    }

    pub(crate) async fn join_in(&self, agent: AgentId, division: Division) -> Option<GameId> {
        match self.granted(Caller::Agent(agent), joining(division)).await {
            Reply::Joined { game, .. } => game,
            other => panic!("{other:?}"),
        }
    }

    /// A game between two fresh agents; the first of the pair has the first seat.
    pub(crate) async fn game(&self) -> (GameId, [AgentId; 2]) {
        self.game_of("chess").await
    }

    /// A game of this kind between two fresh agents.
    pub(crate) async fn game_of(&self, kind: &'static str) -> (GameId, [AgentId; 2]) {
        let (ada, bob) = (self.register("ada", 1).await, self.register("bob", 2).await);
        let join = async |agent| {
            let joining = JoinLobby { division: Division::Open, ..lobby(kind) };
            self.granted(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(joining))).await
        };
        join(ada).await;
        let Reply::Joined { game: Some(game), .. } = join(bob).await else { panic!("no game") };
        let seats = self.engine().peek(|hall| {
            let room = hall.rooms().find(&game).unwrap();
            [room.seats()[0].seat.agent, room.seats()[1].seat.agent]
        });
        (game, seats)
    }

    /// The round that a game is bound to becomes known.
    pub(crate) async fn receive_beacon(&self, game: GameId) {
        let terms = self.engine().peek(|hall| *hall.rooms().find(&game).unwrap().beacon_terms().unwrap());
        let received = RoomCommand::ReceiveBeacon {
            chain_hash: terms.chain_hash,
            round: terms.round,
            randomness: Digest::of(b"randomness"),
            signature: "ab".repeat(48),
            after: None,
        };
        self.granted(Caller::Operator, Command::Room(received)).await;
    }

    pub(crate) async fn play(&self, game: GameId, seats: &[AgentId; 2], moves: &str) {
        for text in moves.split_whitespace() {
            let turn_index = self.engine().peek(|hall| hall.rooms().find(&game).unwrap().turn_index());
            let agent = seats[turn_index as usize % 2];
            self.granted(Caller::Agent(agent), moving(game, turn_index, text)).await;
        }
    }
}

pub(crate) fn joining(division: Division) -> Command {
    Command::Desk(DeskCommand::JoinLobby(JoinLobby { division, ..lobby("chess") }))
}

pub(crate) fn resigning(game: GameId, turn_index: u32) -> Command {
    let Command::Room(RoomCommand::Submit(submission)) = moving(game, turn_index, "a1a1") else {
        panic!("a move")
    };
    Command::Room(RoomCommand::Submit(MoveSubmission { choice: None, resign: true, ..submission }))
}

pub(crate) fn moving(game: GameId, turn_index: u32, text: &str) -> Command {
    let body = format!("{{\"game_id\":\"{game}\",\"move\":\"{text}\",\"turn_index\":{turn_index}}}");
    Command::Room(RoomCommand::Submit(MoveSubmission {
        game,
        turn_index,
        choice: Notation::parse(text).map(Choice::Notation),
        resign: false,
        draw_offer: false,
        draw_accept: false,
        commentary: Some(format!("I play {text}")),
        signature_check: SignatureCheck::Valid,
        signed: Some(SignedBody {
            sha256: Digest::of(body.as_bytes()),
            body,
            signature: Signature::from_bytes([1; 64]),
            challenge: Challenge::from_bytes([2; 32]),
            auth_signature: Signature::from_bytes([3; 64]),
            request_sha256: Digest::of(b"request"),
        }),
    }))
}
