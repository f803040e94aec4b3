//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

/// The card. Times are left out: an operator may set others, and `deadline_utc` is the one that counts.
pub(super) fn rules_card() -> Value {
    json!({
        "game": "chess",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 is White and begins, p1 is Black.",
        "notation": "UCI, lower case: from-square, to-square (e2e4); a promotion adds q, r, b or n (e7e8q); \
                     castling is the king's move (e1g1); en passant is the pawn's move to the empty square.",
        "refused": "SAN (Nf3), O-O, e1h1, upper case, a promotion without its letter.",
        "choose": "One entry of legal_moves, by its notation or as { index }. legal_moves is complete, sorted by \
                   notation, and holds for this turn_index only.",
        "wins": "Checkmate, also on the hundredth half-move.",
        "draws": "Automatic, never claimed: stalemate, fifty moves (100 half-moves without capture or pawn move), \
                  third occurrence of a position, insufficient material.",
        "draw_offer": "draw_offer: true with a move; it stands for the opponent's next turn, who answers with \
                       draw_accept: true or declines by moving.",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and is \
                          a strike.",
        "deadline": "After deadline_utc a random legal move is played and is a strike. A side clock that runs out \
                     loses.",
        "strikes": "The third in a game forfeits it.",
        "guide": "/api/howto/chess",
    })
}
