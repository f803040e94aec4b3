//! The slow walk over the journal in the background, so that damage is found while a sound backup still exists.

use hall_driver::tables;
use hall_driver::{Counters, Engine, Lead};
use hall_journal::{ScrubCursor, scrub};
use std::io;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::Handle;

/// Walks on a thread of lower priority until the hall stops: `per_second` records and as many rows each second, or
/// not at all for 0.
///
/// # Errors
/// The thread cannot be started.
///
/// # Panics
/// Outside of a runtime.
pub(crate) fn start(engine: Engine, per_second: usize) -> io::Result<JoinHandle<()>> {
    let runtime = Handle::current();
    std::thread::Builder::new().name("hall-scrub".to_owned()).spawn(move || {
        hall_journal::lower_priority();
        if per_second > 0 {
            runtime.block_on(walk(&engine, per_second));
        }
    })
}

/// Its reads hold up nobody but this thread.
async fn walk(engine: &Engine, per_second: usize) {
    let mut cursor = ScrubCursor::default();
    let mut stop = engine.stopping();
    let mut is_told = false;
    loop {
        tokio::select! {
            () = stop.wait() => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
        // Once per hall: the nodes of several machines share what is to be checked.
        if engine.lead() != Lead::Here {
            continue;
        }
        match scrub(&**engine.archive().reader(), tables::ALL, &mut cursor, per_second) {
            Ok(step) => {
                is_told = false;
                Counters::add(&engine.counters().scrub_rounds, usize::from(step.records_wrapped));
                for damage in step.damage {
                    Counters::add(&engine.counters().damage_found, 1);
                    tracing::error!(%damage, "the journal is damaged; make a backup, then run hall verify-journal on it");
                }
            }
            // A database that is away is said once.
            Err(error) if !std::mem::replace(&mut is_told, true) => {
                tracing::warn!(%error, "old records cannot be checked now");
            }
            Err(_) => {}
        }
    }
}
