//! What others ask of a node, and what it tells them.

use crate::serve::{FollowerStatus, Leadership};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, watch};

/// What a node is at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeStatus {
    /// Whether it leads.
    pub leads: bool,
    /// The name and the address of the node that leads, as far as this one knows.
    pub leader: Option<String>,
    /// The epoch of that leader.
    pub epoch: u64,
    /// Whether commands reach a leader.
    pub linked: bool,
    /// Who follows that leader.
    pub followers: Vec<FollowerStatus>,
}

/// What others tell a node, and what it tells them.
pub(crate) struct Control {
    pub(crate) stopping: AtomicBool,
    /// What this node leads.
    pub(crate) leadership: watch::Receiver<Option<Arc<Leadership>>>,
    /// A follower asks for the lead.
    pub(crate) hands_over: AtomicBool,
    /// This node is to ask for the lead.
    pub(crate) asks: AtomicBool,
    /// One of these has changed.
    pub(crate) told: Notify,
    pub(crate) status: Mutex<NodeStatus>,
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
        self.0.told.notify_one();
    }

    /// The node asks the node that leads to hand over to it. A node that leads already does nothing.
    pub fn ask_for_lead(&self) {
        self.0.asks.store(true, Ordering::Relaxed);
        self.0.told.notify_one();
    }
}

impl Control {
    pub(crate) fn new(leadership: watch::Receiver<Option<Arc<Leadership>>>) -> Arc<Self> {
        Arc::new(Self {
            leadership,
            stopping: AtomicBool::new(false),
            hands_over: AtomicBool::new(false),
            asks: AtomicBool::new(false),
            told: Notify::new(),
            status: Mutex::default(),
        })
    }

    pub(crate) fn status(&self) -> NodeStatus {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(leadership) = &*self.leadership.borrow() {
            status.followers = leadership.followers.list();
            // One that others may have replaced says no longer that it leads.
            if leadership.challenges.confirm_right().is_err() {
                (status.leads, status.linked) = (false, false);
            }
        }
        status
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut NodeStatus)) {
        change(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
