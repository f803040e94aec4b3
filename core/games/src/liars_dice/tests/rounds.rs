//! Rounds: rolls, challenges, who begins, elimination, and the saved text.

use super::{Ascending, P0, P1, mover, notations, position, send};
use crate::liars_dice::LIARS_DICE;
use crate::{Act, Game as _, GameResult, PlayerSet, Reason, Refused, SetupRefused};
use alloc::string::ToString as _;
use alloc::vec;
use alloc::vec::Vec;
use hall_wire::Player;

#[test]
fn nature_rolls_all_dice_of_one_player_before_the_next() {
    let mut game = position("standard");
    assert_eq!(game.state_string(), "unset");
    assert_eq!(game.act(&mut Ascending(0, 9)), Err(Refused::NeedsChance));
    assert_eq!(game.save(), "standard", "nothing has changed");
    assert_eq!(game.act(&mut Ascending(2, 9)), Err(Refused::NeedsChance));
    let rolled = Act { outcome: None, complete: "p0 1 3 4 5 6 p1 2 3 4 5 6".to_string() };
    assert_eq!(game.act(&mut Ascending(2, 10)), Ok(rolled));
    assert_eq!(game.act(&mut Ascending(0, 10)), Err(Refused::Illegal));
    // Who is out rolls nothing: the rolls 0, 1, 2, … go to the others.
    let mut game = position(OUT);
    assert_eq!(game.act(&mut Ascending(0, 16)).unwrap().complete, "p0 1 2 3 4 5 p2 1 2 3 4 6 p3 1 2 3 5 6");
}

/// The second of four players has lost all dice, the last one to its own bid.
const OUT: &str = "four;11111/11111/11111/11111 1x1 1;11111/1111/11111/11111 19x2 1;11111/111/11111/11111 18x2 1;\
                   11111/11/11111/11111 1x2 1;11111/1/11111/11111 16x6 1";

#[test]
fn the_player_whose_claim_is_wrong_loses_a_die_and_begins_the_next_round() {
    // (position, state string after the challenge); sixes count for every face
    let table = [
        ("standard;13356/22344 2x5", "dice 5,4 bid - to -"),
        ("standard;13356/22344 3x5", "dice 4,5 bid - to -"),
        ("standard;13356/22344 3x3", "dice 5,4 bid - to -"),
        ("standard;13356/22344 4x3", "dice 5,4 bid - to -"),
        ("standard;13356/22344 5x3", "dice 4,5 bid - to -"),
        ("standard;13356/22344 1x6", "dice 5,4 bid - to -"),
        ("standard;13356/22344 2x6", "dice 4,5 bid - to -"),
        ("standard;13356/22344 1x1,2x1", "dice 4,5 bid - to -"),
        ("standard;13356/22344 1x1,3x1", "dice 5,4 bid - to -"),
    ];
    for (saved, state) in table {
        let mut game = position(saved);
        let played = send(&mut *game, "liar").unwrap();
        assert_eq!(played.shown.as_deref(), Some("p0 1 3 3 5 6 p1 2 2 3 4 4"));
        assert_eq!(game.state_string(), state, "{saved}");
        assert!(game.awaits_nature());
        let loser = if state.contains("4,5") { P0 } else { P1 };
        game.act(&mut Ascending(0, 9)).unwrap();
        assert_eq!(mover(&*game), Some(loser), "{saved}");
    }
}

#[test]
fn bids_go_round_in_seat_order_without_those_who_are_out() {
    let mut game = position("four;11111/11111/11111/11111");
    for (bid, state) in [
        ("1x1", "dice 5,5,5,5 bid 1x1 by p0 to p1"),
        ("1x2", "dice 5,5,5,5 bid 1x2 by p1 to p2"),
        ("1x3", "dice 5,5,5,5 bid 1x3 by p2 to p3"),
        ("1x4", "dice 5,5,5,5 bid 1x4 by p3 to p0"),
        ("1x5", "dice 5,5,5,5 bid 1x5 by p0 to p1"),
    ] {
        assert_eq!(send(&mut *game, bid).unwrap().shown, None);
        assert_eq!(game.state_string(), state);
    }
    // p1 is out and lost the last round: the next in order begins.
    let mut game = position(OUT);
    assert_eq!(game.state_string(), "dice 5,0,5,5 bid - to -");
    assert_eq!(game.eliminated(), [P1]);
    game.act(&mut Ascending(0, 15)).unwrap();
    for state in [
        "dice 5,0,5,5 bid 1x1 by p2 to p3",
        "dice 5,0,5,5 bid 1x2 by p3 to p0",
        "dice 5,0,5,5 bid 1x3 by p0 to p2",
    ] {
        let bid = &state[17..20];
        send(&mut *game, bid).unwrap();
        assert_eq!(game.state_string(), state);
    }
    assert_eq!(notations(&*game).len(), 15 * 6 - 3 + 1, "fifteen dice are left");
    assert!(game.legal_moves(P1).is_empty());
}

#[test]
fn the_last_player_with_dice_wins_and_the_others_are_placed_by_when_they_went_out() {
    // Three go out: p3, then p0, then p2; each bids too high on ones that nobody else has.
    let mut game = position("four");
    let result = GameResult::won_by(P0, Reason::RESIGNATION);
    for loser in [3, 0, 2].map(Player::new) {
        for _ in 0..5 {
            game.act(&mut Ascending(0, 20)).unwrap();
            while mover(&*game) != Some(loser) {
                let bid = notations(&*game).into_iter().find(|bid| bid.starts_with("1x")).unwrap();
                send(&mut *game, &bid).unwrap();
            }
            // A bid that cannot hold, since not all dice show six.
            let dice: i64 = game.points(&result).unwrap().iter().sum();
            send(&mut *game, &alloc::format!("{dice}x6")).unwrap();
            assert_eq!(game.outcome(), None);
            send(&mut *game, "liar").unwrap();
        }
    }
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.winners, PlayerSet::only(P1));
    assert_eq!((outcome.reason.as_str(), &outcome.places), ("last_with_dice", &vec![3, 1, 2, 4]));
    assert_eq!(game.eliminated(), [3, 0, 2].map(Player::new));
    assert_eq!(game.points(&result), Some(vec![0, 5, 0, 0]));
    assert_eq!(game.state_string(), "dice 0,5,0,0 bid - to -");
    assert!(!game.awaits_nature() && game.to_move().is_empty() && notations(&*game).is_empty());
    assert_eq!(LIARS_DICE.restore(&game.save()).unwrap().outcome(), Some(outcome));
    let more = game.save() + ";11111///";
    assert!(LIARS_DICE.restore(&more).is_err(), "the game was over");
}

#[test]
fn a_table_of_two_has_no_places() {
    let mut game = position("standard;11111/11111 1x2 1;1111/11111 2x1 2;111/11111 1x1 1");
    assert_eq!(game.state_string(), "dice 3,4 bid - to -");
    while game.outcome().is_none() {
        game.act(&mut Ascending(0, 10)).unwrap();
        send(&mut *game, "1x1").unwrap();
        send(&mut *game, "liar").unwrap();
    }
    assert!(game.outcome().unwrap().places.is_empty());
}

#[test]
fn a_text_that_no_game_writes_is_not_read() {
    for saved in ["standard", "four", "standard;11111/11111", "standard;11111/11111 1x6 6", OUT] {
        assert_eq!(position(saved).save(), saved);
    }
    let wrong = [
        "",
        "three",
        "standard;",
        "standard ;11111/11111",
        "standard;11111",
        "standard;11111/11111/",
        "standard;11111/11111/11111/11111",
        "standard;1111/11111",
        "standard;111111/11111",
        "standard;21111/11111",
        "standard;11117/11111",
        "standard;01111/11111",
        "standard;11111/11111 ",
        "standard;11111/11111 11x1",
        "standard;11111/11111 1x2,1x1",
        "standard;11111/11111 1x1,1x1",
        "standard;11111/11111 1x1 0",
        "standard;11111/11111 1x1 2",
        "standard;11111/11111 1x6 7",
        "standard;11111/11111 1x6 +6",
        "standard;11111/11111 11x1 1",
        "standard;11111/11111 1x1 1 1",
        "standard;11111/11111;11111/11111",
        "standard;11111/11111 1x1;11111/11111",
        "standard;11111/11111 1x1 1;11111/11111",
        "four;11111/11111",
    ];
    for saved in wrong {
        assert!(LIARS_DICE.restore(saved).is_err(), "{saved:?}");
    }
}

#[test]
fn two_play_the_standard_variant_and_four_the_other_one() {
    for (variant, seats) in [("standard", 2), ("four", 4)] {
        assert_eq!(LIARS_DICE.open(variant, seats).unwrap().save(), variant);
        assert_eq!(LIARS_DICE.open(variant, 6 - seats).unwrap_err(), SetupRefused::Seats);
    }
    assert_eq!(LIARS_DICE.open("three", 3).unwrap_err(), SetupRefused::Variant);
}

#[test]
fn a_game_fits_into_little_memory() {
    use crate::liars_dice::position::{LiarsPosition, Settled};
    let rounds = 19 * size_of::<Settled>();
    let bids = 120 * size_of::<crate::liars_dice::bid::Bid>();
    assert!(size_of::<LiarsPosition>() + rounds + bids < 1_536);
    let copies: Vec<_> = (0..2).map(|_| position(OUT).clone_box().save()).collect();
    assert_eq!(copies, [OUT, OUT]);
}
