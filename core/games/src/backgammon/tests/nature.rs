//! The dice: who throws them when, and what is told of them.

use super::{BACKGAMMON, P0, P1, Thrown, listed, send, turn};
use crate::{Act, Chance, Game as _, PlayerSet, Position, Refused};
use alloc::boxed::Box;
use alloc::string::ToString as _;

fn opened() -> Box<dyn Position> {
    BACKGAMMON.open("standard", 2).unwrap()
}

#[test]
fn the_opening_roll_is_thrown_again_until_it_says_who_starts() {
    // (dice as drawn, the outcome, who starts, its dice)
    let table = [
        ("42", "p0 4 p1 2", P0, "42"),
        ("16", "p0 1 p1 6", P1, "61"),
        ("3366115554", "p0 5 p1 4", P0, "54"),
        ("2223", "p0 2 p1 3", P1, "32"),
    ];
    for (drawn, outcome, starts, dice) in table {
        let mut game = opened();
        assert!(game.awaits_nature() && game.to_move().is_empty());
        let mut thrown = Thrown::new(drawn);
        let told = Act { outcome: Some(outcome.to_string()), complete: outcome.to_string() };
        assert_eq!(game.act(&mut thrown), Ok(told));
        assert!(thrown.0.is_empty(), "nothing is drawn for nothing");
        assert!(!game.awaits_nature());
        assert_eq!(game.to_move(), PlayerSet::only(starts));
        let ending = alloc::format!(" dice {dice} to {starts}");
        assert!(game.state_string().ends_with(&ending), "{}", game.state_string());
    }
}

#[test]
fn a_turn_begins_with_two_dice_and_the_higher_is_told_first() {
    for (drawn, outcome) in [("36", "63"), ("63", "63"), ("11", "11"), ("66", "66")] {
        let mut game = opened();
        turn(&mut *game, "31", "8/5 6/5");
        assert!(game.awaits_nature() && game.to_move().is_empty());
        assert!(game.state_string().ends_with(" dice - to -"));
        let act = game.act(&mut Thrown::new(drawn)).unwrap();
        assert_eq!((act.outcome.as_deref(), act.complete.as_str()), (Some(outcome), outcome));
        assert_eq!(game.to_move(), PlayerSet::only(P1));
    }
}

#[test]
fn without_a_draw_nothing_changes() {
    for played in [&[][..], &[("31", "8/5 6/5")]] {
        let mut game = opened();
        for (dice, text) in played {
            turn(&mut *game, dice, text);
        }
        let before = game.save();
        for drawn in ["", "3"] {
            assert_eq!(game.act(&mut Thrown::new(drawn)), Err(Refused::NeedsChance));
            assert_eq!(game.save(), before);
        }
        assert!(send(&mut *game, "24/20").is_err(), "nobody plays before the dice are thrown");
    }
    let mut game = opened();
    assert_eq!(game.act(&mut Thrown::new("2211")), Err(Refused::NeedsChance), "no third pair");
    game.act(&mut Thrown::new("31")).unwrap();
    assert_eq!(game.act(&mut Thrown::new("31")), Err(Refused::Illegal), "it has acted");
}

#[test]
fn a_source_of_equal_dice_does_not_hold_up_the_hall() {
    struct Always;
    impl Chance for Always {
        fn below(&mut self, _: u64) -> Option<u64> {
            Some(0)
        }
    }
    assert_eq!(opened().act(&mut Always), Err(Refused::NeedsChance));
}

#[test]
fn the_turns_alternate_also_after_a_double_and_after_a_pass() {
    let mut game = opened();
    turn(&mut *game, "31", "8/5 6/5");
    turn(&mut *game, "66", "24/18(2) 13/7(2)");
    assert!(game.save().contains(" turn p0 after 2 "));
    let mut stuck = super::position("25:1 6:1", "1:2 5:2", "51");
    assert_eq!(listed(&stuck), "pass");
    assert_eq!(stuck.default_action(P0).unwrap().as_str(), "pass");
    send(&mut stuck, "pass").unwrap();
    assert!(stuck.save().contains(" turn p1 after 2 "));
}

#[test]
fn only_a_pass_is_a_default_action() {
    let mut game = opened();
    game.act(&mut Thrown::new("31")).unwrap();
    assert_eq!((game.default_action(P0), game.default_action(P1)), (None, None));
}
