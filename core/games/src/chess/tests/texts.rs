//! What people and language models read: board text, PGN, rules card and guide.

use super::{P0, P1, play, position};
use crate::chess::CHESS;
use crate::picture::{Mark, MarkKind, Pattern, PictureKind};
use crate::testing::{checked_verdicts, moves, replay};
use crate::{Game as _, GameRecord, GameResult, Reason, Viewer};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};
use hall_wire::{Notation, Player, Span};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position as _};

#[test]
fn the_board_text_has_exactly_this_form() {
    let mut game = CHESS.open("standard", 2).unwrap();
    play(&mut *game, "e2e4 d7d5 e4e5 f7f5");
    let last_move = Some((P1, Notation::parse("f7f5").unwrap()));
    let expected = "    a b c d e f g h
  +-----------------+
8 | r n b q k b n r | 8
7 | p p p . p . p p | 7
6 | . . . . . . . . | 6
5 | . . . p P p . . | 5
4 | . . . . . . . . | 4
3 | . . . . . . . . | 3
2 | P P P P . P P P | 2
1 | R N B Q K B N R | 1
  +-----------------+
Legend: uppercase = White, lowercase = Black, . = empty
Last move: f7f5 by Black (p1)
Turn: White | Castling: KQkq | En passant: f6 | Halfmove clock: 0 | Move number: 3
Result: none, the game is live
You: Black (p1)";
    assert_eq!(
        game.board_text(&Viewer { player: P1, result: None, to_move: game.to_move(), last_move }),
        expected
    );
}

#[test]
fn both_players_see_the_same_board_except_for_the_line_that_names_them() {
    let game = position("4k3/8/8/8/8/8/4r3/4K3 w - - 3 40");
    let seen =
        |player| game.board_text(&Viewer { player, result: None, to_move: game.to_move(), last_move: None });
    let (white, black) = (seen(P0), seen(P1));
    assert_eq!(white.trim_end_matches("You: White (p0)"), black.trim_end_matches("You: Black (p1)"));
    assert!(white.contains("\nLast move: none\n"));
    assert!(white.contains("\nTurn: White (in check) | Castling: - | En passant: - | Halfmove clock: 3 | "));
    assert!(seen(Player::new(7)).ends_with("You: no seat (p7)"));
}

#[test]
fn the_result_line_says_how_the_game_ended_on_the_board_or_by_the_room() {
    let mate = "7k/8/6K1/8/8/8/8/R7 w - - 0 80";
    // (moves from there, what the room says, the line)
    let table = [
        ("a1a8", None, "Result: 1-0, White (p0) wins by checkmate"),
        ("", Some(result(&[P1], false, Reason::CLOCK)), "Result: 0-1, Black (p1) wins by clock"),
        ("", Some(result(&[], true, Reason::AGREEMENT)), "Result: 1/2-1/2, draw by agreement"),
        ("", Some(result(&[], false, Reason::ABORTED)), "Result: *, no result, aborted"),
        ("", Some(result(&[], true, Reason::of_game("fifty_moves"))), "Result: 1/2-1/2, draw by fifty moves"),
    ];
    for (moves, result, expected) in table {
        let mut game = position(mate);
        play(&mut *game, moves);
        let text = game.board_text(&Viewer {
            player: P0,
            result: result.as_ref(),
            to_move: game.to_move(),
            last_move: None,
        });
        assert!(text.lines().any(|line| line == expected), "{expected} in {text}");
    }
}

#[test]
fn the_public_part_of_the_view_is_fen_and_check_and_nothing_is_private() {
    let game = position("4k3/8/8/8/8/8/4r3/4K3 w - - 3 40");
    let public = Value::Object(game.public());
    assert_eq!(canonical(&public), r#"{"check":true,"fen":"4k3/8/8/8/8/8/4r3/4K3 w - - 3 40"}"#);
    assert_eq!(canonical(&game.private(P0)), "{}");
    assert_eq!(game.hidden(), Value::Null);
    let played = Notation::parse("e1e2").unwrap();
    assert_eq!(game.disclosed(P0, &played), Some(played));
}

#[test]
fn a_picture_shows_every_piece_with_the_eighth_rank_above_and_marks_the_king_in_check() {
    let picture = position("3nk3/8/8/8/8/8/4r3/4K2R w K - 3 40").picture(false);
    assert_eq!((picture.kind, picture.pattern), (PictureKind::Grid, Pattern::Checkered));
    assert_eq!((picture.columns.concat(), picture.rows.concat()), ("abcdefgh".into(), "87654321".into()));
    let pieces = picture.pieces.iter().map(|piece| {
        let owner = piece.player.unwrap();
        format!("{owner} {} {},{}", piece.shape, piece.column, piece.row)
    });
    let expected = "p0 king 4,7; p0 rook 7,7; p1 rook 4,6; p1 knight 3,0; p1 king 4,0";
    assert_eq!(pieces.collect::<Vec<_>>().join("; "), expected);
    let check = Mark { column: 4, row: 7, mark: MarkKind::Check, player: Some(P0) };
    assert_eq!(picture.marks, [check]);
    assert!(picture.hands.is_empty() && picture.labels.is_empty());
    assert!(position(super::OPENING).picture(true).marks.is_empty());
}

#[test]
fn a_move_names_the_squares_where_it_begins_and_ends() {
    let places = |text: &str| position(super::OPENING).places(&Notation::parse(text).unwrap());
    assert_eq!(places("e2e4"), [(4, 6), (4, 4)]);
    assert_eq!(places("a7a8q"), [(0, 1), (0, 0)]);
    assert_eq!(places("N@h1"), [(7, 7)]);
    assert_eq!(places("nonsense"), []);
}

#[test]
fn a_pgn_has_exactly_this_form() {
    let tags = [
        ("White", "stock\"fish\\".to_string()),
        ("Site", "line\nbreak".to_string()),
        ("Result", "0-1".to_string()),
        ("Variant", "standard".to_string()),
        ("GameId", "g_1".to_string()),
    ];
    let written = pgn(&tags, &moves("f2f3 e7e5 g2g4 d8h4"), &[], &result(&[P1], false, mate())).unwrap();
    let expected = r#"[Event "?"]
[Site "line break"]
[Date "????.??.??"]
[Round "?"]
[White "stock\"fish\\"]
[Black "?"]
[Result "0-1"]
[Variant "standard"]
[GameId "g_1"]

1. f3 e5 2. g4 Qh4# 0-1
"#;
    assert_eq!(written, expected);
}

#[test]
fn notes_become_comments_that_nothing_in_them_can_end() {
    let notes = ["[%clk 0:39:58] a } b { c", "", "two\nlines\u{2028}\t and %x [y", "  ", "over\r\n"]
        .map(String::from);
    let result = result(&[P1], false, mate());
    let written = pgn(&[], &moves("f2f3 e7e5 g2g4 d8h4"), &notes, &result).unwrap();
    let (_, played) = written.split_once("\n\n").unwrap();
    assert_eq!(
        played,
        "1. f3 {[%clk 0:39:58] a ) b ( c} 1... e5 2. g4 {two lines and %x [y} 2... Qh4#\n{over} 0-1\n"
    );
    let without = pgn(&[], &moves("f2f3 e7e5 g2g4 d8h4"), &[], &result).unwrap();
    assert!(without.ends_with("\n\n1. f3 e5 2. g4 Qh4# 0-1\n"));
}

#[test]
fn no_line_of_a_comment_begins_like_a_tag_or_an_escape() {
    let long = "[x %y word ".repeat(60);
    let written = pgn(&[], &moves("e2e4"), &[long], &result(&[], false, Reason::ABORTED)).unwrap();
    let (_, played) = written.split_once("\n\n").unwrap();
    assert!(played.lines().count() > 5);
    assert!(played.lines().all(|line| !line.is_empty() && !line.starts_with(['[', '%'])), "{played}");
}

#[test]
fn a_command_in_a_comment_is_never_broken_across_lines() {
    for before in 0..100 {
        let note = "x".repeat(before) + " [%clk 0:39:58] word";
        let result = result(&[], false, Reason::ABORTED);
        let written = pgn(&[], &moves("e2e4"), &[note], &result).unwrap();
        assert!(written.contains("[%clk 0:39:58]"), "{written}");
    }
}

#[test]
fn a_pgn_ends_with_the_token_of_its_result() {
    let table = [
        (result(&[P0], false, Reason::RESIGNATION), "1-0"),
        (result(&[P1], false, Reason::STRIKES), "0-1"),
        (result(&[], true, Reason::AGREEMENT), "1/2-1/2"),
        (result(&[], false, Reason::ABORTED), "*"),
    ];
    for (result, token) in table {
        for (text, movetext) in [("", ""), ("e2e4", "1. e4 ")] {
            let written = pgn(&[], &moves(text), &[], &result).unwrap();
            assert!(written.contains(&("[Result \"".to_string() + token + "\"]\n")));
            assert!(written.ends_with(&("\n\n".to_string() + movetext + token + "\n")), "{written}");
        }
    }
}

#[test]
fn moves_that_do_not_form_a_legal_game_have_no_pgn() {
    for text in ["e2e5", "e2e4 e2e4", "f2f3 e7e5 g2g4 d8h4 a2a3"] {
        assert_eq!(pgn(&[], &moves(text), &[], &result(&[], false, Reason::ABORTED)), None, "{text}");
    }
}

#[test]
fn a_long_pgn_reads_back_as_the_same_game_in_short_lines() {
    let mut game = CHESS.open("standard", 2).unwrap();
    let mut played = Vec::new();
    for step in 0..160 {
        let Some(player) = super::mover(&*game) else { break };
        let legal = game.legal_moves(player);
        let notation = legal[(step * 7 + step * step) % legal.len()].notation;
        play(&mut *game, notation.as_str());
        played.push((player, notation));
    }
    assert!(played.len() > 100, "long enough to wrap");
    let written = pgn(&[], &played, &[], &result(&[], false, Reason::ABORTED)).unwrap();
    assert!(written.lines().all(|line| line.len() < 80 && !line.ends_with(' ')));
    assert_eq!(read_back(&written), game.state_string());
}

#[test]
fn a_move_has_one_minute_and_a_side_has_forty() {
    let described = CHESS.describe();
    assert_eq!((described.move_time, described.side_time), (Span::from_secs(60), Span::from_secs(2_400)));
}

#[test]
fn the_rules_card_names_the_game_its_rules_and_the_guide() {
    let card = CHESS.rules_card();
    let told = ["game", "ruleset_version", "guide"].map(|name| card[name].as_str());
    assert_eq!(told, [Some("chess"), Some("chess/1"), Some("/api/howto/chess")]);
}

#[test]
fn the_rules_card_is_short_enough_for_every_view() {
    let card = canonical(&CHESS.rules_card());
    assert!(card.len() < 1_536, "{} bytes", card.len());
}

#[test]
fn every_chapter_of_the_guide_says_something() {
    let guide = CHESS.how_to();
    let is_said = |value: &Value| match value {
        Value::String(text) => text.contains(' '),
        Value::Array(lines) => !lines.is_empty(),
        Value::Object(parts) => !parts.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    for chapter in ["grammar", "turn", "phases", "ending", "penalties", "draw_offers", "clocks"] {
        assert!(is_said(&guide[chapter]), "{chapter}: {}", guide[chapter]);
    }
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let guide = CHESS.how_to();
    let expected = "+g1f3 -Nf3 -e4 -E2E4 -e2-e4 -e2e4q -e2e5 -e7e5 -0000 \
                    +e1g1 +e1c1 -O-O -e1h1 -e1g1 +e1e2 +e5f6 -e5d6 -exf6 -e5f5 -e5d6 +e5e6 \
                    +a7a8q +a7a8n +a7b8r -a7a8 -a7a8Q -a7a8=q -a7a8k +a2a1q -a2a1 -e2c3 +e1d1 \
                    +f1f7 +f1f8 +a1a8 +a1a7";
    assert_eq!(checked_verdicts(&guide).concat().join(" "), expected);
}

#[test]
fn the_worked_example_is_a_whole_game_that_can_be_played_again() {
    let guide = CHESS.how_to();
    let worked = &guide["worked_example"];
    assert_eq!(worked["first_legal_moves"].as_array().unwrap().len(), 20);
    assert_eq!(worked["first_legal_moves"][8]["summary"], "pawn d2 to d3");
    let mut game = CHESS.open("standard", 2).unwrap();
    replay(&mut *game, worked);
    let last = &worked["final"];
    assert_eq!(last["result"]["reason"], "checkmate");
    assert!(last["pgn"].as_str().unwrap().ends_with("4. Qxf7# 1-0\n"));
    assert!(last["board_text"].as_str().unwrap().contains("Result: 1-0, White (p0) wins by checkmate"));
}

fn mate() -> Reason {
    Reason::of_game("checkmate")
}

fn result(winners: &[Player], draw: bool, reason: Reason) -> GameResult {
    GameResult::new(winners.to_vec(), draw, reason)
}

/// The PGN of these moves.
fn pgn(
    tags: &[(&str, String)],
    moves: &[(Player, Notation)],
    notes: &[String],
    result: &GameResult,
) -> Option<String> {
    CHESS.record("pgn", &GameRecord { tags, notes, ..GameRecord::of(moves, result) })
}

/// The FEN after the moves of a PGN, read by shakmaty's own SAN.
fn read_back(pgn: &str) -> String {
    let (_, movetext) = pgn.split_once("\n\n").unwrap();
    let mut position = Chess::default();
    for word in movetext.split_whitespace().filter(|word| !word.ends_with('.') && *word != "*") {
        let san: SanPlus = word.parse().unwrap();
        let played = san.san.to_move(&position).unwrap();
        assert_eq!(SanPlus::from_move(position.clone(), played), san);
        position.play_unchecked(played);
    }
    shakmaty::fen::Fen::from_position(&position, shakmaty::EnPassantMode::Legal).to_string()
}
