//! The state of the hall, in numbers.

use super::context::AdminContext;
use super::decisions::unavailable_now;
use super::lines::Refused;
use serde_json::{Value, json};
use std::sync::atomic::Ordering::Relaxed;

/// Collects the numbers.
pub(super) async fn collect(context: &AdminContext) -> Result<Value, Refused> {
    let engine = &context.engine;
    let mut numbers = engine
        .read(|hall| {
            json!({
                "agents": hall.desk().agent_count(),
                "live_games": hall.rooms().live_count(),
                "ended_games": hall.rooms().ended_count(),
                "waiting_in_lobbies": hall.desk().waiting_count(),
                "open_season": hall.desk().current_season().map(|season| season.as_str()),
                "docket_entries": hall.desk().docket_len(),
                "log_leaves": hall.leaf_count(),
            })
        })
        .await
        .map_err(unavailable_now)?;
    let (status, counters) = (engine.status(), engine.counters());
    let signing = engine.is_signing();
    let log = json!({
        "signs_checkpoints": signing,
        "signs_none_because": context.log.unsigned_because.as_deref().filter(|_| !signing),
        "checkpoint_leaves": engine.log().newest().map(|newest| newest.head.size),
        "witnesses": context.log.witnesses.iter().map(|witness| json!({
            "name": witness.name(),
            "cosigned_leaves": witness.cosigned(),
            "failures": witness.failures(),
            "ahead_leaves": witness.ahead(),
        })).collect::<Vec<_>>(),
    });
    let process = json!({
        "software": concat!("hall/", env!("CARGO_PKG_VERSION")),
        "data_folder": context.data.display().to_string(),
        "uptime_seconds": context.since.elapsed().as_secs(),
        "takes_writes": status.writable,
        "draining": status.draining,
        "journal_records": status.durable_seq,
        "commands_waiting": status.queued,
        "free_mib": (status.free_bytes != u64::MAX).then_some(status.free_bytes / (1024 * 1024)),
        "commands_since_start": counters.commands.load(Relaxed),
        "commits_since_start": counters.commits.load(Relaxed),
        "facts_since_start": counters.facts.load(Relaxed),
        "gaps_since_start": counters.gaps.load(Relaxed),
        "turned_away_since_start": counters.turned_away.load(Relaxed),
        "snapshots_since_start": counters.snapshots.load(Relaxed),
        "scrub_rounds_since_start": counters.scrub_rounds.load(Relaxed),
        "damage_found": counters.damage_found.load(Relaxed),
    });
    for more in [log, process] {
        if let (Some(numbers), Value::Object(more)) = (numbers.as_object_mut(), more) {
            numbers.extend(more);
        }
    }
    Ok(numbers)
}
