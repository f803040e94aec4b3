//! How a request is written: its path and its body, for the gates of this simulator or for HTTP.

use super::gate::SignedRequest;
use crate::protocol::{AgentRequest, MoveRequest, MoveText};
use hall_wire::json::{Value, canonical};
use hall_wire::{AgentId, Digest, Signature};
use serde_json::json;
use std::sync::Arc;

/// What the tokens of all operators begin with, over HTTP.
pub(crate) const TOKEN: &str = "the token of ";

/// For whom a request is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wording {
    /// A gate of this simulator, which takes the request as a value: path and body only have to be signed.
    #[default]
    Gate,
    /// The interface over HTTP, which gets nothing but this text.
    Http,
}

impl Wording {
    /// The path of a request about this agent.
    pub(super) fn path(self, what: &AgentRequest, about: impl FnOnce() -> AgentId) -> Arc<str> {
        match (self, what) {
            (Self::Http, AgentRequest::File(_)) => format!("/api/agents/{}/homologate", about()).into(),
            _ => path_of(what),
        }
    }

    /// The text of a body and the signature that belongs to it. For a gate the text of a move does not contain the
    /// signature; over HTTP it is the whole body.
    pub(super) fn body(
        self,
        what: &AgentRequest,
        sign: impl FnOnce(&MoveRequest, &str) -> Signature,
    ) -> Body {
        let unsigned = Signature::from_bytes([0; 64]);
        match (self, what) {
            (Self::Gate, AgentRequest::Move(what)) => {
                let text = move_text(what);
                let signature = sign(what, &text);
                (text, signature)
            }
            (Self::Gate, _) => (format!("{what:?}"), unsigned),
            (Self::Http, AgentRequest::Move(what)) => {
                let text = move_text(what);
                let signature = sign(what, &text);
                let members = text.strip_suffix('}').unwrap_or_default();
                (format!("{members},\"signature\":\"{signature}\"}}"), signature)
            }
            (Self::Http, _) => (json_of(what).to_string(), unsigned),
        }
    }

    /// sha256 of the body as it is sent.
    pub(super) fn digest(self, body: &Body) -> Digest {
        match self {
            Self::Gate => SignedRequest::raw_digest(body),
            Self::Http => Digest::of(body.0.as_bytes()),
        }
    }
}

/// The text of a body, and the body signature.
pub(crate) type Body = (String, Signature);

fn path_of(what: &AgentRequest) -> Arc<str> {
    match what {
        AgentRequest::Challenge => "/api/auth/challenge".into(),
        AgentRequest::Register(_) => "/api/agents".into(),
        AgentRequest::File(_) => "/api/agents/self/homologation".into(),
        AgentRequest::Join(_) => "/api/lobby/join".into(),
        AgentRequest::Leave(_) => "/api/lobby/leave".into(),
        AgentRequest::MyGames => "/api/my/games".into(),
        AgentRequest::View(game) => format!("/api/games/{game}/view").into(),
        AgentRequest::Move(what) => format!("/api/games/{}/moves", what.game).into(),
        AgentRequest::Post(..) => "/api/feedback".into(),
    }
}

/// The body of anything but a move. Who runs an agent is known by a token; equal tokens are equal operators.
fn json_of(what: &AgentRequest) -> Value {
    match what {
        AgentRequest::Register(new) => {
            let mut members = json!({
                "handle": new.handle,
                "model_id": new.model_id,
                "pubkey": new.key,
                "operator_token": format!("{TOKEN}{}", new.operator),
            });
            let optional = [
                ("adapter_kind", new.adapter_kind.map(|kind| kind.as_str().to_owned())),
                ("operator_name", new.operator_name.clone()),
            ];
            for (name, value) in optional {
                if let (Some(value), Some(members)) = (value, members.as_object_mut()) {
                    members.insert(name.to_owned(), value.into());
                }
            }
            members
        }
        AgentRequest::File(filing) => json!({
            "season_id": filing.season_id,
            "division": filing.division.as_str(),
            "model_id": filing.model_id,
            "adapter_kind": filing.adapter_kind.as_str(),
            "endpoint_url": filing.endpoint_url,
            "system_prompt_sha256": filing.system_prompt_sha256,
            "config_sha256": filing.config_sha256,
            "tool_access": filing.tool_access.as_str(),
        }),
        AgentRequest::Join(lobby) | AgentRequest::Leave(lobby) => json!({
            "game": lobby.game, "variant": lobby.variant, "division": lobby.division.as_str(),
        }),
        AgentRequest::Post(kind, subject) => json!({
            "kind": kind.as_str(), "subject": subject, "body": "Nothing to add.",
        }),
        AgentRequest::Challenge | AgentRequest::MyGames | AgentRequest::View(_) | AgentRequest::Move(_) => {
            Value::Null
        }
    }
}

/// The canonical text of a move's body without its signature (specification 5.7).
fn move_text(what: &MoveRequest) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(160);
    text.push('{');
    if let Some(commentary) = &what.commentary {
        let _ = write!(text, "\"commentary\":{},", canonical(&Value::from(commentary.as_str())));
    }
    if what.draw_accept {
        text.push_str("\"draw_accept\":true,");
    }
    if what.draw_offer {
        text.push_str("\"draw_offer\":true,");
    }
    let _ = write!(text, "\"game_id\":\"{}\"", what.game);
    match &what.choice {
        Some(MoveText::Text(written)) => {
            let _ = write!(text, ",\"move\":\"{written}\"");
        }
        Some(MoveText::Index(index)) => {
            let _ = write!(text, ",\"move\":{{\"index\":{index}}}");
        }
        None => {}
    }
    if what.resign {
        text.push_str(",\"resign\":true");
    }
    let _ = write!(text, ",\"turn_index\":{}}}", what.turn_index);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::GameId;

    #[test]
    fn the_text_of_a_move_is_canonical_json() {
        let game = GameId::from_bytes([7; 16]);
        let plain = MoveRequest {
            game,
            turn_index: 3,
            choice: Some(MoveText::Text("e2e4".into())),
            resign: false,
            draw_offer: false,
            draw_accept: false,
            commentary: None,
        };
        let requests = [
            plain.clone(),
            MoveRequest { commentary: Some("well".into()), draw_offer: true, ..plain.clone() },
            MoveRequest { commentary: Some("\"\\\u{2028}\u{1f469}".into()), ..plain.clone() },
            MoveRequest { choice: Some(MoveText::Index(-1)), ..plain.clone() },
            MoveRequest { choice: None, resign: true, ..plain.clone() },
            MoveRequest { choice: None, draw_accept: true, ..plain },
        ];
        for what in requests {
            let text = move_text(&what);
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(canonical(&value), text);
        }
    }
}
