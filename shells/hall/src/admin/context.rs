//! What requests of the operator work on.

use crate::hall_log::HallLog;
use crate::keys::KeyFiles;
use crate::storage::BackupSource;
use hall_cluster::NodeHandle;
use hall_driver::Engine;
use hall_http::payload::HouseAgents;
use hall_outbound::doorbell::RingNotifier;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The parts of the running hall.
pub(crate) struct AdminContext {
    /// The running hall.
    pub(crate) engine: Engine,
    /// Writes backups of its journal.
    pub(crate) backups: Box<dyn BackupSource>,
    /// Its log: keys, witnesses, mark.
    pub(crate) log: Arc<HallLog>,
    /// Who rings the doorbells of its agents.
    pub(crate) notifier: Arc<RingNotifier>,
    /// The files of its keys.
    pub(crate) keys: KeyFiles,
    /// Its data folder.
    pub(crate) data: PathBuf,
    /// This process among the others of a hall on several machines.
    pub(crate) node: Option<NodeHandle>,
    /// Its public address, as games that are exported name it.
    pub(crate) base_url: String,
    /// The agents of the house.
    pub(crate) house_agents: HouseAgents,
    /// Since when the hall runs.
    pub(crate) since: Instant,
}
