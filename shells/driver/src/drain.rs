//! Draining: the hall keeps running but begins no new games.
//!
//! No agent joins a lobby or is paired, and agents in lobbies keep their places; everything else works as before. The
//! writer holds the commands back, so the core decides as always, and a journal shows a drained hall as one in which
//! nobody joined.
//!
//! Decision: a drain ends with its process, and when that gives the lead back. A drain lets games end before a stop; a hall
//! that starts is open, and so is a node that begins to lead.

use crate::engine::Engine;
use crate::queue::Unavailable;
use hall_core::Hall;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// Why a wait for the end of live games is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrainOver {
    /// New games begin again.
    Resumed,
    /// This process has given the lead back; the one that leads next begins new games.
    LeadMoved,
    /// The hall is stopping.
    Stopping,
}

impl Engine {
    /// Begins no new games after this returns; every game that began before is durable. Does not return without a
    /// running writer.
    pub async fn drain(&self) {
        self.set_drain(true).await;
    }

    /// Lets games begin again. The lobbies are swept immediately if a scheduled sweep fell into the drain.
    pub async fn resume(&self) {
        self.set_drain(false).await;
    }

    /// Cancels a drain that the writer has not begun yet. If it begins one at this moment, its next step ends it.
    pub fn withdraw_drain(&self) {
        self.want_drain(false);
    }

    fn want_drain(&self, wanted: bool) {
        self.shared.drain.wanted.store(wanted, Ordering::Relaxed);
        self.shared.queue.wake();
    }

    async fn set_drain(&self, wanted: bool) {
        self.want_drain(wanted);
        self.shared.drain.in_force.until(|in_force| *in_force == wanted).await;
    }

    /// Whether no new games begin.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.shared.drain.in_force.get()
    }

    /// Whether a drain was requested, even if the writer has not begun it yet.
    #[must_use]
    pub fn wants_drain(&self) -> bool {
        self.shared.drain.is_wanted()
    }

    /// While the hall drains, waits until the number of live games differs from `seen`, and returns it.
    ///
    /// # Errors
    /// The hall no longer drains, or it stops.
    pub async fn live_games_after(&self, seen: u64) -> Result<u64, DrainOver> {
        loop {
            let (live, applied) = {
                let state = self.shared.state.read().unwrap_or_else(PoisonError::into_inner);
                (live_count(&state.hall), state.applied)
            };
            // Either what was seen becomes durable, or a later state does.
            let enough = if live == seen { applied + 1 } else { applied };
            tokio::select! {
                biased;
                _ = self.shared.stopping.until(|stopping| *stopping) => return Err(DrainOver::Stopping),
                _ = self.shared.drain.in_force.until(|draining| !*draining) => {
                    let has_moved = self.shared.drain.was_ended_by_lead();
                    return Err(if has_moved { DrainOver::LeadMoved } else { DrainOver::Resumed });
                }
                durable = self.shared.durable.until(|durable| durable.seq >= enough || durable.failed) => {
                    if durable.seq < enough {
                        return Err(DrainOver::Stopping);
                    }
                }
            }
            if live != seen {
                return Ok(live);
            }
        }
    }

    /// How many games are live, once all of them are durable.
    ///
    /// # Errors
    /// The hall stopped before.
    pub async fn live_games(&self) -> Result<u64, Unavailable> {
        self.read(live_count).await
    }
}

const fn live_count(hall: &Hall) -> u64 {
    hall.rooms().live_count()
}
