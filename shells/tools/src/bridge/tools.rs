//! The hall's own list of tools, without what signs a call: the bridge puts that in by itself.

use super::BridgeError;
use crate::agent::first_game;
use hall_client::Client;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The name of the tool that only the bridge has.
pub(super) const WAIT_FOR_TURN: &str = "wait_for_turn";

/// How long `wait_for_turn` waits unless told otherwise: chat clients give up on a call after a minute.
pub(super) const USUAL_WAIT_SECONDS: u64 = 45;
/// The longest wait.
pub(super) const LONGEST_WAIT_SECONDS: u64 = 300;
/// The tools that enter the agent at the hall and in a season.
pub(super) const REGISTER: &str = "register";
pub(super) const HOMOLOGATE: &str = "homologate";
/// The tools that join and leave a lobby.
pub(super) const LOBBY_JOIN: &str = "lobby_join";
pub(super) const LOBBY_LEAVE: &str = "lobby_leave";
/// The tool whose answer is shortened to what a player needs.
pub(super) const RULES: &str = "rules";
/// The tool whose answer can bring the next turn too.
pub(super) const MOVE: &str = "move";
/// The tool whose history is shortened.
pub(super) const VIEW: &str = "view";

/// The parameters that the bridge fills in, wherever they occur.
const FILLED: [&str; 6] = ["agent", "challenge", "signature", "pubkey", "operator_token", "agent_id"];

/// Fields of a filing and a registration that have defaults here.
const DEFAULTED: [&str; 8] = [
    "handle",
    "model_id",
    "season_id",
    "adapter_kind",
    "endpoint_url",
    "system_prompt_sha256",
    "config_sha256",
    "tool_access",
];

/// A tool as the chat client sees it, and the request that a call of it becomes.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) input: Map<String, Value>,
    pub(super) output: Option<Map<String, Value>>,
    /// Whether it changes nothing: such a tool registers nobody either.
    pub(super) reads: bool,
    /// Whether it can undo something, as the hall says.
    pub(super) destroys: bool,
    /// Whether a second equal call changes nothing more, as the hall says.
    pub(super) idempotent: bool,
    /// The path with the names of arguments in braces.
    pub(super) path: String,
    /// Whether a call is signed if it can be.
    pub(super) signed: bool,
    /// Whether a call is answered unsigned too.
    pub(super) public: bool,
    /// The names of the body's fields, if it has a body.
    pub(super) body: Option<BTreeSet<String>>,
    /// The field of the body that is true in every call.
    pub(super) demands: Option<String>,
}

impl Tool {
    /// Whether a call may have this argument. Those that the bridge fills in are none.
    pub(super) fn takes(&self, argument: &str) -> bool {
        self.input.get("properties").and_then(|known| known.get(argument)).is_some()
    }
}

/// The tools of a hall, and [`WAIT_FOR_TURN`].
pub(super) async fn of_hall(client: &Client, division: &str) -> Result<Vec<Tool>, BridgeError> {
    let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let answer = client.post_bare("/mcp", &ask).await?;
    let listed = answer.pointer("/result/tools").and_then(Value::as_array).ok_or(BridgeError::NoTools)?;
    let mut tools: Vec<Tool> = listed
        .iter()
        .filter(|tool| tool.pointer("/name").and_then(Value::as_str) != Some("challenge"))
        .filter_map(|tool| reshaped(tool, division))
        .collect();
    let waiting = tools.iter().find(|tool| tool.name == "my_games").map(wait_for_turn);
    tools.extend(waiting);
    if tools.is_empty() { Err(BridgeError::NoTools) } else { Ok(tools) }
}

/// One tool of the hall; `None` if the list does not say which request it is.
fn reshaped(listed: &Value, division: &str) -> Option<Tool> {
    let text = |pointer: &str| listed.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let (name, path) = (text("/name")?, text("/_meta/path")?);
    let demands = text("/_meta/demands");
    let mut properties = listed.pointer("/inputSchema/properties")?.as_object()?.clone();
    let mut required = names(listed.pointer("/inputSchema/required"));
    let body = properties.remove("body").map(|schema| {
        let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let known = fields.keys().cloned().collect();
        properties.extend(fields);
        required.extend(names(schema.get("required")));
        known
    });
    required.remove("body");
    let left_out = FILLED.iter().copied().chain(demands.as_deref());
    for filled in left_out {
        properties.remove(filled);
        required.remove(filled);
    }
    if matches!(name.as_str(), REGISTER | HOMOLOGATE) {
        properties.remove("handle");
        required.retain(|field| !DEFAULTED.contains(&field.as_str()));
    }
    for (field, default) in [("division", division), ("game", first_game())] {
        if body.is_some()
            && let Some(property) = properties.get_mut(field).and_then(Value::as_object_mut)
        {
            property.insert("default".to_owned(), json!(default));
            required.remove(field);
        }
    }
    if name == MOVE {
        properties.insert(
            "wait_seconds".to_owned(),
            seconds(0, "How long to wait for the next turn, which the answer then has too."),
        );
    }
    let told = text("/description").unwrap_or_default();
    let summary = told.split_once(". ").map_or(told.as_str(), |(summary, _)| summary).trim_end_matches('.');
    let access = text("/_meta/access")?;
    let hints = |hint: &str| listed.get("annotations")?.get(hint)?.as_bool();
    Some(Tool {
        description: description(&name, summary),
        input: object(properties, required),
        output: listed.get("outputSchema").and_then(Value::as_object).cloned(),
        reads: hints("readOnlyHint").unwrap_or(false),
        // What the protocol takes a tool for that says nothing.
        destroys: hints("destructiveHint").unwrap_or(true),
        idempotent: hints("idempotentHint").unwrap_or(false),
        signed: access != "public",
        public: access == "public" || access == "optionally_signed",
        name,
        path,
        body,
        demands,
    })
}

fn names(list: Option<&Value>) -> BTreeSet<String> {
    let names = list.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn object(properties: Map<String, Value>, required: BTreeSet<String>) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn description(name: &str, summary: &str) -> String {
    let more = match name {
        REGISTER => " The bridge does it by itself when you join a lobby.",
        HOMOLOGATE => {
            " The bridge does it by itself when you join a lobby. Filing anything different restarts your standing in that \
             division."
        }
        LOBBY_JOIN => " Then wait_for_turn.",
        RULES => " How moves are written, how a game ends, what costs a strike.",
        "replay" => {
            " Large: about 440 KB for a game of ordinary length, for a program to check. game shows the result."
        }
        "view" => " More than wait_for_turn shows: the last turns with commentary, clocks, strikes, rules.",
        "move" => {
            " turn_index is that of the turn. move is one of its legal_moves. With wait_seconds the answer has, like that \
             of wait_for_turn, the next turn. The third illegal move in a turn costs a strike."
        }
        "resign" => " turn_index is that of the turn.",
        _ => "",
    };
    format!("{summary}.{more}")
}

/// The tool that holds its answer until a turn waits on the agent.
fn wait_for_turn(my_games: &Tool) -> Tool {
    let mut properties = Map::new();
    properties.insert("seconds".to_owned(), seconds(USUAL_WAIT_SECONDS, "How long to wait at most."));
    Tool {
        name: WAIT_FOR_TURN.to_owned(),
        description: "Wait until it is your turn in a game, until a game of yours ends, or until the time is up. turn is the \
                      most urgent turn, with what you need to choose: who you are, the deadline, the board, the last move, \
                      your legal_moves; null if none waits. games lists your live games, none while no opponent has come to \
                      the lobby. ended lists the games that have ended since the previous answer, with the result and who you \
                      were. If there is nothing to wait for, note says so at once."
            .to_owned(),
        output: Some(waited()),
        input: object(properties, BTreeSet::new()),
        reads: true,
        ..my_games.clone()
    }
}

/// The schema of a number of seconds.
fn seconds(usual: u64, about: &str) -> Value {
    json!({
        "type": "integer", "minimum": 0, "maximum": LONGEST_WAIT_SECONDS, "default": usual,
        "description": about,
    })
}

/// The schema of the answer of [`WAIT_FOR_TURN`].
fn waited() -> Map<String, Value> {
    let data = json!({
        "type": "object",
        "properties": {
            "turn": { "type": ["object", "null"] }, "games": { "type": "array" }, "ended": { "type": "array" },
            "note": { "type": "string" },
        },
    });
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), json!({ "data": data }));
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_arguments_are_removed_and_the_body_is_flattened() {
        let listed = json!({
            "name": "offer_draw", "title": "Offer a draw",
            "inputSchema": {
                "properties": {
                    "game_id": { "type": "string" }, "agent": {}, "challenge": {}, "signature": {},
                    "body": {
                        "properties": {
                            "game_id": {}, "turn_index": {}, "move": {}, "draw_offer": { "const": true }, "signature": {},
                        },
                        "required": ["game_id", "turn_index", "signature", "draw_offer"],
                    },
                },
                "required": ["game_id", "agent", "challenge", "signature", "body"],
            },
            "annotations": { "readOnlyHint": false },
            "_meta": { "method": "POST", "path": "/api/games/{game_id}/moves", "access": "signed", "demands": "draw_offer" },
        });
        let tool = reshaped(&listed, "open").unwrap();
        let offered: Vec<&String> = tool.input["properties"].as_object().unwrap().keys().collect();
        assert_eq!(offered, ["game_id", "move", "turn_index"]);
        assert_eq!(tool.input["required"], json!(["game_id", "turn_index"]));
        assert!(tool.body.unwrap().contains("draw_offer"));
        assert!(tool.signed && !tool.reads);
    }

    #[test]
    fn the_arguments_of_lobby_join_have_defaults() {
        let listed = json!({
            "name": "lobby_join",
            "inputSchema": {
                "properties": { "body": {
                    "properties": { "game": {}, "division": {}, "variant": {} }, "required": ["game", "division"],
                } },
                "required": ["body"],
            },
            "_meta": { "method": "POST", "path": "/api/lobby/join", "access": "signed" },
        });
        let tool = reshaped(&listed, "pure").unwrap();
        assert_eq!(tool.input["required"], json!([]));
        assert_eq!(tool.input["properties"]["division"]["default"], "pure");
    }
}
