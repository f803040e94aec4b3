//! What people and language models read: board text, public part, summaries, rules card and guide.

use super::{P0, P1, position};
use crate::leduc_poker::LEDUC_POKER;
use crate::testing::checked_verdicts;
use crate::{Game as _, GameResult, Reason, Viewer};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};
use hall_wire::{Notation, Player};
use serde_json::json;

#[test]
fn the_board_text_has_exactly_this_form() {
    let game = position("standard KsJhJsQsKhQh:kk/kbc QsKhJsJhKsQh:kk/b");
    let last_move = Some((P1, Notation::parse("bet").unwrap()));
    let expected = "Hand 1 (of 0 to 39), round 2 of 2, bets of 4
Board: Js
Your card: Qs
Pot: p0 1, p1 5
Chips won before this hand: p0 -5, p1 +5
This hand: p1 check, p0 check; board turned; p1 bet
Hand before (0): p0 check, p1 check; board turned; p0 check, p1 bet, p0 call; board Js; shown p0 Ks p1 Jh; p0 -5, p1 +5
Last move: bet by p1
Turn: p0
Result: none, the game is live
You: p0";
    assert_eq!(
        game.board_text(&Viewer { player: P0, result: None, to_move: game.to_move(), last_move }),
        expected
    );
    let result = GameResult::won_by(P1, Reason::RESIGNATION);
    let ended =
        game.board_text(&Viewer { player: P0, result: Some(&result), to_move: game.to_move(), last_move });
    for line in ["Cards: p0 Qs, p1 Kh", "Turn: nobody", "Result: p1 wins by resignation"] {
        assert!(ended.lines().any(|written| written == line), "{line} in {ended}");
    }
}

#[test]
fn the_board_text_says_when_nature_is_to_act() {
    let seen = |saved: &str| {
        let (position, player) = (position(saved), Player::new(7));
        let to_move = position.to_move();
        position.board_text(&Viewer { player, result: None, to_move, last_move: None })
    };
    let end = "Last move: none\nTurn: nature\nResult: none, the game is live\nYou: no seat, p7";
    assert_eq!(seen("standard"), format!("Cards: unset, they have not been dealt yet\n{end}"));
    let between = seen("standard QsKhJsJhKsQh:bf");
    assert!(
        between.starts_with("Hand 1 (of 0 to 39) is not dealt yet\nBoard: -\nPot: p0 1, p1 1\n"),
        "{between}"
    );
    assert!(between.ends_with(end), "{between}");
    let kuhn = seen("kuhn QKJ:");
    assert!(kuhn.starts_with("Hand 0 (of 0 to 59), round 1 of 1, bets of 1\nYour card: -\n"), "{kuhn}");
    assert!(kuhn.contains("\nThis hand: -\n"));
}

#[test]
fn the_public_part_says_how_the_hand_stands_and_how_the_one_before_ended() {
    let game = position("standard KsJhJsQsKhQh:kk/kbc QsKhJsJhKsQh:kk/b");
    let expected = json!({
        "hand": 1, "hands": 40, "round": 2, "board": "Js", "bet_size": 4,
        "pot": { "p0": 1, "p1": 5 }, "chips": { "p0": -5, "p1": 5 },
        "this_hand": { "first": "p1", "actions": [["check", "check"], ["bet"]] },
        "last_hand": {
            "board": "Js", "shown": "p0 Ks p1 Jh", "won": { "p0": -5, "p1": 5 },
            "rounds": { "first": "p0", "actions": [["check", "check"], ["check", "bet", "call"]] },
        },
    });
    assert_eq!(Value::Object(game.public()), expected);
    let before = position("standard").public();
    assert_eq!((&before["this_hand"], &before["last_hand"]), (&Value::Null, &Value::Null));
    assert_eq!(before["pot"], json!({ "p0": 0, "p1": 0 }), "nobody has paid before the first hand is dealt");
    assert_eq!(game.disclosed(P1, &Notation::parse("bet").unwrap()).unwrap().as_str(), "bet");
}

#[test]
fn a_summary_says_what_an_action_costs() {
    let table = [
        ("standard QsKhJsJhKsQh:", &["bet 2", "check"][..]),
        ("standard QsKhJsJhKsQh:b", &["call 2", "fold and lose 1", "call 2 and raise by 2"]),
        ("standard QsKhJsJhKsQh:kk/b", &["call 4", "fold and lose 1", "call 4 and raise by 4"]),
        ("standard QsKhJsJhKsQh:br", &["call 2", "fold and lose 3"]),
        ("kuhn QKJ:b", &["call 1", "fold and lose 1"]),
    ];
    for (saved, expected) in table {
        let position = position(saved);
        let player = super::mover(&*position).unwrap();
        let summaries: Vec<String> =
            position.legal_moves(player).into_iter().map(|entry| entry.summary).collect();
        assert_eq!(summaries, expected);
    }
}

#[test]
fn the_rules_card_is_short_enough_for_every_view() {
    let card = canonical(&LEDUC_POKER.rules_card());
    assert!(card.len() < 1_792, "{} bytes", card.len());
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let guide = LEDUC_POKER.how_to();
    let expected = "+check +bet -call -raise -fold -Bet -bet 2 | +call +raise +fold -check | -raise +call | \
                    +call +raise | +call -raise +fold";
    let verdicts: Vec<_> = checked_verdicts(&guide).iter().map(|tries| tries.join(" ")).collect();
    assert_eq!(verdicts.join(" | "), expected);
    for chapter in
        ["grammar", "state_string", "turn", "phases", "ending", "penalties", "draw_offers", "traps"]
    {
        assert!(!guide[chapter].is_null(), "{chapter}");
    }
    assert_eq!(guide["examples"][3]["tries"][0]["shown"], "p0 Qs p1 Kh");
}

#[test]
fn the_worked_example_is_a_match_whose_first_hands_show_a_showdown_and_folds() {
    let guide = LEDUC_POKER.how_to();
    let worked = &guide["worked_example"];
    let steps = worked["steps"].as_array().unwrap();
    assert_eq!(steps[0]["state_string"], "unset");
    assert!(steps.iter().any(|step| step["shown"].is_string()));
    let words: Vec<&Value> =
        steps.iter().filter_map(|step| step["moves"].get(0)).map(|entry| &entry["move"]).collect();
    assert!(
        ["check", "bet", "raise", "call", "fold"].iter().all(|word| words.iter().any(|said| *said == word))
    );
    assert_eq!(worked["final"]["hidden"]["hands"].as_array().unwrap().len(), 40);
    assert!(canonical(&guide).len() < 40_000, "{}", canonical(&guide).len());
}
