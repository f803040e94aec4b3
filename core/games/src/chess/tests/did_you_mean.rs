//! Which legal move an illegal text is taken for.

use super::{mover, notations, position, send};
use crate::Refused;
use alloc::string::ToString;
use hall_wire::Notation;

#[test]
fn a_legal_move_in_another_spelling_is_recognised() {
    let table: [(&str, &[(&str, &str)]); 6] = [
        (
            super::OPENING,
            &[
                ("e4", "e2e4"),
                ("Nf3", "g1f3"),
                ("Nf3+", "g1f3"),
                ("Ng1f3!?", "g1f3"),
                ("NF3", "g1f3"),
                ("nf3", "g1f3"),
                ("E2E4", "e2e4"),
                ("e2-e4", "e2e4"),
                ("Pe2-e4", "e2e4"),
            ],
        ),
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            &[
                ("O-O", "e1g1"),
                ("0-0", "e1g1"),
                ("o-o+", "e1g1"),
                ("O-O-O", "e1c1"),
                ("0-0-0", "e1c1"),
                ("e1h1", "e1g1"),
                ("E1A1", "e1c1"),
                ("Kg1", "e1g1"),
                ("Rxa8+", "a1a8"),
            ],
        ),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", &[("exd6", "e5d6"), ("ed6", "e5d6"), ("e5xd6", "e5d6")]),
        (
            "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1",
            &[
                ("a7a8", "a7a8q"),
                ("a7b8", "a7b8q"),
                ("a8", "a7a8q"),
                ("axb8", "a7b8q"),
                ("a7a8=R", "a7a8r"),
                ("a8=N", "a7a8n"),
                ("A7A8B", "a7a8b"),
                ("axb8=Q#", "a7b8q"),
            ],
        ),
        // A bishop and a pawn of the b-file that can both go to c4: only the case of the letter tells them apart.
        (
            "4k3/8/8/8/2p5/1P6/4B3/4K3 w - - 0 1",
            &[("Bxc4", "e2c4"), ("bxc4", "b3c4"), ("BC4", "b3c4"), ("bd3", "e2d3")],
        ),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", &[("Rad1", "a1d1"), ("R1a8+", "a1a8"), ("Rh1-f1", "h1f1")]),
    ];
    for (fen, spellings) in table {
        let game = position(fen);
        let mover = mover(&*game).unwrap();
        for (written, meant) in spellings {
            let found = game.did_you_mean(mover, &Notation::parse(written).unwrap());
            assert_eq!(found.map(|found| found.to_string()).as_deref(), Some(*meant), "{written} in {fen}");
            assert_eq!(
                send(&mut *position(fen), written),
                Err(Refused::Illegal),
                "{written} is no move itself"
            );
        }
    }
}

#[test]
fn a_text_that_is_a_legal_move_or_fits_none_or_several_is_not_recognised() {
    let table: [(&str, &[&str]); 5] = [
        (super::OPENING, &["e2e4", "e2e5", "Ke2", "Nf6", "O-O", "e1g1", "0000", "--", "x", "e2e4q", "Bb5#"]),
        ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", &["O-O-O", "e1a1"]),
        // Two rooks, and two knights on one file.
        ("4k3/8/8/8/8/8/K7/R6R w - - 0 1", &["Rd1", "rd1"]),
        ("4k3/8/8/1N6/8/1N6/8/4K3 w - - 0 1", &["Nd4", "Nbd4"]),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", &["a8=K", "a7a8qq", "a7a8p", "aaaaaaaaaaaaaaaa"]),
    ];
    for (fen, texts) in table {
        let game = position(fen);
        let mover = mover(&*game).unwrap();
        for text in texts {
            assert_eq!(game.did_you_mean(mover, &Notation::parse(text).unwrap()), None, "{text} in {fen}");
        }
        let other = super::P1;
        assert_eq!(
            game.did_you_mean(other, &Notation::parse("e5").unwrap()),
            None,
            "who is not to move means nothing"
        );
        assert!(!notations(&*game).is_empty());
    }
}

#[test]
fn a_game_that_is_over_has_no_move_that_could_be_meant() {
    let mated = position("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
    assert_eq!(mated.did_you_mean(super::P0, &Notation::parse("Nh3").unwrap()), None);
}
