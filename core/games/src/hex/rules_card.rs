//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

/// The card. Times are left out: an operator may set others, and `deadline_utc` is the one that counts.
pub(super) fn rules_card() -> Value {
    json!({
        "game": "hex",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 has the stones x and begins, p1 has the stones o.",
        "notation": "The cell of the new stone: column letter from the left, row number from the top, lower case: c4. \
                     Or swap.",
        "choose": "One entry of legal_moves, by its notation or as { index }. legal_moves is complete, sorted by \
                   notation, and holds for this turn_index only.",
        "goal": "Join your two edges by a chain of neighbouring stones (connection): p0 the top and the bottom row, p1 \
                 the left and the right column. There are no draws.",
        "board": "11 columns and rows, in the variant small 7. Neighbours of column c, row r: the cells beside, above and \
                  below it, and the upper right and lower left one; b2 touches a2 c2 b1 b3 c1 a3.",
        "swap": "Only as p1's first move: p0's stone on column i, row j goes, a stone of p1 comes to column j, row i; p0 \
                 is to move.",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and is \
                          a strike.",
        "deadline": "After deadline_utc a random legal move is played and is a strike.",
        "strikes": "The third in a game forfeits it.",
        "guide": "/api/howto/hex",
    })
}
