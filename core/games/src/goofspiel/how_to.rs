//! The how-to-play guide, with a game that the code plays when the guide is requested.

use super::rules_card::rules_card;
use super::{DEFAULT_ACTION, GOOFSPIEL, RULESET_VERSION};
use crate::guide::nature::{penalties, phases, turn_together};
use crate::guide::{Example, Extent, play_example};
use crate::{Game as _, Position};
use alloc::vec::Vec;
use hall_wire::Player;
use hall_wire::json::Value;
use serde_json::json;

pub(super) fn how_to() -> Value {
    json!({
        "game": "goofspiel",
        "ruleset_version": RULESET_VERSION,
        "rules_card": rules_card(),
        "grammar": grammar(),
        "state_string": {
            "form": "prize 7 left 1,2 hands p0 1,2,3 p1 4,5,6 points 40,36",
            "prize": "the prize that is bid for; - while nature is to act, and after the end",
            "left": "prizes that are not turned yet; - for none",
            "hands": "the cards of each player from before this turn; - for none",
            "points": "the prizes won so far, by seat",
            "unset": "the whole text before the shuffle",
        },
        "turn": turn_together(),
        "phases": phases("It shuffles the prizes at the start, and turns one before each turn."),
        "ending": ending(),
        "penalties": penalties(DEFAULT_ACTION),
        "traps": traps(),
        "examples": EXAMPLES.iter().filter_map(|example| example.play(&GOOFSPIEL)).collect::<Vec<_>>(),
        "worked_example": worked_example(),
    })
}

fn grammar() -> Value {
    json!({
        "pattern": "^([1-9]|1[0-3])$",
        "rules": [
            "A move is the number of a card that you still hold, without leading zeros: 7.",
            "There are no names of cards: 1 is the lowest (not an ace above the king), 13 the highest.",
            "You cannot pass, and you bid each card once.",
            "Instead of a string, { \"index\": n } names an entry of the legal_moves of this very turn.",
        ],
        "legal_moves": "Complete, sorted by notation as ASCII text (1, 10, 11, 12, 13, 2, …), index counting \
                        from 0; empty unless you are to move, and so also after you have bid.",
    })
}

fn ending() -> Value {
    json!({
        "more_points": "All 13 prizes are decided. Those with the most points win; there can be several \
                        winners where more than two play.",
        "equal_points": "All have the same number of points: a draw, unless a seat was vacated; then the others share \
                         first place.",
        "places": "With three or four players: by points. Equal points share the better place.",
        "by_the_room": "resignation, clock, strikes, adjudicated, aborted (nobody wins). With three or four seats a \
                        player who resigns or forfeits is replaced by random bids while two others play on. \
                        There are no draw offers.",
    })
}

fn traps() -> Value {
    json!([
        "The index of an entry is not the card: in a full hand index 1 is the card 10.",
        "A bid is lost whether it wins or not.",
        "If two players bid the highest card, the prize is discarded; the next lower bid does not get it.",
        "A prize is known only when it is turned, but public.left says which ones are to come.",
        "public.hands still shows a card that somebody has bid in this turn.",
    ])
}

pub(super) const EXAMPLES: &[Example] = &[
    Example {
        topic: "the first bid",
        saved: "2 7,1,13,2,3,4,5,6,8,9,10,11,12 0,0",
        tries: &[
            ("7", "as much as the prize"),
            ("13", "the highest card"),
            ("07", "a leading zero"),
            ("14", "no such card"),
            ("K", "the name of a card"),
            ("pass", "there is no pass"),
        ],
    },
    Example {
        topic: "a card that is gone",
        saved: "2 7,1,13,2,3,4,5,6,8,9,10,11,12 7,8 0,0",
        tries: &[("7", "bid in the first turn"), ("8", "the opponent has bid its own 8")],
    },
    Example {
        topic: "the last bid of a turn, as the rules see it",
        saved: "2 7,1,13,2,3,4,5,6,8,9,10,11,12 0,8",
        tries: &[
            ("9", "the highest bid: p0 scores 7"),
            ("8", "a tie: the prize is discarded"),
            ("6", "p1 scores 7"),
        ],
    },
    Example {
        topic: "three players: a tie for the highest bid",
        saved: "3 7,1,13,2,3,4,5,6,8,9,10,11,12 0,9,4",
        tries: &[("9", "nobody gets the prize, also not p2"), ("13", "p0 takes it")],
    },
    Example {
        topic: "the last turn",
        saved: "2 7,1,13,2,3,4,5,6,8,9,10,11,12 1,2 2,3 3,4 4,5 5,6 6,7 7,8 8,9 9,10 10,11 11,12 12,13 0,1",
        tries: &[("13", "the only card; the game is over")],
    },
];

/// The worked example: `p0` bids the middle of what it has, `p1` goes through its list.
fn worked_example() -> Option<Value> {
    let game = GOOFSPIEL.open("standard", 2).ok()?;
    let choose = |position: &dyn Position, turn: usize, player: Player| {
        let legal = position.notations(player);
        let place = if player.seat() == 0 { legal.len() / 2 } else { (turn * 5).checked_rem(legal.len())? };
        legal.get(place).copied()
    };
    let mut played = play_example(game, Extent::Whole, &choose)?;
    played.as_object_mut()?.insert(
        "about".into(),
        "A whole game. nature is what everybody sees of an act of nature; nature_complete, the order of all \
         prizes, is shown here only to explain. The moves of one turn are made without knowing each other."
            .into(),
    );
    Some(played)
}
