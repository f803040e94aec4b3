//! Nodes over a journal in memory that has an owner, an epoch and a lease.

use futures_util::future::{BoxFuture, ready};
use hall_cluster::{
    Holder, Identity, LeadWith, Leading, Lease, NodeOptions, NodeRole, NodeStatus, Owned, RunningNode,
    SecureTcp, SharedError, SharedJournal, start,
};
use hall_core::desk::{FeedbackKind, NewFeedback};
use hall_core::fixtures::{filing, keys, registration};
use hall_core::{
    Answer, Caller, Command, DeskCommand, Division, Entropy, Filing, Hall, HallSettings, JoinLobby, Reply,
};
use hall_driver::{
    Challenges, Engine, FollowOptions, Follower, HallClock, LeadOptions, MonotonicClock, SystemClocks,
    Unavailable,
};
use hall_journal::{Batch, Head, Journal, JournalError, JournalReader, MemoryJournal, MemoryStorage};
use hall_wire::{AgentId, Digest, GameId, Span};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

/// Short, so that a fail-over takes no longer in a test than it must.
pub(crate) const LEASE: Duration = Duration::from_millis(1_500);

/// A journal in memory that several nodes share.
#[derive(Clone, Default)]
pub(crate) struct Shared {
    storage: MemoryStorage,
    ownership: Arc<Mutex<Ownership>>,
}

#[derive(Default)]
struct Ownership {
    epoch: u64,
    owner: String,
    until: Option<Instant>,
    durable: u64,
}

impl Ownership {
    fn lease(&self) -> String {
        format!("{:?}", self.until)
    }
}

/// The shared journal as one node reaches it, until it is cut off.
#[derive(Clone)]
struct Reached {
    shared: Shared,
    cut: Arc<AtomicBool>,
}

impl Reached {
    fn owner_now(&self) -> Result<Holder, SharedError> {
        self.check()?;
        let ownership = self.shared.ownership.lock().unwrap();
        let left =
            ownership.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
        let (epoch, owner, durable) = (ownership.epoch, ownership.owner.clone(), ownership.durable);
        let is_released = ownership.until.is_none();
        let lease = ownership.lease();
        Ok(Holder { epoch, owner, lease, left, is_released, durable })
    }

    fn take_now(&self, owner: &str, lease: Duration, seen: &Holder) -> Result<Option<Owned>, SharedError> {
        self.check()?;
        let mut ownership = self.shared.ownership.lock().unwrap();
        if (ownership.epoch, ownership.lease()) != (seen.epoch, seen.lease.clone()) {
            return Ok(None);
        }
        ownership.epoch += 1;
        owner.clone_into(&mut ownership.owner);
        ownership.until = Some(Instant::now() + lease);
        let epoch = ownership.epoch;
        let journal =
            OwnedJournal { inner: MemoryJournal::open(&self.shared.storage), epoch, reached: self.clone() };
        let lease = Box::new(MemoryLease { epoch, length: lease, reached: self.clone() });
        Ok(Some(Owned { journal: Box::new(journal), lease, epoch }))
    }

    fn check(&self) -> Result<(), SharedError> {
        let away = SharedError("the database is away".to_owned());
        if self.cut.load(Ordering::Relaxed) { Err(away) } else { Ok(()) }
    }
}

impl SharedJournal for Reached {
    fn holder(&self) -> BoxFuture<'static, Result<Holder, SharedError>> {
        Box::pin(ready(self.owner_now()))
    }

    fn take(
        &self,
        owner: &str,
        lease: Duration,
        seen: &Holder,
    ) -> BoxFuture<'static, Result<Option<Owned>, SharedError>> {
        Box::pin(ready(self.take_now(owner, lease, seen)))
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        MemoryJournal::open(&self.shared.storage).reader()
    }
}

struct MemoryLease {
    epoch: u64,
    length: Duration,
    reached: Reached,
}

impl Lease for MemoryLease {
    fn renew(&self) -> BoxFuture<'_, Result<(), JournalError>> {
        Box::pin(ready(self.renew_now()))
    }

    // No append waits here.
    fn sever(&self) {}
}

impl MemoryLease {
    fn renew_now(&self) -> Result<(), JournalError> {
        let away = |_| JournalError::UnknownOutcome { what: "the database is away".to_owned() };
        self.reached.check().map_err(away)?;
        let mut ownership = self.reached.shared.ownership.lock().unwrap();
        if ownership.epoch != self.epoch {
            return Err(JournalError::Fenced);
        }
        ownership.until = Some(Instant::now() + self.length);
        Ok(())
    }
}

struct OwnedJournal {
    inner: MemoryJournal,
    epoch: u64,
    reached: Reached,
}

impl Journal for OwnedJournal {
    fn head(&self) -> Head {
        self.inner.head()
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        let away = |_| JournalError::UnknownOutcome { what: "the database is away".to_owned() };
        self.reached.check().map_err(away)?;
        let mut ownership = self.reached.shared.ownership.lock().unwrap();
        if ownership.epoch != self.epoch {
            return Err(JournalError::Fenced);
        }
        let head = self.inner.append(batch)?;
        ownership.durable = head.seq;
        Ok(head)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        self.inner.reader()
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        Ok(None)
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        let mut ownership = self.reached.shared.ownership.lock().unwrap();
        if ownership.epoch == self.epoch {
            ownership.until = None;
        }
        Ok(())
    }
}

/// A node under test.
pub(crate) struct Node {
    pub(crate) engine: Engine,
    pub(crate) challenges: Arc<Challenges>,
    pub(crate) running: RunningNode,
    pub(crate) address: String,
    /// Cuts it off from the journal.
    pub(crate) cut: Arc<AtomicBool>,
    /// Why its process would have ended.
    pub(crate) failures: Arc<Mutex<Vec<String>>>,
}

/// Numbers as entropy: enough for identifiers that differ.
struct Counting(Arc<AtomicU8>);

impl Entropy for Counting {
    fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.0.fetch_add(1, Ordering::Relaxed).wrapping_mul(37));
    }
}

struct Leads(Arc<AtomicU8>);

impl Leading for Leads {
    fn options(&mut self, journal: Box<dyn Journal>) -> Result<LeadWith, String> {
        let mut secret = [0; 32];
        Counting(Arc::clone(&self.0)).fill(&mut secret);
        let options = LeadOptions {
            settings: HallSettings { joins_per_day: 0, feedback_per_day: 0, ..HallSettings::default() },
            keys: keys(),
            journal,
            entropy: Box::new(Counting(Arc::clone(&self.0))),
            reserve_bytes: 0,
            snapshot_every: 0,
        };
        Ok(LeadWith { options, secret, observer: None })
    }

    fn begin(&mut self) {}

    fn end(&mut self) {}
}

/// Several nodes of one hall.
pub(crate) struct Nodes {
    shared: Shared,
    drawn: Arc<AtomicU8>,
    pub(crate) nodes: Vec<Node>,
}

impl Nodes {
    /// The first of them leads.
    pub(crate) async fn start(count: usize) -> Self {
        let mut nodes =
            Self { shared: Shared::default(), drawn: Arc::new(AtomicU8::new(1)), nodes: Vec::new() };
        for _ in 0..count {
            nodes.add().await;
        }
        nodes
    }

    /// Starts one more, and waits until it leads or follows.
    pub(crate) async fn add(&mut self) -> &Node {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let cut = Arc::new(AtomicBool::new(false));
        let reached = Reached { shared: self.shared.clone(), cut: Arc::clone(&cut) };
        let follower = Follower::open(FollowOptions {
            catalog: hall_games::CATALOG,
            reader: reached.reader(),
            until: Some(reached.owner_now().unwrap().durable),
            clock: Arc::new(MonotonicClock::following(SystemClocks)) as Arc<dyn HallClock>,
            signing: true,
        })
        .unwrap();
        let engine = follower.engine();
        let challenges = Arc::new(Challenges::unled(Span::from_secs(300)));
        let failures = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&failures);
        let running = start(NodeOptions {
            name: format!("node-{}", self.nodes.len()),
            address: address.clone(),
            incarnation: format!("{}", self.nodes.len()),
            transport: Arc::new(SecureTcp { listener, identity: Identity::of(&[7; 32]).unwrap() }),
            journal: Arc::new(reached),
            lease: LEASE,
            clocks: Arc::new(SystemClocks),
            spawn: Arc::new(tokio::spawn),
            follower,
            challenges: Arc::clone(&challenges),
            leading: Box::new(Leads(Arc::clone(&self.drawn))),
            on_failure: Arc::new(move |why| told.lock().unwrap().push(why.to_owned())),
            epoch: Arc::default(),
        })
        .unwrap();
        self.nodes.push(Node { engine, challenges, running, address, cut, failures });
        let node = self.nodes.last().unwrap();
        node.until(|status| status.role.takes_writes()).await;
        node
    }

    /// The node that leads, when one does.
    pub(crate) async fn leader(&self) -> usize {
        loop {
            let leads = |node: &Node| {
                node.running.status().role == NodeRole::Leader && node.failures.lock().unwrap().is_empty()
            };
            if let Some(leader) = self.nodes.iter().position(leads) {
                return leader;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Every node has the state of the leader, once it has applied what is durable there.
    pub(crate) async fn digest(&self) -> Digest {
        let leader = &self.nodes[self.leader().await].engine;
        let seq = leader.durable_seq();
        let mut digests = Vec::new();
        for node in self.nodes.iter().filter(|node| node.failures.lock().unwrap().is_empty()) {
            node.engine.reaches(seq).await.unwrap();
            digests.push(node.engine.peek(Hall::digest));
        }
        assert!(digests.iter().all(|digest| *digest == digests[0]), "{digests:?}");
        digests[0]
    }

    pub(crate) fn stop(self) {
        for node in self.nodes.into_iter().rev().filter(|node| node.failures.lock().unwrap().is_empty()) {
            node.running.stop().unwrap();
        }
    }
}

impl Node {
    pub(crate) async fn until(&self, wanted: impl Fn(&NodeStatus) -> bool) {
        while !wanted(&self.running.status()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until a checkpoint covers the whole log.
    pub(crate) async fn signs_its_log(&self) {
        let size = self.engine.read(|hall| hall.leaf_count()).await.unwrap();
        while self.engine.log().newest().is_none_or(|newest| newest.head.size < size) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) async fn ask(&self, who: Caller, what: Command) -> Result<Answer, Unavailable> {
        self.engine.submit(self.engine.arrive(), who, what).await
    }

    pub(crate) async fn granted(&self, who: Caller, what: Command) -> Reply {
        self.ask(who, what).await.unwrap().unwrap()
    }

    /// Has the hall keep a record of 64 KiB.
    pub(crate) async fn write_much(&self, agent: AgentId) {
        let (kind, subject, body) = (FeedbackKind::Other, String::new(), "x".repeat(64 * 1024));
        let post = DeskCommand::PostFeedback(NewFeedback { kind, subject, body, context: None });
        self.granted(Caller::Agent(agent), Command::Desk(post)).await;
    }

    /// Registers an agent here, and files what it needs to play.
    pub(crate) async fn register(&self, name: &str, operator: u8) -> AgentId {
        let new = Command::Desk(DeskCommand::RegisterAgent(registration(name, operator)));
        let Reply::Registered { agent, .. } = self.granted(Caller::Hall, new).await else {
            panic!("not registered")
        };
        let filing = Filing { division: Division::Open, ..filing() };
        let filing = Command::Desk(DeskCommand::FileHomologation { agent, filing });
        self.granted(Caller::Agent(agent), filing).await;
        agent
    }

    pub(crate) async fn join(&self, agent: AgentId) -> Option<GameId> {
        let lobby = JoinLobby { division: Division::Open, ..hall_core::fixtures::lobby("chess") };
        match self.granted(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(lobby))).await {
            Reply::Joined { game, .. } => game,
            other => panic!("{other:?}"),
        }
    }

    /// Whether this node shows a game.
    pub(crate) fn shows(&self, game: GameId) -> bool {
        self.engine.peek(|hall| hall.rooms().find(&game).is_some())
    }
}
