//! The leader's end of the link to one follower.

use crate::frames::{Incoming, Outgoing, Stream, split};
use crate::messages::{AnsweredCommand, AnsweredSpend, Hello, ToFollower, ToLeader, VERSION, Welcome};
use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use hall_core::Answer;
use hall_driver::{
    ASKING, Challenges, CommitFeed, Commits, Committed, Engine, FollowerMark, Term, Unavailable,
};
use hall_wire::text::encode_hex;
use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long a follower may say nothing, and how long it may take to read what it is sent.
pub(crate) const FOLLOWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Records gathered for one message at most, in batches.
const BATCHES_AT_ONCE: usize = 64;

/// What one epoch of a leader is, for those who follow it.
pub(crate) struct Leadership {
    pub(crate) engine: Engine,
    pub(crate) challenges: Arc<Challenges>,
    /// When these challenges are spent here.
    pub(crate) term: Term,
    pub(crate) epoch: u64,
    /// The secret of the challenges of this epoch.
    pub(crate) secret: [u8; 32],
    pub(crate) processes: ProcessNumbers,
    /// Who follows.
    pub(crate) followers: Followers,
}

/// The numbers of followers. The leader itself has 0, and none is given twice: two processes with one number would issue the
/// same challenges.
pub(crate) struct ProcessNumbers(AtomicU16);

impl ProcessNumbers {
    pub(crate) const fn new() -> Self {
        Self(AtomicU16::new(1))
    }

    /// A number that nobody has had; none when there are no more.
    fn next(&self) -> Option<u16> {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| next.checked_add(1)).ok()
    }
}

/// Who follows a leader, by the number that each has got.
#[derive(Default)]
pub(crate) struct Followers(Mutex<BTreeMap<u16, FollowerStatus>>);

/// A node that follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowerStatus {
    /// Its name.
    pub node: String,
    /// The last record that it has applied; `None` where only the leader knows.
    pub applied: Option<u64>,
}

impl Followers {
    fn change(&self, change: impl FnOnce(&mut BTreeMap<u16, FollowerStatus>)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// All of them, in the order in which they came.
    pub(crate) fn list(&self) -> Vec<FollowerStatus> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

/// An answer that is on its way.
type Deciding = Pin<Box<dyn Future<Output = (u64, Result<Answer, Unavailable>)> + Send>>;

/// What is to be sent besides batches.
enum Reply {
    /// A command is being decided.
    Deciding(Deciding),
    /// A challenge was spent, or not.
    Spent(AnsweredSpend),
    /// The follower wants to know the time.
    Clock,
}

/// Tells a node that asks that this node does not lead.
pub(crate) async fn refuse<S: Stream>(stream: S, why: &str) -> io::Result<()> {
    let (_, mut outgoing) = split(stream);
    outgoing.message(&Welcome::Refused { why: why.to_owned() }).await
}

/// Serves a follower until the connection ends. Returns why.
pub(crate) async fn serve<S: Stream>(
    stream: S,
    leadership: &Leadership,
    asked: &(dyn Fn() + Send + Sync),
) -> io::Error {
    let (mut incoming, mut outgoing) = split(stream);
    match welcome(&mut incoming, &mut outgoing, leadership, asked).await {
        Ok(Guest { process, commits, mark }) => {
            let (replies, replying) = mpsc::unbounded_channel();
            let reading = read(incoming, leadership, process, &mark, &replies, asked);
            let writing = write(outgoing, leadership, commits, replying);
            let ended = tokio::select! {
                biased;
                ended = reading => ended,
                ended = writing => ended,
            };
            leadership.followers.change(|followers| drop(followers.remove(&process)));
            ended
        }
        Err(error) => error,
    }
}

/// A follower that was taken in.
struct Guest {
    process: u16,
    commits: CommitFeed,
    mark: FollowerMark,
}

async fn welcome<S: Stream>(
    incoming: &mut Incoming<S>,
    outgoing: &mut Outgoing<S>,
    leadership: &Leadership,
    asked: &(dyn Fn() + Send + Sync),
) -> io::Result<Guest> {
    let hello: Hello = within(incoming.message()).await?;
    if hello.version != VERSION {
        let why = format!("the leader speaks version {VERSION} of the link, this node {}", hello.version);
        return Err(turn_away(outgoing, why).await);
    }
    let Some(process) = leadership.processes.next() else {
        // The next term begins them again, with another secret.
        asked();
        let why = "as many nodes have joined the leader as it can number; it gives the lead back";
        return Err(turn_away(outgoing, why.to_owned()).await);
    };
    // Subscribed first, so that nothing is missing between the record that is named and the first batch.
    let commits = leadership.engine.watch_commits();
    let mark = leadership.engine.heed_follower();
    let welcome = Welcome::Follow {
        epoch: leadership.epoch,
        secret: encode_hex(&leadership.secret),
        process,
        durable: leadership.engine.durable_seq(),
    };
    outgoing.message(&welcome).await?;
    tracing::info!(follower = hello.node, "a node follows");
    let follower = FollowerStatus { node: hello.node, applied: None };
    leadership.followers.change(|followers| drop(followers.insert(process, follower)));
    Ok(Guest { process, commits, mark })
}

/// Tells a node why it cannot follow.
async fn turn_away<S: Stream>(outgoing: &mut Outgoing<S>, why: String) -> io::Error {
    let told = outgoing.message(&Welcome::Refused { why: why.clone() }).await;
    told.err().unwrap_or_else(|| io::Error::other(why))
}

/// Takes what the follower asks.
async fn read<S: Stream>(
    mut incoming: Incoming<S>,
    Leadership { engine, challenges, term, followers, .. }: &Leadership,
    process: u16,
    mark: &FollowerMark,
    replies: &mpsc::UnboundedSender<Reply>,
    asked: &(dyn Fn() + Send + Sync),
) -> io::Error {
    let gone = || io::Error::other("the link is closed");
    loop {
        let message: ToLeader = match within(incoming.message()).await {
            Ok(message) => message,
            Err(error) => return error,
        };
        followers.change(|followers| {
            if let Some(follower) = followers.get_mut(&process) {
                follower.applied = Some(message.applied);
            }
        });
        for spend in message.spends {
            let spent = match spend.serial {
                // Only how far the hall is durable is asked.
                ASKING => challenges.confirm_right(*term),
                // A clock that is ahead of this one's is not believed.
                serial => {
                    challenges.spend_for_follower(*term, spend.at.min(engine.now()), serial, spend.issued)
                }
            };
            // Read after the right to lead was confirmed: what anybody was told before that is contained in it.
            let outcome = spent.map(|()| engine.durable_seq());
            if replies.send(Reply::Spent(AnsweredSpend { id: spend.id, outcome })).is_err() {
                return gone();
            }
        }
        for command in message.commands {
            let (id, stamp, who) = (command.id, command.stamp, command.who);
            let enqueued = engine.enqueue_handed_over(stamp, who, command.into_command());
            let deciding: Deciding = Box::pin(async move {
                match enqueued {
                    Ok(answer) => (id, answer.answered().await),
                    Err(why) => (id, Err(why)),
                }
            });
            if replies.send(Reply::Deciding(deciding)).is_err() {
                return gone();
            }
        }
        if message.asks_for_lead {
            asked();
        }
        mark.rise(message.mark);
        if replies.send(Reply::Clock).is_err() {
            return gone();
        }
    }
}

/// Sends batches and answers, as many at once as there are.
async fn write<S: Stream>(
    mut outgoing: Outgoing<S>,
    Leadership { engine, challenges, term, followers, .. }: &Leadership,
    mut commits: CommitFeed,
    mut replies: mpsc::UnboundedReceiver<Reply>,
) -> io::Error {
    let mut deciding: FuturesUnordered<Deciding> = FuturesUnordered::new();
    let mut told = Vec::new();
    loop {
        let mut next = NextMessage::default();
        tokio::select! {
            biased;
            batch = commits.next() => next.batch(batch),
            Some((id, answer)) = deciding.next() => next.answered(id, answer, engine),
            Some(reply) = replies.recv() => next.reply(reply, &deciding),
        }
        // Whatever else is there goes into the same message, such as the answers that a batch brings.
        tokio::task::yield_now().await;
        while next.batches.len() < BATCHES_AT_ONCE
            && let Some(batch) = commits.next().now_or_never()
        {
            next.batch(batch);
        }
        while let Ok(reply) = replies.try_recv() {
            next.reply(reply, &deciding);
        }
        while let Some(Some((id, answer))) = deciding.next().now_or_never() {
            next.answered(id, answer, engine);
        }
        if next.missed {
            return io::Error::other("the follower was too slow for what is decided");
        }
        let NextMessage { batches, answers, spent, .. } = next;
        let names: Vec<String> = followers.list().into_iter().map(|follower| follower.node).collect();
        let nodes = (names != told).then(|| names.clone());
        told = names;
        let (now, leads) = (engine.now(), challenges.confirm_right(*term).is_ok());
        let message = ToFollower { now, leads, batches: Vec::new(), answers, spent, nodes };
        if let Err(error) = within(outgoing.with_batches(message, &batches)).await {
            return error;
        }
    }
}

/// What the next message tells.
#[derive(Default)]
struct NextMessage {
    batches: Vec<Arc<Committed>>,
    answers: Vec<AnsweredCommand>,
    spent: Vec<AnsweredSpend>,
    /// Batches are missing.
    missed: bool,
}

impl NextMessage {
    fn batch(&mut self, batch: Commits) {
        match batch {
            Commits::Batch(batch) => self.batches.push(batch),
            Commits::Lagged | Commits::Closed => self.missed = true,
        }
    }

    fn answered(&mut self, id: u64, answer: Result<Answer, Unavailable>, engine: &Engine) {
        self.answers.push(AnsweredCommand { id, seq: engine.durable_seq(), answer });
    }

    fn reply(&mut self, reply: Reply, deciding: &FuturesUnordered<Deciding>) {
        match reply {
            Reply::Deciding(answer) => deciding.push(answer),
            Reply::Spent(spent) => self.spent.push(spent),
            // Every message tells it.
            Reply::Clock => {}
        }
    }
}

pub(crate) async fn within<T>(work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(FOLLOWER_TIMEOUT, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_follower_gets_the_number_of_another_one_or_of_the_leader() {
        let numbers = ProcessNumbers::new();
        assert_eq!((numbers.next(), numbers.next()), (Some(1), Some(2)));
        numbers.0.store(u16::MAX - 1, Ordering::Relaxed);
        assert_eq!((numbers.next(), numbers.next(), numbers.next()), (Some(u16::MAX - 1), None, None));
    }
}
