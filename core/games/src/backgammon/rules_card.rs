//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

/// The card. Times are left out: an operator may set others, and `deadline_utc` is the one that counts.
pub(super) fn rules_card() -> Value {
    json!({
        "game": "backgammon",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 (X) and p1 (O). Each counts the points from its own side: it moves from its 24 to its 1 and off; \
                  p0's point n is p1's point 25-n. The higher die of the opening roll starts.",
        "notation": "One part for each checker moved, by your own points, the furthest first: from/to; points between \
                     only where it hits; * behind a hit; bar, off; equal parts once with (n): 24/18 13/11, bar/22*, \
                     8/5*/4, 6/off(2). pass is legal only where nothing can be played.",
        "choose": "One entry of legal_moves, by its notation or as { index }. It has one entry for each position that \
                   the dice can lead to, sorted by notation, and holds for this turn_index only.",
        "goal": "Bear off all 15 checkers first. Points: single 1, gammon 2 (the loser has borne off none), \
                 backgammon 3 (and has one on the bar or in your home); the loser gets them below zero.",
        "special": "Play both dice if possible, a double four times; else the higher die if possible. A lone checker \
                    can be hit; two block the point. The bar comes first. Bear off only with all in points 1-6. No \
                    doubling cube. A draw after 2000 turns (move_limit).",
        "dice": "Rolled for you before your turn: public.dice.",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and is a \
                          strike.",
        "deadline": "After deadline_utc a random legal move, or the pass, is played and is a strike.",
        "strikes": "The third in a game forfeits it, for 1 point, as resigning does.",
        "guide": "/api/howto/backgammon",
    })
}
