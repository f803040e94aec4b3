//! Rules card and guide.

use super::super::RULESET_VERSION;
use super::{BACKGAMMON, P0, Thrown};
use crate::Game as _;
use crate::testing::{assert_ended, checked_verdicts, replay_turn};
use alloc::string::{String, ToString as _};
use hall_wire::json::{Value, canonical};

#[test]
fn the_rules_card_names_the_game_its_rules_and_the_guide_and_is_short() {
    let card = BACKGAMMON.rules_card();
    let told = ["game", "ruleset_version", "guide"].map(|name| card[name].as_str());
    assert_eq!(told, [Some("backgammon"), Some(RULESET_VERSION), Some("/api/howto/backgammon")]);
    assert!(canonical(&card).len() < 2_048, "{} bytes", canonical(&card).len());
}

#[test]
fn every_chapter_of_the_guide_says_something() {
    let guide = BACKGAMMON.how_to();
    let is_said = |value: &Value| match value {
        Value::Array(lines) => !lines.is_empty(),
        Value::Object(parts) => !parts.is_empty(),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    for chapter in [
        "grammar",
        "board",
        "turn",
        "phases",
        "playing_the_dice",
        "ending",
        "traps",
        "penalties",
        "worked_example",
    ] {
        assert!(is_said(&guide[chapter]), "{chapter}: {}", guide[chapter]);
    }
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let guide = BACKGAMMON.how_to();
    let expected = "+8/5 6/5, -6/5 8/5, -8/5, 6/5, -8-5 6-5, -8/5* 6/5, +24/20, -24/21/20, -24/21 21/20, -13/10, -pass, \
                    +24/18(2) 13/7(2), -24/18 24/18 13/7 13/7, -24/18(2), +8/5*/4*, +8/4*, -8/5/4, +8/5 6/5*, -8/5* 6/5, \
                    +13/11* 13/11 6/4(2), -13/11*(2) 6/4(2), -13/11(2) 6/4(2), +bar/22* 13/11, -25/22* 13/11, -13/11 13/10, \
                    +10/2, +10/4 3/1, -10/4, -3/1, +20/14, -20/17, +pass, -bar/20, \
                    +6/1 6/off, -6/off 6/1, -6/off(2), -6/1 6/0, +4/off(2), -4/off 1/off, +6/3, -6/5 5/3, +1/off";
    assert_eq!(checked_verdicts(&guide).concat().join(", "), expected);
}

#[test]
fn the_worked_example_is_a_whole_game_that_can_be_played_again() {
    let guide = BACKGAMMON.how_to();
    let worked = &guide["worked_example"];
    assert_eq!(worked["first_legal_moves"][0]["summary"], "13 to 2");
    let mut game = BACKGAMMON.open("standard", 2).unwrap();
    for turn in worked["turns"].as_array().unwrap() {
        assert_eq!(turn["before_the_roll"], game.state_string());
        let dice: String =
            turn["chance"].as_str().unwrap().replace("p0", "").replace("p1", "").replace(' ', "");
        let told = game.act(&mut Thrown::new(&dice)).unwrap();
        assert_eq!(turn["chance"], told.complete);
        replay_turn(&mut *game, turn);
    }
    let last = &worked["final"];
    assert_ended(&*game, last);
    assert_eq!(last["result"]["reason"], "backgammon");
    assert_eq!(last["result"]["points"]["p0"], 3);
    assert!(last["mat"].as_str().unwrap().contains("Wins 3 points"));
    assert_eq!(last["result"]["winners"][0], P0.to_string());
    assert!(canonical(&guide).len() < 48 * 1_024, "{} bytes", canonical(&guide).len());
}
