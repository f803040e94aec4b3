//! The doorbells of a running hall: endpoints are verified for the HTTP shell, and rung when turns begin.

use crate::settings::Doorbell;
use hall_core::desk::LastAttempt;
use hall_core::rooms::ChallengeText;
use hall_core::{Caller, Command, DueRing, RingFailure, RingOutcome, RingReport};
use hall_driver::{Calls, Engine};
use hall_http::{Doorbells, RingCounts, Unverified, Verifying};
use hall_outbound::doorbell::{
    Attempted, Belfry, CallFailure, DoorbellUrl, Due, Endpoints, Limits, Ring, RingKey, RootsError, Schedule,
    Tally, TlsRoots, VerifyFailure, run,
};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Handle, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Turns on their way to whoever rings. When it is behind, the feed behind this waits, and is read anew if it overflows.
const WAITING: usize = 256;
/// Agents whose last attempt is remembered.
const REMEMBERED: usize = 65_536;

/// The endpoints of a hall's agents, and what was rung.
pub(crate) struct BellTower {
    endpoints: Endpoints,
    tally: Tally,
    /// Signs rings.
    key: RwLock<PrivateKey>,
    /// The last attempt for each agent. The first ones are forgotten when there are too many.
    last: Mutex<BTreeMap<AgentId, LastAttempt>>,
}

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
        let key = RwLock::new(key);
        Ok(Arc::new(Self { endpoints, tally: Tally::default(), key, last: Mutex::default() }))
    }

    /// From now on another key signs rings.
    pub(crate) fn replace_key(&self, key: PrivateKey) {
        *self.key.write().unwrap_or_else(PoisonError::into_inner) = key;
    }

    fn remember(&self, agent: AgentId, last: LastAttempt) {
        let mut known = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED && !known.contains_key(&agent) {
            known.pop_first();
        }
        known.insert(agent, last);
    }
}

impl Doorbells for BellTower {
    fn permits(&self, url: &str) -> bool {
        DoorbellUrl::parse(url, self.endpoints.policy()).is_ok()
    }

    fn verify<'a>(&'a self, url: &'a str, handle: &'a Handle, challenge: &'a Challenge) -> Verifying<'a> {
        Box::pin(async move {
            self.endpoints.verify(url, handle, challenge).await.map_err(|failure| match failure {
                VerifyFailure::Call(CallFailure::Refused) => Unverified::Refused,
                VerifyFailure::Call(CallFailure::Unreachable) => Unverified::Unreachable,
                VerifyFailure::Call(CallFailure::Timeout) => Unverified::Timeout,
                VerifyFailure::Call(CallFailure::BadStatus(_)) => Unverified::BadStatus,
                VerifyFailure::NoSignature => Unverified::NoSignature,
                VerifyFailure::BadSignature => Unverified::BadSignature,
            })
        })
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

/// The tasks that ring; they end when this is dropped.
pub(crate) struct Ringers {
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Ringers {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Ringers {
    /// Begins to ring, first for the turns that wait already.
    pub(crate) fn start(tower: &Arc<BellTower>, engine: &Engine) -> Self {
        let (call, calls) = mpsc::channel(WAITING);
        let (tower, hall) = (Arc::clone(tower), InHall { engine: engine.clone(), tower: Arc::clone(tower) });
        let ringing = async move {
            run(Schedule::new(Limits::default()), &tower.endpoints, &hall, calls, &tower.tally).await;
        };
        Self { tasks: vec![tokio::spawn(ringing), tokio::spawn(tell(engine.clone(), call))] }
    }
}

/// Tells whoever rings of every turn that is to be rung for.
async fn tell(engine: Engine, call: mpsc::Sender<Due>) {
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
            if call.send(named(due)).await.is_err() {
                return;
            }
        }
    }
}

/// What is to be rung, in the words of whoever rings.
fn named(due: DueRing) -> Due {
    let DueRing { id, agent, url, challenge, game, turn_index, deadline, attempts } = due;
    Due {
        key: RingKey { agent, game, turn_index },
        ring: Ring { id, game, turn_index, deadline },
        url: url.into(),
        bell: challenge.0,
        attempts,
    }
}

/// The hall, for whoever rings.
struct InHall {
    engine: Engine,
    tower: Arc<BellTower>,
}

impl Belfry for InHall {
    fn now(&self) -> Timestamp {
        self.engine.now()
    }

    async fn due(&self, key: &RingKey) -> Option<Due> {
        let RingKey { agent, game, turn_index } = *key;
        let due = self.engine.read(move |hall| hall.due_ring(&agent, &game, turn_index)).await;
        due.ok().flatten().map(named)
    }

    async fn report(&self, attempted: Attempted) {
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
        let Attempted { key: RingKey { agent, game, turn_index }, bell, attempt, at, .. } = attempted;
        self.tower.remember(agent, LastAttempt { at, game, turn_index, failure });
        let challenge = ChallengeText(bell);
        let report = RingReport { agent, challenge, game, turn_index, attempt, outcome };
        // A hall that takes no writes now, or an agent with another doorbell by now: then it is not counted.
        let _ = self.engine.submit(self.engine.arrive(), Caller::Hall, Command::ReportRing(report)).await;
    }

    fn key(&self) -> PrivateKey {
        self.tower.key.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn draw(&self, most: u64) -> u64 {
        let mut bytes = [0; 8];
        // Without randomness the whole wait is waited.
        match getrandom::fill(&mut bytes) {
            Ok(()) => u64::from_le_bytes(bytes) % most.saturating_add(1).max(1),
            Err(_) => most,
        }
    }
}
