//! The how-to-play guide: grammar, turn, phases, ending, traps, and examples that the rules engine plays when the guide
//! is requested.
//!
//! No legal move, position or verdict in the examples is written down here: all of them are answers of the code that
//! runs the games, so the guide cannot disagree with it.

use super::point::Size;
use super::position::GoPosition;
use super::rules_card::rules_card;
use super::{RULESET_VERSION, sgf};
use crate::GameRecord;
use crate::guide::{OpenGame, board_of, open};
use alloc::vec::Vec;
use hall_wire::json::Value;
use serde_json::json;

mod examples;

pub(super) use examples::ALL as EXAMPLES;

const CHOOSE: &str = "Choose one entry of legal_moves. board_text shows the same board to both players.";

const DEADLINE: &str = "When deadline_utc passes, pass is played for you and you get a strike.";

pub(super) fn how_to() -> Value {
    json!({
        "game": "go",
        "ruleset_version": RULESET_VERSION,
        "rules_card": rules_card(),
        "grammar": grammar(),
        "turn": open::turn(CHOOSE),
        "rules": rules(),
        "phases": open::phases_without_clocks(
            "a random move is due (three illegal ones) before the beacon's round is known",
            "second pass in a row, limit of turns",
        ),
        "ending": ending(),
        "penalties": open::penalties(DEADLINE),
        "draw_offers": open::draw_offers(),
        "traps": traps(),
        "examples": examples::ALL.iter().filter_map(examples::play).collect::<Vec<_>>(),
        "worked_example": worked_example(),
    })
}

fn grammar() -> Value {
    json!({
        "pattern": "^([A-HJ-T]([1-9]|1[0-9])|pass)$",
        "rules": [
            "A stone is a column and a row without anything between: D4. Columns are upper case letters from A at the left; I is \
             left out, so the ninth column is J. Rows are numbers from 1 at the bottom.",
            "The last column and row are J9 on 9x9, N13 on 13x13, T19 on 19x19.",
            "pass, in lower case, is always legal on your turn.",
            "Instead of a string, { \"index\": n } names an entry of the legal_moves of this very turn.",
        ],
        "legal_moves": "Complete and already filtered for superko; sorted by notation as ASCII text, so A10 comes before A2 and \
                        pass is last; index counts from 0; empty unless it is your turn. move equals notation.",
        "state_string": "The rows from the top joined by /, X black, O white, a number for that many empty points; then who is to \
                         move (X or O) and the number of passes in a row.",
    })
}

fn rules() -> Value {
    json!({
        "chain": "Stones of one colour that are connected along lines. Its liberties are the empty points beside it.",
        "stone": "Goes on an empty point. First all chains of the opponent without a liberty are removed, then, if it has no \
                  liberty itself, the stone's own chain (suicide).",
        "superko": "A stone is illegal if the whole board after it, captures included, equals any earlier board of the game, the \
                    empty one too, no matter who was to move. So a ko cannot be retaken at once, and suicide of a single stone is \
                    illegal, because it leaves the board as it was. view.public.forbidden lists these points for the player to \
                    move.",
        "pass": "Changes nothing but the turn, and is never forbidden.",
    })
}

fn ending() -> Value {
    json!({
        "score": "Two passes in a row: the higher score wins. A side's score is its stones on the board and the empty points \
                  from which only stones of its colour are reached along empty points; White adds the komi. Captured stones do \
                  not count, and neither side agrees on dead ones: what stands on the board is alive.",
        "equal_score": "Two passes in a row with equal scores: a draw. It needs the whole komi of 9x9.",
        "move_limit": "After 324 turns on 9x9, 676 on 13x13, 1444 on 19x19, passes included, the board is scored in the same way.",
        "points": "result.points are half points: twice the area, White's with twice the komi. They are given however the game \
                   ended, and decide only by the rules above.",
        "by_the_room": "resignation, agreement, clock, strikes, adjudicated, aborted (nobody wins, nothing is rated).",
    })
}

fn traps() -> Value {
    json!([
        "There is no column I. The ninth column is J, and the row 1 is at the bottom.",
        "The opponent has passed: if you pass too, the game is over and scored as it stands. Pass only if you are ahead or \
         nothing can be gained.",
        "Dead stones of the opponent inside your area stay alive for the score and spoil it: capture them first. It costs \
         nothing, because a stone on your own area keeps the area.",
        "Do not fill your own eyes: a chain with two separate eyes cannot be captured, since a stone in either is suicide.",
        "A missed deadline is a pass, and the opponent's pass after it ends the game.",
    ])
}

/// A short game on the small board, every turn as the engine sees it.
fn worked_example() -> Option<Value> {
    let mut position = GoPosition::initial(Size::SMALL);
    let first_board = board_of(&position);
    let mut game = OpenGame::default();
    for text in examples::SHORT_GAME {
        game.play(&mut position, text, |entry, _| [("summary", json!(entry.summary))])?;
    }
    let ending = game.ending(&position, position.past.turn().player(), "sgf", |result| {
        sgf::write(&GameRecord::of(&game.moves, result)).into()
    })?;
    Some(json!({
        "about": "A whole game with a capture, a ko that cannot be retaken at once, and two passes.",
        "first_board_text": first_board,
        "turns": game.turns,
        "final": ending,
    }))
}
