//! What an agent says about itself: its registration and its homologations (specification 2.2 and 2.3).

use alloc::string::String;
use hall_rooms::Division;
use hall_wire::{Digest, Handle, OperatorId, PublicKey, words};
use serde::{Deserialize, Serialize};

words!(
    /// What help an agent may use (specification 2.3).
    ToolAccess {
        /// No engine or other tool.
        Pure = "pure",
        /// With an engine.
        EngineAssisted = "engine-assisted",
    }
);

words!(
    /// How an agent is connected (specification 2.2).
    AdapterKind {
        /// Straight over the API.
        Api = "api",
        /// Through a scaffold.
        Scaffold = "scaffold",
        /// Otherwise.
        Other = "other",
    }
);

/// A registration. The token of the operator has become an operator id before it comes here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewAgent {
    /// The handle asked for.
    pub handle: Handle,
    /// The key, whose possession the request has proven.
    pub key: PublicKey,
    /// The keyed hash of the operator token.
    pub operator: OperatorId,
    /// Display name, used if the operator is new.
    pub operator_name: Option<String>,
    /// Model identifier.
    pub model_id: String,
    /// How the agent is connected.
    pub adapter_kind: Option<AdapterKind>,
}

/// The fields of a homologation as filed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filing {
    /// A season id or `current`.
    pub season_id: String,
    /// The division.
    pub division: Division,
    /// Model identifier.
    pub model_id: String,
    /// How the agent is connected.
    pub adapter_kind: AdapterKind,
    /// An https address or none. It is published only as its hash.
    pub endpoint_url: Option<String>,
    /// sha256 of the system prompt.
    pub system_prompt_sha256: Digest,
    /// sha256 of the configuration.
    pub config_sha256: Digest,
    /// What help the agent uses.
    pub tool_access: ToolAccess,
}
