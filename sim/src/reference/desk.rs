//! What the reference expects of the commands that concern agents, homologations, lobbies, quotas and seasons.

use super::Reference;
use super::docket;
use super::expectation::Expectation;
use super::game::Offered;
use super::play::until_tomorrow;
use super::text;
use super::words;
use hall_core::desk::{Agent, Operator, Season};
use hall_core::{
    Answer, Caller, DeskFact, Division, DocketKind, Fact, Filing, GameVariant, GovernanceFact, JoinLobby,
    LeaveCause, Lobby, NewAgent, NewFeedback, Rejection, Reply, SeasonId, ToolAccess, Word,
};
use hall_wire::{AgentId, Digest, FeedbackId, Handle, HomologationId, OperatorId, Timestamp};
use serde_json::json;
use std::collections::BTreeMap;

/// A homologation entry; none is ever forgotten here.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) agent: AgentId,
    pub(super) season: SeasonId,
    pub(super) filing: Filing,
    pub(super) hash: Digest,
    pub(super) created_at: Timestamp,
    pub(super) voided_at: Option<Timestamp>,
    pub(super) ratings: BTreeMap<GameVariant, hall_core::desk::Rating>,
}

impl Reference {
    pub(super) fn is_suspended(&self, agent: &AgentId) -> bool {
        let by_operator =
            |agent: &Agent| self.operators.get(&agent.operator).is_some_and(|known| known.suspended);
        self.suspended.contains(agent) || self.agents.get(agent).is_some_and(by_operator)
    }

    /// The registered agent that asks and may write.
    pub(super) fn writer(&self, who: Caller) -> Result<AgentId, Rejection> {
        let Caller::Agent(agent) = who else { return Err(Rejection::NotYourAgent) };
        if !self.agents.contains_key(&agent) {
            return Err(Rejection::AgentNotFound);
        }
        if self.is_suspended(&agent) { Err(Rejection::AgentSuspended) } else { Ok(agent) }
    }

    pub(super) fn register(&mut self, step: &mut Expectation<'_>, new: &NewAgent) -> Answer {
        let at = step.at;
        let key = text::hex(new.key.as_bytes());
        let hash = text::sha256(&format!("svc.agent.v1:{key}"));
        let agent = AgentId::from_bytes(hash.as_bytes().first_chunk().copied().unwrap_or_default());
        let suspended = self.operators.get(&new.operator).is_some_and(|operator| operator.suspended);
        if suspended || self.is_suspended(&agent) {
            return Err(Rejection::AgentSuspended);
        }
        if self.handles.contains_key(&new.handle) {
            return Err(Rejection::HandleTaken);
        }
        if self.registered_keys.contains(&new.key) {
            return Err(Rejection::KeyAlreadyRegistered);
        }
        let operator_name =
            if self.operators.contains_key(&new.operator) { None } else { new.operator_name.clone() };
        let leaf = text::canonical(&json!({
            "kind": "registration",
            "created_at": text::time(at),
            "handle": new.handle.as_str(),
            "agent_id": text::id('a', agent.as_bytes()),
            "pubkey_ed25519": key,
            "operator_id": text::id('o', new.operator.as_bytes()),
        }));
        let name = operator_name.clone().map(String::into_boxed_str);
        self.operators.entry(new.operator).or_insert(Operator { name, suspended: false });
        self.handles.insert(new.handle.clone(), agent);
        self.registered_keys.insert(new.key);
        let known = Agent {
            id: agent,
            handle: new.handle.clone(),
            key: new.key,
            operator: new.operator,
            model_id: new.model_id.clone().into_boxed_str(),
            adapter_kind: new.adapter_kind,
            created_at: at,
        };
        self.agents.insert(agent, known);
        step.agents.insert(agent);
        step.facts.push(Fact::Desk(DeskFact::AgentRegistered {
            at,
            agent,
            handle: new.handle.clone(),
            key: new.key,
            operator: new.operator,
            operator_name,
            model_id: new.model_id.clone(),
            adapter_kind: new.adapter_kind,
            leaf,
        }));
        Ok(Reply::Registered { agent, operator: new.operator })
    }

    pub(super) fn file(
        &mut self,
        step: &mut Expectation<'_>,
        who: Caller,
        asked: AgentId,
        filing: &Filing,
    ) -> Answer {
        let agent = self.writer(who)?;
        if !self.agents.contains_key(&asked) {
            return Err(Rejection::AgentNotFound);
        }
        if agent != asked {
            return Err(Rejection::NotYourAgent);
        }
        let division = filing.division;
        if division == Division::Pure && filing.tool_access != ToolAccess::Pure {
            return Err(Rejection::DivisionMismatch);
        }
        let season = self.current_season().cloned().ok_or(Rejection::SeasonNotFound)?;
        if filing.season_id != "current" && filing.season_id != season.as_str() {
            return Err(Rejection::SeasonNotFound);
        }
        let filing = Filing { season_id: season.to_string(), ..filing.clone() };
        let hash = text::sha256(&text::canonical(&json!({
            "agent_id": text::id('a', agent.as_bytes()),
            "season_id": filing.season_id,
            "division": words::division(division),
            "model_id": filing.model_id,
            "adapter_kind": words::adapter_kind(filing.adapter_kind),
            "endpoint_url": filing.endpoint_url,
            "system_prompt_sha256": text::digest(&filing.system_prompt_sha256),
            "config_sha256": text::digest(&filing.config_sha256),
            "tool_access": words::tool_access(filing.tool_access),
        })));
        step.agents.insert(agent);
        let standing = (agent, season.clone(), division);
        let voids = self.standing.get(&standing).copied();
        let unchanged = voids.filter(|id| self.entries.get(id).is_some_and(|entry| entry.hash == hash));
        if let Some(id) = unchanged {
            return Ok(Reply::Homologated {
                id,
                hash,
                division,
                season,
                voided_previous: None,
                unchanged: true,
            });
        }
        let lobbies: Vec<Lobby> =
            self.lobbies.keys().copied().filter(|lobby| lobby.division == division).collect();
        self.leave_all(step, agent, &lobbies, LeaveCause::Refiled);
        let at = step.at;
        let id = match step.next_found() {
            Some(Fact::Desk(DeskFact::HomologationFiled { id, .. })) => *id,
            _ => HomologationId::from_bytes([0; 16]),
        };
        let is_new = !self.entries.contains_key(&id);
        step.object(is_new, || format!("the homologation id {id} was used before"));
        let leaf = text::canonical(&json!({
            "kind": "homologation",
            "created_at": text::time(at),
            "homologation_id": text::id('h', id.as_bytes()),
            "agent_id": text::id('a', agent.as_bytes()),
            "season_id": season.as_str(),
            "division": words::division(division),
            "hash": text::digest(&hash),
            "voided": voids.map(|id| text::id('h', id.as_bytes())),
        }));
        if let Some(old) = voids.and_then(|id| self.entries.get_mut(&id)) {
            old.voided_at = Some(at);
        }
        self.standing.insert(standing, id);
        let entry = Entry {
            agent,
            season: season.clone(),
            filing: filing.clone(),
            hash,
            created_at: at,
            voided_at: None,
            ratings: BTreeMap::new(),
        };
        self.entries.insert(id, entry);
        step.facts.push(Fact::Desk(DeskFact::HomologationFiled {
            at,
            id,
            agent,
            season: season.clone(),
            filing,
            hash,
            voids,
            leaf,
        }));
        Ok(Reply::Homologated { id, hash, division, season, voided_previous: voids, unchanged: false })
    }

    /// The checks come in the order of decision 4.3.
    pub(super) fn join(&mut self, step: &mut Expectation<'_>, who: Caller, asked: &JoinLobby) -> Answer {
        let agent = self.writer(who)?;
        let lobby = find_lobby(self.games, asked)?;
        let season = self.current_season().cloned().ok_or(Rejection::NotHomologated)?;
        if !self.standing.contains_key(&(agent, season, lobby.division)) {
            return Err(Rejection::NotHomologated);
        }
        if self.lobbies.get(&lobby).is_some_and(|waiting| waiting.contains(&agent)) {
            return Err(Rejection::AlreadyInLobby);
        }
        if self.is_at_cap(&agent) {
            return Err(Rejection::QuotaConcurrent);
        }
        let quota = self.settings().map_or(0, |settings| settings.joins_per_day);
        if quota > 0 && spent(&self.joins, &agent, step.at) >= quota {
            return Err(Rejection::QuotaJoins { retry_after: until_tomorrow(step.at) });
        }
        spend(&mut self.joins, agent, step.at);
        step.agents.insert(agent);
        self.lobbies.entry(lobby).or_default().push(agent);
        step.facts.push(Fact::Desk(DeskFact::LobbyJoined { at: step.at, agent, lobby }));
        let games = self.pair(step, lobby);
        let own = |game: &&hall_wire::GameId| {
            self.rooms.get(game).is_some_and(|room| room.player_of(&agent).is_some())
        };
        Ok(Reply::Joined { lobby, game: games.iter().find(own).copied() })
    }

    pub(super) fn leave(&mut self, step: &mut Expectation<'_>, who: Caller, asked: &JoinLobby) -> Answer {
        let agent = self.writer(who)?;
        let lobby = find_lobby(self.games, asked)?;
        self.leave_all(step, agent, &[lobby], LeaveCause::Left);
        if step.facts.is_empty() { Err(Rejection::NotInLobby) } else { Ok(Reply::Left { lobby }) }
    }

    /// Takes an agent out of those of `lobbies` in which it waits.
    fn leave_all(
        &mut self,
        step: &mut Expectation<'_>,
        agent: AgentId,
        lobbies: &[Lobby],
        cause: LeaveCause,
    ) {
        for lobby in lobbies {
            if self.stop_waiting(&agent, *lobby) {
                step.agents.insert(agent);
                step.facts.push(Fact::Desk(DeskFact::LobbyLeft { at: step.at, agent, lobby: *lobby, cause }));
            }
        }
    }

    pub(super) fn post(&mut self, step: &mut Expectation<'_>, who: Caller, post: &NewFeedback) -> Answer {
        let (agent, at) = (self.writer(who)?, step.at);
        let quota = self.settings().map_or(0, |settings| settings.feedback_per_day);
        if quota > 0 && spent(&self.posts, &agent, at) >= quota {
            return Err(Rejection::FeedbackQuota { retry_after: until_tomorrow(at) });
        }
        let id = match step.next_found() {
            Some(Fact::Desk(DeskFact::FeedbackPosted { id, .. })) => *id,
            _ => FeedbackId::from_bytes([0; 16]),
        };
        let follows = self.last_post.is_none_or(|last| last < id);
        step.object(follows, || format!("the feedback id {id} does not sort after the one before"));
        self.last_post = Some(id);
        spend(&mut self.posts, agent, at);
        step.agents.insert(agent);
        let NewFeedback { kind, subject, body, context } = post.clone();
        step.facts.push(Fact::Desk(DeskFact::FeedbackPosted { at, id, agent, kind, subject, body, context }));
        let left = quota.saturating_sub(spent(&self.posts, &agent, at));
        Ok(Reply::FeedbackTaken { id, remaining_today: (quota > 0).then_some(left) })
    }

    pub(super) fn open_season(
        &mut self,
        step: &mut Expectation<'_>,
        season: &SeasonId,
        is_first: bool,
    ) -> Answer {
        if self.current_season().is_some() {
            return Err(Rejection::SeasonAlreadyOpen);
        }
        if self.seasons.iter().any(|known| known.id == *season) {
            return Err(Rejection::SeasonNameUsed);
        }
        let (at, id) = (step.at, season.clone());
        self.seasons.push(Season { id: id.clone(), opened_at: at, closed_at: None });
        step.facts.push(Fact::Governance(GovernanceFact::SeasonOpened { at, season: id }));
        step.docket(&mut self.docket, DocketKind::Season, docket::season_opened(season, is_first));
        Ok(Reply::Done)
    }

    pub(super) fn close_season(&mut self, step: &mut Expectation<'_>, season: &SeasonId) -> Answer {
        let at = step.at;
        let open = self.seasons.iter_mut().find(|known| known.id == *season && known.closed_at.is_none());
        open.ok_or(Rejection::SeasonNotFound)?.closed_at = Some(at);
        let emptied = std::mem::take(&mut self.lobbies);
        step.agents.extend(emptied.into_values().flatten());
        step.facts.push(Fact::Governance(GovernanceFact::SeasonClosed { at, season: season.clone() }));
        step.docket(&mut self.docket, DocketKind::Season, docket::season_closed(season));
        Ok(Reply::Done)
    }

    /// Suspends (or restores) an agent.
    pub(super) fn suspend_agent(
        &mut self,
        step: &mut Expectation<'_>,
        handle: &Handle,
        reason: &str,
        on: bool,
    ) -> Answer {
        let at = step.at;
        let agent = *self.handles.get(handle).ok_or(Rejection::AgentNotFound)?;
        if self.suspended.contains(&agent) == on {
            return Err(Rejection::NothingToChange);
        }
        step.agents.insert(agent);
        if on {
            let lobbies: Vec<Lobby> = self.lobbies.keys().copied().collect();
            self.leave_all(step, agent, &lobbies, LeaveCause::Suspended);
            self.suspended.insert(agent);
            step.facts.push(Fact::Governance(GovernanceFact::AgentSuspended { at, agent }));
        } else {
            self.suspended.remove(&agent);
            step.facts.push(Fact::Governance(GovernanceFact::AgentRestored { at, agent }));
        }
        step.docket(&mut self.docket, DocketKind::Suspension, docket::of_agent(&agent, on, reason));
        Ok(Reply::Done)
    }

    /// Suspends (or restores) an operator with all its agents.
    pub(super) fn suspend_operator(
        &mut self,
        step: &mut Expectation<'_>,
        operator: OperatorId,
        reason: &str,
        on: bool,
    ) -> Answer {
        let at = step.at;
        let known = self.operators.get_mut(&operator).ok_or(Rejection::OperatorNotFound)?;
        if known.suspended == on {
            return Err(Rejection::NothingToChange);
        }
        known.suspended = on;
        let agents: Vec<AgentId> =
            self.agents.values().filter(|agent| agent.operator == operator).map(|agent| agent.id).collect();
        if on {
            for waiting in self.lobbies.values_mut() {
                waiting.retain(|agent| !agents.contains(agent));
            }
            self.lobbies.retain(|_, waiting| !waiting.is_empty());
        }
        step.agents.extend(agents);
        step.facts.push(if on {
            Fact::Governance(GovernanceFact::OperatorSuspended { at, operator })
        } else {
            Fact::Governance(GovernanceFact::OperatorRestored { at, operator })
        });
        step.docket(&mut self.docket, DocketKind::Suspension, docket::of_operator(&operator, on, reason));
        Ok(Reply::Done)
    }
}

/// The lobby that is asked for, if the game is offered in that variant.
fn find_lobby(games: Offered, asked: &JoinLobby) -> Result<Lobby, Rejection> {
    let terms = games.terms(&asked.game).zip(Word::parse(&asked.game));
    let (terms, game) = terms.ok_or(Rejection::GameUnknown)?;
    let is_offered =
        |variant: &str| variant == "standard" || terms.variants.iter().any(|known| known.id == variant);
    let variant = Word::parse(&asked.variant).filter(|variant| is_offered(variant.as_str()));
    let variant = GameVariant { game, variant: variant.ok_or(Rejection::VariantUnknown)? };
    Ok(Lobby { variant, division: asked.division })
}

/// What an agent has spent on the UTC day of `at`.
pub(super) fn spent(purse: &BTreeMap<AgentId, (i64, u32)>, agent: &AgentId, at: Timestamp) -> u32 {
    purse.get(agent).filter(|(day, _)| *day == day_of(at)).map_or(0, |(_, count)| *count)
}

fn spend(purse: &mut BTreeMap<AgentId, (i64, u32)>, agent: AgentId, at: Timestamp) {
    let count = spent(purse, &agent, at) + 1;
    purse.insert(agent, (day_of(at), count));
}

fn day_of(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(86_400_000)
}
