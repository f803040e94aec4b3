//! The whole loop in virtual time.

use crate::relay::{Act, Relay, in_memory, serve_recorded};
use hall_outbound::beacon::{RelayLimits, RoundId, RoundReport, RoundSchedule, run};
use hall_outbound::fixtures::quicknet::{answer, id, quicknet_from, randomness, signature};
use hall_wire::{Digest, Timestamp};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, advance, timeout};

/// A loop whose clock begins with the test, shortly before round 42 is due at 1 s, and goes like the runtime's.
struct Loop {
    begun: Instant,
    wanted: Option<watch::Sender<BTreeSet<RoundId>>>,
    reports: mpsc::UnboundedReceiver<RoundReport>,
    task: JoinHandle<()>,
}

/// Quicknet, with round 42 due one second after 0.
fn genesis() -> Timestamp {
    Timestamp::from_millis(1_000 - 41 * 3_000)
}

impl Loop {
    fn over(relays: &[Option<&Arc<Relay>>], wanted: &[u64]) -> Self {
        Self::with_clock(relays, wanted, |elapsed| elapsed)
    }

    /// With a clock that shows `read` of the milliseconds that have passed.
    fn with_clock(
        relays: &[Option<&Arc<Relay>>],
        wanted: &[u64],
        read: impl Fn(i64) -> i64 + Send + 'static,
    ) -> Self {
        let relays = in_memory(RelayLimits::default(), relays);
        let (wanting, wanted) = watch::channel(wanted.iter().copied().map(id).collect());
        let (telling, reports) = mpsc::unbounded_channel();
        let begun = Instant::now();
        let now = move || Timestamp::from_millis(read(i64::try_from(begun.elapsed().as_millis()).unwrap()));
        let tell = move |report| drop(telling.send(report));
        let task =
            tokio::spawn(run(RoundSchedule::new([quicknet_from(genesis())]), relays, now, wanted, tell));
        Self { begun, wanted: Some(wanting), reports, task }
    }

    fn want(&self, rounds: &[u64]) {
        self.wanted.as_ref().unwrap().send_replace(rounds.iter().copied().map(id).collect());
    }

    /// The next report, with the time.
    async fn next(&mut self) -> String {
        let report = self.reports.recv().await.unwrap();
        let at = self.begun.elapsed().as_millis();
        match report {
            RoundReport::Verified(round) => {
                assert_eq!(round.randomness(), randomness(round.id().round));
                format!("{at}: verified {}", round.id().round)
            }
            RoundReport::Failed { failures, error } => {
                format!("{at}: failed {} ({failures})", error.id.round)
            }
            RoundReport::Unknown(id) => format!("{at}: unknown {}", id.round),
        }
    }

    /// The reports within this time.
    async fn during(&mut self, time: Duration) -> Vec<String> {
        let mut reports = Vec::new();
        let end = Instant::now() + time;
        while let Ok(report) = timeout(end - Instant::now(), self.next()).await {
            reports.push(report);
        }
        reports
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_is_fetched_when_it_is_due_and_reported() {
    let relay = Relay::honest();
    let mut beacon = Loop::over(&[Some(&relay)], &[42]);
    assert_eq!(beacon.next().await, "1250: verified 42");
    beacon.want(&[]);
    assert_eq!(beacon.during(Duration::from_secs(60)).await, [""; 0]);
    assert_eq!(relay.seen(), [(1_250, 42)]);
}

#[tokio::test(start_paused = true)]
async fn a_late_round_is_requested_repeatedly() {
    let relay = Relay::new(|path, before| if before < 4 { Act::Status(404) } else { serve_recorded(path) });
    let mut beacon = Loop::over(&[Some(&relay)], &[42]);
    let mut told = Vec::new();
    for _ in 0..5 {
        told.push(beacon.next().await);
    }
    assert_eq!(
        told,
        [
            "1250: failed 42 (1)",
            "1750: failed 42 (2)",
            "2750: failed 42 (3)",
            "4750: failed 42 (4)",
            "8750: verified 42"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_forged_round_is_never_reported() {
    let forging = Relay::new(|_, _| Act::Say(answer(42, signature(1000))));
    let lying = Relay::new(|_, _| Act::Say(answer(41, signature(42))));
    let mut beacon = Loop::over(&[Some(&forging), Some(&lying)], &[42]);
    let told = beacon.during(Duration::from_secs(600)).await;
    assert!(told.len() > 20, "it is tried every half minute at least: {told:?}");
    assert!(told.iter().all(|report| report.contains("failed 42")), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn relays_that_come_back_after_an_hour_give_all_rounds_at_once() {
    let open = Arc::new(AtomicBool::new(false));
    let door = Arc::clone(&open);
    let relay = Relay::new(
        move |path, _| {
            if door.load(Ordering::Relaxed) { serve_recorded(path) } else { Act::Hang }
        },
    );
    // Round 1000 is due at 2875 s.
    let mut beacon = Loop::over(&[Some(&relay), None], &[42, 123, 1000, 1001, 1002, 1003]);
    let told = beacon.during(Duration::from_secs(3_600)).await;
    assert!(told.iter().all(|report| report.contains("failed")), "{told:?}");
    open.store(true, Ordering::Relaxed);
    let mut had = BTreeSet::new();
    while had.len() < 6 {
        let report = beacon.next().await;
        if let Some((_, round)) = report.split_once("verified ") {
            had.insert(round.to_owned());
        }
    }
    // The longest wait, and the hanging requests before it.
    assert!(beacon.begun.elapsed() <= Duration::from_secs(3_640), "{:?}", beacon.begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_round_that_is_still_wanted_is_reported_again_without_a_request() {
    let relay = Relay::honest();
    let mut beacon = Loop::over(&[Some(&relay)], &[42]);
    assert_eq!(
        beacon.during(Duration::from_secs(13)).await,
        ["1250: verified 42", "6250: verified 42", "11250: verified 42"]
    );
    beacon.want(&[]);
    assert_eq!(beacon.during(Duration::from_secs(7)).await, [""; 0]);
    beacon.want(&[42]);
    assert_eq!(beacon.next().await, "20000: verified 42");
    assert_eq!(relay.seen(), [(1_250, 42)]);
}

#[tokio::test(start_paused = true)]
async fn rounds_wanted_while_others_hang_are_fetched_beside_them() {
    let relay = Relay::new(|path, _| if path.ends_with("/123") { Act::Hang } else { serve_recorded(path) });
    // Round 123 is due at 244 s, and so is all that is wanted after it.
    let mut beacon = Loop::over(&[Some(&relay)], &[123]);
    advance(Duration::from_secs(245)).await;
    assert_eq!(beacon.during(Duration::from_secs(1)).await, [""; 0]);
    beacon.want(&[42, 123]);
    assert_eq!(beacon.next().await, "246000: verified 42");
}

#[tokio::test(start_paused = true)]
async fn the_given_clock_decides_and_not_that_of_the_runtime() {
    let relay = Relay::honest();
    // At half speed: 1250 on this clock is 2500 on the runtime's.
    let mut beacon = Loop::with_clock(&[Some(&relay)], &[42], |elapsed| elapsed / 2);
    assert_eq!(beacon.next().await, "2500: verified 42");
    // One that leaps ahead is noticed within a second.
    let relay = Relay::honest();
    let leap = |elapsed| if elapsed < 100 { 0 } else { elapsed + 3_600_000 };
    let mut beacon = Loop::with_clock(&[Some(&relay)], &[42], leap);
    assert_eq!(beacon.next().await, "1000: verified 42");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_chain_is_reported_once() {
    let relay = Relay::honest();
    let mut beacon = Loop::over(&[Some(&relay)], &[]);
    let foreign = RoundId { chain_hash: Digest::of(b"another chain"), round: 7 };
    beacon.wanted.as_ref().unwrap().send_replace([foreign, id(42)].into());
    assert_eq!(beacon.next().await, "0: unknown 7");
    assert_eq!(beacon.next().await, "1250: verified 42");
    assert_eq!(beacon.during(Duration::from_secs(4)).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_loop_ends_when_its_consumer_is_dropped_even_during_a_request() {
    let relay = Relay::always(Act::Hang);
    let mut beacon = Loop::over(&[Some(&relay)], &[42]);
    advance(Duration::from_secs(2)).await;
    assert_eq!(beacon.during(Duration::from_secs(1)).await, [""; 0]);
    assert_eq!(relay.seen().len(), 1);
    beacon.wanted = None;
    beacon.task.await.unwrap();
    assert_eq!(beacon.begun.elapsed().as_millis(), 3_000);
}
