//! One running hall: data folder, keys, journal, engine, listeners, wired together and taken apart again.

use crate::admin::{AdminContext, AdminServer};
use crate::backup_mark;
use crate::beacon::BeaconSource;
use crate::checkpoint_mark::CheckpointMark;
use crate::doorbell;
use crate::duties::{Duties, LeadWatch, MovingDuties};
use crate::entropy::OsEntropy;
use crate::hall_log::HallLog;
use crate::house::HousePlayers;
use crate::journal_failure::{begin_anew, end_process};
use crate::keys::{self, HallSecrets, KeyFiles};
use crate::node;
use crate::scrub;
use crate::settings::{Settings, StorageEngine};
use crate::start_failure::StartFailure;
use crate::storage::{self, BackupSource, OpenedJournal};
use hall_client::Origin;
use hall_cluster::{NodeHandle, NodeRole, NodeStatus, RunningNode};
use hall_driver::{
    Challenges, Engine, MonotonicClock, Running, StartError, StartOptions, SystemClocks, published_keys,
};
use hall_games::CATALOG;
use hall_http::payload::HouseAgents;
use hall_http::{
    BeaconHealth, NodeInfo, NodeView, RunningServer, Shell, ShellParts, StreamThreads, check_tls, serve,
    serve_admin,
};
use hall_journal::{DataLock, JournalError};
use hall_outbound::doorbell::RingNotifier;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::net::TcpListener;

/// A hall that runs.
pub(crate) struct RunningHall {
    /// The handle by which it is used.
    pub(crate) engine: Engine,
    /// Its public address.
    pub(crate) base_url: Origin,
    /// Where metrics are served.
    pub(crate) admin_address: Option<SocketAddr>,
    driving: Driving,
    server: RunningServer,
    admin_server: Option<RunningServer>,
    admin: AdminServer,
    scrubbing: JoinHandle<()>,
    duties: MovingDuties,
    _lock: Option<DataLock>,
}

/// What drives the engine.
enum Driving {
    /// The writer of a hall in one process.
    Writer(Running),
    /// A node of a hall on several machines.
    Node(RunningNode),
}

impl Driving {
    /// This process among the others of a hall on several machines.
    fn handle(&self) -> Option<NodeHandle> {
        match self {
            Self::Writer(_) => None,
            Self::Node(running) => Some(running.handle()),
        }
    }

    /// Tells what this process is among several of one hall.
    fn view(&self) -> Option<NodeView> {
        let node = self.handle()?;
        Some(Arc::new(move || {
            let NodeStatus { role, leader, epoch, applied, durable, .. } = node.status();
            let takes_writes = role.takes_writes();
            let role = match role {
                NodeRole::Leader => "leader",
                NodeRole::Follower => "follower",
                NodeRole::Alone | NodeRole::CutOff => "alone",
            };
            let lag = durable - applied;
            NodeInfo { role, leader, epoch, takes_writes, applied, durable, lag }
        }))
    }

    fn stop(self) -> Result<(), JournalError> {
        match self {
            Self::Writer(running) => running.stop(),
            Self::Node(running) => running.stop(),
        }
    }
}

/// What is there before HTTP is served: everything that takes long or can be refused.
struct PreparedHall {
    driving: Driving,
    engine: Engine,
    /// `None` for a hall in one process, whose shell makes its own.
    challenges: Option<Arc<Challenges>>,
    leads: LeadWatch,
    secrets: HallSecrets,
    base_url: Origin,
    log: HallLog,
    backups: Box<dyn BackupSource>,
    /// Held where the journal does not hold it.
    lock: Option<DataLock>,
}

impl RunningHall {
    /// Starts a hall.
    ///
    /// # Errors
    /// See [`StartFailure`]; nothing runs then.
    pub(crate) async fn start(settings: &Settings) -> Result<Self, StartFailure> {
        let since = Instant::now();
        // The folder comes first: of two halls on one folder, the second is to be told about the folder.
        let lock = DataLock::acquire(&settings.storage.path)?;
        let data = lock.folder().to_path_buf();
        let listener = listen(settings.listen, "server.listen").await?;
        let admin_listener = match settings.admin_listen {
            Some(address) => Some(listen(address, "server.admin_listen").await?),
            None => None,
        };
        if let Some(files) = &settings.http.tls {
            // Before anything of a new hall is fixed.
            check_tls(files)?;
        }
        let beacon_health = Arc::new(BeaconHealth::default());
        let beacon = BeaconSource::of(&settings.beacon, &beacon_health)?;
        let PreparedHall { driving, engine, challenges, leads, secrets, base_url, log, backups, lock } =
            prepare(settings, lock, &listener).await?;
        let log = Arc::new(log);
        let notifier = doorbell::notifier(&settings.doorbell, secrets.ring.clone())?;
        let house_players = HousePlayers::of(settings.house, &secrets.operator, &base_url)?;
        let house_agents = house_players.agents();
        let sources = ShellSources {
            log: &log,
            beacon: &beacon_health,
            notifier: &notifier,
            node: driving.view(),
            house_agents: house_agents.clone(),
        };
        let shell = Shell::new(shell_parts(settings, &engine, &secrets, challenges, sources, &base_url)?);
        let duties = Duties {
            settings: settings.clone(),
            engine: engine.clone(),
            shell: Arc::clone(&shell),
            log: Arc::clone(&log),
            beacon,
            beacon_health,
            notifier: Arc::clone(&notifier),
            house_players,
        };
        let base = base_url.to_string();
        let files = KeyFiles::of(settings.keys_path.as_deref(), &data);
        if driving.handle().is_some() {
            let (log, notifier) = (Arc::clone(&log), Arc::clone(&notifier));
            tokio::spawn(keys::follow(engine.clone(), secrets.public(), files.clone(), log, notifier));
        }
        let context = AdminContext {
            engine: engine.clone(),
            backups,
            log,
            notifier,
            node: driving.handle(),
            keys: files,
            data,
            base_url: base,
            house_agents,
            since,
        };
        let admin = AdminServer::start(context).map_err(StartFailure::AdminSocket)?;
        let admin_address = admin_listener.as_ref().and_then(|listener| listener.local_addr().ok());
        let admin_server = admin_listener.map(|listener| serve_admin(&shell, listener)).transpose()?;
        let duties = duties.follow_the_lead(leads)?;
        let server = serve(shell, listener).await?;
        let scrubbing =
            scrub::start(engine.clone(), settings.storage.scrub_per_second).map_err(StartFailure::Scrub)?;
        Ok(Self {
            engine,
            base_url,
            admin_address,
            driving,
            server,
            admin_server,
            admin,
            scrubbing,
            duties,
            _lock: lock,
        })
    }

    /// Shuts down cleanly: finishes accepted requests, closes streams, makes everything durable.
    ///
    /// # Errors
    /// The journal failed at the end.
    pub(crate) async fn stop(self) -> Result<(), JournalError> {
        self.engine.announce_stop();
        let duties = self.duties.stop_players().await;
        self.server.stop().await;
        drop((self.admin, duties));
        let (scrubbing, driving) = (self.scrubbing, self.driving);
        let stopped = tokio::task::spawn_blocking(move || {
            // It is told by the same signal as streams; if it panicked, it said so itself.
            let _ = scrubbing.join();
            driving.stop()
        })
        .await;
        if let Some(server) = self.admin_server {
            server.stop().await;
        }
        stopped.unwrap_or(Err(JournalError::Poisoned))
    }
}

/// Opens journal and keys and starts the engine, on a thread where that holds nobody up.
async fn prepare(
    settings: &Settings,
    lock: DataLock,
    listener: &TcpListener,
) -> Result<PreparedHall, StartFailure> {
    let bound =
        listener.local_addr().map_err(|error| cannot_listen(settings.listen, "server.listen", error))?;
    let base_url = public_address(settings, bound);
    let shared = match &settings.storage.engine {
        StorageEngine::Postgres(postgres) => {
            Some((postgres.clone(), listen(settings.cluster.listen, "cluster.listen").await?))
        }
        StorageEngine::Fjall => None,
    };
    let settings = settings.clone();
    let preparing = tokio::task::spawn_blocking(move || {
        let data: PathBuf = lock.folder().to_path_buf();
        let written = base_url.to_string();
        let origin = written.split_once("://").map_or(written.as_str(), |(_, rest)| rest);
        if let Some(path) = &settings.log.mark_path {
            CheckpointMark::at(path).check()?;
        }
        let backup = backup_mark::read(&data).map_err(StartFailure::BackupMark)?;
        let started = match shared {
            Some((postgres, link)) => {
                let configured = settings.listen;
                let on_failure = move |reason: &str| begin_anew(reason, configured, bound);
                let node = node::open(&settings, &postgres, &data, origin, link, on_failure)?;
                StartedEngine {
                    driving: Driving::Node(node.running),
                    engine: node.engine,
                    challenges: Some(node.challenges),
                    leads: node.leads,
                    secrets: node.secrets,
                    backups: Box::new(node.database),
                    held: node.held,
                    lock: Some(lock),
                }
            }
            None => start_writer(&settings, lock, &data, origin)?,
        };
        let StartedEngine { driving, engine, challenges, leads, secrets, backups, held, lock } = started;
        if settings.log.origin.is_none() && keys::first_name(&secrets.origin) != origin {
            tracing::warn!(
                origin = secrets.origin,
                base_url = written,
                "the log keeps the name of this hall's first start, and is served at another address; name it in log.origin \
                 if that is meant"
            );
        }
        let log = HallLog::prepare(&settings, &data, &secrets, &engine, backup.as_deref(), held);
        match log {
            Ok(log) => {
                Ok(PreparedHall { driving, engine, challenges, leads, secrets, base_url, log, backups, lock })
            }
            Err(failure) => {
                // It is refused all the same; what stopping says is in the log.
                let _ = driving.stop();
                Err(failure)
            }
        }
    });
    match preparing.await {
        Ok(prepared) => prepared,
        Err(broken) => std::panic::resume_unwind(broken.into_panic()),
    }
}

/// An engine with what drives it, and what belongs to its journal.
struct StartedEngine {
    driving: Driving,
    engine: Engine,
    challenges: Option<Arc<Challenges>>,
    leads: LeadWatch,
    secrets: HallSecrets,
    backups: Box<dyn BackupSource>,
    /// The record with which the journal ended when this process opened it.
    held: u64,
    lock: Option<DataLock>,
}

/// Starts the writer of a hall in one process, whose journal is in its data folder.
fn start_writer(
    settings: &Settings,
    lock: DataLock,
    data: &Path,
    origin: &str,
) -> Result<StartedEngine, StartFailure> {
    let storage = &settings.storage;
    let files = KeyFiles::of(settings.keys_path.as_deref(), data);
    let OpenedJournal { journal, backups } = storage::open_folder(storage, lock)?;
    let held = journal.head().seq;
    let is_new = held == 0;
    let known = published_keys(&*journal.reader()).map_err(StartError::from)?;
    let configured = settings.log.origin.as_deref();
    let secrets = HallSecrets::load_known(&files, data, known.as_ref(), is_new, configured, origin)?;
    let running = hall_driver::start(
        StartOptions {
            catalog: CATALOG,
            settings: settings.hall.clone(),
            keys: secrets.public(),
            journal,
            clock: Arc::new(MonotonicClock::new(SystemClocks)),
            entropy: Box::new(OsEntropy),
            reserve_bytes: storage.reserve_bytes,
            snapshot_every: storage.snapshot_every,
            // Not before the log was compared with what may be known of it elsewhere.
            signing: false,
        },
        Box::new(end_process),
    )?;
    let (records, snapshot, facts) = running.recovered;
    tracing::info!(records, ?snapshot, facts, "the state is rebuilt from the journal");
    Ok(StartedEngine {
        engine: running.engine.clone(),
        driving: Driving::Writer(running),
        challenges: None,
        leads: LeadWatch::always(),
        secrets,
        backups,
        held,
        lock: None,
    })
}

/// What the HTTP shell publishes beside the engine.
struct ShellSources<'a> {
    log: &'a HallLog,
    beacon: &'a Arc<BeaconHealth>,
    notifier: &'a Arc<RingNotifier>,
    node: Option<NodeView>,
    house_agents: HouseAgents,
}

fn shell_parts(
    settings: &Settings,
    engine: &Engine,
    secrets: &HallSecrets,
    challenges: Option<Arc<Challenges>>,
    sources: ShellSources<'_>,
    base_url: &Origin,
) -> Result<ShellParts, StartFailure> {
    let mut run_secret = [0; 32];
    getrandom::fill(&mut run_secret).map_err(StartFailure::Randomness)?;
    let mut http = settings.http.clone();
    http.base_url = base_url.to_string();
    http.spares_loopback = settings.spares_loopback(base_url);
    Ok(ShellParts {
        engine: engine.clone(),
        challenges: challenges
            .unwrap_or_else(|| Arc::new(Challenges::of_run(&run_secret, http.challenge_validity))),
        settings: http,
        run_secret,
        operator_secret: secrets.operator,
        log: Arc::clone(&sources.log.signer),
        beacon_public_key: settings.hall.beacon.map(|_| settings.beacon.public_key.clone()),
        beacon: Arc::clone(sources.beacon),
        house_agents: sources.house_agents,
        witnesses: sources.log.witnesses.clone(),
        doorbells: Arc::<RingNotifier>::clone(sources.notifier),
        node: sources.node,
        stream_threads: Some(
            StreamThreads::start(hall_journal::lower_priority).map_err(StartFailure::StreamThreads)?,
        ),
    })
}

async fn listen(address: SocketAddr, setting: &'static str) -> Result<TcpListener, StartFailure> {
    TcpListener::bind(address).await.map_err(|error| cannot_listen(address, setting, error))
}

fn cannot_listen(address: SocketAddr, setting: &'static str, error: std::io::Error) -> StartFailure {
    StartFailure::Listen { address, setting, error }
}

/// The address that is published to agents, unless one is set.
///
/// Decision: the wildcard address cannot be connected to, so the loopback address is published instead; a hall that is
/// reached from elsewhere sets `server.base_url`.
fn public_address(settings: &Settings, bound: SocketAddr) -> Origin {
    if let Some(base_url) = &settings.base_url {
        return base_url.clone();
    }
    let scheme = if settings.http.tls.is_some() { "https" } else { "http" };
    let mut address = bound;
    if bound.ip().is_unspecified() {
        address.set_ip(match bound {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    Origin::parse(&format!("{scheme}://{address}")).expect("a socket address is the address of a hall")
}
