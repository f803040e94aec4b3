//! Renewing the lease of a leader, for as long as its writer lives.

use crate::journal::Lease;
use hall_driver::{Engine, RawClocks as _, Right, SystemClocks};
use hall_journal::JournalError;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Parts of a lease after which it is renewed.
const RENEWALS: u32 = 4;
/// How long a writer that is alive may take for a step: an idle one takes one every 500 ms.
const HANGS: Duration = Duration::from_millis(1_500);
/// Parts of a lease, the last of which a leader does not rely on: clocks drift.
const MARGIN: u32 = 5;

/// The thread that renews the lease of a leader.
pub(crate) struct Renewing {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
    /// Until when nobody else can lead, by a clock of this machine that never jumps.
    right_until: Arc<AtomicI64>,
    /// The writer that must be alive for the lease to be renewed, once there is one.
    watched: Arc<OnceLock<Engine>>,
}

impl Renewing {
    /// Begins. `taken` is when the journal was taken, by a clock of this machine that never jumps; `on_failure` is called when
    /// another node leads.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn start(
        lease: Box<dyn Lease>,
        length: Duration,
        taken: i64,
        on_failure: Arc<dyn Fn(&str) + Send + Sync>,
    ) -> io::Result<Self> {
        // Counted from before each request, so that the journal's clock never ends the lease earlier.
        let relied_on = i64::try_from((length - length / MARGIN).as_millis()).unwrap_or(0);
        let stop = Arc::new(AtomicBool::new(false));
        let right_until = Arc::new(AtomicI64::new(taken + relied_on));
        let watched: Arc<OnceLock<Engine>> = Arc::default();
        let (stopped, until, writer) = (Arc::clone(&stop), Arc::clone(&right_until), Arc::clone(&watched));
        let renew = move || {
            let (mut steps, mut stepped) = (None, Instant::now());
            // Whether it has been told already that the lease is not renewed.
            let mut is_told = false;
            loop {
                std::thread::park_timeout(length / RENEWALS);
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                let now = writer.get().map(Engine::steps);
                if now != steps || now.is_none() {
                    (steps, stepped) = (now, Instant::now());
                }
                // One that hangs leaves the lead to another node.
                if stepped.elapsed() > HANGS {
                    if !std::mem::replace(&mut is_told, true) {
                        tracing::warn!("the writer hangs: the lease is not renewed");
                    }
                    continue;
                }
                let began = SystemClocks.monotonic_millis();
                match lease.renew() {
                    Ok(()) => {
                        until.store(began + relied_on, Ordering::Relaxed);
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
        };
        let thread = std::thread::Builder::new().name("hall-lease".to_owned()).spawn(renew);
        let thread = thread?;
        Ok(Self { stop, thread, right_until, watched })
    }

    /// From now on the lease is renewed only while this writer takes steps.
    pub(crate) fn watch(&self, engine: &Engine) {
        let _ = self.watched.set(engine.clone());
    }

    /// Whether nobody else can lead at a moment.
    pub(crate) fn right(&self) -> Right {
        let until = Arc::clone(&self.right_until);
        Arc::new(move || SystemClocks.monotonic_millis() < until.load(Ordering::Relaxed))
    }

    /// Ends; when this returns, nothing is renewed any more.
    pub(crate) fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        // Its panic, if there was one, was printed.
        let _ = self.thread.join();
    }
}
