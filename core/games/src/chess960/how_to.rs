//! What the rules card and the guide say of Chess960.

use crate::chess_family::words::{
    AUTOMATIC_DRAWS, BY_INDEX, BY_THE_ROOM, CHECKMATE, EN_PASSANT, FIFTY_MOVES, INSUFFICIENT_MATERIAL,
    ONE_WAY, ORDER, PROMOTION, SQUARES, STALEMATE, THREEFOLD_REPETITION,
};
use crate::chess_family::{Card, Guide};
use crate::guide::Example;
use serde_json::json;

/// The lines of the rules card.
pub(super) const CARD: Card = Card {
    notation: "UCI, lower case: from-square, to-square (e2e4); a promotion adds q, r, b or n (e7e8q); castling is the \
               king's square and its rook's square (e1h1, f1b1); en passant is the pawn's move to the empty square.",
    refused: "SAN (Nf3), O-O, castling by the king's destination, upper case, a promotion without its letter.",
    special: Some(
        "The back rows are drawn at the start, the same for both sides, bishops on both colours, king between the \
         rooks. Castling ends with king and rook on g and f (with the h-side rook) or on c and d (with the a-side rook).",
    ),
    wins: "Checkmate, also on the hundredth half-move.",
    draws: AUTOMATIC_DRAWS,
};

pub(super) fn guide() -> Guide {
    Guide {
        name: "Chess960",
        pattern: "^[a-h][1-8][a-h][1-8][qrbn]?$",
        notation: &[
            SQUARES,
            PROMOTION,
            "Castling is the king's square and the square of the rook it castles with: e1h1, b1a1, g8h8. It is written \
             so in every position, also in that of ordinary chess. Neither O-O nor the king's destination (e1g1).",
            EN_PASSANT,
            ONE_WAY,
            BY_INDEX,
        ],
        filtered: "check, pins and castling rights",
        special: json!({
            "start": "An event chance before the first turn draws one of 960 start positions; its outcome is the number \
                      of the position by Scharnagl's table, and 518 is that of ordinary chess. Until then state_string \
                      is unset. Pawns stand as in chess; the pieces stand alike for both sides, one bishop on a light \
                      and one on a dark square, the king between the rooks.",
            "castling": "A king castles with either rook that has not moved, if it has not moved itself. Afterwards king \
                         and rook stand as in chess: on g and f after castling with the rook on the h-side, on c and d \
                         after castling with the one on the a-side. All squares that king or rook passes or ends on must \
                         be empty but for the two of them; the king may not be in check, pass or end on an attacked \
                         square. King or rook may stay where it is.",
            "fen": "Castling rights are K, Q, k, q for the outermost rook on that side of the king; where a rook stands \
                    further out than the one that may castle, the letter is the file of that rook (A-H, a-h).",
        }),
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
        start: Some(518),
        short_game: &[
            "e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "d7d6", "e1h1", "c8g4", "b1c3", "c6d4", "f3e5", "g4d1",
            "c4f7", "e8e7", "c3d5",
        ],
    }
}

/// Every example, in the order in which a reader needs them.
const EXAMPLES: &[Example] = &[
    Example {
        topic: "ways of writing that are refused",
        saved: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        tries: &[
            ("g1f3", "from-square and to-square"),
            ("Nf3", "SAN"),
            ("E2E4", "upper case"),
            ("e2e5", "well written, but no pawn moves like that"),
            ("0000", "a null move; Chess960 has no pass"),
        ],
    },
    Example {
        topic: "castling from the king's usual square",
        saved: "r3k2r/pppq1ppp/2n2n2/8/8/2N2N2/PPPQ1PPP/R3K2R w KQkq - 0 10",
        tries: &[
            ("e1h1", "with the rook on h1: king to g1, rook to f1"),
            ("e1a1", "with the rook on a1: king to c1, rook to d1"),
            ("e1g1", "the king's destination"),
            ("O-O", "the word for people"),
        ],
    },
    Example {
        topic: "castling in which the king stays where it is",
        saved: "4k3/8/8/8/8/8/8/R5KR w KQ - 0 20",
        tries: &[
            ("g1h1", "only the rook moves, to f1"),
            ("g1a1", "the king goes to c1, the rook to d1"),
            ("g1g1", "no move is written like that"),
        ],
    },
    Example {
        topic: "castling and a step of the king that end on the same square",
        saved: "4k3/8/8/8/8/8/8/1R3K1R w KQ - 0 20",
        tries: &[
            ("f1h1", "castling: king to g1, rook to f1"),
            ("f1g1", "only the king moves, and the right to castle is lost"),
            ("f1b1", "castling: king to c1, rook to d1"),
            ("f1c1", "the king cannot reach c1 in one step, and castling is not written so"),
        ],
    },
    Example {
        topic: "castling with the inner of two rooks",
        saved: "4k3/8/8/8/8/8/8/RR3K2 w B - 0 20",
        tries: &[
            ("f1b1", "the letter in the FEN says that this rook has its right"),
            ("f1a1", "the outer rook has none"),
        ],
    },
    Example {
        topic: "en passant",
        saved: "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        tries: &[
            ("e5f6", "to the empty square behind the pawn"),
            ("e5f5", "the square of the captured pawn"),
        ],
    },
    Example {
        topic: "promotion",
        saved: "1n2k3/P7/8/8/8/8/6p1/4K3 w - - 0 40",
        tries: &[
            ("a7a8q", "to a queen"),
            ("a7b8n", "with a capture, to a knight"),
            ("a7a8", "the letter is missing"),
        ],
    },
];
