//! Ringing, which needs both desk and rooms: what is to be rung now, and what followed (decision 9.2).

use crate::decision::{Decision, Effect};
use crate::desk::doorbells::Doorbell;
use crate::doorbell::{
    DoorbellChange, DoorbellFact, RingFailure, RingOutcome, RingReport, RingTurn, SuspensionCause,
};
use crate::fact::Fact;
use crate::hall::Hall;
use crate::limits;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_rooms::{ChallengeText, Room};
use hall_wire::{AgentId, GameId, RingId, Timestamp};

/// A turn that waits on an agent whose doorbell rings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct DueRing {
    /// The ring; every attempt for the turn has the same one.
    pub id: RingId,
    pub agent: AgentId,
    pub url: Box<str>,
    /// The challenge that the address was verified with; it goes into the report.
    pub challenge: ChallengeText,
    /// The game of the turn.
    pub game: GameId,
    /// The turn to ring for.
    pub turn_index: u32,
    /// The deadline of the turn.
    pub deadline: Timestamp,
    /// Attempts that failed already.
    pub attempts: u8,
}

impl Hall {
    /// What is to be rung for a turn; `None` if it is over, nobody is to be rung, or all attempts are used up.
    #[must_use]
    pub fn due_ring(&self, agent: &AgentId, game: &GameId, turn_index: u32) -> Option<DueRing> {
        let doorbell = self.desk().doorbell(agent)?;
        let bell = doorbell.rings()?;
        let deadline = self.open_turn(agent, game, turn_index)?;
        let attempts = match doorbell.ringing(game, turn_index) {
            Some(known) if known.over || known.attempts >= limits::RING_ATTEMPTS => return None,
            Some(known) => known.attempts,
            None => 0,
        };
        Some(DueRing {
            id: RingId::of_turn(agent, game, turn_index),
            agent: *agent,
            url: bell.url.clone(),
            challenge: bell.challenge.clone(),
            game: *game,
            turn_index,
            deadline,
            attempts,
        })
    }

    /// Everything that is to be rung now; the ringer asks for it after a restart.
    ///
    /// Decision: a ring that was answered at its first attempt is not a fact, because most are. So after a restart
    /// the turns that are still open are rung for once more, with the same identifier.
    pub fn due_rings(&self) -> impl Iterator<Item = DueRing> {
        let ringing = self.desk().doorbells().filter(|(_, doorbell)| doorbell.rings().is_some());
        ringing.flat_map(|(agent, _)| {
            self.desk().live_games(agent).filter_map(|game| {
                let turn_index = self.rooms().find(&game)?.turn_index();
                self.due_ring(agent, &game, turn_index)
            })
        })
    }

    /// The deadline of a turn that waits on the agent, if it does.
    fn open_turn(&self, agent: &AgentId, game: &GameId, turn_index: u32) -> Option<Timestamp> {
        let room = self.rooms().find(game)?;
        if room.result().is_some() || room.turn_index() != turn_index {
            return None;
        }
        room.deadline_of(room.player_of(agent)?)
    }

    /// An agent that proves its endpoint is rung for the turns that wait on it already and were rung for nowhere: no
    /// agent misses a turn because it began before the doorbell.
    pub(crate) fn ring_for_open_turns(&self, decision: &mut Decision) {
        let verified = decision.facts.iter().filter_map(|fact| {
            let Fact::Doorbell(fact) = fact else { return None };
            matches!(fact.change, DoorbellChange::Verified { .. }).then_some(fact.agent)
        });
        let open = verified.flat_map(|agent| {
            self.desk().live_games(&agent).filter_map(move |game| {
                let room = self.rooms().find(&game)?;
                let turn_index = room.turn_index();
                let began = room.seat(room.player_of(&agent)?)?.open?.started_at;
                if self.desk().doorbell(&agent).is_some_and(|doorbell| doorbell.has_rung_since(began)) {
                    return None;
                }
                let deadline = self.open_turn(&agent, &game, turn_index)?;
                Some(Effect::RingDoorbell { agent, game, turn_index, deadline })
            })
        });
        decision.effects.extend(open);
    }

    /// Records the outcome of an attempt. Only what changes state becomes a fact.
    pub(crate) fn report_ring(&self, at: Timestamp, report: &RingReport) -> Decision {
        let RingReport { agent, challenge, game, turn_index, attempt, outcome } = report;
        let doorbell = self.desk().doorbell(agent);
        let bell = doorbell.and_then(Doorbell::rings).filter(|bell| bell.challenge == *challenge);
        let (Some(doorbell), Some(bell)) = (doorbell, bell) else {
            return Decision::refuse(Rejection::NothingToChange);
        };
        let known = doorbell.ringing(game, *turn_index);
        if known.is_some_and(|known| known.over || *attempt <= known.attempts)
            || !(1..=limits::RING_ATTEMPTS).contains(attempt)
        {
            return Decision::refuse(Rejection::NothingToChange);
        }
        // A turn that waits for the beacon is not over; a shared one is over for a player who has acted in it.
        let has_acted = |room: &Room| room.player_of(agent).is_some_and(|own| room.sealed_by(own).is_some());
        let is_current = |room: &&Arc<Room>| {
            room.result().is_none() && room.turn_index() == *turn_index && !has_acted(room)
        };
        let open = self.rooms().find(game).filter(is_current).is_some();
        let turn = RingTurn { game: *game, turn_index: *turn_index, open };
        let attempt = *attempt;
        let mut changes = Vec::new();
        match outcome {
            RingOutcome::Answered => {
                // An attempt for another turn; or one for this turn that could not be counted, because the address was
                // another one by then; or another turn that ended without an answer after the doorbell had answered
                // elsewhere.
                let failed_before = bell.last.is_some_and(|last| last.failure.is_some());
                if failed_before || attempt > 1 || bell.failures_in_row > 0 {
                    changes.push(DoorbellChange::Rung { turn, attempt });
                }
            }
            RingOutcome::Failed(RingFailure::Gone) => {
                changes.push(DoorbellChange::AttemptFailed { turn, attempt, reason: RingFailure::Gone });
                changes.push(DoorbellChange::Suspended { cause: SuspensionCause::Gone });
            }
            RingOutcome::Failed(reason) => {
                changes.push(DoorbellChange::AttemptFailed { turn, attempt, reason: *reason });
                // The end of the turn has counted the attempts that had failed by then.
                let is_missed = if open { attempt == limits::RING_ATTEMPTS } else { attempt == 1 };
                if is_missed {
                    changes.extend(missed(turn, bell.failures_in_row));
                }
            }
        }
        let facts =
            changes.into_iter().map(|change| DoorbellFact { at, agent: *agent, change }.into()).collect();
        Decision::grant(Reply::Done, facts)
    }

    /// A turn that ends with failed attempts and without a success is counted in the same decision.
    pub(crate) fn missed_rings(&self, at: Timestamp, game: GameId, turn_index: u32) -> Vec<Fact> {
        let seated = self.desk().seated(&game);
        seated.flat_map(|agent| self.missed_ring(at, agent, game, turn_index)).collect()
    }

    /// [`Hall::missed_rings`] of one agent, for which the turn is over.
    pub(crate) fn missed_ring(
        &self,
        at: Timestamp,
        agent: AgentId,
        game: GameId,
        turn_index: u32,
    ) -> Vec<Fact> {
        let Some(doorbell) = self.desk().doorbell(&agent) else { return Vec::new() };
        let failing = doorbell.ringing(&game, turn_index).is_some_and(|known| !known.over);
        let Some(bell) = doorbell.rings().filter(|_| failing) else { return Vec::new() };
        let turn = RingTurn { game, turn_index, open: false };
        let changes = missed(turn, bell.failures_in_row);
        changes.map(|change| Fact::from(DoorbellFact { at, agent, change })).collect()
    }
}

/// Counts one more missed turn; ten in a row suspend the doorbell.
fn missed(turn: RingTurn, failures_in_row: u32) -> impl Iterator<Item = DoorbellChange> {
    let failures_in_row = failures_in_row.saturating_add(1);
    let enough = failures_in_row >= limits::FAILED_TURNS_TO_SUSPEND;
    let suspended = enough.then_some(DoorbellChange::Suspended { cause: SuspensionCause::Failures });
    [DoorbellChange::TurnMissed { turn, failures_in_row }].into_iter().chain(suspended)
}
