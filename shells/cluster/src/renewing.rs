//! Renewing the lease of a leader, for as long as its writer lives.

use crate::journal::Lease;
use crate::node::Spawn;
use hall_driver::{Engine, RawClocks, Right};
use hall_journal::JournalError;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

/// Parts of a lease after which it is renewed.
const RENEWALS: u32 = 4;
/// How long a writer that is alive may take for a step: an idle one takes one every 500 ms.
const HANGS: Duration = Duration::from_millis(1_500);
/// Parts of a lease, the last of which a leader does not rely on: clocks drift.
const MARGIN: u32 = 5;

/// What renews the lease of a leader.
pub(crate) struct Renewing {
    until: Arc<Until>,
    task: JoinHandle<()>,
}

/// Until when nobody else can lead.
struct Until {
    clocks: Arc<dyn RawClocks>,
    /// By a clock of this machine that never jumps.
    right: AtomicI64,
    stops: AtomicBool,
    stopped: Notify,
    /// The writer that must be alive for the lease to be renewed, once there is one.
    writer: OnceLock<Engine>,
}

impl Until {
    fn is_right(&self) -> bool {
        self.clocks.monotonic_millis() < self.right.load(Ordering::Relaxed)
    }
}

impl Renewing {
    /// Begins. `taken` is when the journal was taken, by the clock of this machine that never jumps; `on_failure` is called
    /// when another node leads.
    pub(crate) fn start(
        lease: Box<dyn Lease>,
        length: Duration,
        taken: i64,
        clocks: Arc<dyn RawClocks>,
        on_failure: Arc<dyn Fn(&str) + Send + Sync>,
        spawn: &Spawn,
    ) -> Self {
        // Counted from before each request, so that the journal's clock never ends the lease earlier.
        let relied_on = i64::try_from((length - length / MARGIN).as_millis()).unwrap_or(0);
        let until = Arc::new(Until {
            clocks,
            right: AtomicI64::new(taken + relied_on),
            stops: AtomicBool::new(false),
            stopped: Notify::new(),
            writer: OnceLock::new(),
        });
        let renewed = Arc::clone(&until);
        let task = spawn(Box::pin(async move {
            let (mut steps, mut stepped) = (None, Instant::now());
            // Whether it has been told already that the lease is not renewed.
            let mut is_told = false;
            loop {
                // It is either told to stop, or the time has come.
                let _ = timeout(length / RENEWALS, renewed.stopped.notified()).await;
                if renewed.stops.load(Ordering::Relaxed) {
                    break;
                }
                let now = renewed.writer.get().map(Engine::steps);
                if now != steps || now.is_none() {
                    (steps, stepped) = (now, Instant::now());
                }
                // One that hangs leaves the lead to another node, and waits no longer than it may lead.
                if stepped.elapsed() > HANGS {
                    if !std::mem::replace(&mut is_told, true) {
                        tracing::warn!("the writer hangs: the lease is not renewed");
                    }
                    if !renewed.is_right() {
                        lease.sever();
                    }
                    continue;
                }
                let began = renewed.clocks.monotonic_millis();
                match lease.renew().await {
                    Ok(()) => {
                        renewed.right.store(began + relied_on, Ordering::Relaxed);
                        if std::mem::take(&mut is_told) {
                            tracing::info!("the lease is renewed again");
                        }
                    }
                    Err(JournalError::Fenced) => on_failure("another node leads now"),
                    Err(error) => {
                        if !std::mem::replace(&mut is_told, true) {
                            tracing::warn!(%error, "the lease could not be renewed; it is tried until it is");
                        }
                    }
                }
            }
        }));
        Self { until, task }
    }

    /// From now on the lease is renewed only while this writer takes steps.
    pub(crate) fn watch(&self, engine: &Engine) {
        let _ = self.until.writer.set(engine.clone());
    }

    /// Whether nobody else can lead at a moment.
    pub(crate) fn right(&self) -> Right {
        let until = Arc::clone(&self.until);
        Arc::new(move || until.is_right())
    }

    /// Ends; when this returns, nothing is renewed any more.
    pub(crate) async fn stop(self) {
        self.until.stops.store(true, Ordering::Relaxed);
        self.until.stopped.notify_one();
        // Its panic, if there was one, was printed.
        let _ = self.task.await;
    }
}
