//! The hall as a whole: commands in, decisions out, facts applied.

use crate::command::{Caller, Command, GameVerdict, HallKeys, KeyOccasion};
use crate::decision::Decision;
use crate::desk::{Desk, Scene, SeatResult};
use crate::entropy::Entropy;
use crate::fact::{Fact, KeyPurpose};
use crate::leaf;
use crate::log::{Cut, Log};
use crate::names::DocketKind;
use crate::rejection::Rejection;
use crate::reply::Reply;
use crate::rooms::{BeaconStatus, BeaconTerms, Gap, Room, RoomChange, RoomFact, Rooms, SavedRoom};
use crate::rules::{Rules, limits};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use hall_games::Catalog;
use hall_wire::{Digest, GameId, Signature, Timestamp};
use serde::{Deserialize, Serialize};

/// The state of the hall. It changes only in [`Hall::apply`].
///
/// Cloning is cheap for what is large: rooms and agents are shared until one of the copies changes them.
#[derive(Clone, Debug)]
pub struct Hall {
    catalog: Catalog,
    /// The time of the last fact.
    clock: Timestamp,
    rules: Option<Rules>,
    keys: Option<HallKeys>,
    desk: Desk,
    rooms: Rooms,
    log: Log,
    /// What the docket told last of a missing beacon, if it ever did.
    beacon_outage: Option<BeaconOutage>,
}

/// A missing beacon that the docket has told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BeaconOutage {
    /// When it told of it.
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
    rules: Option<Rules>,
    keys: Option<HallKeys>,
    desk: Desk,
    rooms: Vec<SavedRoom>,
    ended: u64,
    log: Log,
    beacon_outage: Option<BeaconOutage>,
}

impl Hall {
    /// A hall in which nothing has happened yet, offering the games of `catalog`.
    #[must_use]
    pub fn new(catalog: Catalog) -> Self {
        Self {
            catalog,
            clock: Timestamp::default(),
            rules: None,
            keys: None,
            desk: Desk::default(),
            rooms: Rooms::default(),
            log: Log::default(),
            beacon_outage: None,
        }
    }

    /// Decides a command. `at` is core time, which never decreases; `stamp` is when the last byte of the request
    /// arrived, at or before `at`.
    ///
    /// Time comes first: the caller sweeps what is due at or before `stamp` and applies it, then decides. For
    /// [`Command::Sweep`] the stamp is the horizon: what is due later waits, because a request that was in time
    /// may still be on its way.
    pub fn decide(
        &self,
        at: Timestamp,
        stamp: Timestamp,
        who: Caller,
        what: &Command,
        entropy: &mut dyn Entropy,
    ) -> Decision {
        if matches!(who, Caller::Agent(_)) && !what.is_open_to_agents() {
            return Decision::refuse(Rejection::NotYourAgent);
        }
        if let Command::StartHall { rules, keys } = what {
            return self.start(at, rules, keys);
        }
        let Some(rules) = &self.rules else {
            return Decision::refuse(Rejection::SeasonNotFound);
        };
        let mut decision = match what {
            Command::StartHall { .. } => Decision::grant(Reply::Done, Vec::new()),
            Command::Sweep => self.sweep(at, stamp, entropy),
            Command::SubmitMove(submission) => match who {
                Caller::Agent(agent) if self.desk.is_suspended(&agent) => {
                    Decision::refuse(Rejection::AgentSuspended)
                }
                Caller::Agent(agent) => self.rooms.submit(at, stamp, &agent, submission),
                Caller::Operator | Caller::Hall => Decision::refuse(Rejection::NotSeated),
            },
            Command::DecideGame { game, verdict, reason } => match self.rooms.settle(at, game, *verdict) {
                Ok(mut decision) => {
                    let subject = alloc::format!("Game {game}");
                    let disposition = match verdict {
                        GameVerdict::Winner(player) => alloc::format!("{player} wins."),
                        GameVerdict::Draw => "A draw.".into(),
                        GameVerdict::Abort => "Broken off: nobody wins, and it is not rated.".into(),
                    };
                    let kind = DocketKind::Adjudication;
                    let entry = self.desk.enter_docket(at, kind, &subject, reason, Some(&disposition));
                    decision.facts.push(entry);
                    decision
                }
                Err(rejection) => Decision::refuse(rejection),
            },
            Command::StopHall => Decision::grant(Reply::Done, [Fact::HallStopped { at }].into()),
            Command::NoteGap { from, until, reason, after } => {
                let gap = Gap { from: *from, until: *until, reason };
                let (mut facts, next) = self.rooms.extend(at, &gap, after.as_ref());
                if after.is_none() {
                    facts.extend(self.note_outage(at, &gap));
                }
                Decision::grant(Reply::Continued { after: next }, facts)
            }
            Command::ReceiveBeacon { chain_hash, round, randomness, signature, after } => {
                let terms = BeaconTerms { chain_hash: *chain_hash, round: *round };
                let (facts, next) =
                    self.rooms.receive_beacon(at, &terms, *randomness, signature, after.as_ref());
                Decision::grant(Reply::Continued { after: next }, facts)
            }
            Command::ReplaceKey { purpose, public_key, signature, occasion, reason } => match who {
                Caller::Operator => self.replace_key(at, *purpose, public_key, signature, *occasion, reason),
                Caller::Agent(_) | Caller::Hall => Decision::refuse(Rejection::NotYourAgent),
            },
            Command::CutCheckpoint { size, root } => {
                if !self.log.can_cut(*size) {
                    return Decision::refuse(Rejection::NothingToChange);
                }
                Decision::grant(Reply::Done, [Fact::CheckpointCut { at, size: *size, root: *root }].into())
            }
            Command::ArchiveGame { game } => self.archive(at, game),
            Command::ReportRing(report) => self.report_ring(at, report),
            Command::RegisterAgent(_)
            | Command::FileHomologation { .. }
            | Command::JoinLobby(_)
            | Command::LeaveLobby(_)
            | Command::PostFeedback(_)
            | Command::RegisterDoorbell { .. }
            | Command::BeginDoorbellVerification
            | Command::DisableDoorbell
            | Command::ConfirmDoorbell { .. }
            | Command::AddDocketEntry { .. }
            | Command::OpenSeason { .. }
            | Command::CloseSeason { .. }
            | Command::SuspendAgent { .. }
            | Command::RestoreAgent { .. }
            | Command::SuspendOperator { .. }
            | Command::RestoreOperator { .. }
            | Command::Withhold { .. } => self.desk.decide(&self.scene(at, rules), who, stamp, what, entropy),
        };
        self.rate_ended_games(at, &mut decision);
        self.note_missing_beacon(at, &mut decision);
        self.count_missed_rings(at, &mut decision);
        self.ring_for_open_turns(&mut decision);
        decision
    }

    /// Does the next thing that was due at or before `horizon`: a missed deadline, the end of a wait for the
    /// beacon, a pairing sweep of one lobby. The caller applies it and asks again, until nothing changes.
    fn sweep(&self, at: Timestamp, horizon: Timestamp, entropy: &mut dyn Entropy) -> Decision {
        let Some(rules) = &self.rules else { return Decision::grant(Reply::Done, Vec::new()) };
        self.rooms
            .sweep(at, horizon)
            .or_else(|| self.desk.sweep(&self.scene(at, rules), entropy))
            .unwrap_or_else(|| Decision::grant(Reply::Done, Vec::new()))
    }

    /// When something is next due, if anything is. A sweep at that time or later changes something.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let rules = self.rules.as_ref()?;
        let sweep = self.desk.next_sweep(rules);
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
            Fact::RulesSet { rules, .. } => self.rules = Some(rules.clone()),
            Fact::KeyPublished { purpose, public_key, .. } => {
                let keys =
                    self.keys.get_or_insert_with(|| HallKeys { log: String::new(), ring: String::new() });
                match purpose {
                    KeyPurpose::Log => keys.log.clone_from(public_key),
                    KeyPurpose::Ring => keys.ring.clone_from(public_key),
                }
            }
            Fact::Room(fact) => {
                if let RoomChange::BeaconSettled { status, .. } = &fact.change {
                    self.note_beacon(fact.at, *status);
                }
                self.rooms.apply(fact, &self.catalog);
            }
            Fact::GameArchived { game, .. } => self.rooms.archive(game),
            Fact::AgentRegistered { .. }
            | Fact::HomologationFiled { .. }
            | Fact::SeasonOpened { .. }
            | Fact::SeasonClosed { .. }
            | Fact::LobbyJoined { .. }
            | Fact::LobbyLeft { .. }
            | Fact::LobbiesSwept { .. }
            | Fact::GameRated { .. }
            | Fact::FeedbackPosted { .. }
            | Fact::Doorbell(_)
            | Fact::DocketEntered { .. }
            | Fact::AgentSuspended { .. }
            | Fact::AgentRestored { .. }
            | Fact::OperatorSuspended { .. }
            | Fact::OperatorRestored { .. }
            | Fact::CheckpointCut { .. }
            | Fact::TextWithheld { .. }
            | Fact::HallStopped { .. } => {}
        }
        self.desk.apply(fact);
    }

    /// The games on offer.
    #[must_use]
    pub const fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The settings in force; `None` before the hall has started for the first time.
    #[must_use]
    pub const fn rules(&self) -> Option<&Rules> {
        self.rules.as_ref()
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

    /// The newest point of the log that the hall signs, if there is one (decision 8.2).
    #[must_use]
    pub const fn newest_cut(&self) -> Option<Cut> {
        self.log.cut()
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
            rules: self.rules.clone(),
            keys: self.keys.clone(),
            desk: self.desk.clone(),
            rooms: self.rooms.iter().map(|room| room.save()).collect(),
            ended: self.rooms.ended_count(),
            log: self.log.clone(),
            beacon_outage: self.beacon_outage,
        };
        let room = Vec::with_capacity(self.saved_bytes());
        postcard::to_extend(&saved, room).expect("the state is made of plain values")
    }

    /// About as many bytes as [`Hall::save`] writes: a vector of megabytes that grows is copied again and again.
    fn saved_bytes(&self) -> usize {
        const ROOM_BYTES: usize = 2_048;
        const AGENT_BYTES: usize = 768;
        self.desk.agent_count() * AGENT_BYTES + self.rooms.iter().count() * ROOM_BYTES
    }

    /// The state that [`Hall::save`] saved.
    ///
    /// # Errors
    /// The bytes come from another version, or name a game that the catalog does not have.
    pub fn restore(catalog: Catalog, bytes: &[u8]) -> Result<Self, RestoreError> {
        let saved: SavedHall = postcard::from_bytes(bytes).map_err(|_| RestoreError::Unreadable)?;
        let mut rooms = Vec::with_capacity(saved.rooms.len());
        for room in saved.rooms {
            rooms.push(Room::restore(room, &catalog).map_err(|error| RestoreError::Room(error.to_string()))?);
        }
        Ok(Self {
            catalog,
            clock: saved.clock,
            rules: saved.rules,
            keys: saved.keys,
            desk: saved.desk,
            rooms: Rooms::restore(rooms, saved.ended),
            log: saved.log,
            beacon_outage: saved.beacon_outage,
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

    fn scene<'a>(&'a self, at: Timestamp, rules: &'a Rules) -> Scene<'a> {
        Scene { at, rules, catalog: &self.catalog }
    }

    /// The first start makes the hall's first facts; a later one only records settings that changed.
    fn start(&self, at: Timestamp, rules: &Rules, keys: &HallKeys) -> Decision {
        let mut facts = Vec::new();
        if self.keys.is_none() {
            for (purpose, public_key) in [(KeyPurpose::Log, &keys.log), (KeyPurpose::Ring, &keys.ring)] {
                let leaf = leaf::key(at, purpose, public_key, None);
                let public_key = public_key.clone();
                facts.push(Fact::KeyPublished { at, purpose, public_key, signature: None, leaf });
            }
        }
        if self.rules.as_ref() != Some(rules) {
            facts.push(Fact::RulesSet { at, rules: rules.clone() });
        }
        if self.rules.is_none() {
            let season = rules.first_season.clone();
            let subject = alloc::format!("Season {season} opened");
            let reason = "The hall opened its first season.";
            let entry = self.desk.enter_docket(at, DocketKind::Season, &subject, reason, None);
            facts.push(Fact::SeasonOpened { at, season });
            facts.push(entry);
        }
        Decision::grant(Reply::Done, facts)
    }

    /// Another key of the hall takes the place of the present one, and the docket tells why.
    fn replace_key(
        &self,
        at: Timestamp,
        purpose: KeyPurpose,
        public_key: &str,
        signature: &Signature,
        occasion: KeyOccasion,
        reason: &str,
    ) -> Decision {
        let present = self.keys.as_ref().map(|keys| match purpose {
            KeyPurpose::Log => keys.log.as_str(),
            KeyPurpose::Ring => keys.ring.as_str(),
        });
        if present == Some(public_key) {
            return Decision::refuse(Rejection::NothingToChange);
        }
        let signature = Some(signature.to_string());
        let leaf = leaf::key(at, purpose, public_key, signature.as_deref());
        let subject = match occasion {
            KeyOccasion::Rotation => alloc::format!("The {} key is now {public_key}", purpose.as_str()),
            KeyOccasion::Restore => {
                alloc::format!("The hall goes on from a backup; its log is now signed by {public_key}")
            }
        };
        let entry = self.desk.enter_docket(at, DocketKind::KeyRotation, &subject, reason, None);
        let public_key = public_key.to_string();
        Decision::grant(
            Reply::Done,
            [Fact::KeyPublished { at, purpose, public_key, signature, leaf }, entry].into(),
        )
    }

    /// The docket's entry for a gap that was long, unless the hall has only just begun to exist.
    ///
    /// Decision: a slow commit is no outage, because agents can bring it about by their number.
    fn note_outage(&self, at: Timestamp, gap: &Gap<'_>) -> Option<Fact> {
        let long = gap.until.since(gap.from) >= limits::OUTAGE;
        if !long || gap.from == Timestamp::default() || gap.reason == "slow_commit" {
            return None;
        }
        let subject = alloc::format!("The hall was away ({})", gap.reason);
        let reason = alloc::format!("No time counted from {} until {}.", gap.from, gap.until);
        let disposition = "Every open turn has its full move time again.";
        Some(self.desk.enter_docket(at, DocketKind::Outage, &subject, &reason, Some(disposition)))
    }

    /// A game that found the beacon missing is told of in the docket, once until the beacon is there again, and once an
    /// hour at most: how many games need it, and when, is up to agents.
    fn note_missing_beacon(&self, at: Timestamp, decision: &mut Decision) {
        let missed = |fact: &RoomFact| {
            matches!(&fact.change, RoomChange::BeaconSettled { status: BeaconStatus::Missed, .. })
        };
        let Some(game) = decision.facts.iter().filter_map(Fact::in_room).find(|fact| missed(fact)) else {
            return;
        };
        if !self.is_new_outage(at) {
            return;
        }
        let round =
            self.rooms.find(&game.game).and_then(|room| room.beacon_terms()).map_or(0, |terms| terms.round);
        let subject = "The randomness beacon is missing";
        let reason =
            alloc::format!("Round {round} could not be had in time for a draw in game {}.", game.game);
        let disposition = "Until the beacon is there again, games draw from their seeds alone, and say so.";
        decision.facts.push(self.desk.enter_docket(
            at,
            DocketKind::Beacon,
            subject,
            &reason,
            Some(disposition),
        ));
    }

    /// Whether a beacon that is missing at this time is to be told of.
    fn is_new_outage(&self, at: Timestamp) -> bool {
        self.beacon_outage
            .is_none_or(|outage| outage.is_over && at.since(outage.since) >= limits::BEACON_DOCKET_PAUSE)
    }

    /// Keeps in mind what became of a game's round.
    fn note_beacon(&mut self, at: Timestamp, status: BeaconStatus) {
        if status != BeaconStatus::Missed {
            self.beacon_outage = self.beacon_outage.map(|outage| BeaconOutage { is_over: true, ..outage });
        } else if self.is_new_outage(at) {
            self.beacon_outage = Some(BeaconOutage { since: at, is_over: false });
        }
    }

    fn archive(&self, at: Timestamp, game: &GameId) -> Decision {
        match self.rooms.find(game) {
            Some(room) if room.result().is_some() => {
                Decision::grant(Reply::Done, [Fact::GameArchived { at, game: *game }].into())
            }
            Some(_) | None => Decision::refuse(Rejection::GameNotFound),
        }
    }

    /// A game that a decision ends counts for the standings in the same decision.
    fn rate_ended_games(&self, at: Timestamp, decision: &mut Decision) {
        let ended = decision.facts.iter().filter_map(Fact::in_room).find_map(|fact| {
            let RoomChange::Ended { result, .. } = &fact.change else { return None };
            Some((fact.game, result.clone()))
        });
        let Some((game, result)) = ended else { return };
        let Some(room) = self.rooms.find(&game) else { return };
        let given = |player| {
            let strike = |fact: &&RoomFact| matches!(&fact.change, RoomChange::StrikeGiven { player: whom, .. } if *whom == player);
            let count = decision.facts.iter().filter_map(Fact::in_room).filter(strike).count();
            u8::try_from(count).unwrap_or(u8::MAX)
        };
        let seats: Vec<SeatResult> = room
            .players()
            .zip(room.seats())
            .map(|(player, seat)| SeatResult {
                player,
                agent: seat.seat.agent,
                homologation: seat.seat.homologation,
                strikes: seat.strikes.saturating_add(given(player)),
            })
            .collect();
        decision.facts.extend(self.desk.rate(at, game, room.board(), &seats, &result));
    }
}
