//! What a process is among several of one hall.

use serde::Serialize;
use std::sync::Arc;

/// Tells what this process is at a moment.
pub type NodeView = Arc<dyn Fn() -> NodeInfo + Send + Sync>;

/// What a process is among several of one hall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeInfo {
    /// `leader`, `follower`, or `alone` while no leader is reached.
    pub role: &'static str,
    /// The name and address of the node that leads, as far as this one knows.
    pub leader: Option<String>,
    /// The epoch of that leader.
    pub epoch: u64,
    /// Whether commands that arrive here are decided.
    pub takes_writes: bool,
    /// The last record that this node shows.
    pub applied: u64,
    /// The last record that this node knows to be durable.
    pub durable: u64,
    /// The records between the two.
    pub lag: u64,
}
