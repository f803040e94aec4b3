//! The slow walk over the journal in the background, so that damage is found while a sound backup still exists.

use hall_driver::{Counters, Engine};
use hall_journal::ScrubCursor;
use std::sync::Arc;
use std::time::Duration;

/// Walks until the hall stops: `per_second` records and as many rows each second, or not at all for 0.
pub(crate) async fn walk(engine: Engine, per_second: usize) {
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
                Counters::add(&engine.counters().scrub_rounds, usize::from(step.records_wrapped));
                for damage in step.damage {
                    Counters::add(&engine.counters().damage_found, 1);
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
