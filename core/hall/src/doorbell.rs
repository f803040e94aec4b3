//! The doorbell's commands, facts and reports (specification 2.10, decision 9).
//!
//! A ring that is answered at the first attempt leaves no trace in the journal: only what changes a later decision is
//! a fact. The ring's identifier follows from agent, game and turn, so it needs none either.

use alloc::string::String;
use hall_rooms::ChallengeText;
use hall_wire::{AgentId, GameId, Signature, Timestamp, words};
use serde::{Deserialize, Serialize};

/// A command that concerns a doorbell. The serialized names stand in journals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DoorbellCommand {
    /// Register an address to be rung (specification 2.10).
    #[serde(rename = "register_doorbell")]
    Register {
        /// The address.
        url: String,
        /// Whether the hall rings such addresses; a shell decides this, because it depends on the network.
        #[serde(rename = "permitted")]
        address: AddressCheck,
    },
    /// Have the registered address verified: a shell asks its endpoint next.
    #[serde(rename = "begin_doorbell_verification")]
    BeginVerification,
    /// Disable the doorbell.
    #[serde(rename = "disable_doorbell")]
    Disable,
    /// An endpoint has proven that it belongs to the agent: a shell has asked it and checked the signature.
    #[serde(rename = "confirm_doorbell")]
    Confirm {
        /// The owner of the doorbell.
        agent: AgentId,
        /// The challenge that was signed.
        challenge: ChallengeText,
        /// By the agent's key over [`hall_wire::message::doorbell_endpoint`].
        signature: Signature,
    },
    /// An attempt to ring a doorbell has ended.
    #[serde(rename = "report_ring")]
    ReportRing(RingReport),
}

/// Whether the hall rings an address. Journals write it as a boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum AddressCheck {
    /// It does.
    Permitted,
    /// It does not: the address has the wrong form, or leads to a network that the hall does not connect to.
    Refused,
}

impl From<bool> for AddressCheck {
    fn from(permitted: bool) -> Self {
        if permitted { Self::Permitted } else { Self::Refused }
    }
}

impl From<AddressCheck> for bool {
    fn from(check: AddressCheck) -> Self {
        check == AddressCheck::Permitted
    }
}

/// Something happened to the doorbell of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct DoorbellFact {
    /// Core time of the change.
    pub at: Timestamp,
    pub agent: AgentId,
    pub change: DoorbellChange,
}

/// What happened to a doorbell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum DoorbellChange {
    /// An address waits to be verified. One that was verified before keeps ringing.
    Registered {
        /// The address, as the agent wrote it.
        url: String,
        /// What its endpoint must sign.
        challenge: ChallengeText,
        /// When the challenge expires.
        expires: Timestamp,
    },
    /// The endpoint is about to be asked. This spends one verification of that hour, whatever the outcome.
    VerificationBegun,
    /// The endpoint has proven itself, and rings from now on.
    Verified {
        url: String,
        /// The challenge, which names the doorbell from now on.
        challenge: ChallengeText,
        /// By the agent's key over [`hall_wire::message::doorbell_endpoint`].
        signature: Signature,
    },
    /// The doorbell is disabled: no address rings and none waits to be verified.
    Disabled,
    /// An attempt to ring failed.
    AttemptFailed {
        /// The turn that was rung for.
        turn: RingTurn,
        /// Which attempt it was, from 1.
        attempt: u8,
        /// The reason, in plain words.
        reason: RingFailure,
    },
    /// The endpoint answered, after attempts had failed.
    Rung {
        /// The turn that was rung for.
        turn: RingTurn,
        /// Which attempt it was, from 1.
        attempt: u8,
    },
    /// A turn went by with a failed attempt and without a success.
    TurnMissed {
        turn: RingTurn,
        /// How many in a row these are now.
        failures_in_row: u32,
    },
    /// The doorbell is suspended until an address is verified again.
    Suspended { cause: SuspensionCause },
}

/// A turn that is rung for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct RingTurn {
    pub game: GameId,
    pub turn_index: u32,
    /// Whether it was still open when that happened.
    pub open: bool,
}

/// The report of one attempt to ring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct RingReport {
    /// The owner of the doorbell.
    pub agent: AgentId,
    /// The challenge that the doorbell was verified with; the agent may have another doorbell by now.
    pub challenge: ChallengeText,
    pub game: GameId,
    pub turn_index: u32,
    /// Which attempt for that turn it was, from 1.
    pub attempt: u8,
    pub outcome: RingOutcome,
}

/// How an attempt to ring ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RingOutcome {
    /// With a 2xx.
    Answered,
    /// Otherwise.
    Failed(RingFailure),
}

words!(
    /// Why an attempt to ring a doorbell failed (decision 9).
    RingFailure {
        /// An address of the endpoint is one that the hall does not connect to.
        Refused = "refused",
        /// No connection could be made, or it broke.
        Unreachable = "unreachable",
        /// There was no answer in time.
        Timeout = "timeout",
        /// The answer was not 2xx.
        BadStatus = "bad_status",
        /// The answer was 410: the endpoint no longer wants rings.
        Gone = "gone",
    }
);

words!(
    /// Why a doorbell is suspended (decision 9.2).
    SuspensionCause {
        /// The endpoint answered 410.
        Gone = "gone",
        /// Ten turns in a row went by with a failed attempt and without a success.
        Failures = "failures",
    }
);
