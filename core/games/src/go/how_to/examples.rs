//! The positions that the guide shows, and what it tries in them.

use crate::Position as _;
use crate::go::position::GoPosition;
use crate::guide::{Example, board_of, verdict_without_points};
use alloc::vec::Vec;
use hall_wire::json::Value;
use serde_json::json;

/// Asks the engine; `None` if the position cannot be read, which a test rules out. The saved position is the size of the
/// board and the moves that led to it.
pub(super) fn play(example: &Example) -> Option<Value> {
    let position = GoPosition::restore(example.saved)?;
    let tries: Vec<Value> = example
        .tries
        .iter()
        .filter_map(|(text, note)| verdict_without_points(&position, text, note))
        .collect();
    Some(json!({
        "topic": example.topic,
        "moves": example.saved.split(' ').skip(1).collect::<Vec<_>>(),
        "state_string": position.state_string(),
        "board_text": board_of(&position),
        "to_move": position.past.turn().player(),
        "tries": tries,
    }))
}

/// The moves of the worked example.
pub(super) const SHORT_GAME: [&str; 14] =
    ["E5", "D5", "D6", "C6", "D4", "C4", "E7", "B5", "C5", "G5", "D5", "G6", "pass", "pass"];

/// Every example, in the order in which a reader needs them.
pub(in crate::go) const ALL: &[Example] = &[
    Example {
        topic: "ways of writing that are refused",
        saved: "9",
        tries: &[
            ("D4", "column and row"),
            ("J9", "the upper right corner of 9x9"),
            ("pass", "always legal"),
            ("d4", "lower case"),
            ("I5", "there is no column I"),
            ("K5", "beyond the right edge of 9x9"),
            ("A10", "beyond the upper edge of 9x9"),
            ("D04", "a leading zero"),
            ("4D", "the row first"),
            ("dd", "SGF"),
            ("PASS", "upper case"),
            ("resign", "not a move: send resign: true"),
        ],
    },
    Example {
        topic: "a capture",
        saved: "9 D5 E5 E6 A1 F5 B1",
        tries: &[
            ("E4", "takes the last liberty of the white stone on E5, which leaves the board"),
            ("E5", "an occupied point"),
        ],
    },
    Example {
        topic: "a ko",
        saved: "9 E5 D5 D6 C6 D4 C4 E7 B5 C5",
        tries: &[("D5", "would retake and recreate the board before the capture"), ("G5", "anywhere else")],
    },
    Example {
        topic: "the same ko two turns later",
        saved: "9 E5 D5 D6 C6 D4 C4 E7 B5 C5 G5 G6",
        tries: &[("D5", "the board is another one now, so White may retake")],
    },
    Example {
        topic: "suicide of a single stone",
        saved: "9 D5 A1 E6 B1 F5 C1 E4",
        tries: &[("E5", "dies at once and leaves the board as it was"), ("pass", "always legal")],
    },
    Example {
        topic: "suicide of several stones",
        saved: "9 A3 A1 B2 J9 B1",
        tries: &[("A2", "both white stones die; the board is a new one, so it is legal")],
    },
    Example {
        topic: "the last pass",
        saved: "9 E5 pass",
        tries: &[
            ("pass", "the second in a row: Black owns the whole board and wins"),
            ("C3", "the game goes on"),
        ],
    },
];
