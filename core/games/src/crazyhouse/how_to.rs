//! What the rules card and the guide say of crazyhouse.

use crate::chess_family::words::{
    BY_INDEX, BY_THE_ROOM, CASTLING, CHECKMATE, EN_PASSANT, ONE_WAY, PROMOTION, SQUARES,
};
use crate::chess_family::{Card, Guide};
use crate::guide::Example;
use serde_json::json;

/// The lines of the rules card.
pub(super) const CARD: Card = Card {
    notation: "UCI, lower case: from-square, to-square (e2e4); a promotion adds q, r, b or n (e7e8q); castling is the \
               king's move (e1g1). A drop is the upper case letter of the piece, @ and the square: N@f3, P@e4, for \
               Black too.",
    refused: "SAN (Nf3, @e4), n@f3, O-O, e1h1, upper case squares, a promotion without its letter.",
    special: Some(
        "A piece that you capture goes into your pocket in your colour; instead of moving you may drop one on an empty \
         square, also with check or mate. No pawn is dropped on the first or the last rank. A promoted piece (~ in the \
         FEN) becomes a pawn again when captured.",
    ),
    wins: "Checkmate.",
    draws: "Automatic, never claimed: stalemate (also no legal drop), third occurrence of a position with the same \
            pockets, 1,000 turns (each player's move is one). No fifty-move rule, no insufficient material.",
};

pub(super) fn guide() -> Guide {
    Guide {
        name: "crazyhouse",
        pattern: "^([a-h][1-8][a-h][1-8][qrbn]?|[QRBN]@[a-h][1-8]|P@[a-h][2-7])$",
        notation: &[
            SQUARES,
            PROMOTION,
            "A drop is the upper case letter of the piece (Q, R, B, N or P), @ and the square, for Black too: N@f3, P@e4. \
             The letter of the pawn is written.",
            CASTLING,
            EN_PASSANT,
            ONE_WAY,
            BY_INDEX,
        ],
        filtered: "check, pins, castling rights and what your pocket holds",
        special: json!({
            "pockets": "Every piece that you capture changes colour and goes into your pocket: view.public.pockets, and \
                        in brackets behind the board of the FEN, White's in upper case.",
            "drops": "Instead of moving a piece you may put one of your pocket on any empty square, also to give check or \
                      mate or to block a check. Pawns are not dropped on rank 1 or 8; a pawn dropped on its own second \
                      rank may move two squares. A dropped rook does not castle.",
            "promoted": "A promoted piece is marked with ~ in the FEN and listed in view.public.promoted. When it is \
                         captured it goes into the pocket as a pawn.",
        }),
        ends: "checkmate, automatic draw",
        ending: json!({
            "checkmate": CHECKMATE,
            "stalemate": "The side to move is not in check and can neither move nor drop: a draw.",
            "threefold_repetition": "The same position for the third time, not necessarily in a row: a draw, at once. Same \
                                     means: same pieces on the same squares, same promoted pieces, same pockets, same \
                                     side to move, same castling rights, and the same legal en passant capture.",
            "move_limit": "1,000 turns have been played, 500 by each side: a draw.",
            "not_here": "There is no fifty-move rule and no draw for lack of material.",
            "order": "If several hold at once, the reason is the first of checkmate, stalemate, threefold_repetition, \
                      move_limit.",
            "by_the_room": BY_THE_ROOM,
        }),
        examples: EXAMPLES,
        start: None,
        short_game: &["e2e4", "d7d5", "e4d5", "b8d7", "P@e6", "f7e6", "d5e6", "P@f5", "P@f7"],
    }
}

/// Every example, in the order in which a reader needs them.
const EXAMPLES: &[Example] = &[
    Example {
        topic: "drops",
        saved: "rnb1kbnr/ppp1pppp/8/8/8/8/PPPP1PPP/RNBQKBNR[QPp] w KQkq - 0 3",
        tries: &[
            ("P@e7", "a square that is not empty"),
            ("P@e4", "a pawn, with its letter"),
            ("Q@d6", "a queen"),
            ("@e4", "SAN leaves the letter of the pawn out"),
            ("p@e4", "lower case"),
            ("N@f3", "no knight in the pocket"),
            ("e2e4", "the square e2 is empty"),
            ("P@e1", "no pawn on the first rank, and the square is taken"),
        ],
    },
    Example {
        topic: "a drop that blocks a check",
        saved: "4k3/8/8/8/7b/8/8/4K3[N] w - - 0 30",
        tries: &[
            ("N@f2", "between the bishop and the king"),
            ("N@d4", "the check would remain"),
            ("e1d1", "the king may step aside"),
        ],
    },
    Example {
        topic: "capturing a promoted piece",
        saved: "3Q~k3/8/8/8/8/8/8/4K3[] b - - 0 40",
        tries: &[("e8d8", "the queen was a pawn, and a pawn goes into the pocket")],
    },
    Example {
        topic: "castling",
        saved: "r3k2r/pppq1ppp/2n2n2/8/8/2N2N2/PPPQ1PPP/R3K2R[] w KQkq - 0 10",
        tries: &[
            ("e1g1", "kingside: the king's move"),
            ("O-O", "the word for people"),
            ("e1h1", "the king on its own rook"),
        ],
    },
    Example {
        topic: "promotion",
        saved: "1n2k3/P7/8/8/8/8/6p1/4K3[] w - - 0 40",
        tries: &[
            ("a7a8q", "to a queen, marked with ~"),
            ("a7b8r", "with a capture"),
            ("a7a8", "the letter is missing"),
        ],
    },
];
