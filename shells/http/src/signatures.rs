//! Verifying signatures: the most expensive part of a request, so it is bounded and comes after all cheap checks.
//!
//! A key that was used is kept prepared, which saves a tenth of each verification. As many requests verify at the same
//! time as there are processors; others wait in a bounded queue.

use crate::permits::Queue;
use crate::response::Failure;
use crate::settings::limits;
use hall_driver::{Engine, Unavailable};
use hall_wire::key::Verifier;
use hall_wire::{AgentId, Handle};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::{Semaphore, SemaphorePermit};

/// A registered agent with its key, ready to verify. The association of handle, key and identifier is permanent.
#[derive(Debug)]
pub(crate) struct KnownAgent {
    pub(crate) id: AgentId,
    pub(crate) verifier: Verifier,
}

/// Keys and permits for verifying.
pub(crate) struct Signatures {
    keys: RwLock<BTreeMap<Handle, Arc<KnownAgent>>>,
    permits: Semaphore,
    queue: Queue,
}

impl Signatures {
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let queue = Queue::new(limits::WAITING_VERIFICATIONS);
        Self { keys: RwLock::default(), permits: Semaphore::new(processors), queue }
    }

    /// The registered agent with this handle.
    pub(crate) fn known_agent(&self, engine: &Engine, handle: &Handle) -> Option<Arc<KnownAgent>> {
        if let Some(known) = self.keys.read().unwrap_or_else(PoisonError::into_inner).get(handle) {
            return Some(Arc::clone(known));
        }
        let (id, key) =
            engine.peek(|hall| hall.desk().agent_by_handle(handle).map(|agent| (agent.id, agent.key)))?;
        let known = Arc::new(KnownAgent { id, verifier: key.verifier()? });
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= limits::PREPARED_KEYS {
            // Which one is evicted hardly matters: it is prepared again when it is next used.
            keys.pop_first();
        }
        keys.insert(handle.clone(), Arc::clone(&known));
        Some(known)
    }

    /// A permit to verify the signatures of one request.
    ///
    /// # Errors
    /// Too many wait already.
    pub(crate) async fn permit(&self) -> Result<SemaphorePermit<'_>, Failure> {
        if let Ok(permit) = self.permits.try_acquire() {
            return Ok(permit);
        }
        let _place = self.queue.join().ok_or(Unavailable::Overloaded)?;
        self.permits.acquire().await.map_err(|_| Unavailable::Stopping.into())
    }
}
