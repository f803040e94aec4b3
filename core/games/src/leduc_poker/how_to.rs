//! The how-to-play guide, with hands that the code plays when the guide is requested.

use super::rules_card::rules_card;
use super::{DEFAULT_ACTION, LEDUC_POKER, RULESET_VERSION};
use crate::guide::nature::{draw_offers, penalties, phases, turn};
use crate::guide::{Example, Extent, play_example};
use crate::{Game as _, Position};
use alloc::vec::Vec;
use hall_wire::json::Value;
use hall_wire::{Notation, Player};
use serde_json::json;

pub(super) fn how_to() -> Value {
    json!({
        "game": "leduc_poker",
        "ruleset_version": RULESET_VERSION,
        "rules_card": rules_card(),
        "grammar": grammar(),
        "state_string": state_string(),
        "turn": turn(),
        "phases": phases("It shuffles the deck of a hand, or turns the board between two rounds."),
        "ending": ending(),
        "penalties": penalties(DEFAULT_ACTION),
        "draw_offers": draw_offers(),
        "traps": traps(),
        "examples": EXAMPLES.iter().filter_map(|example| example.play(&LEDUC_POKER)).collect::<Vec<_>>(),
        "worked_example": worked_example(),
    })
}

fn grammar() -> Value {
    json!({
        "pattern": "^(check|bet|call|raise|fold)$",
        "rules": [
            "A move is one word in lower case, without an amount: the sizes of all bets are fixed.",
            "Facing no bet: check or bet. Facing a bet: call or fold, and raise unless the round has had its \
             last bet (two in standard, a bet and a raise; one in kuhn, so kuhn has no raise).",
            "There is no check when facing a bet and no fold when facing none.",
            "Instead of a string, { \"index\": n } names an entry of the legal_moves of this very turn.",
        ],
        "legal_moves": "Complete, sorted by notation as ASCII text, index from 0; empty unless you are to move.",
    })
}

fn state_string() -> Value {
    json!({
        "form": "hand 3 round 2 board Qh pot 4,6 chips 5,-5 bets c,b to p1",
        "hand": "counted from 0",
        "round": "1 or 2",
        "board": "- until it is turned",
        "pot": "chips paid in this hand by p0 and p1, antes included",
        "chips": "net chips of p0 and p1 before this hand",
        "bets": "actions of this round: k check, b bet, c call, r raise, f fold; - for none",
        "to": "who is to move; - while nature is to act",
        "unset": "the whole text before the first shuffle",
    })
}

fn ending() -> Value {
    json!({
        "hand": "A fold loses what the player has paid in the hand. Otherwise, after the last round, both \
                 cards are shown: a pair with the board wins, else the higher rank (K, Q, J). The winner takes \
                 what the opponent has paid; at equal ranks nobody wins.",
        "more_chips": "All hands are played and the winner has won chips.",
        "equal_chips": "All hands are played and both stand at 0: a draw.",
        "by_the_room": "resignation, agreement, clock, strikes, adjudicated, aborted (nobody wins). points then count \
                        the hands that were over, and do not decide who wins.",
    })
}

fn traps() -> Value {
    json!([
        "A call in round 1 of standard does not end the hand: the board is turned and round 2 begins.",
        "The same player acts first in both rounds of a hand, also after a raise.",
        "K and Q lose to a J that is paired with the board.",
        "Suits decide nothing.",
        "A folded hand is never shown during the game. After the end, hidden in the replay shows all cards.",
        "Chips have no limit: a player far behind can bet as before.",
    ])
}

pub(super) const EXAMPLES: &[Example] = &[
    Example {
        topic: "facing no bet",
        saved: "standard QsKhJsJhKsQh:",
        tries: &[
            ("check", "p1 acts next"),
            ("bet", "a bet of 2 in round 1"),
            ("call", "there is nothing to call"),
            ("raise", "there is nothing to raise: the first bet is written bet"),
            ("fold", "there is no bet to fold to"),
            ("Bet", "upper case"),
            ("bet 2", "an amount"),
        ],
    },
    Example {
        topic: "facing a bet",
        saved: "standard QsKhJsJhKsQh:b",
        tries: &[
            ("call", "the round ends and nature turns the board"),
            ("raise", "a call of 2 and a raise by 2"),
            ("fold", "p1 loses its ante; its card stays hidden"),
            ("check", "a bet must be answered"),
        ],
    },
    Example {
        topic: "facing a raise",
        saved: "standard QsKhJsJhKsQh:br",
        tries: &[("raise", "a round has at most two bets"), ("call", "the round ends")],
    },
    Example {
        topic: "round 2: bets of 4, and a showdown",
        saved: "standard QsKhQhJhKsJs:kk/kb",
        tries: &[("call", "a pair of queens beats the king"), ("raise", "a call of 4 and a raise by 4")],
    },
    Example {
        topic: "kuhn: one bet, no raise",
        saved: "kuhn QKJ:kb",
        tries: &[
            ("call", "the king beats the queen"),
            ("raise", "kuhn has no raise"),
            ("fold", "p0 loses its ante"),
        ],
    },
];

/// What the players do in the first hands of the worked example; later they act as the hall does at a missed
/// deadline.
pub(super) const SCRIPT: [&str; 11] =
    ["check", "bet", "raise", "call", "check", "check", "bet", "fold", "bet", "call", "bet"];

fn worked_example() -> Option<Value> {
    let game = LEDUC_POKER.open("standard", 2).ok()?;
    let choose = |position: &dyn Position, turn: usize, player: Player| match SCRIPT.get(turn) {
        Some(word) => Notation::parse(word),
        None => position.default_action(player),
    };
    let mut played = play_example(game, Extent::Until(SCRIPT.len() + 1), &choose)?;
    played.as_object_mut()?.insert(
        "about".into(),
        "The first three hands of a match step by step, then the end after hands of checks and folds. nature \
         is what everybody sees of an act of nature; nature_complete and private are shown here only to \
         explain."
            .into(),
    );
    Some(played)
}
