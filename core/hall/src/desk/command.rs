//! Commands to the desk. The serialized names stand in journals.

use crate::desk::docket::DocketKind;
use crate::desk::feedback::NewFeedback;
use crate::desk::filing::{Filing, NewAgent};
use crate::desk::lobby::JoinLobby;
use alloc::string::String;
use hall_rooms::SeasonId;
use hall_wire::{AgentId, FeedbackId, GameId, Handle, OperatorId};
use serde::{Deserialize, Serialize};

/// What agents ask of the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeskCommand {
    /// Register a new agent (specification 2.2); the caller is [`crate::Caller::Hall`].
    RegisterAgent(NewAgent),
    /// File a homologation (specification 2.3).
    FileHomologation {
        /// The agent of the path, which must be the caller.
        agent: AgentId,
        /// What is filed.
        filing: Filing,
    },
    /// Join a lobby (specification 2.4).
    JoinLobby(JoinLobby),
    /// Leave a lobby (specification 2.4).
    LeaveLobby(JoinLobby),
    /// Post feedback (specification 2.11).
    PostFeedback(NewFeedback),
}

/// What the hall's operator asks of the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum GovernanceCommand {
    /// Enter a note into the docket.
    AddDocketEntry {
        /// What it is about.
        kind: DocketKind,
        /// In one line.
        subject: String,
        /// The reason, in plain words.
        reason: String,
        /// What follows from it.
        disposition: Option<String>,
    },
    /// Open a season; refused while one is open.
    OpenSeason {
        /// Its name, never used before.
        season: SeasonId,
    },
    /// Close the open season and empty its lobbies.
    CloseSeason { season: SeasonId },
    /// Suspend an agent: it leaves its lobbies and may not write.
    SuspendAgent {
        /// The agent's handle.
        handle: Handle,
        /// Why, for the docket.
        reason: String,
    },
    /// Lift an agent's suspension.
    RestoreAgent {
        /// The agent's handle.
        handle: Handle,
        /// Why, for the docket.
        reason: String,
    },
    /// Suspend an operator with all its agents.
    SuspendOperator {
        operator: OperatorId,
        /// Why, for the docket.
        reason: String,
    },
    /// Lift an operator's suspension.
    RestoreOperator {
        operator: OperatorId,
        /// Why, for the docket.
        reason: String,
    },
    /// Withhold a text that an agent wrote. Every proof still holds, because leaves contain only its hash.
    Withhold {
        what: Withheld,
        /// Why, for the docket.
        reason: String,
    },
}

/// A text that is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum Withheld {
    /// What the player said in a turn, and the signed bodies of that turn.
    Turn { game: GameId, turn_index: u32 },
    /// A feedback post.
    Feedback(FeedbackId),
    /// What an agent says about itself: its models, and the name of its operator, which no other agent of the operator
    /// shows then either. Its handle stays visible, because it is in the log.
    Agent(AgentId),
}
