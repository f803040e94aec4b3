//! Turns: prizes, bids, points, the end, and the saved text.

use super::{InOrder, P0, P1, P2, bid, legal, position, saved};
use crate::goofspiel::GOOFSPIEL;
use crate::{Act, Game as _, GameResult, NoChance, PlayerSet, Reason, Refused, SetupRefused};
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

#[test]
fn nature_shuffles_once_and_then_turns_one_prize_after_the_other() {
    let mut game = position("2");
    assert_eq!(game.state_string(), "unset");
    assert_eq!(game.act(&mut NoChance), Err(Refused::NeedsChance));
    assert_eq!(game.save(), "2", "nothing has changed");
    let act = |outcome: &str, complete: &str| {
        Ok(Act { outcome: Some(outcome.to_string()), complete: complete.to_string() })
    };
    assert_eq!(game.act(&mut InOrder), act("prize 1", "order 1 2 3 4 5 6 7 8 9 10 11 12 13"));
    let hand = "1,2,3,4,5,6,7,8,9,10,11,12,13";
    let left = "2,3,4,5,6,7,8,9,10,11,12,13";
    assert_eq!(
        game.state_string(),
        alloc::format!("prize 1 left {left} hands p0 {hand} p1 {hand} points 0,0")
    );
    assert_eq!(game.act(&mut InOrder), Err(Refused::Illegal));
    bid(&mut *game, "13,1");
    assert!(game.awaits_nature() && game.to_move().is_empty());
    let state = "prize - left 2,3,4,5,6,7,8,9,10,11,12,13 hands p0 1,2,3,4,5,6,7,8,9,10,11,12 \
                 p1 2,3,4,5,6,7,8,9,10,11,12,13 points 1,0";
    assert_eq!(game.state_string(), state);
    assert_eq!(game.act(&mut NoChance), act("prize 2", "prize 2"));
    assert!(game.state_string().starts_with("prize 2 left 3,4,5,6,7,8,9,10,11,12,13 hands p0 1,2,"));
}

#[test]
fn the_highest_bid_takes_the_prize_if_nobody_else_bids_as_much() {
    // (seats, bids for the prize 7, points)
    let table = [
        (2, "9,8", "7,0"),
        (2, "8,9", "0,7"),
        (2, "9,9", "0,0"),
        (2, "10,9", "7,0"),
        (3, "9,8,8", "7,0,0"),
        (3, "9,9,8", "0,0,0"),
        (3, "1,2,2", "0,0,0"),
        (3, "1,2,3", "0,0,7"),
        (4, "13,13,13,12", "0,0,0,0"),
        (4, "5,5,4,6", "0,0,0,7"),
    ];
    for (seats, bids, points) in table {
        let mut game = position(&saved(seats, "0,0,0,0".get(..usize::from(seats) * 2 - 1).unwrap()));
        bid(&mut *game, bids);
        assert!(game.state_string().ends_with(&alloc::format!(" points {points}")), "{bids}");
    }
}

#[test]
fn all_players_are_to_move_until_each_has_bid_a_card_of_its_hand() {
    let mut game = position(&saved(3, "7,8,13 0,0,0"));
    let full = "1 10 11 12 13 2 3 4 5 6 7 8 9";
    for (player, gone) in [(P0, "7"), (P1, "8"), (P2, "13")] {
        let hand: Vec<&str> = full.split(' ').filter(|card| *card != gone).collect();
        assert_eq!(legal(&*game, player), hand.join(" "), "{player}");
    }
    let play = |game: &mut dyn crate::Position, player: Player, text: &str| {
        game.play(player, &Notation::parse(text).unwrap(), &mut NoChance).map(|_| ())
    };
    for (player, text) in
        [(P0, "7"), (P1, "8"), (P0, "0"), (P0, "14"), (P0, "01"), (P0, "+1"), (P0, "pass"), (P0, "K")]
    {
        assert_eq!(play(&mut *game, player, text), Err(Refused::Illegal), "{player} {text}");
    }
    assert_eq!(play(&mut *game, Player::new(3), "1"), Err(Refused::Illegal), "there is no such seat");
    assert_eq!(play(&mut *game, P1, "7"), Ok(()));
    assert_eq!(play(&mut *game, P1, "6"), Err(Refused::Illegal), "one bid in a turn");
    assert_eq!(game.to_move().iter().collect::<Vec<_>>(), [P0, P2]);
    assert_eq!((legal(&*game, P1), game.default_action(P0)), (String::new(), None));
    assert_eq!(play(&mut *game, P2, "7"), Ok(()));
    assert_eq!(play(&mut *game, P0, "13"), Ok(()));
    assert!(game.state_string().ends_with(" points 1,0,7"), "the last bid decides: {}", game.state_string());
    assert_eq!(play(&mut *game, P0, "1"), Err(Refused::Illegal), "no prize is turned");
}

/// Twelve turns of two players in which `p0` bids the cards 1 to 12, each one less than `p1` does, and so gets
/// nothing.
const TWELVE: &str = "1,2 2,3 3,4 4,5 5,6 6,7 7,8 8,9 9,10 10,11 11,12 12,13 0,0";

#[test]
fn the_last_bid_is_played_too_and_ends_the_game() {
    let mut game = position(&saved(2, TWELVE));
    assert_eq!(game.state_string(), "prize 12 left - hands p0 13 p1 1 points 0,79");
    assert_eq!((game.outcome(), legal(&*game, P0).as_str(), legal(&*game, P1).as_str()), (None, "13", "1"));
    bid(&mut *game, "13,1");
    assert_eq!(game.state_string(), "prize - left - hands p0 - p1 - points 12,79");
    let outcome = game.outcome().unwrap();
    assert_eq!((outcome.winners, outcome.reason.as_str()), (PlayerSet::only(P1), "more_points"));
    assert!(outcome.places.is_empty() && !game.awaits_nature() && game.to_move().is_empty());
    assert_eq!(game.points(&GameResult::from(outcome)), Some(vec![12, 79]));
    assert!(GOOFSPIEL.restore(&alloc::format!("{} 0,0", game.save())).is_err(), "the game was over");
}

#[test]
fn places_follow_the_points_and_equal_points_share_the_better_one() {
    let ties = |seats: usize, cards: core::ops::RangeInclusive<u8>| -> String {
        let turn = |card: u8| vec![card.to_string(); seats].join(",");
        cards.map(turn).collect::<Vec<_>>().join(" ")
    };
    let one_takes_a_prize = "1,2,2 2,1,1 ".to_string() + &ties(3, 3..=13);
    let all_differ = "2,1,1 3,2,3 4,4,4 5,5,5 1,3,2 ".to_string() + &ties(3, 6..=13);
    let two_share = "2,1,1 4,2,4 5,5,5 6,6,6 1,3,2 3,4,3 ".to_string() + &ties(3, 7..=13);
    let four = "2,1,1,1 1,2,2,2 ".to_string() + &ties(4, 3..=13);
    // (seats, bids of all turns, points, places, winners)
    let table = [
        (2, ties(2, 1..=13), &[0, 0][..], &[][..], &[][..]),
        (2, "2,1 1,2 ".to_string() + &ties(2, 3..=13), &[7, 1], &[], &[P0]),
        (3, ties(3, 1..=13), &[0, 0, 0], &[1, 1, 1], &[]),
        (4, ties(4, 1..=13), &[0, 0, 0, 0], &[1, 1, 1, 1], &[]),
        (3, one_takes_a_prize, &[1, 0, 0], &[1, 2, 2], &[P0]),
        (3, all_differ, &[7, 3, 0], &[1, 2, 3], &[P0]),
        (3, two_share, &[7, 7, 0], &[1, 1, 3], &[P0, P1]),
        (4, four, &[7, 0, 0, 0], &[1, 2, 2, 2], &[P0]),
    ];
    for (seats, bids, points, places, winners) in table {
        let game = position(&saved(seats, &bids));
        let outcome = game.outcome().unwrap();
        let reason = if winners.is_empty() { "equal_points" } else { "more_points" };
        assert_eq!((outcome.places.as_slice(), outcome.reason.as_str()), (places, reason), "{bids}");
        assert_eq!(outcome.winners.iter().collect::<Vec<_>>(), winners, "{bids}");
        assert_eq!(game.points(&GameResult::from(outcome)).unwrap(), points, "{bids}");
    }
}

#[test]
fn a_game_that_the_room_ends_leaves_points_as_they_stood() {
    let game = position(&saved(2, "9,8 0,13"));
    assert_eq!(game.points(&GameResult::won_by(P1, Reason::RESIGNATION)), Some(vec![7, 0]));
}

#[test]
fn a_text_that_no_game_writes_is_not_read() {
    let bids = ["0,0", "0,9", "9,0", "7,8 0,0", "7,8", TWELVE];
    for text in bids.map(|bids| saved(2, bids)).into_iter().chain(["2", "3", "4"].map(String::from)) {
        assert_eq!(position(&text).save(), text);
    }
    let wrong = ["", "1", "5", "02", "2 ", "standard", "2 1,2,3", "2 7,7,13,2,3,4,5,6,8,9,10,11,12 0,0"];
    for text in wrong {
        assert!(GOOFSPIEL.restore(text).is_err(), "{text:?}");
    }
    let wrong = [
        "", "0", "0,0,0", "0,14", "0,-1", "00,0", "+1,0", "7,8 7,0", "7,8 0,8", "7,0 8,9", "0,0 0,0",
        "7,8  0,0", "7,8,9",
    ];
    for bids in wrong {
        assert!(GOOFSPIEL.restore(&saved(2, bids)).is_err(), "{bids:?}");
    }
    let no_turn = saved(2, "0,0").trim_end_matches(" 0,0").to_string();
    assert!(GOOFSPIEL.restore(&no_turn).is_err(), "the first prize is turned with the shuffle");
}

#[test]
fn two_three_or_four_play_as_the_variant_says() {
    for (variant, seats) in [("standard", 2), ("three", 3), ("four", 4)] {
        assert_eq!(GOOFSPIEL.open(variant, seats).unwrap().save(), seats.to_string());
        assert_eq!(GOOFSPIEL.open(variant, seats + 1).unwrap_err(), SetupRefused::Seats);
    }
    assert_eq!(GOOFSPIEL.open("two", 2).unwrap_err(), SetupRefused::Variant);
    assert!(size_of::<crate::goofspiel::position::GoofspielPosition>() < 128, "and 52 bytes of bids");
}

#[test]
fn a_card_in_another_spelling_is_recognised() {
    let game = position(&saved(2, "7,8 0,0"));
    let table = [
        ("K", Some("13")),
        ("q", Some("12")),
        ("J", Some("11")),
        ("A", Some("1")),
        ("03", Some("3")),
        ("bid 10!", Some("10")),
        ("3", None),
        ("7", None),
        ("07", None),
        ("14", None),
        ("1000", None),
        ("1,2", None),
        ("ten", None),
    ];
    for (written, meant) in table {
        let found = game.did_you_mean(P0, &Notation::parse(written).unwrap());
        assert_eq!(found.map(|found| found.to_string()).as_deref(), meant, "{written}");
    }
    let sealed = position(&saved(2, "5,0"));
    assert_eq!(sealed.did_you_mean(P0, &Notation::parse("K").unwrap()), None, "it has bid");
}
