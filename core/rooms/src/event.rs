//! Spectator events: the public side of what happens in a room, as the log and the streams have it.

use crate::clock;
use crate::fact::{BeaconStatus, ForcedCause, OpenTurn, Resolution, RoomChange, RoomEvent, Seat, Started};
use crate::leaf;
use crate::room::Room;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;
use hall_games::{GameResult, PlayerSet};
use hall_wire::json::{Map, ObjectWriter, Value};
use hall_wire::{Digest, GameId, Notation, Player, Span, Timestamp};
use serde_json::json;

/// A map by player: `{ "p0": …, "p1": … }`.
pub fn by_player<T, V: Into<Value>>(items: &[T], value: impl Fn(&T) -> V) -> Value {
    let names = (0..u8::MAX).map(|seat| Player::new(seat).to_string());
    Value::Object(names.zip(items.iter().map(|item| value(item).into())).collect())
}

/// A list of players.
#[must_use]
pub fn players(set: PlayerSet) -> Value {
    set.iter().map(|player| player.to_string()).collect()
}

/// The seats as game records and events list them.
#[must_use]
pub fn seats<'a>(seats: impl Iterator<Item = &'a Seat>) -> Value {
    let names = (0..u8::MAX).map(|seat| Player::new(seat).to_string());
    names
        .zip(seats)
        .map(|(player, seat)| {
            json!({
                "player": player,
                "agent_id": seat.agent.to_string(),
                "handle": seat.handle.as_str(),
                "pubkey_ed25519": seat.key.to_string(),
                "homologation_id": seat.homologation.to_string(),
            })
        })
        .collect()
}

/// The event of a change that is about to be made in `room`, if it is public.
pub(crate) fn of(
    room: &Room,
    at: Timestamp,
    change: &RoomChange,
    commentary: Option<String>,
) -> Option<RoomEvent> {
    let (kind, data) = match change {
        RoomChange::Started(_) | RoomChange::PenaltyDeferred { .. } | RoomChange::HallDeferred { .. } => {
            return None;
        }
        RoomChange::MovePlayed(resolution) => return Some(move_event(room, at, resolution, commentary)),
        RoomChange::IllegalAttempted { turn_index, player, count, .. } => {
            ("illegal_attempt", json!({ "turn_index": turn_index, "player": player, "count": count }))
        }
        RoomChange::StrikeGiven { turn_index, player, cause, count } => (
            "strike",
            json!({ "turn_index": turn_index, "player": player, "cause": cause.as_str(), "count": count }),
        ),
        RoomChange::DrawOffered { turn_index, player } => {
            ("draw_offered", json!({ "turn_index": turn_index, "player": player }))
        }
        RoomChange::DrawDeclined { turn_index, player } => {
            ("draw_declined", json!({ "turn_index": turn_index, "player": player }))
        }
        RoomChange::MoveSealed { turn_index, player, .. } => {
            ("move_sealed", json!({ "turn_index": turn_index, "player": player }))
        }
        RoomChange::NatureActed { turn_index, outcome, state_hash, clocks, to_move, turns, .. } => (
            "chance",
            json!({
                "turn_index": turn_index,
                "outcome": outcome,
                "state_hash": state_hash.to_hex(),
                "to_move": players(*to_move),
                "deadline_utc": earliest(turns, |player| room.seat(player)?.remaining).map(|time| time.to_string()),
                "clocks_ms": clocks.as_deref().map(|clocks| by_player(clocks, |left| left.as_millis())),
            }),
        ),
        RoomChange::Shown { turn_index, text } => {
            ("shown", json!({ "turn_index": turn_index, "text": text }))
        }
        RoomChange::SeatVacated { turn_index, player, reason, .. } => {
            ("seat_vacated", json!({ "turn_index": turn_index, "player": player, "reason": reason.as_str() }))
        }
        RoomChange::DeadlineExtended { turn_index, turns, cause, .. } => {
            let deadline = earliest(turns, |player| room.seat(player)?.remaining);
            let deadline = deadline.map(|time| time.to_string());
            (
                "deadline_extended",
                json!({ "turn_index": turn_index, "deadline_utc": deadline, "reason": cause }),
            )
        }
        RoomChange::BeaconSettled { status, randomness, signature } => (
            "beacon",
            json!({
                "round": room.beacon_terms().map(|terms| terms.round),
                "status": status.as_str(),
                "randomness": randomness.map(|digest| digest.to_string()),
                "signature": signature,
            }),
        ),
        RoomChange::Ended { result, resolution } => {
            ("game_ended", ended_data(room, result, resolution.as_ref()))
        }
    };
    Some(event(room.id(), room.last_seq() + 1, at, kind, data, commentary))
}

/// The first event of a game.
pub(crate) fn started(game: GameId, at: Timestamp, started: &Started) -> RoomEvent {
    let side_time = started.timing.side_time;
    let deadline = earliest(&started.turns, |_| side_time).map(|time| time.to_string());
    let status = BeaconStatus::at_start(started.beacon.as_ref()).as_str();
    let data = json!({
        "game": started.variant.game.as_str(),
        "variant": started.variant.variant.as_str(),
        "division": started.division.as_str(),
        "season_id": started.season.as_str(),
        "seats": seats(started.seats.iter()),
        "ruleset_version": started.ruleset_version.as_str(),
        "commitment": started.commitment.to_string(),
        "beacon": {
            "chain_hash": started.beacon.map(|terms| terms.chain_hash.to_string()),
            "round": started.beacon.map(|terms| terms.round),
            "status": status,
        },
        "move_ms": started.timing.move_time.as_millis(),
        "side_ms": side_time.map(Span::as_millis),
        "turn_index": 0,
        "to_move": players(started.to_move),
        "deadline_utc": deadline,
    });
    event(game, 1, at, "game_started", data, None)
}

fn event(
    game: GameId,
    seq: u32,
    at: Timestamp,
    kind: &str,
    data: Value,
    commentary: Option<String>,
) -> RoomEvent {
    let data = if let Value::Object(members) = data { members } else { Map::new() };
    RoomEvent { seq, leaf: leaf::event(game, seq, at, kind, data), commentary }
}

/// The event of a move, the one that is written most.
fn move_event(room: &Room, at: Timestamp, resolution: &Resolution, commentary: Option<String>) -> RoomEvent {
    let seq = room.last_seq() + 1;
    let leaf = leaf::event_text(room.id(), seq, at, "move", |out| {
        move_data(out, room, resolution, commentary.as_deref())
    });
    RoomEvent { seq, leaf, commentary }
}

fn move_data(out: &mut String, room: &Room, resolution: &Resolution, commentary: Option<&str>) {
    let (notation, open) = room.disclosed(None, resolution.player, resolution.notation);
    let clocks = resolution.clocks.as_deref();
    let left = |player: Player| clocks?.get(player.index()).copied();
    let deadline = earliest(&resolution.turns, left);
    let commentary = commentary.map(|words| Digest::of(words.as_bytes()));
    let body = resolution.body.as_ref().map(|body| body.sha256).filter(|_| open);
    let san = resolution.san.filter(|_| open);
    let clocks = clocks.map_or(Value::Null, |clocks| by_player(clocks, |left| left.as_millis()));
    let mut data = ObjectWriter::begin(out);
    data.plain("at", Some(&resolution.at))
        .plain("body_sha256", body.as_ref().map(shown))
        .value("clocks_ms", &clocks)
        .plain("commentary_sha256", commentary.as_ref().map(shown))
        .plain("deadline_utc", deadline.as_ref().map(shown))
        .plain("forced", resolution.forced.map(ForcedCause::as_str).as_ref().map(shown))
        .string("notation", text(notation.as_ref()))
        .plain("player", resolution.player.as_ref().map(shown))
        .string("san", text(san.as_ref()))
        .plain("state_hash", Some(&resolution.state_hash))
        .value("to_move", &players(resolution.to_move))
        .integer("turn_index", u64::from(resolution.turn_index));
    data.end();
}

fn shown<T: Display>(value: &T) -> &dyn Display {
    value
}

/// Turn, player and body hash are those of the last turn, whichever fact resolved it.
fn ended_data(room: &Room, result: &GameResult, resolution: Option<&Resolution>) -> Value {
    let last = room.last_turn();
    let (turn_index, player, body) = match resolution {
        Some(own) => (Some(own.turn_index), own.player, own.body.as_ref().map(|body| body.sha256)),
        None => (
            last.map(|turn| turn.turn_index),
            last.and_then(|turn| turn.player),
            last.and_then(|turn| turn.body_sha256),
        ),
    };
    json!({
        "turn_index": turn_index,
        "player": player,
        "result": result,
        "body_sha256": body.map(|digest| digest.to_hex()),
        "seed": room.state.seed.reveal(),
    })
}

fn text(notation: Option<&Notation>) -> Option<&str> {
    notation.map(Notation::as_str)
}

fn earliest(turns: &[OpenTurn], remaining: impl Fn(Player) -> Option<Span>) -> Option<Timestamp> {
    let deadlines: Vec<_> = turns.iter().map(|open| clock::deadline(open, remaining(open.player))).collect();
    deadlines.into_iter().min()
}
