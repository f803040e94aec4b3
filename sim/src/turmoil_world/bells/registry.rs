//! All endpoints of a world, with what is known of each.

use super::super::chronicle::Shared;
use super::super::clock::network_millis;
use super::super::tokens;
use super::endpoint_kind::EndpointKind;
use super::judge::GotRing;
use super::special::special;
use crate::dice::Dice;
use hall_client::Key;
use hall_client::wire::{AgentId, Handle};
use hall_outbound::fixtures::tls::TlsIdentity;
use hall_wire::PublicKey;
use hall_wire::key::PrivateKey;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The names of all endpoints, which share one certificate.
const NAMES: &str = "*.bells.example";
/// The host of most endpoints.
pub(in super::super) const BELLS: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));
/// The host of the slow ones and the mute ones, who have one name together.
pub(in super::super) const SLOW: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 35));
/// A host that nothing arrives at.
pub(in super::super) const HOLE: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 36));
/// A victim in the network of the hall's operator.
pub(in super::super) const INSIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 7));
/// An address without a host.
const NOBODY: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 99));
/// The metadata address at which clouds disclose secrets to requests from inside.
const METADATA: IpAddr = IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254));

/// The endpoints of a world; clones are the same ones.
#[derive(Clone)]
pub(in super::super) struct EndpointRegistry(Arc<Inner>);

struct Inner {
    seed: u64,
    chronicle: Shared,
    identity: TlsIdentity,
    state: Mutex<State>,
}

struct State {
    bells: BTreeMap<usize, Bell>,
    /// How often each name was looked up.
    look_ups: BTreeMap<String, u64>,
    dice: Dice,
    /// The process of the hall that runs, and its connections by address.
    start: u64,
    open: BTreeMap<IpAddr, usize>,
}

/// The endpoint of an agent.
#[derive(Clone)]
pub(super) struct Bell {
    pub(super) number: usize,
    pub(super) handle: Handle,
    pub(super) key: Key,
    pub(super) kind: EndpointKind,
    pub(super) url: String,
    rung: Arc<Notify>,
    /// How many verifications and rings have come.
    asked: u64,
    rings: u64,
    proven: bool,
}

/// A doorbell, as its agent has it.
#[derive(Clone)]
pub(in super::super) struct Own {
    /// What its endpoint is like.
    pub(in super::super) kind: EndpointKind,
    /// Where it is.
    pub(in super::super) url: String,
    /// Tells the agent that it was rung.
    pub(in super::super) rung: Arc<Notify>,
}

impl EndpointRegistry {
    /// Nobody lives there yet.
    pub(in super::super) fn new(seed: u64, chronicle: Shared) -> Self {
        let dice = Dice::of(seed, "bells", 0);
        let (bells, look_ups, open) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let state = State { bells, look_ups, dice, start: 0, open };
        Self(Arc::new(Inner {
            seed,
            chronicle,
            identity: TlsIdentity::new([NAMES]),
            state: Mutex::new(state),
        }))
    }

    /// An agent has an endpoint from now on, if agents in its place have one.
    pub(in super::super) fn add(&self, number: usize, handle: &Handle, key: &Key) -> Option<Own> {
        let kind = EndpointKind::of(self.0.seed, number)?;
        let (url, rung) = (kind.url(number), Arc::new(Notify::new()));
        let own = Own { kind, url: url.clone(), rung: Arc::clone(&rung) };
        let (handle, key) = (handle.clone(), key.clone());
        let bell = Bell { number, handle, key, kind, url, rung, asked: 0, rings: 0, proven: false };
        self.state().bells.insert(number, bell);
        Some(own)
    }

    pub(super) fn chronicle(&self) -> &Shared {
        &self.0.chronicle
    }

    pub(super) fn identity(&self) -> &TlsIdentity {
        &self.0.identity
    }

    /// The key that the hall signs rings with.
    pub(in super::super) fn ring_key(&self) -> PrivateKey {
        PrivateKey::from_seed(&Dice::of(self.0.seed, "ring key", 0).bytes())
    }

    pub(super) fn ring_public(&self) -> PublicKey {
        self.ring_key().public()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something with this chance in 1,000 happens now.
    pub(super) fn happens(&self, permille: u32) -> bool {
        self.state().dice.permille(permille)
    }

    /// The addresses of a name now.
    pub(super) fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut state = self.state();
        let seen = state.look_ups.entry(name.to_owned()).or_default();
        *seen += 1;
        let seen = *seen;
        let bell = state.bells.values().find(|bell| host_of(&bell.url) == name);
        let Some(Bell { kind, proven, number, .. }) = bell else {
            return Err(io::Error::other("no such name"));
        };
        let (special, what) = special(seen / 3 + u64::try_from(*number).unwrap_or(0));
        let addresses = match (kind, proven) {
            (EndpointKind::Slow | EndpointKind::Mute, _) => vec![SLOW],
            (EndpointKind::Dead, true) => vec![NOBODY],
            (EndpointKind::Hole, true) => vec![HOLE],
            (EndpointKind::Inside, _) => match seen % 3 {
                0 => vec![special],
                1 => vec![BELLS, special],
                _ => vec![special, BELLS],
            },
            (EndpointKind::Rebinding, true) => match seen % 6 {
                0 => vec![INSIDE],
                1 => vec![BELLS, METADATA],
                2 | 4 => vec![BELLS],
                3 => vec![IpAddr::V4(Ipv4Addr::LOCALHOST)],
                _ => vec![special, BELLS],
            },
            (
                EndpointKind::Good
                | EndpointKind::Dead
                | EndpointKind::Hole
                | EndpointKind::Redirecting
                | EndpointKind::Rebinding
                | EndpointKind::Flapping
                | EndpointKind::Huge
                | EndpointKind::Leaving
                | EndpointKind::Forging
                | EndpointKind::Bare
                | EndpointKind::Garbled
                | EndpointKind::Literal,
                _,
            ) => vec![BELLS],
        };
        drop(state);
        if addresses.contains(&special) {
            let name = match addresses.as_slice() {
                [_] => what.to_owned(),
                _ => format!("{what} beside a public one"),
            };
            self.chronicle().mark("bell leads to", &name);
        }
        Ok(addresses)
    }

    /// Another process of the hall runs from now on; the connections of the last one are gone.
    pub(super) fn started(&self, start: u64) {
        let mut state = self.state();
        state.start = start;
        state.open.clear();
    }

    /// A connection is opened; how many there are to that address now.
    pub(super) fn opened(&self, address: IpAddr) -> usize {
        let mut state = self.state();
        let open = state.open.entry(address).or_default();
        *open += 1;
        *open
    }

    /// A connection of a process of the hall is closed.
    pub(super) fn closed(&self, start: u64, address: IpAddr) {
        let mut state = self.state();
        if state.start == start
            && let Some(open) = state.open.get_mut(&address)
        {
            *open = open.saturating_sub(1);
        }
    }

    /// The endpoint at an address, as a request names it, with how often it was asked to verify itself and rung before.
    pub(super) fn asked(&self, host: &str, path: &str, to_verify: bool) -> Option<(Bell, u64, u64)> {
        let mut state = self.state();
        let number: usize = path.strip_prefix('/')?.parse().ok()?;
        let bell = state.bells.get_mut(&number).filter(|bell| bell.url == format!("https://{host}{path}"))?;
        let before = (bell.asked, bell.rings);
        *(if to_verify { &mut bell.asked } else { &mut bell.rings }) += 1;
        Some((bell.clone(), before.0, before.1))
    }

    /// Whether an endpoint lives by a kind; its name is known from the greeting.
    pub(super) fn is_garbled(&self, name: &str) -> bool {
        let state = self.state();
        state.bells.values().any(|bell| bell.kind == EndpointKind::Garbled && host_of(&bell.url) == name)
    }

    /// Whether a name always leads to addresses that are not public, too: every address of a name is checked, so that
    /// nobody asks for it.
    pub(super) fn is_refused(&self, name: &str) -> bool {
        let state = self.state();
        state.bells.values().any(|bell| bell.kind == EndpointKind::Inside && host_of(&bell.url) == name)
    }

    /// An endpoint has proven itself.
    pub(super) fn proven(&self, number: usize) {
        if let Some(bell) = self.state().bells.get_mut(&number) {
            bell.proven = true;
        }
    }

    /// An endpoint got a ring, and says so to its agent if it is to be woken.
    pub(super) fn rang(&self, bell: &Bell, id: String, body: String, is_signed: bool, wakes: bool) {
        let (start, at) = (self.state().start, network_millis());
        let agent: AgentId = bell.key.agent_id();
        let (number, url, kind) = (bell.number, bell.url.clone(), bell.kind);
        if tokens::is_in(body.as_bytes()) || tokens::is_in(id.as_bytes()) {
            self.0.chronicle.violation("A9", format!("an operator token is in the ring {id}: {body}"));
        }
        let mut chronicle = self.0.chronicle.open();
        chronicle.report.mark("rang", kind.word());
        let again = chronicle.rings.iter().rev().take(200).any(|ring| ring.id == id && ring.start < start);
        if again {
            chronicle.report.mark("bell", "rung again by the next process");
        }
        chronicle.trace.take(&(number, at, body.as_bytes()));
        chronicle.rings.push(GotRing { at, start, agent, url, id, body, is_signed });
        drop(chronicle);
        if wakes {
            bell.rung.notify_one();
        }
    }
}

fn host_of(url: &str) -> &str {
    url.strip_prefix("https://").and_then(|rest| rest.split('/').next()).unwrap_or_default()
}
