//! What is a move on the wire and what is not, and how it is written for people.

use super::{P0, P1, mover, notations, play, position, san, send};
use crate::chess::CHESS;
use crate::{Game as _, NoChance, Refused, SetupRefused};
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::Notation;

const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
const EN_PASSANT: &str = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
const PROMOTION: &str = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1";

#[test]
fn each_move_has_one_spelling_and_all_others_are_illegal() {
    let table: [(&str, &[&str], &[&str]); 4] = [
        (
            super::OPENING,
            &["e2e4", "g1f3"],
            &[
                "e4", "Nf3", "E2E4", "e2E4", "e2-e4", "e2e4q", "e2e4+", "e2e5", "e7e5", "0000", "--", "e2",
                "P@e4",
            ],
        ),
        (CASTLING, &["e1g1", "e1c1"], &["O-O", "O-O-O", "0-0", "e1h1", "e1a1", "e1b1", "h1e1", "e8g8"]),
        (EN_PASSANT, &["e5d6"], &["exd6", "e5d5", "e5d6q", "e5f6", "e5d6ep"]),
        (
            PROMOTION,
            &["a7a8q", "a7a8r", "a7a8b", "a7a8n", "a7b8q"],
            &["a7a8", "a7b8", "a7a8Q", "a7a8=Q", "a7a8=q", "a8=Q", "a7a8k", "a7a8p", "a7a8qq", "a7a8 "],
        ),
    ];
    for (fen, legal, illegal) in table {
        for text in legal {
            assert!(send(&mut *position(fen), text).is_ok(), "{text} in {fen}");
        }
        for text in illegal.iter().filter(|text| Notation::parse(text).is_some()) {
            let mut game = position(fen);
            assert_eq!(send(&mut *game, text), Err(Refused::Illegal), "{text} in {fen}");
            assert_eq!(game.save(), fen, "a refused move changes nothing");
        }
    }
}

#[test]
fn nobody_moves_out_of_turn() {
    let mut game = position(super::OPENING);
    for player in [P1, hall_wire::Player::new(2)] {
        for text in ["e2e4", "e7e5"] {
            let answer = game.play(player, &Notation::parse(text).unwrap(), &mut NoChance);
            assert_eq!(answer, Err(Refused::Illegal), "{player} {text}");
        }
    }
    assert_eq!(mover(&*game), Some(P0));
}

#[test]
fn castling_needs_its_right_an_empty_path_and_no_attack_on_the_way() {
    // (position, moves of the king that castle)
    let table: [(&str, &[&str]); 8] = [
        (CASTLING, &["e1c1", "e1g1"]),
        ("r3k2r/8/8/8/8/8/8/R3K2R b kq - 0 1", &["e8c8", "e8g8"]),
        ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", &["e1c1"]),
        ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", &["e1g1"]),
        ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", &["e1c1"]),
        ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", &["e1c1", "e1g1"]),
        ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", &[]),
        ("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", &[]),
    ];
    for (fen, expected) in table {
        let castles: Vec<String> = notations(&*position(fen))
            .into_iter()
            .filter(|text| ["e1c1", "e1g1", "e8c8", "e8g8"].contains(&text.as_str()))
            .collect();
        assert_eq!(castles, expected, "{fen}");
    }
}

#[test]
fn the_fen_names_an_en_passant_square_only_where_a_legal_capture_exists() {
    // (position, double step, the square in the FEN after it)
    let table = [
        (super::OPENING, "e2e4", "-"),
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", "e3"),
        ("3k4/8/8/8/3p4/8/4P3/K2R4 w - - 0 1", "e2e4", "-"),
        ("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4", "-"),
        ("4k3/4p3/8/3P1P2/8/8/8/4K3 b - - 0 1", "e7e5", "e6"),
    ];
    for (fen, text, expected) in table {
        let mut game = position(fen);
        play(&mut *game, text);
        assert_eq!(game.state_string().split(' ').nth(3), Some(expected), "{fen}");
    }
}

#[test]
fn san_names_just_as_much_of_the_origin_as_is_needed() {
    let table = [
        (super::OPENING, "e2e4", "e4"),
        (super::OPENING, "g1f3", "Nf3"),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "a1d1", "Rd1"),
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1"),
        ("4k3/8/8/R7/8/8/4K3/R7 w - - 0 1", "a1a3", "R1a3"),
        ("1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        ("7k/8/8/8/8/1N6/7K/1N3N2 w - - 0 1", "b1d2", "Nb1d2"),
        ("7k/8/8/8/2N5/8/8/4N2K w - - 0 1", "c4d2", "Nd2"),
        // The other knight could go there too but is pinned, so nothing has to be told apart.
        ("4r2k/8/8/8/8/2N5/4N3/4K3 w - - 0 1", "c3d5", "Nd5"),
        ("k3r3/8/8/8/8/2N5/8/K3N3 w - - 0 1", "c3d5", "Nd5"),
        ("k3r3/8/8/8/8/8/4N3/N3K3 w - - 0 1", "a1c2", "Nc2"),
        ("k3r3/8/8/8/8/4N3/8/N3K3 w - - 0 1", "a1c2", "Nc2"),
        ("k7/8/8/8/8/4N3/8/N3K3 w - - 0 1", "a1c2", "Nac2"),
        (CASTLING, "e1g1", "O-O"),
        (CASTLING, "e1c1", "O-O-O"),
        (CASTLING, "a1a8", "Rxa8+"),
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"),
        (EN_PASSANT, "e5d6", "exd6"),
        (PROMOTION, "a7a8q", "a8=Q"),
        (PROMOTION, "a7b8q", "axb8=Q+"),
        (PROMOTION, "a7b8n", "axb8=N"),
        ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8", "Ra8#"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7", "Qf7"),
    ];
    for (fen, text, expected) in table {
        assert_eq!(san(&mut *position(fen), text), expected, "{text} in {fen}");
    }
}

#[test]
fn legal_moves_are_sorted_by_notation_and_say_in_words_what_they_do() {
    let table = [
        (super::OPENING, "e2e4", "pawn e2 to e4"),
        (super::OPENING, "b1c3", "knight b1 to c3"),
        (CASTLING, "e1g1", "king e1 to g1, castles kingside"),
        (CASTLING, "e1c1", "king e1 to c1, castles queenside"),
        (CASTLING, "a1a8", "rook a1 to a8, captures rook"),
        (EN_PASSANT, "e5d6", "pawn e5 to d6, captures pawn en passant"),
        (PROMOTION, "a7a8n", "pawn a7 to a8, promotes to knight"),
        (PROMOTION, "a7b8q", "pawn a7 to b8, captures knight, promotes to queen"),
        ("4k3/8/8/3b4/8/8/8/2Q1K3 w - - 0 1", "c1c8", "queen c1 to c8"),
    ];
    for (fen, text, expected) in table {
        let legal = position(fen).legal_moves(P0);
        assert!(legal.windows(2).all(|pair| pair[0].notation.as_str() < pair[1].notation.as_str()), "{fen}");
        let entry = legal.iter().find(|entry| entry.notation.as_str() == text).unwrap();
        assert_eq!(entry.summary, expected);
    }
    assert_eq!(notations(&*position(PROMOTION))[..4], ["a7a8b", "a7a8n", "a7a8q", "a7a8r"]);
}

#[test]
fn chess_is_played_by_two_and_has_no_variants() {
    assert_eq!(CHESS.open("standard", 2).unwrap().save(), super::OPENING);
    for seats in [0, 1, 3, 255] {
        assert_eq!(CHESS.open("standard", seats).unwrap_err(), SetupRefused::Seats);
    }
    for variant in ["", "chess960", "Standard"] {
        assert_eq!(CHESS.open(variant, 2).unwrap_err(), SetupRefused::Variant);
    }
    assert!(crate::CATALOG.find("chess").is_some());
}
