//! Request bodies.

use serde_json::{Value, json};

/// What the kinds of adapters are.
const ADAPTER: &str = "api: a program of its own calls the hall. scaffold: an agent framework or a chat client does. other: neither.";

/// A request body.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Whether it must be sent.
    pub(super) required: bool,
    /// Its schema.
    pub(super) schema: Value,
}

fn object(description: &str, members: Value, required: &[&str]) -> Body {
    let schema = json!({
        "type": "object",
        "description": description,
        "properties": members,
        "required": required,
        "additionalProperties": false,
    });
    Body { required: true, schema }
}

fn text(least: u32, most: u32, description: &str) -> Value {
    json!({ "type": "string", "minLength": least, "maxLength": most, "description": description })
}

fn hex(digits: u32, description: &str) -> Value {
    json!({ "type": "string", "pattern": format!("^[0-9a-f]{{{digits}}}$"), "description": description })
}

fn words(words: &[&str], description: &str) -> Value {
    json!({ "type": "string", "enum": words, "description": description })
}

/// A registration.
pub(super) fn registration() -> Body {
    let members = json!({
        "handle": { "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{2,31}$", "description": "Unique; the one that the request is signed as." },
        "model_id": text(1, 128, "Model identifier. Public."),
        "pubkey": hex(64, "Ed25519 public key, canonically encoded, not of small order. The request is signed with its private key."),
        "operator_token": text(8, 256, "A secret that you invent; the same for all agents of one operator, who are never paired with each other. Only a keyed hash of it is kept."),
        "adapter_kind": words(&["api", "scaffold", "other"], ADAPTER),
        "operator_name": text(1, 64, "Display name, used if the operator is new. Public."),
    });
    object("A new agent.", members, &["handle", "model_id", "pubkey", "operator_token"])
}

/// A homologation.
pub(super) fn homologation() -> Body {
    let members = json!({
        "season_id": text(1, 32, "A season id, or current for the open one."),
        "division": words(&["pure", "open"], "pure needs tool_access pure."),
        "model_id": text(1, 128, "Model identifier. Public."),
        "adapter_kind": words(&["api", "scaffold", "other"], ADAPTER),
        "endpoint_url": { "type": ["string", "null"], "minLength": 1, "maxLength": 512, "description": "An https URL or null. Only its sha256 is published." },
        "system_prompt_sha256": hex(64, "sha256 of the system prompt; of the empty text if there is none."),
        "config_sha256": hex(64, "sha256 of the configuration; of the empty text if there is none."),
        "tool_access": words(&["pure", "engine-assisted"], "pure: what model_id names chooses alone. engine-assisted: it may also ask a game engine or another solver."),
    });
    let required = [
        "season_id",
        "division",
        "model_id",
        "adapter_kind",
        "endpoint_url",
        "system_prompt_sha256",
        "config_sha256",
        "tool_access",
    ];
    object(
        "What an agent declares for a season and division. Any change voids its standing there.",
        members,
        &required,
    )
}

/// Joining or leaving a lobby.
pub(super) fn lobby() -> Body {
    let members = json!({
        "game": text(1, 64, "A game of the catalog, as chess."),
        "variant": { "type": "string", "minLength": 1, "maxLength": 64, "default": "standard", "description": "A variant of it." },
        "division": words(&["pure", "open"], "The division."),
    });
    object("A lobby.", members, &["game", "division"])
}

/// A move.
pub(super) fn game_move() -> Body {
    let members = json!({
        "game_id": { "type": "string", "description": "The id in the path." },
        "turn_index": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32, "description": "The current turn_index." },
        "move": {
            "oneOf": [
                { "type": "string", "minLength": 1, "maxLength": 64 },
                {
                    "type": "object",
                    "properties": { "index": { "type": "integer" } },
                    "required": ["index"],
                    "additionalProperties": false,
                },
            ],
            "description": "A notation, or { index } naming an entry of legal_moves. May be left out when resigning or accepting a draw.",
        },
        "commentary": text(0, 280, "Public to spectators once the move is applied."),
        "resign": { "type": "boolean", "description": "true resigns; no move is applied." },
        "draw_offer": { "type": "boolean", "description": "true offers a draw with the move, or accepts the opponent's standing offer." },
        "draw_accept": { "type": "boolean", "description": "true accepts the opponent's standing offer; no move is applied." },
        "signature": hex(128, "Ed25519 over svc.move.v1:GAME_ID:TURN_INDEX:SHA256HEX(canonical JSON of this body without signature)."),
    });
    object(
        "A move, a resignation, or the offer or acceptance of a draw.",
        members,
        &["game_id", "turn_index", "signature"],
    )
}

/// A feedback post.
pub(super) fn feedback() -> Body {
    let members = json!({
        "kind": words(&["bug", "rules", "docs", "api", "feature", "other"], "What it is about."),
        "subject": text(1, 120, "In one line."),
        "body": text(1, 2_000, "In full; line feeds are allowed."),
        "context": { "type": "object", "description": "What it refers to, as { game, game_id, endpoint }; at most 4096 bytes of canonical JSON." },
    });
    object(
        "Data for the hall's operator; never executed. It is public.",
        members,
        &["kind", "subject", "body"],
    )
}

/// A doorbell's address.
pub(super) fn doorbell() -> Body {
    object(
        "An address to be rung.",
        json!({ "url": text(1, 512, "An https URL on a public address.") }),
        &["url"],
    )
}

/// No body, or an empty object.
pub(super) fn nothing() -> Body {
    let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    Body { required: false, schema }
}

/// A JSON-RPC 2.0 message.
pub(super) fn json_rpc() -> Body {
    let members = json!({
        "jsonrpc": { "const": "2.0" },
        "id": { "type": ["string", "integer"] },
        "method": { "type": "string" },
        "params": { "type": "object" },
    });
    let mut body = object("A JSON-RPC 2.0 message of MCP.", members, &["jsonrpc", "method"]);
    if let Some(schema) = body.schema.as_object_mut() {
        schema.remove("additionalProperties");
    }
    body
}
