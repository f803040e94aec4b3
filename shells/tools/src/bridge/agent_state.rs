//! What the bridge knows of the agent's games and lobbies from one answer of the hall to the next. It reads no clock and
//! asks nobody.
//!
//! The hall does not disclose in which lobbies an agent waits, so these are taken from what was done through this bridge.
//! Being paired, another homologation, the end of a season and another program with the same key end a wait too: an
//! agent must never be told to wait where nobody will come.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A lobby: game, variant and division.
pub(super) type Lobby = [String; 3];

/// What is known of the agent, with which the next answer is compared.
#[derive(Debug, Default)]
pub(super) struct AgentState {
    /// The live games and the agent's seat in each; the end of each is reported once.
    live: BTreeMap<String, Value>,
    /// The games whose end the last answer reported; `None` before the first.
    recent: Option<BTreeSet<String>>,
    /// The lobbies in which the agent is taken to wait.
    lobbies: BTreeSet<Lobby>,
    /// The `waiting_tag` of an answer in which no turn waited: it names the latest end alone. A request that waits with
    /// it is answered as soon as a turn waits or a game has ended, even if the game ended before the request.
    quiet: Option<String>,
    /// The games that have ended and that the chat client was not told of.
    ended: Vec<Value>,
}

/// An answer with the agent's live games.
#[derive(Debug)]
pub(super) struct Listed<'a> {
    /// The games.
    pub(super) games: &'a [Value],
    recent: &'a [Value],
    /// Whether all live games are listed.
    is_whole: bool,
    /// The tag, unless a turn waits.
    quiet: Option<&'a str>,
}

/// The end of a game that no answer explains.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unexplained {
    quiet: String,
}

impl<'a> Listed<'a> {
    /// Reads the `data` of the answer.
    pub(super) fn of(data: &'a Value) -> Self {
        let list = |member: &str| data.get(member).and_then(Value::as_array).map(Vec::as_slice);
        let games = list("games").unwrap_or_default();
        let is_whole = data.get("next_cursor").is_none_or(Value::is_null);
        let is_turn = games.iter().any(|game| game.get("your_turn") == Some(&Value::Bool(true)));
        let tag = data.get("waiting_tag").and_then(Value::as_str);
        Self {
            games,
            recent: list("recently_ended").unwrap_or_default(),
            is_whole,
            quiet: tag.filter(|_| is_whole && !is_turn),
        }
    }
}

impl AgentState {
    /// Whether neither a game nor an opponent may come.
    pub(super) fn waits_for_nothing(&self) -> bool {
        self.live.is_empty() && self.lobbies.is_empty()
    }

    /// Whether the agent is in no game, so that what it waits for may have gone.
    pub(super) fn lacks_game(&self) -> bool {
        self.live.is_empty()
    }

    /// The tag to wait with, if there is one.
    pub(super) fn quiet(&self) -> Option<&str> {
        self.quiet.as_deref()
    }

    /// Whether a game may have ended that nothing was noted of: before the first answer, and while an opponent may
    /// have come.
    pub(super) fn may_have_missed(&self) -> bool {
        self.recent.is_none() || !self.lobbies.is_empty()
    }

    /// The lobbies of an agent that is in no game.
    pub(super) fn lobbies_without_game(&self) -> BTreeSet<Lobby> {
        if self.live.is_empty() { self.lobbies.clone() } else { BTreeSet::new() }
    }

    /// The agent waits in a lobby.
    pub(super) fn joined(&mut self, lobby: Lobby) {
        self.lobbies.insert(lobby);
    }

    /// The agent waits in none of these lobbies.
    pub(super) fn left<'a>(&mut self, lobbies: impl IntoIterator<Item = &'a Lobby>) {
        for lobby in lobbies {
            self.lobbies.remove(lobby);
        }
    }

    /// The agent waits in no lobby of a division.
    pub(super) fn left_division(&mut self, division: &str) {
        self.lobbies.retain(|[_, _, of]| of != division);
    }

    /// The lobbies, which are then forgotten.
    pub(super) fn take_lobbies(&mut self) -> BTreeSet<Lobby> {
        std::mem::take(&mut self.lobbies)
    }

    /// A game began at once.
    pub(super) fn paired(&mut self, game: &str) {
        self.live.insert(game.to_owned(), Value::Null);
    }

    /// The hall knows no such agent, so that none of its games has ended.
    pub(super) fn is_new(&mut self) {
        self.recent.get_or_insert_default();
    }

    /// The games that have ended since this was last asked: who the agent was, and the result if it is known.
    pub(super) fn take_ended(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.ended)
    }

    /// Notes which games are live and which have ended. If a game has ended longer ago than the answer tells, and the
    /// agent may have come into it from a lobby, gives what [`Self::explained`] takes.
    pub(super) fn note(&mut self, listed: &Listed<'_>) -> Option<Unexplained> {
        let mut live = BTreeMap::new();
        for game in listed.games {
            let id = text(game, "id");
            if !self.live.contains_key(&id) {
                // Being paired has ended the waiting.
                self.lobbies.remove(&["game", "variant", "division"].map(|member| text(game, member)));
            }
            live.insert(id, game.get("your_player").cloned().unwrap_or_default());
        }
        let results: BTreeMap<String, &Value> =
            listed.recent.iter().map(|ended| (text(ended, "game_id"), ended)).collect();
        let told = self.recent.replace(results.keys().cloned().collect());
        let is_news = |id: &&String| told.as_ref().is_some_and(|told| !told.contains(*id));
        let mut gone: BTreeMap<String, Value> =
            results.keys().filter(is_news).map(|id| (id.clone(), Value::Null)).collect();
        if gone.keys().any(|id| !self.live.contains_key(id)) {
            // It began and ended between two answers, and came from one of the lobbies.
            self.lobbies.clear();
        }
        self.live.retain(|id, you| {
            let has_ended = gone.contains_key(id) || (listed.is_whole && !live.contains_key(id));
            if has_ended {
                gone.insert(id.clone(), you.take());
            }
            !has_ended
        });
        self.live.extend(live);
        let explains = !gone.is_empty();
        for (id, you) in gone {
            let result = results.get(&id).and_then(|ended| ended.get("result").cloned()).unwrap_or_default();
            self.ended.push(json!({ "result": result, "game_id": id, "you": you }));
        }
        let quiet = listed.quiet?.to_owned();
        let is_other = self.quiet.as_ref().is_some_and(|before| *before != quiet);
        if is_other && !explains && self.live.is_empty() && !self.lobbies.is_empty() {
            return Some(Unexplained { quiet });
        }
        self.quiet = Some(quiet);
        None
    }

    /// Notes the latest of the agent's games that have ended, from an answer that lists those.
    pub(super) fn explained(&mut self, by: Unexplained, data: &Value) {
        if let Some(game) = data.pointer("/games/0") {
            let member = |name: &str| game.get(name).cloned().unwrap_or_default();
            let ended =
                json!({ "result": member("result"), "game_id": member("id"), "you": member("your_player") });
            self.ended.push(ended);
        }
        self.lobbies.clear();
        self.quiet = Some(by.quiet);
    }
}

/// Those of `lobbies` in which nobody waits, by the `data` of a pulse.
pub(super) fn deserted(lobbies: BTreeSet<Lobby>, pulse: &Value) -> BTreeSet<Lobby> {
    let Some(counted) = pulse.get("lobbies").and_then(Value::as_array) else { return BTreeSet::new() };
    let waited_in = |lobby: &Lobby| {
        counted
            .iter()
            .any(|count| ["game", "variant", "division"].map(|member| text(count, member)) == *lobby)
    };
    lobbies.into_iter().filter(|lobby| !waited_in(lobby)).collect()
}

fn text(of: &Value, member: &str) -> String {
    of.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lobby(division: &str) -> Lobby {
        ["chess", "standard", division].map(str::to_owned)
    }

    /// An answer without a live game.
    fn quiet(tag: &str, recent: &[&str]) -> Value {
        let recent: Vec<Value> = recent.iter().map(|id| json!({ "game_id": id, "result": "r" })).collect();
        json!({ "games": [], "next_cursor": null, "recently_ended": recent, "waiting_tag": tag })
    }

    /// An agent in a lobby whose earlier game has ended.
    fn waiting() -> AgentState {
        let mut state = AgentState::default();
        assert_eq!(state.note(&Listed::of(&quiet("a", &["g_a"]))), None);
        assert!(state.take_ended().is_empty(), "it ended before the bridge began");
        state.joined(lobby("open"));
        state
    }

    #[test]
    fn a_game_that_ended_long_ago_is_told_of_and_ends_the_wait() {
        let mut state = waiting();
        assert_eq!(state.note(&Listed::of(&quiet("a", &[]))), None, "the latest end is the same");
        assert!(!state.waits_for_nothing());
        let unexplained = state.note(&Listed::of(&quiet("b", &[]))).unwrap();
        assert_eq!(state.quiet(), Some("a"), "until it is explained");
        let ended = json!({ "games": [{ "id": "g_b", "result": "r", "your_player": "p1" }] });
        state.explained(unexplained, &ended);
        assert_eq!(state.take_ended(), [json!({ "game_id": "g_b", "result": "r", "you": "p1" })]);
        assert!(state.take_ended().is_empty(), "told once");
        assert!(state.waits_for_nothing());
        assert_eq!(state.note(&Listed::of(&quiet("b", &[]))), None);
    }

    #[test]
    fn a_game_that_ended_a_moment_ago_explains_the_tag() {
        let mut state = waiting();
        assert_eq!(state.note(&Listed::of(&quiet("b", &["g_a", "g_b"]))), None);
        assert_eq!(state.take_ended(), [json!({ "game_id": "g_b", "result": "r", "you": null })]);
        assert!(state.waits_for_nothing());
    }

    #[test]
    fn an_agent_that_is_in_no_lobby_has_missed_no_game() {
        let mut state = waiting();
        state.left([&lobby("open")]);
        assert_eq!(state.note(&Listed::of(&quiet("b", &[]))), None);
    }

    #[test]
    fn a_homologation_ends_the_waits_of_its_division() {
        let mut state = waiting();
        state.joined(lobby("pure"));
        state.left_division("open");
        assert_eq!(state.lobbies, BTreeSet::from([lobby("pure")]));
    }

    #[test]
    fn a_lobby_that_the_pulse_does_not_count_is_deserted() {
        let both = BTreeSet::from([lobby("open"), lobby("pure")]);
        let counted = json!([{ "game": "chess", "variant": "standard", "division": "pure", "waiting": 1 }]);
        assert_eq!(deserted(both.clone(), &json!({ "lobbies": counted })), BTreeSet::from([lobby("open")]));
        assert!(deserted(both, &json!({})).is_empty(), "a hall that does not count says nothing");
    }
}
