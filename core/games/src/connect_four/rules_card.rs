//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

/// The card. Times are left out: an operator may set others, and `deadline_utc` is the one that counts.
pub(super) fn rules_card() -> Value {
    json!({
        "game": "connect_four",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 has the discs x and begins, p1 has the discs o.",
        "notation": "The column from the left: one digit, 1 to 7. The disc falls to the lowest empty cell of the column.",
        "choose": "One entry of legal_moves, by its notation or as { index }. legal_moves is complete, sorted by \
                   notation, and holds for this turn_index only. A full column is not in it.",
        "goal": "Four or more of your discs in a line (row, column or diagonal) win at once: four_in_line.",
        "draws": "42 discs without a line of four: board_full.",
        "board": "7 columns, 6 rows. state_string has the rows from the top, digits for empty cells, then who is to \
                  move.",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and is \
                          a strike.",
        "deadline": "After deadline_utc a random legal move is played and is a strike.",
        "strikes": "The third in a game forfeits it.",
        "guide": "/api/howto/connect_four",
    })
}
