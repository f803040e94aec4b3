//! Descriptions of leaves, for watching one agent or everything.
//!
//! Most leaves name a game or an agent by its id alone, so what a handle stands for is learned from the leaves that
//! say it, and kept for the next run together with how many leaves were learned from.

use hall_wire::Handle;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is being watched.
#[derive(Debug)]
pub(crate) struct Interest {
    asked: BTreeSet<String>,
    all: bool,
    learned: Learned,
}

/// What handles stand for: those of this run, and those of earlier ones, which may be asked for again.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Learned {
    /// From how many leaves.
    leaves: u64,
    handles: BTreeMap<String, HandleIds>,
}

/// What one handle stands for.
#[derive(Debug, Default, Serialize, Deserialize)]
struct HandleIds {
    agents: BTreeSet<String>,
    games: BTreeSet<String>,
}

impl Interest {
    /// Continues from what an earlier run has [stored](Self::state), if there was one.
    pub(crate) fn new(handles: &[Handle], all: bool, kept: Option<&str>) -> Self {
        let asked: BTreeSet<String> = handles.iter().map(ToString::to_string).collect();
        // What cannot be read is learned again, like what was never stored.
        let mut learned: Learned = kept.and_then(|kept| serde_json::from_str(kept).ok()).unwrap_or_default();
        for handle in &asked {
            if !learned.handles.contains_key(handle) {
                learned.handles.insert(handle.clone(), HandleIds::default());
                learned.leaves = 0;
            }
        }
        Self { asked, all, learned }
    }

    /// From which leaf on there is something to learn in a log of `size` leaves.
    pub(crate) fn behind(&self, size: u64) -> Option<u64> {
        (!self.learned.handles.is_empty() && self.learned.leaves < size).then_some(self.learned.leaves)
    }

    /// The state for the next run, after all `size` leaves were processed; `None` if no handle is watched.
    pub(crate) fn state(&mut self, size: u64) -> Option<String> {
        self.learned.leaves = size;
        if self.learned.handles.is_empty() { None } else { serde_json::to_string(&self.learned).ok() }
    }

    /// Learns what handles stand for.
    pub(crate) fn learn(&mut self, leaf: &str) {
        if let Ok(leaf) = serde_json::from_str(leaf) {
            self.learn_from(&leaf);
        }
    }

    fn learn_from(&mut self, leaf: &Value) {
        match text(leaf, "/kind") {
            "registration" => {
                if let Some(known) = self.learned.handles.get_mut(text(leaf, "/handle")) {
                    known.agents.insert(text(leaf, "/agent_id").to_owned());
                }
            }
            "event" => {
                let seats = leaf.pointer("/event/data/seats").and_then(Value::as_array).into_iter().flatten();
                for seat in seats {
                    if let Some(known) = self.learned.handles.get_mut(text(seat, "/handle")) {
                        known.games.insert(text(leaf, "/game_id").to_owned());
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether one of the handles that were asked for stands for this.
    fn wanted(&self, of: impl Fn(&HandleIds) -> bool) -> bool {
        self.asked.iter().filter_map(|handle| self.learned.handles.get(handle)).any(of)
    }

    /// A leaf in words, if it is of interest. Its contents are written as JSON, so that nothing an agent wrote can
    /// control a terminal.
    pub(crate) fn words(&mut self, leaf: &str) -> Option<String> {
        let leaf: Value = serde_json::from_str(leaf).ok()?;
        self.learn_from(&leaf);
        let agent = text(&leaf, "/agent_id");
        let (wanted, words) = match text(&leaf, "/kind") {
            "registration" => {
                let wanted = self.asked.contains(text(&leaf, "/handle"));
                (wanted, format!("{agent} registers as {}", shown(&leaf, "/handle")))
            }
            "homologation" => {
                let wanted = self.wanted(|known| known.agents.contains(agent));
                (wanted, format!("{agent} files for {}", shown(&leaf, "/division")))
            }
            "event" => {
                let game = text(&leaf, "/game_id");
                let parts = ["type", "data/player", "data/notation", "data/result"];
                let parts = parts.map(|part| shown(&leaf, &format!("/event/{part}")));
                let wanted = self.wanted(|known| known.games.contains(game));
                (wanted, format!("{game} {}", parts.join(" ").trim_end()))
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
    fn only_leaves_about_the_agent_are_reported_unless_all_are_wanted() {
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
            let mut interest = Interest::new(&[Handle::parse("ada").unwrap()], all, None);
            leaves.iter().filter_map(|leaf| interest.words(leaf)).collect::<Vec<_>>()
        };
        let own = told(false);
        assert_eq!(own.len(), 4, "{own:?}");
        assert_eq!(own[3], r#"g_1 "move" "p0" "e2e4""#);
        assert_eq!(told(true).len(), leaves.len());
    }

    #[test]
    fn the_next_run_knows_the_ids_of_a_handle_and_relearns_them_for_a_new_handle() {
        let handles =
            |names: &[&str]| names.iter().map(|name| Handle::parse(name).unwrap()).collect::<Vec<_>>();
        let leaves = [
            r#"{"kind":"registration","handle":"ada","agent_id":"a_1"}"#,
            r#"{"kind":"event","game_id":"g_1","event":{"type":"game_started","data":{"seats":[{"handle":"ada"},{"handle":"bob"}]}}}"#,
        ];
        let played = r#"{"kind":"event","game_id":"g_1","event":{"type":"move","data":{"player":"p0","notation":"e2e4"}}}"#;
        let filed = r#"{"kind":"homologation","agent_id":"a_1","division":"open"}"#;
        let mut first = Interest::new(&handles(&["ada"]), false, None);
        assert_eq!((first.behind(0), first.behind(2)), (None, Some(0)));
        leaves.iter().for_each(|leaf| first.learn(leaf));
        let kept = first.state(2);
        let again = |names: &[&str]| Interest::new(&handles(names), false, kept.as_deref());
        let mut second = again(&["ada"]);
        assert_eq!((second.behind(2), second.behind(5)), (None, Some(2)));
        assert!(second.words(played).is_some() && second.words(filed).is_some());
        let mut without = again(&[]);
        assert!(without.words(played).is_none(), "only what was asked for in this run is told");
        let kept_on = without.state(4).unwrap();
        assert_eq!(Interest::new(&handles(&["ada"]), false, Some(&kept_on)).behind(4), None);
        let mut other = again(&["bob"]);
        assert_eq!(other.behind(2), Some(0), "a new handle is looked for from the beginning");
        leaves.iter().for_each(|leaf| other.learn(leaf));
        assert!(other.words(played).is_some() && other.words(filed).is_none());
        assert_eq!(Interest::new(&handles(&["ada"]), false, Some("not JSON")).behind(2), Some(0));
        assert_eq!(Interest::new(&[], true, None).state(2), None, "nothing is stored for nobody");
    }
}
