//! One step of the reference: what it expects the hall to have decided, gathered while its state changes.

use super::docket::Words;
use super::room::{Room, Waiting};
use super::text;
use super::words;
use hall_core::rooms::{RoomChange, RoomEvent, RoomFact};
use hall_core::{
    Answer, Decision, DocketEntry, DocketKind, Effect, Fact, GovernanceFact, HallFact, KeyPurpose,
};
use hall_wire::{AgentId, Digest, GameId, Player, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A decision in the making, beside the one that the hall has made.
#[derive(Debug)]
pub(super) struct Expectation<'a> {
    /// Core time.
    pub(super) at: Timestamp,
    /// When the last byte of the request arrived.
    pub(super) stamp: Timestamp,
    /// What the hall decided. Only what it may choose freely is read from it.
    pub(super) found: &'a Decision,
    /// What must have happened.
    pub(super) facts: Vec<Fact>,
    /// The expected effects.
    pub(super) effects: Vec<Effect>,
    /// Agents whose state this step may have changed.
    pub(super) agents: BTreeSet<AgentId>,
    /// Games whose state this step may have changed.
    pub(super) games: BTreeSet<GameId>,
    /// Something that the hall chose and might not have chosen.
    pub(super) wrong_choice: Option<String>,
}

impl<'a> Expectation<'a> {
    pub(super) fn new(at: Timestamp, stamp: Timestamp, found: &'a Decision) -> Self {
        Self {
            at,
            stamp,
            found,
            facts: Vec::new(),
            effects: Vec::new(),
            agents: BTreeSet::new(),
            games: BTreeSet::new(),
            wrong_choice: None,
        }
    }

    /// The fact that the hall has at the place where the next expected one goes.
    pub(super) fn next_found(&self) -> Option<&'a Fact> {
        self.found.facts.get(self.facts.len())
    }

    pub(super) fn answer(&self) -> &'a Answer {
        &self.found.answer
    }

    /// Notes a free choice of the hall that breaks a rule; the first one counts.
    pub(super) fn object(&mut self, right: bool, complaint: impl FnOnce() -> String) {
        if !right && self.wrong_choice.is_none() {
            self.wrong_choice = Some(complaint());
        }
    }

    /// A fact of a game, with its event: the type and the data without commentary.
    pub(super) fn tell(
        &mut self,
        room: &mut Room,
        change: RoomChange,
        event: Option<(&str, Value)>,
        commentary: Option<String>,
    ) {
        room.facts += 1;
        let event = event.map(|(kind, mut data)| {
            room.events += 1;
            if let (Value::Object(members), "move") = (&mut data, kind) {
                let hash = commentary.as_deref().map(|words| text::digest(&text::sha256(words)));
                members.insert("commentary_sha256".to_owned(), hash.unwrap_or(Value::Null));
            }
            let leaf = text::canonical(&json!({
                "kind": "event",
                "game_id": text::id('g', room.id.as_bytes()),
                "seq": room.events,
                "created_at": text::time(self.at),
                "event": { "type": kind, "data": data },
            }));
            RoomEvent { seq: room.events, leaf, commentary }
        });
        self.games.insert(room.id);
        let fact = RoomFact { game: room.id, number: room.facts, at: self.at, change, event };
        self.facts.push(Fact::Room(Arc::new(fact)));
    }

    /// The players of a game that has begun are notified, and those to move are rung.
    pub(super) fn turns_began(&mut self, room: &Room) {
        room.players().for_each(|player| self.turn_began(room, player));
    }

    /// Every player is notified where the turn is another than before; else those who are to move now and were not, or
    /// were and are not. Those who are to move are rung.
    pub(super) fn turns_changed(&mut self, room: &Room, before: &Waiting) {
        for player in room.players() {
            let is_to_move = room.deadline_of(player).is_some();
            if before.turn_index != room.turn_index || before.players.contains(player) != is_to_move {
                self.turn_began(room, player);
            }
        }
    }

    fn turn_began(&mut self, room: &Room, player: Player) {
        self.effects.push(Effect::TurnsChanged { agent: room.agent(player) });
        self.ring(room, player);
    }

    /// A player is rung if it is to move.
    pub(super) fn ring(&mut self, room: &Room, player: Player) {
        let (agent, game, turn_index) = (room.agent(player), room.id, room.turn_index);
        let ring = |deadline| Effect::RingDoorbell { agent, game, turn_index, deadline };
        self.effects.extend(room.deadline_of(player).map(ring));
    }

    /// A key of the hall is made known.
    pub(super) fn publish_key(&mut self, purpose: KeyPurpose, key: &str, signature: Option<&str>) {
        let leaf = text::canonical(&json!({
            "kind": "key",
            "created_at": text::time(self.at),
            "use": words::key(purpose),
            "public_key": key,
            "signature": signature,
        }));
        let (public_key, signature) = (key.to_owned(), signature.map(str::to_owned));
        self.facts.push(Fact::Hall(HallFact::KeyPublished {
            at: self.at,
            purpose,
            public_key,
            signature,
            leaf,
        }));
    }

    /// The next entry of the docket.
    pub(super) fn docket(&mut self, docket: &mut u64, kind: DocketKind, words: Words) {
        *docket += 1;
        let Words { subject, reason, disposition } = words;
        let entry = DocketEntry { id: *docket, kind, subject, reason, disposition, created_at: self.at };
        let leaf = text::canonical(&json!({ "kind": "docket", "entry": {
            "id": entry.id,
            "kind": words::docket(entry.kind),
            "subject": entry.subject,
            "reason": entry.reason,
            "disposition": entry.disposition,
            "created_at": text::time(self.at),
        } }));
        self.facts.push(Fact::Governance(GovernanceFact::DocketEntered { entry, leaf }));
    }
}

/// A player as JSON.
pub(super) fn player(player: Player) -> Value {
    Value::String(format!("p{}", player.seat()))
}

/// A time, a hash or null as JSON.
pub(super) fn time(at: Option<Timestamp>) -> Value {
    at.map_or(Value::Null, |at| Value::String(text::time(at)))
}

pub(super) fn hash(digest: Option<&Digest>) -> Value {
    digest.map_or(Value::Null, text::digest)
}
