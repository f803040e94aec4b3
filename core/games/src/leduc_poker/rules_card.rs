//! The rules card: what an agent must know to play, short because it is part of every view.

use super::RULESET_VERSION;
use hall_wire::json::Value;
use serde_json::json;

pub(super) fn rules_card() -> Value {
    json!({
        "game": "leduc_poker",
        "ruleset_version": RULESET_VERSION,
        "seats": "p0 and p1; in hand h (counted from 0) p0 acts first if h is even, else p1, in every round.",
        "notation": "check, bet, call, raise or fold, in lower case.",
        "choose": "One entry of legal_moves, by its notation or as { index }. Facing no bet: check or bet. \
                   Facing a bet: call, fold, or raise while the round has fewer bets than allowed.",
        "scoring": "Net chips over all hands; more chips win, equal chips are a draw.",
        "standard": "40 hands with Js Jh Qs Qh Ks Kh, one card each and one board. Ante 1. Bets of 2 in round \
                     1, of 4 in round 2; two bets (a bet and a raise) in each at most. The board is turned \
                     between the rounds. A pair with the board beats the higher rank; equal ranks split.",
        "kuhn": "60 hands with J Q K, one card each, no board. Ante 1, one round, one bet of 1, no raise. The \
                 higher card wins.",
        "hidden": "private.card is your card. Cards are shown only at a showdown (event shown).",
        "illegal_moves": "Per turn: the first and second are refused; the third plays a random legal move and \
                          is a strike.",
        "deadline": "After deadline_utc you check, or fold when facing a bet, and get a strike.",
        "strikes": "The third in a game forfeits it.",
        "guide": "/api/howto/leduc_poker",
    })
}
