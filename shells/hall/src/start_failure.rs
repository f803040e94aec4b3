//! Why a hall does not start.

use crate::beacon::BeaconFailure;
use crate::checkpoint_mark::MarkError;
use crate::keys::KeysError;
use hall_client::KeyError;
use hall_cluster::IdentityError;
use hall_driver::LogError;
use hall_driver::StartError;
use hall_http::ServeError;
use hall_journal::OpenError;
use hall_outbound::doorbell::RootsError;
use std::net::SocketAddr;

/// Why a hall does not start. Every text says what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartFailure {
    /// The data folder is in use, or what is in it is not what was acknowledged.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database is not fit, or not this hall's.
    #[error(transparent)]
    Database(#[from] hall_postgres::OpenError),
    /// The link between nodes cannot be encrypted.
    #[error(transparent)]
    Link(#[from] IdentityError),
    /// No thread can be started for the node.
    #[error("the node cannot be started: {0}")]
    Node(std::io::Error),
    /// The hall's keys are not as they were.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The state cannot be rebuilt, or the journal cannot be written.
    #[error(transparent)]
    Start(#[from] StartError),
    /// An address cannot be listened on.
    #[error(
        "cannot listen on {address} (`{setting}`): {error}. Choose another address, or stop what listens there."
    )]
    Listen { address: SocketAddr, setting: &'static str, error: std::io::Error },
    /// The keys of the house's agents cannot be made.
    #[error(transparent)]
    HouseKeys(#[from] KeyError),
    /// HTTP cannot be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The admin socket cannot be made.
    #[error("the admin socket in the data folder cannot be made: {0}")]
    AdminSocket(std::io::Error),
    /// The beacon's settings are wrong.
    #[error(transparent)]
    Beacon(#[from] BeaconFailure),
    /// The certificates for doorbells cannot be read.
    #[error(transparent)]
    DoorbellRoots(#[from] RootsError),
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The mark on another volume cannot be used.
    #[error(transparent)]
    Mark(#[from] MarkError),
    /// No thread can be started that writes the mark.
    #[error("the thread that marks checkpoints cannot be started: {0}")]
    MarkThread(std::io::Error),
    /// The mark of a backup cannot be read.
    #[error("the backup mark in the data folder cannot be read: {0}")]
    BackupMark(std::io::Error),
    /// No thread can be started for the walk over old records.
    #[error("the thread that checks old records cannot be started: {0}")]
    Scrub(std::io::Error),
    /// No threads can be started that send event streams.
    #[error("the threads that send event streams cannot be started: {0}")]
    StreamThreads(std::io::Error),
    /// The operating system has no randomness.
    #[error("the operating system gives no randomness: {0}")]
    Randomness(getrandom::Error),
}
