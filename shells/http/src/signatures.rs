//! Verifying signatures: the most expensive part of a request, so it is bounded and comes after all cheap checks.
//!
//! A key that was used is kept prepared, which saves a tenth of each verification; one that is used much gets a table of its
//! multiples, which saves about a fifth. As many requests verify at the same time as there are processors; others wait in a
//! bounded queue.

use crate::permits::Queue;
use crate::response::Failure;
use crate::settings::limits;
use hall_driver::{Engine, Unavailable};
use hall_wire::key::{TableVerifier, Verifier};
use hall_wire::{AgentId, Handle, Signature};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::{Semaphore, SemaphorePermit};

/// A registered agent with its key, ready to verify. The association of handle, key and identifier is permanent.
#[derive(Debug)]
pub(crate) struct KnownAgent {
    pub(crate) id: AgentId,
    verifier: Verifier,
    used: Mutex<Used>,
}

/// How much a key is used, and its table, if it has one.
#[derive(Debug, Default)]
struct Used {
    /// The round of the last use, and how many there were in it.
    round: u64,
    uses: u64,
    table: Option<Arc<TableVerifier>>,
}

/// Keys and permits for verifying.
pub(crate) struct Signatures {
    keys: RwLock<BTreeMap<Handle, Arc<KnownAgent>>>,
    /// Verifications so far, which make the rounds.
    verified: AtomicU64,
    /// Whose keys have tables.
    with_tables: Mutex<Vec<Arc<KnownAgent>>>,
    permits: Semaphore,
    queue: Queue,
}

impl Signatures {
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let queue = Queue::new(limits::WAITING_VERIFICATIONS);
        Self {
            keys: RwLock::default(),
            verified: AtomicU64::default(),
            with_tables: Mutex::default(),
            permits: Semaphore::new(processors),
            queue,
        }
    }

    /// The registered agent with this handle.
    pub(crate) fn known_agent(&self, engine: &Engine, handle: &Handle) -> Option<Arc<KnownAgent>> {
        if let Some(known) = self.keys.read().unwrap_or_else(PoisonError::into_inner).get(handle) {
            return Some(Arc::clone(known));
        }
        let (id, key) =
            engine.peek(|hall| hall.desk().agent_by_handle(handle).map(|agent| (agent.id, agent.key)))?;
        let known = Arc::new(KnownAgent { id, verifier: key.verifier()?, used: Mutex::default() });
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= limits::PREPARED_KEYS {
            // Which one is evicted hardly matters: it is prepared again when it is next used.
            keys.pop_first();
        }
        keys.insert(handle.clone(), Arc::clone(&known));
        Some(known)
    }

    /// Whether `signature` is a valid one of this agent over `message`.
    ///
    /// Who verifies often enough in a round gets a table. Making one takes as long as 50 verifications.
    pub(crate) fn verifies(&self, known: &Arc<KnownAgent>, message: &[u8], signature: &Signature) -> bool {
        let number = self.verified.fetch_add(1, Ordering::Relaxed);
        let round = number / limits::ROUND_OF_VERIFICATIONS;
        if number.is_multiple_of(limits::ROUND_OF_VERIFICATIONS) {
            self.take_tables(round);
        }
        match known.used_in(round) {
            (Some(table), _) => table.verifies(message, signature),
            (None, limits::USES_FOR_A_TABLE) if self.may_have_table(known) => {
                let table = Arc::new(known.verifier.with_table());
                known.used.lock().unwrap_or_else(PoisonError::into_inner).table = Some(Arc::clone(&table));
                table.verifies(message, signature)
            }
            (None, _) => known.verifier.verifies(message, signature),
        }
    }

    /// Counts an agent among those with tables, unless there are too many.
    fn may_have_table(&self, known: &Arc<KnownAgent>) -> bool {
        let mut with_tables = self.with_tables.lock().unwrap_or_else(PoisonError::into_inner);
        let may = with_tables.len() < limits::KEY_TABLES;
        if may {
            with_tables.push(Arc::clone(known));
        }
        may
    }

    /// At the begin of a round, takes the tables of keys that were little used in the one before.
    fn take_tables(&self, round: u64) {
        self.with_tables.lock().unwrap_or_else(PoisonError::into_inner).retain(|known| {
            let mut used = known.used.lock().unwrap_or_else(PoisonError::into_inner);
            let keeps = used.round + 1 >= round && used.uses >= limits::USES_FOR_A_TABLE;
            if !keeps {
                used.table = None;
            }
            keeps
        });
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

impl KnownAgent {
    /// Counts a use in this round. Returns the table of the key, if there is one, and its uses in the round so far.
    fn used_in(&self, round: u64) -> (Option<Arc<TableVerifier>>, u64) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.uses = if used.round == round { used.uses + 1 } else { 1 };
        used.round = round;
        (used.table.clone(), used.uses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::key::PrivateKey;

    const MESSAGE: &[u8] = b"message";

    fn used_as_often(signatures: &Signatures, seed: u8, uses: u64) -> Arc<KnownAgent> {
        let key = PrivateKey::from_seed(&[seed; 32]);
        let (id, verifier) = (AgentId::of_key(&key.public()), key.public().verifier().unwrap());
        let known = Arc::new(KnownAgent { id, verifier, used: Mutex::default() });
        let (good, bad) = (key.sign(MESSAGE), key.sign(b"another message"));
        for number in 0..uses {
            let signature = if number % 2 == 0 { &bad } else { &good };
            assert_eq!(signatures.verifies(&known, MESSAGE, signature), number % 2 == 1, "use {number}");
        }
        known
    }

    fn has_table(known: &KnownAgent) -> bool {
        known.used.lock().unwrap().table.is_some()
    }

    #[test]
    fn a_key_that_is_used_much_gets_a_table_and_keeps_it_as_long_as_it_is_used_as_much() {
        let signatures = Signatures::new();
        let little = used_as_often(&signatures, 1, limits::USES_FOR_A_TABLE - 1);
        let much = used_as_often(&signatures, 2, limits::USES_FOR_A_TABLE + 2);
        assert!(!has_table(&little) && has_table(&much));
        signatures.take_tables(1);
        assert!(has_table(&much), "it was used as much in the round before");
        assert!(much.used_in(1).0.is_some());
        signatures.take_tables(2);
        assert!(!has_table(&much), "it was used once in the round before");
        signatures.take_tables(4);
        assert_eq!(signatures.with_tables.lock().unwrap().len(), 0);
    }

    #[test]
    fn a_key_is_verified_without_a_table_while_too_many_have_one() {
        let signatures = Signatures::new();
        let first = used_as_often(&signatures, 1, limits::USES_FOR_A_TABLE);
        signatures.with_tables.lock().unwrap().resize(limits::KEY_TABLES, first);
        let second = used_as_often(&signatures, 2, limits::USES_FOR_A_TABLE + 2);
        assert!(!has_table(&second));
    }
}
