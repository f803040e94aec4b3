//! The network between machines: bytes that take their time, and connections that are held up, cut or reset.

use super::connection::{Flow, Trouble, Troubles};
use crate::dice::Dice;
use futures_util::future::BoxFuture;
use hall_cluster::{Connecting, Connection, Transport};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{DuplexStream, duplex, split};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, watch};

/// Bytes that a connection holds on each side, as those of a kernel do.
const BUFFER: usize = 256 * 1024;
/// How long somebody tries to reach a machine that does not answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes of a client's connection that pass at a time.
const PIECE: usize = 16 * 1024;

/// What is listened at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Port {
    /// For other nodes.
    Link,
    /// For clients.
    Http,
}

/// A connection to a machine, and where it comes from.
pub(super) type Arriving = (usize, DuplexStream);

/// The network between the nodes, and from clients to them.
#[derive(Clone)]
pub(super) struct Network(Arc<Mutex<Wiring>>);

struct Wiring {
    dice: Dice,
    /// Who listens, by the number of its machine.
    listeners: BTreeMap<(usize, Port), UnboundedSender<Arriving>>,
    /// From one machine to another.
    ways: BTreeMap<(usize, usize), Arc<Way>>,
    /// What has gone wrong with connections of clients, by name.
    troubles: BTreeMap<&'static str, u64>,
}

/// The way from one machine to another.
pub(super) struct Way {
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
        let (listeners, ways, troubles) = Default::default();
        Self(Arc::new(Mutex::new(Wiring { dice: Dice::of(seed, "links", 0), listeners, ways, troubles })))
    }

    /// What arrives at a machine from now on, where one process listens at a time.
    pub(super) fn listen(&self, machine: usize, port: Port) -> UnboundedReceiver<Arriving> {
        let (sender, incoming) = unbounded_channel();
        self.lock().listeners.insert((machine, port), sender);
        incoming
    }

    /// The end of the link of a process.
    pub(super) fn link(&self, machine: usize) -> Endpoint {
        let incoming = tokio::sync::Mutex::new(self.listen(machine, Port::Link));
        Endpoint { network: self.clone(), machine, incoming }
    }

    /// Connects one machine to another.
    ///
    /// # Errors
    /// Nobody listens there, or nobody answers.
    pub(super) async fn connect(
        &self,
        (here, there): (usize, usize),
        port: Port,
        [asked, told]: Troubles,
    ) -> io::Result<DuplexStream> {
        let (out, back) = (self.way(here, there), self.way(there, here));
        let reached = async {
            out.pass().await;
            back.pass().await;
        };
        tokio::time::timeout(CONNECT_TIMEOUT, reached).await?;
        let listener = self.lock().listeners.get(&(there, port)).cloned();
        let listener = listener.ok_or(io::ErrorKind::ConnectionRefused)?;
        let ((near, near_wire), (far, far_wire)) = (duplex(BUFFER), duplex(BUFFER));
        listener.send((here, far)).map_err(|_| io::ErrorKind::ConnectionRefused)?;
        let (near_read, near_write) = split(near_wire);
        let (far_read, far_write) = split(far_wire);
        let (reset, is_reset) = watch::channel(false);
        let flow = |from, to, way, trouble, word| Flow {
            from,
            to,
            way,
            trouble,
            word,
            reset: reset.clone(),
            is_reset: is_reset.clone(),
            at_once: if port == Port::Link { BUFFER } else { PIECE },
            network: self.clone(),
        };
        let asks = flow(near_read, far_write, out, asked, word_of(asked, "a request"));
        let tells = flow(far_read, near_write, back, told, word_of(told, "an answer"));
        drop(tokio::spawn(asks.carry()));
        drop(tokio::spawn(tells.carry()));
        Ok(near)
    }

    /// Something has gone wrong with a connection of a client.
    pub(super) fn note(&self, word: &'static str) {
        *self.lock().troubles.entry(word).or_default() += 1;
    }

    /// What has gone wrong with connections of clients.
    pub(super) fn troubles(&self) -> BTreeMap<&'static str, u64> {
        self.lock().troubles.clone()
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

    /// Ends every connection between the two. Returns whether there was one.
    pub(super) fn reset(&self, one: usize, other: usize) -> bool {
        let ways = [self.way(one, other), self.way(other, one)];
        ways.iter().for_each(|way| way.resets.send_modify(|resets| *resets += 1));
        ways.iter().any(|way| way.resets.receiver_count() > 0)
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
    /// Tells when all connections over it are reset.
    pub(super) fn resets(&self) -> watch::Receiver<u64> {
        self.resets.subscribe()
    }

    /// Waits for as long as bytes are under way.
    pub(super) async fn pass(&self) {
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

/// The name of a trouble.
fn word_of(trouble: Trouble, of: &str) -> &'static str {
    match (trouble, of) {
        (Trouble::None, _) => "connection well",
        (Trouble::Slow, _) => "connection slow",
        (Trouble::Reset(_), "a request") => "connection reset in a request",
        (Trouble::Reset(_), _) => "connection reset in an answer",
        (Trouble::Silence(_), "a request") => "connection half-open in a request",
        (Trouble::Silence(_), _) => "connection half-open in an answer",
    }
}

/// A machine's end of the network.
pub(super) struct Endpoint {
    network: Network,
    machine: usize,
    incoming: tokio::sync::Mutex<UnboundedReceiver<Arriving>>,
}

/// The address of a machine.
pub(super) fn address_of(machine: usize) -> String {
    format!("machine-{machine}")
}

impl Transport for Endpoint {
    fn accept(&self) -> BoxFuture<'_, io::Result<Connecting>> {
        Box::pin(async {
            let Some((_, stream)) = self.incoming.lock().await.recv().await else {
                return std::future::pending().await;
            };
            let connecting: Connecting = Box::pin(async {
                let connection: Connection = Box::new(stream);
                Ok(connection)
            });
            Ok(connecting)
        })
    }

    fn connect(&self, address: &str) -> Connecting {
        let (network, here) = (self.network.clone(), self.machine);
        let there = address.strip_prefix("machine-").and_then(|number| number.parse::<usize>().ok());
        Box::pin(async move {
            let there = there.ok_or(io::ErrorKind::AddrNotAvailable)?;
            let stream = network.connect((here, there), Port::Link, Troubles::default()).await?;
            let connection: Connection = Box::new(stream);
            Ok(connection)
        })
    }
}
