//! What a call of the chat client does beyond one request: it is told what it missed, waits for turns, and is answered in
//! the envelope.

use super::advice::{BRIDGE_FAILED, INVALID_BODY, MAY_BE_DONE, Mistake, advice, in_doubt};
use super::agent_state::{Listed, Lobby, deserted};
use super::calls::{Bridge, Failure, code_of, push_query};
use super::choice;
use super::tools::{
    HOMOLOGATE, LOBBY_JOIN, LOBBY_LEAVE, LONGEST_WAIT_SECONDS, MOVE, RULES, Tool, USUAL_WAIT_SECONDS,
    WAIT_FOR_TURN,
};
use crate::agent::first_game;
use hall_client::{Answer, Error};
use hall_http::payload::{BOUNDARY, LEGAL_MOVES_IN_FULL, shorten_legal_moves};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::Instant;

/// For how long the hall holds an answer at a time. A hall that does not wake a waiting request for the end of a game
/// shows that end within this time.
const HELD_SECONDS: u64 = 10;
/// How long a join may take to note how the agent's games stand.
const NOTING: Duration = Duration::from_secs(5);
/// The immediate answer where there is nothing to wait for. The hall does not disclose in which lobbies an agent
/// waits.
const NOTHING_TO_WAIT_FOR: &str =
    "You are in no game and, as far as this bridge knows, in no lobby: lobby_join finds an opponent.";

impl Bridge {
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

    /// Joins or leaves a lobby, and remembers in which ones the agent waits.
    async fn lobby(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<Answer, Failure> {
        let joins = tool.name == LOBBY_JOIN;
        if joins && self.state().may_have_missed() {
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
            self.state().paired(game);
        }
        match (is_done, joins) {
            (true, true) => self.state().joined(lobby),
            (true, false) => self.state().left([&lobby]),
            (false, _) => {}
        }
        if joins && is_done && self.state().quiet().is_none() {
            // The hall did not know the agent before.
            self.note_games().await;
        }
        outcome
    }

    /// Notes how the agent's games stand. A failure is left to the call that follows.
    async fn note_games(&self) {
        let looked = tokio::time::timeout(NOTING, self.look(0)).await;
        if looked.is_ok_and(|looked| looked.is_err_and(|failure| failure.is_of_unknown_agent())) {
            self.state().is_new();
        }
    }

    /// Leaves all lobbies in which the agent is taken to wait.
    pub(super) async fn leave_lobbies(&self) {
        let lobbies = self.state().take_lobbies();
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
            self.state().left_division(division);
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
            let state = self.state();
            state.quiet().is_none() || state.lacks_game()
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
                let mut state = self.state();
                (state.take_ended(), state.waits_for_nothing())
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
            let state = self.state();
            state.quiet().into_iter().for_each(|tag| push_query(&mut target, "after", tag));
        }
        let answer = match self.client.get_held(&target, held).await {
            Ok(answer) => answer,
            Err(error) => return Err(self.reason(error.into()).await),
        };
        let unexplained = {
            let mut state = self.state();
            state.left(&deserted);
            state.note(&Listed::of(&answer.data))
        };
        if let Some(unexplained) = unexplained {
            let ended = self.client.get_signed("/api/my/games?status=ended&limit=1").await?;
            self.state().explained(unexplained, &ended.data);
        }
        Ok(answer)
    }

    /// The lobbies of an agent without a game in which, by the pulse, nobody waits.
    async fn deserted(&self) -> Result<BTreeSet<Lobby>, Failure> {
        let lobbies = self.state().lobbies_without_game();
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
}

/// How long a call says to wait.
fn seconds(argument: &str, value: Option<&Value>, usual: u64) -> Result<u64, Mistake> {
    let Some(value) = value else { return Ok(usual) };
    let rule = || Mistake::new(argument, format!("must be an integer from 0 to {LONGEST_WAIT_SECONDS}"));
    Ok(value.as_u64().ok_or_else(rule)?.min(LONGEST_WAIT_SECONDS))
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
    use hall_client::Refusal;

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
