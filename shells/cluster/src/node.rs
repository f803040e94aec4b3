//! A node: it follows until the lead is free, leads until it is asked to hand over or fails, and follows again.
//!
//! The node that holds the lease of the shared journal leads. The lease says only when others may try; what a node may write is
//! decided by its epoch, in the journal itself. A node that finds out that it was replaced, or that does not know what
//! became of an append, ends its process: what it has in memory may never have happened.
//!
//! Time, tasks, the journal and the links come from outside ([`NodeOptions`]), so that a simulator can run the same node.

use crate::control::{Control, NodeHandle, NodeRole, NodeStatus};
use crate::journal::{Holder, Owned, SharedError, SharedJournal};
use crate::leading::{LeadWith, Leading};
use crate::lease_renewal::LeaseRenewal;
use crate::lease_watch::LeaseWatch;
use crate::link::{self, LinkContext, News, Tell};
use crate::serve::{self, FollowerStatus, Followers, Leadership, ProcessNumbers};
use crate::transport::{Connection, Transport};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, LocalBoxFuture};
use hall_driver::{Challenges, Driven, Engine, FollowError, Follower, RawClocks, RecoverError, StartError};
use hall_journal::JournalError;
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How often a node without a leader asks who owns the journal, and reads what has become durable.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// How often a node with a leader asks.
const LINKED_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How often a node that has asked for the lead does.
const ASKING_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long a node that has asked for the lead goes on asking.
const ASK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long those who follow are told what was decided when a leader has given the lead back.
const HAND_OVER_GRACE: Duration = Duration::from_millis(100);

/// Begins a task that goes on beside the node.
pub type Spawn = Arc<dyn Fn(BoxFuture<'static, ()>) -> tokio::task::JoinHandle<()> + Send + Sync>;

/// What a node is made of.
pub struct NodeOptions {
    /// Its name, for people; no two nodes should have the same.
    pub name: String,
    /// Where other nodes reach its link: a host or an address, and a port.
    pub address: String,
    /// Tells this process from every other one, and from earlier ones of the same name; without spaces.
    pub incarnation: String,
    /// How nodes reach each other.
    pub transport: Arc<dyn Transport>,
    /// The journal that all nodes share.
    pub journal: Arc<dyn SharedJournal>,
    /// For how long others leave the journal to a leader that says nothing; the same for all nodes.
    pub lease: Duration,
    /// The clocks of this machine.
    pub clocks: Arc<dyn RawClocks>,
    /// How tasks begin.
    pub spawn: Spawn,
    /// The state, as far as it is known.
    pub follower: Follower,
    /// Issues and spends the challenges of this node.
    pub challenges: Arc<Challenges>,
    /// What is to be done when it leads.
    pub leading: Box<dyn Leading>,
    /// Called with the reason when nothing may leave this node any more; it must end the process.
    pub on_failure: Arc<dyn Fn(&str) + Send + Sync>,
    /// Where the node keeps the epoch that it knows, for those that must not wait, such as a log; 0 until it knows one.
    pub epoch: Arc<AtomicU64>,
}

/// A node that runs. Dropping it does not stop it; call [`RunningNode::stop`].
pub struct RunningNode {
    control: Arc<Control>,
    engine: Engine,
    thread: JoinHandle<Result<(), JournalError>>,
}

impl RunningNode {
    /// What the node is now.
    #[must_use]
    pub fn status(&self) -> NodeStatus {
        self.control.status()
    }

    /// Handles by which others ask.
    #[must_use]
    pub fn handle(&self) -> NodeHandle {
        NodeHandle(Arc::clone(&self.control))
    }

    /// Stops cleanly: a leader decides what was accepted and gives the lead back.
    ///
    /// # Errors
    /// The journal failed.
    pub fn stop(self) -> Result<(), JournalError> {
        self.engine.close_queue();
        self.handle().stop();
        self.engine.wake_writer();
        self.thread.join().unwrap_or(Err(JournalError::Poisoned))
    }
}

/// Starts a node on a thread of its own, which waits for the journal; its links run on the caller's runtime.
///
/// # Errors
/// No thread can be started.
///
/// # Panics
/// Outside a tokio runtime.
pub fn start(options: NodeOptions) -> io::Result<RunningNode> {
    let runtime = Handle::current();
    let node = Node::new(options);
    let (control, engine) = (Arc::clone(&node.control), node.link_context.engine.clone());
    let run = move || runtime.block_on(node.run());
    let thread = std::thread::Builder::new().name("hall-node".to_owned()).spawn(run)?;
    Ok(RunningNode { control, engine, thread })
}

/// Serves those who follow, while this node leads.
async fn accept(
    transport: Arc<dyn Transport>,
    led: watch::Receiver<Option<Arc<Leadership>>>,
    asked: Arc<dyn Fn() + Send + Sync>,
    spawn: Spawn,
) {
    loop {
        match transport.accept().await {
            Ok(connecting) => {
                let (led, asked) = (led.clone(), Arc::clone(&asked));
                drop(spawn(Box::pin(async move {
                    if let Ok(stream) = connecting.await {
                        serve_one(stream, led, &*asked).await;
                    }
                })));
            }
            Err(error) => {
                tracing::warn!(%error, "the link could not accept");
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        }
    }
}

async fn serve_one(
    stream: Connection,
    mut led: watch::Receiver<Option<Arc<Leadership>>>,
    asked: &(dyn Fn() + Send + Sync),
) {
    let leadership = led.borrow_and_update().clone();
    let Some(leadership) = leadership else {
        let _ = serve::refuse(stream, "this node does not lead").await;
        return;
    };
    let mut serving = std::pin::pin!(serve::serve(stream, &leadership, asked));
    tokio::select! {
        biased;
        ended = &mut serving => tracing::info!(why = %ended, "a node follows no longer"),
        // What is decided already is still told.
        _ = led.changed() => drop(tokio::time::timeout(HAND_OVER_GRACE, serving).await),
    }
}

/// A node.
pub struct Node {
    link_context: LinkContext,
    /// Its name, its address and what tells it from others, as these find them in the journal.
    owner: String,
    transport: Arc<dyn Transport>,
    journal: Arc<dyn SharedJournal>,
    lease: Duration,
    lease_watch: LeaseWatch,
    clocks: Arc<dyn RawClocks>,
    leading: Box<dyn Leading>,
    on_failure: Arc<dyn Fn(&str) + Send + Sync>,
    control: Arc<Control>,
    leadership: watch::Sender<Option<Arc<Leadership>>>,
    /// What begins the state; taken when it runs.
    follower: Option<Follower>,
    tell: UnboundedSender<(u64, News)>,
    /// From the link with this number.
    news: UnboundedReceiver<(u64, News)>,
    link: Option<Link>,
    /// How many links were tried: news of earlier ones do not count.
    links: u64,
    /// Until when it leaves the lead to the node that it has handed over to.
    yields_until: Option<Instant>,
    /// Whether the journal could not be asked the last time.
    is_database_away: bool,
    /// Why the last link ended.
    lost_because: String,
}

/// The link to a leader, or the attempt to make it.
struct Link {
    task: tokio::task::JoinHandle<()>,
    /// The epoch of the leader that it was made to.
    epoch: u64,
    is_joined: bool,
    asks: Arc<AtomicBool>,
}

/// A journal that was taken, and when that was asked for, by a clock of this machine that never jumps.
type Taken = (Owned, i64);

/// Why a node ends that was not stopped.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Follow(#[from] FollowError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("{0}")]
    Machine(String),
    /// The reason was reported already.
    #[error("the writer failed")]
    Reported,
}

impl Node {
    /// A node that does not run yet.
    #[must_use]
    pub fn new(options: NodeOptions) -> Self {
        let NodeOptions { name, address, incarnation, transport, journal, lease, clocks, .. } = options;
        let NodeOptions { spawn, follower, challenges, leading, on_failure, epoch, .. } = options;
        let (leadership, led) = watch::channel(None);
        let (tell, news) = unbounded_channel();
        Self {
            owner: format!("{name} {address} {incarnation}"),
            link_context: LinkContext {
                name,
                engine: follower.engine(),
                challenges,
                spawn,
                backlog: Arc::default(),
            },
            transport,
            journal,
            lease,
            lease_watch: LeaseWatch::new(lease),
            clocks,
            leading,
            on_failure,
            control: Control::new(follower.engine(), led, epoch),
            leadership,
            follower: Some(follower),
            tell,
            news,
            link: None,
            links: 0,
            yields_until: None,
            is_database_away: false,
            lost_because: String::new(),
        }
    }

    /// Handles by which others ask.
    #[must_use]
    pub fn handle(&self) -> NodeHandle {
        NodeHandle(Arc::clone(&self.control))
    }

    /// Runs until it is stopped. A panic is a broken invariant: like a failed journal, it ends the process.
    ///
    /// # Errors
    /// The journal failed, or the node cannot go on; the process was told to end.
    pub async fn run(mut self) -> Result<(), JournalError> {
        let asked = {
            let (control, engine) = (Arc::clone(&self.control), self.link_context.engine.clone());
            move || {
                control.hands_over.store(true, Ordering::Relaxed);
                engine.wake_writer();
            }
        };
        let (transport, spawn) = (Arc::clone(&self.transport), Arc::clone(&self.link_context.spawn));
        let accepting = accept(transport, self.leadership.subscribe(), Arc::new(asked), Arc::clone(&spawn));
        let accepting = spawn(Box::pin(accepting));
        let why = match AssertUnwindSafe(self.take_turns()).catch_unwind().await {
            Ok(Ok(())) => {
                accepting.abort();
                return Ok(());
            }
            Ok(Err(Failure::Reported)) => return Err(JournalError::Poisoned),
            Ok(Err(failure)) => failure.to_string(),
            Err(_) => "the node panicked".to_owned(),
        };
        (self.on_failure)(&why);
        Err(JournalError::Poisoned)
    }

    /// Follows and leads in turn.
    async fn take_turns(&mut self) -> Result<(), Failure> {
        let mut follower = self.follower.take().ok_or(Failure::Reported)?;
        loop {
            let Some(taken) = self.follow(&mut follower).await? else { return Ok(()) };
            let mut leader = self.lead(follower, taken).await?;
            self.leading.begin();
            let control = Arc::clone(&self.control);
            let over = || control.is_stopping() || control.hands_over.load(Ordering::Relaxed);
            let written = self.leading.write(&mut leader.driven, &over);
            completed(written, &*self.on_failure).await?;
            self.leading.end();
            // What is signed from here on is read as of what another node leads.
            self.link_context.challenges.lose_leader();
            completed(self.leading.hand_over(&mut leader.driven), &*self.on_failure).await?;
            follower = self.give_back(leader).await?;
            if self.control.is_stopping() {
                return Ok(());
            }
        }
    }

    /// Follows until the journal is this node's, or the node is stopped.
    async fn follow(&mut self, follower: &mut Follower) -> Result<Option<Taken>, Failure> {
        let mut asked_until = None;
        let control = Arc::clone(&self.control);
        // A database that does not answer must not hold up what comes over the link.
        let mut checking = None;
        let mut checked = Instant::now() - LINKED_POLL_INTERVAL;
        while !control.is_stopping() {
            if control.asks.swap(false, Ordering::Relaxed) {
                asked_until = Some(Instant::now() + ASK_TIMEOUT);
                self.yields_until = None;
            }
            let asks = asked_until.is_some_and(|until| Instant::now() < until);
            if let Some(link) = &self.link {
                link.asks.store(asks, Ordering::Relaxed);
            }
            let every = match (asks, self.is_joined()) {
                (true, _) => ASKING_POLL_INTERVAL,
                (false, true) => LINKED_POLL_INTERVAL,
                (false, false) => POLL_INTERVAL,
            };
            if checking.is_none() && checked + every <= Instant::now() {
                checking = Some(self.journal.holder());
            }
            follower.beat();
            let wait = sleep_until(Instant::now() + every.min(POLL_INTERVAL));
            tokio::select! {
                biased;
                () = control.changed.notified() => {}
                // Before the news, however many there are: it comes five times a second at most.
                holder = found(&mut checking) => {
                    (checking, checked) = (None, Instant::now());
                    match holder {
                        Ok(holder) => {
                            if std::mem::take(&mut self.is_database_away) {
                                tracing::info!("the database answers again");
                            }
                            if let Some(taken) = self.check_holder(holder, follower).await? {
                                return Ok(Some(taken));
                            }
                        }
                        Err(error) => {
                            if !std::mem::replace(&mut self.is_database_away, true) {
                                tracing::warn!(%error, "the database does not answer; it is asked until it does");
                            }
                        }
                    }
                }
                Some((number, news)) = self.news.recv() => {
                    if let News::Batch(batch) = &news {
                        self.link_context.backlog.remove(batch);
                    }
                    if number == self.links {
                        self.hear(news, follower).await?;
                    }
                }
                () = wait => {}
            }
        }
        self.lose().await;
        Ok(None)
    }

    fn is_joined(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.is_joined)
    }

    async fn hear(&mut self, news: News, follower: &mut Follower) -> Result<(), Failure> {
        match news {
            News::Joined { epoch, durable } => {
                if let Some(link) = &mut self.link {
                    link.is_joined = true;
                }
                self.control.change(|status| (status.role, status.epoch) = (NodeRole::Follower, epoch));
                tracing::info!(durable, applied = follower.head().seq, "this node follows a leader");
                self.catch_up(follower, durable)?;
            }
            News::Batch(batch) => {
                if batch.first > follower.head().seq + 1 {
                    self.catch_up(follower, batch.first - 1)?;
                }
                match follower.apply(&batch) {
                    // The database was away; the next batch, or the next check, comes back to it.
                    Err(FollowError::Gap { .. }) => {}
                    applied => applied?,
                }
            }
            News::Nodes(names) => {
                let follower = |node| FollowerStatus { node, applied: None };
                let followers = names.into_iter().map(follower).collect();
                self.control.change(|status| status.followers = followers);
            }
            News::Leads(leads) => {
                let role = if leads { NodeRole::Follower } else { NodeRole::Alone };
                self.control.change(|status| status.role = role);
            }
            News::Lost(why) => {
                // A leader that cannot be reached is tried again and again.
                if self.is_joined() || self.lost_because != why {
                    tracing::info!(why, "the link to the leader has ended");
                }
                self.lost_because = why;
                self.lose().await;
            }
        }
        Ok(())
    }

    /// Reads the journal up to a record that is durable; a database that is away is asked again later.
    fn catch_up(&self, follower: &mut Follower, until: u64) -> Result<(), Failure> {
        match follower.catch_up(until) {
            Ok(()) => Ok(()),
            Err(
                error @ (FollowError::Diverged { .. }
                | FollowError::Gap { .. }
                | FollowError::Recover(
                    RecoverError::Form { .. } | RecoverError::Journal(JournalError::Damaged(_)),
                )),
            ) => Err(error.into()),
            Err(FollowError::Recover(error)) => {
                tracing::warn!(%error, "the journal cannot be read now");
                Ok(())
            }
        }
    }

    async fn lose(&mut self) {
        if let Some(link) = self.link.take() {
            link.task.abort();
            // Waited for, so that nothing that it does at its end comes after what this node does next.
            let _ = link.task.await;
        }
        // The task may have been stopped before it could say so itself.
        self.link_context.challenges.lose_leader();
        self.link_context.engine.set_leader_elsewhere(false);
        self.control.change(|status| (status.role, status.followers) = (NodeRole::Alone, Vec::new()));
    }

    /// Takes the journal if it is free, and otherwise follows its owner.
    async fn check_holder(
        &mut self,
        holder: Holder,
        follower: &mut Follower,
    ) -> Result<Option<Taken>, Failure> {
        let has_passed = self.lease_watch.has_passed(&holder, Instant::now());
        // Nobody relies on a lease that this process took without hearing of it.
        let is_free = holder.is_released || holder.owner == self.owner || has_passed;
        let Holder { epoch, durable, ref owner, .. } = holder;
        self.control.heard_durable(durable);
        self.control.change(|status| {
            status.epoch = epoch;
            status.leader = owner.rsplit_once(' ').map(|(named, _)| named.to_owned());
        });
        if is_free && self.yields_until.is_none_or(|until| until <= Instant::now()) {
            let began = self.clocks.monotonic_millis();
            match self.journal.take(&self.owner, self.lease, &holder).await {
                Ok(Some(owned)) => return Ok(Some((owned, began))),
                // Another node was faster.
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "this node cannot take the lead"),
            }
        }
        self.catch_up(follower, durable)?;
        if self.link.as_ref().is_none_or(|link| link.epoch != epoch) && *owner != self.owner && !is_free {
            self.connect(epoch, owner).await;
        }
        Ok(None)
    }

    /// Begins to follow the owner of the journal.
    async fn connect(&mut self, epoch: u64, owner: &str) {
        let Some(address) = owner.rsplit(' ').nth(1) else { return };
        if self.link.is_some() {
            self.lose().await;
        }
        self.links += 1;
        let (number, sender, control) = (self.links, self.tell.clone(), Arc::clone(&self.control));
        let tell: Tell = Arc::new(move |news| {
            // Before it is applied: what waits for the node's thread is what the node is behind.
            news.durable().into_iter().for_each(|seq| control.heard_durable(seq));
            // The node's thread may be ending.
            let _ = sender.send((number, news));
        });
        let asks = Arc::new(AtomicBool::new(false));
        let (node, connecting, flag) =
            (self.link_context.clone(), self.transport.connect(address), Arc::clone(&asks));
        let task = (self.link_context.spawn)(Box::pin(async move {
            let why = match connecting.await {
                Ok(stream) => link::follow(stream, &node, &tell, &flag).await,
                Err(error) => error,
            };
            tell(News::Lost(why.to_string()));
        }));
        self.link = Some(Link { task, epoch, is_joined: false, asks });
    }

    /// Leads with a journal that was taken.
    async fn lead(&mut self, follower: Follower, (owned, began): Taken) -> Result<Leader, Failure> {
        let Owned { journal, lease, epoch } = owned;
        self.lose().await;
        self.control.hands_over.store(false, Ordering::Relaxed);
        self.control.asks.store(false, Ordering::Relaxed);
        let (clocks, on_failure) = (Arc::clone(&self.clocks), Arc::clone(&self.on_failure));
        let renewal =
            LeaseRenewal::start(lease, self.lease, began, clocks, on_failure, &self.link_context.spawn);
        let LeadWith { options, secret, observer } =
            self.leading.options(journal).map_err(Failure::Machine)?;
        let mut driven = follower.lead(options, observer)?;
        driven.lead_by(renewal.right());
        renewal.watch(driven.engine());
        let term = self.link_context.challenges.lead(&secret, renewal.right());
        self.control.change(|status| {
            let leader = self.owner.rsplit_once(' ').map(|(named, _)| named.to_owned());
            *status = NodeStatus { role: NodeRole::Leader, leader, epoch, ..NodeStatus::default() };
        });
        self.leadership.send_replace(Some(Arc::new(Leadership {
            engine: driven.engine().clone(),
            challenges: Arc::clone(&self.link_context.challenges),
            term,
            epoch,
            secret,
            processes: ProcessNumbers::new(),
            followers: Followers::default(),
        })));
        tracing::info!(seq = driven.engine().durable_seq(), "this node leads");
        Ok(Leader { driven, renewal })
    }

    /// Gives the lead back; everything that was accepted is decided.
    async fn give_back(&mut self, leader: Leader) -> Result<Follower, Failure> {
        // Those who follow get the answers that are on their way to them, and look for another leader.
        self.leadership.send_replace(None);
        // Nothing may be renewed after it was released.
        leader.renewal.stop().await;
        let follower = leader.driven.follow()?;
        self.control.asks.store(false, Ordering::Relaxed);
        self.yields_until = Some(Instant::now() + ASK_TIMEOUT);
        self.control.change(|status| status.role = NodeRole::Alone);
        tracing::info!(seq = follower.head().seq, "this node has given the lead back");
        Ok(follower)
    }
}

/// A node that leads.
struct Leader {
    driven: Driven,
    renewal: LeaseRenewal,
}

/// Who owns the journal, once a check that is under way has found out.
async fn found(
    checking: &mut Option<BoxFuture<'static, Result<Holder, SharedError>>>,
) -> Result<Holder, SharedError> {
    match checking {
        Some(check) => check.await,
        None => std::future::pending().await,
    }
}

/// Waits for the writer's work. When it failed, the process is ended before anybody who waits for an answer is let go:
/// they would be told that nothing was decided, which is not known.
async fn completed(
    work: LocalBoxFuture<'_, Result<(), JournalError>>,
    on_failure: &(dyn Fn(&str) + Send + Sync),
) -> Result<(), Failure> {
    let why = match AssertUnwindSafe(work).catch_unwind().await {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the writer panicked".to_owned(),
    };
    on_failure(&why);
    Err(Failure::Reported)
}
