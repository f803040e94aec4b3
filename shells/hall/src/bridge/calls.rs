//! A call of the chat client as a request to the hall, signed with the key that the client does not have.

use super::tools::{Tool, WAIT_FOR_TURN};
use hall_client::wire::json::canonical;
use hall_client::wire::text::push_percent_encoded;
use hall_client::wire::{Digest, GameId, message};
use hall_client::{Answer, Client, Error, Homologation, Refusal, Registration};
use hall_http::payload::BOUNDARY;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// How long `wait_for_turn` waits unless told otherwise: chat clients give up on a call after a minute.
pub(super) const USUAL_WAIT_SECONDS: u64 = 45;
/// How long it waits at most.
pub(super) const LONGEST_WAIT_SECONDS: u64 = 300;
/// For how long the hall holds an answer at a time: the end of a game by the opponent is noticed within this.
const HELD_SECONDS: u64 = 10;
/// The longest time for which a hall holds an answer.
const LONGEST_HELD_SECONDS: u64 = 25;

/// The agent behind the chat client.
#[derive(Clone, Debug)]
pub(super) struct Bridge {
    client: Client,
    model_id: String,
    division: String,
    /// Whether a live game was seen since the last one ended: the end of a game is told to whoever waits, once.
    playing: Arc<AtomicBool>,
}

impl Bridge {
    pub(super) fn new(client: Client, model_id: String, division: &str) -> Self {
        Self { client, model_id, division: division.to_owned(), playing: Arc::default() }
    }

    /// Calls a tool and gives the envelope of the answer.
    pub(super) async fn call(&self, tool: &Tool, arguments: Map<String, Value>) -> Value {
        let answered = if tool.name == WAIT_FOR_TURN {
            self.wait_for_turn(&arguments).await
        } else {
            self.insist(tool, &arguments).await
        };
        match answered {
            Ok(answer) => json!({
                "ok": true,
                "data": answer.data,
                "metadata": { "boundary": BOUNDARY, "untrusted_fields": answer.untrusted_fields },
            }),
            Err(Error::Refused(refusal)) => refused(&refusal.code, &refusal.message, Some(&refusal)),
            Err(error) => {
                let doubt = if error.leaves_doubt() {
                    " It may have been carried out all the same: look at my_games and view before you repeat it."
                } else {
                    ""
                };
                refused("BRIDGE_FAILED", &format!("{error}.{doubt}"), None)
            }
        }
    }

    /// Makes the request, and registers or homologates first where the hall says that this is missing.
    async fn insist(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<Answer, Error> {
        let mut outcome = self.request(tool, arguments).await;
        if code_of(&outcome) == Some("AUTH_UNKNOWN_AGENT") {
            self.client.register_or_resume(&self.registration()).await?;
            outcome = self.request(tool, arguments).await;
        }
        if code_of(&outcome) == Some("NOT_HOMOLOGATED") {
            let division = arguments.get("division").and_then(Value::as_str).unwrap_or(&self.division);
            self.client.homologate(&self.filing(division)).await?;
            outcome = self.request(tool, arguments).await;
        }
        outcome
    }

    async fn request(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<Answer, Error> {
        let mut rest = arguments.clone();
        let path = self.path(tool, &mut rest)?;
        if let Some(fields) = &tool.body {
            let mut body = Map::new();
            for (name, value) in rest {
                if !fields.contains(&name) {
                    return Err(unknown(&name));
                }
                body.insert(name, value);
            }
            if let (true, Some(id)) = (fields.contains("game_id"), arguments.get("game_id")) {
                body.insert("game_id".to_owned(), id.clone());
            }
            self.complete(tool, fields.contains("signature"), &mut body);
            return self.client.post_signed(&path, &Value::Object(body)).await;
        }
        let held = rest.get("wait").and_then(Value::as_u64).unwrap_or(0).min(LONGEST_HELD_SECONDS);
        let target = with_query(tool, path, &rest)?;
        if tool.signed { self.client.get_held(&target, held).await } else { self.client.get(&target).await }
    }

    /// The path with its arguments, which are taken from the others.
    fn path(&self, tool: &Tool, arguments: &mut Map<String, Value>) -> Result<String, Error> {
        let mut segments = Vec::new();
        for segment in tool.path.split('/') {
            let Some(name) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
                segments.push(segment.to_owned());
                continue;
            };
            let value = match name {
                "agent_id" => self.client.agent_id().to_string(),
                _ => {
                    let value = arguments.remove(name).unwrap_or_default();
                    value.as_str().map(str::to_owned).ok_or_else(|| needed(name))?
                }
            };
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            if value.is_empty() || !value.bytes().all(plain) {
                return Err(Error::Request(format!("{name} cannot be {value:?}")));
            }
            segments.push(value);
        }
        Ok(segments.join("/"))
    }

    /// Puts in what the chat client does not say.
    fn complete(&self, tool: &Tool, is_move: bool, body: &mut Map<String, Value>) {
        if let Some(field) = &tool.demands {
            body.insert(field.clone(), json!(true));
        }
        let defaults: Map<String, Value> = match tool.name.as_str() {
            "register" => {
                let key = self.client.key();
                body.insert("handle".to_owned(), json!(self.client.handle().as_str()));
                body.insert("pubkey".to_owned(), json!(key.public().to_string()));
                body.insert("operator_token".to_owned(), json!(key.operator_token()));
                [("model_id".to_owned(), json!(self.model_id))].into_iter().collect()
            }
            "homologate" => {
                let division = body.get("division").and_then(Value::as_str).unwrap_or(&self.division);
                self.filing(division).body().as_object().cloned().unwrap_or_default()
            }
            "lobby_join" | "lobby_leave" => [("game", "chess"), ("division", self.division.as_str())]
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

    /// The agent's live games, as soon as a turn waits in one of them, none is left, or the time is over.
    async fn wait_for_turn(&self, arguments: &Map<String, Value>) -> Result<Answer, Error> {
        let seconds = match arguments.get("seconds") {
            None => USUAL_WAIT_SECONDS,
            Some(value) => value.as_u64().ok_or_else(|| needed("seconds"))?.min(LONGEST_WAIT_SECONDS),
        };
        let until = Instant::now() + Duration::from_secs(seconds);
        loop {
            let left = until.saturating_duration_since(Instant::now()).as_secs();
            let held = left.min(HELD_SECONDS);
            let target = format!("/api/my/games?status=live&limit=200&wait={held}");
            let answer = match self.client.get_held(&target, held).await {
                Err(error) if error.is_code("AUTH_UNKNOWN_AGENT") => {
                    self.client.register_or_resume(&self.registration()).await?;
                    continue;
                }
                other => other?,
            };
            let games =
                answer.data.get("games").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let is_turn = games.iter().any(|game| game.get("your_turn") == Some(&Value::Bool(true)));
            let was_playing = self.playing.swap(!games.is_empty(), Ordering::Relaxed);
            let has_ended = was_playing && games.is_empty();
            if is_turn || has_ended || held == 0 {
                return Ok(answer);
            }
        }
    }

    fn registration(&self) -> Registration {
        let (model_id, adapter_kind) = (self.model_id.clone(), Some("scaffold".to_owned()));
        Registration { model_id, adapter_kind, operator_name: None }
    }

    fn filing(&self, division: &str) -> Homologation {
        Homologation::bare(division, &self.model_id, "scaffold")
    }
}

/// The target of a read: its path with the arguments that are left as query.
fn with_query(tool: &Tool, mut target: String, rest: &Map<String, Value>) -> Result<String, Error> {
    let known = tool.input.get("properties").and_then(Value::as_object);
    for (name, value) in rest {
        if !known.is_some_and(|known| known.contains_key(name)) {
            return Err(unknown(name));
        }
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        target.push(if target.contains('?') { '&' } else { '?' });
        target.push_str(name);
        target.push('=');
        push_percent_encoded(&mut target, &text);
    }
    Ok(target)
}

fn code_of(outcome: &Result<Answer, Error>) -> Option<&str> {
    outcome.as_ref().err()?.refusal().map(|refusal| refusal.code.as_str())
}

fn needed(name: &str) -> Error {
    Error::Request(format!("{name} is required, or is not of its type"))
}

fn unknown(name: &str) -> Error {
    Error::Request(format!("{name} is no argument of this tool"))
}

/// The envelope of a failure.
fn refused(code: &str, message: &str, refusal: Option<&Refusal>) -> Value {
    let mut envelope = json!({
        "ok": false,
        "error": { "code": code, "message": message },
        "metadata": { "boundary": BOUNDARY, "untrusted_fields": [] },
    });
    let data = refusal.map(|refusal| refusal.data.clone()).filter(|data| !data.is_null());
    if let (Some(data), Some(members)) = (data, envelope.as_object_mut()) {
        members.insert("data".to_owned(), data);
    }
    envelope
}
