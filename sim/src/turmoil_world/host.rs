//! The hall as a host of the simulated network: the real service over the real driver, and the machine below it.
//!
//! The machine owns what survives the process: storage, clocks, key files. Each start makes everything else again, as
//! in production.

use super::beacon;
use super::bells::{self, EndpointRegistry, watch_for_connections};
use super::chronicle::Shared;
use super::clock::{ClockRate, LeapingClock, MachineClocks};
use super::disk::{Disk, RESERVE_BYTES};
use super::frail::Frailty;
use super::outside::HallMoment;
use super::pace::Pace;
use super::plan::{NetworkPlan, Traffic};
use super::sockets::Sockets;
use crate::dice::Dice;
use crate::panics::caught;
use hall_client::DialerConnector;
use hall_core::{BeaconChain, HallKeys, HallSettings};
use hall_driver::{
    Challenges, Doorbells, Driven, Engine, HallClock, MonotonicClock, NoDoorbells, RawClocks as _,
    StartOptions,
};
use hall_http::{HttpSettings, LogSigner, Network, Shell, ShellParts, serve};
use hall_journal::Journal;
use hall_outbound::BaseUrl;
use hall_outbound::beacon::{RelayLimits, Relays, RoundReport, serve_games};
use hall_outbound::doorbell::{RingNotifier, public_key, ring_turns};
use hall_outbound::fixtures::quicknet;
use hall_wire::Span;
use hall_wire::key::PrivateKey;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::Notify;

/// The name of the hall's machine.
pub(super) const HALL: &str = "hall";
/// The port that it listens on.
pub(super) const PORT: u16 = 8080;

/// How often all other tasks are polled before a stop; far more than the longest chain of tasks that wake each other.
const TURNS_TO_SETTLE: usize = 1_000;

/// The machine of the hall.
pub(super) struct Machine {
    /// Its clocks.
    pub(super) clocks: MachineClocks,
    /// Its disk.
    pub(super) disk: Disk,
    /// How readily reads from it fail.
    pub(super) frailty: Frailty,
    /// How long its disk takes, and how its tasks are held up.
    pub(super) pace: Pace,
    seed: u64,
    settings: HallSettings,
    /// Names of the relays of the beacon.
    relays: Vec<String>,
    /// The endpoints of doorbells, if agents have any.
    registry: Option<EndpointRegistry>,
    snapshot_every: u64,
    traffic: Traffic,
    /// The proxies that it trusts.
    trusted: RefCell<Vec<Network>>,
    tick: Duration,
    chronicle: Shared,
    starts: Cell<u64>,
    /// Whether a start has come up: its first record was durable by then.
    came_up: Cell<bool>,
    /// Whether each start draws a new secret for its challenges, as it must. A planted fault changes that.
    pub(super) draws_secrets: Cell<bool>,
    /// Whether a process has a request in flight that never ends.
    pub(super) leaks_a_request: Cell<bool>,
    /// Whether its clock leaps when the system clock is set, which it must not. A planted fault changes that.
    pub(super) leaps: Cell<bool>,
    clock_rate: RefCell<ClockRate>,
    /// Tells the running process to shut down cleanly.
    stop: RefCell<Arc<Notify>>,
    /// Kills the running process.
    kill: RefCell<Arc<Notify>>,
    /// Why the process that runs now can do nothing more.
    halted: RefCell<Option<String>>,
    /// The hall that runs now.
    engine: RefCell<Option<Engine>>,
}

impl Machine {
    /// A machine with an empty disk.
    pub(super) fn new(
        plan: &NetworkPlan,
        disk: Disk,
        relays: Vec<String>,
        registry: Option<EndpointRegistry>,
        chronicle: Shared,
    ) -> Rc<Self> {
        let beacon = (!relays.is_empty()).then(|| beacon::terms(plan.begins));
        Rc::new(Self {
            clocks: MachineClocks::new(plan.begins),
            disk,
            frailty: Frailty::new(plan.seed, chronicle.clone()),
            pace: Pace::new(plan.seed, plan.tick),
            seed: plan.seed,
            settings: HallSettings { beacon, ..plan.settings.clone() },
            relays,
            registry,
            snapshot_every: plan.snapshot_every,
            traffic: plan.traffic,
            trusted: RefCell::default(),
            tick: Duration::from_millis(plan.tick.as_millis()),
            chronicle,
            starts: Cell::new(0),
            came_up: Cell::new(false),
            draws_secrets: Cell::new(true),
            leaks_a_request: Cell::new(false),
            leaps: Cell::new(false),
            clock_rate: RefCell::default(),
            stop: RefCell::default(),
            kill: RefCell::default(),
            halted: RefCell::default(),
            engine: RefCell::default(),
        })
    }

    /// The chain of the beacon, if there is one.
    pub(super) const fn chain(&self) -> Option<&BeaconChain> {
        self.settings.beacon.as_ref()
    }

    /// The settings of the hall.
    pub(super) const fn settings(&self) -> &HallSettings {
        &self.settings
    }

    /// Trusts the proxy at this address.
    pub(super) fn trust(&self, proxy: IpAddr) {
        let network: Result<Network, _> = proxy.to_string().parse();
        self.trusted.borrow_mut().extend(network.ok());
    }

    /// How often the process was started.
    pub(super) fn starts(&self) -> u64 {
        self.starts.get()
    }

    /// Tells the process to shut down cleanly.
    pub(super) fn stop(&self) {
        self.stop.borrow().notify_one();
    }

    /// Kills the process. It takes until the end of the next tick; then it does nothing more.
    pub(super) fn kill(&self) {
        self.kill.borrow().notify_one();
    }

    /// Why the process can do nothing more, if that is so.
    pub(super) fn halted(&self) -> Option<String> {
        let halted = self.halted.borrow().clone();
        halted.or_else(|| self.disk.has_no_power().then(|| "the machine has no power".to_owned()))
    }

    /// The hall that runs now.
    pub(super) fn engine(&self) -> Option<Engine> {
        self.engine.borrow().clone()
    }

    /// What is wrong with the clock of the running hall.
    pub(super) fn judge_clock(&self) -> Option<String> {
        let hall = self.engine.borrow().as_ref().map(Engine::now)?;
        self.clock_rate.borrow_mut().look(self.starts.get(), hall, self.clocks.monotonic_millis())
    }

    /// The last record of which the running hall says that it is durable.
    pub(super) fn durable_seq(&self) -> Option<u64> {
        self.engine.borrow().as_ref().map(|engine| engine.status().durable_seq)
    }

    /// The process is gone, and with it all that it had not synced, if the power is gone too.
    pub(super) fn process_died(&self) {
        self.engine.replace(None);
        self.chronicle.open().outside.hall = None;
        self.halted.replace(None);
        self.disk.process_died();
    }

    /// One run of the process, until it is stopped or killed.
    pub(super) async fn run(self: Rc<Self>) -> turmoil::Result {
        let start = self.starts.get() + 1;
        self.starts.set(start);
        self.chronicle.open().start = start;
        let kill = Arc::new(Notify::new());
        self.kill.replace(Arc::clone(&kill));
        let windows = self.chronicle.open().outside.windows.clone();
        let sockets = Sockets::new(self.disk.clone()).with_windows(windows);
        let ended = tokio::select! {
            biased;
            () = kill.notified() => None,
            served = until_panic(self.serve(start, &sockets)) => Some(served.and_then(|served| served)),
        };
        // The writer is gone, and waiting requests get that error; but they are polled only after this, when their
        // connections are closed.
        sockets.close();
        match ended {
            Some(Ok(())) => return Ok(()),
            Some(Err(why)) => {
                self.halted.replace(Some(why));
            }
            None => {}
        }
        // Dead, but not yet buried.
        std::future::pending().await
    }

    /// Serves until it is told to stop.
    async fn serve(&self, start: u64, sockets: &Sockets) -> Result<(), String> {
        let stop = Arc::new(Notify::new());
        self.stop.replace(Arc::clone(&stop));
        let journal = self.disk.open().map_err(|error| error.to_string())?;
        let options = self.options(start, self.frailty.over(journal));
        let mut driven =
            Driven::open(options, Some(self.chronicle.observer())).map_err(|error| error.to_string())?;
        self.judge_recovery(&driven, start);
        let engine = driven.engine().clone();
        engine.hold_tasks(self.pace.holds());
        if self.leaks_a_request.get() {
            std::mem::forget(engine.arrive());
        }
        self.engine.replace(Some(engine.clone()));
        self.show_outside(start, engine.clone());
        let notifier = self
            .registry
            .as_ref()
            .map(|registry| bells::notifier(registry, self.seed, start, sockets.clone()));
        let shell = Shell::new(self.parts(&driven, start, notifier.as_ref()));
        let listener = sockets.listen().await.map_err(|error| error.to_string())?;
        let serving = serve(shell, listener).await.map_err(|error| error.to_string())?;
        let settle = self.tick + self.tick / 2;
        let rounds = self.fetch_rounds(engine.clone(), sockets.clone())?;
        let rings = ring(engine.clone(), notifier, self.chronicle.clone());
        let orderly = async move {
            stop.notified().await;
            engine.announce_stop();
            // The service's connections look at what came and at the stop in an order that nobody can seed. So both
            // are never new at once: what came was answered at the beginning of a tick, the stop comes within one, and
            // what a disk or a timer ends in the same millisecond goes first.
            tokio::time::sleep(settle).await;
            for _ in 0..TURNS_TO_SETTLE {
                tokio::task::yield_now().await;
            }
            serving.stop().await;
        };
        let writing = async {
            let ran = driven.run(orderly, async |pause| self.pace.pause(pause).await).await;
            if ran.is_err() {
                // The process takes a moment to end, and its tasks go on until then.
                self.pace.linger().await;
            }
            ran
        };
        tokio::select! {
            biased;
            ran = writing => ran.map_err(|error| error.to_string())?,
            () = rounds => return Err("the beacon's client has ended".to_owned()),
            () = rings => return Err("the client that rings doorbells has ended".to_owned()),
        }
        driven.end().map_err(|error| error.to_string())
    }

    /// The real client of the beacon, over this network; without relays it waits forever.
    fn fetch_rounds(
        &self,
        engine: Engine,
        sockets: Sockets,
    ) -> Result<impl Future<Output = ()> + use<>, String> {
        let address = |name: &String| BaseUrl::parse(&format!("http://{name}"));
        let urls: Result<Vec<_>, _> = self.relays.iter().map(address).collect();
        let urls = urls.map_err(|error| error.to_string())?;
        let asked = self.chain().map(|terms| {
            let connector = DialerConnector::new(sockets);
            Relays::over(urls, RelayLimits::default(), connector).map(|relays| (beacon::chain(terms), relays))
        });
        let asked = asked.transpose().map_err(|error| error.to_string())?;
        let chronicle = self.chronicle.clone();
        Ok(async move {
            let Some((chain, relays)) = asked else { return std::future::pending().await };
            let told = move |report: &RoundReport| {
                beacon::marks_of(report).into_iter().for_each(|mark| chronicle.mark("beacon", mark));
            };
            serve_games(engine, chain, relays, told).await;
        })
    }

    fn options(&self, start: u64, journal: Box<dyn Journal>) -> StartOptions {
        let clock = MonotonicClock::new(self.clocks.clone());
        let clock: Arc<dyn HallClock> = if self.leaps.get() {
            Arc::new(LeapingClock(clock, self.clocks.clone()))
        } else {
            Arc::new(clock)
        };
        StartOptions {
            catalog: hall_games::CATALOG,
            settings: self.settings.clone(),
            keys: HallKeys { log: self.log_signer().public(), ring: self.ring_key() },
            journal,
            clock,
            entropy: Box::new(Dice::of(self.seed, "hall", start)),
            reserve_bytes: RESERVE_BYTES,
            snapshot_every: self.snapshot_every,
            signing: true,
        }
    }

    /// The key of its log, as it is published.
    pub(super) fn log_key(&self) -> String {
        self.log_signer().public()
    }

    fn log_signer(&self) -> LogSigner {
        LogSigner::new("hall.sim", PrivateKey::from_seed(&Dice::of(self.seed, "log key", 0).bytes()))
    }

    /// The key that rings are verified with, as the hall publishes it.
    fn ring_key(&self) -> String {
        let key = self.registry.as_ref().map(|registry| public_key(&registry.ring_key().public()));
        key.unwrap_or_else(|| "whpk_AA==".to_owned())
    }

    fn parts(&self, driven: &Driven, start: u64, notifier: Option<&Arc<RingNotifier>>) -> ShellParts {
        let base_url = format!("http://{HALL}:{PORT}");
        let Traffic { per_minute, connections, streams, challenge_seconds } = self.traffic;
        let mut settings = HttpSettings {
            base_url,
            trusted_proxies: self.trusted.borrow().clone(),
            requests_per_minute: per_minute,
            max_connections: 0xffff,
            max_connections_per_client: connections,
            max_streams_per_client: streams,
            ..HttpSettings::default()
        };
        if challenge_seconds > 0 {
            settings.challenge_validity = Span::from_secs(challenge_seconds);
        }
        let drawn = if self.draws_secrets.get() { start } else { 1 };
        let doorbells: Arc<dyn Doorbells> = match notifier {
            Some(notifier) => Arc::<RingNotifier>::clone(notifier),
            None => Arc::new(NoDoorbells),
        };
        let run_secret = Dice::of(self.seed, "run secret", drawn).bytes();
        let validity = settings.challenge_validity;
        ShellParts {
            engine: driven.engine().clone(),
            settings,
            challenges: Arc::new(Challenges::of_run(&run_secret, validity)),
            run_secret,
            operator_secret: Dice::of(self.seed, "operator secret", 0).bytes(),
            log: Arc::new(self.log_signer()),
            beacon_public_key: self.chain().map(|_| quicknet::PUBLIC_KEY.to_owned()),
            beacon: Arc::default(),
            house_agents: Default::default(),
            witnesses: Vec::new(),
            doorbells,
            node: None,
            stream_threads: None,
        }
    }

    /// Lets those outside compare what they are told with the running hall.
    fn show_outside(&self, start: u64, engine: Engine) {
        let look = move || HallMoment { start, at: engine.now(), is_writable: engine.status().writable };
        let mut chronicle = self.chronicle.open();
        chronicle.outside.slack = Span::from_millis(u64::try_from(self.tick.as_millis()).unwrap_or(0));
        chronicle.outside.hall = Some(Box::new(look));
    }

    /// What a start finds must be in order whatever happened before.
    fn judge_recovery(&self, driven: &Driven, start: u64) {
        let (seq, snapshot, facts) = driven.recovered();
        driven.engine().peek(hall_core::Hall::check);
        if start > 1 {
            self.chronicle
                .mark("start", if snapshot.is_some() { "from a snapshot" } else { "from facts alone" });
            if facts == 0 {
                self.chronicle.mark("start", "nothing to fold");
            }
            // A start that died before it came up, of a read that failed, may have left nothing.
            if seq == 0 && self.came_up.get() {
                self.chronicle.violation("D1", "a start after one that came up found an empty journal");
            }
        }
        self.came_up.set(true);
    }
}

/// What becomes of something, or what it said when it panicked, which ends the process.
async fn until_panic<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let mut future = std::pin::pin!(future);
    poll_fn(|cx| match caught(|| future.as_mut().poll(cx)) {
        Ok(polled) => polled.map(Ok),
        Err(words) => Poll::Ready(Err(words)),
    })
    .await
}

/// Rings for the turns of a hall, on a machine on which another service listens that nobody outside may reach. Without
/// doorbells it waits forever.
async fn ring(engine: Engine, notifier: Option<Arc<RingNotifier>>, chronicle: Shared) {
    let Some(notifier) = notifier else { return std::future::pending().await };
    tokio::select! {
        biased;
        () = ring_turns(engine, notifier) => {}
        _ = watch_for_connections(Ipv4Addr::LOCALHOST.into(), chronicle) => {}
    }
}
