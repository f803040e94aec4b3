//! A follower's end of the link to its leader.

use crate::frames::{Incoming, Outgoing, Stream, split};
use crate::messages::{
    AnsweredCommand, ForwardedCommand, ForwardedSpend, Hello, ToFollower, ToLeader, VERSION, Welcome,
};
use crate::node::Spawn;
use crate::serve::within;
use hall_driver::{AnswerSlot, ChallengeRefused, Challenges, Committed, Engine, Forwarded, Handover, Spend};
use hall_wire::text::decode_hex;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::timeout;

/// How often the follower says something at the least: the leader waits for its mark before it acts in an agent's place.
const HEARTBEAT: Duration = Duration::from_millis(50);
/// How long the leader may say nothing. It answers every message.
const LEADER_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of records that may wait for the node's thread: what a busy hall writes in some seconds. A node that is further
/// behind gives the link up, and reads the journal.
const BACKLOG_BYTES: usize = 16 * 1024 * 1024;

/// What the link tells the node, in order.
#[derive(Debug)]
pub(crate) enum News {
    /// The leader has taken this node in; the hall is durable up to a record, and later batches follow.
    Joined {
        /// The leader's epoch.
        epoch: u64,
        /// The record.
        durable: u64,
    },
    /// The next batch.
    Batch(Committed),
    /// All who follow.
    Nodes(Vec<String>),
    /// Whether the leader can decide; told when it changes. After [`News::Joined`] it can.
    Leads(bool),
    /// The connection has ended; in words, why.
    Lost(String),
}

impl News {
    /// The record up to which they say that the hall is durable.
    pub(crate) const fn durable(&self) -> Option<u64> {
        match self {
            Self::Joined { durable, .. } => Some(*durable),
            Self::Batch(batch) => Some(batch.head.seq),
            Self::Nodes(_) | Self::Leads(_) | Self::Lost(_) => None,
        }
    }
}

/// Where the news of a link go.
pub(crate) type Tell = Arc<dyn Fn(News) + Send + Sync>;

/// The node that a link belongs to.
#[derive(Clone)]
pub(crate) struct LinkContext {
    pub(crate) name: String,
    pub(crate) engine: Engine,
    pub(crate) challenges: Arc<Challenges>,
    pub(crate) spawn: Spawn,
    pub(crate) backlog: Arc<Backlog>,
}

/// The batches that wait for the node's thread.
#[derive(Debug, Default)]
pub(crate) struct Backlog(AtomicUsize);

impl Backlog {
    /// Counts a batch that is about to wait; `false` if it may not, because too much waits already.
    fn add(&self, batch: &Committed) -> bool {
        let bytes = size(batch);
        let waits = self.0.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if waits > BACKLOG_BYTES {
            self.0.fetch_sub(bytes, Ordering::Relaxed);
        }
        waits <= BACKLOG_BYTES
    }

    /// A batch waits no longer.
    pub(crate) fn remove(&self, batch: &Committed) {
        self.0.fetch_sub(size(batch), Ordering::Relaxed);
    }
}

fn size(batch: &Committed) -> usize {
    batch.records.iter().map(Vec::len).sum()
}

/// What the follower has asked and the leader has not answered.
#[derive(Default)]
struct Unanswered {
    next: u64,
    commands: BTreeMap<u64, AnswerSlot>,
    spends: BTreeMap<u64, oneshot::Sender<Result<u64, ChallengeRefused>>>,
}

impl Unanswered {
    fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn command(&mut self, Forwarded { stamp, who, what, answer }: Forwarded) -> ForwardedCommand {
        let id = self.id();
        self.commands.insert(id, answer);
        ForwardedCommand::new(id, stamp, who, what)
    }

    fn spend(&mut self, Spend { at, serial, issued, outcome }: Spend) -> ForwardedSpend {
        let id = self.id();
        self.spends.insert(id, outcome);
        ForwardedSpend { id, at, serial, issued }
    }
}

/// Follows a leader over a connection until it ends. Returns why. Those who wait for an answer then are told that
/// nobody knows, and those whose command was not sent yet that nobody leads.
pub(crate) async fn follow<S: Stream>(
    stream: S,
    node: &LinkContext,
    tell: &Tell,
    asks: &AtomicBool,
) -> io::Error {
    let (mut incoming, mut outgoing) = split(stream);
    let spends = match join(&mut incoming, &mut outgoing, node, tell).await {
        Ok(spends) => spends,
        Err(error) => return error,
    };
    let (asked, heard) = (Mutex::new(Unanswered::default()), Notify::new());
    let ended = tokio::select! {
        biased;
        ended = ask(outgoing, node, &asked, &heard, spends, asks) => ended,
        ended = hear(incoming, node, &asked, &heard, tell) => ended,
    };
    node.challenges.lose_leader();
    node.engine.set_leader_elsewhere(false);
    ended
}

async fn join<S: Stream>(
    incoming: &mut Incoming<S>,
    outgoing: &mut Outgoing<S>,
    node: &LinkContext,
    tell: &Tell,
) -> io::Result<mpsc::UnboundedReceiver<Spend>> {
    outgoing.message(&Hello { version: VERSION, node: node.name.clone() }).await?;
    match within(incoming.message()).await? {
        Welcome::Follow { epoch, secret, process, durable } => {
            let secret = decode_hex(&secret).ok_or(io::ErrorKind::InvalidData)?;
            node.engine.forget_leader_clock();
            let spends = node.challenges.follow(&secret, process);
            node.engine.set_leader_elsewhere(true);
            // Told last: a node that says that it follows takes what it is sent.
            tell(News::Joined { epoch, durable });
            Ok(spends)
        }
        Welcome::Refused { why } => Err(io::Error::other(why)),
    }
}

/// Hands over what waits, at least once a beat. What comes before the leader has said something after the last message goes
/// into one message: the busier the leader, the fewer and larger they are.
async fn ask<S: Stream>(
    mut outgoing: Outgoing<S>,
    node: &LinkContext,
    asked: &Mutex<Unanswered>,
    heard: &Notify,
    mut spends: mpsc::UnboundedReceiver<Spend>,
    asks: &AtomicBool,
) -> io::Error {
    loop {
        let mut to_spend = Vec::new();
        let Handover { commands, mark } = tokio::select! {
            biased;
            handover = node.engine.hand_over(HEARTBEAT) => handover,
            Some(spend) = spends.recv() => {
                to_spend.push(spend);
                node.engine.hand_over(Duration::ZERO).await
            }
        };
        while let Ok(spend) = spends.try_recv() {
            to_spend.push(spend);
        }
        let message = {
            let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            let commands = commands.into_iter().map(|command| asked.command(command)).collect();
            let spends = to_spend.into_iter().map(|spend| asked.spend(spend)).collect();
            ToLeader {
                mark,
                applied: node.engine.durable_seq(),
                asks_for_lead: asks.load(Ordering::Relaxed),
                commands,
                spends,
            }
        };
        if let Err(error) = within(outgoing.message(&message)).await {
            return error;
        }
        // A leader that is late is told all the same: it may wait for the mark.
        let _ = timeout(HEARTBEAT, heard.notified()).await;
    }
}

/// Takes what the leader tells.
async fn hear<S: Stream>(
    mut incoming: Incoming<S>,
    node: &LinkContext,
    asked: &Mutex<Unanswered>,
    heard: &Notify,
    tell: &Tell,
) -> io::Error {
    let mut leads = true;
    loop {
        let silent = io::Error::new(io::ErrorKind::TimedOut, "the leader says nothing");
        let message: ToFollower =
            match timeout(LEADER_TIMEOUT, incoming.message()).await.unwrap_or(Err(silent)) {
                Ok(message) => message,
                Err(error) => return error,
            };
        heard.notify_one();
        node.engine.follow_clock(message.now);
        if std::mem::replace(&mut leads, message.leads) != leads {
            tell(News::Leads(leads));
        }
        if let Some(nodes) = message.nodes {
            tell(News::Nodes(nodes));
        }
        match within(incoming.batches(&message.batches)).await {
            Ok(batches) => {
                for batch in batches {
                    if !node.backlog.add(&batch) {
                        return io::Error::other("this node is too far behind, and reads the journal");
                    }
                    tell(News::Batch(batch));
                }
            }
            Err(error) => return error,
        }
        let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        for answered in message.spent {
            if let Some(outcome) = asked.spends.remove(&answered.id) {
                // Who asked may have gone away.
                let _ = outcome.send(answered.outcome);
            }
        }
        let slots = message.answers.into_iter().filter_map(|AnsweredCommand { id, seq, answer }| {
            asked.commands.remove(&id).map(|slot| (seq, slot, answer))
        });
        let slots: Vec<_> = slots.collect();
        drop(asked);
        if let Some(seq) = slots.iter().map(|(seq, ..)| *seq).max() {
            let engine = node.engine.clone();
            drop((node.spawn)(Box::pin(async move {
                // An answer is given where what it tells can be seen.
                let reached = engine.reaches(seq).await;
                for (_, slot, answer) in slots {
                    slot.give(reached.and(answer));
                }
            })));
        }
    }
}
