//! What the rules card and the guide say of atomic chess.

use crate::chess_family::words::{
    BY_INDEX, BY_THE_ROOM, CASTLING, CHECKMATE, EN_PASSANT, FIFTY_MOVES, ONE_WAY, PROMOTION, SQUARES,
    STALEMATE, THREEFOLD_REPETITION,
};
use crate::chess_family::{Card, Guide};
use crate::guide::Example;
use serde_json::json;

/// The lines of the rules card.
pub(super) const CARD: Card = Card {
    notation: "UCI, lower case: from-square, to-square (e2e4); a promotion adds q, r, b or n (e7e8q); castling is the \
               king's move (e1g1); en passant is the pawn's move to the empty square.",
    refused: "SAN (Nf3), O-O, e1h1, upper case, a promotion without its letter.",
    special: Some(
        "A capture explodes: the captured piece, the capturing one, and every piece but pawns on the eight squares around \
         leave the board, of either colour. Kings may not capture, and no move may explode your own king. Exploding the \
         other king wins at once, also out of check. Kings may stand side by side, and then there is no check.",
    ),
    wins: "Explosion of the other king, or checkmate.",
    draws: "Automatic, never claimed: stalemate, fifty moves (100 half-moves without capture or pawn move), third \
            occurrence of a position, insufficient material.",
};

pub(super) fn guide() -> Guide {
    Guide {
        name: "atomic chess",
        pattern: "^[a-h][1-8][a-h][1-8][qrbn]?$",
        notation: &[SQUARES, PROMOTION, CASTLING, EN_PASSANT, ONE_WAY, BY_INDEX],
        filtered: "check, pins, castling rights and explosions of your own king",
        special: json!({
            "explosion": "A capture, en passant too, removes the captured piece, the capturing piece (also a pawn) and all \
                          pieces but pawns on the eight squares around the square of arrival, of both colours. Castling \
                          rights go with rooks and kings.",
            "kings": "A king may not capture, since it would explode. A move that explodes your own king is illegal, also \
                      one that explodes both. Kings may stand next to each other; while they do, neither is in check, \
                      because a king beside the captured one would explode with it.",
            "check": "A side in check must end the check, put its king next to the other king, or explode the other king.",
        }),
        ends: "explosion of a king, checkmate, automatic draw",
        ending: json!({
            "explosion": "A king has exploded: its side loses at once. Comes before everything else.",
            "checkmate": CHECKMATE,
            "stalemate": STALEMATE,
            "fifty_moves": FIFTY_MOVES,
            "threefold_repetition": THREEFOLD_REPETITION,
            "insufficient_material": "A draw, at once, if neither side can win any more: bare kings; a king and one knight, \
                                      bishop or rook against a bare king; two knights against a bare king; kings and \
                                      bishops that cannot explode each other.",
            "order": "If several hold at once, the reason is the first of explosion, checkmate, stalemate, fifty_moves, \
                      threefold_repetition, insufficient_material.",
            "by_the_room": BY_THE_ROOM,
        }),
        examples: EXAMPLES,
        start: None,
        short_game: &["g1f3", "f7f6", "f3d4", "g8h6", "d4e6", "a7a6", "e6d8"],
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
            ("0000", "a null move; atomic chess has no pass"),
        ],
    },
    Example {
        topic: "a capture explodes",
        saved: "r1bqkbnr/pppppppp/2n5/8/3N4/8/PPPPPPPP/RNBQKB1R w KQkq - 2 2",
        tries: &[
            ("d4c6", "both knights go, and nothing else: pawns around stay"),
            ("d4e6", "next to the pawns of the king"),
        ],
    },
    Example {
        topic: "exploding the other king, also out of check",
        saved: "rnb1kbnr/pppp1ppp/4p3/6N1/7q/8/PPPPP1PP/RNBQKB1R w KQkq - 0 5",
        tries: &[
            ("g5f7", "the king on e8 stands beside f7 and explodes; the check does not matter"),
            ("a2a3", "the check remains"),
            ("g2g3", "ends the check"),
        ],
    },
    Example {
        topic: "kings do not capture, and may stand side by side",
        saved: "8/8/8/8/8/3k4/3p4/4K2R w K - 0 50",
        tries: &[
            ("e1d2", "a capture by the king would explode it"),
            ("e1e2", "next to the other king: no check there"),
        ],
    },
    Example {
        topic: "a capture beside your own king",
        saved: "4k3/8/8/8/8/8/4r3/3QK3 w - - 0 30",
        tries: &[
            ("d1e2", "your own king would explode"),
            ("e1f1", "the king may not capture, but it may step aside"),
        ],
    },
    Example {
        topic: "en passant",
        saved: "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        tries: &[
            ("e5f6", "explodes on f6, and the knight beside it goes too"),
            ("e5f5", "the square of the captured pawn"),
        ],
    },
    Example {
        topic: "promotion",
        saved: "1n2k3/P7/8/8/8/8/6p1/4K3 w - - 0 40",
        tries: &[
            ("a7a8q", "to a queen"),
            ("a7b8q", "with a capture: the new queen explodes"),
            ("a7a8", "the letter is missing"),
        ],
    },
];
