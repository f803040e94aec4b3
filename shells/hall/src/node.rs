//! A hall on several machines: this process as a node over the database that all of them share.

use crate::duties::LeadWatch;
use crate::entropy::OsEntropy;
use crate::keys::{HallSecrets, KeyFiles, KeysError};
use crate::settings::{Cluster, Settings};
use crate::start_failure::StartFailure;
use crate::supervisor;
use futures_util::future::BoxFuture;
use hall_cluster::{
    Holder, Identity, LeadWith, Leading, Lease, NodeOptions, Owned, RunningNode, SecureTcp, SharedError,
    SharedJournal,
};
use hall_core::{HallKeys, HallSettings};
use hall_driver::{
    Challenges, Engine, FollowOptions, Follower, LeadOptions, MonotonicClock, RecoverError, StartError,
    SystemClocks, published_keys,
};
use hall_games::CATALOG;
use hall_journal::{Journal, JournalError, JournalReader};
use hall_postgres::{Database, OpenError, Takeover};
use hall_tools::logs;
use hall_wire::Digest;
use hall_wire::text::encode_hex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How long to wait before a database that cannot be reached is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// How often a node of a new hall looks whether another one has begun it.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A node that has the state of the hall, and what shells need of it.
pub(crate) struct OpenNode {
    pub(crate) running: RunningNode,
    pub(crate) engine: Engine,
    pub(crate) secrets: HallSecrets,
    pub(crate) challenges: Arc<Challenges>,
    pub(crate) leads: LeadWatch,
    pub(crate) database: Database,
    /// The record with which the journal ended when this process opened it.
    pub(crate) held: u64,
}

/// Starts this process as a node. Blocks until the state is there; a database that is away is waited for.
///
/// # Errors
/// The database or the keys are not those of this hall, or not fit.
pub(crate) fn open(
    settings: &Settings,
    postgres: &hall_postgres::Settings,
    data: &Path,
    origin: &str,
    listener: TcpListener,
    on_failure: impl Fn(&str) + Send + Sync + 'static,
) -> Result<OpenNode, StartFailure> {
    let Cluster { name, address, lease, .. } = &settings.cluster;
    let bound = listener.local_addr().map(|bound| bound.to_string()).unwrap_or_default();
    let address = address.clone().unwrap_or(bound);
    let name = name.clone().unwrap_or_else(|| address.clone());
    let epoch = Arc::new(AtomicU64::new(0));
    logs::name_node(&name, Arc::clone(&epoch));
    let database = open_database(postgres)?;
    let holder = database.holder()?;
    let held = holder.head.seq;
    let files = KeyFiles::of(settings.keys_path.as_deref(), data);
    let reader = database.prompt_reader();
    let configured = settings.log.origin.as_deref();
    let secrets = {
        // Nodes on one machine may all be started at once, and one of them makes the keys. Another one may be replacing one.
        let _alone = files.lock()?;
        let known = published_keys(&*reader).map_err(StartError::from)?;
        HallSecrets::load_known(&files, data, known.as_ref(), held == 0, configured, origin)?
    };
    let follower = open_follower(&reader, holder.durable)?;
    let engine = follower.engine();
    let challenges = Arc::new(Challenges::unled(settings.http.challenge_validity));
    let (lead_sender, leads) = LeadWatch::channel();
    let leading = NodeLeads {
        files: files.clone(),
        settings: settings.hall.clone(),
        snapshot_every: settings.storage.snapshot_every,
        lead_sender,
    };
    let running = hall_cluster::start(NodeOptions {
        name,
        address,
        incarnation: incarnation()?,
        transport: Arc::new(SecureTcp { listener, identity: Identity::of(link_key(&secrets).as_bytes())? }),
        journal: Arc::new(SharedDatabase(database.clone())),
        lease: *lease,
        clocks: Arc::new(SystemClocks),
        spawn: Arc::new(tokio::spawn),
        follower,
        challenges: Arc::clone(&challenges),
        leading: Box::new(leading),
        on_failure: Arc::new(on_failure),
        epoch,
    })
    .map_err(StartFailure::Node)?;
    if !names_keys(&engine, &secrets.public(), held) {
        // It is refused all the same; what stopping says is in the log.
        let _ = running.stop();
        return Err(KeysError::OtherHall { folder: files.folder().to_owned() }.into());
    }
    Ok(OpenNode { running, engine, secrets, challenges, leads, database, held })
}

/// The state up to a record that is durable. Waits for a database that cannot be reached.
fn open_follower(reader: &Arc<dyn JournalReader>, durable: u64) -> Result<Follower, StartError> {
    loop {
        let opened = Follower::open(FollowOptions {
            catalog: CATALOG,
            reader: Arc::clone(reader),
            until: Some(durable),
            clock: Arc::new(MonotonicClock::following(SystemClocks)),
            // Not before the log was compared with what may be known of it elsewhere.
            signing: false,
        });
        match opened {
            Err(StartError::Recover(RecoverError::Journal(error @ JournalError::Unreachable { .. }))) => {
                tracing::warn!(%error, "the hall waits for its database");
                supervisor::waiting();
                std::thread::sleep(RETRY_DELAY);
            }
            opened => return opened,
        }
    }
}

/// Whether the hall names these keys. Waits until a hall that has never begun has a leader, and until the records up to
/// `held` are there: a key that was replaced just now is named by one that may not be confirmed yet.
fn names_keys(engine: &Engine, keys: &HallKeys, held: u64) -> bool {
    let has_others = || engine.peek(|hall| hall.keys().is_some_and(|named: &HallKeys| named != keys));
    while engine.peek(|hall| hall.settings().is_none()) || (has_others() && engine.durable_seq() < held) {
        std::thread::sleep(POLL_INTERVAL);
    }
    !has_others()
}

/// A random word that no other process has.
fn incarnation() -> Result<String, StartFailure> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(StartFailure::Randomness)?;
    Ok(encode_hex(&bytes))
}

/// Opens the database, and waits for one that cannot be reached.
fn open_database(settings: &hall_postgres::Settings) -> Result<Database, StartFailure> {
    let mut is_told = false;
    loop {
        match Database::open(settings) {
            Err(error @ OpenError::Unreachable { .. }) => {
                if !std::mem::replace(&mut is_told, true) {
                    tracing::warn!(%error, "the hall waits for its database");
                }
                supervisor::waiting();
                std::thread::sleep(RETRY_DELAY);
            }
            opened => return Ok(opened?),
        }
    }
}

/// The key of the link between nodes: all that have the hall's keys have it, and nobody else.
fn link_key(secrets: &HallSecrets) -> Digest {
    Digest::of_parts(&[b"svc.cluster.v1", &secrets.operator])
}

/// The database as nodes share it.
struct SharedDatabase(Database);

impl SharedJournal for SharedDatabase {
    fn holder(&self) -> BoxFuture<'static, Result<Holder, SharedError>> {
        let database = self.0.clone();
        waited_for(move || {
            let holder = database.holder().map_err(|error| SharedError(error.to_string()))?;
            let is_released = holder.is_released();
            let hall_postgres::Holder { epoch, owner, lease, left, durable, .. } = holder;
            Ok(Holder { epoch, owner, lease, left, is_released, durable })
        })
    }

    fn take(
        &self,
        owner: &str,
        lease: Duration,
        seen: &Holder,
    ) -> BoxFuture<'static, Result<Option<Owned>, SharedError>> {
        let (database, owner) = (self.0.clone(), owner.to_owned());
        let unchanged = Takeover::Unchanged { epoch: seen.epoch, lease: seen.lease.clone() };
        waited_for(move || match database.take(&owner, lease, unchanged) {
            Ok(journal) => {
                let lease = journal.lease();
                let epoch = lease.epoch();
                let lease = Box::new(DatabaseLease(Arc::new(lease)));
                Ok(Some(Owned { journal: Box::new(journal), lease, epoch }))
            }
            Err(OpenError::Held { .. }) => Ok(None),
            Err(error) => Err(SharedError(error.to_string())),
        })
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        self.0.prompt_reader()
    }
}

struct DatabaseLease(Arc<hall_postgres::Lease>);

impl Lease for DatabaseLease {
    fn renew(&self) -> BoxFuture<'_, Result<(), JournalError>> {
        let lease = Arc::clone(&self.0);
        Box::pin(async move {
            let renewed = tokio::task::spawn_blocking(move || lease.renew()).await;
            renewed.unwrap_or(Err(JournalError::Poisoned))
        })
    }

    fn sever(&self) {
        self.0.sever();
    }
}

/// Lets a thread wait for the database.
fn waited_for<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SharedError> + Send + 'static,
) -> BoxFuture<'static, Result<T, SharedError>> {
    Box::pin(async move {
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|error| Err(SharedError(error.to_string())))
    })
}

/// What this process does when it leads.
struct NodeLeads {
    files: KeyFiles,
    settings: HallSettings,
    snapshot_every: u64,
    lead_sender: watch::Sender<bool>,
}

impl Leading for NodeLeads {
    fn options(&mut self, journal: Box<dyn Journal>) -> Result<LeadWith, String> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|error| format!("the operating system gives no randomness: {error}"))?;
        // Read now, because another node may have replaced a key since this one has started.
        let secrets = HallSecrets::load(&self.files, false, None, "").map_err(|error| error.to_string())?;
        let options = LeadOptions {
            settings: self.settings.clone(),
            keys: secrets.public(),
            journal,
            entropy: Box::new(OsEntropy),
            // The volume is the database's.
            reserve_bytes: 0,
            snapshot_every: self.snapshot_every,
        };
        Ok(LeadWith { options, secret, observer: None })
    }

    fn begin(&mut self) {
        self.lead_sender.send_replace(true);
    }

    fn end(&mut self) {
        self.lead_sender.send_replace(false);
    }
}
