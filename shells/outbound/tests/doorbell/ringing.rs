//! The loop that rings, with endpoints over TLS and a simulated hall.

use super::support::{Endpoint, NOW, answer};
use hall_outbound::doorbell::{
    Attempted, CallFailure, Due, Ring, RingKey, RingLimits, RingSchedule, RingSource, RingTally, run,
};
use hall_wire::key::PrivateKey;
use hall_wire::{AgentId, GameId, RingId, Span, Timestamp};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// A hall in which one turn is open until its ring is answered or abandoned.
struct OneTurn {
    due: Mutex<Option<Due>>,
    reports: mpsc::UnboundedSender<Attempted>,
    /// The turn is over after this many reports.
    over_after: usize,
    heard: Mutex<usize>,
    /// Accepts no reports.
    is_full: AtomicBool,
    /// How often its key was requested before it had one.
    looks_for_key: AtomicU64,
    /// Has no key yet.
    is_keyless: AtomicBool,
    /// Loses its key while it reads what is due, the next time.
    loses_key: AtomicBool,
    /// The clock: it advances whenever it is read.
    looks: AtomicU64,
}

impl OneTurn {
    fn new(due: Due, over_after: usize) -> (Self, mpsc::UnboundedReceiver<Attempted>) {
        let (reports, reported) = mpsc::unbounded_channel();
        let due = Mutex::new(Some(due));
        let (heard, is_full, looks_for_key, is_keyless, loses_key, looks) = Default::default();
        let hall =
            Self { due, reports, over_after, heard, is_full, looks_for_key, is_keyless, loses_key, looks };
        (hall, reported)
    }
}

/// How far the clock advances at each reading.
const TICK: Span = Span::from_millis(250);

impl RingSource for OneTurn {
    fn now(&self) -> Timestamp {
        NOW + Span::from_millis(TICK.as_millis() * self.looks.fetch_add(1, Ordering::Relaxed))
    }

    async fn due(&self, _: &RingKey) -> Option<Due> {
        if self.loses_key.swap(false, Ordering::Relaxed) {
            self.is_keyless.store(true, Ordering::Relaxed);
        }
        self.due.lock().unwrap().clone()
    }

    async fn report(&self, attempted: &Attempted) -> bool {
        self.reports.send(attempted.clone()).unwrap();
        if self.is_full.load(Ordering::Relaxed) {
            return false;
        }
        let mut heard = self.heard.lock().unwrap();
        *heard += 1;
        if *heard == self.over_after {
            *self.due.lock().unwrap() = None;
        }
        true
    }

    fn key(&self) -> Option<PrivateKey> {
        if self.is_keyless.load(Ordering::Relaxed) {
            self.looks_for_key.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(PrivateKey::from_seed(&[9; 32]))
    }

    /// No wait at all.
    fn draw(&self, _: u64) -> u64 {
        0
    }
}

#[tokio::test]
async fn a_ring_is_retried_with_the_same_event_until_it_is_answered() {
    let manners = vec![answer("500 Oops", &[]), answer("503 Later", &[]), answer("200 OK", &[])];
    let (events, attempts) = rung(manners, 9, 0).await;
    assert_eq!(events.len(), 3);
    assert!(events.iter().all(|event| *event == events[0]), "{events:?}");
    let outcomes: Vec<_> = attempts.iter().map(|attempted| (attempted.attempt, attempted.outcome)).collect();
    let bad = |status| Err(CallFailure::BadStatus(status));
    assert_eq!(outcomes, [(1, bad(500)), (2, bad(503)), (3, Ok(()))]);
}

#[tokio::test]
async fn an_endpoint_that_asks_for_a_wait_is_not_rung_until_it_is_over() {
    let asks = answer("503 Later", &[("retry-after", "5")]);
    let (_, attempts) = rung(vec![asks, answer("200 OK", &[])], 9, 0).await;
    let [first, second] = attempts.as_slice() else { panic!("{attempts:?}") };
    assert_eq!((first.outcome, second.outcome), (Err(CallFailure::BadStatus(503)), Ok(())));
    assert!(second.at.since(first.at) >= Span::from_secs(5), "{attempts:?}");
}

#[tokio::test]
async fn five_attempts_are_made_and_those_of_an_earlier_run_are_counted() {
    for (made, left) in [(0, 5), (3, 2)] {
        let (events, attempts) = rung(vec![answer("500 Oops", &[])], 9, made).await;
        assert_eq!((events.len(), attempts.len()), (left, left));
        assert_eq!(attempts.last().unwrap().attempt, 5);
    }
}

#[tokio::test]
async fn no_attempt_is_made_after_the_turn_is_over_or_the_endpoint_is_gone() {
    let (events, _) = rung(vec![answer("500 Oops", &[])], 2, 0).await;
    assert_eq!(events.len(), 2);
    let (events, attempts) = rung(vec![answer("410 Gone", &[])], 9, 0).await;
    assert_eq!((events.len(), attempts[0].is_gone()), (1, true));
}

#[tokio::test]
async fn no_attempt_follows_one_whose_report_the_hall_has_not_accepted() {
    let mut endpoint = Endpoint::new(&["bell.example"], vec![answer("500 Oops", &[])]).await;
    let (endpoints, _) = endpoint.endpoints();
    let due = turn(AgentId::from_bytes([1; 16]), 0);
    let (hall, mut reported) = OneTurn::new(due.clone(), 9);
    hall.is_full.store(true, Ordering::Relaxed);
    let (call, calls) = mpsc::channel(1);
    call.send(due).await.unwrap();
    let tally = RingTally::default();
    let mut ringing =
        std::pin::pin!(run(RingSchedule::new(RingLimits::default()), &endpoints, &hall, calls, &tally));
    let mut offered = Vec::new();
    while offered.last() != Some(&2) {
        tokio::select! {
            () = &mut ringing => unreachable!("somebody may call still"),
            attempted = reported.recv() => offered.push(attempted.unwrap().attempt),
        }
        if offered.last() == Some(&1) {
            hall.is_full.store(offered.len() < 4, Ordering::Relaxed);
            // The interval of one second after which a report is offered again.
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(1)).await;
            tokio::time::resume();
        }
    }
    assert_eq!(offered, [1, 1, 1, 1, 1, 2]);
    let rung = std::iter::from_fn(|| endpoint.got.try_recv().ok()).count();
    assert_eq!(rung, 2);
}

#[tokio::test]
async fn nothing_is_rung_before_the_key_that_the_hall_publishes_is_here() {
    is_rung_once_there_is_a_key(false).await;
}

#[tokio::test]
async fn a_key_that_is_lost_while_the_turn_is_read_rings_nobody_until_it_is_back() {
    is_rung_once_there_is_a_key(true).await;
}

/// A hall without a key rings nobody, and rings once it has one again. It loses it before a turn is read, or meanwhile.
async fn is_rung_once_there_is_a_key(reads_first: bool) {
    let mut endpoint = Endpoint::new(&["bell.example"], vec![answer("200 OK", &[])]).await;
    let (endpoints, _) = endpoint.endpoints();
    let due = turn(AgentId::from_bytes([1; 16]), 0);
    let (hall, mut reported) = OneTurn::new(due.clone(), 1);
    let lost = if reads_first { &hall.loses_key } else { &hall.is_keyless };
    lost.store(true, Ordering::Relaxed);
    let (call, calls) = mpsc::channel(1);
    call.send(due).await.unwrap();
    let tally = RingTally::default();
    let mut ringing =
        std::pin::pin!(run(RingSchedule::new(RingLimits::default()), &endpoints, &hall, calls, &tally));
    // The interval of one second after which the key is looked for again.
    let a_second_passes = async || {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(1)).await;
        tokio::time::resume();
    };
    while hall.looks_for_key.load(Ordering::Relaxed) < 3 {
        tokio::select! {
            () = &mut ringing => unreachable!("somebody may call still"),
            () = a_second_passes() => {}
        }
    }
    assert!(reported.try_recv().is_err() && endpoint.got.try_recv().is_err());
    hall.is_keyless.store(false, Ordering::Relaxed);
    a_second_passes().await;
    let attempted = tokio::select! {
        () = &mut ringing => unreachable!("somebody may call still"),
        attempted = reported.recv() => attempted.unwrap(),
    };
    assert_eq!((attempted.attempt, attempted.outcome), (1, Ok(())));
}

#[tokio::test]
async fn turns_beyond_the_limit_wait_for_a_place_and_are_rung_later() {
    let mut endpoint = Endpoint::new(&["bell.example"], vec![answer("200 OK", &[])]).await;
    let (endpoints, _) = endpoint.endpoints();
    let turns: Vec<Due> = (1..=5).map(|agent| turn(AgentId::from_bytes([agent; 16]), 0)).collect();
    let (call, calls) = mpsc::channel(turns.len());
    for due in &turns {
        call.send(due.clone()).await.unwrap();
    }
    let open = turns.iter().map(|due| (due.key, due.clone())).collect();
    let hall = ManyTurns { open: Mutex::new(open), looks: AtomicU64::new(0) };
    let tally = RingTally::default();
    let limits = RingLimits { turns_per_host: 2, ..RingLimits::default() };
    {
        let mut ringing = std::pin::pin!(run(RingSchedule::new(limits), &endpoints, &hall, calls, &tally));
        while !hall.open.lock().unwrap().is_empty() {
            tokio::select! {
                () = &mut ringing => break,
                () = tokio::task::yield_now() => {}
            }
        }
    }
    let mut rung: Vec<String> = Vec::new();
    while let Ok(got) = endpoint.got.try_recv() {
        rung.push(got.headers["webhook-id"].clone());
    }
    let mut expected: Vec<String> = turns.iter().map(|due| due.ring.id.to_string()).collect();
    rung.sort();
    expected.sort();
    assert_eq!(rung, expected, "each once");
    assert_eq!((tally.answered(), tally.dropped()), (5, 0));
}

/// A hall in which several turns are open, each until it is rung.
struct ManyTurns {
    open: Mutex<BTreeMap<RingKey, Due>>,
    looks: AtomicU64,
}

impl RingSource for ManyTurns {
    fn now(&self) -> Timestamp {
        NOW + Span::from_millis(TICK.as_millis() * self.looks.fetch_add(1, Ordering::Relaxed))
    }

    async fn due(&self, key: &RingKey) -> Option<Due> {
        self.open.lock().unwrap().get(key).cloned()
    }

    async fn report(&self, attempted: &Attempted) -> bool {
        self.open.lock().unwrap().remove(&attempted.key);
        true
    }

    fn key(&self) -> Option<PrivateKey> {
        Some(PrivateKey::from_seed(&[9; 32]))
    }

    fn draw(&self, _: u64) -> u64 {
        0
    }
}

/// A turn of an agent, to be rung for at `bell.example`.
fn turn(agent: AgentId, attempts: u8) -> Due {
    let game = GameId::from_bytes([2; 16]);
    let id = RingId::of_turn(&agent, &game, 3);
    Due {
        key: RingKey { agent, game, turn_index: 3 },
        ring: Ring { id, game, turn_index: 3, deadline: NOW },
        url: "https://bell.example/ring".into(),
        bell: "bell".to_owned(),
        attempts,
    }
}

/// Rings for one turn until nothing is left to do. Returns the identifiers that the endpoint got, and the reports.
async fn rung(
    manners: Vec<super::support::Manner>,
    over_after: usize,
    attempts: u8,
) -> (Vec<String>, Vec<Attempted>) {
    let mut endpoint = Endpoint::new(&["bell.example"], manners).await;
    let (endpoints, _) = endpoint.endpoints();
    let due = turn(AgentId::from_bytes([1; 16]), attempts);
    let id = due.ring.id;
    let (hall, mut reported) = OneTurn::new(due.clone(), over_after);
    let (call, calls) = mpsc::channel(1);
    call.send(due).await.unwrap();
    let tally = RingTally::default();
    {
        let ringing = run(RingSchedule::new(RingLimits::default()), &endpoints, &hall, calls, &tally);
        let mut ringing = std::pin::pin!(ringing);
        // The loop has nothing left to do once it counts no turns after having counted one.
        let mut began = false;
        loop {
            tokio::select! {
                () = &mut ringing => break,
                () = tokio::task::yield_now() => {
                    began |= tally.turns() > 0;
                    if began && tally.turns() == 0 {
                        break;
                    }
                }
            }
        }
    }
    assert_eq!(tally.dropped(), 0);
    let mut events = Vec::new();
    while let Ok(got) = endpoint.got.try_recv() {
        events.push(got.headers["webhook-id"].clone());
    }
    assert!(events.iter().all(|event| *event == id.to_string()));
    let mut attempts = Vec::new();
    while let Ok(attempted) = reported.try_recv() {
        attempts.push(attempted);
    }
    assert_eq!(tally.answered() + tally.failed(), u64::try_from(attempts.len()).unwrap());
    (events, attempts)
}
