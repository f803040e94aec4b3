//! The body of a move request (specification 2.9).

use super::fields::Fields;
use super::unread;
use crate::answer::Failure;
use crate::errors::ApiCode;
use hall_core::Choice;
use hall_wire::json::{Map, Value, canonical};
use hall_wire::text::COMMENTARY;
use hall_wire::{Digest, Notation, Signature};

/// The longest `move` that counts as an illegal move, in Unicode scalar values.
const MOVE_CHARACTERS: usize = 64;

const MOVE_RULE: &str = "must be a string of 1 to 64 characters, or { \"index\": integer } and nothing else";

/// A move request whose shape is right.
#[derive(Debug)]
pub(crate) struct MoveRequest {
    /// The game of path and body, as it was sent.
    pub(crate) game: String,
    pub(crate) turn_index: u32,
    pub(crate) choice: Option<Choice>,
    pub(crate) resign: bool,
    pub(crate) draw_offer: bool,
    pub(crate) draw_accept: bool,
    pub(crate) commentary: Option<String>,
    pub(crate) signature: Signature,
    /// The canonical text of the body without its top-level `signature`.
    pub(crate) canonical: String,
    /// sha256 of that text.
    pub(crate) sha256: Digest,
}

pub(super) fn read(path_id: &str, body: &[u8]) -> Result<MoveRequest, Failure> {
    let mut fields = Fields::parse(body)?;
    let signature = fields.parsed("signature", "must be 128 lowercase hexadecimal digits", Signature::parse);
    let canonical = canonical_without_signature(fields.members());
    let game = fields.string("game_id");
    let turn_index = turn_index(&mut fields);
    let sent_move = fields.members().contains_key("move");
    let choice = choice(&mut fields);
    let commentary = fields.optional_text("commentary", &COMMENTARY);
    let resign = fields.flag("resign");
    let draw_offer = fields.flag("draw_offer");
    let draw_accept = fields.flag("draw_accept");
    if resign {
        for (name, set) in [("draw_offer", draw_offer), ("draw_accept", draw_accept)] {
            if set {
                fields.note(name, "must not be true together with resign: true");
            }
        }
    } else if !sent_move && !draw_offer && !draw_accept {
        fields.note("move", "is required, unless you resign or accept a draw");
    }
    fields.finish()?;
    let (Some(game), Some(turn_index), Some(signature)) = (game, turn_index, signature) else {
        return Err(unread());
    };
    if game != path_id {
        return Err(ApiCode::GameIdMismatch.into());
    }
    let sha256 = Digest::of(canonical.as_bytes());
    Ok(MoveRequest {
        game,
        turn_index,
        choice,
        resign,
        draw_offer,
        draw_accept,
        commentary,
        signature,
        canonical,
        sha256,
    })
}

/// What the body signature covers. The signature itself has been taken out of `members` already.
fn canonical_without_signature(members: &Map<String, Value>) -> String {
    canonical(&Value::Object(members.clone()))
}

fn turn_index(fields: &mut Fields) -> Option<u32> {
    let value = fields.required("turn_index")?;
    let index = value.as_i64().and_then(|index| u32::try_from(index).ok());
    if index.is_none() {
        fields.note("turn_index", "must be an integer from 0 to 4294967295");
    }
    index
}

/// The move, if one was sent. What has the shape of a move but cannot be one in any game is an illegal move.
fn choice(fields: &mut Fields) -> Option<Choice> {
    let value = fields.take("move")?;
    if value.get("index").is_some_and(Value::is_null) && fields.is_bad_number("move.index") {
        return None;
    }
    let choice = by_notation(&value).or_else(|| by_index(&value));
    if choice.is_none() {
        fields.note("move", MOVE_RULE);
    }
    choice
}

fn by_notation(value: &Value) -> Option<Choice> {
    let text = value.as_str()?;
    let fits = (1..=MOVE_CHARACTERS).contains(&text.chars().count());
    fits.then(|| Notation::parse(text).map_or(Choice::Unparsable, Choice::Notation))
}

fn by_index(value: &Value) -> Option<Choice> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    members.get("index")?.as_i64().map(Choice::Index)
}
