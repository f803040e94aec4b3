//! The state that all requests share: the running hall, and small state machines that last until the next restart.

use crate::access_log::AccessLog;
use crate::beacon_health::BeaconHealth;
use crate::connections::Connections;
use crate::description::{HallDescription, SOFTWARE};
use crate::distributions::Distributions;
use crate::errors::ApiCode;
use crate::histories::Histories;
use crate::lock::lock;
use crate::log_signer::LogSigner;
use crate::metrics::{Measured, Metrics};
use crate::node::NodeView;
use crate::operators::OperatorSecret;
use crate::payload::HouseAgents;
use crate::permits::Permits;
use crate::prepared::{Contents, Documents};
use crate::response::Failure;
use crate::rules_pages::RulesPages;
use crate::settings::HttpSettings;
use crate::signatures::Signatures;
use crate::stream_connections::{StreamConnections, StreamThreads};
use crate::streams::Streams;
use crate::witness_health::WitnessHealth;
use bytes::Bytes;
use hall_core::challenge::ChallengeProblem;
use hall_core::rate::{ClientKey, RateLimiter, Remaining, RetryAfter};
use hall_core::rooms::BeaconStatus;
use hall_driver::{ChallengeRefused, Challenges, Doorbells, Engine, Recognised, Unavailable};
use hall_wire::message::Challenge;
use hall_wire::text::encode_hex;
use hall_wire::{Digest, Handle, Span, Timestamp};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Searches of games at the same time, so that they never disturb play. Only spectators wait for them.
const SEARCHES: usize = 2;
/// Replays and PGN read at the same time, for the same reason.
const LONG_READS: usize = 2;
/// Short reads of one kind at the same time, for the same reason.
const SHORT_READS: usize = 2;
/// Long answers compressed at the same time, for the same reason.
const COMPRESSIONS: usize = 2;

/// The parts of a shell.
pub struct ShellParts {
    /// The running hall.
    pub engine: Engine,
    /// The settings.
    pub settings: HttpSettings,
    /// Issues and spends challenges.
    pub challenges: Arc<Challenges>,
    /// 32 random bytes, never used before: the request ids of this run are made from them.
    pub run_secret: [u8; 32],
    /// The secret under which operator tokens become operator ids. It must never change.
    pub operator_secret: [u8; 32],
    /// The log's keys: they sign checkpoints and `/api/official`.
    pub log: Arc<LogSigner>,
    /// The public key of the beacon's chain, lowercase hexadecimal; `None` while the beacon is off.
    pub beacon_public_key: Option<String>,
    /// How the beacon is.
    pub beacon: Arc<BeaconHealth>,
    /// The agents of the house.
    pub house_agents: HouseAgents,
    /// The state of the log's witnesses.
    pub witnesses: Vec<Arc<WitnessHealth>>,
    /// The shell that reaches the endpoints of agents.
    pub doorbells: Arc<dyn Doorbells>,
    /// What this process is among several of one hall; `None` for a hall in one process.
    pub node: Option<NodeView>,
    /// Threads for event streams; `None` to send them where requests are answered.
    pub stream_threads: Option<StreamThreads>,
}

/// The HTTP shell of one hall.
pub struct Shell {
    pub(crate) engine: Engine,
    pub(crate) settings: HttpSettings,
    pub(crate) operators: OperatorSecret,
    pub(crate) log: Arc<LogSigner>,
    pub(crate) beacon_public_key: Option<String>,
    pub(crate) beacon: Arc<BeaconHealth>,
    pub(crate) house_agents: HouseAgents,
    pub(crate) doorbells: Arc<dyn Doorbells>,
    pub(crate) node: Option<NodeView>,
    pub(crate) signatures: Signatures,
    pub(crate) streams: Arc<Streams>,
    pub(crate) exports: Arc<Streams>,
    /// Permits for searches of games, which may read many games for one page.
    pub(crate) searches: Permits,
    /// Permits for reading a whole game.
    pub(crate) long_reads: Permits,
    /// Permits for reading a few rows, as of one ended game, for anybody.
    pub(crate) short_reads: Permits,
    /// The same for pages: who watches games keeps no program from the hall.
    pub(crate) page_reads: Permits,
    /// A permit for making the front page, which is made for all at once and waits for no reader of another page.
    pub(crate) front_page_reads: Permits,
    /// The same for an agent that reads its own games: no other reader keeps it from them.
    pub(crate) own_reads: Permits,
    /// The same for what an agent must know to play, its turns and what was said in its game: readers of old games keep
    /// nobody from playing.
    pub(crate) play_reads: Permits,
    /// Permits for reading a file of the log or the proof of a game.
    pub(crate) log_reads: Permits,
    /// Permits for reading an ended game for its small image: who asks for many keeps nobody from the log.
    pub(crate) images: Permits,
    /// Permits for reading the games of the hall's events: who searches keeps nobody from the news.
    pub(crate) news: Permits,
    /// Permits for compressing a long answer.
    pub(crate) compressions: Permits,
    pub(crate) connections: Arc<Connections>,
    /// Where event streams are sent.
    pub(crate) stream_connections: Arc<StreamConnections>,
    pub(crate) metrics: Metrics,
    pub(crate) access_log: AccessLog,
    pub(crate) histories: Histories,
    /// Documents that never change while the hall runs, built when the first of them is requested.
    pub(crate) documents: OnceLock<Documents>,
    /// The compressed forms of pages.
    pub(crate) contents: Contents,
    /// The front page as it was made last, and when: everybody who looks at it gets the same.
    pub(crate) front_page: tokio::sync::Mutex<Option<(Timestamp, Bytes)>>,
    /// The ratings of leaderboards that were looked at last.
    pub(crate) distributions: Distributions,
    /// The rules of games, made when they are requested first.
    pub(crate) rules_pages: RulesPages,
    description: OnceLock<HallDescription>,
    challenges: Arc<Challenges>,
    requests: Mutex<RateLimiter>,
    page_requests: Mutex<RateLimiter>,
    registrations: Mutex<RateLimiter>,
    request_id_secret: Digest,
    next_request: AtomicU64,
}

impl Shell {
    /// A shell over a running hall.
    #[must_use]
    pub fn new(parts: ShellParts) -> Arc<Self> {
        let ShellParts { engine, settings, run_secret, operator_secret, log, .. } = parts;
        let ShellParts { beacon_public_key, beacon, house_agents, witnesses, doorbells, .. } = parts;
        let ShellParts { challenges, node, stream_threads, .. } = parts;
        let streams = Streams::new(settings.max_streams, settings.max_streams_per_client);
        let connections = Connections::new(settings.connection_limits());
        let metrics = Metrics::new(Measured {
            engine: engine.clone(),
            beacon: beacon_public_key.is_some().then(|| Arc::clone(&beacon)),
            witnesses,
            doorbells: Arc::clone(&doorbells),
            house_agents: house_agents.clone(),
            streams: Arc::clone(&streams),
            connections: Arc::clone(&connections),
            node: node.clone(),
        });
        Arc::new(Self {
            operators: OperatorSecret::new(operator_secret),
            log,
            beacon_public_key,
            beacon,
            house_agents,
            signatures: Signatures::new(),
            metrics,
            access_log: AccessLog::new(settings.client_addresses, &run_secret),
            doorbells,
            node,
            streams,
            exports: Streams::of_exports(),
            searches: Permits::new(SEARCHES),
            long_reads: Permits::new(LONG_READS),
            short_reads: Permits::short(SHORT_READS),
            page_reads: Permits::short(SHORT_READS),
            front_page_reads: Permits::short(1),
            own_reads: Permits::short(SHORT_READS),
            play_reads: Permits::short(SHORT_READS),
            log_reads: Permits::new(SHORT_READS),
            images: Permits::new(SHORT_READS),
            news: Permits::new(SHORT_READS),
            compressions: Permits::new(COMPRESSIONS),
            stream_connections: StreamConnections::new(stream_threads),
            connections,
            histories: Histories::default(),
            documents: OnceLock::new(),
            contents: Contents::default(),
            front_page: tokio::sync::Mutex::default(),
            distributions: Distributions::default(),
            rules_pages: RulesPages::default(),
            description: OnceLock::new(),
            challenges,
            requests: Mutex::new(RateLimiter::new(Span::from_secs(60))),
            page_requests: Mutex::new(RateLimiter::new(Span::from_secs(60))),
            registrations: Mutex::new(RateLimiter::new(Span::from_secs(3_600))),
            request_id_secret: Digest::of_parts(&[b"request ids", &run_secret]),
            next_request: AtomicU64::new(0),
            engine,
            settings,
        })
    }

    /// Issues a challenge and says when it expires.
    pub(crate) fn issue_challenge(&self, handle: &Handle) -> Result<(Challenge, Timestamp), Failure> {
        Ok(self.challenges.issue(|| self.engine.now(), handle)?)
    }

    /// Whether a request stamped `at` may use a challenge.
    pub(crate) fn check_challenge(
        &self,
        at: Timestamp,
        handle: &Handle,
        challenge: &Challenge,
    ) -> Result<Recognised, Failure> {
        self.challenges.recognise(at, handle, challenge).map_err(refused)
    }

    /// Consumes a challenge. Of any number of requests racing on one, exactly one passes, and what is read for it then is
    /// at least as new as this moment.
    pub(crate) async fn spend_challenge(&self, at: Timestamp, recognised: Recognised) -> Result<(), Failure> {
        let seq = self.challenges.spend(at, recognised).await.map_err(refused)?;
        self.shows(seq).await
    }

    /// Returns when this process shows everything that any process of this hall has acknowledged before.
    pub(crate) async fn see_what_is_durable(&self) -> Result<(), Failure> {
        let seq = self.challenges.ask_leader().await.map_err(refused)?;
        self.shows(seq).await
    }

    /// Returns when this process shows a record. Nothing was asked of the hall before that, so that nothing was done if it
    /// does not.
    async fn shows(&self, seq: u64) -> Result<(), Failure> {
        self.engine.reaches(seq).await.map_err(|_| Unavailable::NoLeader.into())
    }

    /// The facts about this hall for the documents. They follow from the settings, which never change while it runs.
    pub(crate) fn description(&self) -> Result<&HallDescription, Failure> {
        if let Some(description) = self.description.get() {
            return Ok(description);
        }
        let (catalog, settings) = self.engine.peek(|hall| (*hall.catalog(), hall.settings().cloned()));
        let description = HallDescription {
            base_url: self.settings.base_url.clone(),
            software: SOFTWARE.to_owned(),
            catalog,
            // A running hall has settings.
            settings: settings.ok_or_else(|| Failure::from(ApiCode::Internal))?,
            requests_per_minute: self.settings.requests_per_minute,
            registrations_per_hour: self.settings.registrations_per_hour,
            challenge_validity: self.settings.challenge_validity,
            house_agents: self.house_agents.clone(),
        };
        Ok(self.description.get_or_init(|| description))
    }

    /// How the beacon is.
    pub(crate) fn beacon_status(&self) -> BeaconStatus {
        if self.beacon_public_key.is_some() { self.beacon.status() } else { BeaconStatus::Off }
    }

    /// Counts a request of a client to what programs ask for.
    pub(crate) fn admit(&self, client: ClientKey) -> Result<Remaining, RetryAfter> {
        lock(&self.requests).admit(self.engine.now(), client, self.settings.requests_per_minute)
    }

    /// Counts a request of a client to pages, under the same limit. Watching takes nothing from an agent at the same
    /// address.
    pub(crate) fn admit_to_pages(&self, client: ClientKey) -> Result<Remaining, RetryAfter> {
        lock(&self.page_requests).admit(self.engine.now(), client, self.settings.requests_per_minute)
    }

    /// Counts a registration of a client.
    pub(crate) fn admit_registration(&self, client: ClientKey) -> Result<Remaining, RetryAfter> {
        lock(&self.registrations).admit(self.engine.now(), client, self.settings.registrations_per_hour)
    }

    /// A registration that was admitted did not succeed.
    pub(crate) fn forget_registration(&self, client: ClientKey) {
        lock(&self.registrations).forget_newest(client);
    }

    /// A request id that was not given out before in this run, and that does not reveal how many there were.
    pub(crate) fn mint_request_id(&self) -> String {
        let number = self.next_request.fetch_add(1, Ordering::Relaxed);
        let digest = Digest::of_parts(&[self.request_id_secret.as_bytes(), &number.to_be_bytes()]);
        encode_hex(&digest.as_bytes()[..10])
    }
}

fn refused(why: ChallengeRefused) -> Failure {
    match why {
        ChallengeRefused::Invalid(ChallengeProblem::Unknown) => ApiCode::ChallengeUnknown.into(),
        ChallengeRefused::Invalid(ChallengeProblem::Expired) => ApiCode::ChallengeExpired.into(),
        ChallengeRefused::Invalid(ChallengeProblem::Spent) => ApiCode::ChallengeSpent.into(),
        ChallengeRefused::Full => Failure::saying(
            ApiCode::Unavailable,
            "The hall's memory for spent challenges is full. This one was not spent: send the same request again after \
             Retry-After seconds.",
        )
        .retry_after(5),
        ChallengeRefused::Unavailable(why) => why.into(),
    }
}
