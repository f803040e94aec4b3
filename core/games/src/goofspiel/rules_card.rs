//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

pub(super) fn rules_card() -> Value {
    json!({
        "game": "goofspiel",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 and p1 (standard), p0 to p2 (three) or p0 to p3 (four). All bid at the same time.",
        "notation": "The number of a card in your hand, 1 to 13.",
        "choose": "One entry of legal_moves, by its notation or as { index }. Each player begins with the \
                   cards 1 to 13 and bids each of them once.",
        "scoring": "The highest bid takes the prize and scores its value. If several bid the highest, nobody \
                    gets the prize. All bids are used up.",
        "prizes": "1 to 13, one for each of 13 turns, in a random order. Only the present prize is known.",
        "goal": "More points than anybody else. The same number for all is a draw.",
        "sealed": "Bids are shown when all are in.",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and \
                          is a strike.",
        "deadline": "After deadline_utc a random card is bid for you and is a strike.",
        "strikes": "The third in a game forfeits it; while two others remain, they play on.",
        "guide": "/api/howto/goofspiel",
    })
}
