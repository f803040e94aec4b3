//! Counts of all move sequences, against published tables.

use super::{P0, P1, position};
use crate::chess::CHESS;
use crate::chess_family::testing::assert_counts;

#[test]
fn the_counts_of_legal_move_sequences_match_the_published_tables() {
    let table: [(&str, &[usize]); 6] = [
        (super::OPENING, &[20, 400, 8_902, 197_281]),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2_039, 97_862]),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238]),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9_467]),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379]),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", &[46, 2_079, 89_890]),
    ];
    for (fen, counts) in table {
        assert_counts(&CHESS, fen, counts);
    }
}

#[test]
fn only_the_side_to_move_has_moves() {
    let opening = position(super::OPENING);
    assert_eq!(opening.legal_moves(P0).len(), 20);
    assert!(opening.legal_moves(P1).is_empty());
    assert!(opening.legal_moves(hall_wire::Player::new(2)).is_empty());
    assert_eq!(opening.default_action(P0), None);
}
