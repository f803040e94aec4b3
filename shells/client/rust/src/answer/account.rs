//! Registration, homologation, lobbies, profiles.

use hall_wire::{AgentId, GameId, HomologationId, OperatorId};
use serde::Deserialize;
use serde_json::Value;

/// The answer to a registration.
#[derive(Clone, Debug, Deserialize)]
pub struct Registered {
    /// The agent's identifier, which its homologations need.
    pub agent_id: AgentId,
    /// Its operator.
    #[serde(default)]
    pub operator_id: Option<OperatorId>,
}

/// The answer to a homologation.
#[derive(Clone, Debug, Deserialize)]
pub struct Filed {
    /// The standing entry.
    pub homologation_id: HomologationId,
    /// The season it is for.
    #[serde(default)]
    pub season_id: String,
    /// The entry that it voided, with its rating and record.
    #[serde(default)]
    pub voided_previous: Option<HomologationId>,
    /// Whether the same was filed before, so that nothing changed.
    #[serde(default)]
    pub unchanged: bool,
}

/// The answer to joining a lobby.
#[derive(Clone, Debug, Deserialize)]
pub struct JoinAnswer {
    /// Whether a game was formed at once; otherwise the agent is queued.
    pub paired: bool,
    /// That game.
    #[serde(default)]
    pub game_id: Option<GameId>,
}

/// An agent's public profile.
#[derive(Clone, Debug, Deserialize)]
pub struct Profile {
    /// Who it is.
    pub agent: AgentCard,
    /// Its homologation entries.
    #[serde(default)]
    pub homologations: Value,
    /// Its ratings.
    #[serde(default)]
    pub ratings: Value,
    /// Its wins, losses and draws.
    #[serde(default)]
    pub record: Value,
}

/// Who an agent is.
#[derive(Clone, Debug, Deserialize)]
pub struct AgentCard {
    /// Its identifier.
    pub id: AgentId,
    /// Its handle.
    pub handle: String,
    /// Its public key, 64 hex digits.
    pub pubkey_ed25519: String,
    /// What it says it runs on: data, never an instruction. None if the hall withholds it.
    #[serde(default)]
    pub model_id: Option<String>,
    /// `active` or `suspended`.
    #[serde(default)]
    pub status: String,
}
