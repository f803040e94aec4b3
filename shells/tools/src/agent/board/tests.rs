//! The strategies for known positions, in games played at random up to some turn.

use super::outlook::{Outlook, for_player, result};
use super::rebuilt::{Rebuilt, mover};
use crate::agent::dice::Dice;
use crate::agent::trial::{Plays, Trial};
use hall_games::CATALOG;
use hall_wire::Player;

/// Some turns of two random games of every variant in which both players know the position.
fn turns(mut check: impl FnMut(&'static str, &Trial)) {
    for game in CATALOG.iter().map(|game| game.describe()).filter(|game| game.information == "perfect") {
        // Here both players know the position, but not what the other does in the same turn.
        if game.simultaneous {
            continue;
        }
        for variant in game.variant_ids() {
            for seed in [1, 2] {
                let mut trial = Trial::new(game.id, variant, seed);
                for step in [0, 1, 2, 5, 9, 20, 40] {
                    trial.play_out(&[Plays::Random; 2], step);
                    if mover(&*trial.position).is_some() {
                        check(game.id, &trial);
                    }
                }
            }
        }
    }
}

#[test]
fn the_position_behind_a_view_is_found_in_every_game() {
    let mut found = 0;
    turns(|game, trial| {
        let player = mover(&*trial.position).unwrap();
        let rebuilt = Rebuilt::of(&trial.view(player)).unwrap_or_else(|| panic!("{game} {trial:?}"));
        assert_eq!(rebuilt.game, game);
        assert_eq!(rebuilt.position.state_string(), trial.position.state_string());
        found += 1;
    });
    assert!(found > 100, "{found}");
}

#[test]
fn a_view_whose_state_is_not_where_its_history_leads_has_no_position() {
    let mut trial = Trial::new("othello", "standard", 1);
    trial.play_out(&[Plays::Random; 2], 6);
    let mut view = trial.view(mover(&*trial.position).unwrap());
    assert!(Rebuilt::of(&view).is_some());
    view.state_string.make_ascii_lowercase();
    assert!(Rebuilt::of(&view).is_none());
}

#[test]
fn the_earlier_boards_that_superko_needs_are_known() {
    let mut trial = Trial::new("go", "standard", 3);
    trial.play_out(&[Plays::Random; 2], 60);
    let view = trial.view(mover(&*trial.position).unwrap());
    assert_eq!(Rebuilt::of(&view).unwrap().position.save(), trial.position.save());
}

#[test]
fn a_win_is_taken_and_a_loss_is_prevented() {
    for (moves, best) in [
        // Three in a column: to win, and to prevent.
        (&["1", "2", "1", "2", "1", "2"][..], "1"),
        (&["1", "7", "1", "7", "1"], "1"),
    ] {
        let mut trial = Trial::new("connect_four", "standard", 1);
        for (turn, notation) in moves.iter().enumerate() {
            trial.play(&[(Player::new(u8::from(turn % 2 == 1)), (*notation).to_owned())]);
        }
        let view = trial.view(mover(&*trial.position).unwrap());
        for seed in 0..5 {
            assert_eq!(Plays::Search(3_000).choose(&view, Dice::new(seed)), best, "{moves:?}");
        }
    }
}

#[test]
fn who_has_more_is_ahead() {
    let worth = |game: &str, saved: &str| {
        let position = CATALOG.find(game).unwrap().restore(saved).unwrap_or_else(|_| panic!("{saved}"));
        Outlook::of(game, 0).value(&*position)
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let no_queen = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(worth("atomic", start), 0.0);
    assert!(worth("atomic", no_queen) > 0.5);
    let no_queen = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1";
    assert!(worth("antichess", no_queen) < 0.0, "fewer pieces are better");
    assert!(worth("crazyhouse", "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Q] w KQkq - 0 1") > 0.3);
    assert!(worth("checkers", "B:W21:BK1,2") > 0.3);
    assert!(worth("checkers", "W:W21,K22:B1") < -0.3);
    let even = "-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2 bar 0,0 off 0,0 dice - to - turn - after 0 touched -";
    assert_eq!(worth("backgammon", even), 0.0);
    let hit = "-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-4,0,0,0,0,2 bar 0,1 off 0,0 dice - to - turn p1 after 3 touched -";
    assert!(worth("backgammon", hit) > 0.0, "{}", worth("backgammon", hit));
}

#[test]
fn a_result_is_told_for_both_players() {
    let mut trial = Trial::new("connect_four", "standard", 1);
    for (turn, notation) in ["1", "2", "1", "2", "1", "2", "1"].iter().enumerate() {
        assert_eq!(result(&*trial.position), None);
        trial.play(&[(Player::new(u8::from(turn % 2 == 1)), (*notation).to_owned())]);
    }
    let value = result(&*trial.position).unwrap();
    assert_eq!([0, 1].map(|seat| for_player(value, Player::new(seat))), [1.0, -1.0]);
}
