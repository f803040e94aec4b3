//! Notifying waiting readers: new events of a game, changed turns of an agent, the stop of the hall.
//!
//! No reader can delay the writer: channels are bounded, and a reader that falls behind is informed and restarts from
//! the disk.

use crate::watched::Watched;
use hall_core::rooms::RoomFact;
use hall_wire::{AgentId, GameId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::broadcast;

/// How many events of one game a reader may lag behind.
const EVENTS_BEHIND: usize = 64;

/// How many turns to ring for the ringer may lag behind.
const RINGS_BEHIND: usize = 4_096;

/// All waiting readers.
pub(crate) struct Feeds {
    games: Mutex<BTreeMap<GameId, broadcast::Sender<Arc<PublishedFact>>>>,
    agents: Mutex<BTreeMap<AgentId, Arc<Watched<u64>>>>,
    rings: broadcast::Sender<RingCall>,
}

impl Default for Feeds {
    fn default() -> Self {
        Self { games: Mutex::default(), agents: Mutex::default(), rings: broadcast::channel(RINGS_BEHIND).0 }
    }
}

impl Feeds {
    pub(crate) fn subscribe(self: &Arc<Self>, game: GameId) -> EventFeed {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = games.entry(game).or_insert_with(|| broadcast::channel(EVENTS_BEHIND).0);
        EventFeed { receiver: Some(sender.subscribe()), game, feeds: Arc::clone(self) }
    }

    pub(crate) fn watch_turns(self: &Arc<Self>, agent: AgentId) -> TurnWatch {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = Arc::clone(agents.entry(agent).or_default());
        TurnWatch { seen: changes.get(), changes: Some(changes), agent, feeds: Arc::clone(self) }
    }

    /// The number of games and agents that have readers.
    pub(crate) fn waited_for(&self) -> (usize, usize) {
        let games = self.games.lock().unwrap_or_else(PoisonError::into_inner).len();
        (games, self.agents.lock().unwrap_or_else(PoisonError::into_inner).len())
    }

    /// Passes a durable fact to the readers of its game.
    pub(crate) fn publish(&self, fact: Arc<RoomFact>) {
        let games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sender) = games.get(&fact.game) else { return };
        // The last reader may be leaving just now.
        let _ = sender.send(Arc::new(PublishedFact { fact, written: OnceLock::new() }));
    }

    pub(crate) fn watch_rings(&self) -> RingFeed {
        RingFeed(self.rings.subscribe())
    }

    /// Tells the ringer of a turn.
    pub(crate) fn ring(&self, call: RingCall) {
        // Nobody may be listening: a hall can run without a ringer.
        let _ = self.rings.send(call);
    }

    /// Wakes the requests that wait for the turns of `agent`.
    pub(crate) fn wake(&self, agent: &AgentId) {
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(changes) = agents.get(agent) {
            changes.change(|count| *count = count.wrapping_add(1));
        }
    }
}

/// The events of one game as they become durable.
pub struct EventFeed {
    /// `Some` until the feed is dropped.
    receiver: Option<broadcast::Receiver<Arc<PublishedFact>>>,
    game: GameId,
    feeds: Arc<Feeds>,
}

impl Drop for EventFeed {
    /// The last reader removes the channel.
    fn drop(&mut self) {
        let mut games = self.feeds.games.lock().unwrap_or_else(PoisonError::into_inner);
        // Dropped under the lock, so that of two readers that leave at the same time the second sees that it is the
        // last.
        self.receiver = None;
        if games.get(&self.game).is_some_and(|sender| sender.receiver_count() == 0) {
            games.remove(&self.game);
        }
    }
}

/// A durable fact on its way to the readers of its game, with the text that all of them send.
#[derive(Debug)]
pub struct PublishedFact {
    /// The fact.
    pub fact: Arc<RoomFact>,
    written: OnceLock<Arc<[u8]>>,
}

impl PublishedFact {
    /// The text of the fact in bytes, which the first reader writes for all.
    pub fn written(&self, write: impl FnOnce(&RoomFact) -> String) -> Arc<[u8]> {
        Arc::clone(self.written.get_or_init(|| write(&self.fact).into_bytes().into()))
    }
}

/// An item of an event feed.
#[derive(Clone, Debug)]
pub enum Feed {
    /// A fact of the game, durable.
    Event(Arc<PublishedFact>),
    /// The reader fell behind and has missed some; it must read the past again.
    Lagged,
    /// The feed has ended.
    Closed,
}

impl EventFeed {
    /// Waits for the next fact of the game.
    pub async fn next(&mut self) -> Feed {
        let Some(receiver) = &mut self.receiver else { return Feed::Closed };
        match receiver.recv().await {
            Ok(fact) => Feed::Event(fact),
            Err(broadcast::error::RecvError::Lagged(_)) => Feed::Lagged,
            Err(broadcast::error::RecvError::Closed) => Feed::Closed,
        }
    }
}

/// A turn that has begun, and whose agent has a doorbell that rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingCall {
    /// The agent to ring.
    pub agent: AgentId,
    /// The game of the turn.
    pub game: GameId,
    /// The turn to ring for.
    pub turn_index: u32,
}

/// The turns to ring for, as they become durable.
pub struct RingFeed(broadcast::Receiver<RingCall>);

/// An item of a feed of turns to ring for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// This turn.
    Turn(RingCall),
    /// The ringer fell behind and has missed some; it must read all turns that wait.
    Lagged,
    /// The feed has ended.
    Closed,
}

impl RingFeed {
    /// Waits for the next turn.
    pub async fn next(&mut self) -> Calls {
        match self.0.recv().await {
            Ok(call) => Calls::Turn(call),
            Err(broadcast::error::RecvError::Lagged(_)) => Calls::Lagged,
            Err(broadcast::error::RecvError::Closed) => Calls::Closed,
        }
    }
}

/// Signals that the turns that wait on an agent may have changed, or that a game of the agent has ended.
pub struct TurnWatch {
    /// Counts the changes; `Some` until the watch is dropped.
    changes: Option<Arc<Watched<u64>>>,
    seen: u64,
    agent: AgentId,
    feeds: Arc<Feeds>,
}

impl Drop for TurnWatch {
    /// The last watch removes the channel.
    fn drop(&mut self) {
        let mut agents = self.feeds.agents.lock().unwrap_or_else(PoisonError::into_inner);
        // Dropped under the lock, as above.
        self.changes = None;
        if agents.get(&self.agent).is_some_and(|changes| Arc::strong_count(changes) == 1) {
            agents.remove(&self.agent);
        }
    }
}

impl TurnWatch {
    /// Returns as soon as the set of turns may have changed, or a game has ended, since the watch was made or last
    /// returned.
    pub async fn changed(&mut self) {
        if let Some(changes) = &self.changes {
            let seen = self.seen;
            self.seen = changes.until(|count| *count != seen).await;
        }
    }
}

/// Signals that the hall begins to stop.
#[derive(Clone)]
pub struct StopSignal {
    pub(crate) stopping: Arc<Watched<bool>>,
}

impl StopSignal {
    /// Returns when the hall begins to stop.
    pub async fn wait(&mut self) {
        self.stopping.until(|stopping| *stopping).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_for_receivers_that_have_gone() {
        let feeds = Arc::new(Feeds::default());
        let (game, agent) = (GameId::from_bytes([1; 16]), AgentId::from_bytes([2; 16]));
        let (first, second) = (feeds.subscribe(game), feeds.subscribe(game));
        let turns = feeds.watch_turns(agent);
        drop(first);
        assert_eq!(feeds.waited_for(), (1, 1));
        drop((second, turns));
        assert_eq!(feeds.waited_for(), (0, 0));
    }
}
