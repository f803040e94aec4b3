//! Agents: names with keys, and their signed requests.

use hall_core::{AdapterKind, Division, Filing, NewAgent, ToolAccess};
use hall_wire::json::canonical;
use hall_wire::key::PrivateKey;
use hall_wire::message::{self, Challenge};
use hall_wire::{AgentId, Digest, GameId, Handle, OperatorId};
use serde_json::{Value, json};

/// The players of both games, the one that plays only the second, and a spectator.
pub(crate) const NAMES: [&str; 4] = ["ada", "bob", "cid", "eve"];

/// An agent with its key.
pub(crate) struct Agent {
    pub(crate) handle: Handle,
    pub(crate) id: AgentId,
    key: PrivateKey,
}

impl Agent {
    pub(crate) fn named(name: &str) -> Self {
        let key = PrivateKey::from_seed(Digest::of(name.as_bytes()).as_bytes());
        Self { handle: Handle::parse(name).unwrap(), id: AgentId::of_key(&key.public()), key }
    }

    /// A registration under a new operator.
    pub(crate) fn as_new(&self) -> NewAgent {
        let mut operator = [0; 16];
        operator.copy_from_slice(&Digest::of(self.handle.as_str().as_bytes()).as_bytes()[..16]);
        NewAgent {
            handle: self.handle.clone(),
            key: self.key.public(),
            operator: OperatorId::from_bytes(operator),
            operator_name: None,
            model_id: "model".to_owned(),
            adapter_kind: None,
        }
    }

    /// The body of a registration.
    pub(crate) fn registration(&self) -> Value {
        json!({
            "handle": self.handle.as_str(), "model_id": "model", "pubkey": self.key.public().to_string(),
            "operator_token": format!("the token of {}", self.handle),
        })
    }

    /// The headers that sign a request.
    pub(crate) fn headers(&self, challenge: &str, verb: &str, path: &str, body: Option<&str>) -> String {
        let challenge = Challenge::parse(challenge).unwrap();
        let path = path.split('?').next().unwrap();
        let digest = body.map(|body| Digest::of(body.as_bytes()));
        let message = message::auth(&self.handle, &challenge, verb, path, digest.as_ref());
        let signature = self.key.sign(message.as_bytes());
        let Self { handle, .. } = self;
        format!("x-svc-agent: {handle}\r\nx-svc-challenge: {challenge}\r\nx-svc-signature: {signature}\r\n")
    }

    /// The body of a move with its signature; `fields` are its members.
    pub(crate) fn move_body(&self, game: GameId, turn_index: u32, fields: &Value) -> Value {
        let mut body = json!({ "game_id": game.to_string(), "turn_index": turn_index });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let digest = Digest::of(canonical(&body).as_bytes());
        let signature = self.key.sign(message::game_move(&game, turn_index, &digest).as_bytes());
        body["signature"] = signature.to_string().into();
        body
    }
}

/// What every agent files.
pub(crate) fn filing() -> Filing {
    Filing {
        season_id: "current".to_owned(),
        division: Division::Open,
        model_id: "model".to_owned(),
        adapter_kind: AdapterKind::Api,
        endpoint_url: None,
        system_prompt_sha256: Digest::of(b"prompt"),
        config_sha256: Digest::of(b"config"),
        tool_access: ToolAccess::Pure,
    }
}

/// The same as a body.
pub(crate) fn filing_body() -> Value {
    json!({
        "season_id": "current", "division": "open", "model_id": "model", "adapter_kind": AdapterKind::Api.as_str(),
        "endpoint_url": null, "system_prompt_sha256": Digest::of(b"prompt").to_hex(),
        "config_sha256": Digest::of(b"config").to_hex(), "tool_access": "pure",
    })
}
