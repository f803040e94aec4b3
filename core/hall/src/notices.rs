//! How desk and docket follow up on the decision of a room.

use crate::decision::{Decision, Effect};
use crate::desk::docket::DocketMatter;
use crate::fact::Fact;
use crate::hall::Hall;
use crate::limits;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::vec::Vec;
use hall_rooms::{GapCause, Notice, RoomDecision};
use hall_wire::{GameId, Timestamp};

impl Hall {
    /// The decision of a room together with what follows from its notices, in their order.
    pub(crate) fn complete(&self, at: Timestamp, decided: RoomDecision) -> Decision {
        let RoomDecision { answer, facts, notices } = decided;
        let mut facts: Vec<Fact> = facts.into_iter().map(Fact::Room).collect();
        let answer = answer.map(|reply| reply.map_or(Reply::Done, Reply::Room)).map_err(Rejection::Room);
        let mut effects = Vec::new();
        for notice in notices {
            match notice {
                Notice::VerdictGiven { game, verdict, reason } => {
                    facts.push(
                        self.enter_docket(at, &DocketMatter::VerdictGiven { game, verdict, reason: &reason }),
                    );
                }
                Notice::SeatVacated { game, player, reason } => facts.push(
                    self.enter_docket(at, &DocketMatter::SeatVacated { game, player, reason: &reason }),
                ),
                Notice::RulesMissing { game, version } => {
                    facts.push(self.enter_docket(at, &DocketMatter::RulesMissing { game, version: &version }))
                }
                Notice::GameEnded(ended) => facts.extend(self.desk.rate(at, &ended)),
                Notice::BeaconMissed { game, round } => {
                    facts.extend(self.enter_missing_beacon(at, game, round))
                }
                Notice::PlayerActed { agent, game, turn_index } => {
                    facts.extend(self.missed_ring(at, agent, game, turn_index));
                }
                Notice::TurnResolved { game, turn_index } => {
                    facts.extend(self.missed_rings(at, game, turn_index));
                }
                Notice::TurnsChanged { .. } | Notice::TurnBegan { .. } | Notice::DeferredAnswer { .. } => {
                    effects.extend(Effect::of(notice));
                }
            }
        }
        Decision { answer, facts, effects }
    }

    /// The docket entry about `matter`.
    pub(crate) fn enter_docket(&self, at: Timestamp, matter: &DocketMatter<'_>) -> Fact {
        self.desk.enter_docket(at, self.wording, matter)
    }

    /// The docket's entry for a missing beacon: one until the beacon is back, and at most one an hour, because how
    /// many games need it, and when, is up to agents.
    fn enter_missing_beacon(&self, at: Timestamp, game: GameId, round: u64) -> Option<Fact> {
        self.is_new_outage(at).then(|| self.enter_docket(at, &DocketMatter::BeaconMissed { game, round }))
    }

    /// The docket's entry for a long gap, unless this is the hall's first start.
    ///
    /// Decision: a slow commit is no outage, because agents can cause one by their number.
    pub(crate) fn enter_outage(
        &self,
        at: Timestamp,
        from: Timestamp,
        until: Timestamp,
        cause: GapCause,
    ) -> Option<Fact> {
        let long = until.since(from) >= limits::SHORTEST_DOCKETED_GAP;
        if !long || from == Timestamp::default() || cause == GapCause::SlowCommit {
            return None;
        }
        Some(self.enter_docket(at, &DocketMatter::Outage { from, until, cause }))
    }
}
