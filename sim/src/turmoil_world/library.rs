//! What a researcher has read so far, and what may not be said of a game after that.

use super::replays;
use hall_client::wire::{AgentId, GameId};
use hall_verify::replay::{RoundCache, Trust};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An invariant that is broken, and how.
pub(super) type Finding = (&'static str, String);

/// Hexadecimal digits of a seed.
const SEED_DIGITS: usize = 64;

/// Everything that was read.
pub(super) struct Library {
    trust: Arc<Trust>,
    rounds: RoundCache,
    /// Records of ended games.
    ended: BTreeMap<GameId, Value>,
    /// Games that were live when they were read last.
    live: BTreeMap<GameId, LiveGame>,
    /// Answers that hold replays, as they came.
    replays: BTreeMap<GameId, Vec<u8>>,
}

/// The answers about a game while it was live.
#[derive(Default)]
struct LiveGame {
    turn_index: u64,
    deadline: Option<String>,
    /// Everything that might be a seed, wherever it was found.
    digests: BTreeSet<String>,
}

/// What a replay turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// It was read for the first time.
    New {
        /// Whether it stands in the log.
        is_logged: bool,
    },
    /// It is as it was.
    Same,
    /// It has been given its place in the log since.
    Logged,
}

impl Reading {
    /// Its name as a mark.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::New { is_logged: true } => "verified with its log",
            Self::New { is_logged: false } => "verified without its log",
            Self::Same => "read again",
            Self::Logged => "read again with its log",
        }
    }
}

impl Library {
    /// An empty library of a reader that trusts these keys.
    pub(super) fn new(trust: Arc<Trust>) -> Self {
        let (ended, live, replays) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { trust, rounds: RoundCache::default(), ended, live, replays }
    }

    /// The games that are known to have ended.
    pub(super) fn ended(&self) -> Vec<GameId> {
        self.ended.keys().copied().collect()
    }

    /// Whether a game is known to have ended.
    pub(super) fn has_ended(&self, game: &GameId) -> bool {
        self.ended.contains_key(game)
    }

    /// A game of an agent that is known to have ended.
    pub(super) fn game_of(&self, agent: &AgentId) -> Option<GameId> {
        let agent = agent.to_string();
        let is_own = |seat: &Value| seat.get("agent_id").and_then(Value::as_str) == Some(&agent);
        let seats =
            |record: &Value| record.get("seats").and_then(Value::as_array).cloned().unwrap_or_default();
        self.ended.iter().find(|(_, record)| seats(record).iter().any(is_own)).map(|(game, _)| *game)
    }

    /// Takes a game's record in. Once it has ended it stays as it is (M10); before that its turns only rise (D1), and a
    /// deadline moves only later (T3).
    pub(super) fn take_record(&mut self, record: &Value) -> Option<Finding> {
        let Some(id) = id_of(record) else { return Some(("D1", format!("no record of a game: {record}"))) };
        if let Some(known) = self.ended.get(&id) {
            return (known != record)
                .then(|| ("M10", format!("{id} was {known} at its end, and is {record}")));
        }
        if record.get("status").and_then(Value::as_str) == Some("ended") {
            self.ended.insert(id, record.clone());
            return None;
        }
        self.take_live(id, record);
        let turn_index = record.get("turn_index").and_then(Value::as_u64).unwrap_or_default();
        let deadline = record.get("deadline_utc").and_then(Value::as_str).map(str::to_owned);
        let known = self.live.entry(id).or_default();
        if turn_index < known.turn_index {
            return Some((
                "D1",
                format!("{id} was in turn {}, and is in turn {turn_index}", known.turn_index),
            ));
        }
        let is_same = turn_index == known.turn_index;
        // Written as they are, times have the order of their texts.
        let is_earlier =
            is_same && deadline.as_ref().zip(known.deadline.as_ref()).is_some_and(|(new, old)| new < old);
        let before = std::mem::replace(&mut known.deadline, deadline.clone());
        known.turn_index = turn_index;
        is_earlier
            .then(|| ("T3", format!("{id}, turn {turn_index}: due at {before:?}, and then at {deadline:?}")))
    }

    /// Adds an answer about a live game. Its seed must not be in it, which is judged once the seed is revealed.
    pub(super) fn take_live(&mut self, id: GameId, said: &Value) {
        gather_digests(said, &mut self.live.entry(id).or_default().digests);
    }

    /// Judges a walk over pages of games: none comes twice, and none that has ended is missing where it should be.
    pub(super) fn judge_walk(&self, listed: &[Value], known: &[GameId]) -> Option<Finding> {
        let games: Vec<GameId> = listed.iter().filter_map(id_of).collect();
        let distinct: BTreeSet<GameId> = games.iter().copied().collect();
        if distinct.len() < games.len() {
            return Some((
                "D1",
                format!("of {} games that are listed only {} differ", games.len(), distinct.len()),
            ));
        }
        let missing = known.iter().find(|game| !distinct.contains(game));
        missing.map(|game| ("D1", format!("{game} had ended and is listed no more")))
    }

    /// Something in the replay of a game is withheld from now on: it is another one when it is read again.
    pub(super) fn forget_replay(&mut self, id: &GameId) {
        self.replays.remove(id);
    }

    /// Adds an answer with the replay of a game. A stranger can verify it (G9), its seed was not revealed before
    /// the end (S2), and it never changes outside its log part (M10).
    pub(super) fn take_replay(&mut self, id: GameId, bytes: &[u8]) -> Result<Reading, Finding> {
        if let Some(known) = self.replays.get(&id) {
            let reading = judge_again(known, bytes).map_err(|text| ("M10", format!("{id}: {text}")))?;
            self.replays.insert(id, bytes.to_vec());
            return Ok(reading);
        }
        let replay = replay_in(bytes);
        let seed = replay.get("seed").and_then(Value::as_str).unwrap_or_default();
        if self.live.get(&id).is_some_and(|live| live.digests.contains(seed)) {
            return Err(("S2", format!("{id}: its seed {seed} was told before its end")));
        }
        let is_logged =
            replays::judge(id, &replay, &self.trust, &mut self.rounds).map_err(|text| ("G9", text))?;
        self.replays.insert(id, bytes.to_vec());
        Ok(Reading::New { is_logged })
    }
}

/// What is wrong with the answer to who asked for a replay, if anything is: it is there from the end of the game on, and
/// not before. `before` and `after` say whether the game had ended then.
pub(super) fn judge_asked(
    id: GameId,
    before: bool,
    (status, code): (u16, &str),
    after: bool,
) -> Option<Finding> {
    let text =
        || format!("{id}: its replay was answered {status} {code:?}, ended before: {before}, after: {after}");
    match (status, code) {
        (200, "") if !after => Some(("S2", text())),
        (200, "") => None,
        (409, "REPLAY_NOT_READY") if !before => None,
        _ => Some(("H2", text())),
    }
}

/// Compares two answers that hold one replay.
fn judge_again(first: &[u8], second: &[u8]) -> Result<Reading, String> {
    if first == second {
        return Ok(Reading::Same);
    }
    let without_log = |bytes| {
        let mut replay = replay_in(bytes);
        let log = replay.as_object_mut().and_then(|members| members.remove("log")).unwrap_or_default();
        (replay, log)
    };
    let ((one, log), (other, other_log)) = (without_log(first), without_log(second));
    if one != other {
        return Err(format!("its replay was {one}, and is {other}"));
    }
    // What follows from the log, as the list of agents' words in it, follows with it.
    if log.is_null() && !other_log.is_null() {
        return Ok(Reading::Logged);
    }
    Err(format!("its replay was logged as {log}, and is as {other_log}, or is written otherwise"))
}

fn replay_in(bytes: &[u8]) -> Value {
    let mut answer: Value = serde_json::from_slice(bytes).unwrap_or_default();
    answer.pointer_mut("/data/replay").map(Value::take).unwrap_or_default()
}

/// The game that a record is of.
pub(super) fn id_of(record: &Value) -> Option<GameId> {
    GameId::parse(record.get("id")?.as_str()?)
}

/// Collects all that is written as a seed is, in whatever text it stands.
fn gather_digests(said: &Value, into: &mut BTreeSet<String>) {
    match said {
        Value::String(text) => {
            let words = text.split(|letter: char| !letter.is_ascii_hexdigit());
            into.extend(words.filter(|word| word.len() == SEED_DIGITS).map(str::to_owned));
        }
        Value::Array(elements) => elements.iter().for_each(|element| gather_digests(element, into)),
        Value::Object(members) => members.values().for_each(|member| gather_digests(member, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn library() -> Library {
        Library::new(Arc::new(Trust::default()))
    }

    fn id() -> GameId {
        GameId::from_bytes([1; 16])
    }

    fn live(turn_index: u32, deadline: &str) -> Value {
        json!({ "id": id(), "status": "live", "turn_index": turn_index, "deadline_utc": deadline })
    }

    fn name(found: Option<Finding>) -> Option<&'static str> {
        found.map(|(invariant, _)| invariant)
    }

    #[test]
    fn a_record_changed_after_the_end_and_a_turn_or_deadline_that_goes_back_are_reported() {
        let mut library = library();
        let mut take = |record: &Value| name(library.take_record(record));
        assert_eq!(take(&live(3, "2026-11-20T22:00:05.000Z")), None);
        assert_eq!(take(&live(3, "2026-11-20T22:00:05.001Z")), None, "an extension");
        assert_eq!(take(&live(3, "2026-11-20T22:00:05.000Z")), Some("T3"));
        assert_eq!(take(&live(4, "2026-11-20T22:00:04.000Z")), None, "of another turn");
        assert_eq!(take(&live(3, "2026-11-20T22:00:09.000Z")), Some("D1"));
        let ended = json!({ "id": id(), "status": "ended", "turn_index": 5 });
        assert_eq!((take(&ended), take(&ended)), (None, None));
        assert_eq!(take(&live(5, "2026-11-20T22:00:09.000Z")), Some("M10"), "live again");
        assert_eq!(take(&json!({ "id": id(), "status": "ended", "turn_index": 6 })), Some("M10"));
        assert_eq!(take(&json!({ "id": "?" })), Some("D1"));
    }

    #[test]
    fn a_replay_whose_seed_leaked_before_the_end_and_an_unverifiable_one_are_reported() {
        let seed = "0a".repeat(SEED_DIGITS / 2);
        let answer = json!({ "ok": true, "data": { "replay": { "seed": seed } } }).to_string();
        let read =
            |library: &mut Library| library.take_replay(id(), answer.as_bytes()).map_err(|found| found.0);
        assert_eq!(read(&mut library()), Err("G9"), "it is no replay");
        let mut library = library();
        library.take_live(id(), &json!({ "events": [{ "data": format!("seed:{seed}") }] }));
        assert_eq!(read(&mut library), Err("S2"));
    }

    #[test]
    fn a_game_that_is_listed_twice_and_one_that_disappears_from_the_list_are_reported() {
        let (library, other) = (library(), GameId::from_bytes([2; 16]));
        let listed = [json!({ "id": id() }), json!({ "id": other })];
        assert_eq!(library.judge_walk(&listed, &[other]), None);
        assert_eq!(name(library.judge_walk(&listed[..1], &[other])), Some("D1"));
        assert_eq!(name(library.judge_walk(&[listed[0].clone(), listed[0].clone()], &[])), Some("D1"));
    }

    #[test]
    fn a_replay_of_a_live_game_and_a_wrong_refusal_are_reported() {
        let judged = |before, answer, after| name(judge_asked(id(), before, answer, after));
        let (told, refused) = ((200, ""), (409, "REPLAY_NOT_READY"));
        assert_eq!(judged(false, refused, false), None);
        assert_eq!(judged(false, refused, true), None, "it ended then");
        assert_eq!(judged(false, told, true), None, "it had ended before");
        assert_eq!(judged(true, told, true), None);
        assert_eq!(judged(false, told, false), Some("S2"));
        assert_eq!(judged(true, refused, true), Some("H2"));
        assert_eq!(judged(false, (404, "GAME_NOT_FOUND"), false), Some("H2"));
    }

    #[test]
    fn a_replay_that_changes_outside_its_log_part_is_reported() {
        let answer = |seed: &str, log: Value| {
            let replay = json!({ "seed": seed, "log": log });
            json!({ "ok": true, "data": { "replay": replay }, "metadata": {} }).to_string().into_bytes()
        };
        let unlogged = answer("00", Value::Null);
        assert_eq!(judge_again(&unlogged, &unlogged), Ok(Reading::Same));
        assert_eq!(judge_again(&unlogged, &answer("00", json!({ "note": "a" }))), Ok(Reading::Logged));
        assert!(judge_again(&unlogged, &answer("01", Value::Null)).is_err());
        assert!(judge_again(&answer("00", json!({ "note": "a" })), &unlogged).is_err());
        assert!(
            judge_again(&answer("00", json!({ "note": "a" })), &answer("00", json!({ "note": "b" })))
                .is_err()
        );
        let spaced = [unlogged.as_slice(), b" "].concat();
        assert!(judge_again(&unlogged, &spaced).is_err(), "the same in other bytes");
    }

    #[test]
    fn possible_seeds_are_found_anywhere_in_a_text() {
        let (seed, signature) = ("0a".repeat(32), "0b".repeat(64));
        let said = json!([{ "a": { "b": format!("seed={seed};") } }, signature, 7, null, "00"]);
        let mut found = BTreeSet::new();
        gather_digests(&said, &mut found);
        assert_eq!(found, BTreeSet::from([seed]));
    }
}
