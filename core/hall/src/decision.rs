//! What [`crate::Hall::decide`] answers with.

use crate::fact::Fact;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::boxed::Box;
use alloc::vec::Vec;
use hall_rooms::Notice;
use hall_wire::{AgentId, GameId, Timestamp};
use serde::Serialize;

/// Granted or refused.
pub type Answer = Result<Reply, Rejection>;

/// An answer with the changes that belong to it. No part of it leaves the hall before the facts are on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// For the caller.
    pub answer: Answer,
    /// What changes, in order. A rejection comes with facts only where an illegal attempt is counted.
    pub facts: Vec<Fact>,
    /// What shells must do.
    pub effects: Vec<Effect>,
}

impl Decision {
    /// A refusal that changes nothing.
    #[must_use]
    pub const fn refuse(rejection: Rejection) -> Self {
        Self { answer: Err(rejection), facts: Vec::new(), effects: Vec::new() }
    }

    /// A granted command with its facts.
    #[must_use]
    pub const fn grant(reply: Reply, facts: Vec<Fact>) -> Self {
        Self { answer: Ok(reply), facts, effects: Vec::new() }
    }

    /// Whether it changes anything.
    #[must_use]
    pub const fn changes_nothing(&self) -> bool {
        self.facts.is_empty()
    }
}

/// An instruction to a shell, to be carried out once the facts are durable.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum Effect {
    /// It is this agent's turn: ring its doorbell, if it has one.
    RingDoorbell {
        agent: AgentId,
        /// The game of the turn.
        game: GameId,
        turn_index: u32,
        /// The deadline of the turn.
        deadline: Timestamp,
    },
    /// The set of turns that wait on this agent may have changed: wake the requests that wait for that.
    TurnsChanged { agent: AgentId },
    /// The answer to a third illegal move that was deferred until the beacon's round was known.
    #[serde(rename = "answer_held")]
    DeferredAnswer {
        game: GameId,
        /// The turn that waited.
        turn_index: u32,
        answer: Box<Answer>,
    },
}

impl Effect {
    /// What shells must do because of a notice; `None` if it is for the desk.
    #[must_use]
    pub fn of(notice: Notice) -> Option<Self> {
        match notice {
            Notice::TurnsChanged { agent } => Some(Self::TurnsChanged { agent }),
            Notice::TurnBegan { agent, game, turn_index, deadline } => {
                Some(Self::RingDoorbell { agent, game, turn_index, deadline })
            }
            Notice::DeferredAnswer { game, turn_index, answer } => {
                let answer = Box::new(Err(answer.into()));
                Some(Self::DeferredAnswer { game, turn_index, answer })
            }
            Notice::VerdictGiven { .. }
            | Notice::SeatVacated { .. }
            | Notice::RulesMissing { .. }
            | Notice::GameEnded(_)
            | Notice::BeaconMissed { .. }
            | Notice::PlayerActed { .. }
            | Notice::TurnResolved { .. } => None,
        }
    }
}
