//! The reference hall: a second model of the whole hall in plain maps, without caches, snapshots or cleverness, written
//! from the specification and not from the core. It is the strongest oracle of the simulator.
//!
//! [`Reference::follow`] is told every decision of the hall under test and computes from its own state what must
//! have been decided: the answer, every fact to the last character of its leaf, every effect. Where the hall may
//! choose freely (identifiers, seeds, how much one command does) the choice is taken from the facts and
//! checked for what must hold of it. [`Reference::compare`] holds the hall's state against its own. Both name the
//! first difference in words.
//!
//! The one thing that it keeps beside its state is the order in which games are due, because that is needed after
//! each step; every full comparison recomputes it.
//!
//! Games are models behind `GameModel`, which says what a checker must know of one. It knows no challenges, rate
//! limits, signatures or storage: those have their own oracles. After a divergence its state is useless.

mod acts;
mod bids;
mod chess;
mod compare;
mod desk;
mod divergence;
mod docket;
mod doorbell;
mod expectation;
mod game;
mod glicko;
mod leaderboard;
mod play;
mod rolls;
mod room;
mod spelled;
mod standing;
mod tables;
pub(crate) mod text;
mod turns;
pub(crate) mod words;

pub use chess::Chess;
pub use compare::Extent;
pub use divergence::Divergence;
pub use game::GameModel;
pub(crate) use game::Offered;
pub(crate) use room::open_position;

use docket::Words;
use expectation::Expectation;
use hall_core::desk::{Agent, Operator, Season};
use hall_core::rooms::{BeaconStatus, GapCause, RoomChange};
use hall_core::{
    Answer, Caller, Command, Decision, DeskCommand, DeskFact, DocketKind, DoorbellCommand, Fact,
    GovernanceCommand, GovernanceFact, HallCommand, HallFact, HallKeys, HallSettings, KeyPurpose, Lobby,
    Rejection, Reply, RoomCommand, RoomRejection, SeasonId, Withheld,
};
use hall_games::Catalog;
use hall_wire::{
    AgentId, Digest, FeedbackId, GameId, Handle, HomologationId, OperatorId, PublicKey, Span, Timestamp,
};
use std::collections::{BTreeMap, BTreeSet};

/// The shortest time between two docket entries about the beacon.
const BEACON_DOCKET_PAUSE: Span = Span::from_secs(3_600);

/// The hall as it must be.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    games: Offered,
    clock: Timestamp,
    leaves: u64,
    /// Time, size and root of the newest checkpoint.
    checkpoint: Option<(Timestamp, u64, Digest)>,
    /// When the docket last reported that the beacon is missing, and whether it has been there since.
    beacon_outage: Option<(Timestamp, bool)>,
    withheld: BTreeSet<Withheld>,
    settings: Option<HallSettings>,
    keys: Option<HallKeys>,
    agents: BTreeMap<AgentId, Agent>,
    handles: BTreeMap<Handle, AgentId>,
    registered_keys: BTreeSet<PublicKey>,
    operators: BTreeMap<OperatorId, Operator>,
    suspended: BTreeSet<AgentId>,
    entries: BTreeMap<HomologationId, desk::Entry>,
    standing: BTreeMap<(AgentId, SeasonId, hall_core::Division), HomologationId>,
    seasons: Vec<Season>,
    /// Who waits where, the longest first.
    lobbies: BTreeMap<Lobby, Vec<AgentId>>,
    last_sweep: Timestamp,
    /// Joins and feedback posts by agent: on which UTC day how many.
    joins: BTreeMap<AgentId, (i64, u32)>,
    posts: BTreeMap<AgentId, (i64, u32)>,
    last_post: Option<FeedbackId>,
    docket: u64,
    /// Versions of rules that were told.
    rules_offered: BTreeSet<hall_core::Word>,
    /// Games in memory, the live ones of them, and those by agent.
    rooms: BTreeMap<GameId, room::Room>,
    live: BTreeSet<GameId>,
    /// When the hall must act by itself in a live game, by game and in that order.
    due_of: BTreeMap<GameId, Timestamp>,
    due: BTreeSet<(Timestamp, GameId)>,
    live_of: BTreeMap<AgentId, BTreeSet<GameId>>,
    ended: u64,
    last_game: Option<GameId>,
    /// Every game identifier and seed so far, none of which may come again.
    game_ids: BTreeSet<GameId>,
    seeds: BTreeSet<String>,
    doors: BTreeMap<AgentId, doorbell::Door>,
    /// Every challenge of a doorbell so far, none of which may come again.
    doorbell_challenges: BTreeSet<String>,
    /// How often an agent had the first seat in a game.
    firsts: BTreeMap<(AgentId, hall_core::Word), u32>,
    /// What the last step may have changed.
    touched: (BTreeSet<AgentId>, BTreeSet<GameId>),
}

impl Reference {
    /// A hall in which nothing has happened yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same of a hall that offers other games.
    #[must_use]
    pub fn with_catalog(catalog: Catalog) -> Self {
        Self { games: Offered(catalog), ..Self::default() }
    }

    /// Follows one decision of the hall under test: what was asked at core time `at` by a request stamped
    /// `stamp`, and what the hall decided.
    ///
    /// # Errors
    /// The hall should have decided otherwise; the first difference is named.
    pub fn follow(
        &mut self,
        at: Timestamp,
        stamp: Timestamp,
        who: Caller,
        what: &Command,
        decision: &Decision,
    ) -> Result<(), Divergence> {
        let mut step = Expectation::new(at, stamp, decision);
        let answer = self.decide(&mut step, who, what);
        self.rate(&mut step);
        self.note_beacon(&mut step);
        self.end_turns_of_doorbells(&mut step);
        for fact in &step.facts {
            self.clock = self.clock.max(fact.at());
            self.leaves += u64::from(fact.leaf().is_some());
        }
        let Expectation { facts, effects, agents, games, wrong_choice, .. } = step;
        games.iter().for_each(|game| self.keep_due(*game));
        self.touched = (agents, games);
        let expected = Decision { answer, facts, effects };
        divergence::between(&expected, decision)?;
        match wrong_choice {
            Some(complaint) => Err(Divergence::chosen(complaint)),
            None => Ok(()),
        }
    }

    fn decide(&mut self, step: &mut Expectation<'_>, who: Caller, what: &Command) -> Answer {
        if matches!(who, Caller::Agent(_)) && !is_for_agents(what) {
            return Err(Rejection::NotYourAgent);
        }
        if self.settings.is_none() && !matches!(what, Command::Hall(HallCommand::Start { .. })) {
            return Err(Rejection::SeasonNotFound);
        }
        match what {
            Command::Hall(HallCommand::Start { settings, keys }) => {
                self.start_hall(step, settings, keys);
                Ok(Reply::Done)
            }
            Command::Hall(HallCommand::Stop) => {
                step.facts.push(Fact::Hall(HallFact::Stopped { at: step.at }));
                Ok(Reply::Done)
            }
            Command::Hall(HallCommand::Sweep) => {
                self.sweep(step);
                Ok(Reply::Done)
            }
            Command::Desk(DeskCommand::RegisterAgent(new)) => self.register(step, new),
            Command::Desk(DeskCommand::FileHomologation { agent, filing }) => {
                self.file(step, who, *agent, filing)
            }
            Command::Desk(DeskCommand::JoinLobby(asked)) => self.join(step, who, asked),
            Command::Desk(DeskCommand::LeaveLobby(asked)) => self.leave(step, who, asked),
            Command::Room(RoomCommand::Submit(request)) => self.submit(step, who, request),
            Command::Desk(DeskCommand::PostFeedback(post)) => self.post(step, who, post),
            Command::Doorbell(DoorbellCommand::Register { url, address }) => {
                self.register_doorbell(step, who, url, *address)
            }
            Command::Doorbell(DoorbellCommand::BeginVerification) => self.begin_doorbell(step, who),
            Command::Doorbell(DoorbellCommand::Disable) => self.disable_doorbell(step, who),
            Command::Doorbell(DoorbellCommand::Confirm { agent, challenge, signature }) => {
                self.confirm_doorbell(step, *agent, challenge, *signature)
            }
            Command::Doorbell(DoorbellCommand::ReportRing(report)) => self.ring_reported(step, report),
            Command::Governance(GovernanceCommand::AddDocketEntry { kind, subject, reason, disposition }) => {
                let (subject, reason, disposition) = (subject.clone(), reason.clone(), disposition.clone());
                step.docket(&mut self.docket, *kind, Words { subject, reason, disposition });
                Ok(Reply::DocketEntered { id: self.docket })
            }
            Command::Governance(GovernanceCommand::OpenSeason { season }) => {
                self.open_season(step, season, false)
            }
            Command::Governance(GovernanceCommand::CloseSeason { season }) => self.close_season(step, season),
            Command::Governance(GovernanceCommand::SuspendAgent { handle, reason }) => {
                self.suspend_agent(step, handle, reason, true)
            }
            Command::Governance(GovernanceCommand::RestoreAgent { handle, reason }) => {
                self.suspend_agent(step, handle, reason, false)
            }
            Command::Governance(GovernanceCommand::SuspendOperator { operator, reason }) => {
                self.suspend_operator(step, *operator, reason, true)
            }
            Command::Governance(GovernanceCommand::RestoreOperator { operator, reason }) => {
                self.suspend_operator(step, *operator, reason, false)
            }
            Command::Room(RoomCommand::Vacate { game, player, reason }) => {
                self.vacate(step, game, *player, reason)
            }
            Command::Room(RoomCommand::Adjudicate { game, verdict, reason }) => {
                self.adjudicate(step, game, *verdict, reason)
            }
            Command::Room(RoomCommand::ExtendForGap { from, until, cause, after }) => {
                let answer = self.extend(step, (*from, *until), *cause, *after);
                if after.is_none() {
                    self.docket_outage(step, (*from, *until), *cause);
                }
                answer
            }
            Command::Room(RoomCommand::ReceiveBeacon { chain_hash, round, randomness, signature, after }) => {
                self.receive_beacon(step, (*chain_hash, *round), (*randomness, signature), *after)
            }
            Command::Governance(GovernanceCommand::Withhold { what, reason }) => {
                self.withhold(step, *what, reason)
            }
            Command::Hall(HallCommand::ReplaceKey {
                purpose,
                public_key,
                replaces,
                signature,
                occasion,
                reason,
            }) => {
                if who != Caller::Operator {
                    return Err(Rejection::NotYourAgent);
                }
                let words = docket::key(*purpose, public_key, *occasion, reason);
                let old = replaces.as_deref();
                self.replace_key(step, (*purpose, public_key, old), &signature.to_string(), words)
            }
            Command::Hall(HallCommand::TakeCheckpoint { size, root }) => {
                self.take_checkpoint(step, *size, *root)
            }
            Command::Hall(HallCommand::ArchiveGame { game }) => self.archive_game(step, game),
        }
    }

    /// A gap of ten seconds or more is told in the docket, unless agents can bring it about.
    fn docket_outage(
        &mut self,
        step: &mut Expectation<'_>,
        (from, until): (Timestamp, Timestamp),
        cause: GapCause,
    ) {
        let long = until.as_millis() - from.as_millis() >= 10_000;
        if long && from.as_millis() != 0 && cause != GapCause::SlowCommit {
            step.docket(&mut self.docket, DocketKind::Outage, docket::outage(from, until, cause.as_str()));
        }
    }

    fn take_checkpoint(&mut self, step: &mut Expectation<'_>, size: u64, root: Digest) -> Answer {
        if size != self.leaves || self.checkpoint.is_some_and(|(_, covered, _)| covered >= size) {
            return Err(Rejection::NothingToChange);
        }
        self.checkpoint = Some((step.at, size, root));
        step.facts.push(Fact::Hall(HallFact::CheckpointTaken { at: step.at, size, root }));
        Ok(Reply::Done)
    }

    fn archive_game(&mut self, step: &mut Expectation<'_>, game: &GameId) -> Answer {
        if self.live.contains(game) || self.rooms.remove(game).is_none() {
            return Err(Rejection::Room(RoomRejection::GameNotFound));
        }
        step.games.insert(*game);
        step.facts.push(Fact::Hall(HallFact::GameArchived { at: step.at, game: *game }));
        Ok(Reply::Done)
    }

    /// The first start publishes the keys and opens the first season; every start sets what has changed.
    fn start_hall(&mut self, step: &mut Expectation<'_>, settings: &HallSettings, keys: &HallKeys) {
        let at = step.at;
        let first = self.settings.is_none();
        if self.keys.is_none() {
            for (purpose, key) in [(KeyPurpose::Log, &keys.log), (KeyPurpose::Ring, &keys.ring)] {
                step.publish_key(purpose, key, None);
            }
            self.keys = Some(keys.clone());
        }
        if self.settings.as_ref() != Some(settings) {
            self.settings = Some(settings.clone());
            step.facts.push(Fact::Hall(HallFact::SettingsSet { at, settings: settings.clone() }));
        }
        if first {
            // Nothing is open at the very first start, so this cannot be refused.
            let _ = self.open_season(step, &settings.first_season, true);
        }
        self.offer_rules(step, first);
    }

    /// Rules that this hall has not offered before, other than a game's first, are told once (decision 13.11).
    fn offer_rules(&mut self, step: &mut Expectation<'_>, is_first_start: bool) {
        let newest = self.games.0.iter().map(|game| game.describe().ruleset_version);
        let versions: Vec<_> = newest
            .filter(|version| !version.ends_with("/1"))
            .map(|version| hall_core::Word::parse(version).expect("a word"))
            .filter(|version| self.rules_offered.insert(*version))
            .collect();
        if versions.is_empty() {
            return;
        }
        let words = docket::rules_changed(&versions);
        step.facts.push(Fact::Hall(HallFact::RulesOffered { at: step.at, versions }));
        if !is_first_start {
            step.docket(&mut self.docket, DocketKind::RuleChange, words);
        }
    }

    /// A text is withheld, and the docket says which.
    fn withhold(&mut self, step: &mut Expectation<'_>, what: Withheld, reason: &str) -> Answer {
        if self.withheld.contains(&what) {
            return Err(Rejection::NothingToChange);
        }
        if let Withheld::Agent(agent) = what {
            let agent = self.agents.get(&agent).ok_or(Rejection::AgentNotFound)?;
            // The name belongs to the operator, so it disappears from its other agents too.
            if let Some(operator) = self.operators.get_mut(&agent.operator) {
                operator.name = None;
            }
        }
        self.withheld.insert(what);
        step.facts.push(Fact::Governance(GovernanceFact::TextWithheld { at: step.at, what }));
        step.docket(&mut self.docket, DocketKind::Redaction, docket::withheld(what, reason));
        Ok(Reply::Done)
    }

    /// Another key takes the place of one, and the docket says which.
    fn replace_key(
        &mut self,
        step: &mut Expectation<'_>,
        (purpose, public_key, old): (KeyPurpose, &str, Option<&str>),
        signature: &str,
        words: Words,
    ) -> Answer {
        let mut keys = self.keys.clone().unwrap_or(HallKeys { log: String::new(), ring: String::new() });
        let key = if purpose == KeyPurpose::Log { &mut keys.log } else { &mut keys.ring };
        if key == public_key || old.is_some_and(|old| key != old) {
            return Err(Rejection::NothingToChange);
        }
        public_key.clone_into(key);
        self.keys = Some(keys);
        step.publish_key(purpose, public_key, Some(signature));
        step.docket(&mut self.docket, DocketKind::KeyRotation, words);
        Ok(Reply::Done)
    }

    /// The docket reports a missing beacon once until it returns, and at most once an hour.
    fn note_beacon(&mut self, step: &mut Expectation<'_>) {
        let settled = step.facts.iter().rev().find_map(|fact| {
            let fact = fact.in_room()?;
            let RoomChange::BeaconSettled { status, .. } = &fact.change else { return None };
            Some((fact.game, *status == BeaconStatus::Missed))
        });
        let Some((game, missed)) = settled else { return };
        match self.beacon_outage {
            Some((since, _)) if !missed => self.beacon_outage = Some((since, true)),
            Some((since, is_over)) if !is_over || step.at.since(since) < BEACON_DOCKET_PAUSE => {}
            _ if missed => {
                let terms = self.rooms.get(&game).and_then(|room| room.terms.beacon);
                let words = docket::beacon_missing(&game, terms.map_or(0, |terms| terms.round));
                step.docket(&mut self.docket, DocketKind::Beacon, words);
                self.beacon_outage = Some((step.at, false));
            }
            _ => {}
        }
    }

    /// The next thing that is due, if anything is: a game that was due by the horizon, or a pairing sweep.
    fn sweep(&mut self, step: &mut Expectation<'_>) {
        if let Some(game) = self.due_game(step.stamp) {
            self.act_in(step, game);
            return;
        }
        if step.at < self.next_sweep() {
            return;
        }
        let lobby = self.lobbies.keys().copied().find(|lobby| self.pairable(*lobby).is_some());
        if let Some(lobby) = lobby {
            self.pair(step, lobby);
        } else {
            self.last_sweep = step.at;
            step.facts.push(Fact::Desk(DeskFact::LobbiesSwept { at: step.at }));
        }
    }

    /// When the next pairing sweep is due; two lie at least a second apart.
    fn next_sweep(&self) -> Timestamp {
        let every = self.settings().map_or(Span::ZERO, |settings| settings.sweep_every);
        self.last_sweep + every.max(Span::from_secs(1))
    }

    /// When the hall must next do something by itself, as it must say too.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.settings()?;
        let due = self.due.first().map(|(due, _)| *due);
        Some(due.map_or(self.next_sweep(), |due| due.min(self.next_sweep())))
    }

    /// Updates when the hall must next act by itself in a game that a step has changed.
    fn keep_due(&mut self, game: GameId) {
        if let Some(old) = self.due_of.remove(&game) {
            self.due.remove(&(old, game));
        }
        if let Some(due) = self.rooms.get(&game).and_then(room::Room::due) {
            self.due_of.insert(game, due);
            self.due.insert((due, game));
        }
    }

    /// The same as `due`, from the games themselves.
    fn count_due(&self) -> BTreeSet<(Timestamp, GameId)> {
        self.live.iter().filter_map(|game| Some((self.rooms.get(game)?.due()?, *game))).collect()
    }
}

/// What the interface offers to agents; registration comes before there is an agent.
fn is_for_agents(what: &Command) -> bool {
    match what {
        Command::Desk(DeskCommand::FileHomologation { .. })
        | Command::Desk(DeskCommand::JoinLobby(_))
        | Command::Desk(DeskCommand::LeaveLobby(_))
        | Command::Room(RoomCommand::Submit(_))
        | Command::Desk(DeskCommand::PostFeedback(_))
        | Command::Doorbell(DoorbellCommand::Register { .. })
        | Command::Doorbell(DoorbellCommand::BeginVerification)
        | Command::Doorbell(DoorbellCommand::Disable) => true,
        Command::Desk(DeskCommand::RegisterAgent(_))
        | Command::Governance(_)
        | Command::Room(RoomCommand::Adjudicate { .. })
        | Command::Room(RoomCommand::Vacate { .. })
        | Command::Hall(_)
        | Command::Room(RoomCommand::ExtendForGap { .. })
        | Command::Room(RoomCommand::ReceiveBeacon { .. })
        | Command::Doorbell(DoorbellCommand::Confirm { .. })
        | Command::Doorbell(DoorbellCommand::ReportRing(_)) => false,
    }
}
