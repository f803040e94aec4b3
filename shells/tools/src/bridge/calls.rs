//! A call of the chat client as a request to the hall, signed with the key that the client does not have.

use super::advice::Mistake;
use super::agent_state::AgentState;
use super::tools::{HOMOLOGATE, LOBBY_JOIN, LOBBY_LEAVE, REGISTER, Tool, VIEW};
use crate::agent::first_game;
use hall_client::wire::json::canonical;
use hall_client::wire::text::push_percent_encoded;
use hall_client::wire::{Digest, GameId, message};
use hall_client::{Answer, Client, Error, Homologation, MOVE_HELD_SECONDS, Refusal, Registration};
use hall_http::payload::{HISTORY_TURNS, WHOLE_HISTORY};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The longest time for which a hall holds an answer.
const LONGEST_HELD_SECONDS: u64 = 25;

/// The agent behind the chat client.
#[derive(Clone, Debug)]
pub(super) struct Bridge {
    pub(super) client: Client,
    model_id: String,
    pub(super) division: String,
    /// What the last answers said about the agent's games.
    state: Arc<Mutex<AgentState>>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// The chat client's own.
    Mistake(Mistake),
    /// The hall refused, or the connection failed.
    Error(Error),
}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Self {
        Self::Mistake(mistake)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl Failure {
    fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Error(error) => error.refusal(),
            Self::Mistake(_) => None,
        }
    }

    /// Whether the hall has an agent of this handle that has another key.
    fn is_of_anothers_handle(&self) -> bool {
        self.refusal().is_some_and(|refusal| {
            refusal.code == "SIG_INVALID"
                && refusal.data.get("which").and_then(Value::as_str) == Some("header")
        })
    }

    /// Whether the hall has no agent of this handle and key.
    pub(super) fn is_of_unknown_agent(&self) -> bool {
        self.is_of_anothers_handle()
            || self.refusal().is_some_and(|refusal| refusal.code == "AUTH_UNKNOWN_AGENT")
    }

    /// Whether the request may have been carried out.
    pub(super) fn leaves_doubt(&self) -> bool {
        match self {
            Self::Error(error) => error.leaves_doubt(),
            Self::Mistake(_) => false,
        }
    }
}

impl Bridge {
    pub(super) fn new(client: Client, model_id: String, division: &str) -> Self {
        Self { client, model_id, division: division.to_owned(), state: Arc::default() }
    }

    /// Makes the request, and registers or homologates first where the hall says that this is missing and the tool
    /// changes something anyway. An agent whose handle is another's learns that instead.
    pub(super) async fn insist(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
    ) -> Result<Answer, Failure> {
        let mut outcome = self.request(tool, tool.signed, arguments).await;
        if tool.reads {
            // Public reads are answered without a signature too, unless the answer is to be held for the caller.
            let needs_none = tool.public && !arguments.contains_key("wait");
            return match outcome {
                Err(error) if needs_none && error.is_of_unknown_agent() => {
                    self.request(tool, false, arguments).await
                }
                Err(error) => Err(self.reason(error).await),
                Ok(answer) => Ok(answer),
            };
        }
        if tool.name == REGISTER && code_of(&outcome) == Some("HANDLE_TAKEN") {
            let known = self.client.register_or_resume(&self.registration()).await?;
            let data = json!({ "agent_id": known.agent_id(), "handle": self.client.handle() });
            return Ok(Answer { data, untrusted_fields: vec!["data.handle".to_owned()] });
        }
        if outcome.as_ref().is_err_and(Failure::is_of_unknown_agent) {
            self.client.register_or_resume(&self.registration()).await?;
            outcome = self.request(tool, tool.signed, arguments).await;
        }
        if code_of(&outcome) == Some("NOT_HOMOLOGATED") {
            let division = arguments.get("division").and_then(Value::as_str).unwrap_or(&self.division);
            self.client.homologate(&self.filing(division)).await?;
            self.state().left_division(division);
            outcome = self.request(tool, tool.signed, arguments).await;
        }
        outcome
    }

    /// The failure of a read. If the hall knows the handle with another key, what it refuses to register says so: a
    /// handle that is taken cannot be registered by reading.
    pub(super) async fn reason(&self, failure: Failure) -> Failure {
        if failure.is_of_anothers_handle()
            && let Err(taken) = self.client.register_or_resume(&self.registration()).await
        {
            return taken.into();
        }
        failure
    }

    async fn request(
        &self,
        tool: &Tool,
        signed: bool,
        arguments: &Map<String, Value>,
    ) -> Result<Answer, Failure> {
        if let Some(name) = arguments.keys().find(|name| !tool.takes(name)) {
            return Err(Mistake::unknown(name).into());
        }
        let mut rest = arguments.clone();
        let path = self.path(tool, &mut rest)?;
        if let Some(fields) = &tool.body {
            let mut body = rest;
            if let (true, Some(id)) = (fields.contains("game_id"), arguments.get("game_id")) {
                body.insert("game_id".to_owned(), id.clone());
            }
            let is_move = fields.contains("signature");
            self.complete(tool, is_move, &mut body);
            let held = if is_move { MOVE_HELD_SECONDS } else { 0 };
            return Ok(self.client.post_held(&path, &Value::Object(body), held).await?);
        }
        if tool.name == VIEW {
            if rest.get("history").and_then(Value::as_str) == Some(WHOLE_HISTORY) {
                rest.remove("history");
            } else {
                rest.entry("history").or_insert(json!(HISTORY_TURNS));
            }
        }
        let held = rest.get("wait").and_then(number).unwrap_or(0).min(LONGEST_HELD_SECONDS);
        let target = with_query(path, &rest);
        let answer =
            if signed { self.client.get_held(&target, held).await } else { self.client.get(&target).await };
        Ok(answer?)
    }

    /// The path with its arguments, which are taken from the others.
    fn path(&self, tool: &Tool, arguments: &mut Map<String, Value>) -> Result<String, Mistake> {
        let mut segments = Vec::new();
        for segment in tool.path.split('/') {
            let Some(name) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
                segments.push(segment.to_owned());
                continue;
            };
            let value = match name {
                "agent_id" => self.client.agent_id().to_string(),
                _ => {
                    let value = arguments.remove(name).ok_or_else(|| Mistake::new(name, "is required"))?;
                    value.as_str().map(str::to_owned).ok_or_else(|| Mistake::new(name, "must be a string"))?
                }
            };
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            if value.is_empty() || !value.bytes().all(plain) {
                return Err(Mistake::new(name, format!("cannot be {value:?}")));
            }
            segments.push(value);
        }
        Ok(segments.join("/"))
    }

    /// Fills in the fields that the chat client does not send.
    fn complete(&self, tool: &Tool, is_move: bool, body: &mut Map<String, Value>) {
        if let Some(field) = &tool.demands {
            body.insert(field.clone(), json!(true));
        }
        let defaults: Map<String, Value> = match tool.name.as_str() {
            REGISTER => {
                let key = self.client.key();
                body.insert("handle".to_owned(), json!(self.client.handle().as_str()));
                body.insert("pubkey".to_owned(), json!(key.public().to_string()));
                body.insert("operator_token".to_owned(), json!(key.operator_token()));
                [("model_id".to_owned(), json!(self.model_id))].into_iter().collect()
            }
            HOMOLOGATE => {
                let division = body.get("division").and_then(Value::as_str).unwrap_or(&self.division);
                self.filing(division).body().as_object().cloned().unwrap_or_default()
            }
            LOBBY_JOIN | LOBBY_LEAVE => [("game", first_game()), ("division", self.division.as_str())]
                .map(|(name, value)| (name.to_owned(), json!(value)))
                .into_iter()
                .collect(),
            _ => Map::new(),
        };
        for (name, value) in defaults {
            body.entry(name).or_insert(value);
        }
        if is_move {
            self.sign(body);
        }
    }

    /// Attaches the body signature of a move. A body without game or turn is left to the hall to refuse.
    fn sign(&self, body: &mut Map<String, Value>) {
        let game = body.get("game_id").and_then(Value::as_str).and_then(GameId::parse);
        let turn = body.get("turn_index").and_then(Value::as_u64).and_then(|turn| u32::try_from(turn).ok());
        let digest = Digest::of(canonical(&Value::Object(body.clone())).as_bytes());
        let signature = match (game, turn) {
            (Some(game), Some(turn)) => self.client.key().sign(&message::game_move(&game, turn, &digest)),
            _ => self.client.key().sign(""),
        };
        body.insert("signature".to_owned(), json!(signature.to_string()));
    }

    pub(super) fn state(&self) -> MutexGuard<'_, AgentState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn registration(&self) -> Registration {
        let (model_id, adapter_kind) = (self.model_id.clone(), Some("scaffold".to_owned()));
        Registration { model_id, adapter_kind, operator_name: None }
    }

    fn filing(&self, division: &str) -> Homologation {
        Homologation::bare(division, &self.model_id, "scaffold")
    }
}

/// A number as the hall reads it in a query, where a text of digits is one too.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// The target of a read: its path with the arguments that are left as query.
fn with_query(mut target: String, rest: &Map<String, Value>) -> String {
    for (name, value) in rest {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        push_query(&mut target, name, &text);
    }
    target
}

pub(super) fn push_query(target: &mut String, name: &str, value: &str) {
    target.push(if target.contains('?') { '&' } else { '?' });
    target.push_str(name);
    target.push('=');
    push_percent_encoded(target, value);
}

pub(super) fn code_of(outcome: &Result<Answer, Failure>) -> Option<&str> {
    outcome.as_ref().err()?.refusal().map(|refusal| refusal.code.as_str())
}
