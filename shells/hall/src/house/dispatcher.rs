//! Sends agents of the house to lobbies in which guests wait.

use super::house_agent::HouseAgent;
use super::member::{HouseKey, HouseOperator, Member, has_room};
use hall_client::Link;
use hall_core::{Hall, Lobby};
use hall_driver::Engine;
use hall_games::CATALOG;
use hall_wire::{AgentId, OperatorId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::task::{AbortHandle, JoinSet};

/// The agents of the house at play, until this is dropped.
pub(super) struct Dispatcher {
    /// The next to be sent stands first.
    members: Vec<Member>,
    agents: BTreeMap<AgentId, Arc<HouseAgent>>,
    /// Calls that are not settled.
    pending: Vec<Call>,
    tasks: JoinSet<()>,
    link: Link,
    engine: Engine,
    own: BTreeSet<AgentId>,
}

/// An agent that has been sent to a lobby.
struct Call {
    agent: AgentId,
    lobby: Lobby,
    task: AbortHandle,
}

impl Dispatcher {
    /// Those who are registered go on with their games at once; others are registered when they are needed.
    pub(super) fn new(members: Vec<Member>, link: Link, engine: Engine) -> Self {
        let own = members.iter().flat_map(|member| &member.keys).map(|key| key.key.agent_id()).collect();
        let (agents, pending, tasks) = (BTreeMap::new(), Vec::new(), JoinSet::new());
        let mut dispatcher = Self { members, agents, pending, tasks, link, engine, own };
        let is_known =
            |key: &HouseKey| dispatcher.engine.peek(|hall| hall.desk().agent(&key.key.agent_id()).is_some());
        let known: Vec<(usize, HouseKey)> = dispatcher
            .members
            .iter()
            .enumerate()
            .flat_map(|(place, member)| member.keys.iter().map(move |key| (place, key)))
            .filter(|(_, key)| is_known(key))
            .map(|(place, key)| (place, key.clone()))
            .collect();
        for (place, key) in known {
            let _ = dispatcher.agent(place, &key);
        }
        dispatcher
    }

    /// The lobbies in which a guest waits whom the house could play, and in which no agent of the house waits or has been sent.
    pub(super) fn lobbies_with_guests(&mut self) -> Vec<Lobby> {
        self.pending.retain(|call| !call.task.is_finished());
        while self.tasks.try_join_next().is_some() {}
        let is_called = |lobby: Lobby| self.pending.iter().any(|call| call.lobby == lobby);
        let lobbies = self.engine.peek(|hall| lobbies_with_guests(hall, &self.own));
        lobbies.into_iter().filter(|lobby| !is_called(*lobby)).collect()
    }

    /// Sends agents to a lobby, one for each seat that its guests leave empty, each of another operator: of the members that
    /// were not sent for longest, so that a guest meets every grade, the first that has room. False if the house cannot fill
    /// the table; then nobody is sent.
    pub(super) fn send(&mut self, lobby: Lobby, at: Timestamp) -> bool {
        let found = self.engine.peek(|hall| {
            let empty = empty_seats(hall, lobby);
            let operators: Vec<HouseOperator> = HouseOperator::all().take(empty).collect();
            (operators.len() == empty).then(|| self.with_room(hall, &operators, lobby, at))?
        });
        let Some(found) = found else { return false };
        let sent: BTreeSet<usize> = found.iter().map(|(place, _)| *place).collect();
        let agents: Option<Vec<_>> = found.iter().map(|(place, key)| self.agent(*place, key)).collect();
        let Some(agents) = agents else { return false };
        for house_agent in agents {
            let agent = house_agent.agent();
            let task = self.tasks.spawn(house_agent.join(lobby));
            self.pending.push(Call { agent, lobby, task });
        }
        // Members whose agents were sent go to the end.
        for place in sent.into_iter().rev() {
            let member = self.members.remove(place);
            self.members.push(member);
        }
        true
    }

    /// An agent of each operator that has room for a game in `lobby`, with the place of its member, of different members as
    /// far as there are enough.
    fn with_room(
        &self,
        hall: &Hall,
        operators: &[HouseOperator],
        lobby: Lobby,
        at: Timestamp,
    ) -> Option<Vec<(usize, HouseKey)>> {
        let settings = hall.settings()?;
        let can_come = |member: &Member, key: &HouseKey| {
            let agent = key.key.agent_id();
            let calls = self.pending.iter().filter(|call| call.agent == agent).count();
            has_room(hall.desk(), settings, at, &agent, lobby, calls)
                && member.handle(hall.desk(), key).is_some()
        };
        let mut found: Vec<(usize, HouseKey)> = Vec::new();
        for operator in operators {
            let mut places: Vec<usize> = (0..self.members.len()).collect();
            places.sort_by_key(|place| found.iter().filter(|(taken, _)| taken == place).count());
            found.push(places.into_iter().find_map(|place| {
                let member = self.members.get(place)?;
                let mut keys = member.keys.iter().filter(|key| key.operator == *operator);
                Some((place, keys.find(|key| can_come(member, key))?.clone()))
            })?);
        }
        Some(found)
    }

    /// The agent with this key at play; `None` if no name is free for it.
    fn agent(&mut self, place: usize, key: &HouseKey) -> Option<Arc<HouseAgent>> {
        let agent = key.key.agent_id();
        if let Some(house_agent) = self.agents.get(&agent) {
            return Some(Arc::clone(house_agent));
        }
        let member = self.members.get(place)?;
        let handle = self.engine.peek(|hall| member.handle(hall.desk(), key))?;
        let style = member.style.clone();
        let house_agent = HouseAgent::new(handle, key.clone(), style, self.link.clone(), self.engine.clone());
        let house_agent = Arc::new(house_agent);
        self.tasks.spawn(Arc::clone(&house_agent).answer_turns());
        self.agents.insert(agent, Arc::clone(&house_agent));
        Some(house_agent)
    }
}

/// How many seats of a table the guests of a lobby leave empty: guests of one operator sit at different tables. At least
/// one, because guests who fill a table need nobody.
fn empty_seats(hall: &Hall, lobby: Lobby) -> usize {
    let desk = hall.desk();
    let game = CATALOG.find(lobby.variant.game.as_str());
    let players = game.and_then(|game| game.describe().players_of(lobby.variant.variant.as_str()));
    let seats = players.map_or(2, |players| usize::from(players.min));
    let guests = desk.waiting_in(lobby).filter(|agent| can_play(hall, agent));
    let operators: BTreeSet<OperatorId> =
        guests.filter_map(|agent| Some(desk.agent(agent)?.operator)).collect();
    seats.saturating_sub(operators.len()).max(1)
}

fn lobbies_with_guests(hall: &Hall, own: &BTreeSet<AgentId>) -> Vec<Lobby> {
    let desk = hall.desk();
    let needs_us = |lobby: Lobby| {
        // If an agent of the house already waits there unpaired, another one would not be paired either.
        let none_of_us = desk.waiting_in(lobby).all(|agent| !own.contains(agent));
        none_of_us && desk.waiting_in(lobby).any(|agent| can_play(hall, agent))
    };
    desk.lobbies().map(|(lobby, _)| lobby).filter(|lobby| needs_us(*lobby)).collect()
}

/// Whether a waiting agent can be paired: not if it has reached its cap of games in the meantime.
fn can_play(hall: &Hall, agent: &AgentId) -> bool {
    hall.settings().is_none_or(|settings| hall.desk().games_left(agent, settings) != Some(0))
}
