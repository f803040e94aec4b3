//! The HTTP service of a process, with its parts put together as in the shipped program.
//!
//! The service runs its own tasks. When the process is paused its connections stand still, so nothing comes to these
//! tasks and nothing of theirs gets out; when it ends its connections are gone.

use crate::cluster_world::network::{Arriving, Network, Port};
use crate::cluster_world::plan::Weakness;
use crate::cluster_world::process::Process;
use crate::dice::Dice;
use hall_cluster::{NodeHandle, NodeRole, NodeStatus};
use hall_driver::{Challenges, Engine, NoDoorbells};
use hall_http::{
    HttpSettings, Listener, LogSigner, NodeInfo, NodeView, RunningServer, Shell, ShellParts, serve,
};
use hall_wire::Span;
use hall_wire::key::PrivateKey;
use std::cell::{Cell, RefCell};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep;

/// How often a process of a new hall looks whether the hall has begun.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How often all other tasks are polled before a stop; far more than the longest chain of tasks that wake each other.
const TURNS_TO_SETTLE: usize = 1_000;

/// What a service is made of.
pub(in super::super) struct ServerParts {
    pub(in super::super) seed: u64,
    pub(in super::super) machine: usize,
    /// The number of the process.
    pub(in super::super) number: u64,
    pub(in super::super) process: Arc<Process>,
    pub(in super::super) engine: Engine,
    pub(in super::super) challenges: Arc<Challenges>,
    pub(in super::super) validity: Span,
    pub(in super::super) node: NodeHandle,
    pub(in super::super) network: Network,
    pub(in super::super) has_beacon: bool,
    pub(in super::super) weakness: Option<Weakness>,
}

/// The service of a process.
#[derive(Clone, Default)]
pub(in super::super) struct NodeServer {
    running: Rc<RefCell<Option<RunningServer>>>,
    is_stopping: Rc<Cell<bool>>,
}

/// The log and its key, which all nodes have.
pub(in super::super) fn log_signer(seed: u64) -> LogSigner {
    LogSigner::new("hall.sim", PrivateKey::from_seed(&Dice::of(seed, "log key", 0).bytes()))
}

impl NodeServer {
    /// Begins to serve as soon as the hall has begun.
    pub(in super::super) fn start(parts: ServerParts) -> Self {
        let server = Self::default();
        let (starting, process) = (server.clone(), Arc::clone(&parts.process));
        let serving = process.hold(async move {
            // A hall that has never begun has nothing to show.
            while parts.engine.peek(|hall| hall.settings().is_none()) {
                sleep(POLL_INTERVAL).await;
            }
            let incoming = parts.network.listen(parts.machine, Port::Http);
            let listener =
                ProcessListener { incoming, machine: parts.machine, process: Arc::clone(&parts.process) };
            if !starting.is_stopping.get()
                && let Ok(running) = serve(Shell::new(parts.into_shell()), listener).await
            {
                starting.running.replace(Some(running));
            }
        });
        drop(tokio::task::spawn_local(serving));
        let ending = server.clone();
        drop(tokio::task::spawn_local(async move {
            process.has_ended().await;
            // Its connections have noticed by then.
            sleep(Duration::from_millis(1)).await;
            let running = ending.running.take();
            if let Some(running) = running {
                running.stop().await;
            }
        }));
        server
    }

    /// Stops in good order, as the program does: what was accepted is answered. The hall has announced it.
    pub(in super::super) async fn stop(&self) {
        self.is_stopping.set(true);
        // A connection looks at what came and at the stop in an order that nobody can seed. So both are never new at
        // once: what came in this millisecond is answered first.
        sleep(Duration::from_millis(1)).await;
        for _ in 0..TURNS_TO_SETTLE {
            tokio::task::yield_now().await;
        }
        let running = self.running.take();
        if let Some(running) = running {
            running.stop().await;
        }
    }
}

impl ServerParts {
    fn into_shell(self) -> ShellParts {
        let settings = HttpSettings {
            base_url: "http://hall.sim".to_owned(),
            requests_per_minute: 0,
            challenge_validity: self.validity,
            ..HttpSettings::default()
        };
        // A secret that several processes have recognises the challenges of all of them, and knows what one has spent.
        let challenges = match self.weakness {
            Some(Weakness::OwnChallenges) => Arc::new(Challenges::of_run(&[7; 32], self.validity)),
            Some(Weakness::NeverLed) if self.machine == 0 => Arc::new(Challenges::unled(self.validity)),
            _ => self.challenges,
        };
        ShellParts {
            engine: self.engine,
            settings,
            challenges,
            run_secret: Dice::of(self.seed, "run secret", self.number).bytes(),
            operator_secret: Dice::of(self.seed, "operator secret", 0).bytes(),
            log: Arc::new(log_signer(self.seed)),
            beacon_public_key: self.has_beacon.then(|| "8".repeat(192)),
            beacon: Arc::default(),
            house_agents: Default::default(),
            witnesses: Vec::new(),
            doorbells: Arc::new(NoDoorbells),
            node: Some(view(self.node, self.weakness)),
            stream_threads: None,
        }
    }
}

/// What a process is among the others, as the program tells it.
fn view(node: NodeHandle, weakness: Option<Weakness>) -> NodeView {
    Arc::new(move || {
        let NodeStatus { role, leader, epoch, applied, mut durable, .. } = node.status();
        let takes_writes = role.takes_writes();
        let role = match role {
            NodeRole::Leader => "leader",
            NodeRole::Follower if weakness == Some(Weakness::AllSayLeader) => "leader",
            NodeRole::Follower => "follower",
            NodeRole::Alone | NodeRole::CutOff => "alone",
        };
        if weakness == Some(Weakness::BoastedRecords) {
            durable += 1_000;
        }
        NodeInfo { role, leader, epoch, takes_writes, applied, durable, lag: durable - applied }
    })
}

/// What a process listens at for clients.
struct ProcessListener {
    incoming: UnboundedReceiver<Arriving>,
    machine: usize,
    process: Arc<Process>,
}

impl Listener for ProcessListener {
    type Stream = ProcessStream;

    async fn accept(&mut self) -> io::Result<(ProcessStream, SocketAddr)> {
        let process = Arc::clone(&self.process);
        let Some(Some((client, stream))) = process.hold(self.incoming.recv()).await else {
            return std::future::pending().await;
        };
        Ok((ProcessStream { number: process.number(), process, stream }, address_of(client)))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(address_of(self.machine))
    }
}

/// The address of a machine or a client.
fn address_of(number: usize) -> SocketAddr {
    let [.., high, low] = number.to_be_bytes();
    SocketAddr::from((Ipv4Addr::new(10, 0, high, low), 8_080))
}

/// A connection as a process has it: it stands still with it, and is gone when it ends.
struct ProcessStream {
    number: u64,
    process: Arc<Process>,
    stream: DuplexStream,
}

impl ProcessStream {
    fn poll_runs(&self, context: &Context<'_>) -> Poll<io::Result<()>> {
        self.process.poll_runs(self.number, context).map_err(|_| io::ErrorKind::ConnectionReset.into())
    }
}

impl Drop for ProcessStream {
    fn drop(&mut self) {
        self.process.forget(self.number);
    }
}

impl AsyncRead for ProcessStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_runs(context))?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for ProcessStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_runs(context))?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_runs(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_runs(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
