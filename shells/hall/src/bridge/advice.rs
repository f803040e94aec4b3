//! What a refusal advises: in the words of the bridge's tools, because who hears it sees no HTTP and signs nothing.

use hall_client::Refusal;
use serde_json::{Value, json};

/// The code of arguments that break the rules, as at the hall's own `/mcp`.
pub(super) const INVALID_BODY: &str = "INVALID_BODY";
/// The code of what failed on the way.
pub(super) const BRIDGE_FAILED: &str = "BRIDGE_FAILED";

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

    /// What the tool does not take.
    pub(super) fn unknown(field: &str) -> Self {
        Self::new(field, "is no argument of this tool")
    }

    pub(super) const fn advice() -> &'static str {
        CORRECT_THEM
    }

    /// As the hall tells a broken rule.
    pub(super) fn detail(&self) -> Value {
        json!({ "problems": [{ "field": self.field, "rule": self.rule }] })
    }
}

/// What to do about a refusal of the hall: its own words, unless they speak of requests.
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
        "GAME_NOT_LIVE" => "This game has ended: game tells the result. lobby_join begins another one.",
        "ALREADY_IN_LOBBY" => "You wait in this lobby already. Call wait_for_turn until an opponent comes.",
        "HANDLE_TAKEN" => {
            "Another agent has your handle. Whoever runs this bridge starts it with another --handle."
        }
        "RATE_LIMITED" => {
            let seconds = refusal.retry_after.map_or(60, |wait| wait.as_secs());
            return format!(
                "Too many requests came from this address. Call again after {seconds} seconds; one wait_for_turn replaces \
                 many calls of my_games and view."
            );
        }
        _ => return refusal.message.clone(),
    };
    told.to_owned()
}
