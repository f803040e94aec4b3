//! What may be bid, and how it is written.

use super::{Ascending, P0, P1, mover, notations, position, send};
use crate::Refused;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use hall_wire::Notation;

#[test]
fn a_bid_is_higher_than_the_last_and_at_most_on_all_dice() {
    // (position, number of legal moves, the first and the last of them)
    let table = [
        ("standard;13356/22344", 60, "10x1", "9x6"),
        ("standard;13356/22344 1x1", 60, "10x1", "liar"),
        ("standard;13356/22344 1x6", 55, "10x1", "liar"),
        ("standard;13356/22344 2x3,3x5", 44, "10x1", "liar"),
        ("standard;13356/22344 10x5", 2, "10x6", "liar"),
        ("standard;13356/22344 10x6", 1, "liar", "liar"),
        ("standard;13356/22344 3x5 2;13356/2234", 54, "1x1", "9x6"),
        ("four;11111/11111/11111/11111", 120, "10x1", "9x6"),
        ("four;11111/11111/11111/11111 19x6", 7, "20x1", "liar"),
    ];
    for (saved, count, first, last) in table {
        let moves = notations(&*position(saved));
        assert_eq!(
            (moves.len(), moves[0].as_str(), moves[count - 1].as_str()),
            (count, first, last),
            "{saved}"
        );
        assert!(moves.is_sorted(), "{saved}");
    }
    let moves = notations(&*position("standard;13356/22344 3x5"));
    for (text, is_legal) in
        [("3x6", true), ("4x1", true), ("3x5", false), ("3x4", false), ("2x6", false), ("liar", true)]
    {
        assert_eq!(moves.contains(&text.to_string()), is_legal, "{text}");
    }
}

#[test]
fn each_move_has_one_spelling_and_all_others_are_illegal() {
    let refused =
        "3X5 3x05 03x5 3x7 3x0 0x5 11x1 21x1 300x1 3x 3*5 3x5x 3-5 +3x5 3x+5 Liar LIAR bid pass 3x5.";
    for text in refused.split(' ').chain(["3 x 5"]) {
        let mut game = position("standard;13356/22344 1x2");
        assert_eq!(send(&mut *game, text), Err(Refused::Illegal), "{text}");
        assert_eq!(game.save(), "standard;13356/22344 1x2");
    }
    for (saved, text) in
        [("standard;13356/22344", "liar"), ("standard;13356/22344 3x5", "3x5"), ("standard", "1x1")]
    {
        assert_eq!(send(&mut *position(saved), text), Err(Refused::Illegal), "{text} in {saved}");
    }
    let early =
        position("standard;13356/22344").play(P1, &Notation::parse("1x1").unwrap(), &mut Ascending(0, 0));
    assert_eq!(early, Err(Refused::Illegal), "p0 bids first");
}

#[test]
fn a_legal_move_in_another_spelling_is_recognised() {
    let table = [
        ("3 X 5", Some("3x5")),
        ("3*5", Some("3x5")),
        ("03x05", Some("3x5")),
        ("bid 3 fives", Some("3x5")),
        ("3 six", Some("3x6")),
        ("Liar!", Some("liar")),
        ("dudo", Some("liar")),
        ("call", Some("liar")),
        ("challenge 3x3", Some("liar")),
        ("Challenge 3 threes!", Some("liar")),
        ("call 3 fives", Some("3x5")),
        ("3x5", None),
        ("liar", None),
        ("3x2", None),
        ("11x1", None),
        ("3x5x6", None),
        ("35", None),
        ("fives", None),
        ("300x1", None),
        ("pass", None),
    ];
    let game = position("standard;13356/22344 3x3");
    for (written, meant) in table {
        let found = game.did_you_mean(mover(&*game).unwrap(), &Notation::parse(written).unwrap());
        assert_eq!(found.map(|found| found.to_string()).as_deref(), meant, "{written}");
    }
    assert_eq!(game.did_you_mean(P0, &Notation::parse("3 x 5").unwrap()), None, "it is not its turn");
    let first = position("standard;13356/22344");
    assert_eq!(first.did_you_mean(P0, &Notation::parse("Liar").unwrap()), None, "there is no bid yet");
    assert_eq!(first.default_action(P0), None);
}

#[test]
fn a_summary_says_the_bid_in_words() {
    let legal = position("standard;13356/22344 3x5 2;13356/2234 2x6").legal_moves(P0);
    let summaries: Vec<(&str, &str)> =
        legal.iter().map(|entry| (entry.notation.as_str(), entry.summary.as_str())).collect();
    assert!(summaries.contains(&("3x6", "at least 3 of 9 dice are sixes")));
    assert!(summaries.contains(&("4x1", "at least 4 of 9 dice are ones")));
    assert_eq!(summaries[summaries.len() - 1], ("liar", "challenge 2x6"));
}
