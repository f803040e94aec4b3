//! Saved positions.

use super::{BACKGAMMON, Thrown, position, send};
use crate::{Game as _, Position as _};
use alloc::string::ToString as _;

const OPENING: &str = "-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2 bar 0,0 off 0,0 dice - to - turn - after 0 \
                       touched -";

#[test]
fn a_position_is_saved_in_this_form() {
    let mut game = BACKGAMMON.open("standard", 2).unwrap();
    assert_eq!(game.save(), OPENING);
    game.act(&mut Thrown::new("13")).unwrap();
    assert_eq!(game.save(), OPENING.replace("dice - to - turn -", "dice 31 to p1 turn p1"));
    send(&mut *game, "8/5 6/5").unwrap();
    assert_eq!(
        game.save(),
        "-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-2,0,-4,-2,0,0,0,2 bar 0,0 off 0,0 dice - to - turn p0 after 1 touched \
         17,19,20"
    );
    let mut hit = position("25:1 6:2", "3:1 6:2", "31");
    send(&mut hit, "bar/22* 6/5").unwrap();
    assert!(hit.save().ends_with(" bar 0,1 off 12,12 dice - to - turn p1 after 2 touched 0,5,6,22"));
}

#[test]
fn what_no_game_can_save_is_not_restored() {
    let table = [
        ("fourteen checkers", "-2,0,0,0,0,5", "-2,0,0,0,0,4"),
        ("sixteen checkers", "off 0,0", "off 1,0"),
        ("a point too many", ",2 bar", ",2,0 bar"),
        ("a sign of a zero", "-2,0,", "-2,-0,"),
        ("a plus", "0,5,0,3", "0,+5,0,3"),
        ("turns of another number", "after 0", "after 00"),
        ("a player before the roll", "turn -", "turn p0"),
        ("no player after it", "dice - to -", "dice 31 to p0"),
        ("another player in one place", "dice - to - turn -", "dice 31 to p0 turn p1"),
        ("a double at the opening", "dice - to - turn -", "dice 33 to p1 turn p1"),
        ("the lower die first", "dice - to - turn -", "dice 13 to p1 turn p1"),
        ("no die", "dice - to - turn -", "dice 70 to p1 turn p1"),
        ("a player of another game", "dice - to - turn -", "dice 31 to p2 turn p2"),
        ("nobody after the opening", "after 0", "after 5"),
        ("too many turns", "turn - after 0", "turn p0 after 2001"),
        ("a move before the first", "touched -", "touched 6"),
        ("no word", " bar", " bra"),
        ("a place that is none", "turn - after 0 touched -", "turn p0 after 1 touched 25"),
        ("a place beyond all", "turn - after 0 touched -", "turn p0 after 1 touched 32"),
        ("places in another order", "turn - after 0 touched -", "turn p0 after 1 touched 8,6"),
        ("text behind", "touched -", "touched - "),
    ];
    assert!(BACKGAMMON.restore(OPENING).is_ok());
    for (shows, from, to) in table {
        let damaged = OPENING.replace(from, to);
        assert_ne!(damaged, OPENING, "{shows}");
        assert!(BACKGAMMON.restore(&damaged).is_err(), "{shows}: {damaged}");
    }
    let ended = "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-14,0,0,0,0,0 bar 0,0 off 15,1 dice - to - turn p1 after 9 touched 1";
    assert!(BACKGAMMON.restore(ended).is_ok());
    let table = [
        ("the winner is to move", "turn p1", "turn p0"),
        ("dice after the end", "dice - to -", "dice 31 to p1"),
        ("both are off", "-14,0,0,0,0,0 bar 0,0 off 15,1", "0,0,0,0,0,0 bar 0,0 off 15,15"),
    ];
    for (shows, from, to) in table {
        let damaged = ended.replace(from, to);
        assert_ne!(damaged, ended, "{shows}");
        assert!(BACKGAMMON.restore(&damaged).is_err(), "{shows}: {damaged}");
    }
    let limit = OPENING.replace("turn - after 0", "turn p0 after 2000");
    assert_eq!(BACKGAMMON.restore(&limit).unwrap().outcome().unwrap().reason.as_str(), "move_limit");
    assert!(BACKGAMMON.restore(&limit.replace("dice - to -", "dice 31 to p0")).is_err());
}

#[test]
fn a_position_is_small() {
    assert!(size_of::<super::BackgammonPosition>() <= 64, "{}", size_of::<super::BackgammonPosition>());
    assert_eq!(position("6:1", "6:1", "21").clone().save(), position("6:1", "6:1", "21").save().to_string());
}
