//! Who of the house comes when a guest waits.

use super::member::{Member, has_room};
use super::player::Player;
use hall_client::{Key, Link};
use hall_core::desk::Desk;
use hall_core::{Hall, Lobby};
use hall_driver::Engine;
use hall_wire::{AgentId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::task::{AbortHandle, JoinSet};

/// The members of the house at play, until this is dropped.
pub(super) struct Staff {
    /// Whose turn to come it is stands first.
    members: Vec<Member>,
    players: BTreeMap<AgentId, Arc<Player>>,
    /// Calls that are not settled.
    on_the_way: Vec<Call>,
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

impl Staff {
    /// Those who are registered go on with their games at once; others are registered when they are needed.
    pub(super) fn new(members: Vec<Member>, link: Link, engine: Engine) -> Self {
        let own = members.iter().flat_map(|member| &member.keys).map(Key::agent_id).collect();
        let (players, on_the_way, tasks) = (BTreeMap::new(), Vec::new(), JoinSet::new());
        let mut staff = Self { members, players, on_the_way, tasks, link, engine, own };
        let is_known = |key: &Key| staff.engine.peek(|hall| hall.desk().agent(&key.agent_id()).is_some());
        let known: Vec<(usize, Key)> = staff
            .members
            .iter()
            .enumerate()
            .flat_map(|(place, member)| member.keys.iter().map(move |key| (place, key)))
            .filter(|(_, key)| is_known(key))
            .map(|(place, key)| (place, key.clone()))
            .collect();
        for (place, key) in known {
            let _ = staff.player(place, &key);
        }
        staff
    }

    /// The lobbies in which a guest waits whom the house could play, and nobody of the house waits or is on the way.
    pub(super) fn lobbies_with_guests(&mut self) -> Vec<Lobby> {
        self.on_the_way.retain(|call| !call.task.is_finished());
        while self.tasks.try_join_next().is_some() {}
        let coming = |lobby: Lobby| self.on_the_way.iter().any(|call| call.lobby == lobby);
        let lobbies = self.engine.peek(|hall| lobbies_with_guests(hall, &self.own));
        lobbies.into_iter().filter(|lobby| !coming(*lobby)).collect()
    }

    /// Sends an agent to a lobby: of the member that has not come for longest, so that a guest meets every grade, the
    /// first that has room. False if nobody has.
    pub(super) fn send(&mut self, lobby: Lobby, at: Timestamp) -> bool {
        let found = self.engine.peek(|hall| self.first_with_room(hall, lobby, at));
        let Some((place, key)) = found else { return false };
        let Some(player) = self.player(place, &key) else { return false };
        let agent = player.agent();
        let task = self.tasks.spawn(player.come(lobby));
        self.on_the_way.push(Call { agent, lobby, task });
        let member = self.members.remove(place);
        self.members.push(member);
        true
    }

    fn first_with_room(&self, hall: &Hall, lobby: Lobby, at: Timestamp) -> Option<(usize, Key)> {
        let settings = hall.settings()?;
        let can_come = |member: &Member, key: &Key| {
            let agent = key.agent_id();
            let calls = self.on_the_way.iter().filter(|call| call.agent == agent).count();
            has_room(hall.desk(), settings, at, &agent, lobby, calls)
                && member.handle(hall.desk(), key).is_some()
        };
        self.members.iter().enumerate().find_map(|(place, member)| {
            let key = member.keys.iter().find(|key| can_come(member, key))?;
            Some((place, key.clone()))
        })
    }

    /// The agent with this key at play; `None` if no name is free for it.
    fn player(&mut self, place: usize, key: &Key) -> Option<Arc<Player>> {
        if let Some(player) = self.players.get(&key.agent_id()) {
            return Some(Arc::clone(player));
        }
        let member = self.members.get(place)?;
        let handle = self.engine.peek(|hall| member.handle(hall.desk(), key))?;
        let style = member.style.clone();
        let player = Player::new(handle, key.clone(), style, self.link.clone(), self.engine.clone());
        let player = Arc::new(player);
        self.tasks.spawn(Arc::clone(&player).answer_turns());
        self.players.insert(key.agent_id(), Arc::clone(&player));
        Some(player)
    }
}

fn lobbies_with_guests(hall: &Hall, own: &BTreeSet<AgentId>) -> Vec<Lobby> {
    let desk = hall.desk();
    let cap = hall
        .settings()
        .and_then(|settings| usize::try_from(settings.concurrent_games).ok())
        .unwrap_or_default();
    let needs_us = |lobby: Lobby| {
        // If an agent of the house already waits there unpaired, another one would not be paired either.
        let none_of_us = desk.waiting_in(lobby).all(|agent| !own.contains(agent));
        none_of_us && desk.waiting_in(lobby).any(|agent| can_play(desk, agent, cap))
    };
    desk.lobbies().map(|(lobby, _)| lobby).filter(|lobby| needs_us(*lobby)).collect()
}

/// Whether a waiting agent can be paired: not if it has reached its cap of games in the meantime.
fn can_play(desk: &Desk, agent: &AgentId, cap: usize) -> bool {
    cap == 0 || desk.live_games(agent).count() < cap
}
