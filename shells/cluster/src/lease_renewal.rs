//! Renewing the lease of a leader, for as long as its writer lives.

use crate::journal::Lease;
use crate::node::Spawn;
use futures_util::future::BoxFuture;
use hall_driver::{Engine, RawClocks, Right};
use hall_journal::JournalError;
use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// Parts of a lease after which it is renewed.
const RENEWALS: u32 = 4;
/// Parts of a lease after which a failed attempt is repeated: there is time for two before the right to lead has passed.
const PAUSES: u32 = 40;
/// Parts of a lease after which the writer is looked at.
const CHECKS: u32 = 16;
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
        let renewing = Renewing {
            length,
            relied_on,
            state: Arc::clone(&state),
            on_failure,
            steps: None,
            stepped: Instant::now(),
            is_reported: false,
        };
        let task = spawn(Box::pin(renewing.run(lease)));
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

/// The task of a renewal.
struct Renewing {
    length: Duration,
    /// For how long after a renewal has begun a leader relies on it, in milliseconds.
    relied_on: i64,
    state: Arc<LeaseState>,
    on_failure: Arc<dyn Fn(&str) + Send + Sync>,
    /// The steps of the writer when it was looked at, and since when it has taken no other.
    steps: Option<u64>,
    stepped: Instant,
    /// Whether the log says already that the lease is not renewed.
    is_reported: bool,
}

impl Renewing {
    async fn run(mut self, lease: Box<dyn Lease>) {
        let mut attempt: Option<(i64, BoxFuture<'_, Result<(), JournalError>>)> = None;
        let mut next = Instant::now() + self.length / RENEWALS;
        loop {
            // A writer that hangs is noticed also while the journal does not answer, and is not renewed for when it is due.
            let now = Instant::now();
            let check = now + self.length / CHECKS;
            let wakes = if attempt.is_none() && next > now { check.min(next) } else { check };
            let outcome = tokio::select! {
                biased;
                () = self.state.stopped.notified() => None,
                outcome = finished(&mut attempt) => Some(outcome),
                () = sleep_until(wakes) => None,
            };
            if let Some((began, renewed)) = outcome {
                attempt = None;
                next = Instant::now()
                    + if renewed.is_ok() { self.length / RENEWALS } else { self.length / PAUSES };
                self.take(began, renewed);
            }
            if self.state.stops.load(Ordering::Relaxed) {
                // Nothing may be renewed any more when this returns.
                if let Some((_, attempt)) = attempt {
                    let _ = attempt.await;
                }
                return;
            }
            if self.is_alive(&*lease) && attempt.is_none() && next <= Instant::now() {
                attempt = Some((self.state.clocks.monotonic_millis(), lease.renew()));
            }
        }
    }

    fn take(&mut self, began: i64, renewed: Result<(), JournalError>) {
        match renewed {
            Ok(()) => {
                self.state.right.store(began + self.relied_on, Ordering::Relaxed);
                if std::mem::take(&mut self.is_reported) {
                    tracing::info!("the lease is renewed again");
                }
            }
            Err(JournalError::Fenced) => (self.on_failure)("another node leads now"),
            Err(error) => {
                if !std::mem::replace(&mut self.is_reported, true) {
                    tracing::warn!(%error, "the lease could not be renewed; it is tried until it is");
                }
            }
        }
    }

    /// Whether the writer takes steps, so that the lease may be renewed.
    fn is_alive(&mut self, lease: &dyn Lease) -> bool {
        let now = self.state.writer.get().map(Engine::steps);
        if now != self.steps || now.is_none() {
            (self.steps, self.stepped) = (now, Instant::now());
        }
        let hangs = self.stepped.elapsed() > STEP_TIMEOUT;
        // One that hangs, or still begins to lead with an append that nobody confirms, waits no longer than it may lead.
        if (hangs || now.is_none()) && !self.state.is_right() {
            lease.sever();
        }
        if hangs && !std::mem::replace(&mut self.is_reported, true) {
            tracing::warn!("the writer hangs: the lease is not renewed");
        }
        !hangs
    }
}

/// The result of an attempt, with when it began, once there is one.
async fn finished(
    attempt: &mut Option<(i64, BoxFuture<'_, Result<(), JournalError>>)>,
) -> (i64, Result<(), JournalError>) {
    match attempt {
        Some((began, renewed)) => (*began, renewed.await),
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use tokio::time::sleep;

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
    #[derive(Clone, Default)]
    struct Silent {
        /// How long it takes to fail.
        fails_after: Duration,
        attempts: Arc<AtomicI64>,
        severed: Arc<AtomicI64>,
    }

    impl Lease for Silent {
        fn renew(&self) -> BoxFuture<'_, Result<(), JournalError>> {
            self.attempts.fetch_add(1, Ordering::Relaxed);
            sleep(self.fails_after).map(|()| Err(JournalError::Poisoned)).boxed()
        }

        fn sever(&self) {
            self.severed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Renews the lease of a node that begins to lead.
    fn renewal(lease: &Silent) -> LeaseRenewal {
        let (lease, length) = (Box::new(lease.clone()), Duration::from_secs(4));
        let clocks = Arc::new(Paused(Instant::now()));
        let spawn: Spawn = Arc::new(|task| tokio::spawn(task));
        LeaseRenewal::start(lease, length, 0, clocks, Arc::new(|why| panic!("{why}")), &spawn)
    }

    async fn severs_when_the_right_has_passed(lease: Silent) {
        let renewal = renewal(&lease);
        sleep(Duration::from_secs(3)).await;
        assert_eq!(lease.severed.load(Ordering::Relaxed), 0, "it may lead");
        sleep(Duration::from_secs(1)).await;
        assert_ne!(lease.severed.load(Ordering::Relaxed), 0);
        renewal.stop().await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_begins_to_lead_waits_for_its_first_append_no_longer_than_it_may_lead() {
        severs_when_the_right_has_passed(Silent::default()).await;
    }

    #[tokio::test(start_paused = true)]
    async fn it_waits_no_longer_either_while_a_renewal_gets_no_answer() {
        let fails_after = Duration::from_secs(60);
        severs_when_the_right_has_passed(Silent { fails_after, ..Silent::default() }).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_renewal_that_fails_is_tried_again_before_the_right_to_lead_has_passed() {
        let fails_after = Duration::from_secs(1);
        let lease = Silent { fails_after, ..Silent::default() };
        let renewal = renewal(&lease);
        // It begins after a second, and each attempt fails after another one.
        sleep(Duration::from_millis(2_000)).await;
        assert_eq!(lease.attempts.load(Ordering::Relaxed), 1);
        sleep(Duration::from_millis(200)).await;
        assert_eq!(lease.attempts.load(Ordering::Relaxed), 2);
        renewal.stop().await;
    }

    /// A journal that confirms one renewal, after a second, and nothing more.
    struct Once(Arc<AtomicI64>);

    impl Lease for Once {
        fn renew(&self) -> BoxFuture<'_, Result<(), JournalError>> {
            if self.0.fetch_add(1, Ordering::Relaxed) == 0 {
                sleep(Duration::from_secs(1)).map(Ok).boxed()
            } else {
                pending().boxed()
            }
        }

        fn sever(&self) {}
    }

    #[tokio::test(start_paused = true)]
    async fn the_right_to_lead_counts_from_when_a_renewal_was_asked_for() {
        let clocks = Arc::new(Paused(Instant::now()));
        let spawn: Spawn = Arc::new(|task| tokio::spawn(task));
        let (lease, length) = (Box::new(Once(Arc::default())), Duration::from_secs(4));
        let renewal = LeaseRenewal::start(lease, length, 0, clocks, Arc::new(|why| panic!("{why}")), &spawn);
        // Asked for after a second, and good for 3.2 s from then on.
        let right = renewal.right();
        sleep(Duration::from_millis(4_100)).await;
        assert!(right());
        sleep(Duration::from_millis(200)).await;
        assert!(!right());
    }
}
