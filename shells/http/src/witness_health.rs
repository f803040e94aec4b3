//! The health of one witness of the log, as reported by the client that submits checkpoints to it.

use std::sync::atomic::{AtomicU64, Ordering};

/// What has been observed of a witness since the start.
#[derive(Debug)]
pub struct WitnessHealth {
    name: String,
    cosigned: AtomicU64,
    failures: AtomicU64,
    ahead: AtomicU64,
}

impl WitnessHealth {
    /// A witness of this name, of which nothing has been observed yet.
    #[must_use]
    pub const fn new(name: String) -> Self {
        Self { name, cosigned: AtomicU64::new(0), failures: AtomicU64::new(0), ahead: AtomicU64::new(0) }
    }

    /// It has cosigned the checkpoint over `size` leaves.
    pub fn has_cosigned(&self, size: u64) {
        self.cosigned.store(size, Ordering::Relaxed);
        self.ahead.store(0, Ordering::Relaxed);
    }

    /// It was asked and has not cosigned.
    pub fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// It claims to have cosigned `size` leaves, which is more than the log has.
    pub fn is_ahead(&self, size: u64) {
        self.ahead.store(size, Ordering::Relaxed);
    }

    /// The name of its key.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The size of the newest checkpoint that it has cosigned; 0 for none.
    #[must_use]
    pub fn cosigned(&self) -> u64 {
        self.cosigned.load(Ordering::Relaxed)
    }

    /// How many submissions it has not cosigned.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// The size beyond the log that it claims to have cosigned; 0 if it makes no such claim.
    #[must_use]
    pub fn ahead(&self) -> u64 {
        self.ahead.load(Ordering::Relaxed)
    }
}
