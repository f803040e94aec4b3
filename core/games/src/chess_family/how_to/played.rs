//! What the rules engine answers when a guide is written: examples and a whole game.

use super::Example;
use crate::chess_family::Rules;
use crate::chess_family::pgn;
use crate::chess_family::position::FamilyPosition;
use crate::chess_family::seats::{WHITE, player_of};
use crate::{GameRecord, GameResult, LegalMove, NoChance, Position as _, Refused, Viewer};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::Notation;
use hall_wire::json::Value;
use serde_json::json;
use shakmaty::Position as _;

impl Example {
    /// Asks the engine; `None` if the position cannot be read, which a test rules out.
    pub(super) fn play<R: Rules>(&self) -> Option<Value> {
        let position = FamilyPosition::<R>::restore(self.fen)?;
        let player = player_of(position.now.turn());
        let tries: Vec<Value> =
            self.tries.iter().filter_map(|(text, note)| verdict(&position, text, note)).collect();
        Some(json!({
            "topic": self.topic,
            "state_string": self.fen,
            "board_text": board_of(&position),
            "to_move": player,
            "legal_moves": notations(&position.legal_moves(player)),
            "tries": tries,
        }))
    }
}

/// A short game from the opening to its end, every turn as the engine sees it.
pub(super) fn worked_example<R: Rules>(start: Option<u64>, moves: &[&str]) -> Option<Value> {
    let mut position = FamilyPosition::<R>::initial();
    if let Some(number) = start {
        position.set_up(number)?;
    }
    let (first, chance) = (position.clone(), start.map(|number| (0, number.to_string())));
    let mut turns = Vec::new();
    let mut played = Vec::new();
    for text in moves {
        let notation = Notation::parse(text)?;
        let player = player_of(position.now.turn());
        let legal = position.legal_moves(player);
        let before = position.state_string();
        let san = position.play(player, &notation, &mut NoChance).ok()?.san;
        turns.push(json!({
            "turn_index": played.len(),
            "player": player,
            "state_string": before,
            "legal_moves": notations(&legal),
            "index": legal.iter().position(|entry| entry.notation == notation),
            "move": notation,
            "san": san,
        }));
        played.push((player, notation));
    }
    let result = GameResult::from(position.outcome()?);
    let last_move = played.last().copied();
    let record = GameRecord { chance: chance.as_slice(), ..GameRecord::of(&played, &result) };
    let mut worked = json!({
        "about": "A whole game. Each turn lists what legal_moves held; the first one is also shown in full.",
        "first_legal_moves": in_full(&first.legal_moves(WHITE)),
        "first_board_text": board_of(&first),
        "turns": turns,
        "final": {
            "state_string": position.state_string(),
            "board_text": position.board_text(&Viewer { player: WHITE, result: Some(&result), last_move }),
            "result": &result,
            "pgn": pgn::write::<R>(&record),
        },
    });
    if let (Value::Object(worked), Some((_, outcome))) = (&mut worked, &chance) {
        worked.insert("chance".into(), json!({ "outcome": outcome }));
    }
    Some(worked)
}

/// The board as the player to move sees it.
fn board_of(position: &FamilyPosition<impl Rules>) -> String {
    let player = player_of(position.now.turn());
    position.board_text(&Viewer { player, result: None, last_move: None })
}

/// Entries as the view shows them.
fn in_full(legal: &[LegalMove]) -> Value {
    legal
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            json!({
                "index": index,
                "move": entry.notation,
                "notation": entry.notation,
                "summary": entry.summary,
            })
        })
        .collect()
}

fn notations(legal: &[LegalMove]) -> Value {
    legal.iter().map(|entry| Value::from(entry.notation.to_string())).collect()
}

/// What the engine says of `text` in `position`.
fn verdict(position: &FamilyPosition<impl Rules>, text: &str, note: &str) -> Option<Value> {
    let mut after = position.clone();
    let player = player_of(position.now.turn());
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
        Err(Refused::Illegal | Refused::NeedsChance) => {
            json!({ "move": text, "accepted": false, "code": "illegal_move", "note": note })
        }
    })
}
