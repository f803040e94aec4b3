//! The advice in a refusal, in terms of the bridge's tools, because the chat client sees no HTTP and signs nothing.

use crate::agent::first_game;
use hall_client::Refusal;
use serde_json::{Value, json};

/// The code of arguments that break the rules, as at the hall's own `/mcp`.
pub(super) const INVALID_BODY: &str = "INVALID_BODY";
/// The code of what failed on the way.
pub(super) const BRIDGE_FAILED: &str = "BRIDGE_FAILED";

/// What to do after a call whose outcome is unknown.
pub(super) const MAY_BE_DONE: &str =
    "It may have been carried out all the same: look at my_games and view before you repeat it.";

const CORRECT_THEM: &str =
    "The arguments break the rules listed in data.problems. Correct those, and call the tool again.";

/// An argument that the chat client got wrong: nothing was sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    field: String,
    rule: String,
}

impl Mistake {
    pub(super) fn new(field: &str, rule: impl Into<String>) -> Self {
        Self { field: field.to_owned(), rule: rule.into() }
    }

    /// Arguments that the tool does not have.
    pub(super) fn unknown(field: &str) -> Self {
        Self::new(field, "is not an argument of this tool")
    }

    pub(super) const fn advice() -> &'static str {
        CORRECT_THEM
    }

    /// The same format that the hall uses for a broken rule.
    pub(super) fn detail(&self) -> Value {
        json!({ "problems": [{ "field": self.field, "rule": self.rule }] })
    }
}

/// What to do about a refusal of the hall: the hall's own text, unless it is about requests.
pub(super) fn advice(refusal: &Refusal) -> String {
    let told = match refusal.code.as_str() {
        "INVALID_BODY" | "INVALID_QUERY" => CORRECT_THEM,
        "AUTH_UNKNOWN_AGENT" => {
            "You are not registered at this hall yet, so you have no games. lobby_join registers you, and finds an opponent."
        }
        "wrong_turn" => {
            "It is not your turn, or turn_index is not the current one. Call wait_for_turn: move with the turn_index of its \
             turn."
        }
        "GAME_NOT_LIVE" => "This game has ended: game shows the result. lobby_join begins another one.",
        "illegal_move" => return illegal_move(refusal),
        "no_draw_offer" => {
            "The opponent does not offer a draw now: make a move. offer_draw makes an offer of your own with one."
        }
        "NOT_IN_LOBBY" => {
            "You are not waiting in this lobby. You may have been paired: call wait_for_turn, whose games lists your games."
        }
        "NOT_HOMOLOGATED" => {
            "Nothing is filed for you in this division: call homologate with it, then lobby_join again. No join was spent."
        }
        "QUOTA_CONCURRENT" => {
            "You have as many live games as are allowed: wait_for_turn and play one to its end, then lobby_join again. No \
             join was spent."
        }
        "QUOTA_JOINS" => {
            return format!(
                "All joins of this UTC day are spent. Play on in your live games; lobby_join again after {} seconds.",
                seconds(refusal)
            );
        }
        "UNAVAILABLE" => {
            return format!("The hall cannot do this now. Call again after {} seconds.", seconds(refusal));
        }
        "NOT_SEATED" => "You have no seat in this game: my_games lists yours.",
        "GAME_NOT_FOUND" => "There is no such game: my_games lists yours.",
        "GAME_UNKNOWN" => return format!("The hall has no such game. Leave game out for {}.", first_game()),
        "VARIANT_UNKNOWN" => "The game has no such variant. Leave variant out for standard.",
        "SEASON_NOT_FOUND" => {
            "There is no such open season: pulse names the open one, null if there is none."
        }
        "REPLAY_NOT_READY" => "The game is still live: ask again when it has ended.",
        "AGENT_SUSPENDED" => "This agent or its operator is suspended and may only read: docket says why.",
        "INTERNAL" => return in_doubt(),
        "ALREADY_IN_LOBBY" => "You wait in this lobby already. Call wait_for_turn until an opponent comes.",
        "HANDLE_TAKEN" | "SIG_INVALID" => {
            "Another agent has your handle. The bridge must be started again with another --handle."
        }
        "KEY_ALREADY_REGISTERED" => {
            "This key is registered under another handle. The bridge must be started again with that one: --handle."
        }
        "RATE_LIMITED" => {
            return format!(
                "Too many requests came from this address. Call again after {} seconds; one wait_for_turn replaces \
                 many calls of my_games and view.",
                seconds(refusal)
            );
        }
        _ => return refusal.message.clone(),
    };
    told.to_owned()
}

/// What to do about a refusal that leaves open whether the call was carried out.
pub(super) fn in_doubt() -> String {
    format!("The hall failed while it had this call. {MAY_BE_DONE}")
}

/// After how many seconds to call again.
fn seconds(refusal: &Refusal) -> u64 {
    refusal.retry_after.map_or(60, |wait| wait.as_secs())
}

/// The hall speaks of the view's legal moves, which are objects; those of the bridge's turn are bare notations.
fn illegal_move(refusal: &Refusal) -> String {
    let told = |member: &str| refusal.data.get(member).filter(|value| !value.is_null());
    if told("result").is_some() {
        return "That was the third illegal move in this turn, and it ended the game: data.result says how."
            .to_owned();
    }
    if told("applied").is_some() {
        return "That was the third illegal move in this turn: it cost a strike, and the hall played a random legal move for \
                you (data.applied). Call wait_for_turn, and move with one notation of turn.legal_moves."
            .to_owned();
    }
    let what = match told("did_you_mean").and_then(Value::as_str) {
        Some(meant) => format!(
            "That is not a legal move as written; you probably mean {meant}: move with exactly that, or with another"
        ),
        None => "That is not a legal move in this turn: move with one".to_owned(),
    };
    format!(
        "{what} notation of turn.legal_moves. data.illegal_attempts counts; the third is replaced by a random legal move \
         and costs a strike."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_http::errors::ApiCode;

    /// Refusals that no call of a tool meets, because the bridge makes the requests.
    const MET_BY_NO_TOOL: [&str; 20] = [
        "INVALID_JSON",
        "BAD_REQUEST",
        "UNSUPPORTED_MEDIA_TYPE",
        "BODY_TOO_LARGE",
        "NOT_FOUND",
        "METHOD_NOT_ALLOWED",
        "AUTH_MISSING",
        "AUTH_HANDLE_MISMATCH",
        "CHALLENGE_UNKNOWN",
        "CHALLENGE_EXPIRED",
        "CHALLENGE_SPENT",
        "NOT_YOUR_AGENT",
        "AGENT_NOT_FOUND",
        "GAME_ID_MISMATCH",
        "NO_CHECKPOINT",
        "FEEDBACK_QUOTA",
        "DOORBELL_URL_REFUSED",
        "DOORBELL_NOT_REGISTERED",
        "DOORBELL_UNVERIFIED",
        "DIVISION_MISMATCH",
    ];

    #[test]
    fn no_advice_mentions_http() {
        for code in ApiCode::ALL.iter().filter(|code| !MET_BY_NO_TOOL.contains(&code.as_str())) {
            let told = advice(&refusal(code.as_str(), code.message(), json!({})));
            for word in ["/api", "GET ", "POST ", "Retry-After", "sign", "challenge", "view.public"] {
                assert!(!told.contains(word), "{code}: {told}");
            }
        }
    }

    #[test]
    fn an_illegal_move_is_corrected_in_the_words_of_the_turn() {
        let told = |data: Value| advice(&refusal("illegal_move", "In the hall's words.", data));
        assert!(told(json!({})).contains("one notation of turn.legal_moves"));
        let meant = told(json!({ "did_you_mean": "g1f3", "applied": null }));
        assert!(
            meant.contains("you probably mean g1f3")
                && meant.contains("another notation of turn.legal_moves"),
            "{meant}"
        );
        assert!(told(json!({ "applied": { "notation": "a2a3" } })).contains("cost a strike"));
        assert!(told(json!({ "applied": {}, "result": { "reason": "strikes" } })).contains("ended the game"));
    }

    fn refusal(code: &str, message: &str, data: Value) -> Refusal {
        Refusal { code: code.to_owned(), status: 409, message: message.to_owned(), data, retry_after: None }
    }
}
