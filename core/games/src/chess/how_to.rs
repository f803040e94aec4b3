//! What the rules card and the guide say of chess.

use crate::chess_family::words::{
    AUTOMATIC_DRAWS, BY_INDEX, BY_THE_ROOM, CASTLING, CHECKMATE, EN_PASSANT, FIFTY_MOVES,
    INSUFFICIENT_MATERIAL, ONE_WAY, ORDER, PROMOTION, SQUARES, STALEMATE, THREEFOLD_REPETITION,
};
use crate::chess_family::{Card, Guide};
use crate::guide::Example;
use hall_wire::json::Value;
use serde_json::json;

/// The lines of the rules card.
pub(super) const CARD: Card = Card {
    notation: "UCI, lower case: from-square, to-square (e2e4); a promotion adds q, r, b or n (e7e8q); castling is the \
               king's move (e1g1); en passant is the pawn's move to the empty square.",
    refused: "SAN (Nf3), O-O, e1h1, upper case, a promotion without its letter.",
    special: None,
    wins: "Checkmate, also on the hundredth half-move.",
    draws: AUTOMATIC_DRAWS,
};

pub(super) fn guide() -> Guide {
    Guide {
        name: "chess",
        pattern: "^[a-h][1-8][a-h][1-8][qrbn]?$",
        notation: &[SQUARES, PROMOTION, CASTLING, EN_PASSANT, ONE_WAY, BY_INDEX],
        filtered: "check, pins and castling rights",
        special: Value::Null,
        ends: "checkmate, automatic draw",
        ending: json!({
            "checkmate": CHECKMATE,
            "stalemate": STALEMATE,
            "fifty_moves": FIFTY_MOVES,
            "threefold_repetition": THREEFOLD_REPETITION,
            "insufficient_material": INSUFFICIENT_MATERIAL,
            "order": ORDER,
            "by_the_room": BY_THE_ROOM,
        }),
        examples: EXAMPLES,
        start: None,
        short_game: &SHORT_GAME,
    }
}

/// The moves of the worked example: mate on the seventh half-move.
const SHORT_GAME: [&str; 7] = ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"];

/// Every example, in the order in which a reader needs them.
const EXAMPLES: &[Example] = &[
    Example {
        topic: "ways of writing that are refused",
        saved: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        tries: &[
            ("g1f3", "from-square and to-square"),
            ("Nf3", "SAN"),
            ("e4", "SAN of a pawn move"),
            ("E2E4", "upper case"),
            ("e2-e4", "a hyphen"),
            ("e2e4q", "a promotion letter on a move that does not promote"),
            ("e2e5", "well written, but no pawn moves like that"),
            ("e7e5", "a piece of the opponent"),
            ("0000", "a null move; chess has no pass"),
        ],
    },
    Example {
        topic: "castling",
        saved: "r3k2r/pppq1ppp/2n2n2/8/8/2N2N2/PPPQ1PPP/R3K2R w KQkq - 0 10",
        tries: &[
            ("e1g1", "kingside: the king's move"),
            ("e1c1", "queenside: the king's move"),
            ("O-O", "the word for people"),
            ("e1h1", "the king on its own rook, as some engines write it"),
        ],
    },
    Example {
        topic: "castling that is not allowed now",
        saved: "4k3/8/8/8/1b3r2/8/P5PP/R3K2R w KQ - 4 20",
        tries: &[("e1g1", "the king stands in check"), ("e1e2", "a way out of the check")],
    },
    Example {
        topic: "en passant",
        saved: "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        tries: &[
            ("e5f6", "to the empty square behind the pawn that has just moved two squares"),
            ("e5d6", "that pawn moved two squares earlier, so the chance is gone"),
            ("exf6", "SAN"),
            ("e5f5", "the square of the captured pawn"),
        ],
    },
    Example {
        topic: "en passant that would expose the king",
        saved: "8/8/8/K2pP2r/8/8/8/7k w - - 0 50",
        tries: &[
            ("e5d6", "both pawns would leave the rank, so there is no such move and the FEN names no square"),
            ("e5e6", "the pawn may move on"),
        ],
    },
    Example {
        topic: "promotion",
        saved: "1n2k3/P7/8/8/8/8/6p1/4K3 w - - 0 40",
        tries: &[
            ("a7a8q", "to a queen"),
            ("a7a8n", "to a knight"),
            ("a7b8r", "with a capture, to a rook"),
            ("a7a8", "the letter is missing"),
            ("a7a8Q", "an upper case letter"),
            ("a7a8=q", "an equals sign"),
            ("a7a8k", "nobody promotes to a king"),
        ],
    },
    Example {
        topic: "promotion by Black, with the same lower case letters",
        saved: "4k3/8/8/8/8/8/p7/4K3 b - - 0 40",
        tries: &[("a2a1q", "to a queen, here with check"), ("a2a1", "the letter is missing")],
    },
    Example {
        topic: "a pinned piece",
        saved: "4r2k/8/8/8/8/8/4N3/4K3 w - - 0 30",
        tries: &[
            ("e2c3", "the knight shields its king and may not leave"),
            ("e1d1", "the king may step aside"),
        ],
    },
    Example {
        topic: "stalemate",
        saved: "7k/8/6K1/8/8/8/8/5Q2 w - - 10 60",
        tries: &[("f1f7", "Black has no move and is not in check: a draw at once"), ("f1f8", "checkmate")],
    },
    Example {
        topic: "the hundredth half-move",
        saved: "7k/8/6K1/8/8/8/8/R7 w - - 99 80",
        tries: &[
            ("a1a8", "checkmate comes before the fifty-move rule"),
            ("a1a7", "no capture, no pawn move, no mate: a draw at once"),
        ],
    },
];
