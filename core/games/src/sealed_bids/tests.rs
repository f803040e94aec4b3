//! What the bidding game promises to the tests that use it.

use super::*;
use crate::{GameRecord, GameResult};

#[test]
fn it_describes_itself_and_has_no_pgn() {
    let (card, guide) = (SEALED_BIDS.rules_card(), SEALED_BIDS.how_to());
    assert_eq!((&card["game"], &guide["game"]), (&json!("sealed_bids"), &json!("sealed_bids")));
    let result = GameResult::drawn(Reason::ABORTED);
    assert_eq!(SEALED_BIDS.record("pgn", &GameRecord::of(&[], &result)), None);
}

#[test]
fn all_players_are_to_move_until_each_has_chosen() {
    let mut game = opened();
    assert_eq!(seats_of(game.to_move()), [0, 1, 2]);
    bid(&mut game, 1, "2");
    assert_eq!(seats_of(game.to_move()), [0, 2]);
    assert!(game.legal_moves(Player::new(1)).is_empty());
    assert_eq!(game.default_action(Player::new(1)), None);
    bid(&mut game, 0, "1");
    bid(&mut game, 2, "pass");
    assert_eq!(seats_of(game.to_move()), [0, 1, 2], "the next round has begun");
    assert_eq!(game.public()["points"], json!({ "p0": 0, "p1": 1, "p2": 0 }));
}

#[test]
fn a_player_sees_the_round_the_points_its_own_bid_and_what_it_may_choose() {
    let mut game = opened();
    let legal: Vec<(String, String)> = game
        .legal_moves(Player::new(2))
        .into_iter()
        .map(|legal| (legal.notation.as_str().to_string(), legal.summary))
        .collect();
    let expected = [("1", "bid 1"), ("2", "bid 2"), ("3", "bid 3"), ("pass", "pass")];
    assert_eq!(legal, expected.map(|(word, summary)| (word.to_string(), summary.to_string())));
    assert_eq!(game.default_action(Player::new(2)).unwrap().as_str(), "pass");
    bid(&mut game, 2, "3");
    assert_eq!(game.state_string(), "round 1 points 0-0-0 waiting p0-p1");
    let viewer = Viewer { player: Player::new(2), result: None, to_move: game.to_move(), last_move: None };
    assert_eq!(game.board_text(&viewer), "round 1 points 0-0-0 waiting p0-p1\nYour bid: 3\nYou: p2");
}

#[test]
fn a_round_without_a_tie_rolls_no_die() {
    let mut game = opened();
    ["1", "2", "3", "pass", "pass", "pass"].into_iter().zip((0..SEATS).cycle()).for_each(|(word, seat)| {
        bid(&mut game, seat, word);
    });
    assert_eq!(game.public()["dice"], json!([null, null]));
    assert_eq!(game.public()["round"], 3);
}

#[test]
fn nothing_that_others_see_depends_on_a_sealed_bid() {
    let seen_by_others: Vec<_> = ["1", "2", "3", "pass"]
        .into_iter()
        .map(|word| {
            let mut game = opened();
            bid(&mut game, 0, word);
            assert_eq!(game.private(Player::new(0)), json!({ "bid": word }));
            assert_eq!(game.hidden()["open"]["p0"], word);
            let other =
                Viewer { player: Player::new(1), result: None, to_move: game.to_move(), last_move: None };
            let told = game.disclosed(Player::new(0), &Notation::parse(word).unwrap());
            let texts = (game.state_string(), game.board_text(&other), told);
            (texts, game.public(), game.private(Player::new(1)), game.legal_moves(Player::new(1)))
        })
        .collect();
    assert!(seen_by_others.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_tie_waits_for_the_die_and_changes_nothing_before() {
    let mut game = opened();
    bid(&mut game, 0, "3");
    bid(&mut game, 1, "3");
    let before = game.save();
    let last = Notation::parse("1").unwrap();
    assert_eq!(game.play(Player::new(2), &last, &mut Die(None)), Err(Refused::NeedsChance));
    assert_eq!(game.save(), before);
    game.play(Player::new(2), &last, &mut Die(Some(5))).unwrap();
    assert_eq!(game.public()["points"], json!({ "p0": 0, "p1": 1, "p2": 0 }), "5 is odd: the second");
    assert_eq!(game.public()["dice"], json!([5]));
}

#[test]
fn three_points_win_and_six_empty_rounds_are_a_draw() {
    let mut game = opened();
    for _ in 0..GOAL {
        ["2", "1", "pass"].into_iter().zip(0..).for_each(|(word, seat)| bid(&mut game, seat, word));
    }
    assert_eq!(game.outcome().unwrap().winners, PlayerSet::only(Player::new(0)));
    assert!(game.to_move().is_empty() && game.legal_moves(Player::new(0)).is_empty());
    let late = game.play(Player::new(0), &Notation::parse("1").unwrap(), &mut Die(Some(0)));
    assert_eq!(late, Err(Refused::Illegal));

    let mut game = opened();
    for _ in 0..ROUNDS {
        assert_eq!(game.outcome(), None);
        (0..SEATS).for_each(|seat| bid(&mut game, seat, "pass"));
    }
    assert!(GameResult::from(game.outcome().unwrap()).draw);
}

#[test]
fn two_players_with_the_most_points_both_win() {
    let mut game = opened();
    for round in 0..ROUNDS {
        let words = match round {
            0 | 1 => ["1", "pass", "pass"],
            2 | 3 => ["pass", "1", "pass"],
            _ => ["pass"; 3],
        };
        words.into_iter().zip(0..).for_each(|(word, seat)| bid(&mut game, seat, word));
    }
    assert_eq!(seats_of(game.outcome().unwrap().winners), [0, 1]);
}

#[test]
fn a_saved_game_reads_back_and_other_text_does_not() {
    for saved in ["???", "1??", "?p3", "5331,???", ".12p,0222,p?1", ".ppp,.ppp,.ppp,.ppp,.ppp,.ppp,???"] {
        assert_eq!(SEALED_BIDS.restore(saved).unwrap().save(), saved);
    }
    let wrong = ["", "123", "??", "4??", "6331,???", ".331,???", "512p,???", ",???", ".???,???", "é??"];
    for saved in wrong {
        assert!(SEALED_BIDS.restore(saved).is_err(), "{saved:?}");
    }
    assert!(SEALED_BIDS.restore(".3pp,.3pp,.3pp,1??").is_err(), "the game was over");
}

#[test]
fn only_three_seats_and_the_standard_variant_are_accepted() {
    assert_eq!(SEALED_BIDS.open("standard", 2).unwrap_err(), SetupRefused::Seats);
    assert_eq!(SEALED_BIDS.open("blitz", 3).unwrap_err(), SetupRefused::Variant);
    assert!(crate::CATALOG.find("sealed_bids").is_none());
}

/// A die that shows one number, or none.
struct Die(Option<u64>);

impl Chance for Die {
    fn below(&mut self, n: u64) -> Option<u64> {
        assert_eq!(n, DIE_SIDES);
        self.0
    }
}

fn opened() -> Box<dyn Position> {
    SEALED_BIDS.open("standard", SEATS).unwrap()
}

fn bid(game: &mut Box<dyn Position>, seat: u8, word: &str) {
    game.play(Player::new(seat), &Notation::parse(word).unwrap(), &mut Die(Some(0))).unwrap();
}

fn seats_of(set: PlayerSet) -> Vec<u8> {
    set.iter().map(Player::seat).collect()
}
