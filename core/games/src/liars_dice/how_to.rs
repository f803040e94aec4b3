//! The how-to-play guide, with a game that the code plays when the guide is requested.

use super::rules_card::rules_card;
use super::{DEFAULT_ACTION, LIARS_DICE, RULESET_VERSION};
use crate::guide::nature::{draw_offers, penalties, phases, turn};
use crate::guide::{Example, Extent, play_example};
use crate::{Game as _, Position};
use alloc::vec::Vec;
use hall_wire::json::Value;
use hall_wire::{Notation, Player};
use serde_json::json;

pub(super) fn how_to() -> Value {
    json!({
        "game": "liars_dice",
        "ruleset_version": RULESET_VERSION,
        "rules_card": rules_card(),
        "grammar": grammar(),
        "state_string": {
            "form": "dice 5,5,4,0 bid 3x5 by p2 to p0",
            "dice": "dice left by seat",
            "bid": "the last bid of the round and who made it; - before the first",
            "to": "who is to move; - while the dice are to be rolled",
            "unset": "the whole text before the first roll",
        },
        "turn": turn(),
        "phases": phases("It rolls the dice of all players at the beginning of a round."),
        "ending": ending(),
        "penalties": penalties(DEFAULT_ACTION),
        "draw_offers": draw_offers(),
        "traps": traps(),
        "examples": EXAMPLES.iter().filter_map(|example| example.play(&LIARS_DICE)).collect::<Vec<_>>(),
        "worked_example": worked_example(),
    })
}

fn grammar() -> Value {
    json!({
        "pattern": "^([1-9]|1[0-9]|20)x[1-6]$|^liar$",
        "rules": [
            "A bid is its quantity, a lower case x and its face: 3x5. No spaces, no leading zeros.",
            "The quantity is at most the number of dice that all players have left together.",
            "A bid is higher than the last one if its quantity is greater (with any face), or if the quantity \
             is the same and the face is higher: after 3x5 come 3x6 and 4x1, not 2x6 and not 3x5.",
            "liar challenges the last bid. It is not legal before the first bid of a round.",
            "Instead of a string, { \"index\": n } names an entry of the legal_moves of this very turn.",
        ],
        "legal_moves": "Complete, sorted by notation as ASCII text (10x1 comes before 1x1), index counting \
                        from 0; empty unless you are to move.",
    })
}

fn ending() -> Value {
    json!({
        "round": "A challenge ends the round, and all dice are shown. Dice that show the face and dice that \
                  show six are counted. At least as many as the bid says: the challenger loses a die. Fewer: \
                  the bidder does.",
        "last_with_dice": "Who has no dice left is out. The last player with dice wins.",
        "places": "With four players: the last one in is first, the others follow in reverse order of elimination.",
        "by_the_room": "resignation, clock, strikes, adjudicated, agreement (two seats only), aborted (nobody wins). \
                        With four seats a player who resigns or forfeits is replaced by random moves while two \
                        others play on.",
    })
}

fn traps() -> Value {
    json!([
        "Sixes count for every bid: 3x5 counts fives and sixes. 3x6 counts sixes alone.",
        "The dice of the opponents are rolled anew each round. What was shown says nothing about the next round.",
        "Fewer dice in the game make every quantity less likely.",
        "After the highest possible bid, only liar is legal.",
        "You are asked about the last bid only. Who challenges takes it on alone.",
    ])
}

pub(super) const EXAMPLES: &[Example] = &[
    Example {
        topic: "the first action of a round",
        saved: "standard;13356/22344",
        tries: &[
            ("1x1", "the lowest bid"),
            ("10x6", "the highest bid: all ten dice are sixes"),
            ("11x1", "there are only ten dice"),
            ("liar", "there is no bid to challenge"),
            ("3 x 5", "spaces"),
            ("3X5", "upper case"),
            ("3x7", "no die has seven"),
        ],
    },
    Example {
        topic: "raising a bid",
        saved: "standard;13356/22344 2x3,3x5",
        tries: &[
            ("3x6", "the same quantity, a higher face"),
            ("4x1", "a greater quantity with any face"),
            ("3x5", "not higher"),
            ("3x4", "the same quantity, a lower face"),
            ("2x6", "a lower quantity"),
            ("liar", "p0 has a five and a six, p1 neither: two dice, so the bidder p1 loses a die"),
        ],
    },
    Example {
        topic: "a challenge of a bid that holds",
        saved: "standard;13356/22344 2x3",
        tries: &[("liar", "two threes, a three and a six: four dice, so the challenger p1 loses a die")],
    },
    Example {
        topic: "a bid on sixes",
        saved: "standard;13356/22346 2x6",
        tries: &[("liar", "exactly two sixes: the bid holds")],
    },
    Example {
        topic: "the last bid that is possible",
        saved: "standard;13356/22346 10x6",
        tries: &[("liar", "the only legal move"), ("10x6", "not higher")],
    },
];

/// How the players of the worked example choose: a low bid, then a higher one, then a challenge.
fn worked_example() -> Option<Value> {
    let game = LIARS_DICE.open("standard", 2).ok()?;
    let choose = |position: &dyn Position, turn: usize, player: Player| -> Option<Notation> {
        let legal = position.notations(player);
        match turn % 3 {
            0 => legal.iter().copied().find(|notation| notation.as_str().starts_with("1x"))?,
            1 => legal.iter().copied().find(|notation| notation.as_str() > "2x2")?,
            _ => *legal.last()?,
        }
        .into()
    };
    let mut played = play_example(game, Extent::Whole, &choose)?;
    played.as_object_mut()?.insert(
        "about".into(),
        "A whole game. nature is what everybody sees of an act of nature; nature_complete and private are \
         shown here only to explain."
            .into(),
    );
    Some(played)
}
