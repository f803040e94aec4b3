//! The endpoints of a world, and what came to them.

use crate::cluster_world::database::Database;
use crate::dice::Dice;
use hall_outbound::fixtures::tls::TlsIdentity;
use hall_wire::key::PrivateKey;
use hall_wire::{AgentId, GameId};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::time::Instant;

/// The names of all endpoints, which share one certificate.
const NAMES: &str = "*.bells.example";
/// The network of all endpoints: the last byte of an address is the number of its agent.
const NETWORK: [u8; 3] = [93, 184, 216];
/// How many of 1,000 agents have no doorbell.
const WITHOUT: u32 = 200;
/// How many of 1,000 connections to endpoints are refused while things go wrong.
const REFUSED: u32 = 20;

/// What an endpoint is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndpointKind {
    /// It answers at once.
    Good,
    /// It fails more often than not.
    Flapping,
    /// It always fails.
    Failing,
    /// It answers late, or too late.
    Slow,
    /// It takes rings and never answers.
    Mute,
}

/// Good and flapping ones more often than others.
const KINDS: [EndpointKind; 8] = [
    EndpointKind::Good,
    EndpointKind::Good,
    EndpointKind::Flapping,
    EndpointKind::Flapping,
    EndpointKind::Flapping,
    EndpointKind::Failing,
    EndpointKind::Slow,
    EndpointKind::Mute,
];

impl EndpointKind {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Flapping => "flapping",
            Self::Failing => "failing",
            Self::Slow => "slow",
            Self::Mute => "mute",
        }
    }
}

/// The endpoint of an agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endpoint {
    pub(super) number: u8,
    pub(super) agent: AgentId,
    pub(super) kind: EndpointKind,
}

impl Endpoint {
    fn name(&self) -> String {
        format!("bell{}.bells.example", self.number)
    }

    /// The address that its agent registers for the time with this number.
    pub(super) fn url(&self, time: u64) -> String {
        format!("https://{}/{time}", self.name())
    }
}

/// A process that begins to ring an endpoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    pub(super) at: Instant,
    /// The number of the process.
    pub(super) process: u64,
    /// The epoch in which it leads, if the database says so at this moment.
    pub(super) epoch: Option<u64>,
}

/// An attempt to ring, as the endpoint got it.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) begun: Begun,
    pub(super) got: Instant,
    pub(super) agent: AgentId,
    pub(super) kind: EndpointKind,
    pub(super) url: String,
    pub(super) game: GameId,
    pub(super) turn_index: u32,
}

/// The endpoints of a world; clones are the same ones.
#[derive(Clone)]
pub(in super::super) struct EndpointRegistry(Arc<Inner>);

struct Inner {
    seed: u64,
    identity: TlsIdentity,
    database: Database,
    /// Nobody rings any more.
    is_over: watch::Sender<bool>,
    state: Mutex<State>,
}

struct State {
    dice: Dice,
    endpoints: BTreeMap<u8, Endpoint>,
    /// Attempts of processes whose lease had passed.
    unentitled: Vec<(Begun, AgentId)>,
    attempts: Vec<Attempt>,
    /// Requests that are no rings.
    malformed: Vec<String>,
    /// Every connection is taken from now on.
    is_calm: bool,
}

impl EndpointRegistry {
    /// Nobody has an endpoint yet.
    pub(in super::super) fn new(seed: u64, database: Database) -> Self {
        let state = State {
            dice: Dice::of(seed, "endpoints", 0),
            endpoints: BTreeMap::new(),
            unentitled: Vec::new(),
            attempts: Vec::new(),
            malformed: Vec::new(),
            is_calm: false,
        };
        let identity = TlsIdentity::new([NAMES]);
        let (is_over, _) = watch::channel(false);
        Self(Arc::new(Inner { seed, identity, database, is_over, state: Mutex::new(state) }))
    }

    /// The endpoint of the agent in this place, if it has one.
    pub(super) fn add(&self, place: usize, agent: AgentId) -> Option<Endpoint> {
        let number = u8::try_from(place).ok()?;
        let mut dice = Dice::of(self.0.seed, "endpoint", u64::from(number));
        let kind = dice.pick(&KINDS).copied().filter(|_| !dice.permille(WITHOUT))?;
        let endpoint = Endpoint { number, agent, kind };
        self.state().endpoints.insert(number, endpoint);
        Some(endpoint)
    }

    pub(super) fn identity(&self) -> &TlsIdentity {
        &self.0.identity
    }

    /// The key that the hall signs rings with.
    pub(in super::super) fn ring_key(&self) -> PrivateKey {
        PrivateKey::from_seed(&Dice::of(self.0.seed, "ring key", 0).bytes())
    }

    pub(super) fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Nothing goes wrong any more.
    pub(in super::super) fn calm_down(&self) {
        self.state().is_calm = true;
    }

    /// The world is over: nobody rings any more.
    pub(in super::super) fn end(&self) {
        self.0.is_over.send_replace(true);
    }

    /// Returns when the world is over.
    pub(super) async fn ended(&self) {
        // The sender is in this registry.
        drop(self.0.is_over.subscribe().wait_for(|is_over| *is_over).await);
    }

    /// The address of the endpoint with this name.
    pub(super) fn address(&self, name: &str) -> Option<IpAddr> {
        let state = self.state();
        let endpoint = state.endpoints.values().find(|endpoint| endpoint.name() == name)?;
        let [first, second, third] = NETWORK;
        Some(IpAddr::V4(Ipv4Addr::new(first, second, third, endpoint.number)))
    }

    /// A process begins to ring the endpoint at an address; `None` if the connection is refused.
    pub(super) fn dialed(&self, (process, owner): (u64, &str), address: IpAddr) -> Option<(Endpoint, Begun)> {
        let IpAddr::V4(address) = address else { return None };
        let [.., number] = address.octets();
        let begun = Begun { at: Instant::now(), process, epoch: self.0.database.led_by(owner) };
        let mut state = self.state();
        let endpoint = state.endpoints.get(&number).copied()?;
        if begun.epoch.is_none() {
            state.unentitled.push((begun, endpoint.agent));
        }
        let is_refused = !state.is_calm && state.dice.permille(REFUSED);
        (!is_refused).then_some((endpoint, begun))
    }

    pub(super) fn got(&self, attempt: Attempt) {
        self.state().attempts.push(attempt);
    }

    pub(super) fn got_malformed(&self, what: String) {
        self.state().malformed.push(what);
    }

    /// Whether something with this chance in 1,000 happens now.
    pub(super) fn happens(&self, permille: u32) -> bool {
        self.state().dice.permille(permille)
    }

    /// A number of milliseconds from `least` to `most`.
    pub(super) fn millis(&self, least: u64, most: u64) -> u64 {
        self.state().dice.between(least, most)
    }

    /// What came to endpoints.
    pub(super) fn attempts(&self) -> Vec<Attempt> {
        self.state().attempts.clone()
    }

    /// The agents whose endpoints are good.
    pub(super) fn good(&self) -> BTreeSet<AgentId> {
        let state = self.state();
        let good = state.endpoints.values().filter(|endpoint| endpoint.kind == EndpointKind::Good);
        good.map(|endpoint| endpoint.agent).collect()
    }

    /// Attempts of processes whose lease had passed.
    pub(super) fn unentitled(&self) -> Vec<(Begun, AgentId)> {
        self.state().unentitled.clone()
    }

    /// Requests that are no rings.
    pub(super) fn malformed(&self) -> Vec<String> {
        self.state().malformed.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
