//! Telling those who wait: new events of a game, changed turns of an agent, the end of the hall.
//!
//! Nobody who waits here can delay the writer: channels are bounded, and a reader that falls behind is told so
//! and starts again from what is on disk.

use hall_core::rooms::RoomFact;
use hall_wire::{AgentId, GameId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{broadcast, watch};

/// Events of one game that a reader may be behind.
const EVENTS_BEHIND: usize = 64;

/// All who wait.
#[derive(Default)]
pub(crate) struct Feeds {
    games: Mutex<BTreeMap<GameId, broadcast::Sender<Arc<RoomFact>>>>,
    agents: Mutex<BTreeMap<AgentId, watch::Sender<u64>>>,
}

impl Feeds {
    pub(crate) fn subscribe(&self, game: GameId) -> EventFeed {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = games.entry(game).or_insert_with(|| broadcast::channel(EVENTS_BEHIND).0);
        EventFeed { receiver: sender.subscribe() }
    }

    pub(crate) fn watch_turns(&self, agent: AgentId) -> TurnWatch {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = agents.entry(agent).or_insert_with(|| watch::channel(0).0);
        TurnWatch { receiver: sender.subscribe() }
    }

    /// Hands a durable fact to the readers of its game.
    pub(crate) fn publish(&self, fact: &RoomFact) {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sender) = games.get(&fact.game) else { return };
        if sender.send(Arc::new(fact.clone())).is_err() {
            games.remove(&fact.game);
        }
    }

    /// Wakes whoever waits for the turns of `agent`.
    pub(crate) fn wake(&self, agent: &AgentId) {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sender) = agents.get(agent) else { return };
        if sender.is_closed() {
            agents.remove(agent);
        } else {
            sender.send_modify(|count| *count = count.wrapping_add(1));
        }
    }
}

/// The events of one game as they become durable.
pub struct EventFeed {
    receiver: broadcast::Receiver<Arc<RoomFact>>,
}

/// What a feed has to say.
#[derive(Clone, Debug)]
pub enum Feed {
    /// A fact of the game, durable.
    Event(Arc<RoomFact>),
    /// The reader fell behind and has missed some; it must read the past again.
    Lagged,
    /// Nothing will come any more.
    Closed,
}

impl EventFeed {
    /// Waits for the next fact of the game.
    pub async fn next(&mut self) -> Feed {
        match self.receiver.recv().await {
            Ok(fact) => Feed::Event(fact),
            Err(broadcast::error::RecvError::Lagged(_)) => Feed::Lagged,
            Err(broadcast::error::RecvError::Closed) => Feed::Closed,
        }
    }
}

/// Tells when the turns that wait on an agent may have changed.
pub struct TurnWatch {
    receiver: watch::Receiver<u64>,
}

impl TurnWatch {
    /// Returns as soon as the set of turns may have changed since the watch was made or last returned.
    pub async fn changed(&mut self) {
        if self.receiver.changed().await.is_err() {
            // The sender goes only when nobody listens; without it nothing will ever change.
            std::future::pending::<()>().await;
        }
    }
}

/// Tells when the hall begins to stop.
#[derive(Clone)]
pub struct StopSignal {
    pub(crate) receiver: watch::Receiver<bool>,
}

impl StopSignal {
    /// Returns when the hall begins to stop.
    pub async fn wait(&mut self) {
        // A dropped sender means that the hall is gone already.
        let _ = self.receiver.wait_for(|stopping| *stopping).await;
    }
}
