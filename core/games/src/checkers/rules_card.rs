//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

/// The card. Times are left out: an operator may set others, and `deadline_utc` is the one that counts.
pub(super) fn rules_card() -> Value {
    json!({
        "game": "checkers",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 is Black (squares 1-12) and begins, p1 is White (squares 21-32). Black's men go to higher numbers, \
                  White's to lower ones.",
        "notation": "PDN: a step 11-15; a capture with every square touched 22x15x8.",
        "choose": "One entry of legal_moves, by its notation or as { index }. legal_moves is complete, sorted by \
                   notation (as text), and holds for this turn_index only.",
        "capture": "If you can capture you must, any capture you like, and go on jumping with the same piece as long as \
                    it can. Jumped pieces leave the board after the whole move; none is jumped twice.",
        "kings": "A man that reaches the last row becomes a king and its move ends. Kings move and capture one square \
                  forwards and backwards.",
        "goal": "Who has no legal move on its turn loses, with or without pieces.",
        "draws": "Automatic: 80 turns in a row without a capture or a move of a man; third occurrence of a position with \
                  the same player to move.",
        "draw_offer": "draw_offer: true with a move; it stands for the opponent's next turn, who accepts with \
                       draw_accept or draw_offer: true and declines with any other move.",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and is \
                          a strike.",
        "deadline": "After deadline_utc a random legal move is played and is a strike.",
        "strikes": "The third in a game forfeits it.",
        "guide": "/api/howto/checkers",
    })
}
