//! Explosions, kings, ends and texts of atomic chess.

use super::ATOMIC;
use crate::chess_family::testing::{assert_counts, ending, pgn, replayed_example, san, summary, verdicts};
use crate::testing::{P0, notations, play, restored};
use crate::{Game as _, GameResult, Reason, Viewer};
use alloc::string::ToString as _;

const OPENING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn a_capture_removes_both_pieces_and_all_but_pawns_around() {
    // (position, move, position after it)
    let table = [
        (
            "r1bqkbnr/pppppppp/2n5/8/3N4/8/PPPPPPPP/RNBQKB1R w KQkq - 2 2",
            "d4c6",
            "r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R b KQkq - 0 2",
        ),
        ("7k/8/1nbr4/1qp1N3/1BRQ4/8/8/K7 b - - 0 1", "c5d4", "7k/8/1nbr4/1q6/1B6/8/8/K7 w - - 0 2"),
        // En passant explodes where the pawn arrives.
        ("4k3/8/4n3/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", "4k3/8/8/8/8/8/8/4K3 b - - 0 2"),
        ("4k3/2r1r3/1p6/3pP3/1p6/8/8/4K3 w - d6 0 2", "e5d6", "4k3/8/1p6/8/1p6/8/8/4K3 b - - 0 2"),
        // A capture with promotion leaves nothing of the new piece.
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
        // Rooks that explode take their castling rights with them.
        ("r3k2r/8/8/8/8/8/1b6/RN2K2R b KQkq - 0 1", "b2a1", "r3k2r/8/8/8/8/8/8/4K2R w Kkq - 0 2"),
        ("r3k2r/8/8/8/4b3/8/6P1/R3K2R b KQkq - 0 1", "e4g2", "r3k2r/8/8/8/8/8/8/R3K3 w Qkq - 0 2"),
    ];
    for (fen, text, expected) in table {
        let mut game = restored(&ATOMIC, fen);
        play(&mut *game, text);
        assert_eq!(game.state_string(), expected, "{text} in {fen}");
    }
}

#[test]
fn kings_do_not_capture_and_nobody_explodes_its_own_king() {
    // (position, legal, illegal)
    let table = [
        ("8/8/8/8/8/3k4/3p4/4K2R w K - 0 50", "e1e2 e1f1", "e1d2 h1h2"),
        ("4k3/8/8/8/8/8/4r3/3QK3 w - - 0 30", "e1f1", "d1e2"),
        // Exploding both kings is exploding one's own.
        ("4R3/8/8/8/8/8/3kr3/3K4 w - - 0 30", "e8e3", "e8e2"),
    ];
    for (fen, legal, illegal) in table {
        let listed = notations(&*restored(&ATOMIC, fen));
        for text in legal.split(' ') {
            assert!(listed.contains(&text.to_string()), "{text} in {fen}: {listed:?}");
        }
        for text in illegal.split(' ') {
            assert!(!listed.contains(&text.to_string()), "{text} in {fen}");
        }
    }
}

#[test]
fn the_fen_names_an_en_passant_square_exactly_where_the_capture_is_legal() {
    // (position, the square in the FEN after e7e5, whether f5e6 is legal)
    let table = [
        ("4k3/4p3/8/5P2/8/8/8/4K3 b - - 0 87", "e6", true),
        // The own king would explode.
        ("8/4p1k1/2Rr1K1p/p4PpP/6P1/8/8/8 b - - 0 87", "-", false),
        // White is in check, but the other king explodes.
        ("1rbq1b1r/3kppp1/p2p4/1p1n1PKp/P6P/4P3/3PN1PR/3B4 b - - 0 22", "e6", true),
        // White is in check, and nothing ends it but a move of its king.
        ("3q3k/4p3/8/5PK1/8/8/8/8 b - - 0 22", "-", false),
    ];
    for (fen, square, legal) in table {
        let mut game = restored(&ATOMIC, fen);
        play(&mut *game, "e7e5");
        assert_eq!(game.state_string().split(' ').nth(3), Some(square), "{fen}");
        assert_eq!(notations(&*game).contains(&"f5e6".to_string()), legal, "{fen}");
    }
}

#[test]
fn kings_that_touch_are_not_in_check_and_may_stay_so() {
    // (position, whether the side to move is in check)
    let table = [
        ("8/8/8/8/3k4/3K4/8/r2q4 w - - 0 1", false),
        ("8/8/3k4/8/3K4/8/8/3q4 w - - 0 1", true),
        ("8/8/8/3k4/3K4/8/8/3q4 w - - 0 1", false),
    ];
    for (fen, check) in table {
        assert_eq!(restored(&ATOMIC, fen).public()["check"], check, "{fen}");
    }
    // A king escapes a check to the other king's side, and may not leave it into an attack.
    let listed = notations(&*restored(&ATOMIC, "8/8/3k4/8/3K4/8/8/3q4 w - - 0 1"));
    assert!(listed.contains(&"d4d5".to_string()) && !listed.contains(&"d4d3".to_string()), "{listed:?}");
    let listed = notations(&*restored(&ATOMIC, "8/8/8/3k4/3K4/8/8/3q4 w - - 0 1"));
    assert!(listed.contains(&"d4c4".to_string()) && !listed.contains(&"d4d3".to_string()), "{listed:?}");
}

#[test]
fn the_counts_of_legal_move_sequences_match_the_published_tables() {
    let table: [(&str, &[usize]); 3] = [
        (OPENING, &[20, 400, 8_902, 197_326]),
        ("rn2kb1r/1pp1p2p/p2q1pp1/3P4/2P3b1/4PN2/PP3PPP/R2QKB1R b KQkq - 0 1", &[40, 1_238, 45_237]),
        ("rn1qkb1r/p5pp/2p5/3p4/N3P3/5P2/PPP4P/R1BQK3 w Qkq - 0 1", &[28, 833, 23_353]),
    ];
    for (fen, counts) in table {
        assert_counts(&ATOMIC, fen, counts);
    }
}

#[test]
fn the_documented_order_decides_how_a_game_ends() {
    // (position, moves, end)
    let table = [
        ("rnb1kbnr/pppp1ppp/4p3/6N1/7q/8/PPPPP1PP/RNBQKB1R w KQkq - 0 5", "g5f7", "explosion p0"),
        ("4k3/8/8/8/8/8/3P1r2/R3K3 b - - 0 5", "f2d2", "explosion p1"),
        // Out of check, and on the hundredth half-move, which a capture is not.
        ("4k3/4p3/8/8/7b/8/8/R3K2R w - - 99 60", "h1h4", "-"),
        ("3rkr2/3ppp2/8/8/8/8/8/K3Q3 w - - 99 60", "e1e7", "explosion p0"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 60", "a1a8", "checkmate p0"),
        ("7k/8/6K1/8/8/8/7P/5Q2 w - - 10 60", "f1f7", "-"),
        ("7k/5Q2/8/8/8/6K1/8/8 b - - 10 60", "", "stalemate"),
        ("7k/5Q2/8/6K1/8/8/8/8 b - - 99 60", "", "stalemate"),
        ("8/8/8/4k3/8/8/R6P/4K3 w - - 99 80", "a2a3", "fifty_moves"),
        (
            "8/8/8/4k3/8/8/R6P/4K3 w - - 0 80",
            "e1d1 e5d5 d1e1 d5e5 e1d1 e5d5 d1e1 d5e5",
            "threefold_repetition",
        ),
        ("r3k3/8/8/8/8/8/8/R3K3 w - - 0 80", "a1a8", "insufficient_material"),
    ];
    for (fen, moves, expected) in table {
        let mut game = restored(&ATOMIC, fen);
        play(&mut *game, moves);
        assert_eq!(ending(&*game), expected, "{fen} {moves}");
        assert_eq!(ending(&*restored(&ATOMIC, &game.save())), expected, "restored {fen}");
    }
}

#[test]
fn insufficient_material_is_judged_by_what_can_still_explode() {
    // (board, drawn)
    let table = [
        ("4k3/8/8/8/8/8/8/4K3", true),
        ("4k3/8/8/8/8/8/8/R3K3", true),
        ("4k3/8/8/8/8/8/8/B3K3", true),
        ("4k3/8/8/8/8/8/8/N3K3", true),
        ("4k3/8/8/8/8/8/8/NN2K3", true),
        ("4k3/8/8/8/8/8/8/NNN1K3", false),
        ("4k3/8/8/8/8/8/8/RB2K3", false),
        ("4k3/8/8/8/8/8/8/Q3K3", false),
        ("4k3/8/8/8/8/8/P7/4K3", false),
        ("n3k3/8/8/8/8/8/8/N3K3", false),
        ("b3k3/8/8/8/8/8/8/B3K3", true),
        ("1b2k3/8/8/8/8/8/8/B3K3", false),
    ];
    for (board, drawn) in table {
        let game = restored(&ATOMIC, &(board.to_string() + " w - - 0 60"));
        assert_eq!(ending(&*game), if drawn { "insufficient_material" } else { "-" }, "{board}");
    }
}

#[test]
fn an_exploded_king_ends_texts_and_san_alike() {
    let mut game = restored(&ATOMIC, "rnb1kbnr/pppp1ppp/4p3/6N1/7q/8/PPPPP1PP/RNBQKB1R w KQkq - 0 5");
    assert_eq!(game.public()["check"], true);
    assert_eq!(game.picture(false).marks.len(), 1);
    assert_eq!(summary(&*game, "g5f7"), "knight g5 to f7, captures pawn, explodes");
    assert_eq!(san(&mut *game, "g5f7"), "Nxf7#");
    assert_eq!(game.state_string(), "rnb4r/pppp2pp/4p3/8/7q/8/PPPPP1PP/RNBQKB1R b KQ - 0 5");
    let text =
        game.board_text(&Viewer { player: P0, result: None, to_move: game.to_move(), last_move: None });
    assert!(text.contains("\nResult: 1-0, White (p0) wins by explosion\n"), "{text}");
    assert!(game.picture(true).marks.is_empty());
}

#[test]
fn a_pgn_names_the_variant() {
    let result = GameResult::won_by(P0, Reason::of_game("explosion"));
    let written = pgn(&ATOMIC, &[], "g1f3 f7f6 f3d4 g8h6 d4e6 a7a6 e6d8", &result);
    assert!(written.contains("[Result \"1-0\"]\n[Variant \"Atomic\"]\n\n"), "{written}");
    assert!(written.ends_with("\n1. Nf3 f6 2. Nd4 Nh6 3. Ne6 a6 4. Nxd8# 1-0\n"), "{written}");
}

#[test]
fn the_guide_teaches_what_the_code_answers() {
    let expected = "+g1f3 -Nf3 -E2E4 -e2e5 -0000 +d4c6 +d4e6 +g5f7 -a2a3 +g2g3 -e1d2 +e1e2 -d1e2 +e1f1 +e5f6 -e5f5 \
                    +a7a8q +a7b8q -a7a8";
    assert_eq!(verdicts(&ATOMIC), expected);
    assert_eq!(replayed_example(&ATOMIC, ATOMIC.open("standard", 2).unwrap()), "explosion p0");
}
