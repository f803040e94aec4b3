//! Ending all games before a stop.

use super::context::AdminContext;
use super::decisions::unavailable_now;
use super::items::ItemSink;
use super::lines::Refused;
use hall_cluster::{NodeHandle, NodeRole};
use hall_driver::{DrainOver, Engine, Unavailable};
use serde_json::{Value, json};
use std::time::Duration;

/// How long the writer may take to come to its next step.
const STEP_TIMEOUT: Duration = Duration::from_secs(10);

/// What is said of a drain that another node knows nothing of.
const LEAD_MOVED: &str =
    "this node has given the lead back, and with it the drain; ask for it again at the node that leads";

/// Begins no new games from now on, and, with `wait`, answers when the last live one has ended; until then an item is
/// sent for every change of their number.
pub(super) async fn begin(context: &AdminContext, wait: bool, sink: &ItemSink) -> Result<Value, Refused> {
    let engine = &context.engine;
    leads(context)?;
    let is_new = !engine.is_draining();
    put_in_force(engine).await?;
    let live = engine.live_games().await.map_err(unavailable_now)?;
    if is_new {
        tracing::info!(
            live_games = live,
            "draining: no new games begin until `hall admin resume`, the next start, or until this node gives the lead back"
        );
        tokio::spawn(tell_end(engine.clone(), live));
    }
    if wait {
        last_end(engine, live, sink).await?;
    }
    let live = engine.live_games().await.map_err(unavailable_now)?;
    let waiting = engine.peek(|hall| hall.desk().waiting_count());
    Ok(json!({ "draining": true, "live_games": live, "waiting_in_lobbies": waiting }))
}

/// The node that leads holds joins back, for as long as it leads; the others know nothing of it.
fn leads(context: &AdminContext) -> Result<(), Refused> {
    let status = context.node.as_ref().map(NodeHandle::status);
    let Some(status) = status.filter(|status| status.role != NodeRole::Leader) else { return Ok(()) };
    let leader = status.leader.unwrap_or_else(|| "none now".to_owned());
    let why =
        format!("this node does not lead, and only the node that does begins and ends a drain: {leader}");
    Err(Refused::new("NOT_LEADER", why))
}

/// Lets games begin again.
pub(super) async fn end(context: &AdminContext) -> Result<Value, Refused> {
    let engine = &context.engine;
    leads(context)?;
    if !engine.is_draining() && !engine.wants_drain() {
        return Err(Refused::new("NOTHING_TO_CHANGE", "the hall is not draining: games begin as usual"));
    }
    tokio::time::timeout(STEP_TIMEOUT, engine.resume()).await.map_err(|_| busy())?;
    tracing::info!("the drain is over: games begin again");
    Ok(json!({ "draining": false }))
}

/// Has the writer begin no new games. If it does not do so in time, the drain is withdrawn: it would begin later, and
/// nobody would know.
async fn put_in_force(engine: &Engine) -> Result<(), Refused> {
    tokio::time::timeout(STEP_TIMEOUT, engine.drain()).await.map_err(|_| {
        engine.withdraw_drain();
        busy()
    })
}

/// Writes into the log when the last game has ended, for those who do not wait for it.
async fn tell_end(engine: Engine, mut live: u64) {
    while live > 0 {
        match engine.live_games_after(live).await {
            Ok(left) => live = left,
            Err(DrainOver::Resumed | DrainOver::Stopping) => return,
            Err(DrainOver::LeadMoved) => return tracing::warn!("{LEAD_MOVED}"),
        }
    }
    tracing::info!("drained: the last live game has ended");
}

async fn last_end(engine: &Engine, mut live: u64, sink: &ItemSink) -> Result<(), Refused> {
    while live > 0 {
        sink.send(json!(format!("{live} live {}", if live == 1 { "game" } else { "games" }))).await?;
        live = engine.live_games_after(live).await.map_err(|over| match over {
            DrainOver::Resumed => Refused::new("RESUMED", "the drain was ended by `hall admin resume`"),
            DrainOver::LeadMoved => Refused::new("LEAD_MOVED", LEAD_MOVED),
            DrainOver::Stopping => unavailable_now(Unavailable::Stopping),
        })?;
    }
    Ok(())
}

fn busy() -> Refused {
    Refused::new("UNAVAILABLE", "the hall did not do it within 10 seconds; look at its log")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::OsEntropy;
    use crate::settings::{Settings, Values};
    use hall_core::HallKeys;
    use hall_driver::{Driven, ManualClock, StartOptions};
    use hall_journal::MemoryJournal;
    use hall_wire::Timestamp;
    use std::sync::Arc;

    #[tokio::test(start_paused = true)]
    async fn a_drain_that_was_refused_does_not_begin_later() {
        let settings = Settings::of(&Values::of_assignments(&[]).unwrap()).unwrap();
        let options = StartOptions {
            catalog: hall_games::CATALOG,
            settings: settings.hall,
            keys: HallKeys { log: "hall.example+00000000+AA==".to_owned(), ring: "whpk_AA==".to_owned() },
            journal: Box::new(MemoryJournal::new()),
            clock: Arc::new(ManualClock::new(Timestamp::from_millis(1_795_211_400_000))),
            entropy: Box::new(OsEntropy),
            reserve_bytes: 0,
            snapshot_every: 0,
            signing: true,
        };
        let mut driven = Driven::open(options, None).unwrap();
        let engine = driven.engine().clone();
        assert_eq!(put_in_force(&engine).await.unwrap_err().code, "UNAVAILABLE", "no step was taken");
        driven.step().unwrap();
        assert!(!engine.is_draining());
    }
}
