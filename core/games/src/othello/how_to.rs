//! The how-to-play guide.

use super::OTHELLO;
use crate::STANDARD;
use crate::board_games::Guide;
use crate::guide::Example;
use hall_wire::json::Value;
use serde_json::json;

pub(super) fn how_to() -> Value {
    Guide {
        game: &OTHELLO,
        grammar: json!({
            "pattern": "^([a-h][1-8]|pass)$",
            "rules": [
                "A move is the cell of the new disc: the column letter, a to h from the left, and the row number, 1 to 8 \
                 from the top, lower case: d3. The discs that turn over are not written.",
                "pass is written out, lower case. It is legal exactly if you can place no disc, and then it is the only \
                 legal move.",
                "A disc may be placed on an empty cell if it flanks at least one disc of the opponent: in one of the eight \
                 directions one or more discs of the opponent follow without a gap, and behind them a disc of yours.",
                "All discs flanked by the new disc turn over, in every direction; you cannot leave one out. Discs that \
                 turned over flank nothing themselves in that move.",
            ],
            "state_string": "64 characters from a1 along the rows (a1 b1 … h1 a2 …): X for Black, O for White, - for an \
                             empty cell; then a space and X or O, who is to move.",
        }),
        ending: json!({
            "more_discs": "Neither player can place a disc, often because the board is full: the player with more discs \
                           wins. The empty cells count as points of the winner.",
            "equal_discs": "Neither player can place a disc and both have equally many: a draw, 32 points each.",
        }),
        traps: &[
            "Row 1 is at the top, unlike in chess.",
            "A cell beside a disc of the opponent is not enough: a disc of yours must stand behind it, in line.",
            "The game can end long before the board is full, at the latest when one player has no disc left.",
            "After a pass the same player may be to move twice: look at to_move, not at the number of moves.",
        ],
        examples: EXAMPLES,
        worked_example: (
            STANDARD,
            "f5 f6 e6 f4 f3 d3 g7 f7 f8 g4 c2 d2 h4 d6 c6 g6 h7 d7 d8 b2 b1 pass a2 pass d1",
        ),
    }
    .write()
}

/// Every example, in the order in which a reader needs them.
pub(super) const EXAMPLES: &[Example] = &[
    Example {
        topic: "ways of writing",
        saved: "---------------------------OX------XO--------------------------- X",
        tries: &[
            ("d3", "column letter and row number"),
            ("D3", "upper case"),
            ("3d", "the number first"),
            ("d-3", "a hyphen"),
            ("pass", "a disc can be placed, so nobody passes"),
        ],
    },
    Example {
        topic: "flanking",
        saved: "---------------------X-----OXO-----XXO------XO------------------ O;f3",
        tries: &[
            ("d6", "flanks discs in three directions"),
            ("e3", "discs of the opponent follow, but none of yours behind them"),
            ("h8", "no disc is near"),
            ("e6", "the cell is occupied"),
        ],
    },
    Example {
        topic: "a forced pass",
        saved: "-X-------OXO-------X-X-----XXXXX---XXX----XXXXX----X-XXX---X-X-- O;b1", // X is a black disc.
        tries: &[
            ("pass", "no disc can be placed"),
            ("a1", "flanks nothing"),
            ("Pass", "an upper case letter"),
        ],
    },
    Example {
        topic: "an end before the board is full",
        saved: "-X------XXXO-------X-X-----XXXXX---XXX----XXXXX----X-XXX---X-X-- X", // X is a black disc.
        tries: &[
            ("d1", "the last white disc turns over, so nobody can move"),
            ("pass", "a disc can be placed"),
        ],
    },
];
