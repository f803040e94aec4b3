//! Leaves in words, for those who watch an agent or everything.

use hall_wire::Handle;
use serde_json::Value;
use std::collections::BTreeSet;

/// What somebody wants to be told.
#[derive(Debug)]
pub(crate) struct Interest {
    handles: BTreeSet<String>,
    all: bool,
    /// Agents and games that the handles stand for, as leaves have told.
    agents: BTreeSet<String>,
    games: BTreeSet<String>,
}

impl Interest {
    pub(crate) fn new(handles: &[Handle], all: bool) -> Self {
        let handles = handles.iter().map(ToString::to_string).collect();
        Self { handles, all, agents: BTreeSet::new(), games: BTreeSet::new() }
    }

    /// A leaf in words, if it is of interest. What is in it is written as JSON, so that nothing an agent wrote can
    /// act on a terminal.
    pub(crate) fn words(&mut self, leaf: &str) -> Option<String> {
        let leaf: Value = serde_json::from_str(leaf).ok()?;
        let agent = text(&leaf, "/agent_id");
        let (wanted, words) = match text(&leaf, "/kind") {
            "registration" => {
                let wanted = self.handles.contains(text(&leaf, "/handle"));
                if wanted {
                    self.agents.insert(agent.to_owned());
                }
                (wanted, format!("{agent} registers as {}", shown(&leaf, "/handle")))
            }
            "homologation" => {
                (self.agents.contains(agent), format!("{agent} files for {}", shown(&leaf, "/division")))
            }
            "event" => {
                let game = text(&leaf, "/game_id");
                let seats = leaf.pointer("/event/data/seats").and_then(Value::as_array).into_iter().flatten();
                if seats.map(|seat| text(seat, "/handle")).any(|handle| self.handles.contains(handle)) {
                    self.games.insert(game.to_owned());
                }
                let parts = ["type", "data/player", "data/notation", "data/result"];
                let parts = parts.map(|part| shown(&leaf, &format!("/event/{part}")));
                (self.games.contains(game), format!("{game} {}", parts.join(" ").trim_end()))
            }
            "docket" => {
                let (kind, subject) = (shown(&leaf, "/entry/kind"), shown(&leaf, "/entry/subject"));
                (true, format!("docket: {kind} {subject}"))
            }
            "key" => (true, format!("key for {}: {}", shown(&leaf, "/use"), shown(&leaf, "/public_key"))),
            _ => (false, leaf.to_string()),
        };
        (wanted || self.all).then_some(words)
    }
}

/// The text at a place; empty where there is none.
fn text<'a>(value: &'a Value, place: &str) -> &'a str {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default()
}

/// What stands at a place, as JSON; empty where there is nothing.
fn shown(value: &Value, place: &str) -> String {
    value.pointer(place).filter(|value| !value.is_null()).map_or_else(String::new, Value::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_concerns_the_agent_is_told_unless_all_is_wanted() {
        let leaves = [
            r#"{"kind":"registration","handle":"ada","agent_id":"a_1"}"#,
            r#"{"kind":"registration","handle":"bob","agent_id":"a_2"}"#,
            r#"{"kind":"homologation","agent_id":"a_1","division":"open"}"#,
            r#"{"kind":"homologation","agent_id":"a_2","division":"open"}"#,
            r#"{"kind":"event","game_id":"g_1","event":{"type":"game_started","data":{"seats":[{"handle":"ada"}]}}}"#,
            r#"{"kind":"event","game_id":"g_2","event":{"type":"game_started","data":{"seats":[{"handle":"bob"}]}}}"#,
            r#"{"kind":"event","game_id":"g_1","event":{"type":"move","data":{"player":"p0","notation":"e2e4"}}}"#,
        ];
        let told = |all| {
            let mut interest = Interest::new(&[Handle::parse("ada").unwrap()], all);
            leaves.iter().filter_map(|leaf| interest.words(leaf)).collect::<Vec<_>>()
        };
        let own = told(false);
        assert_eq!(own.len(), 4, "{own:?}");
        assert_eq!(own[3], r#"g_1 "move" "p0" "e2e4""#);
        assert_eq!(told(true).len(), leaves.len());
    }
}
