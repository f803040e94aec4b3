//! A match of many hands: order, chips, end, and its saved text.

use super::{InOrder, P0, P1, position, send};
use crate::leduc_poker::LEDUC_POKER;
use crate::{Game as _, GameResult, PlayerSet, Reason, SetupRefused};
use alloc::string::String;
use alloc::vec;

#[test]
fn the_players_take_turns_in_acting_first_and_do_so_in_both_rounds() {
    let table = [
        ("standard KsJhQsJsKhQh:", "p0"),
        ("standard KsJhQsJsKhQh:bf KsJhQsJsKhQh:", "p1"),
        ("standard KsJhQsJsKhQh:bf KsJhQsJsKhQh:k", "p0"),
        ("standard KsJhQsJsKhQh:bf KsJhQsJsKhQh:kk/", "p1"),
        ("standard KsJhQsJsKhQh:bf KsJhQsJsKhQh:kbrc/", "p1"),
        ("kuhn KJQ:bf KJQ:bf KJQ:", "p0"),
    ];
    for (saved, player) in table {
        let state = position(saved).state_string();
        assert!(state.ends_with(player), "{saved}: {state}");
    }
}

#[test]
fn chips_add_up_over_the_hands_and_a_broken_off_hand_counts_for_nobody() {
    // p0 wins 1, then loses 3, and has paid 3 in a hand that is not over.
    let position = position("standard KsJhQsJsKhQh:bf KsJhQsJsKhQh:kbrf JsKhQsJhKsQh:b");
    assert_eq!(position.state_string(), "hand 2 round 1 board - pot 3,1 chips -2,2 bets b to p1");
    let resigned = GameResult::won_by(P1, Reason::RESIGNATION);
    assert_eq!(position.points(&resigned), Some(vec![-2, 2]));
}

/// A match of `hands` hands that all go `hand`, with the last one going `last`.
fn all_hands(variant: &str, hands: usize, hand: &str, last: &str) -> String {
    let mut saved = String::from(variant);
    for number in 1..=hands {
        saved.push(' ');
        saved.push_str(if number == hands { last } else { hand });
    }
    saved
}

#[test]
fn a_match_ends_after_its_last_hand_and_more_chips_win_it() {
    // In every second hand the other player acts first, so bet and fold lose one chip by turns.
    let table = [
        ("standard", 40, "KsJhQsJsKhQh:bf", "KsJhQsJsKhQh:b", "fold", None, 0),
        ("standard", 40, "KsJhQsJsKhQh:bf", "KsJhQsJsKhQh:kk/k", "check", Some(P0), 2),
        ("standard", 40, "KsJhQsJsKhQh:bf", "KsJhJsQsKhQh:kk/kb", "call", Some(P1), -4),
        ("kuhn", 60, "KJQ:bf", "KJQ:b", "fold", None, 0),
        ("kuhn", 60, "KJQ:bf", "KJQ:k", "check", Some(P0), 2),
        ("kuhn", 60, "KJQ:bf", "JKQ:b", "call", Some(P1), -1),
    ];
    for (variant, hands, hand, last, action, winner, chips) in table {
        let mut game = position(&all_hands(variant, hands, hand, last));
        assert_eq!(game.outcome(), None);
        assert!(game.state_string().starts_with(&alloc::format!("hand {} round", hands - 1)));
        send(&mut *game, action).unwrap();
        let outcome = game.outcome().unwrap();
        assert_eq!(outcome.winners, winner.map_or(PlayerSet::EMPTY, PlayerSet::only), "{variant} {last}");
        let word = if winner.is_some() { "more_chips" } else { "equal_chips" };
        assert_eq!((outcome.reason.as_str(), outcome.places.len()), (word, 0));
        assert_eq!(game.points(&GameResult::from(outcome)), Some(vec![chips, -chips]));
        assert!(!game.awaits_nature() && game.to_move().is_empty());
        let expected =
            alloc::format!("hand {hands} round 1 board - pot 0,0 chips {chips},{} bets - to -", -chips);
        assert_eq!(game.state_string(), expected);
        assert_eq!(LEDUC_POKER.restore(&game.save()).unwrap().state_string(), expected);
        assert!(LEDUC_POKER.restore(&alloc::format!("{} {hand}", game.save())).is_err(), "one hand too many");
    }
}

#[test]
fn a_text_that_no_match_writes_is_not_read() {
    let wrong = [
        "",
        "leduc",
        "standard ",
        "standard  KsJhQsJsKhQh:",
        "standard KsJhQsJsKhQh",
        "standard KsJhQsJsKh:",
        "standard KsJhQsJsKhKs:",
        "standard KsJhQsJsKhQhJs:",
        "standard KJQ:",
        "kuhn KJ:",
        "kuhn KJJ:",
        "kuhn KJQ:kkk",
        "kuhn KJQ:k/",
        "kuhn KJQ:br",
        "standard KsJhQsJsKhQh:kk/kk/",
        "standard KsJhQsJsKhQh:kkk",
        "standard KsJhQsJsKhQh:f",
        "standard KsJhQsJsKhQh:brr",
        "standard KsJhQsJsKhQh:b KsJhQsJsKhQh:",
        "standard KsJhQsJsKhQh:kk KsJhQsJsKhQh:",
        "standard KsJhQsJsKhQh:x",
    ];
    for saved in wrong {
        assert!(LEDUC_POKER.restore(saved).is_err(), "{saved:?}");
    }
}

#[test]
fn it_is_played_by_two_in_two_variants() {
    for variant in ["standard", "kuhn"] {
        assert_eq!(LEDUC_POKER.open(variant, 2).unwrap().save(), variant);
        assert_eq!(LEDUC_POKER.open(variant, 3).unwrap_err(), SetupRefused::Seats);
    }
    assert_eq!(LEDUC_POKER.open("holdem", 2).unwrap_err(), SetupRefused::Variant);
}

#[test]
fn a_match_fits_into_little_memory() {
    use crate::leduc_poker::position::LeducPosition;
    let hand = size_of::<crate::leduc_poker::hand::Hand>();
    assert!(size_of::<LeducPosition>() + 60 * hand < 2_048, "{hand} bytes a hand");
    let mut game = position("kuhn");
    game.act(&mut InOrder).unwrap();
    assert_eq!(game.clone_box().save(), "kuhn JQK:");
}
