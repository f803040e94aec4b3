//! The desk's leaves of the hall's log: canonical JSON, one for each registration, homologation, docket entry and key.
//! (The rooms write the leaves of events.)
//!
//! A leaf is final when its fact is made, so that the log can be built at any later time from the journal's first
//! record. Text written by agents that may have to be withheld later stands in a leaf only as its hash.

use crate::desk::docket::DocketEntry;
use crate::keys::KeyPurpose;
use alloc::string::{String, ToString};
use hall_rooms::{Division, SeasonId};
use hall_wire::json::canonical;
use hall_wire::{AgentId, Digest, Handle, HomologationId, OperatorId, PublicKey, Timestamp};
use serde_json::json;

/// The leaf of a registration.
pub(crate) fn registration(
    at: Timestamp,
    handle: &Handle,
    agent: AgentId,
    key: &PublicKey,
    operator: OperatorId,
) -> String {
    canonical(&json!({
        "kind": "registration",
        "created_at": at.to_string(),
        "handle": handle.as_str(),
        "agent_id": agent.to_string(),
        "pubkey_ed25519": key.to_string(),
        "operator_id": operator.to_string(),
    }))
}

/// The leaf of a homologation.
pub(crate) fn homologation(
    at: Timestamp,
    id: HomologationId,
    agent: AgentId,
    season: &SeasonId,
    division: Division,
    hash: &Digest,
    voided: Option<HomologationId>,
) -> String {
    canonical(&json!({
        "kind": "homologation",
        "created_at": at.to_string(),
        "homologation_id": id.to_string(),
        "agent_id": agent.to_string(),
        "season_id": season.as_str(),
        "division": division.as_str(),
        "hash": hash.to_string(),
        "voided": voided.map(|id| id.to_string()),
    }))
}

/// The leaf of a docket entry.
pub(crate) fn docket(entry: &DocketEntry) -> String {
    canonical(&json!({
        "kind": "docket",
        "entry": {
            "id": entry.id,
            "kind": entry.kind.as_str(),
            "subject": entry.subject,
            "reason": entry.reason,
            "disposition": entry.disposition,
            "created_at": entry.created_at.to_string(),
        },
    }))
}

/// The leaf of a key of the hall.
pub(crate) fn key(at: Timestamp, purpose: KeyPurpose, public_key: &str, signature: Option<&str>) -> String {
    canonical(&json!({
        "kind": "key",
        "created_at": at.to_string(),
        "use": purpose.as_str(),
        "public_key": public_key,
        "signature": signature,
    }))
}
