//! The document: strict JSON, with or without its envelope, and the typed form of a replay.

mod body;
mod fields;
mod game;
mod log;
mod record;

pub(super) use body::{Body, Choice};
pub(super) use game::{Act, Attempt, Event, ForcedBy, RollText, Turn, Unresolved};
pub(super) use log::{LeafPlace, Log, Registration};
pub(super) use record::{BeaconStatus, Replay};

use hall_wire::json::{NumberProblem, SyntaxProblem, Value, parse};

/// Why bytes are not read as a replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableReplay {
    /// They are not strict JSON: two programs might read them differently.
    #[error("it is not strict JSON: {0}")]
    Json(SyntaxProblem),
    /// They are the envelope of a refusal.
    #[error("it is a refusal of the hall, not a replay: {code}")]
    Refusal {
        /// The code of the refusal.
        code: String,
    },
    /// They are JSON, but no replay.
    #[error("it is not a replay: it has no version, game_id, events and moves")]
    NoReplay,
}

/// A replay without its envelope.
pub(super) struct Read {
    pub(super) value: Value,
    /// Numbers that are not plain integers; they stand in `value` as null.
    pub(super) numbers: Vec<NumberProblem>,
}

/// Reads the bytes and takes the replay out of its envelope.
pub(super) fn read(bytes: &[u8]) -> Result<Read, UnreadableReplay> {
    let parsed = parse(bytes).map_err(UnreadableReplay::Json)?;
    let mut value = parsed.value;
    if value.get("ok") == Some(&Value::Bool(false)) {
        let code = value.pointer("/error/code").and_then(Value::as_str).unwrap_or("no code");
        return Err(UnreadableReplay::Refusal { code: code.to_owned() });
    }
    if let Some(inner) = value.pointer_mut("/data/replay") {
        value = inner.take();
    }
    let is_replay = ["version", "game_id", "events", "moves"].iter().all(|name| value.get(name).is_some());
    if is_replay { Ok(Read { value, numbers: parsed.numbers }) } else { Err(UnreadableReplay::NoReplay) }
}

/// What the document says its game is, checked or not.
pub(super) fn named_game(value: &Value) -> String {
    value.get("game_id").and_then(Value::as_str).unwrap_or_default().to_owned()
}
