//! Every game in memory, with its timers.

use crate::adjudicate;
use crate::beacon;
use crate::command::RoomCommand;
use crate::decision::{RoomDecision, RoomRejection, RoomReply};
use crate::fact::{BeaconTerms, RoomChange, RoomFact};
use crate::gap::{self, Gap};
use crate::limits;
use crate::opening;
use crate::penalty;
use crate::room::Room;
use crate::submit::submit;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_games::Catalog;
use hall_wire::{AgentId, GameId, Timestamp};

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

    /// Decides a command. `at` is core time, `stamp` is when the last byte of the request arrived, and `who` is the
    /// calling agent, if there is one. The caller has checked what comes before the room, such as a suspension.
    #[must_use]
    pub fn decide(
        &self,
        at: Timestamp,
        stamp: Timestamp,
        who: Option<&AgentId>,
        what: &RoomCommand,
    ) -> RoomDecision {
        match what {
            RoomCommand::Submit(submission) => match (who, self.rooms.get(&submission.game)) {
                (None, _) => RoomDecision::refuse(RoomRejection::NotSeated),
                (_, None) => RoomDecision::refuse(RoomRejection::GameNotFound),
                (Some(agent), Some(room)) => submit(room, at, stamp, agent, submission),
            },
            RoomCommand::Adjudicate { game, verdict, reason } => match self.rooms.get(game) {
                None => RoomDecision::refuse(RoomRejection::GameNotFound),
                Some(room) => adjudicate::adjudicate(room, at, *verdict, reason),
            },
            RoomCommand::Vacate { game, player, reason } => match self.rooms.get(game) {
                None => RoomDecision::refuse(RoomRejection::GameNotFound),
                Some(room) => adjudicate::vacate(room, at, *player, reason),
            },
            RoomCommand::ExtendForGap { from, until, cause, after } => {
                let gap = Gap { from: *from, until: *until, cause: *cause };
                continued(self.after(after.as_ref()), |room| gap::extend(room, at, &gap))
            }
            RoomCommand::ReceiveBeacon { chain_hash, round, randomness, signature, after } => {
                let terms = BeaconTerms { chain_hash: *chain_hash, round: *round };
                let bound = self.bound_to(terms, after.as_ref());
                continued(bound, |room| beacon::verified(room, at, *randomness, signature))
            }
        }
    }

    /// Acts in the room that has waited longest for the hall, if it was due at or before `horizon`.
    #[must_use]
    pub fn act_when_due(&self, at: Timestamp, horizon: Timestamp) -> Option<RoomDecision> {
        let (due, game) = self.due.first()?;
        if *due > horizon {
            return None;
        }
        self.rooms.get(game).map(|room| penalty::act(room, at))
    }

    /// The rooms of games younger than `after` that are bound to a beacon round and do not know it yet.
    fn bound_to(&self, terms: BeaconTerms, after: Option<&GameId>) -> impl Iterator<Item = &Arc<Room>> {
        use core::ops::Bound::{Excluded, Included, Unbounded};
        let begin =
            after.map_or(Included((terms, GameId::from_bytes([0; 16]))), |game| Excluded((terms, *game)));
        let bound = self.awaiting.range((begin, Unbounded)).take_while(move |(awaited, _)| *awaited == terms);
        bound.filter_map(|(_, game)| self.rooms.get(game))
    }

    /// Applies a fact of a room.
    ///
    /// # Panics
    /// If the fact does not follow from the state of the room, as in a journal that this hall did not write.
    pub fn apply(&mut self, fact: &RoomFact, catalog: &Catalog) {
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
    pub fn archive(&mut self, game: &GameId) {
        self.rooms.remove(game);
    }

    /// Restores rooms from a snapshot.
    pub fn restore(rooms: Vec<Room>, ended: u64) -> Self {
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

/// Applies `change` to the next rooms, up to the limit of one command, and says where to continue.
fn continued<'a>(
    mut rooms: impl Iterator<Item = &'a Arc<Room>>,
    change: impl Fn(&Room) -> Vec<Arc<RoomFact>>,
) -> RoomDecision {
    let mut facts = Vec::new();
    let mut last = None;
    for room in rooms.by_ref().take(limits::ROOMS_AT_ONCE) {
        last = Some(room.id());
        facts.extend(change(room));
    }
    let after = last.filter(|_| rooms.next().is_some());
    RoomDecision { answer: Ok(Some(RoomReply::Continued { after })), facts, notices: Vec::new() }
}
