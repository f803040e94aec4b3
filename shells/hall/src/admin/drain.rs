//! Ending all games before a stop.

use super::decisions::unavailable_now;
use super::lines::Refused;
use super::server::{Premises, Sink};
use hall_driver::{DrainOver, Engine, Unavailable};
use serde_json::{Value, json};
use std::time::Duration;

/// How long the writer may take to come to its next step.
const PATIENCE: Duration = Duration::from_secs(10);

/// Begins no new games from now on, and, with `wait`, answers when the last live one has ended; until then an item is
/// sent for every change of their number.
pub(super) async fn begin(premises: &Premises, wait: bool, sink: &Sink) -> Result<Value, Refused> {
    let engine = &premises.engine;
    let is_new = !engine.is_draining();
    tokio::time::timeout(PATIENCE, engine.drain()).await.map_err(|_| busy())?;
    let live = engine.live_games().await.map_err(unavailable_now)?;
    if is_new {
        tracing::info!(
            live_games = live,
            "draining: no new games begin until `hall admin resume` or the next start"
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

/// Lets games begin again.
pub(super) async fn end(premises: &Premises) -> Result<Value, Refused> {
    if !premises.engine.is_draining() {
        return Err(Refused::new("NOTHING_TO_CHANGE", "the hall does not drain: games begin as usual"));
    }
    tokio::time::timeout(PATIENCE, premises.engine.resume()).await.map_err(|_| busy())?;
    tracing::info!("the drain is over: games begin again");
    Ok(json!({ "draining": false }))
}

/// Writes into the log when the last game has ended, for those who do not wait for it.
async fn tell_end(engine: Engine, mut live: u64) {
    while live > 0 {
        match engine.live_games_after(live).await {
            Ok(left) => live = left,
            Err(DrainOver::Resumed | DrainOver::Stopping) => return,
        }
    }
    tracing::info!("drained: the last live game has ended");
}

async fn last_end(engine: &Engine, mut live: u64, sink: &Sink) -> Result<(), Refused> {
    while live > 0 {
        sink.send(json!(format!("{live} live {}", if live == 1 { "game" } else { "games" }))).await?;
        live = engine.live_games_after(live).await.map_err(|over| match over {
            DrainOver::Resumed => Refused::new("RESUMED", "the drain was ended by `hall admin resume`"),
            DrainOver::Stopping => unavailable_now(Unavailable::Stopping),
        })?;
    }
    Ok(())
}

fn busy() -> Refused {
    Refused::new("UNAVAILABLE", "the hall did not do it within 10 seconds; look at its log")
}
