//! What the rules card and the guide say of antichess.

use crate::chess_family::words::{
    BY_INDEX, BY_THE_ROOM, EN_PASSANT, FIFTY_MOVES, ONE_WAY, SQUARES, THREEFOLD_REPETITION,
};
use crate::chess_family::{Card, Guide};
use crate::guide::Example;
use serde_json::json;

/// The lines of the rules card.
pub(super) const CARD: Card = Card {
    notation: "UCI, lower case: from-square, to-square (e2e4); a promotion adds q, r, b, n or k (e7e8k); en passant is the \
               pawn's move to the empty square.",
    refused: "SAN (Nf3), upper case, a promotion without its letter, any other move while you can capture.",
    special: Some(
        "If you can capture, you must; which capture is your choice. The king is an ordinary piece: no check, no mate, no \
         castling, and it may be captured. En passant is a capture too.",
    ),
    wins: "Being without pieces, or without a legal move (stalemate), on your own turn.",
    draws: "Automatic, never claimed: fifty moves (100 half-moves without capture or pawn move), third occurrence of a \
            position. Not for lack of material.",
};

pub(super) fn guide() -> Guide {
    Guide {
        name: "antichess",
        pattern: "^[a-h][1-8][a-h][1-8][qrbnk]?$",
        notation: &[
            SQUARES,
            "A promotion appends q, r, b, n or k in lower case, for Black too: e7e8q, a2a1k. Without the letter it is \
             illegal, and no other move may carry one.",
            EN_PASSANT,
            ONE_WAY,
            BY_INDEX,
        ],
        filtered: "forced captures",
        special: json!({
            "captures": "While any capture is possible, only captures are legal, en passant among them. Which one is free.",
            "kings": "The king moves as in chess but is an ordinary piece: there is no check and no checkmate, it may be \
                      captured, a side may have none or several, and nobody castles.",
            "goal": "To lose everything: a side that is to move and has no piece left, or no legal move, wins.",
        }),
        ends: "a side without pieces or moves, automatic draw",
        ending: json!({
            "no_pieces": "The side to move has no piece left: it wins.",
            "stalemate": "The side to move has pieces but no legal move: it wins.",
            "fifty_moves": FIFTY_MOVES,
            "threefold_repetition": THREEFOLD_REPETITION,
            "not_here": "There is no draw for lack of material.",
            "order": "If several hold at once, the reason is the first of no_pieces, stalemate, fifty_moves, \
                      threefold_repetition.",
            "by_the_room": BY_THE_ROOM,
        }),
        examples: EXAMPLES,
        start: None,
        short_game: &SHORT_GAME,
    }
}

/// The moves of the worked example: White gives everything away.
const SHORT_GAME: [&str; 34] = [
    "f2f4", "b8a6", "b2b4", "a6b4", "a2a4", "b4c2", "d1c2", "a7a5", "c2c7", "d8c7", "d2d3", "c7c1", "d3d4",
    "c1e1", "b1a3", "e1a1", "a3b5", "a1f1", "g1h3", "f1e2", "h1e1", "e2e1", "h3f2", "e1f2", "b5a7", "a8a7",
    "g2g3", "f2d4", "g3g4", "d4f4", "g4g5", "f4g5", "h2h4", "g5h4",
];

/// Every example, in the order in which a reader needs them.
const EXAMPLES: &[Example] = &[
    Example {
        topic: "a forced capture",
        saved: "rnbqkbnr/p1pppppp/8/1p6/8/4P3/PPPP1PPP/RNBQKBNR w - - 0 2",
        tries: &[
            ("f1b5", "the only capture"),
            ("g1f3", "no other move while a capture is possible"),
            ("Bxb5", "SAN"),
        ],
    },
    Example {
        topic: "kings are ordinary pieces",
        saved: "8/8/8/3k4/8/3K4/8/7r w - - 0 40",
        tries: &[("d3d4", "next to the other king"), ("d3e3", "kings may also step aside")],
    },
    Example {
        topic: "promotion",
        saved: "8/P7/8/8/8/8/7p/8 w - - 0 40",
        tries: &[
            ("a7a8k", "to a king"),
            ("a7a8q", "to a queen"),
            ("a7a8", "the letter is missing"),
            ("a7a8K", "an upper case letter"),
        ],
    },
    Example {
        topic: "en passant is forced too",
        saved: "8/8/8/3pP3/8/8/8/7R w - d6 0 40",
        tries: &[("e5d6", "the only capture"), ("h1h2", "no other move while a capture is possible")],
    },
    Example {
        topic: "no piece left, and no move left",
        saved: "8/8/8/8/8/8/1p6/R7 w - - 0 40",
        tries: &[
            ("a1c1", "Black must capture the rook, and then White has no piece left and wins"),
            ("a1b1", "Black has no legal move and wins at once"),
        ],
    },
];
