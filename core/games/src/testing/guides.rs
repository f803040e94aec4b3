//! Checks of the how-to-play guides against the games that they describe.

use super::{P0, mover, notations, send};
use crate::{Position, Viewer};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::json::Value;
use serde_json::json;

/// The tries of each example of a guide, with `+` for an accepted move and `-` for a refused one: `+e2e4`, `-e4`.
pub(crate) fn verdicts(guide: &Value) -> Vec<Vec<String>> {
    let verdict = |entry: &Value| {
        let sign = if entry["accepted"] == true { '+' } else { '-' };
        format!("{sign}{}", entry["move"].as_str().unwrap())
    };
    let of_example = |example: &Value| example["tries"].as_array().unwrap().iter().map(verdict).collect();
    guide["examples"].as_array().unwrap().iter().map(of_example).collect()
}

/// The same of a guide whose examples list the legal moves; a move is accepted exactly if it is one of them.
pub(crate) fn checked_verdicts(guide: &Value) -> Vec<Vec<String>> {
    for example in guide["examples"].as_array().unwrap() {
        let legal = example["legal_moves"].as_array().unwrap();
        for entry in example["tries"].as_array().unwrap() {
            assert_eq!(entry["accepted"] == true, legal.contains(&entry["move"]), "{entry}");
        }
    }
    verdicts(guide)
}

/// Plays a worked example again from where it begins, and compares all that it says of each turn and of the end.
pub(crate) fn replay(position: &mut dyn Position, worked: &Value) {
    let viewer = Viewer { player: P0, result: None, to_move: position.to_move(), last_move: None };
    assert_eq!(worked["first_board_text"], position.board_text(&viewer));
    for turn in worked["turns"].as_array().unwrap() {
        replay_turn(position, turn);
    }
    assert_ended(position, &worked["final"]);
}

/// Plays one turn of a worked example again.
pub(crate) fn replay_turn(position: &mut dyn Position, turn: &Value) {
    assert_eq!(turn["player"], json!(mover(position)));
    assert_eq!(turn["state_string"], position.state_string());
    assert_eq!(turn["legal_moves"], json!(notations(position)));
    let index = usize::try_from(turn["index"].as_u64().unwrap()).unwrap();
    assert_eq!(turn["legal_moves"][index], turn["move"]);
    send(position, turn["move"].as_str().unwrap()).unwrap();
}

/// The worked example ends where its moves lead to, which is the end by the rules.
pub(crate) fn assert_ended(position: &dyn Position, told: &Value) {
    let result = position.result_by_the_rules().expect("the worked example is played to its end");
    assert_eq!(told["state_string"], position.state_string());
    assert_eq!(told["result"], json!(result));
}
