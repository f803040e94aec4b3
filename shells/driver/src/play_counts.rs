//! What happens in lobbies and rooms, counted from facts for metrics.
//!
//! Every count begins at 0 with the process, except that of the live games, which the state knows. A fact counts when
//! it is applied. None of this is part of the hall's state.

use hall_core::rooms::{ForcedCause, RoomChange, RoomFact, Started};
use hall_core::{DeskFact, Division, Fact, GovernanceFact, Hall, Lobby, Word};
use hall_wire::{AgentId, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Upper bounds of the histogram of times in lobbies, in seconds.
pub const LOBBY_SECONDS_BUCKETS: [f64; 10] = [0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3_600.0];

/// What is counted.
#[derive(Clone, Debug, Default)]
pub struct PlayCounts {
    /// Live games.
    pub live: BTreeMap<(Word, Division), u64>,
    /// Games started.
    pub started: BTreeMap<(Word, Division), u64>,
    /// Games ended, by the reason of their result (decision 5.8).
    pub ended: BTreeMap<(Word, Division, String), u64>,
    /// Turns resolved, forced ones included.
    pub turns: BTreeMap<Word, u64>,
    /// Strikes for missed deadlines.
    pub deadline_strikes: u64,
    /// Strikes for three illegal moves in one turn.
    pub illegal_move_strikes: u64,
    /// Illegal moves counted.
    pub illegal_attempts: u64,
    /// Times from a lobby join to the game, of agents that joined since the start of the process.
    pub lobby_waits: LobbyWaits,
}

/// A histogram of times.
#[derive(Clone, Debug, Default)]
pub struct LobbyWaits {
    /// Times by duration: one more bucket than [`LOBBY_SECONDS_BUCKETS`], the last without bound.
    pub buckets: [u64; 11],
    /// All times.
    pub count: u64,
    /// Their sum, in milliseconds.
    pub sum_millis: u64,
}

/// The counts with the state needed to continue counting.
#[derive(Debug, Default)]
pub(crate) struct PlayCounter(Mutex<Counting>);

#[derive(Debug, Default)]
struct Counting {
    counts: PlayCounts,
    /// When waiting agents joined, if they did so since the start of the process. As large as the lobbies.
    waiting_since: BTreeMap<(AgentId, Lobby), Timestamp>,
}

impl PlayCounter {
    /// Counts that begin with the live games of a recovered hall.
    pub(crate) fn new(hall: &Hall) -> Self {
        let mut counting = Counting::default();
        for room in hall.rooms().iter().filter(|room| room.result().is_none()) {
            *counting.counts.live.entry((room.variant().game, room.division())).or_default() += 1;
        }
        Self(Mutex::new(counting))
    }

    pub(crate) fn counts(&self) -> PlayCounts {
        self.lock().counts.clone()
    }

    /// Counts a fact; `hall` is the state after it.
    pub(crate) fn count(&self, fact: &Fact, hall: &Hall) {
        match fact {
            Fact::Room(fact) => self.lock().count_in_room(fact, hall),
            Fact::Desk(DeskFact::LobbyJoined { at, agent, lobby }) => {
                self.lock().waiting_since.insert((*agent, *lobby), *at);
            }
            Fact::Desk(DeskFact::LobbyLeft { agent, lobby, .. }) => {
                self.lock().waiting_since.remove(&(*agent, *lobby));
            }
            // These empty lobbies without telling each agent.
            Fact::Governance(GovernanceFact::SeasonClosed { .. })
            | Fact::Governance(GovernanceFact::OperatorSuspended { .. }) => {
                let is_waiting = |agent: &AgentId, lobby| hall.desk().lobbies_of(agent).any(|of| of == lobby);
                self.lock().waiting_since.retain(|(agent, lobby), _| is_waiting(agent, *lobby));
            }
            Fact::Hall(_)
            | Fact::Desk(DeskFact::AgentRegistered { .. })
            | Fact::Desk(DeskFact::HomologationFiled { .. })
            | Fact::Governance(GovernanceFact::SeasonOpened { .. })
            | Fact::Desk(DeskFact::LobbiesSwept { .. })
            | Fact::Desk(DeskFact::GameRated { .. })
            | Fact::Governance(GovernanceFact::TextWithheld { .. })
            | Fact::Desk(DeskFact::FeedbackPosted { .. })
            | Fact::Governance(GovernanceFact::DocketEntered { .. })
            | Fact::Doorbell(_)
            | Fact::Governance(GovernanceFact::AgentSuspended { .. })
            | Fact::Governance(GovernanceFact::AgentRestored { .. })
            | Fact::Governance(GovernanceFact::OperatorRestored { .. }) => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counting {
    fn count_in_room(&mut self, fact: &RoomFact, hall: &Hall) {
        let Some(room) = hall.rooms().find(&fact.game) else { return };
        let (game, division) = (room.variant().game, room.division());
        let counts = &mut self.counts;
        if fact.change.resolution().is_some() {
            *counts.turns.entry(game).or_default() += 1;
        }
        match &fact.change {
            RoomChange::Started(started) => {
                *counts.started.entry((game, division)).or_default() += 1;
                *counts.live.entry((game, division)).or_default() += 1;
                self.count_waits(fact.at, started);
            }
            RoomChange::Ended { result, .. } => {
                let reason = result.reason.as_str().to_owned();
                *counts.ended.entry((game, division, reason)).or_default() += 1;
                if let Some(live) = counts.live.get_mut(&(game, division)) {
                    *live = live.saturating_sub(1);
                }
            }
            RoomChange::StrikeGiven { cause: ForcedCause::Deadline, .. } => counts.deadline_strikes += 1,
            RoomChange::StrikeGiven { cause: ForcedCause::IllegalMoves, .. } => {
                counts.illegal_move_strikes += 1
            }
            // No strike is given for a vacant seat.
            RoomChange::StrikeGiven { cause: ForcedCause::Vacated, .. } => {}
            RoomChange::IllegalAttempted { .. } => counts.illegal_attempts += 1,
            RoomChange::MovePlayed(_)
            | RoomChange::MoveSealed { .. }
            | RoomChange::NatureActed { .. }
            | RoomChange::HallDeferred { .. }
            | RoomChange::Shown { .. }
            | RoomChange::SeatVacated { .. }
            | RoomChange::DrawOffered { .. }
            | RoomChange::DrawDeclined { .. }
            | RoomChange::DeadlineExtended { .. }
            | RoomChange::PenaltyDeferred { .. }
            | RoomChange::BeaconSettled { .. } => {}
        }
    }

    fn count_waits(&mut self, at: Timestamp, started: &Started) {
        let lobby = Lobby { variant: started.variant, division: started.division };
        for seat in &started.seats {
            let Some(since) = self.waiting_since.remove(&(seat.agent, lobby)) else { continue };
            self.counts.lobby_waits.add(at.since(since).as_millis());
        }
    }
}

impl LobbyWaits {
    fn add(&mut self, millis: u64) {
        let seconds = std::time::Duration::from_millis(millis).as_secs_f64();
        let bounds = &LOBBY_SECONDS_BUCKETS;
        let place = bounds.iter().position(|bound| seconds <= *bound).unwrap_or(bounds.len());
        if let Some(bucket) = self.buckets.get_mut(place) {
            *bucket += 1;
        }
        self.count += 1;
        self.sum_millis = self.sum_millis.saturating_add(millis);
    }
}
