//! Ringers that are wrong on purpose, in the place of the shipped one.

use crate::cluster_world::plan::Weakness;
use futures_util::future::join;
use hall_core::rooms::ChallengeText;
use hall_core::{Caller, Command, DoorbellCommand, DueRing, RingFailure, RingOutcome, RingReport};
use hall_driver::Engine;
use hall_outbound::doorbell::{
    Attempted, Due, Endpoints, RingKey, RingLimits, RingSchedule, RingSource, RingTally, run,
};
use hall_wire::Timestamp;
use hall_wire::key::PrivateKey;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// How often it looks for turns.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Rings for every turn that waits, whether the process has the right to lead or not.
pub(super) async fn ring(engine: &Engine, endpoints: &Endpoints, key: PrivateKey, weakness: Weakness) {
    let (call, calls) = mpsc::channel(256);
    let telling = async {
        let mut told = BTreeSet::new();
        loop {
            let due: Vec<DueRing> = engine.peek(|hall| hall.due_rings().collect());
            for due in due.into_iter().map(Due::from) {
                if told.insert(due.key) && call.send(due).await.is_err() {
                    return;
                }
            }
            sleep(POLL_INTERVAL).await;
        }
    };
    let (schedule, tally) = (RingSchedule::new(RingLimits::default()), RingTally::default());
    let hall = WeakSource { engine, key, reports: weakness != Weakness::ForgetfulRingers };
    join(telling, run(schedule, endpoints, &hall, calls, &tally)).await;
}

/// The hall, as a ringer sees it that looks at no right.
struct WeakSource<'a> {
    engine: &'a Engine,
    key: PrivateKey,
    /// Whether attempts are reported at all.
    reports: bool,
}

impl RingSource for WeakSource<'_> {
    fn now(&self) -> Timestamp {
        self.engine.now()
    }

    async fn due(&self, key: &RingKey) -> Option<Due> {
        let RingKey { agent, game, turn_index } = *key;
        let due = self.engine.read(move |hall| hall.due_ring(&agent, &game, turn_index)).await;
        due.ok().flatten().map(Due::from)
    }

    /// Takes any answer for a record of the report.
    async fn report(&self, attempted: &Attempted) -> bool {
        if self.reports {
            let outcome = match attempted.outcome {
                Ok(()) => RingOutcome::Answered,
                Err(_) => RingOutcome::Failed(RingFailure::Unreachable),
            };
            let Attempted { key: RingKey { agent, game, turn_index }, ref bell, attempt, .. } = *attempted;
            let challenge = ChallengeText(bell.clone());
            let report = RingReport { agent, challenge, game, turn_index, attempt, outcome };
            let what = Command::Doorbell(DoorbellCommand::ReportRing(report));
            let _ = self.engine.submit(self.engine.arrive(), Caller::Hall, what).await;
        }
        true
    }

    fn key(&self) -> Option<PrivateKey> {
        Some(self.key.clone())
    }

    fn draw(&self, most: u64) -> u64 {
        most / 2
    }
}
