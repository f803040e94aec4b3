//! K7: who is struck, or moved for, has only itself to blame, and no change of the lead.

use hall_core::rooms::{ForcedCause, RoomChange};
use hall_core::{DeskFact, Fact, GovernanceFact};
use hall_wire::{AgentId, GameId, Player};
use std::collections::{BTreeMap, BTreeSet};

/// Profiles of agents that think for longer than a turn lasts.
const SLOW: [&str; 1] = ["late"];
/// Profiles of agents that make illegal moves.
const ILLEGAL: [&str; 1] = ["illegal"];

/// Which agents bring what upon themselves, by the profiles that their handles begin with.
#[derive(Clone, Debug, Default)]
pub(super) struct Blame {
    slow: BTreeSet<AgentId>,
    illegal: BTreeSet<AgentId>,
    /// Agents that the operator has suspended: the hall acts for them.
    suspended: BTreeSet<AgentId>,
    seats: BTreeMap<GameId, Vec<AgentId>>,
}

impl Blame {
    /// Takes the next fact of the journal; says what a player pays for in it without having brought it about.
    pub(super) fn unjust(&mut self, fact: &Fact) -> Option<String> {
        match fact {
            Fact::Desk(DeskFact::AgentRegistered { agent, handle, .. }) => {
                let profile = handle.as_str().split('-').next().unwrap_or_default();
                self.slow.extend(SLOW.contains(&profile).then_some(*agent));
                self.illegal.extend(ILLEGAL.contains(&profile).then_some(*agent));
                None
            }
            Fact::Governance(GovernanceFact::AgentSuspended { agent, .. }) => {
                self.suspended.insert(*agent);
                None
            }
            Fact::Room(fact) => {
                let game = fact.game;
                let (player, cause) = match &fact.change {
                    RoomChange::Started(terms) => {
                        self.seats.insert(game, terms.seats.iter().map(|seat| seat.agent).collect());
                        return None;
                    }
                    RoomChange::StrikeGiven { player, cause, .. } => (Some(*player), Some(*cause)),
                    RoomChange::MoveSealed { player, action, .. } => (Some(*player), action.forced),
                    change => change.resolution().map(|it| (it.player, it.forced))?,
                };
                let cause = cause.filter(|cause| !self.deserves(game, player, *cause))?;
                Some(format!("{player:?} of {game} pays ({}) for what it did not do", cause.as_str()))
            }
            _ => None,
        }
    }

    fn deserves(&self, game: GameId, player: Option<Player>, cause: ForcedCause) -> bool {
        let seats = self.seats.get(&game).map(Vec::as_slice).unwrap_or_default();
        let agent = player.and_then(|player| seats.get(player.index()));
        let is_one_of = |agents: &BTreeSet<AgentId>| agent.is_some_and(|agent| agents.contains(agent));
        match cause {
            ForcedCause::Deadline => is_one_of(&self.slow) || is_one_of(&self.suspended),
            ForcedCause::IllegalMoves => is_one_of(&self.illegal),
            ForcedCause::Vacated => true,
        }
    }
}
