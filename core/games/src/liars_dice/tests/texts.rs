//! What people and language models read: board text, rules card and guide.

use super::{P0, P1, position};
use crate::liars_dice::LIARS_DICE;
use crate::testing::checked_verdicts;
use crate::{Game as _, GameResult, Reason, Viewer};
use alloc::vec::Vec;
use hall_wire::json::canonical;
use hall_wire::{Notation, Player};

#[test]
fn the_board_text_has_exactly_this_form() {
    let game = position("standard;13356/22344 2x5 1;13356/2234 1x1,2x3");
    let last_move = Some((P0, Notation::parse("2x3").unwrap()));
    let expected = "Round 1 (from 0)
Dice left: p0 5, p1 4, 9 in all
Your dice: 2 2 3 4
Bids of this round: p1 1x1, p0 2x3
Round before: p0 1 3 3 5 6 p1 2 2 3 4 4; 2x5 by p0, challenged by p1, held; p1 lost a die
Sixes count for every face; a bid on sixes counts sixes alone
Last move: 2x3 by p0
Turn: p1
Result: none, the game is live
You: p1";
    assert_eq!(
        game.board_text(&Viewer { player: P1, result: None, to_move: game.to_move(), last_move }),
        expected
    );
    let result = GameResult::new(alloc::vec![], true, Reason::AGREEMENT);
    let ended =
        game.board_text(&Viewer { player: P1, result: Some(&result), to_move: game.to_move(), last_move });
    for line in ["All dice: p0 1 3 3 5 6 p1 2 2 3 4", "Turn: nobody", "Result: draw by agreement"] {
        assert!(ended.lines().any(|written| written == line), "{line} in {ended}");
    }
}

#[test]
fn the_board_text_says_when_nature_is_to_act_and_how_a_round_went_wrong() {
    let seen = |saved: &str| {
        let (position, player) = (position(saved), Player::new(7));
        let to_move = position.to_move();
        position.board_text(&Viewer { player, result: None, to_move, last_move: None })
    };
    let before = "Dice: unset, they have not been rolled yet\nLast move: none\nTurn: nature\nResult: none, the game is \
                  live\nYou: no seat, p7";
    assert_eq!(seen("four"), before);
    assert!(seen("standard;13356/22344").contains("\nYour dice:\nBids of this round: none\n"));
    let wrong = seen("standard;13356/22344 3x5 1");
    assert!(
        wrong.starts_with("Round 1 (from 0)\nDice left: p0 4, p1 5, 9 in all\nThe dice are not rolled\n"),
        "{wrong}"
    );
    assert!(wrong.contains("; 3x5 by p0, challenged by p1, did not hold; p0 lost a die\n"), "{wrong}");
}

#[test]
fn the_rules_card_is_short_enough_for_every_view() {
    let card = canonical(&LIARS_DICE.rules_card());
    assert!(card.len() < 1_536, "{} bytes", card.len());
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let guide = LIARS_DICE.how_to();
    let expected = "+1x1 +10x6 -11x1 -liar -3 x 5 -3X5 -3x7 | +3x6 +4x1 -3x5 -3x4 -2x6 +liar | +liar | +liar | +liar -10x6";
    let verdicts: Vec<_> = checked_verdicts(&guide).iter().map(|tries| tries.join(" ")).collect();
    assert_eq!(verdicts.join(" | "), expected);
    let state_after = |place: usize, entry: usize| {
        guide["examples"][place]["tries"][entry]["state_string_after"].as_str().unwrap()
    };
    assert_eq!(state_after(1, 5), "dice 5,4 bid - to -", "the bidder p1 loses a die");
    assert_eq!(state_after(2, 0), "dice 5,4 bid - to -", "the challenger p1 loses a die");
    assert_eq!(state_after(3, 0), "dice 5,4 bid - to -", "the bid holds");
    for chapter in
        ["grammar", "state_string", "turn", "phases", "ending", "penalties", "draw_offers", "traps"]
    {
        assert!(!guide[chapter].is_null(), "{chapter}");
    }
}

#[test]
fn the_worked_example_is_a_whole_game() {
    let guide = LIARS_DICE.how_to();
    let worked = &guide["worked_example"];
    assert_eq!(worked["steps"][0]["state_string"], "unset");
    assert_eq!(worked["final"]["result"]["reason"], "last_with_dice");
    let steps = worked["steps"].as_array().unwrap();
    let challenges = steps.iter().filter(|step| step["shown"].is_string()).count();
    assert!(challenges >= 5, "{challenges}");
    assert!(canonical(&guide).len() < 40_000, "{}", canonical(&guide).len());
}
