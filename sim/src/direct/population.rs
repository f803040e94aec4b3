//! The agents of a world, each with a name, a key and an operator that follow from its seed.

use super::actor::Actor;
use crate::agents::{AgentProfile, Identity, VirtualAgent};
use crate::dice::Dice;
use crate::plan::WorldPlan;
use hall_wire::key::PrivateKey;
use hall_wire::{Digest, Handle, OperatorId};

/// The agents of a plan.
pub(crate) fn actors(plan: &WorldPlan) -> Vec<Actor> {
    let mut rings = 0_u32;
    let mut before: Option<PrivateKey> = None;
    let make = |(place, name): (usize, &&'static str)| {
        let number = u64::try_from(place).unwrap_or(0);
        let mut dice = Dice::of(plan.seed, "agent", number);
        let named = AgentProfile::named(name, &mut dice);
        // Where many games are played, some are shorter than a game of chess and some are longer.
        let resigns_after = named.resigns_after * if plan.games.is_empty() { 1 } else { 2 };
        let profile = AgentProfile { widest_race: plan.widest_race, resigns_after, ..named };
        let own = PrivateKey::from_seed(&dice.bytes());
        let key = before.take().filter(|_| profile.shares_key).unwrap_or(own);
        before = Some(key.clone());
        let public = key.public();
        let owner = if profile.rings {
            rings += 1;
            format!("ring {}", rings / plan.ring_size.max(1))
        } else {
            format!("owner {number}")
        };
        let digest = Digest::of(owner.as_bytes());
        let mut operator = [0; 16];
        operator.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
        let handle = Handle::parse(&format!("{name}-{number}"))
            .unwrap_or_else(|| unreachable!("a well-formed handle"));
        let identity = Identity { handle, key, public, operator: OperatorId::from_bytes(operator) };
        Actor::new(VirtualAgent::new(identity, profile, plan.played(), dice.clone()), plan.crypto)
    };
    plan.agent_profiles.iter().enumerate().map(make).collect()
}
