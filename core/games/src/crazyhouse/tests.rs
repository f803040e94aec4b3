//! Drops, pockets, repetition and texts of crazyhouse.

use super::CRAZYHOUSE;
use crate::chess_family::testing::{
    assert_counts, did_you_mean, ending, pgn, replayed_example, san, summary, verdicts,
};
use crate::testing::{P0, P1, notations, play, restored, send};
use crate::{Game as _, GameResult, Reason, Refused, Viewer};
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};

const OPENING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";

/// The moves that drop something.
fn drops(fen: &str) -> Vec<String> {
    notations(&*restored(&CRAZYHOUSE, fen)).into_iter().filter(|text| text.contains('@')).collect()
}

#[test]
fn a_captured_piece_changes_sides_and_can_be_dropped() {
    let mut game = CRAZYHOUSE.open("standard", 2).unwrap();
    assert_eq!(game.save(), OPENING);
    play(&mut *game, "e2e4 d7d5 e4d5 d8d5 b1c3 d5g2 f1g2");
    assert_eq!(game.state_string(), "rnb1kbnr/ppp1pppp/8/8/8/2N5/PPPP1PBP/R1BQK1NR[QPpp] b KQkq - 0 4");
    play(&mut *game, "P@d4 Q@d8");
    assert_eq!(game.state_string(), "rnbQkbnr/ppp1pppp/8/8/3p4/2N5/PPPP1PBP/R1BQK1NR[Pp] b KQkq - 2 5");
    play(&mut *game, "e8d8 P@d7");
    assert_eq!(game.state_string(), "rnbk1bnr/pppPpppp/8/8/3p4/2N5/PPPP1PBP/R1BQK1NR[qp] b KQ - 1 6");
}

#[test]
fn en_passant_fills_the_pocket_too() {
    let mut game = restored(&CRAZYHOUSE, "4k3/8/8/3pP3/8/8/8/4K3[] w - d6 0 2");
    play(&mut *game, "e5d6");
    assert_eq!(game.state_string(), "4k3/8/3P4/8/8/8/8/4K3[P] b - - 0 2");
}

#[test]
fn a_promoted_piece_is_marked_and_reverts_to_a_pawn_when_captured() {
    let mut game = restored(&CRAZYHOUSE, "1n2k3/P7/8/8/8/8/8/4K3[] w - - 0 1");
    play(&mut *game, "a7b8r");
    assert_eq!(game.state_string(), "1R~2k3/8/8/8/8/8/8/4K3[N] b - - 0 1");
    play(&mut *game, "e8e7 b8b7");
    assert_eq!(game.state_string(), "8/1R~2k3/8/8/8/8/8/4K3[N] b - - 2 2");
    let mut game = restored(&CRAZYHOUSE, "1R~1k4/8/8/8/8/8/8/3QK3[] b - - 0 2");
    assert_eq!(game.public()["promoted"], serde_json::json!(["b8"]));
    assert_eq!(game.picture(false).labels, ["promoted: b8"]);
    play(&mut *game, "d8c7 d1d5 c7b8");
    assert_eq!(game.state_string(), "1k6/8/8/3Q4/8/8/8/4K3[p] w - - 0 4");
    let mut real = restored(&CRAZYHOUSE, "1R6/2k5/8/8/8/8/8/4K3[] b - - 0 2");
    play(&mut *real, "c7b8");
    assert_eq!(real.state_string(), "1k6/8/8/8/8/8/8/4K3[r] w - - 0 3");
}

#[test]
fn drops_go_to_empty_squares_and_pawns_not_to_the_outer_ranks() {
    assert_eq!(drops(OPENING), [""; 0]);
    let pawns = drops("4k3/8/8/8/8/8/8/4K3[Pqn] w - - 0 1");
    assert_eq!(pawns.len(), 48);
    assert!(pawns.iter().all(|text| text.starts_with("P@") && !text.ends_with(['1', '8'])));
    let knights = drops("4k3/8/8/8/8/8/8/4K3[Pnn] b - - 0 1");
    assert_eq!(knights.len(), 62, "one entry for each square, however many the pocket holds");
    assert_eq!(drops("4k3/8/8/8/8/8/8/4K3[QRBNP] w - - 0 1").len(), 4 * 62 + 48);
}

#[test]
fn in_check_a_drop_must_block() {
    // (position, drops)
    let table = [
        ("4k3/8/8/8/7b/8/8/4K3[N] w - - 0 1", "N@f2 N@g3"),
        ("4k3/8/8/8/8/8/3n4/5K2[N] w - - 0 1", ""),
        ("4r1k1/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@e2 P@e3 P@e4 P@e5 P@e6 P@e7"),
        ("4r1k1/8/8/8/8/3n4/8/4K3[P] w - - 0 1", ""),
        ("6k1/8/8/8/8/8/8/r3K3[NP] w - - 0 1", "N@b1 N@c1 N@d1"),
    ];
    for (fen, expected) in table {
        assert_eq!(drops(fen).join(" "), expected, "{fen}");
    }
}

#[test]
fn a_dropped_pawn_may_take_a_double_step_and_a_dropped_rook_does_not_castle() {
    let mut game = restored(&CRAZYHOUSE, "4k3/8/8/8/3p4/8/8/4K3[RP] w - - 0 1");
    play(&mut *game, "P@e2 e8e7 e2e4");
    assert_eq!(game.state_string(), "8/4k3/8/8/3pP3/8/8/4K3[R] b - e3 0 2");
    let mut game = restored(&CRAZYHOUSE, "4k3/8/8/8/8/8/8/4K3[R] w - - 0 1");
    play(&mut *game, "R@h1 e8e7");
    assert!(!notations(&*game).contains(&"e1g1".to_string()));
}

#[test]
fn other_spellings_of_drops_are_illegal_and_understood() {
    let fen = "r1bqkbnr/ppp1pppp/8/8/8/8/PPPP1PPP/RNBQKBNR[NPp] w KQkq - 0 3";
    let table = [
        ("@e4", Some("P@e4")),
        ("p@e4", Some("P@e4")),
        ("p@E4", Some("P@e4")),
        ("n@f6+", Some("N@f6")),
        ("N@F5", Some("N@f5")),
        ("Nf3", Some("g1f3")),
        ("Q@e4", None),
        ("P@e1", None),
        ("K@e4", None),
        ("@", None),
        ("N@e9", None),
    ];
    for (written, expected) in table {
        let mut game = restored(&CRAZYHOUSE, fen);
        assert_eq!(send(&mut *game, written), Err(Refused::Illegal), "{written}");
        assert_eq!(did_you_mean(&*game, written).as_deref(), expected, "{written}");
    }
    assert_eq!(summary(&*restored(&CRAZYHOUSE, fen), "N@f6"), "drop knight on f6");
    assert_eq!(san(&mut *restored(&CRAZYHOUSE, fen), "N@f6"), "N@f6+");
    assert_eq!(san(&mut *restored(&CRAZYHOUSE, fen), "P@e4"), "@e4");
}

#[test]
fn the_counts_of_legal_move_sequences_match_the_published_tables() {
    let table: [(&str, &[usize]); 5] = [
        (OPENING, &[20, 400, 8_902, 197_281]),
        ("2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1", &[301, 75_353]),
        ("2k5/8/8/8/8/8/8/4K3[Qn] w - - 0 1", &[67, 3_083, 88_634]),
        ("r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[] b KQkq - 0 1", &[42, 1_347, 58_057]),
        ("4k3/1Q~6/8/8/4b3/8/Kpp5/8[] b - - 0 1", &[20, 360, 5_445]),
    ];
    for (fen, counts) in table {
        assert_counts(&CRAZYHOUSE, fen, counts);
    }
}

#[test]
fn a_game_ends_by_mate_stalemate_repetition_or_the_thousandth_turn_and_by_nothing_else() {
    // (position, moves, end)
    let table = [
        ("7k/8/6K1/8/8/8/8/8[R] w - - 0 80", "R@a8", "checkmate p0"),
        ("7k/8/6K1/8/8/8/8/R7[r] w - - 0 80", "a1a8", "-"),
        ("7k/8/6K1/8/8/8/8/5Q2[] w - - 0 80", "f1f7", "stalemate"),
        ("7k/8/6K1/8/8/8/8/5Q2[p] w - - 0 80", "f1f7", "-"),
        ("8/8/8/4k3/8/8/8/4K3[] w - - 120 80", "e1d1", "-"),
        (
            "4k3/8/8/8/8/8/8/4K3[N] w - - 0 80",
            "e1d1 e8d8 d1e1 d8e8 e1d1 e8d8 d1e1 d8e8",
            "threefold_repetition",
        ),
        ("4k3/8/8/8/8/8/8/4K3[] w - - 0 499", "e1d1 e8d8 d1e1", "-"),
        ("4k3/8/8/8/8/8/8/4K3[] w - - 0 499", "e1d1 e8d8 d1e1 d8d7", "move_limit"),
        ("4k3/8/8/8/8/8/8/4K3[] w - - 0 499", "e1d1 e8d8 d1c1 d8e8 c1d1 e8d8 d1e1 d8e8", "move_limit"),
        ("6k1/5ppp/8/8/8/8/8/4K3[r] w - - 0 500", "e1d1 R@h8", "move_limit"),
        ("6k1/5ppp/8/8/8/8/PPP4P/1K6[r] w - - 0 500", "h2h3 R@e1", "checkmate p1"),
    ];
    for (fen, moves, expected) in table {
        let mut game = restored(&CRAZYHOUSE, fen);
        for text in moves.split(' ') {
            if game.outcome().is_some() {
                break;
            }
            play(&mut *game, text);
        }
        assert_eq!(ending(&*game), expected, "{fen} {moves}");
    }
}

#[test]
fn what_repetition_compares_can_be_told_apart_by_every_part_of_the_position() {
    let fens = [
        "r3k3/8/8/8/8/8/8/R3K3[] w Qq - 0 1",
        "r3k3/8/8/8/8/8/8/R3K3[] b Qq - 0 1",
        "r3k3/8/8/8/8/8/8/R3K3[] w Q - 0 1",
        "r3k3/8/8/8/8/8/8/R3K3[] w - - 0 1",
        "r3k3/8/8/8/8/8/8/R~3K3[] w - - 0 1",
        "r3k3/8/8/8/8/8/8/R3K3[N] w - - 0 1",
        "r3k3/8/8/8/8/8/8/R3K3[n] w - - 0 1",
        "r3k3/8/8/8/8/8/8/R3K3[B] w - - 0 1",
        "r3k3/8/8/8/8/8/8/R3K3[NN] w - - 0 1",
        "4k3/8/8/8/8/8/R6r/4K3[] w - - 0 1",
        "4k3/8/8/8/8/8/r6R/4K3[] w - - 0 1",
        "r3k3/8/8/8/8/8/8/1R2K3[] w - - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3[] w - d6 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3[] w - - 0 1",
    ];
    let keys: BTreeSet<_> = fens.iter().map(|fen| super::key::key(&board(fen))).collect();
    assert_eq!(keys.len(), fens.len());
    let same = ["r3k3/8/8/8/8/8/8/4K3[] b - - 0 9", "r3k3/8/8/8/8/8/8/4K3[] b - - 7 60"];
    let [one, other] = same.map(|fen| super::key::key(&board(fen)));
    assert_eq!(one, other, "the counters do not matter");
}

#[test]
fn a_capture_does_not_make_repetition_forget() {
    let mut game = restored(&CRAZYHOUSE, "4k3/8/8/8/8/8/8/4K3[N] w - - 0 9");
    play(&mut *game, "N@d4 e8d8 d4e6 d8c8 e1d1 c8d7 d1e1 d7e6");
    assert_eq!(game.state_string(), "8/8/4k3/8/8/8/8/4K3[n] w - - 0 13");
    assert_eq!(game.save().split(';').count(), 9, "all earlier positions still count");
    assert_eq!(restored(&CRAZYHOUSE, &game.save()).save(), game.save());
}

#[test]
fn text_that_no_game_of_crazyhouse_saves_is_not_read() {
    let position = "4k3/8/8/8/8/8/8/4K3[] w - - 0 1";
    for saved in [";0000000000000000", ";00", ";xyz", ";"] {
        assert!(CRAZYHOUSE.restore(&(position.to_string() + saved)).is_err(), "{saved}: no turn led there");
    }
    let unwritten = [
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3[PQ] w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3[qQ] w - - 0 1",
        "4k3/8/8/8/8/8/8/4K~3[] w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3[K] w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3/QP w - - 0 1",
        "unset",
    ];
    for saved in unwritten {
        assert!(CRAZYHOUSE.restore(saved).is_err(), "{saved}");
    }
}

#[test]
fn pockets_are_shown_to_all() {
    let game = restored(&CRAZYHOUSE, "4k3/8/8/8/8/8/8/R3K3[QPPn] w Q - 0 3");
    let public = canonical(&Value::Object(game.public()));
    let expected = r#"{"check":false,"fen":"4k3/8/8/8/8/8/8/R3K3[QPPn] w Q - 0 3","pockets":{"p0":["queen","pawn","pawn"],"p1":["knight"]},"promoted":[]}"#;
    assert_eq!(public, expected);
    let text =
        game.board_text(&Viewer { player: P1, result: None, to_move: game.to_move(), last_move: None });
    let expected = "1 | R . . . K . . . | 1
  +-----------------+
Legend: uppercase = White, lowercase = Black, . = empty
Pockets: White QPP | Black n | Promoted pawns: -
Last move: none
Turn: White | Castling: Q | En passant: - | Halfmove clock: 0 | Move number: 3
Result: none, the game is live
You: Black (p1)";
    assert!(text.ends_with(expected), "{text}");
    let hands = game.picture(false).hands;
    assert_eq!(hands.iter().map(|hand| hand.player).collect::<Vec<_>>(), [Some(P0), Some(P1)]);
    assert_eq!(
        hands.iter().map(|hand| hand.shown.join(" ")).collect::<Vec<_>>(),
        ["queen pawn pawn", "knight"]
    );
}

#[test]
fn a_pgn_names_the_variant_and_writes_drops() {
    let result = GameResult::won_by(P0, Reason::of_game("checkmate"));
    let written = pgn(&CRAZYHOUSE, &[], "e2e4 d7d5 e4d5 b8d7 P@e6 f7e6 d5e6 P@f5 P@f7", &result);
    assert!(written.contains("[Result \"1-0\"]\n[Variant \"Crazyhouse\"]\n\n"), "{written}");
    assert!(written.ends_with("\n1. e4 d5 2. exd5 Nd7 3. @e6 fxe6 4. dxe6 @f5 5. @f7# 1-0\n"), "{written}");
}

#[test]
fn the_guide_teaches_what_the_code_answers() {
    let expected = "-P@e7 +P@e4 +Q@d6 -@e4 -p@e4 -N@f3 -e2e4 -P@e1 +N@f2 -N@d4 +e1d1 +e8d8 +e1g1 -O-O -e1h1 \
                    +a7a8q +a7b8r -a7a8";
    assert_eq!(verdicts(&CRAZYHOUSE), expected);
    let worked = replayed_example(&CRAZYHOUSE, CRAZYHOUSE.open("standard", 2).unwrap());
    assert_eq!(worked, "checkmate p0");
}

/// Shakmaty's position of a FEN.
fn board(fen: &str) -> shakmaty::variant::Crazyhouse {
    let fen: shakmaty::fen::Fen = fen.parse().unwrap();
    fen.into_position(shakmaty::CastlingMode::Standard).unwrap()
}
