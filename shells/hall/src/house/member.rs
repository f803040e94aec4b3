//! One place among the agents of the house: an agent of some strength, and those that take its place.
//!
//! An agent of the house is bound by the same quotas as any other: so many joins a day, so many games at once. So that
//! guests who use those up, or let their games lie, keep no newcomer from an opponent, a member of the house is not one
//! agent but several: the next is registered when those before it have no room left.
//!
//! Agents of one operator never sit at one table, so the house has as many operators as seats that it may have to fill
//! beside one guest, and every member has agents of each.

use hall_client::{Key, KeyError, Origin};
use hall_core::desk::Desk;
use hall_core::{HallSettings, Lobby};
use hall_games::CATALOG;
use hall_tools::agent::Style;
use hall_wire::{AgentId, Digest, Handle, Timestamp};

/// How many agents of one operator a member is at most. It bounds what guests can make the house write into the permanent
/// log.
pub(super) const AGENTS_EACH: usize = 9;

/// An operator of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HouseOperator {
    /// From 1.
    number: usize,
}

impl HouseOperator {
    /// All of them: one less than the largest table of the catalog has seats.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let seats = CATALOG.iter().flat_map(|game| {
            let described = game.describe();
            described
                .variant_ids()
                .filter_map(move |variant| described.players_of(variant))
                .map(|players| players.min)
        });
        let most = seats.max().map_or(1, |seats| usize::from(seats).saturating_sub(1));
        (1..=most).map(|number| Self { number })
    }

    /// How it is called.
    pub(super) fn name(self) -> String {
        if self.number == 1 { "The house".to_owned() } else { format!("The house {}", self.number) }
    }

    /// Its operator token. `secret` never changes.
    fn token(self, secret: &[u8; 32]) -> String {
        let first: &[&[u8]] = &[b"svc.house.operator.v1", secret];
        let number = self.number.to_string();
        // The first is named by the secret alone, as it was when it was the only one.
        let parts = if self.number == 1 { first.to_vec() } else { [first, &[number.as_bytes()]].concat() };
        Digest::of_parts(&parts).to_hex()
    }
}

/// A key of an agent of the house, and whose it is.
#[derive(Clone, Debug)]
pub(super) struct HouseKey {
    pub(super) key: Key,
    pub(super) operator: HouseOperator,
    /// Which of the agents of its member and operator it is, from 1.
    ordinal: usize,
}

/// A member of the house.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) number: usize,
    pub(super) grade: &'static str,
    pub(super) style: Style,
    /// The keys of its agents, those of one operator in the order in which they come.
    pub(super) keys: Vec<HouseKey>,
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
    ) -> Result<Self, KeyError> {
        let agents = HouseOperator::all()
            .flat_map(|operator| (1..=AGENTS_EACH).map(move |ordinal| (operator, ordinal)));
        let keys = agents.map(|(operator, ordinal)| {
            // The first is named by its number alone, as it was when it was the only one.
            let mut name = number.to_string();
            if ordinal > 1 {
                name.push_str(&format!(".{ordinal}"));
            }
            if operator.number > 1 {
                name.push_str(&format!(" of {}", operator.number));
            }
            let seed = Digest::of_parts(&[b"svc.house.agent.v1", secret, name.as_bytes()]);
            let key = Key::from_seed(hall, seed.as_bytes(), &operator.token(secret))?;
            Ok(HouseKey { key, operator, ordinal })
        });
        Ok(Self { number, grade, style, keys: keys.collect::<Result<_, KeyError>>()? })
    }

    /// The name of the agent with this key: the one that it is registered under, else one that is free: `house-3-search`,
    /// `house-3-search-2` for those that come later, `house-3-search-op2` for those of other operators, with a letter added
    /// if the name is taken.
    pub(super) fn handle(&self, desk: &Desk, key: &HouseKey) -> Option<Handle> {
        if let Some(agent) = desk.agent(&key.key.agent_id()) {
            return Some(agent.handle.clone());
        }
        let numbered =
            |word: &str, number: usize| if number == 1 { String::new() } else { format!("-{word}{number}") };
        let (operator, ordinal) = (numbered("op", key.operator.number), numbered("", key.ordinal));
        ["", "-b", "-c", "-d", "-e", "-f"].into_iter().find_map(|ending| {
            let handle =
                Handle::parse(&format!("house-{}-{}{operator}{ordinal}{ending}", self.number, self.grade))?;
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
    pending: usize,
) -> bool {
    let pending = u32::try_from(pending).unwrap_or(u32::MAX);
    let allows_one_more = |left: Option<u32>| left.is_none_or(|left| left > pending);
    !desk.is_suspended(agent)
        && allows_one_more(desk.games_left(agent, settings))
        && allows_one_more(desk.joins_left(agent, at, settings))
        && !desk.lobbies_of(agent).any(|waits_in| waits_in == lobby)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn members(hall: &Origin) -> Vec<Member> {
        let member = |number| Member::new(number, ("random", Style::Random), &[7; 32], hall).unwrap();
        (1..=24).map(member).collect()
    }

    #[test]
    fn no_two_agents_of_the_house_are_the_same() {
        let hall = Origin::parse("http://hall.test").unwrap();
        let keys: Vec<HouseKey> = members(&hall).into_iter().flat_map(|member| member.keys).collect();
        let agents: BTreeSet<AgentId> = keys.iter().map(|key| key.key.agent_id()).collect();
        let all = 24 * AGENTS_EACH * HouseOperator::all().count();
        assert_eq!((keys.len(), agents.len()), (all, all));
    }

    #[test]
    fn the_house_can_fill_the_largest_table_around_one_guest() {
        let hall = Origin::parse("http://hall.test").unwrap();
        let member = members(&hall).remove(0);
        let names: BTreeSet<String> = member.keys.iter().map(|key| key.operator.name()).collect();
        assert_eq!(
            names.iter().map(String::as_str).collect::<Vec<_>>(),
            ["The house", "The house 2", "The house 3"]
        );
        let tokens: BTreeSet<(&str, String)> =
            member.keys.iter().map(|key| (key.key.operator_token(), key.operator.name())).collect();
        assert_eq!(tokens.len(), 3, "one token for each operator");
    }

    #[test]
    fn the_agents_of_earlier_versions_are_still_the_same() {
        let hall = Origin::parse("http://hall.test").unwrap();
        let seed = |name: &str| Digest::of_parts(&[b"svc.house.agent.v1", &[7; 32], name.as_bytes()]);
        let token = Digest::of_parts(&[b"svc.house.operator.v1", &[7; 32]]).to_hex();
        let members = members(&hall);
        for (member, place, name) in [(0, 0, "1"), (0, 1, "1.2"), (2, 8, "3.9")] {
            let key = &members[member].keys[place].key;
            let before = Key::from_seed(&hall, seed(name).as_bytes(), &token).unwrap();
            assert_eq!((key.agent_id(), key.operator_token()), (before.agent_id(), token.as_str()), "{name}");
        }
    }
}
