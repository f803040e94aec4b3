//! What must hold of every answer over HTTP, of the streams of events, and of what nodes say of themselves.

use super::exchange::HttpAnswer;
use crate::direct::TOKEN;
use crate::turmoil_world::heads::{HeadContext, judge};
use hall_core::Fact;
use hall_driver::JournalEntry;
use hall_http::payload::EventElement;
use hall_wire::{GameId, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// An invariant that is broken, and how.
pub(in super::super) type Finding = (&'static str, String);

/// The judge of what is said over HTTP.
#[derive(Default)]
pub(in super::super) struct HttpJudge {
    /// Streams of events, by spectator and game.
    streams: BTreeMap<(usize, GameId), FollowedStream>,
    /// Who has said that it leads, by epoch.
    leaders: BTreeMap<u64, String>,
    /// Every challenge that was told.
    challenges: BTreeSet<String>,
}

/// A stream of events over as many connections as it took.
#[derive(Default)]
struct FollowedStream {
    events: Vec<Value>,
    /// A node has said that there will be no more.
    is_over: bool,
}

/// What a visitor was shown on a connection.
#[derive(Default)]
pub(super) struct ShownBefore {
    records: u64,
    turns: BTreeMap<String, u64>,
    ended: BTreeSet<String>,
}

/// What `/readyz` says.
#[derive(Debug, Deserialize)]
struct Readiness {
    status: String,
    durable_record: u64,
    node: NodeWords,
}

/// What a node says of itself there.
#[derive(Debug, Deserialize)]
struct NodeWords {
    role: String,
    leader: Option<String>,
    epoch: u64,
    takes_writes: bool,
    applied: u64,
    durable: u64,
    lag: u64,
}

impl HttpJudge {
    /// A client was answered. `is_well`: nothing has gone wrong for so long that every node must be able to serve.
    pub(in super::super) fn hears(&mut self, answer: &HttpAnswer, is_well: bool) -> Vec<Finding> {
        let HttpAnswer { asked, head, json, .. } = answer;
        let what = format!("{} {}, answered {}", asked.method, asked.path, head.status);
        let code = json.as_ref().and_then(|json| json.pointer("/error/code")).and_then(Value::as_str);
        let has_all_games = code == Some("QUOTA_CONCURRENT");
        let known = HeadContext { may_lack_leader: true, has_all_games, ..HeadContext::default() };
        let mut found: Vec<Finding> = judge(asked, head, known)
            .into_iter()
            .map(|text| ("H4", format!("{what}: {text}: {:?}", head.headers)))
            .collect();
        if head.status == 500 || code == Some("INTERNAL") {
            found.push(("K9", format!("{what}: an internal error")));
        }
        if answer.bytes.windows(TOKEN.len()).any(|bytes| bytes == TOKEN.as_bytes()) {
            found.push(("A9", format!("{what}: it holds an operator token")));
        }
        if code == Some("UNAVAILABLE") && is_well {
            found.push(("K9", format!("{what}: the hall is not available, and all is well")));
        }
        let told = json.as_ref().and_then(|json| json.pointer("/data/challenge")).and_then(Value::as_str);
        for challenge in head.header("x-svc-next-challenge").into_iter().chain(told) {
            if !self.challenges.insert(challenge.to_owned()) {
                found.push(("A2", format!("{what}: the challenge {challenge} was told before")));
            }
        }
        found
    }

    /// The node on a machine has said how it is, on a connection on which this was shown before, when the journal held
    /// so many records.
    pub(super) fn hears_readiness(
        &mut self,
        answer: &HttpAnswer,
        machine: usize,
        before: &mut ShownBefore,
        records: u64,
    ) -> Vec<Finding> {
        let said = answer.json.as_ref().map(Readiness::deserialize);
        let Some(Ok(said)) = said else {
            return vec![("K10", format!("{:?} is not how a node is", answer.json))];
        };
        let mut wrong: Vec<Finding> = Vec::new();
        let node = &said.node;
        let is_stopping = said.status == "stopping";
        let is_right_status = answer.head.status == if is_stopping { 503 } else { 200 };
        let is_right_word = match said.status.as_str() {
            "stopping" => true,
            "ready" => node.takes_writes,
            "reads_only" => !node.takes_writes,
            _ => false,
        };
        let is_own = node.leader.as_ref() == Some(&format!("node-{machine} machine-{machine}"));
        let is_right_role = match node.role.as_str() {
            "leader" => node.takes_writes && is_own,
            "follower" => node.takes_writes && node.leader.is_some(),
            "alone" => !node.takes_writes,
            _ => false,
        };
        if !is_right_status || !is_right_word || !is_right_role {
            wrong.push(("K10", format!("a node says what cannot be: {} {said:?}", answer.head.status)));
        }
        let is_counted = node.applied <= node.durable && node.lag == node.durable - node.applied;
        if !is_counted || node.durable > records || said.durable_record > node.applied {
            wrong.push(("K10", format!("there are {records} records, and a node says {said:?}")));
        }
        if let (Some(leader), "leader") = (&node.leader, node.role.as_str()) {
            let known = self.leaders.entry(node.epoch).or_insert_with(|| leader.clone());
            if known != leader {
                wrong.push(("K10", format!("{known} led in the epoch, and a node says {said:?}")));
            }
        }
        wrong.extend(before.shows_records(said.durable_record));
        wrong
    }

    /// A spectator has read an event.
    pub(super) fn reads(&mut self, stream: (usize, GameId), number: usize, event: &str) -> Option<Finding> {
        let FollowedStream { events, .. } = self.streams.entry(stream).or_default();
        let expected = events.len() + 1;
        events.push(serde_json::from_str(event).unwrap_or_default());
        let text = || format!("{stream:?}: event {number} came where event {expected} was due");
        (number != expected).then(|| ("X5", text()))
    }

    /// How many events of a game a spectator has read.
    pub(super) fn count(&self, stream: (usize, GameId)) -> usize {
        self.streams.get(&stream).map_or(0, |stream| stream.events.len())
    }

    /// Whether a spectator has begun to read a game.
    pub(super) fn knows(&self, stream: (usize, GameId)) -> bool {
        self.streams.contains_key(&stream)
    }

    /// A spectator begins to read a game.
    pub(super) fn begins(&mut self, stream: (usize, GameId)) {
        self.streams.entry(stream).or_default();
    }

    /// A node has said that there are no more events.
    pub(super) fn is_over(&mut self, stream: (usize, GameId)) {
        self.streams.entry(stream).or_default().is_over = true;
    }

    /// The end: streams are what the journal holds.
    pub(in super::super) fn ends(&self, entries: &BTreeMap<u64, JournalEntry>) -> Vec<Finding> {
        let mut decided: BTreeMap<GameId, Vec<Value>> = BTreeMap::new();
        for fact in entries.values().flat_map(|entry| &entry.facts) {
            if let Fact::Room(fact) = fact
                && let Some(event) = EventElement::of(fact)
            {
                decided.entry(fact.game).or_default().push(serde_json::to_value(event).unwrap_or_default());
            }
        }
        let mut found = Vec::new();
        for ((spectator, game), FollowedStream { events, is_over }) in &self.streams {
            let decided = decided.get(game).map(Vec::as_slice).unwrap_or_default();
            let is_whole = !is_over || events.len() == decided.len();
            if !decided.starts_with(events) || !is_whole {
                found.push((
                    "X5",
                    format!(
                        "{game}: spectator {spectator} read {events:?} of {decided:?}, to the end: {is_over}"
                    ),
                ));
            }
        }
        found
    }
}

/// A node shows a game whose end it has not applied: its state is at `applied`.
pub(super) fn shown_too_early(record: &Value, applied: Timestamp) -> Option<Finding> {
    let ended = record.get("ended_at")?.as_str().and_then(Timestamp::parse)?;
    let text =
        || format!("a game was shown that ended at {ended}, by a node whose state is at {applied}: {record}");
    (ended > applied).then(|| ("K4", text()))
}

impl ShownBefore {
    /// A node shows so many records.
    fn shows_records(&mut self, records: u64) -> Option<Finding> {
        let before = std::mem::replace(&mut self.records, records);
        (records < before)
            .then(|| ("K4", format!("{before} records were shown on a connection, then {records}")))
    }

    /// A node shows a game as it is in public.
    pub(super) fn shows_game(&mut self, record: &Value) -> Option<Finding> {
        let game = record.get("id")?.as_str()?.to_owned();
        let turn = record.get("turn_index")?.as_u64()?;
        let is_live = record.get("status")? == "live";
        let before = self.turns.insert(game.clone(), turn);
        let went_back = before.is_some_and(|before| turn < before) || is_live && self.ended.contains(&game);
        if !is_live {
            self.ended.insert(game.clone());
        }
        let text = || {
            format!(
                "{game} was shown in turn {before:?} on a connection, then in turn {turn}, live: {is_live}"
            )
        };
        went_back.then(|| ("K4", text()))
    }
}
