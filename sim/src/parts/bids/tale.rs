//! What is told of the bidding game: its facts, each with the event that spectators are told (decision 7), to the last
//! character of its leaf (decision 8.1).
//!
//! Nothing private to a player appears before the end (invariant S1): of a bid neither its notation nor the hash of what
//! was signed, which has so few possible texts that it would tell which one it is.

use super::MOVE_TIME;
use super::table::{Table, player};
use crate::reference::{text, words};
use hall_core::rooms::{BeaconStatus, ForcedCause, Resolution, RoomChange, RoomEvent, RoomFact, Started};
use hall_games::GameResult;
use hall_wire::{GameId, Player, Span, Timestamp};
use serde_json::{Value, json};

/// What was told, and how much so far.
#[derive(Debug, Default)]
pub(super) struct Tale {
    facts: u32,
    events: u32,
    /// What has not been accounted for.
    told: Vec<RoomFact>,
}

impl Tale {
    pub(super) fn tell(
        &mut self,
        game: GameId,
        at: Timestamp,
        change: RoomChange,
        event: Option<(&str, Value)>,
        commentary: Option<String>,
    ) {
        self.facts += 1;
        let event = event.map(|(kind, data)| {
            self.events += 1;
            let leaf = text::canonical(&json!({
                "kind": "event",
                "game_id": text::id('g', game.as_bytes()),
                "seq": self.events,
                "created_at": text::time(at),
                "event": { "type": kind, "data": data },
            }));
            RoomEvent { seq: self.events, leaf, commentary }
        });
        self.told.push(RoomFact { game, number: self.facts, at, change, event });
    }

    /// How many facts there have been.
    pub(super) const fn facts(&self) -> u32 {
        self.facts
    }

    /// What was told since this was asked last.
    pub(super) fn take(&mut self) -> Vec<RoomFact> {
        std::mem::take(&mut self.told)
    }
}

/// Players as JSON.
pub(super) fn players(places: impl Iterator<Item = usize>) -> Value {
    places.map(|place| named(player(place))).collect()
}

/// A player as JSON.
pub(super) fn named(player: Player) -> Value {
    Value::String(format!("p{}", player.seat()))
}

fn time(at: Option<Timestamp>) -> Value {
    at.map_or(Value::Null, |at| Value::String(text::time(at)))
}

pub(super) fn started(terms: &Started, deadline: Option<Timestamp>) -> Value {
    let seats = (0..).zip(&terms.seats).map(|(place, seat)| {
        json!({
            "player": named(player(place)),
            "agent_id": text::id('a', seat.agent.as_bytes()),
            "handle": seat.handle.as_str(),
            "pubkey_ed25519": text::hex(seat.key.as_bytes()),
            "homologation_id": text::id('h', seat.homologation.as_bytes()),
        })
    });
    json!({
        "game": "sealed_bids",
        "variant": "standard",
        "division": words::division(terms.division),
        "season_id": terms.season.as_str(),
        "seats": seats.collect::<Vec<_>>(),
        "ruleset_version": "sealed_bids/1",
        "commitment": text::digest(&terms.commitment),
        "beacon": {
            "chain_hash": terms.beacon.map(|terms| text::digest(&terms.chain_hash)),
            "round": terms.beacon.map(|terms| terms.round),
            "status": if terms.beacon.is_some() { "waiting" } else { "off" },
        },
        "move_ms": MOVE_TIME.as_millis(),
        "side_ms": terms.timing.side_time.map(Span::as_millis),
        "turn_index": 0,
        "to_move": ["p0", "p1", "p2"],
        "deadline_utc": time(deadline),
    })
}

impl Table {
    /// A bid, sealed. The deadline is the first of those who are to bid now.
    pub(super) fn move_data(&self, resolution: &Resolution, commentary: Option<&str>) -> Value {
        let clocks = resolution.clocks.as_ref().map(|clocks| {
            let left = (0..).zip(clocks).map(|(place, left)| (format!("p{place}"), left.as_millis().into()));
            Value::Object(left.map(|(name, left): (String, Value)| (name, left)).collect())
        });
        json!({
            "turn_index": resolution.turn_index,
            "player": resolution.player.map(named),
            "notation": null,
            "san": null,
            "forced": resolution.forced.map(words::forced),
            "commentary_sha256": commentary.map(|words| text::digest(&text::sha256(words))),
            "at": text::time(resolution.at),
            "body_sha256": null,
            "state_hash": text::digest(&resolution.state_hash),
            "clocks_ms": clocks,
            "to_move": players(self.to_move()),
            "deadline_utc": time(self.deadline()),
        })
    }

    pub(super) fn end_data(&self, resolution: &Resolution, result: &GameResult) -> Value {
        json!({
            "turn_index": resolution.turn_index,
            "player": resolution.player.map(named),
            "result": {
                "winners": result.winners.iter().copied().map(named).collect::<Vec<_>>(),
                "draw": result.draw,
                "reason": result.reason.as_str(),
            },
            "body_sha256": resolution.body.as_ref().map(|body| text::digest(&body.sha256)),
            "seed": self.seed.reveal(),
        })
    }

    pub(super) fn extension_data(&self, reason: &str) -> Value {
        json!({
            "turn_index": self.turn_index(), "deadline_utc": time(self.deadline()), "reason": reason,
        })
    }

    /// What became of the round that the game is bound to.
    pub(super) fn beacon_data(&self, status: BeaconStatus) -> Value {
        json!({
            "round": self.beacon.terms.map(|terms| terms.round),
            "status": words::beacon(status),
            "randomness": self.beacon.round.as_ref().map(|(randomness, _)| text::digest(randomness)),
            "signature": self.beacon.round.as_ref().map(|(_, signature)| signature.clone()),
        })
    }
}

pub(super) fn attempt(turn_index: u32, player: Player, count: u8) -> Value {
    json!({ "turn_index": turn_index, "player": named(player), "count": count })
}

pub(super) fn strike(turn_index: u32, player: Player, cause: ForcedCause, count: u8) -> Value {
    json!({
        "turn_index": turn_index, "player": named(player), "cause": words::forced(cause), "count": count,
    })
}
