//! The doorbells of a running hall: endpoints are verified for the HTTP shell, and rung when turns begin.

use crate::settings::Doorbell;
use hall_core::desk::LastAttempt;
use hall_driver::Engine;
use hall_http::{Doorbells, RingCounts, Unverified, Verifying};
use hall_outbound::doorbell::{
    self, CallFailure, DoorbellUrl, Endpoints, RootsError, TlsRoots, VerifyFailure, ring_turns,
};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Handle};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// The endpoints of a hall's agents, as the HTTP shell uses them.
pub(crate) struct BellTower(Arc<doorbell::BellTower>);

impl BellTower {
    /// Endpoints by these settings, over this machine's network.
    ///
    /// # Errors
    /// The certificates of `doorbell.ca_file` cannot be read.
    pub(crate) fn new(settings: &Doorbell, key: PrivateKey) -> Result<Arc<Self>, RootsError> {
        let roots = TlsRoots::system(settings.ca_file.as_deref())?;
        if settings.policy.allow_private {
            tracing::warn!("doorbells may be at private addresses: that is for tests only");
        }
        let endpoints = Endpoints::system(settings.policy.clone(), &roots);
        Ok(Arc::new(Self(Arc::new(doorbell::BellTower::new(endpoints, key, Box::new(draw))))))
    }

    /// From now on another key signs rings.
    pub(crate) fn replace_key(&self, key: PrivateKey) {
        self.0.replace_key(key);
    }
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

impl Doorbells for BellTower {
    fn permits(&self, url: &str) -> bool {
        DoorbellUrl::parse(url, self.0.endpoints().policy()).is_ok()
    }

    fn verify<'a>(&'a self, url: &'a str, handle: &'a Handle, challenge: &'a Challenge) -> Verifying<'a> {
        Box::pin(async move {
            self.0.endpoints().verify(url, handle, challenge).await.map_err(|failure| match failure {
                VerifyFailure::Call(CallFailure::Refused) => Unverified::Refused,
                VerifyFailure::Call(CallFailure::Unreachable) => Unverified::Unreachable,
                VerifyFailure::Call(CallFailure::Timeout) => Unverified::Timeout,
                VerifyFailure::Call(CallFailure::BadStatus(_)) => Unverified::BadStatus,
                VerifyFailure::TooOften(wait) => Unverified::TooOften(wait),
                VerifyFailure::NoSignature => Unverified::NoSignature,
                VerifyFailure::BadSignature => Unverified::BadSignature,
            })
        })
    }

    fn last(&self, agent: &AgentId) -> Option<LastAttempt> {
        self.0.last(agent)
    }

    fn counts(&self) -> RingCounts {
        let tally = self.0.tally();
        RingCounts {
            answered: tally.answered(),
            failed: tally.failed(),
            dropped: tally.dropped(),
            turns: tally.turns(),
            under_way: tally.under_way(),
        }
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
    pub(crate) fn start(tower: &BellTower, engine: &Engine) -> Self {
        Self { task: tokio::spawn(ring_turns(engine.clone(), Arc::clone(&tower.0))) }
    }
}
