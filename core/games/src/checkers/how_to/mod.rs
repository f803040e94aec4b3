//! The how-to-play guide: grammar, turn, phases, ending, traps, and examples that the rules engine plays when the guide
//! is requested.
//!
//! No legal move, position or verdict in the examples is written down here: all of them are answers of the code that
//! runs the games, so the guide cannot disagree with it.

use super::position::CheckersPosition;
use super::rules_card::rules_card;
use super::{CHECKERS, RULESET_VERSION, pdn};
use crate::GameRecord;
use crate::guide::{OpenGame, board_of, open};
use alloc::vec::Vec;
use hall_wire::json::Value;
use serde_json::json;

mod examples;

pub(super) use examples::ALL as EXAMPLES;

const CHOOSE: &str =
    "Choose one entry of legal_moves. board_text shows the board with Black above for both players.";

const DEADLINE: &str = "When deadline_utc passes, a random legal move is played for you and you get a strike; checkers has \
                        no pass.";

pub(super) fn how_to() -> Value {
    json!({
        "game": "checkers",
        "ruleset_version": RULESET_VERSION,
        "rules_card": rules_card(),
        "grammar": grammar(),
        "board": board(),
        "turn": open::turn(CHOOSE),
        "phases": open::phases_without_clocks(
            "a random move is due before the beacon's round is known",
            "no move left, automatic draw",
        ),
        "ending": ending(),
        "penalties": open::penalties(DEADLINE),
        "draw_offers": open::draw_offers(),
        "traps": traps(),
        "examples": examples::ALL.iter().filter_map(|example| example.play_open(&CHECKERS)).collect::<Vec<_>>(),
        "worked_example": worked_example(),
    })
}

fn grammar() -> Value {
    json!({
        "pattern": "^([1-9]|[12][0-9]|3[0-2])(-([1-9]|[12][0-9]|3[0-2])|(x([1-9]|[12][0-9]|3[0-2])){1,9})$",
        "rules": [
            "Squares are numbers from 1 to 32 without leading zeros.",
            "A step to a neighbouring square is from-to with a hyphen: 11-15.",
            "A capture is written with x and names every square on which the piece lands, first the one where it begins: \
             18x9, 22x15x8. The squares of the captured pieces are not named.",
            "A capture is one move with all its jumps. Part of it is illegal, and so are its ends alone (22x8).",
            "Instead of a string, { \"index\": n } names an entry of the legal_moves of this very turn.",
        ],
        "legal_moves": "Complete; where a capture is possible it holds captures only. Sorted by notation as ASCII text, so \
                        10-14 comes before 9-13; index counts from 0; empty unless it is your turn. move equals notation.",
        "state_string": "The FEN of PDN: who is to move, White's squares, Black's squares, each in order, kings with K: \
                         W:W18,K3:B10,K31.",
    })
}

fn board() -> Value {
    json!([
        "Only the dark squares are used. 1-4 are the row on Black's side, 29-32 the row on White's side; each row is \
         numbered from White's left to White's right.",
        "The rows 1-4, 9-12, 17-20 and 25-28 lie half a place further to the right: n touches n+4 and n+5 below it (4, 12, \
         20, 28 only n+4) and n-4 and n-3 above it (n-4 alone for them).",
        "The other rows: n touches n+4 and n+3 below it and n-4 and n-5 above it (5, 13, 21, 29 only n+4 and n-4).",
        "A jump goes over a neighbour to the square behind it on the same diagonal: 7 or 9 away.",
    ])
}

fn ending() -> Value {
    json!({
        "no_moves": "Who is to move and has no legal move loses, because no piece is left or all are blocked. Comes before \
                     every draw rule.",
        "forty_moves": "80 turns in a row (40 of each side) without a capture or a move of a man: a draw, at once. \
                        view.public.quiet_turns counts them.",
        "threefold_repetition": "The same pieces on the same squares with the same player to move for the third time, not \
                                 necessarily in a row: a draw, at once. view.public.occurrences counts the position on \
                                 the board, this time included.",
        "by_the_room": "resignation, agreement, clock, strikes, adjudicated, aborted (nobody wins, nothing is rated).",
    })
}

fn traps() -> Value {
    json!([
        "Before each move look for captures: if legal_moves holds an x anywhere, it holds nothing else.",
        "You may choose among captures, also the one that takes fewer pieces, but the one chosen must be jumped to its end.",
        "Count what your move lets the opponent jump: captures are forced for both, so a piece can be given to pull others \
         out of place.",
        "A man that becomes a king by a capture stops there, even if the new king could jump on.",
        "Kings are not flying: they move one square and jump only over a neighbour.",
    ])
}

/// A short game from the opening to its end, every turn as the engine sees it.
fn worked_example() -> Option<Value> {
    let mut position = CheckersPosition::initial();
    let first_board = board_of(&position);
    let mut game = OpenGame::default();
    for text in examples::SHORT_GAME {
        game.play(&mut position, text, |entry, _| [("summary", json!(entry.summary))])?;
    }
    let ending = game.ending(&position, position.now.turn.player(), "pdn", |result| {
        pdn::write(&GameRecord::of(&game.moves, result)).into()
    })?;
    Some(json!({
        "about": "A whole game. Each turn lists what legal_moves held and says in words what was played.",
        "first_board_text": first_board,
        "turns": game.turns,
        "final": ending,
    }))
}
