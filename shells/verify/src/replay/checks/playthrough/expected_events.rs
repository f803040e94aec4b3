//! The events that must be there, in an order that is possible.
//!
//! What several players do before a turn resolves may be told in any order among them, but in this order of each: their
//! events wait in a queue each, and are expected in the order in which the replay tells them.

use super::{Expected, Needs, Replayer};
use crate::replay::document::{Event, Turn};
use hall_wire::Player;
use hall_wire::json::Value;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};

/// What players, or the operator, have done in the current turn: events that wait for their order.
#[derive(Default)]
pub(super) struct Queues(BTreeMap<Actor, VecDeque<Expected>>);

/// Whose acts are told in one order: those of a player, or of the operator (`None`).
type Actor = Option<Player>;

/// The kinds of events that wait in queues.
const KINDS: [&str; 4] = ["illegal_attempt", "strike", "seat_vacated", "move_sealed"];

/// The reason of a seat that the operator has vacated.
pub(super) const ADJUDICATED: &str = "adjudicated";

impl<'a, 'v> Replayer<'a, 'v> {
    /// An event must follow.
    pub(super) fn expect(&mut self, kind: &'static str, turn_index: u32, data: Value, needs: Needs) {
        self.playthrough.expected.push(expected(kind, turn_index, data, needs));
    }

    /// An event of this player must come before the turn resolves.
    pub(super) fn queue(&mut self, player: Player, kind: &'static str, mut data: Value, needs: Needs) {
        if let Some(members) = data.as_object_mut() {
            members.insert("player".to_owned(), json!(player));
        }
        let next = expected(kind, self.turn_index, data, needs);
        self.queues.0.entry(Some(player)).or_default().push_back(next);
    }

    /// The seat of this player must be told to be vacant before the turn resolves.
    pub(super) fn queue_vacated(&mut self, player: Player, reason: &str) {
        let data = json!({ "player": player, "reason": reason });
        let actor = Some(player).filter(|_| reason != ADJUDICATED);
        let next = expected("seat_vacated", self.turn_index, data, Needs::Nothing);
        self.queues.0.entry(actor).or_default().push_back(next);
    }

    /// Expects what waits in queues, in the order in which the replay tells it; what it does not tell comes last.
    pub(super) fn expect_queued(&mut self) {
        let mut queues = std::mem::take(&mut self.queues).0;
        let expected = self.expected_of_turn().filter(|next| KINDS.contains(&next.kind)).count();
        for event in self.events_of_turn().filter(|event| KINDS.contains(&event.kind)).skip(expected) {
            let by_operator = event.data.get("reason").and_then(Value::as_str) == Some(ADJUDICATED);
            let actor = event.player().filter(|_| !by_operator);
            self.playthrough.expected.extend(queues.get_mut(&actor).and_then(VecDeque::pop_front));
        }
        self.playthrough.expected.extend(queues.into_values().flatten());
    }

    /// What is expected of the current turn so far, the last first.
    pub(super) fn expected_of_turn(&self) -> impl Iterator<Item = &Expected> {
        let expected = self.playthrough.expected.iter().rev();
        expected.take_while(|next| next.turn_index == self.turn_index)
    }

    /// The events that the replay tells of the current turn.
    pub(super) fn events_of_turn(&self) -> impl Iterator<Item = &'a Event<'v>> + use<'a, 'v> {
        let events = self.told.get(&u64::from(self.turn_index));
        events.cloned().unwrap_or_default().into_iter()
    }

    /// Whether an event of this kind is told of a turn.
    pub(super) fn is_told(&self, turn: &Turn<'_>, kind: &str) -> bool {
        let mut events = self.told.get(&u64::from(turn.turn_index)).into_iter().flatten();
        events.any(|event| event.kind == kind)
    }
}

fn expected(kind: &'static str, turn_index: u32, mut data: Value, needs: Needs) -> Expected {
    if let Some(members) = data.as_object_mut() {
        members.insert("turn_index".to_owned(), turn_index.into());
    }
    Expected { kind, turn_index, data, needs }
}
