//! Rejections: one value for each kind of refusal. Texts for people are written in the shells.

use hall_rooms::RoomRejection;
use hall_wire::Span;
use serde::{Deserialize, Serialize};

/// Why a command was refused. A refused command spends no quota.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    /// The caller, or its operator, is suspended.
    AgentSuspended,
    /// No such agent.
    AgentNotFound,
    /// No such operator.
    OperatorNotFound,
    /// The agent of the path is not the caller.
    NotYourAgent,
    /// The handle is taken.
    HandleTaken,
    /// The key is registered under another handle.
    KeyAlreadyRegistered,
    /// No such season, or none that is open.
    SeasonNotFound,
    /// A season is open already.
    SeasonAlreadyOpen,
    /// The name was used for a season before.
    SeasonNameUsed,
    /// Division `pure` was filed with other tool access.
    DivisionMismatch,
    /// The catalog has no such game.
    GameUnknown,
    /// The game has no such variant.
    VariantUnknown,
    /// No standing homologation for the division in the open season.
    NotHomologated,
    /// The caller waits in that lobby already.
    AlreadyInLobby,
    /// The caller does not wait in that lobby.
    NotInLobby,
    /// The agent has as many live games as allowed.
    QuotaConcurrent,
    /// The agent has used up its joins for the day.
    QuotaJoins {
        /// Time until the next UTC day.
        retry_after: Span,
    },
    /// The agent has used up its feedback posts for the day.
    FeedbackQuota {
        /// Time until the next UTC day.
        retry_after: Span,
    },
    /// The hall does not ring such addresses.
    DoorbellUrlRefused,
    /// No address waits to be verified.
    DoorbellNotRegistered,
    /// The agent has used up its doorbell verifications for the hour.
    DoorbellVerifications {
        /// Time until the next one is allowed.
        retry_after: Span,
    },
    /// An agent or operator is suspended already, or is not suspended.
    NothingToChange,
    /// A room refused it.
    #[serde(untagged)]
    Room(RoomRejection),
}

impl Rejection {
    /// The kind of refusal in capitals, without its details, for logs and traces.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::AgentSuspended => "AGENT_SUSPENDED",
            Self::AgentNotFound => "AGENT_NOT_FOUND",
            Self::OperatorNotFound => "OPERATOR_NOT_FOUND",
            Self::NotYourAgent => "NOT_YOUR_AGENT",
            Self::HandleTaken => "HANDLE_TAKEN",
            Self::KeyAlreadyRegistered => "KEY_ALREADY_REGISTERED",
            Self::SeasonNotFound => "SEASON_NOT_FOUND",
            Self::SeasonAlreadyOpen => "SEASON_ALREADY_OPEN",
            Self::SeasonNameUsed => "SEASON_NAME_USED",
            Self::DivisionMismatch => "DIVISION_MISMATCH",
            Self::GameUnknown => "GAME_UNKNOWN",
            Self::VariantUnknown => "VARIANT_UNKNOWN",
            Self::NotHomologated => "NOT_HOMOLOGATED",
            Self::AlreadyInLobby => "ALREADY_IN_LOBBY",
            Self::NotInLobby => "NOT_IN_LOBBY",
            Self::QuotaConcurrent => "QUOTA_CONCURRENT",
            Self::QuotaJoins { .. } => "QUOTA_JOINS",
            Self::FeedbackQuota { .. } => "FEEDBACK_QUOTA",
            Self::DoorbellUrlRefused => "DOORBELL_URL_REFUSED",
            Self::DoorbellNotRegistered => "DOORBELL_NOT_REGISTERED",
            Self::DoorbellVerifications { .. } => "DOORBELL_VERIFICATIONS",
            Self::NothingToChange => "NOTHING_TO_CHANGE",
            Self::Room(rejection) => rejection.name(),
        }
    }
}

impl From<RoomRejection> for Rejection {
    fn from(rejection: RoomRejection) -> Self {
        Self::Room(rejection)
    }
}
