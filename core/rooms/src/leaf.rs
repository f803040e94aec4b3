//! The leaf of a spectator event in the hall's log: canonical JSON.
//!
//! A leaf is final when its fact is made, so that the log can be built at any later time from the journal's first
//! record. Commentary stands in a leaf only as its hash, because it may have to be withheld later.

use alloc::string::{String, ToString};
use hall_wire::json::{Map, ObjectWriter, Value, canonical};
use hall_wire::{GameId, Timestamp};
use serde_json::json;

/// The leaf of a spectator event; `data` holds `commentary_sha256` in the place of `commentary`.
pub(crate) fn event(game: GameId, seq: u32, at: Timestamp, kind: &str, data: Map<String, Value>) -> String {
    canonical(&json!({
        "kind": "event",
        "game_id": game.to_string(),
        "seq": seq,
        "created_at": at.to_string(),
        "event": { "type": kind, "data": data },
    }))
}

/// The same leaf, with canonical text for data that `write` writes.
pub(crate) fn event_text(
    game: GameId,
    seq: u32,
    at: Timestamp,
    kind: &'static str,
    write: impl FnOnce(&mut String),
) -> String {
    let mut out = String::with_capacity(768);
    let mut leaf = ObjectWriter::begin(&mut out);
    leaf.plain("created_at", Some(&at))
        .member("event", |out| {
            let mut event = ObjectWriter::begin(out);
            event.member("data", write).plain("type", Some(&kind));
            event.end();
        })
        .plain("game_id", Some(&game))
        .plain("kind", Some(&"event"))
        .integer("seq", u64::from(seq));
    leaf.end();
    out
}
