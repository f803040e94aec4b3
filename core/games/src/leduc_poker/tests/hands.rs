//! One hand: what is legal, what comes next, and who wins how much.

use super::{InOrder, P0, P1, listed, mover, position, send};
use crate::{Act, NoChance, Refused};
use alloc::string::ToString as _;

#[test]
fn bets_follow_each_other_as_the_rules_of_the_variant_say() {
    // (steps, legal moves, state string)
    let table = [
        ("standard QsKhJsJhKsQh:", "bet check", "hand 0 round 1 board - pot 1,1 chips 0,0 bets - to p0"),
        ("standard QsKhJsJhKsQh:k", "bet check", "hand 0 round 1 board - pot 1,1 chips 0,0 bets k to p1"),
        ("standard QsKhJsJhKsQh:kk", "", "hand 0 round 1 board - pot 1,1 chips 0,0 bets k,k to -"),
        (
            "standard QsKhJsJhKsQh:b",
            "call fold raise",
            "hand 0 round 1 board - pot 3,1 chips 0,0 bets b to p1",
        ),
        (
            "standard QsKhJsJhKsQh:kb",
            "call fold raise",
            "hand 0 round 1 board - pot 1,3 chips 0,0 bets k,b to p0",
        ),
        ("standard QsKhJsJhKsQh:br", "call fold", "hand 0 round 1 board - pot 3,5 chips 0,0 bets b,r to p0"),
        (
            "standard QsKhJsJhKsQh:kbr",
            "call fold",
            "hand 0 round 1 board - pot 5,3 chips 0,0 bets k,b,r to p1",
        ),
        ("standard QsKhJsJhKsQh:kbrc", "", "hand 0 round 1 board - pot 5,5 chips 0,0 bets k,b,r,c to -"),
        ("standard QsKhJsJhKsQh:bc/", "bet check", "hand 0 round 2 board Js pot 3,3 chips 0,0 bets - to p0"),
        (
            "standard QsKhJsJhKsQh:bc/b",
            "call fold raise",
            "hand 0 round 2 board Js pot 7,3 chips 0,0 bets b to p1",
        ),
        (
            "standard QsKhJsJhKsQh:bc/kbr",
            "call fold",
            "hand 0 round 2 board Js pot 11,7 chips 0,0 bets k,b,r to p1",
        ),
        ("kuhn QKJ:", "bet check", "hand 0 round 1 board - pot 1,1 chips 0,0 bets - to p0"),
        ("kuhn QKJ:b", "call fold", "hand 0 round 1 board - pot 2,1 chips 0,0 bets b to p1"),
        ("kuhn QKJ:kb", "call fold", "hand 0 round 1 board - pot 1,2 chips 0,0 bets k,b to p0"),
    ];
    for (saved, moves, state) in table {
        let position = position(saved);
        assert_eq!(listed(&*position), moves, "{saved}");
        assert_eq!(position.state_string(), state, "{saved}");
        assert_eq!(position.awaits_nature(), moves.is_empty(), "{saved}");
    }
}

#[test]
fn a_hand_is_won_by_a_fold_a_pair_or_the_higher_rank_and_its_showdown_is_told() {
    // (hand before the last action, action, net chips of p0, what is shown)
    let table = [
        ("standard KsJhQsJsKhQh:b", "fold", 1, None),
        ("standard JsKhQsJhKsQh:kb", "fold", -1, None),
        ("standard JsKhQsJhKsQh:bc/b", "fold", 3, None),
        ("standard KsJhQsJsKhQh:kk/k", "check", 1, Some("p0 Ks p1 Jh")),
        ("standard JhKsQsJsKhQh:kk/k", "check", -1, Some("p0 Jh p1 Ks")),
        ("standard JhKsJsQsKhQh:kk/kb", "call", 5, Some("p0 Jh p1 Ks")),
        ("standard KsJhJsQsKhQh:brc/br", "call", -13, Some("p0 Ks p1 Jh")),
        ("standard QsQhJsKsKhJh:bc/kb", "call", 0, Some("p0 Qs p1 Qh")),
        ("kuhn QKJ:k", "check", -1, Some("p0 Q p1 K")),
        ("kuhn QJK:b", "call", 2, Some("p0 Q p1 J")),
        ("kuhn QKJ:kb", "fold", -1, None),
        ("kuhn QKJ:b", "fold", 1, None),
    ];
    for (saved, action, chips, shown) in table {
        let mut position = position(saved);
        let played = send(&mut *position, action).unwrap();
        assert_eq!(played.shown.as_deref(), shown, "{saved}");
        let expected = alloc::format!("hand 1 round 1 board - pot 1,1 chips {chips},{} bets - to -", -chips);
        assert_eq!(position.state_string(), expected, "{saved}");
        let won = &position.public()["last_hand"]["won"];
        assert_eq!(*won, serde_json::json!({ "p0": chips, "p1": -chips }), "{saved}");
        assert!(position.awaits_nature());
    }
}

#[test]
fn only_the_words_of_legal_actions_are_played() {
    let table = [
        ("standard QsKhJsJhKsQh:", "call raise fold Bet k pass b bet2 board /"),
        ("standard QsKhJsJhKsQh:b", "check bet Fold"),
        ("standard QsKhJsJhKsQh:br", "raise check bet"),
        ("standard QsKhJsJhKsQh:kk", "check bet call fold raise board"),
        ("kuhn QKJ:b", "raise check bet"),
        ("kuhn", "check bet"),
    ];
    for (saved, refused) in table {
        for text in refused.split(' ') {
            let mut position = position(saved);
            assert_eq!(send(&mut *position, text), Err(Refused::Illegal), "{text} in {saved}");
            assert_eq!(position.save(), saved);
        }
    }
    let mut position = position("kuhn QKJ:");
    let early = position.play(P1, &hall_wire::Notation::parse("check").unwrap(), &mut NoChance);
    assert_eq!(early, Err(Refused::Illegal), "p0 acts first");
}

#[test]
fn the_default_is_a_check_and_a_fold_where_there_is_a_bet() {
    let table =
        [("standard QsKhJsJhKsQh:", "check"), ("standard QsKhJsJhKsQh:kb", "fold"), ("kuhn QKJ:b", "fold")];
    for (saved, expected) in table {
        let position = position(saved);
        let default = position.default_action(mover(&*position).unwrap()).unwrap();
        assert_eq!(default.as_str(), expected);
    }
    assert_eq!(position("kuhn QKJ:b").default_action(P0), None, "it is not its turn");
}

#[test]
fn an_action_in_another_spelling_is_recognised_if_only_one_can_be_meant() {
    let table = [
        ("standard QsKhJsJhKsQh:", "CHECK", Some("check")),
        ("standard QsKhJsJhKsQh:", "k", Some("check")),
        ("standard QsKhJsJhKsQh:", "call", Some("check")),
        ("standard QsKhJsJhKsQh:", "bet 2", Some("bet")),
        ("standard QsKhJsJhKsQh:", "Raise", Some("bet")),
        ("standard QsKhJsJhKsQh:", "fold", None),
        ("standard QsKhJsJhKsQh:", "check", None),
        ("standard QsKhJsJhKsQh:", "7", None),
        ("standard QsKhJsJhKsQh:b", "c", Some("call")),
        ("standard QsKhJsJhKsQh:b", "FOLDS", Some("fold")),
        ("standard QsKhJsJhKsQh:b", "bet", Some("raise")),
        ("standard QsKhJsJhKsQh:b", "check", None),
        ("standard QsKhJsJhKsQh:b", "call 2 and raise by 2", Some("raise")),
        ("standard QsKhJsJhKsQh:b", "Raise (and call)", Some("raise")),
        ("standard QsKhJsJhKsQh:b", "call 2", Some("call")),
        ("standard QsKhJsJhKsQh:b", "fold and lose 3", Some("fold")),
        ("standard QsKhJsJhKsQh:b", "I fold", Some("fold")),
        ("standard QsKhJsJhKsQh:b", "call or fold", None),
        ("standard QsKhJsJhKsQh:b", "call, raise or fold", None),
        ("standard QsKhJsJhKsQh:br", "bet", None),
        ("kuhn QKJ:b", "raise", None),
    ];
    for (saved, written, meant) in table {
        let position = position(saved);
        let player = mover(&*position).unwrap();
        let found = position.did_you_mean(player, &hall_wire::Notation::parse(written).unwrap());
        assert_eq!(found.map(|found| found.to_string()).as_deref(), meant, "{written} in {saved}");
    }
}

#[test]
fn nature_shuffles_the_deck_once_in_a_hand_and_turns_the_board_without_a_draw() {
    for (variant, deck) in [("standard", "Js Jh Qs Qh Ks Kh"), ("kuhn", "J Q K")] {
        let mut game = position(variant);
        assert_eq!(game.act(&mut NoChance), Err(Refused::NeedsChance));
        assert_eq!(game.save(), variant, "nothing has changed");
        assert_eq!(game.act(&mut InOrder), Ok(Act { outcome: None, complete: deck.to_string() }));
        assert_eq!(game.act(&mut InOrder), Err(Refused::Illegal));
        let cards: alloc::vec::Vec<&str> = deck.split(' ').collect();
        assert_eq!(
            (&game.private(P0)["card"], &game.private(P1)["card"]),
            (&cards[0].into(), &cards[1].into())
        );
    }
    let mut game = position("standard QsKhJhJsKsQh:kk");
    let told = "board Jh".to_string();
    assert_eq!(game.act(&mut NoChance), Ok(Act { outcome: Some(told.clone()), complete: told }));
    assert_eq!(game.save(), "standard QsKhJhJsKsQh:kk/");
}
