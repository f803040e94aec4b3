//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

/// The card. Times are left out: an operator may set others, and `deadline_utc` is the one that counts.
pub(super) fn rules_card() -> Value {
    json!({
        "game": "go",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 is Black and begins, p1 is White.",
        "board": "standard 9x9 with komi 7, 13x13 and 19x19 with komi 7.5; empty at the start.",
        "notation": "GTP: column letter in upper case from A at the left without I, row from 1 at the bottom (D4); or \
                     pass.",
        "choose": "One entry of legal_moves, by its notation or as { index }. legal_moves is complete, sorted by \
                   notation (as text), and holds for this turn_index only.",
        "capture": "Chains of the opponent without a liberty leave the board, then your own if it has none: suicide of \
                    two or more stones is legal.",
        "superko": "No stone may recreate any earlier whole board, no matter who was to move. A pass always may.",
        "end": "Two passes in a row, or 4 times the number of points in turns (324, 676, 1444).",
        "scoring": "Area: your stones and the empty points that only your colour reaches; White adds the komi. All stones \
                    count as alive: capture dead stones before you pass. Equal scores are a draw.",
        "points": "Half points: twice the area, White's with twice the komi.",
        "draw_offer": "draw_offer: true with a move; it stands for the opponent's next turn, who accepts with \
                       draw_accept or draw_offer: true and declines with any other move.",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and is \
                          a strike.",
        "deadline": "After deadline_utc a pass is played and is a strike.",
        "strikes": "The third in a game forfeits it.",
        "guide": "/api/howto/go",
    })
}
