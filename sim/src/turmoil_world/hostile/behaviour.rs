//! What kinds of hostile agents there are, and who is which.

use super::super::plan::NetworkPlan;
use crate::dice::Dice;
use crate::plan::Profile;
use hall_core::GameVariant;
use hall_games::CATALOG;

/// How an agent is hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// Sends one move several times at the same time, each with a different challenge.
    Racer,
    /// Sends again what it has sent, in the same words and in others.
    Replayer,
    /// Signs with other keys, alters what is signed, leaves headers out, registers invalid keys.
    Forger,
    /// Moves illegally up to three times a turn, in invalid bodies, in other turns and in others' games.
    Illegal,
    /// Leaves in its turn and comes back after the deadline.
    Walker,
    /// Registers its key again, and takes what belongs to others.
    Sharer,
    /// Writes texts that a reader might take for markup or instructions.
    Injector,
    /// Asks for far more than it needs, and opens connections on which no request comes.
    Flooder,
}

const ALL: [Behaviour; 7] = [
    Behaviour::Racer,
    Behaviour::Replayer,
    Behaviour::Forger,
    Behaviour::Illegal,
    Behaviour::Walker,
    Behaviour::Sharer,
    Behaviour::Injector,
];
/// Those of a flood.
const FLOODING: [Behaviour; 8] = [
    Behaviour::Racer,
    Behaviour::Replayer,
    Behaviour::Forger,
    Behaviour::Illegal,
    Behaviour::Walker,
    Behaviour::Sharer,
    Behaviour::Injector,
    Behaviour::Flooder,
];

/// How one agent is hostile, and how much of it there is in its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Hostility {
    /// What it does.
    pub(super) mode: Behaviour,
    /// In so many of 1,000 turns.
    pub(super) often: u32,
    /// Whether nobody may move twice in a row in its games.
    pub(super) alternates: bool,
    /// What may explain an answer besides what it does.
    pub(super) excuses: Excuses,
}

/// What there is in a world that explains answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excuses {
    /// Anything breaks, so that answers are lost and the hall restarts.
    pub(super) faulty: bool,
    /// Requests are limited.
    pub(super) limited: bool,
}

impl Excuses {
    /// Those of a plan.
    pub(super) fn of(plan: &NetworkPlan) -> Self {
        Self { faulty: !plan.faults.is_none(), limited: plan.traffic.per_minute > 0 }
    }
}

impl Hostility {
    /// That of the agent with this place in the plan; none for an honest one.
    pub(in super::super) fn of(plan: &NetworkPlan, number: usize) -> Option<Self> {
        let stream = u64::try_from(number).unwrap_or(u64::MAX);
        let mut dice = Dice::of(plan.seed, "hostile", stream);
        if !dice.permille(plan.hostile) || plan.marathon && number < 2 {
            return None;
        }
        let often = if plan.hostile > 500 { 600 } else { 350 };
        let behaviours: &[Behaviour] = if plan.profile == Profile::Flood { &FLOODING } else { &ALL };
        let alternates = plan.played_by(number).is_none_or(players_alternate);
        dice.pick(behaviours).map(|mode| Self { mode: *mode, often, alternates, excuses: Excuses::of(plan) })
    }

    /// Whether it brings strikes upon itself. One that asks for too much is refused when it wants to move, too.
    pub(in super::super) const fn earns_strikes(self) -> bool {
        self.excuses.limited || matches!(self.mode, Behaviour::Illegal | Behaviour::Walker)
    }
}

/// Whether nobody may move twice in a row in a game: where two players move in turn, and nothing is hidden that can be
/// shown and dealt anew.
fn players_alternate(played: GameVariant) -> bool {
    let described = CATALOG.find(played.game.as_str()).map(|game| game.describe());
    described.is_some_and(|it| !it.simultaneous && it.information == "perfect" && it.players.max == 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::Span;

    #[test]
    fn only_swarms_storms_floods_and_mixed_worlds_put_hostile_agents_of_every_manner_beside_honest_ones() {
        for profile in Profile::ALL {
            let plan = NetworkPlan::new(1, 1_000, Span::from_secs(60), profile);
            let hostile = (0..1_000).filter_map(|number| Hostility::of(&plan, number));
            let behaviours: Vec<_> = hostile.map(|hostility| hostility.mode).collect();
            let mixes = matches!(profile, Profile::Swarm | Profile::Storm | Profile::Flood | Profile::Mixed);
            if mixes {
                assert!(ALL.iter().all(|mode| behaviours.contains(mode)), "{profile:?}: {behaviours:?}");
                assert_eq!(behaviours.len() > 500, profile == Profile::Flood, "{profile:?}");
                assert_eq!(
                    behaviours.contains(&Behaviour::Flooder),
                    profile == Profile::Flood,
                    "{profile:?}"
                );
                assert!(behaviours.len() < 900, "{profile:?}");
            } else {
                assert_eq!(behaviours, [], "{profile:?}");
            }
        }
    }
}
