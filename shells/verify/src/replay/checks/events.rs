//! The spectators' events against the game that the turns tell (decision 7).
//!
//! `deadline_utc` of `game_started` and `move` is compared with the clocks in [`super::times`], not here.

use super::bodies::Bodies;
use super::playthrough::{Expected, Needs, Playthrough};
use super::same;
use crate::replay::document::{BeaconStatus, Event, Replay, Turn};
use crate::replay::report::{ClaimId, Ledger};
use hall_wire::json::{Map, Value};
use hall_wire::{Digest, Player};
use serde_json::json;

/// What the first event and the head of the replay both say.
const SHARED: [&str; 7] =
    ["game", "variant", "division", "season_id", "seats", "ruleset_version", "commitment"];

pub(super) fn check(replay: &Replay<'_>, playthrough: &Playthrough, bodies: &Bodies, ledger: &mut Ledger) {
    let opening: Vec<Player> = playthrough.opening.iter().collect();
    let told = order(replay).and_then(|()| first(replay)).and_then(|()| only_known(replay, &opening));
    let checked = told.and_then(|()| last(replay)).and_then(|()| {
        playthrough
            .end
            .as_ref()
            .map_or(Ok(()), |()| Comparison::new(replay, bodies).compare(&playthrough.expected))
    });
    match (checked, &playthrough.end) {
        (Err(reason), _) => ledger.fail(ClaimId::Events, reason),
        (Ok(()), Err(why)) => ledger.leave(ClaimId::Events, why.as_str()),
        (Ok(()), Ok(())) => {}
    }
}

/// Numbered from 1 without a gap, none earlier than the one before it.
pub(super) fn order(replay: &Replay<'_>) -> Result<(), String> {
    for (seq, event) in (1..).zip(&replay.events) {
        same(&format!("the number of event {seq}"), &event.seq, &seq)?;
    }
    let times = replay.events.iter().map(|event| event.created_at);
    for ((earlier, later), event) in times.clone().zip(times.skip(1)).zip(&replay.events) {
        if later < earlier {
            return Err(format!("the event after {} is dated before it", event.seq));
        }
    }
    Ok(())
}

/// The first event says of the game what the replay says.
pub(super) fn first(replay: &Replay<'_>) -> Result<(), String> {
    let Some(first) = replay.events.first() else { return Err("there are no events".to_owned()) };
    same("the type of the first event", &first.kind, &"game_started")?;
    for name in SHARED {
        same_member(first, name, replay.value.get(name).unwrap_or(&Value::Null))?;
    }
    let status = match replay.beacon.status {
        BeaconStatus::Off => "off",
        BeaconStatus::Waiting | BeaconStatus::Verified | BeaconStatus::Missed => "waiting",
    };
    let chain = replay.beacon.chain.map(|hash| hash.to_hex());
    same_member(
        first,
        "beacon",
        &json!({ "chain_hash": chain, "round": replay.beacon.round, "status": status }),
    )?;
    same_member(first, "turn_index", &json!(0))
}

/// The first event says who is to move, and nothing beyond what is known of it.
fn only_known(replay: &Replay<'_>, opening: &[Player]) -> Result<(), String> {
    let Some(first) = replay.events.first() else { return Ok(()) };
    same_member(first, "to_move", &json!(opening))?;
    let more = ["beacon", "move_ms", "side_ms", "turn_index", "to_move", "deadline_utc"];
    only(first, &[&SHARED[..], &more].concat())
}

/// The last event ends the game, with the result and the seed of the replay.
pub(super) fn last(replay: &Replay<'_>) -> Result<(), String> {
    let Some(last) = replay.events.last() else { return Err("there are no events".to_owned()) };
    same("the type of the last event", &last.kind, &"game_ended")?;
    same_member(last, "seed", &Value::from(replay.seed.reveal()))?;
    same_member(last, "result", replay.value.get("result").unwrap_or(&Value::Null))
}

fn same_member(event: &Event<'_>, name: &str, expected: &Value) -> Result<(), String> {
    let Some(found) = event.data.get(name) else {
        return Err(format!("event {} ({}) does not mention {name}", event.seq, event.kind));
    };
    if found == expected {
        return Ok(());
    }
    Err(format!("event {} ({}) says {found} of {name}, but the game says {expected}", event.seq, event.kind))
}

fn only(event: &Event<'_>, known: &[&str]) -> Result<(), String> {
    let other =
        event.data.as_object().into_iter().flat_map(Map::keys).find(|name| !known.contains(&name.as_str()));
    other.map_or(Ok(()), |name| Err(format!("event {} ({}) mentions {name}", event.seq, event.kind)))
}

/// The events between the first and the end, in their order.
struct Comparison<'a, 'v> {
    replay: &'a Replay<'v>,
    bodies: &'a Bodies,
    beacon_settled: bool,
    /// How many turns have been resolved.
    turns: u32,
}

impl<'a, 'v> Comparison<'a, 'v> {
    const fn new(replay: &'a Replay<'v>, bodies: &'a Bodies) -> Self {
        Self { replay, bodies, beacon_settled: false, turns: 0 }
    }

    fn compare(&mut self, expected: &[Expected]) -> Result<(), String> {
        let mut expected = expected.iter();
        for event in self.replay.events.iter().skip(1) {
            match event.kind {
                "beacon" => {
                    let next = expected.as_slice().first();
                    self.beacon(event, next.map_or(Needs::Nothing, |next| next.needs))?;
                }
                "deadline_extended" => {
                    same_member(event, "turn_index", &json!(self.turns))?;
                    only(event, &["turn_index", "deadline_utc", "reason"])?;
                    if !event.data.get("reason").is_some_and(Value::is_string) {
                        return Err(format!("event {} gives no reason", event.seq));
                    }
                }
                _ => {
                    let next = expected
                        .next()
                        .ok_or_else(|| format!("event {} ({}) has no turn to it", event.seq, event.kind))?;
                    self.one(event, next)?;
                }
            }
        }
        if let Some(missing) = expected.next() {
            return Err(format!("there is no event {} of turn {}", missing.kind, missing.turn_index));
        }
        let settled = matches!(self.replay.beacon.status, BeaconStatus::Verified | BeaconStatus::Missed);
        if settled && !self.beacon_settled {
            return Err("there is no event of the beacon".to_owned());
        }
        Ok(())
    }

    fn one(&mut self, event: &Event<'_>, expected: &Expected) -> Result<(), String> {
        if event.kind != expected.kind {
            return Err(format!(
                "event {} is {}, but must be {} of turn {}",
                event.seq, event.kind, expected.kind, expected.turn_index
            ));
        }
        let bound = matches!(self.replay.beacon.status, BeaconStatus::Verified | BeaconStatus::Missed);
        if expected.needs == Needs::Beacon && bound && !self.beacon_settled {
            return Err(format!("a number was drawn in event {} before the beacon was settled", event.seq));
        }
        let members = expected.data.as_object().into_iter().flatten();
        let withheld = self.words_withheld(event);
        for (name, value) in members.clone() {
            same_member(event, name, value)?;
        }
        let mut known: Vec<&str> = members.map(|(name, _)| name.as_str()).collect();
        if matches!(expected.kind, "move" | "chance") {
            known.push("deadline_utc");
        }
        if expected.kind == "move" {
            self.turns = expected.turn_index + 1;
        }
        if withheld {
            known.push("commentary_sha256");
            let hash = event.data.get("commentary_sha256");
            if hash.is_some_and(|hash| hash.as_str().and_then(Digest::parse).is_none()) {
                return Err(format!("event {} has no hash of its withheld words", event.seq));
            }
        }
        only(event, &known)
    }

    /// Whether the event is of a move whose signed words are withheld: then its commentary is, too, and may have left
    /// its hash.
    fn words_withheld(&self, event: &Event<'_>) -> bool {
        let of_event = |turn: &Turn<'_>| {
            Some(u64::from(turn.turn_index)) == event.turn_index() && turn.player == event.player()
        };
        let mut turns = self.replay.moves.iter().zip(&self.bodies.of_turns);
        event.kind == "move"
            && turns.any(|(turn, body)| of_event(turn) && body.is_none() && turn.is_withheld())
    }

    /// The beacon is settled by `event`; `next` is what the event after it needs.
    fn beacon(&mut self, event: &Event<'_>, next: Needs) -> Result<(), String> {
        let beacon = &self.replay.beacon;
        if beacon.status == BeaconStatus::Missed && next == Needs::Nothing {
            return Err(format!(
                "event {} gives up the beacon's round, but nothing waited for it",
                event.seq
            ));
        }
        if self.beacon_settled || !matches!(beacon.status, BeaconStatus::Verified | BeaconStatus::Missed) {
            return Err(format!("event {} settles a beacon that is {}", event.seq, beacon.status.as_str()));
        }
        self.beacon_settled = true;
        let randomness = beacon.randomness.map(|hash| hash.to_hex());
        same_member(event, "round", &json!(beacon.round))?;
        same_member(event, "status", &json!(beacon.status.as_str()))?;
        same_member(event, "randomness", &json!(randomness))?;
        same_member(event, "signature", &json!(beacon.signature))?;
        only(event, &["round", "status", "randomness", "signature"])
    }
}
