//! Forced captures, ordinary kings, ends and texts of antichess.

use super::ANTICHESS;
use crate::chess_family::testing::{
    assert_counts, did_you_mean, ending, pgn, replayed_example, san, summary, verdicts,
};
use crate::testing::{P0, notations, play, restored};
use crate::{Game as _, GameResult, Reason, Viewer};

const OPENING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1";

#[test]
fn while_a_capture_is_possible_only_captures_are_legal() {
    // (position, legal moves)
    let table = [
        ("rnbqkbnr/p1pppppp/8/1p6/8/4P3/PPPP1PPP/RNBQKBNR w - - 0 2", "f1b5"),
        ("8/8/8/3pP3/8/8/8/7R w - d6 0 40", "e5d6"),
        ("8/8/8/3p4/2P1P3/8/8/7R w - - 0 40", "c4d5 e4d5"),
        ("8/8/8/8/8/8/1k6/K7 w - - 0 40", "a1b2"),
        ("1r6/P7/8/8/8/8/8/8 w - - 0 40", "a7b8b a7b8k a7b8n a7b8q a7b8r"),
        ("8/8/8/8/8/8/8/K6k w - - 0 40", "a1a2 a1b1 a1b2"),
    ];
    for (fen, expected) in table {
        assert_eq!(notations(&*restored(&ANTICHESS, fen)).join(" "), expected, "{fen}");
    }
}

#[test]
fn kings_are_ordinary_pieces() {
    // Next to each other, attacked, several or none: no check, no mate, nothing illegal.
    let fens = [
        "8/8/8/3k4/8/3K4/8/7r w - - 0 40",
        "8/8/8/8/8/8/8/3KKK1r w - - 0 40",
        "8/8/8/8/8/8/P7/7r w - - 0 40",
        "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 40",
    ];
    for fen in fens {
        let game = restored(&ANTICHESS, fen);
        assert_eq!(game.public()["check"], false, "{fen}");
        assert!(game.picture(false).marks.is_empty());
        assert!(!notations(&*game).is_empty());
    }
    assert!(notations(&*restored(&ANTICHESS, fens[0])).contains(&"d3d4".into()));
    assert!(ANTICHESS.restore("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 40").is_err(), "nobody castles");
}

#[test]
fn a_pawn_promotes_to_a_king_too() {
    let mut game = restored(&ANTICHESS, "8/P7/8/8/8/8/7p/8 w - - 0 40");
    assert_eq!(notations(&*game).join(" "), "a7a8b a7a8k a7a8n a7a8q a7a8r");
    assert_eq!(summary(&*game, "a7a8k"), "pawn a7 to a8, promotes to king");
    assert_eq!(did_you_mean(&*game, "a8=K").as_deref(), Some("a7a8k"));
    assert_eq!(did_you_mean(&*game, "a7a8").as_deref(), Some("a7a8q"));
    assert_eq!(san(&mut *game, "a7a8k"), "a8=K");
    assert_eq!(game.state_string(), "K7/8/8/8/8/8/7p/8 b - - 0 40");
}

#[test]
fn the_counts_of_legal_move_sequences_match_the_published_tables() {
    let table: [(&str, &[usize]); 3] = [
        (OPENING, &[20, 400, 8_067, 153_299]),
        ("8/1p6/8/8/8/8/P7/8 w - - 0 1", &[2, 4, 4, 3, 1, 0]),
        ("8/2p5/8/8/8/8/P7/8 w - - 0 1", &[2, 4, 4, 4, 4, 4, 4, 4, 12, 36, 312, 2_557]),
    ];
    for (fen, counts) in table {
        assert_counts(&ANTICHESS, fen, counts);
    }
}

#[test]
fn a_side_to_move_without_pieces_or_moves_wins() {
    // (position, moves, end)
    let table = [
        ("8/8/8/8/8/8/1p6/R7 b - - 0 40", "b2a1q", "no_pieces p0"),
        ("8/8/8/8/8/8/1R6/k7 b - - 99 40", "a1b2", "no_pieces p0"),
        ("8/8/8/8/p7/8/P7/8 w - - 0 40", "a2a3", "stalemate p1"),
        ("8/8/8/p7/8/8/P7/8 w - - 0 40", "a2a4", "stalemate p1"),
        ("8/8/8/8/p7/P7/1p6/R7 w - - 0 40", "a1b1", "stalemate p1"),
        ("8/8/8/8/8/8/8/K6k w - - 99 40", "a1a2", "fifty_moves"),
        ("8/8/8/8/8/8/8/K6k w - - 0 40", "a1a2 h1h2 a2a1 h2h1 a1a2 h1h2 a2a1 h2h1", "threefold_repetition"),
        // What python-chess calls insufficient is played on.
        ("8/8/8/8/8/8/8/B6b w - - 0 40", "a1b2", "-"),
        ("8/8/8/8/8/8/8/N6n w - - 0 40", "a1b3", "-"),
    ];
    for (fen, moves, expected) in table {
        let mut game = restored(&ANTICHESS, fen);
        play(&mut *game, moves);
        assert_eq!(ending(&*game), expected, "{fen} {moves}");
        assert_eq!(ending(&*restored(&ANTICHESS, &game.save())), expected, "restored {fen}");
    }
}

#[test]
fn repetition_works_without_kings() {
    // Without a black king the packed position would name the side to move at its end.
    let fens = ["8/8/8/8/8/8/8/R5nn w - - 0 40", "rrrrrrr1/8/8/8/8/8/PPPPPPP1/RRR3KN w - - 0 40"];
    for fen in fens {
        let mut game = restored(&ANTICHESS, fen);
        assert_eq!(ending(&*game), "-");
        let first = notations(&*game).remove(0);
        play(&mut *game, &first);
    }
    let mut game = restored(&ANTICHESS, "8/8/8/8/8/8/8/R4rr1 w - - 0 40");
    assert_eq!(notations(&*game), ["a1f1"]);
    play(&mut *game, "a1f1");
    assert_eq!(game.save(), "8/8/8/8/8/8/8/5Rr1 b - - 0 40");
    let mut game = restored(&ANTICHESS, "8/8/8/8/8/8/8/N6n w - - 0 40");
    play(&mut *game, "a1b3 h1g3 b3a1 g3h1 a1b3 h1g3 b3a1");
    assert_eq!(ending(&*game), "-");
    play(&mut *game, "g3h1");
    assert_eq!(ending(&*game), "threefold_repetition");
}

#[test]
fn the_board_text_says_who_won() {
    let mut game = restored(&ANTICHESS, "8/8/8/8/8/8/1p6/R7 b - - 0 40");
    assert_eq!(san(&mut *game, "b2a1q"), "bxa1=Q#");
    let text =
        game.board_text(&Viewer { player: P0, result: None, to_move: game.to_move(), last_move: None });
    assert!(text.contains("\nResult: 1-0, White (p0) wins by no pieces\n"), "{text}");
    assert!(text.contains("\nTurn: White | Castling: - | En passant: - | "), "{text}");
}

#[test]
fn a_pgn_names_the_variant() {
    let result = GameResult::won_by(P0, Reason::RESIGNATION);
    let written = pgn(&ANTICHESS, &[], "e2e3 b7b5 f1b5", &result);
    assert!(written.contains("[Result \"1-0\"]\n[Variant \"Antichess\"]\n\n"), "{written}");
    assert!(written.ends_with("\n1. e3 b5 2. Bxb5 1-0\n"), "{written}");
}

#[test]
fn the_guide_teaches_what_the_code_answers() {
    let expected = "+f1b5 -g1f3 -Bxb5 +d3d4 +d3e3 +a7a8k +a7a8q -a7a8 -a7a8K +e5d6 -h1h2 +a1c1 +a1b1";
    assert_eq!(verdicts(&ANTICHESS), expected);
    assert_eq!(replayed_example(&ANTICHESS, ANTICHESS.open("standard", 2).unwrap()), "stalemate p0");
}
