//! What has become durable, batch by batch, for processes that follow this one.

use hall_journal::Head;
use std::sync::Arc;
use tokio::sync::broadcast;

/// How many batches a follower may lag behind before it has to read them from the journal.
const BATCHES_BEHIND: usize = 256;

/// Records that became durable together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The number of the first of them.
    pub first: u64,
    /// The records, in order.
    pub records: Vec<Vec<u8>>,
    /// The end of the journal after them.
    pub head: Head,
}

/// An item of a feed of batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Commits {
    /// The next batch. It need not continue the one before: what lies between was appended while nobody listened.
    Batch(Arc<Committed>),
    /// The reader fell behind and has missed some; it must read them from the journal.
    Lagged,
    /// The feed has ended.
    Closed,
}

/// The batches of a writer, as they become durable.
#[derive(Debug)]
pub struct CommitFeed(broadcast::Receiver<Arc<Committed>>);

impl CommitFeed {
    /// Waits for the next batch.
    pub async fn next(&mut self) -> Commits {
        match self.0.recv().await {
            Ok(batch) => Commits::Batch(batch),
            Err(broadcast::error::RecvError::Lagged(_)) => Commits::Lagged,
            Err(broadcast::error::RecvError::Closed) => Commits::Closed,
        }
    }
}

pub(crate) struct CommitSender(broadcast::Sender<Arc<Committed>>);

impl Default for CommitSender {
    fn default() -> Self {
        Self(broadcast::channel(BATCHES_BEHIND).0)
    }
}

impl CommitSender {
    /// Follows from the next batch on.
    pub(crate) fn subscribe(&self) -> CommitFeed {
        CommitFeed(self.0.subscribe())
    }

    /// Whether anybody follows.
    pub(crate) fn is_followed(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// Passes a durable batch to the followers.
    pub(crate) fn send(&self, batch: Committed) {
        // The last follower may be leaving just now.
        let _ = self.0.send(Arc::new(batch));
    }
}
