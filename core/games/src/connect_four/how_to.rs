//! The how-to-play guide.

use super::CONNECT_FOUR;
use crate::STANDARD;
use crate::board_games::Guide;
use crate::guide::Example;
use hall_wire::json::Value;
use serde_json::json;

pub(super) fn how_to() -> Value {
    Guide {
        game: &CONNECT_FOUR,
        grammar: json!({
            "pattern": "^[1-7]$",
            "rules": [
                "A move is the number of a column, counted from the left: 1 to 7. Nothing else is written.",
                "The row is never written: the disc falls to the lowest empty cell of the column.",
                "A column with six discs is full and cannot be chosen. There is no pass.",
            ],
            "state_string": "Six rows from the top joined by /, in each row x for p0, o for p1 and a digit for that many \
                             empty cells in a row; then a space and x or o, who is to move.",
        }),
        ending: json!({
            "four_in_line": "The player whose disc completes four or more in a row, a column or a diagonal wins at once.",
            "board_full": "The 42nd disc completes no line: a draw.",
        }),
        traps: &[
            "The rows of state_string and of public.board come from the top; the rows of board_text are numbered from \
             the bottom.",
            "A digit in state_string is a number of empty cells, not a column.",
            "A move changes which cell of its column is reached next: look at the cell above your disc, too.",
        ],
        examples: EXAMPLES,
        worked_example: (STANDARD, "4 5 5 6 6 4 6 7 7 7 7"),
    }
    .write()
}

/// Every example, in the order in which a reader needs them.
pub(super) const EXAMPLES: &[Example] = &[
    Example {
        topic: "ways of writing",
        saved: "7/7/7/7/7/7 x",
        tries: &[
            ("4", "the column"),
            ("d", "a letter"),
            ("column 4", "words"),
            ("d1", "a cell"),
            ("0", "columns are counted from 1"),
            ("8", "there are seven columns"),
            ("pass", "there is no pass"),
        ],
    },
    Example {
        topic: "a full column",
        saved: "3o3/3x3/3o3/3x3/3o3/3x3 x;4",
        tries: &[("4", "six discs are in it"), ("3", "another column")],
    },
    Example {
        topic: "a line of four",
        saved: "7/7/7/5xo/3oxxx/3xooo x;7",
        tries: &[("7", "completes a diagonal line"), ("5", "the game goes on")],
    },
    Example {
        topic: "the last cell",
        saved: "oxxxoo1/xooxxox/xxxooxo/oooxxoo/xxooxox/xoxxoox o;7",
        tries: &[("7", "the board is full and nobody has a line")],
    },
];
