//! What others ask of a node, and what it tells them.

use crate::serve::{FollowerStatus, Leadership};
use hall_driver::{Engine, Lead};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, watch};

/// What a node is among the nodes of a hall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeRole {
    /// It reaches no leader that can decide.
    #[default]
    Alone,
    /// Its commands reach a leader that can decide: one that knows that nobody else can lead.
    Follower,
    /// It leads.
    Leader,
    /// It led last and has lost the right to, because the journal confirms nothing.
    CutOff,
}

impl NodeRole {
    /// Whether commands reach a leader that can decide, here or at another node.
    #[must_use]
    pub const fn takes_writes(self) -> bool {
        matches!(self, Self::Follower | Self::Leader)
    }
}

/// What a node is at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeStatus {
    /// What it is among the nodes.
    pub role: NodeRole,
    /// The name and the address of the node that leads, as far as this one knows.
    pub leader: Option<String>,
    /// The epoch of that leader.
    pub epoch: u64,
    /// The last record that this node has applied.
    pub applied: u64,
    /// The last record that this node knows to be durable: at the leader, by what came over the link and by what the journal
    /// says of its owner. It is never less than `applied`.
    pub durable: u64,
    /// Who follows that leader.
    pub followers: Vec<FollowerStatus>,
}

/// What others tell a node, and what it tells them.
pub(crate) struct Control {
    engine: Engine,
    pub(crate) stopping: AtomicBool,
    /// What this node leads.
    pub(crate) leadership: watch::Receiver<Option<Arc<Leadership>>>,
    /// A follower asks for the lead.
    pub(crate) hands_over: AtomicBool,
    /// This node is to ask for the lead.
    pub(crate) asks: AtomicBool,
    /// One of these has changed.
    pub(crate) changed: Notify,
    pub(crate) status: Mutex<NodeStatus>,
    /// The last record that was told to be durable.
    known_durable: AtomicU64,
    /// The epoch of the status, for those that must not wait.
    epoch: Arc<AtomicU64>,
}

/// Asks a running node.
#[derive(Clone)]
pub struct NodeHandle(pub(crate) Arc<Control>);

impl NodeHandle {
    /// What the node is now.
    #[must_use]
    pub fn status(&self) -> NodeStatus {
        self.0.status()
    }

    /// The node stops: a leader decides what was accepted and gives the lead back. The caller closes its queue first, and
    /// wakes its writer afterwards.
    pub fn stop(&self) {
        self.0.stopping.store(true, Ordering::Relaxed);
        self.0.changed.notify_one();
    }

    /// The node asks the node that leads to hand over to it. A node that leads already does nothing.
    pub fn ask_for_lead(&self) {
        self.0.asks.store(true, Ordering::Relaxed);
        self.0.changed.notify_one();
    }
}

impl Control {
    pub(crate) fn new(
        engine: Engine,
        leadership: watch::Receiver<Option<Arc<Leadership>>>,
        epoch: Arc<AtomicU64>,
    ) -> Arc<Self> {
        Arc::new(Self {
            engine,
            leadership,
            stopping: AtomicBool::new(false),
            hands_over: AtomicBool::new(false),
            asks: AtomicBool::new(false),
            changed: Notify::new(),
            status: Mutex::default(),
            known_durable: AtomicU64::new(0),
            epoch,
        })
    }

    pub(crate) fn status(&self) -> NodeStatus {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(leadership) = &*self.leadership.borrow() {
            status.followers = leadership.followers.list();
            // One that others may have replaced says no longer that it leads.
            if leadership.challenges.confirm_right(leadership.term).is_err() {
                status.role = NodeRole::CutOff;
            }
        }
        // The link may be gone, and the node's thread not know it yet.
        if status.role == NodeRole::Follower && self.engine.lead() != Lead::Elsewhere {
            status.role = NodeRole::Alone;
        }
        status.applied = self.engine.durable_seq();
        status.durable = self.known_durable.load(Ordering::Relaxed).max(status.applied);
        status
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut NodeStatus)) {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut status);
        self.epoch.store(status.epoch, Ordering::Relaxed);
    }

    /// Notes that the journal is durable up to a record.
    pub(crate) fn heard_durable(&self, seq: u64) {
        self.known_durable.fetch_max(seq, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
