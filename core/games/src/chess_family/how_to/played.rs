//! What the rules engine answers when a guide is written: examples and a whole game.

use crate::chess_family::Rules;
use crate::chess_family::pgn;
use crate::chess_family::position::FamilyPosition;
use crate::chess_family::seats::WHITE;
use crate::guide::{Example, OpenGame, board_of, in_full, tell_open};
use crate::{GameRecord, GameResult, NoChance, Position};
use alloc::string::ToString as _;
use hall_wire::Notation;
use hall_wire::json::Value;
use serde_json::json;

/// Asks the engine; `None` if the position cannot be read, which a test rules out.
pub(super) fn example<R: Rules>(example: &Example) -> Option<Value> {
    tell_open(example.topic, &FamilyPosition::<R>::restore(example.saved)?, example.tries, verdict)
}

/// A short game from the opening to its end, every turn as the engine sees it.
pub(super) fn worked_example<R: Rules>(start: Option<u64>, moves: &[&str]) -> Option<Value> {
    let mut position = FamilyPosition::<R>::initial();
    if let Some(number) = start {
        position.set_up(number)?;
    }
    let (first, chance) = (position.clone(), start.map(|number| (0, number.to_string())));
    let mut game = OpenGame::default();
    for text in moves {
        game.play(&mut position, text, |_, played| [("san", json!(played.san))])?;
    }
    let ending = game.ending(&position, WHITE, "pgn", |result| {
        let record = GameRecord { chance: chance.as_slice(), ..GameRecord::of(&game.moves, result) };
        pgn::write::<R>(&record).into()
    })?;
    let mut worked = json!({
        "about": "A whole game. Each turn lists what legal_moves held; the first one is also shown in full.",
        "first_legal_moves": in_full(&first.legal_moves(WHITE)),
        "first_board_text": board_of(&first),
        "turns": game.turns,
        "final": ending,
    });
    if let (Value::Object(worked), Some((_, outcome))) = (&mut worked, &chance) {
        worked.insert("chance".into(), json!({ "outcome": outcome }));
    }
    Some(worked)
}

/// What the engine says of `text` in `position`, with the SAN of an accepted move.
fn verdict(position: &dyn Position, text: &str, note: &str) -> Option<Value> {
    let mut after = position.clone_box();
    let player = position.to_move().iter().next()?;
    let answer = after.play(player, &Notation::parse(text)?, &mut NoChance);
    Some(match answer {
        Ok(played) => json!({
            "move": text,
            "accepted": true,
            "san": played.san,
            "state_string_after": after.state_string(),
            "result": after.outcome().map(GameResult::from),
            "note": note,
        }),
        Err(_) => json!({ "move": text, "accepted": false, "code": "illegal_move", "note": note }),
    })
}
