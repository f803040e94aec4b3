//! The loop that rings: it connects the schedule, the endpoints and the hall.

use super::endpoints::{CallFailure, Endpoints, Rung};
use super::ring::Ring;
use super::schedule::{Added, RingKey, RingSchedule, RingStep, Settled};
use super::url::DoorbellUrl;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use hall_wire::key::PrivateKey;
use hall_wire::{Span, Timestamp};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::time::sleep;

/// How often the clock is checked while something waits for a time: it may differ from the runtime's timers.
const CLOCK_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The same of the hall's clock.
const LOOK_SPAN: Span = Span::from_secs(1);
/// How long to wait before a key is asked for again, or a report is offered again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// The most turns that wait for a place in the schedule. Further ones are not rung for.
const BACKLOG: usize = 65_536;
/// Turns of the backlog that are offered a place at each check.
const OFFERED: usize = 256;
/// The status by which an endpoint declines all further rings.
const GONE: u16 = 410;

/// A turn that is to be rung for, as the hall has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Which.
    pub key: RingKey,
    /// What is sent.
    pub ring: Ring,
    /// Where.
    pub url: Arc<str>,
    /// What names the doorbell in the report.
    pub bell: String,
    /// Attempts that have failed already.
    pub attempts: u8,
}

/// An attempt and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempted {
    /// The turn that was rung for.
    pub key: RingKey,
    /// What names the doorbell.
    pub bell: String,
    /// Which attempt it was, from 1.
    pub attempt: u8,
    /// When it had ended.
    pub at: Timestamp,
    /// Answered with a 2xx or not.
    pub outcome: Result<(), CallFailure>,
}

impl Attempted {
    /// Whether the endpoint declined all further rings.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.outcome == Err(CallFailure::BadStatus(GONE))
    }
}

/// The hall, as the ringer sees it.
pub trait RingSource: Send + Sync {
    /// The hall's clock.
    fn now(&self) -> Timestamp;
    /// What is to be rung for a turn now, all of it on disk; `None` if it is over or nobody is to be rung.
    fn due(&self, key: &RingKey) -> impl Future<Output = Option<Due>> + Send;
    /// Records the report of an attempt durably; `false` if that is not possible now. The report is then offered again
    /// after a second, and the endpoint is not rung before it is recorded: a hall that crashed without the report
    /// would make more attempts than allowed.
    fn report(&self, attempted: &Attempted) -> impl Future<Output = bool> + Send;
    /// The key that signs rings, which may be replaced while the hall runs; `None` while nothing may be rung: the key
    /// that the hall publishes is not here, and no endpoint would believe another one; or another process may lead.
    fn key(&self) -> Option<PrivateKey>;
    /// A number from 0 to `most`, both included.
    fn draw(&self, most: u64) -> u64;
}

/// What was rung so far.
#[derive(Debug, Default)]
pub struct RingTally {
    answered: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    turns: AtomicU64,
    under_way: AtomicU64,
}

impl RingTally {
    /// Attempts that were answered with a 2xx.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// Attempts that failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Turns that are not rung for, because too many wait already.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Turns that are rung for now, waiting ones included.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// Attempts under way now.
    #[must_use]
    pub fn under_way(&self) -> u64 {
        self.under_way.load(Ordering::Relaxed)
    }

    fn show(&self, schedule: &RingSchedule, backlog: usize) {
        let store = |to: &AtomicU64, count: usize| {
            to.store(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
        };
        store(&self.turns, schedule.turns().saturating_add(backlog));
        store(&self.under_way, schedule.under_way());
    }
}

/// Rings for the turns that `calls` yields, until its other end is dropped. Dropping this future abandons attempts
/// under way.
pub async fn run(
    mut schedule: RingSchedule,
    endpoints: &Endpoints,
    hall: &impl RingSource,
    mut calls: Receiver<Due>,
    tally: &RingTally,
) {
    let mut attempts = FuturesUnordered::new();
    let mut backlog = Backlog::default();
    let keep = |backlog: &mut Backlog, turn: RingKey| {
        if !backlog.take(turn, hall.now()) {
            tally.dropped.fetch_add(1, Ordering::Relaxed);
        }
    };
    loop {
        backlog.offer(&mut schedule, endpoints, hall).await;
        let wake = loop {
            match schedule.next(hall.now()) {
                RingStep::Attempt { key: turn, attempt, url } => {
                    attempts.push(async move {
                        (turn, try_once(endpoints, hall, &turn, (attempt, &url), tally).await)
                    });
                }
                RingStep::Wait(until) => break until,
            }
        };
        tally.show(&schedule, backlog.waiting.len());
        let wake = [wake, backlog.next].into_iter().flatten().min();
        let pause = wake.map_or(CLOCK_POLL_INTERVAL, |until| {
            Duration::from_millis(until.since(hall.now()).as_millis().max(1)).min(CLOCK_POLL_INTERVAL)
        });
        // Polled in source order, not at random.
        tokio::select! {
            biased;
            call = calls.recv() => match call {
                Some(due) => {
                    let host = host_of(endpoints, &due.url);
                    let added = schedule.add(due.key, &due.url, &host, due.attempts, hall.now());
                    if added == Added::Dropped {
                        keep(&mut backlog, due.key);
                    }
                }
                None => return,
            },
            Some((turn, settled)) = attempts.next() => {
                let without_room = schedule.settle(&turn, settled, hall.now(), &mut |most| hall.draw(most));
                without_room.into_iter().for_each(|turn| keep(&mut backlog, turn));
            }
            () = sleep(pause), if wake.is_some() => {}
        }
    }
}

/// Turns that the schedule had no place for, the longest waiting first. An entry is small compared with a scheduled
/// turn: its ring is fetched again when there may be a place.
#[derive(Debug, Default)]
struct Backlog {
    waiting: VecDeque<RingKey>,
    /// When the next ones are offered a place.
    next: Option<Timestamp>,
}

impl Backlog {
    /// Lets a turn wait; `false` if too many do.
    fn take(&mut self, turn: RingKey, now: Timestamp) -> bool {
        if self.waiting.len() >= BACKLOG {
            return false;
        }
        self.waiting.push_back(turn);
        self.next.get_or_insert(now + LOOK_SPAN);
        true
    }

    /// Offers those that wait longest a place, once a second. Turns that get none go to the end of the line; turns
    /// that are over are dropped.
    async fn offer(&mut self, schedule: &mut RingSchedule, endpoints: &Endpoints, hall: &impl RingSource) {
        if self.next.is_none_or(|next| next > hall.now()) {
            return;
        }
        let offered: Vec<RingKey> = self.waiting.drain(..self.waiting.len().min(OFFERED)).collect();
        // Concurrently, because each answer waits for the disk.
        let due = join_all(offered.iter().map(|turn| hall.due(turn))).await;
        for due in due.into_iter().flatten() {
            let host = host_of(endpoints, &due.url);
            if schedule.add(due.key, &due.url, &host, due.attempts, hall.now()) == Added::Dropped {
                self.waiting.push_back(due.key);
            }
        }
        self.next = (!self.waiting.is_empty()).then(|| hall.now() + LOOK_SPAN);
    }
}

/// Makes one attempt for a turn that is still to be rung for at this address, and reports it.
async fn try_once(
    endpoints: &Endpoints,
    hall: &impl RingSource,
    turn: &RingKey,
    (attempt, url): (u8, &Arc<str>),
    tally: &RingTally,
) -> Settled {
    let (due, Rung { outcome, retry_after }) = loop {
        let Some(key) = hall.key() else {
            sleep(RETRY_INTERVAL).await;
            continue;
        };
        // What is due is on disk, and so is the key that was published before it.
        let Some(due) = hall.due(turn).await else { return Settled::Over };
        if due.url != *url {
            let host = host_of(endpoints, &due.url);
            return Settled::Moved { url: due.url, host };
        }
        // There may be no place for it for seconds, and meanwhile the lead may pass to another process.
        let may = || hall.key().is_some();
        if let Some(rung) = endpoints.ring(&due.url, &due.ring, (hall.now(), &key), may).await {
            break (due, rung);
        }
    };
    let count = if outcome.is_ok() { &tally.answered } else { &tally.failed };
    count.fetch_add(1, Ordering::Relaxed);
    tracing::debug!(event = %due.ring.id, attempt, ?outcome, "rung");
    let Due { key: turn, bell, .. } = due;
    let attempted = Attempted { key: turn, bell, attempt, at: hall.now(), outcome };
    let settled = match attempted.outcome {
        Ok(()) => Settled::Answered,
        Err(_) if attempted.is_gone() => Settled::Over,
        Err(_) => retry_after.map_or(Settled::Failed, Settled::Later),
    };
    while !hall.report(&attempted).await {
        sleep(RETRY_INTERVAL).await;
    }
    settled
}

/// The host of an address; for one that may no longer be rung, the address itself.
fn host_of(endpoints: &Endpoints, url: &Arc<str>) -> Arc<str> {
    match DoorbellUrl::parse(url, endpoints.policy()) {
        Ok(parsed) => parsed.authority().into(),
        Err(_) => Arc::clone(url),
    }
}
