//! The state of the hall: it changes only by facts.

use crate::desk::docket::DocketWording;
use crate::desk::state::Desk;
use crate::fact::{Fact, HallFact};
use crate::keys::{HallKeys, KeyPurpose};
use crate::limits;
use crate::log::{Log, LogHead};
use crate::settings::HallSettings;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use hall_games::Catalog;
use hall_rooms::{BeaconStatus, Room, RoomChange, Rooms, SavedRoom, Word};
use hall_wire::{Digest, Timestamp};
use serde::{Deserialize, Serialize};

/// The state of the hall. It changes only in [`Hall::apply`].
///
/// Cloning is cheap: rooms and agents, the large parts, are shared until one of the copies changes them.
#[derive(Clone, Debug)]
pub struct Hall {
    pub(crate) catalog: Catalog,
    pub(crate) wording: DocketWording,
    /// The time of the last fact.
    clock: Timestamp,
    pub(crate) settings: Option<HallSettings>,
    pub(crate) keys: Option<HallKeys>,
    pub(crate) desk: Desk,
    pub(crate) rooms: Rooms,
    pub(crate) log: Log,
    /// The newest docket entry about a missing beacon, if there is one.
    beacon_outage: Option<BeaconOutage>,
    /// Every version of rules, first ones left out, by which this hall has ever offered new games.
    pub(crate) rules_offered: BTreeSet<Word>,
}

/// A missing beacon that stands in the docket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BeaconOutage {
    /// When it was entered.
    since: Timestamp,
    /// A game has had its round since then.
    is_over: bool,
}

/// Why a saved hall cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// The bytes are not a hall that this version saved.
    Unreadable,
    /// A room in it cannot be restored.
    Room(String),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => out.write_str("not a state that this version saved"),
            Self::Room(reason) => write!(out, "a saved room cannot be restored: {reason}"),
        }
    }
}

impl core::error::Error for RestoreError {}

#[derive(Serialize, Deserialize)]
struct SavedHall {
    clock: Timestamp,
    settings: Option<HallSettings>,
    keys: Option<HallKeys>,
    desk: Desk,
    rooms: Vec<SavedRoom>,
    ended: u64,
    log: Log,
    beacon_outage: Option<BeaconOutage>,
}

impl Hall {
    /// A hall in which nothing has happened yet, offering the games of `catalog`. `wording` provides the texts of its
    /// docket entries.
    #[must_use]
    pub fn new(catalog: Catalog, wording: DocketWording) -> Self {
        Self {
            catalog,
            wording,
            clock: Timestamp::default(),
            settings: None,
            keys: None,
            desk: Desk::default(),
            rooms: Rooms::default(),
            log: Log::default(),
            beacon_outage: None,
            rules_offered: BTreeSet::new(),
        }
    }

    /// When something is next due, if anything is. A sweep at that time or later changes the state.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let settings = self.settings.as_ref()?;
        let sweep = self.desk.next_sweep(settings);
        Some(self.rooms.next_due().map_or(sweep, |due| due.min(sweep)))
    }

    /// Applies a fact.
    ///
    /// # Panics
    /// If the fact does not follow from the state: it was not decided by this hall in this state.
    pub fn apply(&mut self, fact: &Fact) {
        self.clock = self.clock.max(fact.at());
        self.log.apply(fact);
        match fact {
            Fact::Room(fact) => {
                if let RoomChange::BeaconSettled { status, .. } = &fact.change {
                    self.note_beacon(fact.at, *status);
                }
                self.rooms.apply(fact, &self.catalog);
            }
            Fact::Hall(fact) => self.apply_own(fact),
            Fact::Desk(_) | Fact::Doorbell(_) | Fact::Governance(_) => {}
        }
        self.desk.apply(fact);
    }

    fn apply_own(&mut self, fact: &HallFact) {
        match fact {
            HallFact::SettingsSet { settings, .. } => self.settings = Some(settings.clone()),
            HallFact::KeyPublished { purpose, public_key, .. } => {
                let keys =
                    self.keys.get_or_insert_with(|| HallKeys { log: String::new(), ring: String::new() });
                match purpose {
                    KeyPurpose::Log => keys.log.clone_from(public_key),
                    KeyPurpose::Ring => keys.ring.clone_from(public_key),
                }
            }
            HallFact::GameArchived { game, .. } => self.rooms.archive(game),
            HallFact::RulesOffered { versions, .. } => self.rules_offered.extend(versions),
            HallFact::CheckpointTaken { .. } | HallFact::Stopped { .. } => {}
        }
    }

    /// The games on offer.
    #[must_use]
    pub const fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The settings in force; `None` before the hall has started for the first time.
    #[must_use]
    pub const fn settings(&self) -> Option<&HallSettings> {
        self.settings.as_ref()
    }

    /// The public keys of the hall.
    #[must_use]
    pub const fn keys(&self) -> Option<&HallKeys> {
        self.keys.as_ref()
    }

    /// The time of the last fact.
    #[must_use]
    pub const fn clock(&self) -> Timestamp {
        self.clock
    }

    /// Agents, lobbies, standings and what else is kept at the desk.
    #[must_use]
    pub const fn desk(&self) -> &Desk {
        &self.desk
    }

    /// The games.
    #[must_use]
    pub const fn rooms(&self) -> &Rooms {
        &self.rooms
    }

    /// How many leaves the hall's log has.
    #[must_use]
    pub const fn leaf_count(&self) -> u64 {
        self.log.leaves()
    }

    /// The newest size and root of the log that the hall signs, if there is one (decision 8.2).
    #[must_use]
    pub const fn log_head(&self) -> Option<LogHead> {
        self.log.head()
    }

    /// A digest of the whole state: equal states have equal digests, on every machine.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.save())
    }

    /// The whole state as bytes, for a snapshot that this version of the hall reads back.
    ///
    /// # Panics
    /// Never: every part of the state can be serialized.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let saved = SavedHall {
            clock: self.clock,
            settings: self.settings.clone(),
            keys: self.keys.clone(),
            desk: self.desk.clone(),
            rooms: self.rooms.iter().map(|room| room.save()).collect(),
            ended: self.rooms.ended_count(),
            log: self.log.clone(),
            beacon_outage: self.beacon_outage,
        };
        let room = Vec::with_capacity(self.saved_bytes());
        let written = postcard::to_extend(&saved, room).and_then(|written| {
            // Left out where it is empty, as it is in every state that was saved before there was such a thing.
            if self.rules_offered.is_empty() {
                return Ok(written);
            }
            postcard::to_extend(&self.rules_offered, written)
        });
        written.expect("the state is made of plain values")
    }

    /// An estimate of the bytes that [`Hall::save`] writes, so that a vector of megabytes is not copied again and
    /// again as it grows.
    fn saved_bytes(&self) -> usize {
        const ROOM_BYTES: usize = 2_048;
        const AGENT_BYTES: usize = 768;
        self.desk.agent_count() * AGENT_BYTES + self.rooms.iter().count() * ROOM_BYTES
    }

    /// The state that [`Hall::save`] saved.
    ///
    /// # Errors
    /// The bytes come from another version, or name a game that the catalog does not have.
    pub fn restore(catalog: Catalog, wording: DocketWording, bytes: &[u8]) -> Result<Self, RestoreError> {
        let unreadable = |_| RestoreError::Unreadable;
        let (saved, rest): (SavedHall, _) = postcard::take_from_bytes(bytes).map_err(unreadable)?;
        let rules_offered = match rest {
            [] => BTreeSet::new(),
            rest => postcard::from_bytes(rest).map_err(unreadable)?,
        };
        let mut rooms = Vec::with_capacity(saved.rooms.len());
        for room in saved.rooms {
            rooms.push(Room::restore(room, &catalog).map_err(|error| RestoreError::Room(error.to_string()))?);
        }
        Ok(Self {
            catalog,
            wording,
            clock: saved.clock,
            settings: saved.settings,
            keys: saved.keys,
            desk: saved.desk,
            rooms: Rooms::restore(rooms, saved.ended),
            log: saved.log,
            beacon_outage: saved.beacon_outage,
            rules_offered,
        })
    }

    /// Asserts every invariant of the state.
    ///
    /// # Panics
    /// If one does not hold.
    pub fn check(&self) {
        self.rooms.check();
        self.desk.check();
        self.log.check();
        for game in self.desk.games_in_memory() {
            assert!(self.rooms.find(game).is_some(), "the desk forgets {game} with its room");
        }
        for room in self.rooms.iter().filter(|room| room.result().is_none()) {
            for seat in room.seats() {
                let knows = self.desk.live_games(&seat.seat.agent).any(|game| game == room.id());
                assert!(knows, "the desk knows the live games of every agent");
            }
        }
    }

    /// Whether a beacon that is missing at this time is worth a docket entry.
    pub(crate) fn is_new_outage(&self, at: Timestamp) -> bool {
        self.beacon_outage
            .is_none_or(|outage| outage.is_over && at.since(outage.since) >= limits::BEACON_DOCKET_PAUSE)
    }

    /// Remembers whether the beacon is missing, judged by the outcome of a game's round.
    fn note_beacon(&mut self, at: Timestamp, status: BeaconStatus) {
        if status != BeaconStatus::Missed {
            self.beacon_outage = self.beacon_outage.map(|outage| BeaconOutage { is_over: true, ..outage });
        } else if self.is_new_outage(at) {
            self.beacon_outage = Some(BeaconOutage { since: at, is_over: false });
        }
    }
}
