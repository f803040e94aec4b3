//! The doorbells of a running hall, over this machine's network and clock.

use crate::settings::Doorbell;
use hall_driver::Engine;
use hall_outbound::doorbell::{Endpoints, RingNotifier, RootsError, TlsRoots, ring_turns};
use hall_wire::key::PrivateKey;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Endpoints by these settings, and the key that signs rings.
///
/// # Errors
/// The certificates of `doorbell.ca_file` cannot be read.
pub(crate) fn notifier(settings: &Doorbell, key: PrivateKey) -> Result<Arc<RingNotifier>, RootsError> {
    let roots = TlsRoots::system(settings.ca_file.as_deref())?;
    if settings.policy.allow_private {
        tracing::warn!("doorbells may be at private addresses: that is for tests only");
    }
    let endpoints = Endpoints::system(settings.policy.clone(), &roots);
    Ok(Arc::new(RingNotifier::new(endpoints, key, Box::new(draw))))
}

/// A number from 0 to `most`, both included.
fn draw(most: u64) -> u64 {
    let mut bytes = [0; 8];
    // Without randomness the whole wait is waited.
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes) % most.saturating_add(1).max(1),
        Err(_) => most,
    }
}

/// The task that rings; it ends when this is dropped.
pub(crate) struct Ringers {
    task: JoinHandle<()>,
}

impl Drop for Ringers {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Ringers {
    /// Begins to ring, first for the turns that wait already.
    pub(crate) fn start(notifier: Arc<RingNotifier>, engine: &Engine) -> Self {
        Self { task: tokio::spawn(ring_turns(engine.clone(), notifier)) }
    }
}
