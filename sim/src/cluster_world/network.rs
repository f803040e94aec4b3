//! The links between nodes: bytes that take their time, and connections that are held up, cut or reset.

use crate::dice::Dice;
use futures_util::future::BoxFuture;
use hall_cluster::{Connecting, Connection, Transport};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, watch};

/// Bytes that a connection holds on each side, as those of a kernel do.
const BUFFER: usize = 256 * 1024;
/// How long somebody tries to reach a machine that does not answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The network between the nodes.
#[derive(Clone)]
pub(super) struct Network(Arc<Mutex<Wiring>>);

struct Wiring {
    dice: Dice,
    /// Who listens, by the number of its machine.
    listeners: BTreeMap<usize, UnboundedSender<Connection>>,
    /// From one machine to another.
    ways: BTreeMap<(usize, usize), Arc<Way>>,
}

/// The way from one machine to another.
struct Way {
    state: Mutex<WayState>,
    healed: Notify,
    /// How often the connections over it were reset.
    resets: watch::Sender<u64>,
}

struct WayState {
    dice: Dice,
    is_cut: bool,
    slowest: u64,
}

/// The usual delay of a message, in milliseconds at most.
const USUAL: u64 = 3;

impl Network {
    pub(super) fn new(seed: u64) -> Self {
        let (listeners, ways) = (BTreeMap::new(), BTreeMap::new());
        Self(Arc::new(Mutex::new(Wiring { dice: Dice::of(seed, "links", 0), listeners, ways })))
    }

    /// The end of a process that listens from now on, and is the only one on its machine.
    pub(super) fn listen(&self, machine: usize) -> Endpoint {
        let (sender, incoming) = unbounded_channel();
        self.lock().listeners.insert(machine, sender);
        Endpoint { network: self.clone(), machine, incoming: tokio::sync::Mutex::new(incoming) }
    }

    /// Cuts the way from one machine to another: what is under way arrives when it is healed.
    pub(super) fn cut(&self, from: usize, to: usize) {
        self.way(from, to).lock().is_cut = true;
    }

    /// Lets messages take so many milliseconds at most.
    pub(super) fn slow(&self, from: usize, to: usize, slowest: u64) {
        self.way(from, to).lock().slowest = slowest;
    }

    pub(super) fn heal(&self, from: usize, to: usize) {
        let way = self.way(from, to);
        {
            let mut state = way.lock();
            (state.is_cut, state.slowest) = (false, USUAL);
        }
        way.healed.notify_waiters();
    }

    /// Ends every connection between the two.
    pub(super) fn reset(&self, one: usize, other: usize) {
        self.way(one, other).resets.send_modify(|resets| *resets += 1);
        self.way(other, one).resets.send_modify(|resets| *resets += 1);
    }

    fn way(&self, from: usize, to: usize) -> Arc<Way> {
        let mut wiring = self.lock();
        let Wiring { dice, ways, .. } = &mut *wiring;
        let new = || {
            let dice = Dice::of(dice.below(u64::MAX), "way", 0);
            let state = WayState { dice, is_cut: false, slowest: USUAL };
            let (resets, _) = watch::channel(0);
            Arc::new(Way { state: Mutex::new(state), healed: Notify::new(), resets })
        };
        Arc::clone(ways.entry((from, to)).or_insert_with(new))
    }

    fn lock(&self) -> MutexGuard<'_, Wiring> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Way {
    /// Waits for as long as bytes are under way.
    async fn pass(&self) {
        loop {
            let healed = self.healed.notified();
            if !self.lock().is_cut {
                break;
            }
            healed.await;
        }
        let delay = {
            let mut state = self.lock();
            let slowest = state.slowest;
            state.dice.between(0, slowest)
        };
        tokio::time::sleep(Duration::from_millis(delay)).await;
    }

    fn lock(&self) -> MutexGuard<'_, WayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Carries bytes in one direction, until an end is closed or the connection is reset.
async fn carry(mut from: ReadHalf<DuplexStream>, mut to: WriteHalf<DuplexStream>, way: Arc<Way>) {
    let mut resets = way.resets.subscribe();
    let carrying = async {
        let mut bytes = vec![0; BUFFER];
        loop {
            let read = from.read(&mut bytes).await.unwrap_or(0);
            way.pass().await;
            let read = bytes.get(..read).unwrap_or_default();
            if read.is_empty() || to.write_all(read).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        biased;
        _ = resets.changed() => {}
        () = carrying => {}
    }
    // Who went away first does not matter.
    let _ = to.shutdown().await;
}

/// A machine's end of the network.
pub(super) struct Endpoint {
    network: Network,
    machine: usize,
    incoming: tokio::sync::Mutex<UnboundedReceiver<Connection>>,
}

/// The address of a machine.
pub(super) fn address_of(machine: usize) -> String {
    format!("machine-{machine}")
}

impl Transport for Endpoint {
    fn accept(&self) -> BoxFuture<'_, io::Result<Connecting>> {
        Box::pin(async {
            let Some(stream) = self.incoming.lock().await.recv().await else {
                return std::future::pending().await;
            };
            let connecting: Connecting = Box::pin(async { Ok(stream) });
            Ok(connecting)
        })
    }

    fn connect(&self, address: &str) -> Connecting {
        let (network, here) = (self.network.clone(), self.machine);
        let there = address.strip_prefix("machine-").and_then(|number| number.parse::<usize>().ok());
        Box::pin(async move {
            let there = there.ok_or(io::ErrorKind::AddrNotAvailable)?;
            let (out, back) = (network.way(here, there), network.way(there, here));
            let reached = async {
                out.pass().await;
                back.pass().await;
            };
            tokio::time::timeout(PATIENCE, reached).await?;
            let listener = network.lock().listeners.get(&there).cloned();
            let listener = listener.ok_or(io::ErrorKind::ConnectionRefused)?;
            let ((near, near_wire), (far, far_wire)) = (duplex(BUFFER), duplex(BUFFER));
            let (near_read, near_write) = split(near_wire);
            let (far_read, far_write) = split(far_wire);
            listener.send(Box::new(far)).map_err(|_| io::ErrorKind::ConnectionRefused)?;
            drop(tokio::spawn(carry(near_read, far_write, out)));
            drop(tokio::spawn(carry(far_read, near_write, back)));
            let connection: Connection = Box::new(near);
            Ok(connection)
        })
    }
}
