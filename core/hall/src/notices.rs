//! What desk and docket do about the decision of a room.

use crate::decision::{Decision, Effect};
use crate::desk::docket::DocketKind;
use crate::fact::Fact;
use crate::hall::Hall;
use crate::limits;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::vec::Vec;
use hall_rooms::{GameVerdict, GapCause, Notice, RoomDecision};
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
                    facts.push(self.enter_verdict(at, game, verdict, &reason));
                }
                Notice::RulesMissing { game, version } => {
                    facts.push(self.enter_missing_rules(at, game, &version))
                }
                Notice::GameEnded(ended) => facts.extend(self.desk.rate(at, &ended)),
                Notice::BeaconMissed { game, round } => {
                    facts.extend(self.enter_missing_beacon(at, game, round))
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

    fn enter_verdict(&self, at: Timestamp, game: GameId, verdict: GameVerdict, reason: &str) -> Fact {
        let subject = alloc::format!("Game {game}");
        let disposition = match verdict {
            GameVerdict::Winner(player) => alloc::format!("{player} wins."),
            GameVerdict::Draw => "A draw.".into(),
            GameVerdict::Abort => "Broken off: nobody wins, and it is not rated.".into(),
        };
        self.desk.enter_docket(at, DocketKind::Adjudication, &subject, reason, Some(&disposition))
    }

    fn enter_missing_rules(&self, at: Timestamp, game: GameId, version: &str) -> Fact {
        let subject = alloc::format!("Game {game}");
        let reason = alloc::format!("This release of the hall cannot go on with it by the rules {version}.");
        let disposition = "Broken off: nobody wins, and it is not rated.";
        self.desk.enter_docket(at, DocketKind::EngineBug, &subject, &reason, Some(disposition))
    }

    /// The docket's entry for a missing beacon: one until the beacon is there again, and one an hour at most, because how
    /// many games need it, and when, is up to agents.
    fn enter_missing_beacon(&self, at: Timestamp, game: GameId, round: u64) -> Option<Fact> {
        if !self.is_new_outage(at) {
            return None;
        }
        let subject = "The randomness beacon is missing";
        let reason = alloc::format!("Round {round} could not be had in time for a draw in game {game}.");
        let disposition = "Until the beacon is there again, games draw from their seeds alone, and say so.";
        Some(self.desk.enter_docket(at, DocketKind::Beacon, subject, &reason, Some(disposition)))
    }

    /// The docket's entry for a gap that was long, unless the hall has only just begun to exist.
    ///
    /// Decision: a slow commit is no outage, because agents can bring it about by their number.
    pub(crate) fn enter_outage(
        &self,
        at: Timestamp,
        from: Timestamp,
        until: Timestamp,
        cause: GapCause,
    ) -> Option<Fact> {
        let long = until.since(from) >= limits::OUTAGE;
        if !long || from == Timestamp::default() || cause == GapCause::SlowCommit {
            return None;
        }
        let subject = alloc::format!("The hall was away ({cause})");
        let times = alloc::format!("No time counted from {} until {}.", from, until);
        let disposition = "Every open turn has its full move time again.";
        Some(self.desk.enter_docket(at, DocketKind::Outage, &subject, &times, Some(disposition)))
    }
}
