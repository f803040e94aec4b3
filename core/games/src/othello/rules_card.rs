//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

/// The card. Times are left out: an operator may set others, and `deadline_utc` is the one that counts.
pub(super) fn rules_card() -> Value {
    json!({
        "game": "othello",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 is Black (X) and begins, p1 is White (O).",
        "notation": "The cell of the new disc: column letter a-h from the left, row number 1-8 from the top, lower case: \
                     d3. Or pass.",
        "choose": "One entry of legal_moves, by its notation or as { index }. legal_moves is complete, sorted by \
                   notation, and holds for this turn_index only.",
        "goal": "The most discs at the end (more_discs). The game ends when neither player can place a disc.",
        "placing": "A disc must flank at least one disc of the opponent: in a row, column or diagonal, opponent's discs \
                    without a gap between the new disc and another one of yours. All flanked discs turn over.",
        "pass": "Legal exactly if you can place no disc; then it is your only move.",
        "points": "Discs; empty cells go to the winner; 32 each in a draw (equal_discs).",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and is \
                          a strike.",
        "deadline": "After deadline_utc a pass is played where it is legal, else a random legal move; a strike.",
        "strikes": "The third in a game forfeits it.",
        "guide": "/api/howto/othello",
    })
}
