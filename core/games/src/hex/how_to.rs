//! The how-to-play guide.

use super::{HEX, SMALL};
use crate::board_games::Guide;
use crate::guide::Example;
use hall_wire::json::Value;
use serde_json::json;

pub(super) fn how_to() -> Value {
    Guide {
        game: &HEX,
        grammar: json!({
            "pattern": "^([a-k]([1-9]|1[01])|swap)$",
            "rules": [
                "A move is an empty cell: the column letter, from a at the left, and the row number, from 1 at the top, \
                 lower case: c4. The variant standard has columns a to k and rows 1 to 11, small has a to g and 1 to 7.",
                "swap is written out, lower case. It is legal only as the very first move of p1. p0's stone on column i, \
                 row j is removed, a stone of p1 comes to column j, row i (c5 becomes e3), and p0 is to move.",
                "Stones never move, and none is ever captured. There is no pass.",
                "A cell has up to six neighbours: left and right, above and below, upper right and lower left. The cells \
                 to the upper left and the lower right are no neighbours.",
            ],
            "state_string": "The rows from the top joined by /, in each row x for p0, o for p1 and a number for that many \
                             empty cells in a row (11 is eleven); then a space and x or o, who is to move; then swap, \
                             while a swap is legal.",
        }),
        ending: json!({
            "connection": "A chain of neighbouring stones of p0 joins the top and the bottom row, or one of p1 the left and \
                           the right column. The corners belong to both edges. A full board always has such a chain, so \
                           there is no draw.",
        }),
        traps: &[
            "The board is a rhombus: in board_text each row stands further to the right than the one above it. In \
             state_string and public.board the rows are not shifted.",
            "legal_moves is sorted as text: a10 and a11 come before a2.",
            "After a swap nobody changes seats or edges; only the stone changes.",
            "A strong first move is taken away by the swap.",
        ],
        examples: EXAMPLES,
        worked_example: (SMALL, "c5 swap d3 d2 e2 e1 f1 d4 c4 b5 c5 b6 c6 b7 c7"),
    }
    .write()
}

/// Every example, in the order in which a reader needs them.
pub(super) const EXAMPLES: &[Example] = &[
    Example {
        topic: "ways of writing",
        saved: "7/7/7/3x3/7/7/3o3 x;d7",
        tries: &[
            ("c4", "column letter and row number"),
            ("C4", "upper case"),
            ("c-4", "a hyphen"),
            ("4c", "the number first"),
            ("d4", "the cell is occupied"),
            ("h1", "beyond the edge of the small board"),
            ("pass", "there is no pass"),
        ],
    },
    Example {
        topic: "the swap",
        saved: "7/7/7/7/2x4/7/7 o swap;c5",
        tries: &[
            ("swap", "column and row are exchanged: the stone on c5 goes, one of yours comes to e3"),
            ("e3", "a move as usual; the stone on c5 stays"),
            ("c5", "the cell is occupied"),
            ("Swap", "an upper case letter"),
        ],
    },
    Example {
        topic: "no swap later",
        saved: "7/7/7/7/4o2/7/7 x;e5",
        tries: &[("swap", "only the first move of p1 can be a swap"), ("c3", "a move as usual")],
    },
    Example {
        topic: "neighbours and the end",
        saved: "4x2/3x3/3xo2/2xo3/2xo3/3o3/1ox1o2 x;d6",
        tries: &[
            ("c6", "touches c5 above and c7 below: the chain joins top and bottom"),
            ("b6", "touches c5 at its upper right, but not c7"),
        ],
    },
];
