//! The doorbells of agents: which address waits to be verified, which one rings, and how its attempts ended (decision
//! 9).

use crate::desk::shared::{ShardedMap, Shared};
use crate::doorbell::{DoorbellChange, DoorbellFact, RingFailure, RingTurn};
use crate::limits;
use alloc::boxed::Box;
use alloc::vec::Vec;
use hall_rooms::ChallengeText;
use hall_wire::{AgentId, GameId, Timestamp, words};
use serde::{Deserialize, Serialize};

/// The doorbells of all agents that ever registered one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Doorbells(ShardedMap<AgentId, Shared<Doorbell>>);

/// The doorbell of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doorbell {
    /// The address that waits to be verified; it may have expired.
    pub pending: Option<PendingBell>,
    /// The address that was verified.
    pub bell: Option<Bell>,
    /// When verifications began within the last hour, oldest first. A doorbell that is disabled keeps them.
    pub verifications: Vec<Timestamp>,
    /// Open turns for which an attempt has failed, by game.
    pub ringing: Vec<Ringing>,
    /// When the last address stopped ringing, because it was disabled, suspended or replaced. Turns that were open
    /// then have had their ring.
    pub rang_until: Option<Timestamp>,
}

/// An address that waits to be verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingBell {
    /// The address. Written by the agent.
    pub url: Box<str>,
    /// What its endpoint must sign.
    pub challenge: ChallengeText,
    /// When the challenge expires.
    pub expires: Timestamp,
}

/// An address that was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bell {
    /// The address. Written by the agent.
    pub url: Box<str>,
    /// The challenge that it was verified with. It names this doorbell.
    pub challenge: ChallengeText,
    /// When it was verified.
    pub verified_at: Timestamp,
    /// Whether it is suspended and no longer rings.
    pub suspended: bool,
    /// Turns in a row that went by with a failed attempt and without a success.
    pub failures_in_row: u32,
    /// The last attempt that was recorded as a fact.
    pub last: Option<LastAttempt>,
}

/// An attempt to ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastAttempt {
    /// When it ended.
    pub at: Timestamp,
    /// The game of the turn.
    pub game: GameId,
    /// The turn that was rung for.
    pub turn_index: u32,
    /// Why it failed; `None` if it succeeded.
    pub failure: Option<RingFailure>,
}

/// An open turn with a history of attempts, or one that is not rung for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Ringing {
    pub game: GameId,
    pub turn_index: u32,
    /// Attempts so far.
    pub attempts: u8,
    /// It is not rung for again: it was answered or given up, or belongs to an address that no longer rings.
    pub over: bool,
}

words!(
    /// The state of a doorbell (decision 9.1).
    DoorbellState {
        /// There is none.
        None = "none",
        /// An address waits to be verified; another one may ring.
        Pending = "pending",
        /// It rings.
        Verified = "verified",
        /// It is suspended.
        Suspended = "suspended",
    }
);

impl Doorbell {
    /// The address that waits to be verified, unless it has expired.
    #[must_use]
    pub fn pending_at(&self, at: Timestamp) -> Option<&PendingBell> {
        self.pending.as_ref().filter(|pending| at < pending.expires)
    }

    /// Its state at this time; an expired address no longer waits.
    #[must_use]
    pub fn state_at(&self, at: Timestamp) -> DoorbellState {
        match (self.pending_at(at), &self.bell) {
            (Some(_), _) => DoorbellState::Pending,
            (None, None) => DoorbellState::None,
            (None, Some(bell)) if bell.suspended => DoorbellState::Suspended,
            (None, Some(_)) => DoorbellState::Verified,
        }
    }

    /// The address that rings.
    #[must_use]
    pub fn rings(&self) -> Option<&Bell> {
        self.bell.as_ref().filter(|bell| !bell.suspended)
    }

    /// Whether a turn that began then and is open still has had its ring.
    #[must_use]
    pub fn has_rung_since(&self, began: Timestamp) -> bool {
        self.rings().is_some() || self.rang_until.is_some_and(|until| began <= until)
    }

    /// What is remembered of the attempts for a turn.
    #[must_use]
    pub fn ringing(&self, game: &GameId, turn_index: u32) -> Option<&Ringing> {
        self.ringing.iter().find(|known| known.game == *game && known.turn_index == turn_index)
    }

    fn apply(&mut self, at: Timestamp, change: &DoorbellChange) {
        match change {
            DoorbellChange::Registered { url, challenge, expires } => {
                self.pending = Some(PendingBell {
                    url: url.as_str().into(),
                    challenge: challenge.clone(),
                    expires: *expires,
                });
            }
            DoorbellChange::VerificationBegun => {
                self.verifications.retain(|begun| is_counted(*begun, at));
                self.verifications.push(at);
            }
            DoorbellChange::Verified { url, challenge, .. } => {
                self.pending = None;
                self.leave_turns(at);
                self.bell = Some(Bell {
                    url: url.as_str().into(),
                    challenge: challenge.clone(),
                    verified_at: at,
                    suspended: false,
                    failures_in_row: 0,
                    last: None,
                });
            }
            DoorbellChange::Disabled => {
                self.leave_turns(at);
                (self.pending, self.bell) = (None, None);
            }
            DoorbellChange::AttemptFailed { turn, attempt, reason } => {
                self.attempted(at, turn, *attempt, Some(*reason));
            }
            DoorbellChange::Rung { turn, attempt } => {
                self.attempted(at, turn, *attempt, None);
                self.turn_is_over(turn);
                if let Some(bell) = &mut self.bell {
                    bell.failures_in_row = 0;
                }
            }
            DoorbellChange::TurnMissed { turn, failures_in_row } => {
                self.turn_is_over(turn);
                if let Some(bell) = &mut self.bell {
                    bell.failures_in_row = *failures_in_row;
                }
            }
            DoorbellChange::Suspended { .. } => {
                self.leave_turns(at);
                if let Some(bell) = &mut self.bell {
                    bell.suspended = true;
                }
            }
        }
    }

    fn attempted(&mut self, at: Timestamp, turn: &RingTurn, attempt: u8, failure: Option<RingFailure>) {
        let RingTurn { game, turn_index, open } = *turn;
        if let Some(bell) = &mut self.bell {
            bell.last = Some(LastAttempt { at, game, turn_index, failure });
        }
        if !open {
            return;
        }
        match self.ringing_mut(&game, turn_index) {
            Some(known) => known.attempts = attempt,
            None => self.ringing.push(Ringing { game, turn_index, attempts: attempt, over: false }),
        }
    }

    fn turn_is_over(&mut self, turn: &RingTurn) {
        if let Some(known) = self.ringing_mut(&turn.game, turn.turn_index) {
            known.over = true;
        }
    }

    fn ringing_mut(&mut self, game: &GameId, turn_index: u32) -> Option<&mut Ringing> {
        self.ringing.iter_mut().find(|known| known.game == *game && known.turn_index == turn_index)
    }

    /// Stops the address that rings now.
    ///
    /// Decision: a turn that one address was rung for, successfully or not, is not rung for at another one. So at most
    /// five attempts are made for a turn, however often an agent changes its address meanwhile.
    fn leave_turns(&mut self, at: Timestamp) {
        if self.rings().is_some() {
            self.rang_until = Some(at);
        }
        self.ringing.iter_mut().for_each(|known| known.over = true);
    }
}

impl Doorbells {
    pub(super) fn find(&self, agent: &AgentId) -> Option<&Doorbell> {
        self.0.get(agent).map(|shared| &**shared)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&AgentId, &Doorbell)> {
        self.0.iter().map(|(agent, doorbell)| (agent, &**doorbell))
    }

    pub(super) fn apply(&mut self, fact: &DoorbellFact) {
        self.0.get_or_insert_with(fact.agent, Shared::default).make_mut().apply(fact.at, &fact.change);
    }

    /// Forgets the attempts for a turn that is over, or with `None` for a whole game.
    pub(super) fn close(&mut self, agent: &AgentId, game: &GameId, turn_index: Option<u32>) {
        let closes = |known: &Ringing| {
            known.game == *game && turn_index.is_none_or(|turn_index| known.turn_index <= turn_index)
        };
        // Most agents have nothing to forget, and their records are left alone.
        if self.find(agent).is_some_and(|doorbell| doorbell.ringing.iter().any(closes))
            && let Some(doorbell) = self.0.get_mut(agent)
        {
            doorbell.make_mut().ringing.retain(|known| !closes(known));
        }
    }
}

/// Whether a verification that began then still counts towards the hourly limit.
pub(super) fn is_counted(begun: Timestamp, at: Timestamp) -> bool {
    at < begun + limits::DOORBELL_VERIFICATION_WINDOW
}
