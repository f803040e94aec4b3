//! Legal moves, the swap, chains, and what can be restored.

use super::super::position::HexPosition;
use crate::board_games::testing::{after, ending, guesses};
use crate::hex::HEX;
use crate::testing::{P0, P1, count, listed, restored, send};
use crate::{Game as _, Refused};
use alloc::string::String;
use hall_wire::Player;

#[test]
fn the_counts_of_move_sequences_on_a_tiny_board_match_an_independent_program() {
    let opening = HexPosition::initial(3);
    for (depth, expected) in (1..).zip([9, 81, 576, 3_528, 18_144]) {
        assert_eq!(count(&opening, depth), expected, "depth {depth}");
    }
}

#[test]
fn legal_moves_are_the_empty_cells_by_their_bytes_and_the_swap_behind_them() {
    let game = after(&HEX, "standard", "a10");
    let legal = listed(&*game);
    assert!(legal.starts_with("a1 a11 a2 a3 a4 a5 a6 a7 a8 a9 b1 b10 b11 b2 "), "{legal}");
    assert!(legal.ends_with(" k8 k9 swap"), "{legal}");
    assert_eq!(legal.split(' ').count(), 121);
    assert_eq!(listed(&*after(&HEX, "small", "")).split(' ').count(), 49);
    assert!(game.legal_moves(P0).is_empty());
    assert!(game.legal_moves(Player::new(2)).is_empty());
    assert_eq!(game.default_action(P1), None);
    let summaries = |place: usize| game.legal_moves(P1)[place].summary.clone();
    assert_eq!(summaries(1), "stone on a11");
    assert_eq!(summaries(120), "swap: the stone on a10 goes, a stone of yours comes to j1");
}

#[test]
fn a_swap_mirrors_the_first_stone_and_gives_the_turn_back() {
    // (the first move, the state before the swap, after it)
    let table = [
        ("c5", "7/7/7/7/2x4/7/7 o swap", "7/7/4o2/7/7/7/7 x"),
        ("d4", "7/7/7/3x3/7/7/7 o swap", "7/7/7/3o3/7/7/7 x"),
        ("a7", "7/7/7/7/7/7/x6 o swap", "6o/7/7/7/7/7/7 x"),
    ];
    for (first, before, swapped) in table {
        let mut game = after(&HEX, "small", first);
        assert_eq!((game.state_string().as_str(), &game.public()["swap"]), (before, &true.into()));
        send(&mut *game, "swap").unwrap();
        assert_eq!((game.state_string().as_str(), &game.public()["swap"]), (swapped, &false.into()));
        assert_eq!(game.to_move().iter().next(), Some(P0));
        assert_eq!(send(&mut *game, "swap"), Err(Refused::Illegal));
    }
}

#[test]
fn a_swap_is_legal_only_as_the_second_move_of_the_game() {
    for moves in ["", "c5 c6", "c5 c6 d6", "c5 swap", "c5 swap c5", "c5 swap c5 c6", "d4 swap d3"] {
        let mut game = after(&HEX, "small", moves);
        assert_eq!(send(&mut *game, "swap"), Err(Refused::Illegal), "{moves}");
        assert!(!game.state_string().contains("swap"), "{moves}");
    }
}

#[test]
fn a_chain_between_the_own_edges_wins_and_no_other_does() {
    // (a position, a move, the ending)
    let table = [
        // Straight down, and along the slant to the lower left.
        ("3x3/3x3/3x3/3x3/3x3/3x3/ooo1ooo x;e7", "d7", "p0 connection"),
        ("6x/5x1/4x2/3x3/2x4/1x5/1oooooo x;g7", "a7", "p0 connection"),
        // The other slant does not hang together.
        ("x6/1x5/2x4/3x3/4x2/5x1/oooooo1 x;f7", "g7", "-"),
        // The first player gains nothing from left and right, the second nothing from top and bottom.
        ("oooooo1/7/7/xxxxxx1/7/7/7 x;f1", "g4", "-"),
        ("7/7/xxx4/oooooo1/xxx4/7/7 o;c3", "g4", "p1 connection"),
        ("3o3/3o3/3o3/3o3/3o3/3o3/xxx1xxx o;c7", "d7", "-"),
    ];
    for (saved, played, expected) in table {
        let mut game = restored(&HEX, saved);
        assert_eq!(ending(&*game), "-", "{saved}");
        send(&mut *game, played).unwrap();
        assert_eq!(ending(&*game), expected, "{played} in {saved}");
        assert_eq!(game.to_move().is_empty(), expected != "-");
        assert_eq!(listed(&*game).is_empty(), expected != "-");
    }
}

#[test]
fn a_move_in_another_spelling_is_recognised() {
    let game = after(&HEX, "standard", "c4");
    let texts = ["A11", "a 11", "11a", "k-1", "SWAP", "swap-pieces", "swap", "C4", "c4", "l1", "a12", "pass"];
    let expected =
        "A11=a11 a 11=a11 11a=a11 k-1=k1 SWAP=swap swap-pieces=swap swap=- C4=- c4=- l1=- a12=- pass=-";
    assert_eq!(guesses(&*game, &texts).join(" "), expected);
    let later = after(&HEX, "standard", "c4 c5");
    assert_eq!(guesses(&*later, &["SWAP", "A1"]), ["SWAP=-", "A1=a1"]);
}

#[test]
fn a_text_that_no_game_could_have_saved_is_not_restored() {
    let table = [
        ("", "nothing"),
        ("7/7/7/7/7/7/7", "nobody to move"),
        ("7/7/7/7/7/7/7 o", "the second player does not begin"),
        ("7/7/7/7/7/7/7 x;c5", "a last move on an empty board"),
        ("7/7/7/7/7/7/7 x swap", "nothing to swap"),
        ("3/3/3 x", "a board of another size"),
        ("7/7/7/7/2x4/7/7 o swap", "a stone, but no last move"),
        ("7/7/7/7/2x4/7/7 o;c5", "a swap that is not named"),
        ("7/7/7/7/2x4/7/7 o swap;c4", "an empty cell"),
        ("7/7/7/7/2x4/7/7 o swap;h5", "beyond the edge"),
        ("7/7/7/7/2x4/7/7 o swap;C5", "an upper case letter"),
        ("7/7/7/7/2x4/7/7 x;c5", "the stone is not the opponent's"),
        ("7/7/7/7/1xx4/7/7 o;c5", "two stones too many"),
        ("7/7/7/7/1oo4/7/7 x;c5", "two stones too many"),
        ("7/7/7/7/1xo4/7/7 x;b5", "the last stone is not the opponent's"),
        ("7/7/7/7/2X4/7/7 o swap;c5", "an unknown letter"),
        ("3x3/3x3/3x3/3x3/3x3/3x3/ooo1oo1 x;f7", "one stone too few"),
        ("o2x3/3x3/3x3/3x3/3x3/3x3/oooxooo x;g7", "a game that went on after the end"),
        ("o2x2x/3x3/3x3/3x3/3x3/3x3/oooxooo o;g1", "edges that were joined before the last stone"),
    ];
    for (saved, why) in table {
        assert!(HEX.restore(saved).is_err(), "{why}: {saved}");
    }
    for moves in ["", "c5", "c5 swap", "c5 swap c5", "c5 c4", "c5 swap c5 d5"] {
        let saved: String = after(&HEX, "small", moves).save();
        assert_eq!(restored(&HEX, &saved).save(), saved);
    }
}
