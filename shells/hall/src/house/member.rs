//! One place among the agents of the house: an agent of some strength, and those that relieve it.
//!
//! An agent of the house is bound by the same quotas as any other: so many joins a day, so many games at once. So that
//! guests who use those up, or let their games lie, keep no newcomer from an opponent, a member of the house is not one
//! agent but several: the next is registered when those before it have no room left.

use hall_client::{Key, KeyError, Origin};
use hall_core::desk::Desk;
use hall_core::{HallSettings, Lobby};
use hall_tools::agent::Style;
use hall_wire::{AgentId, Digest, Handle, Timestamp};

/// How many agents a member is at most. It bounds what guests can make the house write into the permanent log.
pub(super) const AGENTS_EACH: usize = 9;

/// A member of the house.
pub(super) struct Member {
    pub(super) number: usize,
    pub(super) grade: &'static str,
    pub(super) style: Style,
    /// The keys of its agents, in the order in which they come.
    pub(super) keys: Vec<Key>,
}

impl Member {
    /// The member with this number, from 1. Its keys follow from `secret`.
    ///
    /// # Errors
    /// Never in practice: keys made of a hash are keys.
    pub(super) fn new(
        number: usize,
        (grade, style): (&'static str, Style),
        secret: &[u8; 32],
        hall: &Origin,
        token: &str,
    ) -> Result<Self, KeyError> {
        let keys = (1..=AGENTS_EACH).map(|shift| {
            // The first is named by its number alone, as it was when it was the only one.
            let name = if shift == 1 { number.to_string() } else { format!("{number}.{shift}") };
            let seed = Digest::of_parts(&[b"svc.house.agent.v1", secret, name.as_bytes()]);
            Key::from_seed(hall, seed.as_bytes(), token)
        });
        Ok(Self { number, grade, style, keys: keys.collect::<Result<_, _>>()? })
    }

    /// The name of the agent with this key: the one that it is registered under, else one that is free: `house-3-search`
    /// or, for those that come later, `house-3-search-2`, with a letter added if the name is taken.
    pub(super) fn handle(&self, desk: &Desk, key: &Key) -> Option<Handle> {
        if let Some(agent) = desk.agent(&key.agent_id()) {
            return Some(agent.handle.clone());
        }
        let shift = self.keys.iter().position(|known| known.agent_id() == key.agent_id())?;
        let shift = if shift == 0 { String::new() } else { format!("-{}", shift + 1) };
        ["", "-b", "-c", "-d", "-e", "-f"].into_iter().find_map(|ending| {
            let handle = Handle::parse(&format!("house-{}-{}{shift}{ending}", self.number, self.grade))?;
            desk.agent_by_handle(&handle).is_none().then_some(handle)
        })
    }
}

/// Whether an agent, of which `on_the_way` calls are not settled, may join one more game in `lobby`.
pub(super) fn has_room(
    desk: &Desk,
    settings: &HallSettings,
    at: Timestamp,
    agent: &AgentId,
    lobby: Lobby,
    on_the_way: usize,
) -> bool {
    let games = desk.live_games(agent).count();
    let cap = usize::try_from(settings.concurrent_games).unwrap_or(usize::MAX);
    let joins = desk.joins_left(agent, at, settings).and_then(|joins| usize::try_from(joins).ok());
    !desk.is_suspended(agent)
        && (cap == 0 || games + on_the_way < cap)
        && joins.is_none_or(|joins| joins > on_the_way)
        && !desk.lobbies_of(agent).any(|waits_in| waits_in == lobby)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_agents_of_the_house_are_the_same() {
        let hall = Origin::parse("http://hall.test").unwrap();
        let members = (1..=24).map(|number| {
            Member::new(
                number,
                ("random", Style::Random),
                &[7; 32],
                &hall,
                "a token of the house, long enough",
            )
        });
        let keys: Vec<Key> = members.flat_map(|member| member.unwrap().keys).collect();
        let agents: BTreeSet<AgentId> = keys.iter().map(Key::agent_id).collect();
        assert_eq!((keys.len(), agents.len()), (24 * AGENTS_EACH, 24 * AGENTS_EACH));
    }
}
