//! The signed body of a move (specification 2.9, decisions 5.4 and 5.7).

use hall_wire::GameId;
use hall_wire::json::{Value, canonical, parse};

/// The longest notation that counts as a move, in characters.
const MAX_NOTATION: usize = 64;

/// What an agent asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::replay) struct Body {
    pub(in crate::replay) choice: Option<Choice>,
    pub(in crate::replay) commentary: Option<String>,
    pub(in crate::replay) resign: bool,
    pub(in crate::replay) draw_offer: bool,
    pub(in crate::replay) draw_accept: bool,
}

/// A move as it is named in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::replay) enum Choice {
    Notation(String),
    Index(i64),
}

impl Body {
    /// Reads a body that must be of this game and turn; the error says what is wrong.
    pub(in crate::replay) fn read(text: &str, game: GameId, turn_index: u32) -> Result<Self, String> {
        let parsed = parse(text.as_bytes()).map_err(|problem| format!("its body is not JSON: {problem}"))?;
        if !parsed.numbers.is_empty() || canonical(&parsed.value) != text {
            return Err("its body is not in canonical form".to_owned());
        }
        let Value::Object(members) = &parsed.value else {
            return Err("its body is not an object".to_owned());
        };
        let known = ["game_id", "turn_index", "move", "commentary", "resign", "draw_offer", "draw_accept"];
        if let Some(other) = members.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("its body has a field {other:?} that no move has"));
        }
        if members.get("game_id").and_then(Value::as_str) != Some(game.to_string().as_str()) {
            return Err("its body is of another game".to_owned());
        }
        if members.get("turn_index").and_then(Value::as_u64) != Some(u64::from(turn_index)) {
            return Err("its body is of another turn".to_owned());
        }
        let flag = |name: &str| match members.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(format!("{name} in its body is neither true nor false")),
        };
        let commentary = match members.get("commentary") {
            None => None,
            Some(Value::String(words)) => Some(words.clone()),
            Some(_) => return Err("the commentary in its body is not a string".to_owned()),
        };
        let body = Self {
            choice: members.get("move").map(Choice::read).transpose()?,
            commentary,
            resign: flag("resign")?,
            draw_offer: flag("draw_offer")?,
            draw_accept: flag("draw_accept")?,
        };
        let is_applied = !body.resign && !body.draw_accept;
        if is_applied && body.choice.as_ref().is_some_and(|choice| !choice.fits()) {
            return Err(NO_MOVE.to_owned());
        }
        if body.resign && (body.draw_offer || body.draw_accept) {
            return Err("its body resigns and offers or accepts a draw at once".to_owned());
        }
        Ok(body)
    }
}

const NO_MOVE: &str = "the move in its body is neither a notation nor an index";

impl Choice {
    /// Whether it has the length of a move. Of one that is not applied, only the type counts.
    fn fits(&self) -> bool {
        match self {
            Self::Notation(text) => (1..=MAX_NOTATION).contains(&text.chars().count()),
            Self::Index(_) => true,
        }
    }

    fn read(value: &Value) -> Result<Self, String> {
        let no_move = || NO_MOVE.to_owned();
        match value {
            Value::String(text) => Ok(Self::Notation(text.clone())),
            Value::Object(members) if members.len() == 1 => {
                members.get("index").and_then(Value::as_i64).map(Self::Index).ok_or_else(no_move)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Err(no_move())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_move_that_is_not_applied_is_checked_for_its_type_alone() {
        let game = GameId::from_bytes([7; 16]);
        for (named, alone, not_applied) in [
            (json!("e2e4"), true, true),
            (json!({ "index": 3 }), true, true),
            (json!(""), false, true),
            (json!("x".repeat(65)), false, true),
            (json!(4), false, false),
            (json!({ "index": "3" }), false, false),
            (json!(null), false, false),
        ] {
            for (flag, is_read) in [
                ("commentary", alone),
                ("draw_offer", alone),
                ("resign", not_applied),
                ("draw_accept", not_applied),
            ] {
                let mut body = json!({ "game_id": game, "turn_index": 7, "move": named });
                body[flag] = if flag == "commentary" { json!("words") } else { json!(true) };
                let read = Body::read(&canonical(&body), game, 7);
                assert_eq!(read.is_ok(), is_read, "{body} {read:?}");
            }
        }
    }
}
