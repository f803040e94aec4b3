//! The slow walk over the journal in the background, so that damage is found while a sound backup still exists.

use hall_driver::Engine;
use hall_journal::ScrubCursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the walk has found since the start.
#[derive(Debug, Default)]
pub(crate) struct ScrubFindings {
    rounds: AtomicU64,
    damage: AtomicU64,
}

impl ScrubFindings {
    /// How often all records were read.
    pub(crate) fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }

    /// Pieces of damage found; the same piece counts again in the next round.
    pub(crate) fn damage(&self) -> u64 {
        self.damage.load(Ordering::Relaxed)
    }
}

/// Walks until the hall stops: `per_second` records and as many rows each second, or not at all for 0.
pub(crate) async fn walk(engine: Engine, per_second: usize, findings: Arc<ScrubFindings>) {
    if per_second == 0 {
        return;
    }
    let mut cursor = ScrubCursor::default();
    let mut stop = engine.stopping();
    loop {
        tokio::select! {
            () = stop.wait() => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
        let reader = Arc::clone(engine.archive().reader());
        let step = tokio::task::spawn_blocking(move || {
            let step = reader.scrub(&mut cursor, per_second);
            (step, cursor)
        });
        match step.await {
            Ok((Ok(step), moved)) => {
                cursor = moved;
                findings.rounds.fetch_add(u64::from(step.records_wrapped), Ordering::Relaxed);
                for damage in step.damage {
                    findings.damage.fetch_add(1, Ordering::Relaxed);
                    tracing::error!(%damage, "the journal is damaged; make a backup, then run hall verify-journal on it");
                }
            }
            Ok((Err(error), moved)) => {
                cursor = moved;
                tracing::warn!(%error, "old records could not be checked");
            }
            Err(error) => {
                tracing::error!(%error, "checking old records broke off");
                return;
            }
        }
    }
}
