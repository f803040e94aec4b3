//! The rooms: every live game by itself, with its turns, clocks, strikes, offers and end.
//!
//! A room knows its seats and the rules of its game; it knows nothing of lobbies, quotas or ratings. The desk and
//! the rooms meet only through facts. What a decision does to a room is tried out on a copy of it (a `draft`),
//! so that every consequence is computed from the state that the one before it left.

mod beacon;
mod chance;
mod clock;
mod draft;
mod event;
mod fact;
mod moves;
mod opening;
mod penalty;
mod room;
mod saved;
mod sealed;

pub(crate) use clock::Gap;
pub use event::{by_player, players, seats as seats_json};
pub use fact::{
    Attempt, BeaconStatus, BeaconTerms, BodyRecord, ChallengeText, Forced, OpenTurn, Resolution, RoomChange,
    RoomEvent, RoomFact, Seat, Started,
};
pub use opening::{NewGame, start};
pub use room::{Held, Phase, Room, SeatState, Turn};
pub use saved::{SavedRoom, UnreadableRoom};

use crate::command::{GameVerdict, MoveSubmission};
use crate::decision::Decision;
use crate::fact::Fact;
use crate::rejection::Rejection;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_games::Catalog;
use hall_wire::{AgentId, Digest, GameId, Timestamp};

/// How many rooms one command touches at most; the caller goes on from where it stopped.
pub(crate) const ROOMS_AT_ONCE: usize = 256;

/// All games in memory: the live ones, and ended ones until the archive has them.
#[derive(Clone, Debug, Default)]
pub struct Rooms {
    rooms: BTreeMap<GameId, Arc<Room>>,
    /// When the hall must act in a room by itself, exactly one entry for each live game that waits for anything.
    due: BTreeSet<(Timestamp, GameId)>,
    /// Live games that do not know their beacon round yet.
    awaiting: BTreeSet<(BeaconTerms, GameId)>,
    live: u64,
    ended: u64,
}

impl Rooms {
    /// The room of a game in memory.
    #[must_use]
    pub fn find(&self, game: &GameId) -> Option<&Arc<Room>> {
        self.rooms.get(game)
    }

    /// Every room in memory, oldest game first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Room>> {
        self.rooms.values()
    }

    /// The rooms of games younger than `after`, oldest first.
    pub fn after(&self, after: Option<&GameId>) -> impl Iterator<Item = &Arc<Room>> {
        use core::ops::Bound::{Excluded, Unbounded};
        self.rooms.range((after.map_or(Unbounded, |game| Excluded(*game)), Unbounded)).map(|(_, room)| room)
    }

    /// The rooms of games older than `before`, youngest first.
    pub fn before(&self, before: Option<&GameId>) -> impl Iterator<Item = &Arc<Room>> {
        use core::ops::Bound::{Excluded, Unbounded};
        self.rooms
            .range((Unbounded, before.map_or(Unbounded, |game| Excluded(*game))))
            .rev()
            .map(|(_, room)| room)
    }

    /// Live games.
    #[must_use]
    pub const fn live_count(&self) -> u64 {
        self.live
    }

    /// Ended games, archived ones included.
    #[must_use]
    pub const fn ended_count(&self) -> u64 {
        self.ended
    }

    /// When the hall must next act in a room by itself.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        self.due.first().map(|(time, _)| *time)
    }

    /// The beacon rounds that live games are bound to and do not know yet, each once.
    pub fn awaited_rounds(&self) -> impl Iterator<Item = BeaconTerms> {
        let mut last = None;
        self.awaiting
            .iter()
            .map(|(terms, _)| *terms)
            .filter(move |terms| last.replace(*terms) != Some(*terms))
    }

    /// Decides a move request; what comes before the room (suspension) is checked already.
    #[must_use]
    pub(crate) fn submit(
        &self,
        at: Timestamp,
        stamp: Timestamp,
        agent: &AgentId,
        submission: &MoveSubmission,
    ) -> Decision {
        match self.rooms.get(&submission.game) {
            Some(room) => moves::submit(room, at, stamp, agent, submission),
            None => Decision::refuse(Rejection::GameNotFound),
        }
    }

    /// Acts in the room that has waited longest for the hall, if it was due at or before `horizon`.
    #[must_use]
    pub(crate) fn sweep(&self, at: Timestamp, horizon: Timestamp) -> Option<Decision> {
        let (due, game) = self.due.first()?;
        if *due > horizon {
            return None;
        }
        self.rooms.get(game).map(|room| penalty::act(room, at))
    }

    /// Settles a live game as the hall's operator says. The caller adds the docket entry.
    ///
    /// # Errors
    /// The game is not in memory, has ended, or the winner has no seat.
    pub(crate) fn settle(
        &self,
        at: Timestamp,
        game: &GameId,
        verdict: GameVerdict,
    ) -> Result<Decision, Rejection> {
        let room = self.rooms.get(game).ok_or(Rejection::GameNotFound)?;
        moves::settle(room, at, verdict)
    }

    /// Gives the open turns of the next rooms time for a gap. Returns the facts and the game to go on after, if
    /// there are more.
    #[must_use]
    pub(crate) fn extend(
        &self,
        at: Timestamp,
        gap: &Gap<'_>,
        after: Option<&GameId>,
    ) -> (Vec<Fact>, Option<GameId>) {
        let mut rooms = self.after(after);
        let mut facts = Vec::new();
        let mut last = None;
        for room in rooms.by_ref().take(ROOMS_AT_ONCE) {
            last = Some(room.id());
            facts.extend(clock::extend(room, at, gap));
        }
        (facts, last.filter(|_| rooms.next().is_some()))
    }

    /// Tells the next rooms that are bound to a beacon round what it is.
    #[must_use]
    pub(crate) fn receive_beacon(
        &self,
        at: Timestamp,
        terms: &BeaconTerms,
        randomness: Digest,
        signature: &str,
        after: Option<&GameId>,
    ) -> (Vec<Fact>, Option<GameId>) {
        use core::ops::Bound::{Excluded, Included, Unbounded};
        let begin =
            after.map_or(Included((*terms, GameId::from_bytes([0; 16]))), |game| Excluded((*terms, *game)));
        let bound = self.awaiting.range((begin, Unbounded)).take_while(|(awaited, _)| awaited == terms);
        let mut bound = bound.filter_map(|(_, game)| self.rooms.get(game));
        let mut facts = Vec::new();
        let mut last = None;
        for room in bound.by_ref().take(ROOMS_AT_ONCE) {
            last = Some(room.id());
            facts.extend(beacon::verified(room, at, randomness, signature));
        }
        (facts, last.filter(|_| bound.next().is_some()))
    }

    /// Applies a fact of a room.
    ///
    /// # Panics
    /// If the fact does not continue what the room is: a journal that was not written by this hall.
    pub(crate) fn apply(&mut self, fact: &RoomFact, catalog: &Catalog) {
        let room = if let RoomChange::Started(_) = &fact.change {
            self.live += 1;
            let room = opening::open(fact, catalog);
            Arc::make_mut(self.rooms.entry(fact.game).or_insert_with(|| Arc::new(room)))
        } else {
            let room = self.rooms.get_mut(&fact.game).expect("a fact belongs to a game in memory");
            if let Some(due) = room.due() {
                self.due.remove(&(due, fact.game));
            }
            if let Some(terms) = beacon::awaited(room) {
                self.awaiting.remove(&(terms, fact.game));
            }
            let room = Arc::make_mut(room);
            room.apply(fact);
            room
        };
        if room.result().is_some() {
            self.live -= 1;
            self.ended += 1;
        }
        if let Some(due) = room.due() {
            self.due.insert((due, fact.game));
        }
        if let Some(terms) = beacon::awaited(room) {
            self.awaiting.insert((terms, fact.game));
        }
    }

    /// Forgets an ended game that the archive has.
    pub(crate) fn archive(&mut self, game: &GameId) {
        self.rooms.remove(game);
    }

    /// Puts back rooms that were saved in a snapshot.
    pub(crate) fn restore(rooms: Vec<Room>, ended: u64) -> Self {
        let mut restored = Self { ended, ..Self::default() };
        for room in rooms {
            restored.live += u64::from(room.result().is_none());
            restored.due.extend(room.due().map(|due| (due, room.id())));
            restored.awaiting.extend(beacon::awaited(&room).map(|terms| (terms, room.id())));
            restored.rooms.insert(room.id(), Arc::new(room));
        }
        restored
    }

    /// Asserts what must always be true of the rooms.
    ///
    /// # Panics
    /// If it is not.
    pub fn check(&self) {
        let due: BTreeSet<_> = self.iter().filter_map(|room| Some((room.due()?, room.id()))).collect();
        assert_eq!(due, self.due, "each live game has exactly its own timer");
        let awaiting: BTreeSet<_> =
            self.iter().filter_map(|room| Some((beacon::awaited(room)?, room.id()))).collect();
        assert_eq!(awaiting, self.awaiting, "each game without its round is known to wait for it");
        let live = self.iter().filter(|room| room.result().is_none()).count();
        assert_eq!(u64::try_from(live).ok(), Some(self.live), "live games are counted");
        for room in self.iter() {
            room.check();
        }
    }
}

/// Wraps the fact of a room.
pub(crate) fn fact(fact: RoomFact) -> Fact {
    Fact::Room(Arc::new(fact))
}
