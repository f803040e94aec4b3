//! Endings: mate and the automatic draws, on the very half-move on which they arise.

use super::{P0, P1, mover, play, position, reason};
use crate::Game as _;
use crate::chess::CHESS;
use alloc::string::String;

/// Both knights out and back: the same position after four half-moves.
const KNIGHT_DANCE: &str = "g1f3 g8f6 f3g1 f6g8";

#[test]
fn the_third_occurrence_of_a_position_is_a_draw_but_the_second_is_not() {
    let mut game = CHESS.open("standard", 2).unwrap();
    play(&mut *game, KNIGHT_DANCE);
    play(&mut *game, "g1f3 g8f6 f3g1");
    assert_eq!(reason(&*game), "-");
    play(&mut *game, "f6g8");
    assert_eq!(reason(&*game), "threefold_repetition");
    assert!(game.outcome().unwrap().winners.is_empty());
}

#[test]
fn a_game_that_is_over_has_no_player_to_move_and_no_legal_move() {
    let mut game = CHESS.open("standard", 2).unwrap();
    play(&mut *game, KNIGHT_DANCE);
    play(&mut *game, KNIGHT_DANCE);
    let before = game.save();
    assert_eq!(mover(&*game), None);
    assert!(game.legal_moves(P0).is_empty() && game.legal_moves(P1).is_empty());
    assert!(super::send(&mut *game, "e2e4").is_err());
    assert_eq!(game.save(), before);
}

#[test]
fn repetition_counts_en_passant_only_where_a_legal_capture_exists() {
    // (what is special, position, the double step, four half-moves that come back, draw after so many half-moves)
    let table = [
        ("no pawn stands beside", super::OPENING, "e2e4", "g8f6 g1f3 f6g8 f3g1", 8),
        ("the pawn beside is pinned", "3k4/8/8/8/3p4/8/4P3/K2R4 w - - 0 1", "e2e4", "d8d7 a1b1 d7d8 b1a1", 8),
        // The first position is another one, so the second one of the round is the first to come three times.
        ("the capture is legal", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", "e8d8 e1d1 d8e8 d1e1", 9),
    ];
    for (special, fen, double_step, round_trip, expected) in table {
        let mut game = position(fen);
        play(&mut *game, double_step);
        let mut half_moves = 0;
        for text in round_trip.split(' ').cycle().take(12) {
            if game.outcome().is_some() {
                break;
            }
            play(&mut *game, text);
            half_moves += 1;
        }
        assert_eq!((half_moves, reason(&*game)), (expected, "threefold_repetition".into()), "{special}");
    }
}

#[test]
fn a_lost_castling_right_makes_a_different_position() {
    let mut game = position("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1");
    // The rooks go out and come back; from then on nobody may castle, and only then does counting begin.
    play(&mut *game, "h1h2 a8a7 h2h1 a7a8");
    assert_eq!(game.state_string(), "r3k3/8/8/8/8/8/8/4K2R w - - 4 3");
    play(&mut *game, "h1h2 a8a7 h2h1 a7a8 h1h2");
    // To the eye the rooks stand so for the third time, but the first time Black could still castle.
    assert_eq!(reason(&*game), "-");
    play(&mut *game, "a8a7");
    assert_eq!(reason(&*game), "threefold_repetition");
}

#[test]
fn a_saved_game_still_knows_how_often_a_position_has_occurred() {
    let mut game = CHESS.open("standard", 2).unwrap();
    play(&mut *game, KNIGHT_DANCE);
    play(&mut *game, "g1f3 g8f6 f3g1");
    let mut restored = CHESS.restore(&game.save()).unwrap();
    let mut forgetful = position(&game.state_string());
    play(&mut *restored, "f6g8");
    play(&mut *forgetful, "f6g8");
    assert_eq!(reason(&*restored), "threefold_repetition");
    assert_eq!(reason(&*forgetful), "-");
}

#[test]
fn a_hundred_half_moves_without_capture_or_pawn_move_are_a_draw() {
    let mut game = position("8/8/8/4k3/8/8/R7/4K3 w - - 98 80");
    play(&mut *game, "a2a3");
    assert_eq!(reason(&*game), "-");
    play(&mut *game, "e5d5");
    assert_eq!(reason(&*game), "fifty_moves");
}

#[test]
fn a_capture_or_a_pawn_move_restarts_the_count_of_fifty() {
    for (text, clock) in [("a2a3", 0), ("e1e2", 0), ("e1d1", 100)] {
        let mut game = position("8/8/8/6k1/8/8/P3n3/4K3 w - - 99 80");
        play(&mut *game, text);
        let fen = game.state_string();
        assert_eq!(fen.split(' ').nth(4), Some(if clock == 0 { "0" } else { "100" }), "{text}");
        assert_eq!(reason(&*game) == "fifty_moves", clock == 100, "{text}");
    }
}

#[test]
fn the_documented_order_decides_between_simultaneous_endings() {
    // (position, moves, reason, whether p0 wins)
    let table = [
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1a8", "checkmate", true),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80", "f1f7", "stalemate", false),
        ("8/8/8/4k3/8/8/R7/4K3 w - - 92 80", ROUND_TRIPS, "fifty_moves", false),
        ("8/8/8/4k3/8/8/R7/4K3 w - - 91 80", ROUND_TRIPS, "threefold_repetition", false),
        ("8/8/8/8/8/1K6/1B6/k7 b - - 0 80", "", "insufficient_material", false),
        ("k7/1N6/1K6/8/8/8/8/8 b - - 0 80", "", "insufficient_material", false),
        ("k7/2K5/8/3B4/8/8/8/8 b - - 0 80", "", "insufficient_material", false),
        ("k7/B7/1K6/8/8/8/8/1b6 b - - 0 80", "", "-", false),
        ("k7/B1K5/8/8/8/8/8/8 b - - 0 80", "", "insufficient_material", false),
        ("k7/2K5/1B6/8/8/8/8/8 b - - 0 80", "", "stalemate", false),
    ];
    for (fen, moves, expected, white_wins) in table {
        let mut game = position(fen);
        play(&mut *game, moves);
        assert_eq!(reason(&*game), expected, "{fen} {moves}");
        let winners = game.outcome().map(|outcome| outcome.winners).unwrap_or_default();
        assert_eq!((winners.contains(P0), winners.contains(P1)), (white_wins, false), "{fen} {moves}");
    }
}

#[test]
fn checkmate_is_won_by_the_side_that_gave_it() {
    let mut game = CHESS.open("standard", 2).unwrap();
    play(&mut *game, "f2f3 e7e5 g2g4 d8h4");
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.reason.as_str(), "checkmate");
    assert!(outcome.winners.contains(P1) && !outcome.winners.contains(P0));
    assert_eq!(game.public()["check"], true);
}

#[test]
fn insufficient_material_is_a_draw_but_merely_little_material_is_not() {
    // (pieces besides the kings, drawn); light squares: c8, f1; dark squares: f8, c1.
    let table = [
        ("2k5/8/8/8/8/8/8/4K3", true),
        ("2k5/8/8/8/8/8/8/4KB2", true),
        ("2k5/8/8/8/8/8/8/4K1N1", true),
        ("2k4n/8/8/8/8/8/8/4K3", true),
        ("k1b5/8/8/8/8/8/8/4KB2", true),
        ("k4b2/8/8/8/8/8/8/2B1K3", true),
        ("k1b5/8/8/8/8/8/8/B1B1K3", false),
        ("k7/8/8/8/8/8/8/B1B1K3", true),
        ("k4b2/8/8/8/8/8/8/4KB2", false),
        ("k7/8/8/8/8/8/8/1NN1K3", false),
        ("k5n1/8/8/8/8/8/8/4K1N1", false),
        ("k5n1/8/8/8/8/8/8/4KB2", false),
        ("k7/8/8/8/8/8/8/2B1KB2", false),
        ("k7/8/8/8/8/8/4P3/4K3", false),
        ("k7/8/8/8/8/8/8/4K2R", false),
        ("k7/8/8/8/8/8/8/3QK3", false),
    ];
    for (pieces, drawn) in table {
        for side in ["w", "b"] {
            let fen = String::from(pieces) + " " + side + " - - 0 50";
            let expected = if drawn { "insufficient_material" } else { "-" };
            assert_eq!(reason(&*position(&fen)), expected, "{fen}");
        }
    }
}

#[test]
fn the_capture_that_leaves_too_little_ends_the_game_at_once() {
    let mut game = position("8/8/8/8/8/2k5/8/3rK3 w - - 7 60");
    play(&mut *game, "e1d1");
    assert_eq!(reason(&*game), "insufficient_material");
}

/// Two rounds of king moves that come back to where they began.
const ROUND_TRIPS: &str = "e1d1 e5d5 d1e1 d5e5 e1d1 e5d5 d1e1 d5e5";
