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
const STEP_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Parts of a lease, the last of which a leader does not rely on: clocks drift.
const MARGIN_DIVISOR: u32 = 5;

/// What renews the lease of a leader.
pub(crate) struct LeaseRenewal {
    state: Arc<LeaseState>,
    task: JoinHandle<()>,
}

/// What the renewal, the writer and the checks of the right to lead share.
struct LeaseState {
    clocks: Arc<dyn RawClocks>,
    /// Until when nobody else can lead, by a clock of this machine that never jumps.
    right: AtomicI64,
    stops: AtomicBool,
    stopped: Notify,
    /// The writer that must be alive for the lease to be renewed, once there is one.
    writer: OnceLock<Engine>,
}

impl LeaseState {
    fn is_right(&self) -> bool {
        self.clocks.monotonic_millis() < self.right.load(Ordering::Relaxed)
    }
}

impl LeaseRenewal {
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
        let relied_on = i64::try_from((length - length / MARGIN_DIVISOR).as_millis()).unwrap_or(0);
        let state = Arc::new(LeaseState {
            clocks,
            right: AtomicI64::new(taken + relied_on),
            stops: AtomicBool::new(false),
            stopped: Notify::new(),
            writer: OnceLock::new(),
        });
        let renewed = Arc::clone(&state);
        let task = spawn(Box::pin(async move {
            let (mut steps, mut stepped) = (None, Instant::now());
            // Whether the log says already that the lease is not renewed.
            let mut is_reported = false;
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
                // One that still begins to lead, with an append that nobody confirms, waits no longer than it may.
                if now.is_none() && !renewed.is_right() {
                    lease.sever();
                }
                // One that hangs leaves the lead to another node, and waits no longer than it may lead.
                if stepped.elapsed() > STEP_TIMEOUT {
                    if !std::mem::replace(&mut is_reported, true) {
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
                        if std::mem::take(&mut is_reported) {
                            tracing::info!("the lease is renewed again");
                        }
                    }
                    Err(JournalError::Fenced) => on_failure("another node leads now"),
                    Err(error) => {
                        if !std::mem::replace(&mut is_reported, true) {
                            tracing::warn!(%error, "the lease could not be renewed; it is tried until it is");
                        }
                    }
                }
            }
        }));
        Self { state, task }
    }

    /// From now on the lease is renewed only while this writer takes steps.
    pub(crate) fn watch(&self, engine: &Engine) {
        let _ = self.state.writer.set(engine.clone());
    }

    /// Whether nobody else can lead at a moment.
    pub(crate) fn right(&self) -> Right {
        let state = Arc::clone(&self.state);
        Arc::new(move || state.is_right())
    }

    /// Ends; when this returns, nothing is renewed any more.
    pub(crate) async fn stop(self) {
        self.state.stops.store(true, Ordering::Relaxed);
        self.state.stopped.notify_one();
        // Its panic, if there was one, was printed.
        let _ = self.task.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use futures_util::future::BoxFuture;

    /// The time of the test.
    struct Paused(Instant);

    impl RawClocks for Paused {
        fn wall_millis(&self) -> i64 {
            self.monotonic_millis()
        }

        fn monotonic_millis(&self) -> i64 {
            i64::try_from(self.0.elapsed().as_millis()).unwrap()
        }
    }

    /// A journal that confirms nothing.
    struct Silent(Arc<AtomicI64>);

    impl Lease for Silent {
        fn renew(&self) -> BoxFuture<'_, Result<(), JournalError>> {
            async { Err(JournalError::Poisoned) }.boxed()
        }

        fn sever(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_begins_to_lead_waits_for_its_first_append_no_longer_than_it_may_lead() {
        let severed = Arc::new(AtomicI64::new(0));
        let (lease, length) = (Box::new(Silent(Arc::clone(&severed))), Duration::from_secs(4));
        let clocks = Arc::new(Paused(Instant::now()));
        let spawn: Spawn = Arc::new(|task| tokio::spawn(task));
        let renewal = LeaseRenewal::start(lease, length, 0, clocks, Arc::new(|why| panic!("{why}")), &spawn);
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(severed.load(Ordering::Relaxed), 0, "it may lead");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_ne!(severed.load(Ordering::Relaxed), 0);
        renewal.stop().await;
    }
}
