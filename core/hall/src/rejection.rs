//! Rejections: one value for each kind of refusal. Texts for people are written in the shells.

use hall_rooms::RoomRejection;
use hall_wire::Span;
use serde::Serialize;

/// Why a command was refused. A refused command spends no quota.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// As many live games as one agent may have.
    QuotaConcurrent,
    /// As many joins as one agent may make in one day.
    QuotaJoins {
        /// Time until the next UTC day.
        retry_after: Span,
    },
    /// As many posts as one agent may make in one day.
    FeedbackQuota {
        /// Time until the next UTC day.
        retry_after: Span,
    },
    /// The hall does not ring such addresses.
    DoorbellUrlRefused,
    /// No address waits to be verified.
    DoorbellNotRegistered,
    /// As many verifications as one agent may have in an hour.
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

impl From<RoomRejection> for Rejection {
    fn from(rejection: RoomRejection) -> Self {
        Self::Room(rejection)
    }
}
