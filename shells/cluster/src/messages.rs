//! What a follower and the leader say to each other.
//!
//! A message is a JSON text in a frame of its own; the records of batches follow theirs as they stand in the journal, a
//! frame each. The first frames of a connection are [`Hello`] and [`Welcome`].

use hall_core::{Answer, Caller, Command, MoveSubmission, RoomCommand, SignedBody};
use hall_driver::{ChallengeRefused, Unavailable};
use hall_wire::Timestamp;
use serde::{Deserialize, Serialize};

/// The version of these messages. Nodes of different versions do not talk; they read the journal instead.
pub(crate) const VERSION: u32 = 1;

/// The first message of a follower.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) version: u32,
    /// The name of the node, for people.
    pub(crate) node: String,
}

/// The leader's answer to it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Welcome {
    /// The follower belongs to this leader from now on.
    Follow {
        /// The leader's epoch.
        epoch: u64,
        /// The secret of all challenges of this epoch, hexadecimal.
        secret: String,
        /// The number under which the follower issues challenges.
        process: u16,
        /// The record up to which the hall is durable; later ones come over this connection.
        durable: u64,
    },
    /// This node does not lead, or speaks another version.
    Refused {
        /// Why, for people.
        why: String,
    },
}

/// What a follower asks, many things at once.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ToLeader {
    /// Every request with an earlier stamp has been handed over.
    pub(crate) mark: Timestamp,
    /// The last record that the follower has applied.
    pub(crate) applied: u64,
    /// The follower asks for the lead.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) asks_for_lead: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) commands: Vec<ForwardedCommand>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) spends: Vec<ForwardedSpend>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A command that the leader is to decide.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ForwardedCommand {
    pub(crate) id: u64,
    pub(crate) stamp: Timestamp,
    pub(crate) who: Caller,
    pub(crate) what: Command,
    /// What the agent has signed, which a command does not carry in a journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signed: Option<SignedBody>,
}

impl ForwardedCommand {
    pub(crate) fn new(id: u64, stamp: Timestamp, who: Caller, mut what: Command) -> Self {
        let signed = submission(&mut what).and_then(|submission| submission.signed.take());
        Self { id, stamp, who, what, signed }
    }

    /// The command, complete.
    pub(crate) fn into_command(self) -> Command {
        let Self { mut what, signed, .. } = self;
        if let Some(submission) = submission(&mut what) {
            submission.signed = signed;
        }
        what
    }
}

fn submission(what: &mut Command) -> Option<&mut MoveSubmission> {
    match what {
        Command::Room(RoomCommand::Submit(submission)) => Some(submission),
        Command::Room(_)
        | Command::Desk(_)
        | Command::Doorbell(_)
        | Command::Governance(_)
        | Command::Hall(_) => None,
    }
}

/// A challenge that the leader is to spend, or only to say how far the hall is durable.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ForwardedSpend {
    pub(crate) id: u64,
    pub(crate) at: Timestamp,
    pub(crate) serial: u64,
    pub(crate) issued: Timestamp,
}

/// What the leader tells, many things at once.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ToFollower {
    /// The leader's clock.
    pub(crate) now: Timestamp,
    /// Whether the leader knows that nobody else can lead. Without its database it soon does not, and can decide nothing.
    pub(crate) leads: bool,
    /// Batches whose records follow in frames of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) batches: Vec<BatchHead>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) answers: Vec<AnsweredCommand>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) spent: Vec<AnsweredSpend>,
    /// The names of all who follow, when that has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) nodes: Option<Vec<String>>,
}

/// A durable batch.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BatchHead {
    pub(crate) first: u64,
    pub(crate) records: usize,
    /// The chain after it, hexadecimal.
    pub(crate) chain: String,
}

/// What was decided.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnsweredCommand {
    pub(crate) id: u64,
    /// The record that the answer may depend on: it is released where that is visible.
    pub(crate) seq: u64,
    pub(crate) answer: Result<Answer, Unavailable>,
}

/// Whether a challenge was spent, and up to which record the hall was durable then.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnsweredSpend {
    pub(crate) id: u64,
    pub(crate) outcome: Result<u64, ChallengeRefused>,
}
