//! The doorbells of a running hall: its endpoints, its ring key, and the turns of its games that are rung for.

use super::endpoints::{CallFailure, Endpoints, VerifyFailure};
use super::ring::{Ring, public_key};
use super::ringer::{Attempted, Due, RingSource, RingTally, run};
use super::schedule::{RingKey, RingLimits, RingSchedule};
use super::url::DoorbellUrl;
use futures_util::future::join;
use hall_core::desk::LastAttempt;
use hall_core::rooms::ChallengeText;
use hall_core::{Caller, Command, DoorbellCommand, DueRing, RingFailure, RingOutcome, RingReport};
use hall_driver::{Calls, Doorbells, Engine, RingCounts, Unavailable, Unverified, Verifying};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Handle, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::mpsc;

/// Turns on their way to the ringer. When the ringer falls behind, the feed waits, and if it overflows, all waiting
/// turns are read again.
const WAITING: usize = 256;
/// Agents whose last attempt is remembered.
const REMEMBERED: usize = 65_536;

/// Draws a number from 0 to its argument, both included.
pub type Jitter = Box<dyn Fn(u64) -> u64 + Send + Sync>;

/// The endpoints of a hall's agents, with the counts of rings.
pub struct RingNotifier {
    endpoints: Endpoints,
    tally: RingTally,
    /// Of these, the one that the hall publishes signs rings.
    keys: RwLock<Vec<PrivateKey>>,
    jitter: Jitter,
    /// The last attempt for each agent. The first ones are forgotten when there are too many.
    last: Mutex<BTreeMap<AgentId, LastAttempt>>,
}

impl RingNotifier {
    /// A notifier that has rung for nothing yet. `jitter` spreads the waits between attempts.
    #[must_use]
    pub fn new(endpoints: Endpoints, key: PrivateKey, jitter: Jitter) -> Self {
        let keys = RwLock::new(vec![key]);
        Self { endpoints, tally: RingTally::default(), keys, jitter, last: Mutex::default() }
    }

    /// Adds a key, which signs rings once the hall publishes it.
    pub fn add_key(&self, key: PrivateKey) {
        self.keys.write().unwrap_or_else(PoisonError::into_inner).push(key);
    }

    /// Replaces all keys by one.
    pub fn replace_key(&self, key: PrivateKey) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = vec![key];
    }

    /// The key that is published as `public`, if it is here.
    fn key(&self, public: &str) -> Option<PrivateKey> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.iter().find(|key| public_key(&key.public()) == public).cloned()
    }

    fn remember(&self, agent: AgentId, last: LastAttempt) {
        let mut known = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED && !known.contains_key(&agent) {
            known.pop_first();
        }
        known.insert(agent, last);
    }
}

impl Doorbells for RingNotifier {
    fn permits(&self, url: &str) -> bool {
        DoorbellUrl::parse(url, self.endpoints.policy()).is_ok()
    }

    fn verify<'a>(&'a self, url: &'a str, handle: &'a Handle, challenge: &'a Challenge) -> Verifying<'a> {
        Box::pin(async move { Ok(self.endpoints.verify(url, handle, challenge).await?) })
    }

    fn last(&self, agent: &AgentId) -> Option<LastAttempt> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).get(agent).copied()
    }

    fn counts(&self) -> RingCounts {
        RingCounts {
            answered: self.tally.answered(),
            failed: self.tally.failed(),
            dropped: self.tally.dropped(),
            turns: self.tally.turns(),
            under_way: self.tally.under_way(),
        }
    }
}

impl From<VerifyFailure> for Unverified {
    fn from(failure: VerifyFailure) -> Self {
        match failure {
            VerifyFailure::Call(CallFailure::Refused) => Self::Refused,
            VerifyFailure::Call(CallFailure::Unreachable) => Self::Unreachable,
            VerifyFailure::Call(CallFailure::Timeout) => Self::Timeout,
            VerifyFailure::Call(CallFailure::BadStatus(_)) => Self::BadStatus,
            VerifyFailure::TooOften { wait, most } => Self::TooOften { wait, most },
            VerifyFailure::NoSignature => Self::NoSignature,
            VerifyFailure::BadSignature => Self::BadSignature,
        }
    }
}

/// Rings for the turns of a hall, first for those that wait already, and reports the result of each attempt to it. It
/// ends with the hall; drop it to abandon attempts under way.
pub async fn ring_turns(engine: Engine, notifier: Arc<RingNotifier>) {
    let (call, calls) = mpsc::channel(WAITING);
    let hall = InHall { engine: engine.clone(), notifier: &notifier };
    let ringing =
        run(RingSchedule::new(RingLimits::default()), &notifier.endpoints, &hall, calls, &notifier.tally);
    // One task, in this order: nothing is left to the runtime's scheduler.
    join(tell(&engine, call), ringing).await;
}

/// Passes every turn that is to be rung for to the ringer.
async fn tell(engine: &Engine, call: mpsc::Sender<Due>) {
    let mut feed = engine.watch_rings();
    let mut look_at_all = true;
    loop {
        let due: Vec<DueRing> = if look_at_all {
            look_at_all = false;
            match engine.read(|hall| hall.due_rings().collect()).await {
                Ok(due) => due,
                Err(_) => return,
            }
        } else {
            match feed.next().await {
                Calls::Turn(turn) => {
                    let looked = engine.peek(|hall| hall.due_ring(&turn.agent, &turn.game, turn.turn_index));
                    looked.into_iter().collect()
                }
                Calls::Lagged => {
                    look_at_all = true;
                    continue;
                }
                Calls::Closed => return,
            }
        };
        for due in due {
            if call.send(due.into()).await.is_err() {
                return;
            }
        }
    }
}

impl From<DueRing> for Due {
    fn from(due: DueRing) -> Self {
        let DueRing { id, agent, url, challenge, game, turn_index, deadline, attempts } = due;
        Self {
            key: RingKey { agent, game, turn_index },
            ring: Ring { id, game, turn_index, deadline },
            url: url.into(),
            bell: challenge.0,
            attempts,
        }
    }
}

/// The hall, as the ringer sees it.
struct InHall<'a> {
    engine: Engine,
    notifier: &'a RingNotifier,
}

impl RingSource for InHall<'_> {
    fn now(&self) -> Timestamp {
        self.engine.now()
    }

    async fn due(&self, key: &RingKey) -> Option<Due> {
        let RingKey { agent, game, turn_index } = *key;
        let due = self.engine.read(move |hall| hall.due_ring(&agent, &game, turn_index)).await;
        due.ok().flatten().map(Due::from)
    }

    async fn report(&self, attempted: &Attempted) -> bool {
        let outcome = match attempted.outcome {
            Ok(()) => RingOutcome::Answered,
            Err(_) if attempted.is_gone() => RingOutcome::Failed(RingFailure::Gone),
            Err(CallFailure::Refused) => RingOutcome::Failed(RingFailure::Refused),
            Err(CallFailure::Unreachable) => RingOutcome::Failed(RingFailure::Unreachable),
            Err(CallFailure::Timeout) => RingOutcome::Failed(RingFailure::Timeout),
            Err(CallFailure::BadStatus(_)) => RingOutcome::Failed(RingFailure::BadStatus),
        };
        let failure = match outcome {
            RingOutcome::Answered => None,
            RingOutcome::Failed(failure) => Some(failure),
        };
        let Attempted { key: RingKey { agent, game, turn_index }, ref bell, attempt, at, .. } = *attempted;
        self.notifier.remember(agent, LastAttempt { at, game, turn_index, failure });
        let challenge = ChallengeText(bell.clone());
        let report = RingReport { agent, challenge, game, turn_index, attempt, outcome };
        match self
            .engine
            .submit(
                self.engine.arrive(),
                Caller::Hall,
                Command::Doorbell(DoorbellCommand::ReportRing(report)),
            )
            .await
        {
            // Recorded, or refused because the agent has another doorbell by now: then it does not count.
            Ok(_) => true,
            // Without a leader: the right of this process has passed, but may come back.
            Err(
                Unavailable::LowDisk
                | Unavailable::Overloaded
                | Unavailable::Draining
                | Unavailable::NoLeader,
            ) => false,
            // Nothing more is rung by this process.
            Err(Unavailable::Stopping | Unavailable::Unknown) => true,
        }
    }

    fn key(&self) -> Option<PrivateKey> {
        // Another process may lead by now, and ring.
        if !self.engine.decides() {
            return None;
        }
        let public = self.engine.peek(|hall| hall.keys().map(|keys| keys.ring.clone()))?;
        self.notifier.key(&public)
    }

    fn draw(&self, most: u64) -> u64 {
        (self.notifier.jitter)(most)
    }
}

#[cfg(test)]
mod tests {
    use super::super::url::Policy;
    use super::*;
    use crate::doorbell::TlsRoots;
    use hall_core::fixtures::Seeded;
    use hall_core::{HallKeys, HallSettings};
    use hall_driver::{Driven, ManualClock, StartOptions};
    use hall_journal::{MemoryJournal, MemoryStorage};
    use hall_wire::GameId;
    use rustls::RootCertStore;
    use std::sync::atomic::{AtomicBool, Ordering};

    const NOW: Timestamp = Timestamp::from_millis(1_795_211_400_123);

    #[tokio::test]
    async fn a_leader_whose_right_has_passed_rings_nobody_and_keeps_its_reports() {
        let key = PrivateKey::from_seed(&[7; 32]);
        let keys = HallKeys { log: "hall.example+00000000+AA==".into(), ring: public_key(&key.public()) };
        let mut driven = driven(keys);
        let right = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&right);
        driven.lead_by(Arc::new(move || asked.load(Ordering::Relaxed)));
        let endpoints = Endpoints::system(Policy::default(), &TlsRoots::of(RootCertStore::empty()).unwrap());
        let notifier = RingNotifier::new(endpoints, key, Box::new(|most| most));
        let hall = InHall { engine: driven.engine().clone(), notifier: &notifier };
        assert!(hall.key().is_some());

        let attempt = failed();
        right.store(false, Ordering::Relaxed);
        assert!(hall.key().is_none());
        let (report, stepped) = tokio::join!(hall.report(&attempt), async { driven.step() });
        stepped.unwrap();
        assert!(!report, "it is reported when the right is back");

        right.store(true, Ordering::Relaxed);
        assert!(hall.key().is_some());
        let (report, stepped) = tokio::join!(hall.report(&attempt), async { driven.step() });
        stepped.unwrap();
        assert!(report);
    }

    fn driven(keys: HallKeys) -> Driven {
        let options = StartOptions {
            catalog: hall_games::CATALOG,
            settings: HallSettings::default(),
            keys,
            journal: Box::new(MemoryJournal::open(&MemoryStorage::default())),
            clock: Arc::new(ManualClock::new(NOW)),
            entropy: Box::new(Seeded::new(1)),
            reserve_bytes: 0,
            snapshot_every: 0,
            signing: false,
        };
        Driven::open(options, None).unwrap()
    }

    fn failed() -> Attempted {
        let (agent, game) = (AgentId::from_bytes([1; 16]), GameId::from_bytes([2; 16]));
        let key = RingKey { agent, game, turn_index: 0 };
        let outcome = Err(CallFailure::Unreachable);
        Attempted { key, bell: "0".repeat(64), attempt: 1, at: NOW, outcome }
    }
}
