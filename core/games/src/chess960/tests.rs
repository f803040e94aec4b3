//! Start positions, castling and texts of Chess960.

use super::CHESS960;
use crate::chess_family::testing::{
    assert_counts, did_you_mean, ending, pgn, replayed_example, san, summary, verdicts,
};
use crate::testing::{P0, P1, mover, notations, play, restored, send};
use crate::{Act, Chance, Game as _, GameResult, Position, Reason, Refused, Viewer};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};

/// A source that gives one draw, below what is asked for.
struct Draw(u64);

impl Chance for Draw {
    fn below(&mut self, n: u64) -> Option<u64> {
        assert_eq!(n, 960);
        Some(self.0)
    }
}

/// The game after nature has drawn this number.
fn started(number: u64) -> Box<dyn Position> {
    let mut game = CHESS960.open("standard", 2).unwrap();
    game.act(&mut Draw(number)).unwrap();
    game
}

/// White's back row in the start position with this number.
fn row(number: u64) -> String {
    let fen = started(number).state_string();
    fen.split(['/', ' ']).nth(7).unwrap().to_string()
}

#[test]
fn start_positions_have_the_numbers_of_the_published_table() {
    let table = [
        (0, "BBQNNRKR"),
        (1, "BQNBNRKR"),
        (2, "BQNNRBKR"),
        (4, "QBBNNRKR"),
        (16, "BBNQNRKR"),
        (96, "BBQNRNKR"),
        (518, "RNBQKBNR"),
        (534, "RNBKQBNR"),
        (959, "RKRNNQBB"),
    ];
    for (number, expected) in table {
        assert_eq!(row(number), expected, "{number}");
    }
}

#[test]
fn the_960_start_positions_differ_and_obey_the_rules_of_placement() {
    let rows: BTreeSet<String> = (0..960).map(row).collect();
    assert_eq!(rows.len(), 960);
    for row in rows {
        let places =
            |letter| row.match_indices(letter).map(|(place, _)| place).collect::<alloc::vec::Vec<_>>();
        let (bishops, rooks, king) = (places('B'), places('R'), places('K'));
        assert_eq!((bishops.len(), rooks.len(), places('N').len(), places('Q').len()), (2, 2, 2, 1), "{row}");
        assert!((bishops[0] + bishops[1]) % 2 == 1 && rooks[0] < king[0] && king[0] < rooks[1], "{row}");
    }
}

#[test]
fn nature_acts_once_and_until_then_everything_is_unset() {
    let mut game = CHESS960.open("standard", 2).unwrap();
    assert!(game.awaits_nature() && game.to_move().is_empty() && game.legal_moves(P0).is_empty());
    assert_eq!((game.state_string(), game.save()), ("unset".into(), "unset".into()));
    assert_eq!(game.public()["fen"], "unset");
    assert_eq!(game.public()["check"], false);
    assert_eq!(game.picture(false).labels, ["unset"]);
    assert!(game.picture(false).pieces.is_empty());
    let text =
        game.board_text(&Viewer { player: P1, result: None, to_move: game.to_move(), last_move: None });
    let expected =
        "Start position: unset, it has not been drawn yet\nResult: none, the game is live\nYou: Black (p1)";
    assert_eq!(text, expected);
    assert_eq!(send(&mut *game, "e2e4"), Err(Refused::Illegal));
    let mut restored = CHESS960.restore("unset").unwrap();
    for game in [&mut game, &mut restored] {
        let drawn = Act { outcome: Some("0".to_string()), complete: "0".to_string() };
        assert_eq!(game.act(&mut Draw(0)), Ok(drawn));
        assert_eq!(game.state_string(), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1");
        assert_eq!(game.act(&mut Draw(1)), Err(Refused::Illegal));
        assert_eq!(mover(&**game), Some(P0));
    }
}

#[test]
fn a_game_of_another_kind_waits_for_nothing() {
    assert!(crate::CHESS.restore("unset").is_err());
    let mut chess = crate::CHESS.open("standard", 2).unwrap();
    assert!(!chess.awaits_nature());
    assert_eq!(chess.act(&mut Draw(0)), Err(Refused::Illegal));
}

#[test]
fn castling_is_the_king_taking_its_rook_in_every_position() {
    // (position, the castling moves among the legal ones, one of them, the pieces of the first rank after it)
    let table = [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1a1 e1h1", "e1h1", "R4RK1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1a1 e1h1", "e1a1", "2KR3R"),
        ("4k3/8/8/8/8/8/8/R5KR w KQ - 0 1", "g1a1 g1h1", "g1h1", "R4RK1"),
        ("4k3/8/8/8/8/8/8/R5KR w KQ - 0 1", "g1a1 g1h1", "g1a1", "2KR3R"),
        ("4k3/8/8/8/8/8/8/1R3K1R w KQ - 0 1", "f1b1 f1h1", "f1b1", "2KR3R"),
        ("4k3/8/8/8/8/8/8/RK5R w KQ - 0 1", "b1a1 b1h1", "b1a1", "2KR3R"),
        ("4k3/8/8/8/8/8/8/RKR5 w KQ - 0 1", "b1c1", "b1c1", "R4RK1"),
        ("4k3/8/8/8/8/8/8/RR3K2 w B - 0 1", "f1b1", "f1b1", "R1KR4"),
        ("k7/8/8/8/8/8/8/1K2R2R w E - 0 1", "b1e1", "b1e1", "5RKR"),
    ];
    for (fen, castling, chosen, rank) in table {
        let mut game = restored(&CHESS960, fen);
        let listed = game.legal_moves(P0).into_iter().filter(|entry| entry.summary.contains("castles"));
        let listed: alloc::vec::Vec<_> = listed.map(|entry| entry.notation.to_string()).collect();
        assert_eq!(listed.join(" "), castling, "{fen}");
        play(&mut *game, chosen);
        assert_eq!(game.state_string().split(['/', ' ']).nth(7), Some(rank), "{chosen} in {fen}");
    }
}

#[test]
fn castling_needs_free_squares_and_a_way_for_the_king_without_attacks() {
    // (position, whether the king may castle)
    let table = [
        ("4k3/8/8/8/8/8/8/2K4R w K - 0 1", true),
        ("4k3/8/8/8/8/8/8/2K1N2R w K - 0 1", false),
        ("4k3/8/8/8/8/8/8/2K3NR w K - 0 1", false),
        ("3rk3/8/8/8/8/8/8/2K4R w K - 0 1", false),
        ("4k1r1/8/8/8/8/8/8/2K4R w K - 0 1", false),
        ("2r1k3/8/8/8/8/8/8/2K4R w K - 0 1", false),
        ("4k2r/8/8/8/8/8/8/2K4R w K - 0 1", true),
        ("4k3/8/8/8/8/8/8/5RKR w K - 0 1", false),
        // The rook shields the king from the queen until it castles.
        ("4k3/8/8/8/8/8/8/qRK5 w Q - 0 1", false),
    ];
    for (fen, may) in table {
        let game = restored(&CHESS960, fen);
        let castles = game.legal_moves(P0).iter().any(|entry| entry.summary.contains("castles"));
        assert_eq!(castles, may, "{fen}");
    }
}

#[test]
fn a_step_of_the_king_and_castling_to_the_same_square_are_told_apart() {
    let fen = "4k3/8/8/8/8/8/8/1R3K1R w KQ - 0 1";
    let game = restored(&CHESS960, fen);
    assert_eq!(summary(&*game, "f1g1"), "king f1 to g1");
    assert_eq!(summary(&*game, "f1h1"), "king f1 to g1, castles kingside with the rook on h1");
    assert_eq!(did_you_mean(&*game, "O-O").as_deref(), Some("f1h1"));
    assert_eq!(did_you_mean(&*game, "O-O-O").as_deref(), Some("f1b1"));
    assert_eq!(did_you_mean(&*game, "f1c1").as_deref(), Some("f1b1"));
    assert_eq!(did_you_mean(&*game, "Kg1"), None, "both end there");
    assert_eq!(did_you_mean(&*game, "f1h1"), None, "it is a move itself");
    assert_eq!(san(&mut *restored(&CHESS960, fen), "f1h1"), "O-O");
    let stepped = san(&mut *restored(&CHESS960, fen), "f1g1");
    assert_eq!(stepped, "Kg1");
}

#[test]
fn the_fen_names_the_file_of_a_rook_only_where_another_stands_further_out() {
    let table = [
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", true),
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", false),
        ("4k3/8/8/8/8/8/8/RR3K2 w B - 0 1", true),
        ("4k3/8/8/8/8/8/8/RR3K2 w Q - 0 1", true),
        ("4k3/8/8/8/8/8/8/RR3K2 w A - 0 1", false),
        ("4k1rr/8/8/8/8/8/8/4K3 b g - 0 1", true),
        ("4k3/8/8/8/8/8/8/RR3K2 w C - 0 1", false),
        ("4k3/8/8/8/8/8/8/RR3K2 w KQ - 0 1", false),
    ];
    for (fen, readable) in table {
        assert_eq!(CHESS960.restore(fen).is_ok(), readable, "{fen}");
    }
}

#[test]
fn the_counts_of_legal_move_sequences_match_the_published_tables() {
    let table: [(&str, &[usize]); 5] = [
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9", &[21, 528, 12_189]),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w KQkq - 1 9", &[21, 807, 18_002]),
        ("b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w KQ - 1 9", &[20, 479, 10_471]),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8_902]),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2_039]),
    ];
    for (fen, counts) in table {
        assert_counts(&CHESS960, fen, counts);
    }
}

#[test]
fn the_ends_are_those_of_chess() {
    let table = [
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1a8", "checkmate p0"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 10 80", "f1f7", "stalemate"),
        ("8/8/8/4k3/8/8/R7/4K3 w - - 99 80", "a2a3", "fifty_moves"),
        (
            "8/8/8/4k3/8/8/R7/4K3 w - - 0 80",
            "e1d1 e5d5 d1e1 d5e5 e1d1 e5d5 d1e1 d5e5",
            "threefold_repetition",
        ),
        ("8/8/8/8/8/2k5/8/3rK3 w - - 7 60", "e1d1", "insufficient_material"),
        ("4k3/8/8/8/8/8/8/1R3K1R w KQ - 0 1", "f1h1", "-"),
    ];
    for (fen, moves, expected) in table {
        let mut game = restored(&CHESS960, fen);
        play(&mut *game, moves);
        assert_eq!(ending(&*game), expected, "{fen} {moves}");
    }
}

#[test]
fn a_pgn_names_variant_and_start_position() {
    let result = GameResult::won_by(P1, Reason::RESIGNATION);
    let written = pgn(&CHESS960, &[(0, "534".to_string())], "b1c3 b8c6 d2d3 d7d6 c1e3 c8e6 d1a1", &result);
    let (tags, moves) = written.split_once("\n\n").unwrap();
    let own = "[Result \"0-1\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
               [FEN \"rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1\"]";
    assert!(tags.ends_with(own), "{tags}");
    assert_eq!(moves, "1. Nc3 Nc6 2. d3 d6 3. Be3 Be6 4. O-O-O 0-1\n");
}

#[test]
fn the_guide_teaches_what_the_code_answers() {
    let expected = "+g1f3 -Nf3 -E2E4 -e2e5 -0000 +e1h1 +e1a1 -e1g1 -O-O +g1h1 +g1a1 -g1g1 \
                    +f1h1 +f1g1 +f1b1 -f1c1 +f1b1 -f1a1 +e5f6 -e5f5 +a7a8q +a7b8n -a7a8";
    assert_eq!(verdicts(&CHESS960), expected);
    assert_eq!(CHESS960.how_to()["worked_example"]["chance"]["outcome"], "518");
    assert_eq!(replayed_example(&CHESS960, started(518)), "checkmate p0");
    assert_eq!(notations(&*started(518)).len(), 20);
}
