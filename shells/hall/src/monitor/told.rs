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
    pub(crate) fn new(handles: Vec<Handle>, all: bool) -> Self {
        let handles = handles.iter().map(ToString::to_string).collect();
        Self { handles, all, agents: BTreeSet::new(), games: BTreeSet::new() }
    }

    /// A leaf in words, if it is of interest. Everything in it is quoted as JSON, so that nothing an agent wrote can
    /// act on a terminal.
    pub(crate) fn words(&mut self, leaf: &str) -> Option<String> {
        let leaf: Value = serde_json::from_str(leaf).ok()?;
        let text = |name: &str| leaf.get(name).and_then(Value::as_str).unwrap_or_default();
        let (wanted, words) = match text("kind") {
            "registration" => {
                let wanted = self.handles.contains(text("handle"));
                if wanted {
                    self.agents.insert(text("agent_id").to_owned());
                }
                (wanted, format!("{} is {}", leaf["handle"], text("agent_id")))
            }
            "homologation" => {
                let wanted = self.agents.contains(text("agent_id"));
                (wanted, format!("{} files for {}", text("agent_id"), leaf["division"]))
            }
            "event" => {
                let (kind, data) = (&leaf["event"]["type"], &leaf["event"]["data"]);
                let game = text("game_id");
                let seats = data["seats"].as_array().into_iter().flatten();
                if seats.filter_map(|seat| seat["handle"].as_str()).any(|handle| self.handles.contains(handle)) {
                    self.games.insert(game.to_owned());
                }
                let what = ["player", "notation", "result"].map(|name| &data[name]);
                let what: Vec<String> =
                    what.into_iter().filter(|value| !value.is_null()).map(ToString::to_string).collect();
                (self.games.contains(game), format!("{game} {kind} {}", what.join(" ")))
            }
            "docket" => (true, format!("docket: {} {}", leaf["entry"]["kind"], leaf["entry"]["subject"])),
            "key" => (true, format!("key for {}: {}", leaf["use"], leaf["public_key"])),
            _ => (false, leaf.to_string()),
        };
        (wanted || self.all).then_some(words)
    }
}
