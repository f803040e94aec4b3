//! What the service manager is told (sd_notify(3)): that the hall is open, that it stops, and, where a watchdog is
//! asked for, that it is alive. Without a service manager nothing is told.

use hall_driver::Engine;
use sd_notify::NotifyState;
use std::time::Duration;
use tokio::task::JoinHandle;

/// The writer takes a step every 500 ms at least, so no shorter time than this tells whether it does.
const SHORTEST: Duration = Duration::from_millis(1_200);

/// Tells that the hall is open.
pub(crate) fn ready(url: &str) {
    tell(&[NotifyState::Ready, NotifyState::Status(&format!("open at {url}"))]);
}

/// Tells that the hall waits for its database, which may take longer than the watchdog of a hall that begins anew allows.
pub(crate) fn waiting() {
    tell(&[NotifyState::Watchdog, NotifyState::Status("waiting for the database")]);
}

/// Tells that the hall stops.
pub(crate) fn stopping() {
    tell(&[NotifyState::Stopping, NotifyState::Status("finishing what was accepted")]);
}

/// Feeds the watchdog until it is dropped.
pub(crate) struct Watchdog {
    /// `None` where nobody asks for it.
    feeding: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Begins to feed. It is fed when the writer has completed a step since the last time, by a task of the runtime in
    /// which requests are answered; so a writer that hangs on its disk or its state, and a runtime that answers nobody,
    /// both starve it.
    ///
    /// Decision: it does not ask the hall over its public address, because a flood of connections must not get the hall
    /// killed.
    pub(crate) fn start(engine: &Engine) -> Self {
        let timeout = sd_notify::watchdog_enabled();
        let feeding = timeout.map(|timeout| {
            let every = (timeout / 4).max(SHORTEST);
            tokio::spawn(feed(engine.clone(), every, || tell(&[NotifyState::Watchdog])))
        });
        Self { feeding }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.feeding.iter().for_each(JoinHandle::abort);
    }
}

async fn feed(engine: Engine, every: Duration, fed: impl Fn() + Send) {
    let mut before = engine.steps();
    loop {
        tokio::time::sleep(every).await;
        let steps = engine.steps();
        if steps != before {
            fed();
        }
        before = steps;
    }
}

/// A service manager that does not listen is no reason to stop.
fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::debug!(%error, "the service manager cannot be notified");
    }
}
