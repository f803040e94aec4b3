//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

pub(super) fn rules_card() -> Value {
    json!({
        "game": "liars_dice",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 and p1 (standard) or p0 to p3 (four), bidding in seat order. p0 begins the first round, \
                  the loser of a round the next one (if out, the next player in order).",
        "notation": "A bid is quantity, x, face: 3x5 says that at least three dice of all players show five. \
                     liar challenges the bid before it.",
        "choose": "One entry of legal_moves, by its notation or as { index }. A higher bid has a greater \
                   quantity with any face, or the same quantity and a higher face. The first action of a round \
                   is a bid.",
        "wild": "Sixes count for every face; a bid on sixes counts sixes alone.",
        "challenge": "All dice are shown. If the bid holds the challenger loses a die, else the bidder does. \
                      Then all roll again.",
        "goal": "Be the last with dice. Places by order of elimination; points are dice left.",
        "hidden": "private.dice are your dice.",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and \
                          is a strike.",
        "deadline": "After deadline_utc a random legal move is played and is a strike.",
        "strikes": "The third in a game forfeits it; while two others remain, they play on.",
        "guide": "/api/howto/liars_dice",
    })
}
