//! A call of the chat client as a request to the hall, signed with the key that the client does not have.

use super::advice::{BRIDGE_FAILED, INVALID_BODY, MAY_BE_DONE, Mistake, advice, in_doubt};
use super::choice;
use super::known::{Known, Listed, Lobby, deserted};
use super::tools::{HOMOLOGATE, LOBBY_JOIN, LOBBY_LEAVE, MOVE, REGISTER, RULES, Tool, VIEW, WAIT_FOR_TURN};
use crate::agent::first_game;
use hall_client::wire::json::canonical;
use hall_client::wire::text::push_percent_encoded;
use hall_client::wire::{Digest, GameId, message};
use hall_client::{Answer, Client, Error, Homologation, MOVE_HELD_SECONDS, Refusal, Registration};
use hall_http::payload::{BOUNDARY, HISTORY_TURNS, LEGAL_MOVES_IN_FULL, WHOLE_HISTORY, shorten_legal_moves};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long `wait_for_turn` waits unless told otherwise: chat clients give up on a call after a minute.
pub(super) const USUAL_WAIT_SECONDS: u64 = 45;
/// The longest wait.
pub(super) const LONGEST_WAIT_SECONDS: u64 = 300;
/// For how long the hall holds an answer at a time. A hall that does not wake a waiting request for the end of a game
/// shows that end within this time.
const HELD_SECONDS: u64 = 10;
/// How long a join may take to note how the agent's games stand.
const NOTING: Duration = Duration::from_secs(5);
/// The immediate answer where there is nothing to wait for. The hall does not disclose in which lobbies an agent
/// waits.
const NOTHING_TO_WAIT_FOR: &str =
    "You are in no game and, as far as this bridge knows, in no lobby: lobby_join finds an opponent.";
/// The longest time for which a hall holds an answer.
const LONGEST_HELD_SECONDS: u64 = 25;

/// The agent behind the chat client.
#[derive(Clone, Debug)]
pub(super) struct Bridge {
    client: Client,
    model_id: String,
    division: String,
    /// What the last answers said about the agent's games.
    known: Arc<Mutex<Known>>,
}

/// Why there is no answer.
#[derive(Debug)]
enum Failure {
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
    fn is_of_unknown_agent(&self) -> bool {
        self.is_of_anothers_handle()
            || self.refusal().is_some_and(|refusal| refusal.code == "AUTH_UNKNOWN_AGENT")
    }

    /// Whether the request may have been carried out.
    fn leaves_doubt(&self) -> bool {
        match self {
            Self::Error(error) => error.leaves_doubt(),
            Self::Mistake(_) => false,
        }
    }
}

impl Bridge {
    pub(super) fn new(client: Client, model_id: String, division: &str) -> Self {
        Self { client, model_id, division: division.to_owned(), known: Arc::default() }
    }

    /// Calls a tool and gives the envelope of the answer.
    pub(super) async fn call(&self, tool: &Tool, arguments: Map<String, Value>) -> Value {
        let answered = match tool.name.as_str() {
            WAIT_FOR_TURN => self.wait_for_turn(&arguments).await,
            MOVE => self.play(tool, arguments).await,
            LOBBY_JOIN | LOBBY_LEAVE => self.lobby(tool, &arguments).await,
            HOMOLOGATE => self.homologate(tool, &arguments).await,
            RULES => self
                .insist(tool, &arguments)
                .await
                .map(|answer| Answer { data: choice::rules(answer.data), ..answer }),
            _ => self.insist(tool, &arguments).await,
        };
        let mut envelope = Self::envelope(answered);
        shorten_legal_moves(&mut envelope, LEGAL_MOVES_IN_FULL);
        envelope
    }

    fn envelope(answered: Result<Answer, Failure>) -> Value {
        match answered {
            Ok(answer) => json!({
                "ok": true,
                "data": answer.data,
                "metadata": { "boundary": BOUNDARY, "untrusted_fields": answer.untrusted_fields },
            }),
            Err(Failure::Mistake(mistake)) => {
                refused(INVALID_BODY, Mistake::advice(), Some(mistake.detail()))
            }
            Err(Failure::Error(error)) => failed(&error),
        }
    }

    /// Makes the request, and registers or homologates first where the hall says that this is missing and the tool
    /// changes something anyway. An agent whose handle is another's learns that instead.
    async fn insist(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<Answer, Failure> {
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
            self.known().left_division(division);
            outcome = self.request(tool, tool.signed, arguments).await;
        }
        outcome
    }

    /// The failure of a read. If the hall knows the handle with another key, what it refuses to register says so: a
    /// handle that is taken cannot be registered by reading.
    async fn reason(&self, failure: Failure) -> Failure {
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

    /// Joins or leaves a lobby, and remembers in which ones the agent waits.
    async fn lobby(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<Answer, Failure> {
        let joins = tool.name == LOBBY_JOIN;
        if joins && self.known().may_have_missed() {
            // What the games that come from this lobby are compared with.
            self.note_games().await;
        }
        let outcome = self.insist(tool, arguments).await;
        let told =
            |name, usual: &str| arguments.get(name).and_then(Value::as_str).unwrap_or(usual).to_owned();
        let lobby: Lobby =
            [told("game", first_game()), told("variant", "standard"), told("division", &self.division)];
        let is_in_doubt = outcome.as_ref().is_err_and(Failure::leaves_doubt);
        let is_done = match (&outcome, code_of(&outcome)) {
            (Ok(answer), _) => !joins || answer.data.get("paired") == Some(&Value::Bool(false)),
            (_, Some("ALREADY_IN_LOBBY")) => joins,
            (_, Some("NOT_IN_LOBBY")) => !joins,
            // The agent may wait there: the pulse tells.
            _ => joins && is_in_doubt,
        };
        if let Ok(answer) = &outcome
            && let Some(game) = answer.data.get("game_id").and_then(Value::as_str)
        {
            self.known().paired(game);
        }
        match (is_done, joins) {
            (true, true) => self.known().joined(lobby),
            (true, false) => self.known().left([&lobby]),
            (false, _) => {}
        }
        if joins && is_done && self.known().quiet().is_none() {
            // The hall did not know the agent before.
            self.note_games().await;
        }
        outcome
    }

    /// Notes how the agent's games stand. A failure is left to the call that follows.
    async fn note_games(&self) {
        let looked = tokio::time::timeout(NOTING, self.look(0)).await;
        if looked.is_ok_and(|looked| looked.is_err_and(|failure| failure.is_of_unknown_agent())) {
            self.known().is_new();
        }
    }

    /// Leaves all lobbies in which the agent is taken to wait.
    pub(super) async fn leave_lobbies(&self) {
        let lobbies = self.known().take_lobbies();
        for [game, variant, division] in lobbies {
            // The agent is in the lobby no more, or the hall cannot be reached.
            let _ = self.client.leave_lobby(&hall_client::Lobby { game, variant, division }).await;
        }
    }

    /// Files a homologation. Another one than the one on file takes the agent out of the lobbies of its division.
    async fn homologate(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<Answer, Failure> {
        let answer = self.insist(tool, arguments).await?;
        if answer.data.get("unchanged") != Some(&Value::Bool(true))
            && let Some(division) = answer.data.get("division").and_then(Value::as_str)
        {
            self.known().left_division(division);
        }
        Ok(answer)
    }

    /// Makes a move, and waits for the next turn if the call says for how long.
    async fn play(&self, tool: &Tool, mut arguments: Map<String, Value>) -> Result<Answer, Failure> {
        let waited = arguments.remove("wait_seconds");
        let seconds = seconds("wait_seconds", waited.as_ref(), 0)?;
        let mut answer = self.insist(tool, &arguments).await?;
        let is_over = answer.data.pointer("/verdict/game_over") == Some(&Value::Bool(true));
        if seconds > 0
            && !is_over
            // The move was made, whatever the result of waiting.
            && let Ok(next) = self.wait(seconds).await
            && let (Some(data), Value::Object(next)) = (answer.data.as_object_mut(), next.data)
        {
            data.extend(next);
        }
        Ok(answer)
    }

    /// What [`Self::wait`] answers, for as long as the call says.
    async fn wait_for_turn(&self, arguments: &Map<String, Value>) -> Result<Answer, Failure> {
        if let Some(name) = arguments.keys().find(|name| *name != "seconds") {
            return Err(Mistake::unknown(name).into());
        }
        self.wait(seconds("seconds", arguments.get("seconds"), USUAL_WAIT_SECONDS)?).await
    }

    /// The most urgent turn of the agent and its live games in brief: as soon as a turn waits, a game has ended, or
    /// the time is up; immediately if there is nothing to wait for.
    async fn wait(&self, seconds: u64) -> Result<Answer, Failure> {
        let until = Instant::now() + Duration::from_secs(seconds);
        // Without a tag to compare with, a game that ended a moment ago would go unnoticed: check before waiting. The
        // same holds where there may be nothing to wait for.
        let mut looks = {
            let known = self.known();
            known.quiet().is_none() || known.lacks_game()
        };
        loop {
            // In whole seconds, rounded up, so that nothing is answered before its time.
            let left = until.saturating_duration_since(Instant::now()).as_millis().div_ceil(1_000);
            let held = if looks { 0 } else { u64::try_from(left).unwrap_or(u64::MAX).min(HELD_SECONDS) };
            let mut answer = self.look(held).await?;
            let games = Listed::of(&answer.data).games;
            let turn = self.turn(games).await?;
            let brief = choice::in_brief(games);
            let (ended, waits_for_nothing) = {
                let mut known = self.known();
                (known.take_ended(), known.waits_for_nothing())
            };
            if turn.is_some() || !ended.is_empty() || waits_for_nothing || Instant::now() >= until {
                answer.data = json!({ "turn": turn, "games": brief, "ended": ended });
                if waits_for_nothing && let Some(data) = answer.data.as_object_mut() {
                    data.insert("note".to_owned(), json!(NOTHING_TO_WAIT_FOR));
                }
                answer.untrusted_fields.clear();
                return Ok(answer);
            }
            looks = false;
        }
    }

    /// The live games of the agent, as soon as a turn waits or a game has ended, at the latest after `held` seconds.
    /// What has changed is noted.
    async fn look(&self, held: u64) -> Result<Answer, Failure> {
        // Asked before the games: an agent that is then in no game either has no opponent to come.
        let deserted = self.deserted().await?;
        let mut target = "/api/my/games?status=live&limit=200".to_owned();
        if held > 0 {
            push_query(&mut target, "wait", &held.to_string());
            let known = self.known();
            known.quiet().into_iter().for_each(|tag| push_query(&mut target, "after", tag));
        }
        let answer = match self.client.get_held(&target, held).await {
            Ok(answer) => answer,
            Err(error) => return Err(self.reason(error.into()).await),
        };
        let unexplained = {
            let mut known = self.known();
            known.left(&deserted);
            known.note(&Listed::of(&answer.data))
        };
        if let Some(unexplained) = unexplained {
            let ended = self.client.get_signed("/api/my/games?status=ended&limit=1").await?;
            self.known().explained(unexplained, &ended.data);
        }
        Ok(answer)
    }

    /// The lobbies of an agent without a game in which, by the pulse, nobody waits.
    async fn deserted(&self) -> Result<BTreeSet<Lobby>, Failure> {
        let lobbies = self.known().lobbies_without_game();
        if lobbies.is_empty() {
            return Ok(lobbies);
        }
        // Signed, so that it is at least as new as the answer to a join.
        let pulse = self.client.get_signed("/api/pulse").await?;
        Ok(deserted(lobbies, &pulse.data))
    }

    /// The most urgent turn among own games, with what is needed to choose a move.
    async fn turn(&self, games: &[Value]) -> Result<Option<Value>, Failure> {
        let Some(game) = choice::most_urgent(games) else { return Ok(None) };
        let id = game.get("id").and_then(Value::as_str).unwrap_or_default();
        let answer = self.client.get_signed(&format!("/api/games/{id}/view?history=0")).await?;
        Ok(answer.data.get("view").and_then(|view| choice::turn(game, view)))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn registration(&self) -> Registration {
        let (model_id, adapter_kind) = (self.model_id.clone(), Some("scaffold".to_owned()));
        Registration { model_id, adapter_kind, operator_name: None }
    }

    fn filing(&self, division: &str) -> Homologation {
        Homologation::bare(division, &self.model_id, "scaffold")
    }
}

/// How long a call says to wait.
fn seconds(argument: &str, value: Option<&Value>, usual: u64) -> Result<u64, Mistake> {
    let Some(value) = value else { return Ok(usual) };
    let rule = || Mistake::new(argument, format!("must be an integer from 0 to {LONGEST_WAIT_SECONDS}"));
    Ok(value.as_u64().ok_or_else(rule)?.min(LONGEST_WAIT_SECONDS))
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

fn push_query(target: &mut String, name: &str, value: &str) {
    target.push(if target.contains('?') { '&' } else { '?' });
    target.push_str(name);
    target.push('=');
    push_percent_encoded(target, value);
}

fn code_of(outcome: &Result<Answer, Failure>) -> Option<&str> {
    outcome.as_ref().err()?.refusal().map(|refusal| refusal.code.as_str())
}

/// The envelope of a refusal of the hall, or of what failed on the way to it.
fn failed(error: &Error) -> Value {
    let doubt = error.leaves_doubt();
    let Some(refusal) = error.refusal() else {
        let told = if doubt { format!("{error}. {MAY_BE_DONE}") } else { format!("{error}.") };
        return refused(BRIDGE_FAILED, &told, None);
    };
    let told = if doubt { in_doubt() } else { advice(refusal) };
    let detail = Some(refusal.data.clone()).filter(|data| !data.is_null());
    refused(&refusal.code, &told, detail)
}

/// The envelope of a failure.
fn refused(code: &str, message: &str, detail: Option<Value>) -> Value {
    let mut envelope = json!({
        "ok": false,
        "error": { "code": code, "message": message },
        "metadata": { "boundary": BOUNDARY, "untrusted_fields": [] },
    });
    if let (Some(detail), Some(members)) = (detail, envelope.as_object_mut()) {
        members.insert("data".to_owned(), detail);
    }
    envelope
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_whose_outcome_is_unknown_is_not_to_be_repeated_blindly() {
        let failed = |code: &str, data: Value| {
            let (code, message) = (code.to_owned(), "In the hall's words.".to_owned());
            let retry_after = Some(Duration::from_secs(1));
            let refusal = Refusal { code, status: 503, message, data, retry_after };
            Bridge::envelope(Err(Error::Refused(Box::new(refusal)).into()))["error"]["message"].to_string()
        };
        for (code, data, is_in_doubt) in [
            ("UNAVAILABLE", json!({ "outcome": "unknown" }), true),
            ("INTERNAL", Value::Null, true),
            ("UNAVAILABLE", Value::Null, false),
        ] {
            let told = failed(code, data);
            assert_eq!(told.contains("look at my_games and view before"), is_in_doubt, "{told}");
            assert_eq!(told.contains("Call again after 1 seconds"), !is_in_doubt, "{told}");
        }
    }
}
