//! The ledger: everything recounted from the observed facts, and nothing read from the hall's own counters.
//!
//! It believes every fact; whether a fact may be is asked before it is entered. So it must stand whatever it is
//! told, and never panics.

mod game;
mod tally;

pub(super) use game::{Game, Recorded, Vacated, earlier};

use super::texts::Texts;
use crate::reference::Offered;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{DeskFact, Division, Fact, GovernanceFact, HallFact, HallSettings, Lobby, SeasonId, Word};
use hall_wire::{AgentId, GameId, Handle, HomologationId, OperatorId, PublicKey, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// An agent.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub(super) handle: Handle,
    pub(super) key: PublicKey,
    pub(super) operator: OperatorId,
}

/// A homologation entry.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) voided: bool,
    pub(super) hash: hall_wire::Digest,
}

/// The recount.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// The games that the hall offers.
    pub(super) games_offered: Offered,
    pub(super) clock: Timestamp,
    pub(super) settings: Option<HallSettings>,
    pub(super) people: BTreeMap<AgentId, Person>,
    pub(super) handles: BTreeMap<Handle, AgentId>,
    pub(super) suspended: BTreeSet<AgentId>,
    pub(super) banned: BTreeSet<OperatorId>,
    pub(super) seasons: BTreeSet<SeasonId>,
    pub(super) season: Option<SeasonId>,
    pub(super) entries: BTreeMap<HomologationId, Entry>,
    pub(super) standing: BTreeMap<(AgentId, SeasonId, Division), HomologationId>,
    /// Who waits where, the longest first.
    pub(super) lobbies: BTreeMap<Lobby, Vec<AgentId>>,
    pub(super) joins: BTreeMap<(AgentId, i64), u32>,
    pub(super) posts: BTreeMap<(AgentId, i64), u32>,
    pub(super) firsts: BTreeMap<(AgentId, Word), u32>,
    pub(super) games: BTreeMap<GameId, Game>,
    /// Games that have left memory.
    pub(super) archived: BTreeSet<GameId>,
    /// When the hall must act in a live game by itself.
    due: BTreeSet<(Timestamp, GameId)>,
    pub(super) live_of: BTreeMap<AgentId, BTreeSet<GameId>>,
    pub(super) begun: u64,
    pub(super) ended: u64,
    pub(super) docket: u64,
    pub(super) last_sweep: Timestamp,
    /// The fault-free phase has begun.
    pub(super) calm_since: Option<Timestamp>,
    /// The texts of the facts that are checked.
    pub(super) texts: Texts,
}

impl Ledger {
    pub(super) fn is_suspended(&self, agent: &AgentId) -> bool {
        self.suspended.contains(agent)
            || self.people.get(agent).is_some_and(|person| self.banned.contains(&person.operator))
    }

    pub(super) fn operator(&self, agent: &AgentId) -> Option<OperatorId> {
        self.people.get(agent).map(|person| person.operator)
    }

    /// Whether a live game seats both.
    pub(super) fn sit_together(&self, one: &AgentId, other: &AgentId) -> bool {
        let none = BTreeSet::new();
        let games = |agent| self.live_of.get(agent).unwrap_or(&none);
        !games(one).is_disjoint(games(other))
    }

    pub(super) fn waits(&self, agent: &AgentId, lobby: &Lobby) -> bool {
        self.lobbies.get(lobby).is_some_and(|waiting| waiting.contains(agent))
    }

    pub(super) fn live_games(&self, agent: &AgentId) -> usize {
        self.live_of.get(agent).map_or(0, BTreeSet::len)
    }

    pub(super) fn is_under_cap(&self, agent: &AgentId) -> bool {
        let cap = self.settings.as_ref().map_or(0, |settings| settings.concurrent_games);
        cap == 0 || self.live_games(agent) < usize::try_from(cap).unwrap_or(usize::MAX)
    }

    /// How many an agent has of a daily count on the day of `at`.
    pub(super) fn of_day(counts: &BTreeMap<(AgentId, i64), u32>, agent: &AgentId, at: Timestamp) -> u32 {
        counts.get(&(*agent, at.as_millis().div_euclid(86_400_000))).copied().unwrap_or(0)
    }

    /// The standing entry of an agent for a division in the open season.
    pub(super) fn standing_now(&self, agent: &AgentId, division: Division) -> Option<HomologationId> {
        let season = self.season.clone()?;
        self.standing.get(&(*agent, season, division)).copied()
    }

    /// The agents that must be seated next in a lobby: the longest-waiting one, and of other operators one each, the
    /// longest-waiting.
    pub(super) fn next_group(&self, lobby: &Lobby) -> Option<Vec<AgentId>> {
        let waiting = self.lobbies.get(lobby)?;
        let seats = self.games_offered.seats(lobby.variant);
        let mut operators = BTreeSet::new();
        let able = waiting.iter().copied().filter(|agent| self.is_under_cap(agent));
        // Only the one that waits first can be the first of a group: any other needs as many other operators.
        let group = able.filter(|agent| operators.insert(self.operator(agent))).take(seats);
        Some(group.collect()).filter(|group: &Vec<AgentId>| group.len() == seats)
    }

    /// When a pairing sweep is due.
    pub(super) fn next_sweep(&self) -> Option<Timestamp> {
        let every = self.settings.as_ref()?.sweep_every;
        Some(self.last_sweep + every.max(hall_wire::Span::from_secs(1)))
    }

    /// The game in which the hall must act first by itself, and when.
    pub(super) fn first_due(&self) -> Option<(Timestamp, GameId)> {
        self.due.first().copied()
    }

    /// When the hall must next act by itself.
    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        let due = self.first_due().map(|(due, _)| due);
        let sweep = self.next_sweep()?;
        Some(due.map_or(sweep, |due| due.min(sweep)))
    }

    /// Enters a fact.
    pub(super) fn apply(&mut self, fact: &Fact) {
        self.clock = self.clock.max(fact.at());
        let day = fact.at().as_millis().div_euclid(86_400_000);
        match fact {
            Fact::Hall(HallFact::SettingsSet { settings, .. }) => self.settings = Some(settings.clone()),
            Fact::Desk(DeskFact::AgentRegistered { agent, handle, key, operator, .. }) => {
                self.handles.insert(handle.clone(), *agent);
                let person = Person { handle: handle.clone(), key: *key, operator: *operator };
                self.people.insert(*agent, person);
            }
            Fact::Desk(DeskFact::HomologationFiled { id, agent, season, filing, hash, voids, .. }) => {
                if let Some(old) = voids.and_then(|old| self.entries.get_mut(&old)) {
                    old.voided = true;
                }
                let (agent, season, division) = (*agent, season.clone(), filing.division);
                self.standing.insert((agent, season, division), *id);
                self.entries.insert(*id, Entry { voided: false, hash: *hash });
            }
            Fact::Governance(GovernanceFact::SeasonOpened { season, .. }) => {
                self.seasons.insert(season.clone());
                self.season = Some(season.clone());
            }
            Fact::Governance(GovernanceFact::SeasonClosed { .. }) => {
                self.season = None;
                self.lobbies.clear();
            }
            Fact::Desk(DeskFact::LobbyJoined { agent, lobby, .. }) => {
                self.lobbies.entry(*lobby).or_default().push(*agent);
                *self.joins.entry((*agent, day)).or_default() += 1;
            }
            Fact::Desk(DeskFact::LobbyLeft { agent, lobby, .. }) => self.leave(agent, lobby),
            Fact::Desk(DeskFact::LobbiesSwept { at }) => self.last_sweep = *at,
            Fact::Room(fact) => self.apply_room(fact),
            Fact::Hall(HallFact::GameArchived { game, .. }) => {
                self.games.remove(game);
                self.archived.insert(*game);
            }
            Fact::Desk(DeskFact::FeedbackPosted { agent, .. }) => {
                *self.posts.entry((*agent, day)).or_default() += 1
            }
            Fact::Governance(GovernanceFact::DocketEntered { .. }) => self.docket += 1,
            Fact::Governance(GovernanceFact::AgentSuspended { agent, .. }) => {
                self.suspended.insert(*agent);
            }
            Fact::Governance(GovernanceFact::AgentRestored { agent, .. }) => {
                self.suspended.remove(agent);
            }
            Fact::Governance(GovernanceFact::OperatorSuspended { operator, .. }) => {
                self.banned.insert(*operator);
                let people = &self.people;
                let own =
                    |agent: &AgentId| people.get(agent).is_some_and(|known| known.operator == *operator);
                self.lobbies.values_mut().for_each(|waiting| waiting.retain(|agent| !own(agent)));
                self.lobbies.retain(|_, waiting| !waiting.is_empty());
            }
            Fact::Governance(GovernanceFact::OperatorRestored { operator, .. }) => {
                self.banned.remove(operator);
            }
            Fact::Hall(HallFact::KeyPublished { .. })
            | Fact::Desk(DeskFact::GameRated { .. })
            | Fact::Hall(HallFact::CheckpointTaken { .. })
            | Fact::Governance(GovernanceFact::TextWithheld { .. })
            | Fact::Doorbell(_)
            | Fact::Hall(HallFact::RulesOffered { .. })
            | Fact::Hall(HallFact::Stopped { .. }) => {}
        }
    }

    fn leave(&mut self, agent: &AgentId, lobby: &Lobby) {
        if let Some(waiting) = self.lobbies.get_mut(lobby) {
            if let Some(place) = waiting.iter().position(|known| known == agent) {
                waiting.remove(place);
            }
            if waiting.is_empty() {
                self.lobbies.remove(lobby);
            }
        }
    }

    fn apply_room(&mut self, fact: &RoomFact) {
        if let RoomChange::Started(terms) = &fact.change {
            let lobby = Lobby { variant: terms.variant, division: terms.division };
            for seat in &terms.seats {
                self.leave(&seat.agent, &lobby);
                self.live_of.entry(seat.agent).or_default().insert(fact.game);
            }
            if let Some(first) = terms.seats.first() {
                *self.firsts.entry((first.agent, terms.variant.game)).or_default() += 1;
            }
            self.begun += 1;
            let game = Game::begin(fact, terms, self.games_offered);
            self.due.extend(game.due().map(|due| (due, fact.game)));
            self.games.insert(fact.game, game);
            return;
        }
        let Some(game) = self.games.get_mut(&fact.game) else { return };
        let was_live = game.is_live();
        if let Some(due) = game.due() {
            self.due.remove(&(due, fact.game));
        }
        game.apply(fact);
        self.due.extend(game.due().map(|due| (due, fact.game)));
        if was_live && !game.is_live() {
            self.ended += 1;
            for seat in &game.terms.seats {
                if let Some(live) = self.live_of.get_mut(&seat.agent) {
                    live.remove(&fact.game);
                }
            }
        }
    }
}
