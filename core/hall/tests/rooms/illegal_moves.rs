//! The three steps: refused, refused with the list, a random move and a strike.

use crate::world::{change_kinds, chess};
use hall_core::fixtures::{P0, P1, illegal, wrong_turn};
use hall_core::rooms::ForcedCause;
use hall_core::{Choice, Rejection, RoomRejection};
use hall_games::Reason;
use hall_wire::roll::{Rolls, Seed};

#[test]
fn the_first_attempt_is_refused_the_second_restates_the_list_and_the_third_plays_at_random() {
    let mut table = chess();
    let first = illegal(table.try_move(P0, "e2e5"));
    assert_eq!((first.illegal_attempts, first.turn_index, &first.legal_moves), (1, 0, &None));
    let second = illegal(table.try_move(P0, "e2e5"));
    assert_eq!((second.illegal_attempts, second.turn_index), (2, 0));
    assert_eq!(second.legal_moves.unwrap().len(), 20);
    let third = illegal(table.try_move(P0, "e2e5"));
    assert_eq!((third.illegal_attempts, third.turn_index), (0, 1), "those of the turn that it opened");
    assert_eq!(third.strikes, [1, 0]);
    let applied = third.applied.unwrap();
    assert_eq!(
        (applied.turn_index, applied.player, applied.forced),
        (0, Some(P0), Some(ForcedCause::IllegalMoves))
    );
    assert_eq!(applied.body_sha256, None);
    assert_eq!(table.room().last_turn(), Some(&applied));
    assert_eq!(change_kinds(&table), ["started", "illegal", "illegal", "illegal", "strike", "move"]);
}

#[test]
fn anybody_can_recompute_the_random_move_from_the_seed() {
    let mut table = chess();
    let legal = table.room().legal_moves(P0);
    for _ in 0..3 {
        illegal(table.try_move(P0, "e2e5"));
    }
    let played = table.room().turns().get(0).unwrap().notation.unwrap();
    table.play("e7e5");
    let mut resigning = table.request("a2a3");
    resigning.resign = true;
    table.submit(P0, resigning).unwrap();
    let seed = Seed::parse(&table.room().revealed_seed().unwrap()).unwrap();
    assert_eq!(&seed.commitment(&table.game), table.room().commitment());
    let chosen = Rolls::new(table.game, 0, &seed, "").below(20);
    assert_eq!(legal[chosen as usize].notation, played);
}

#[test]
fn every_kind_of_illegal_move_counts_and_nothing_else_does() {
    let traps = ["e1g1", "e1h1", "Nf3", "E2E4", "e2e4q", "e4", "e7e5", "a1a1", "0000", "--"];
    for text in traps {
        let mut table = chess();
        assert_eq!(illegal(table.try_move(P0, text)).illegal_attempts, 1, "{text}");
    }
    for choice in [Choice::Unparsable, Choice::Index(20), Choice::Index(-1), Choice::Index(i64::MAX)] {
        let mut table = chess();
        let mut request = table.request("e2e4");
        request.choice = Some(choice);
        assert_eq!(illegal(table.submit(P0, request)).illegal_attempts, 1, "{choice:?}");
    }
}

#[test]
fn a_promotion_needs_its_letter_and_castling_is_written_as_the_kings_move() {
    for text in ["a7b8", "a7a8", "a7a8k", "a7a8Q", "a7a8q", "e1h1", "O-O"] {
        let mut table = chess();
        table.play("a2a4 b7b5 a4b5 a7a6 b5a6 b8c6 a6a7 g7g6 g1f3 g8f6 g2g3 f8g7 f1g2 h7h6");
        let answer = table.try_move(P0, text);
        if text == "a7a8q" {
            // The rook still stands on a8: with its letter the move is as illegal as without.
            assert!(table.room().legal_moves(P0).iter().all(|entry| entry.notation.as_str() != text));
        }
        assert_eq!(illegal(answer).illegal_attempts, 1, "{text}");
        table.play("e1g1 a8a7");
    }
    let mut table = chess();
    table.play("a2a4 b7b5 a4b5 a7a6 b5a6 b8c6 a6a7 a8b8");
    illegal(table.try_move(P0, "a7a8"));
    table.play("a7a8n");
}

#[test]
fn attempts_start_again_with_every_turn() {
    let mut table = chess();
    illegal(table.try_move(P0, "e2e5"));
    illegal(table.try_move(P0, "e2e5"));
    table.play("e2e4");
    assert_eq!(illegal(table.try_move(P1, "e7e4")).illegal_attempts, 1);
    table.play("e7e5");
    assert_eq!(illegal(table.try_move(P0, "e2e5")).illegal_attempts, 1);
    assert_eq!(table.room().seat(P0).unwrap().strikes, 0);
}

#[test]
fn the_third_strike_ends_the_game_without_a_move() {
    let mut table = chess();
    for strike in 1..=3_u8 {
        for _ in 0..2 {
            illegal(table.try_move(P0, "a1a1"));
        }
        let report = illegal(table.try_move(P0, "a1a1"));
        assert_eq!(report.strikes, [strike, 0]);
        if strike < 3 {
            let answer = table.room().legal_moves(P1)[0].notation;
            table.play(answer.as_str());
        } else {
            let applied = report.applied.unwrap();
            assert_eq!((applied.notation, applied.forced), (None, Some(ForcedCause::IllegalMoves)));
            assert_eq!(report.result.unwrap().reason, Reason::STRIKES);
        }
    }
    let room = table.room();
    let result = room.result().unwrap();
    assert_eq!((result.winners.as_slice(), result.draw), ([P1].as_slice(), false));
    assert_eq!(change_kinds(&table).iter().rev().take(2).collect::<Vec<_>>(), [&"ended", &"strike"]);
    assert!(matches!(table.try_move(P1, "e7e5"), Err(Rejection::Room(RoomRejection::GameNotLive(_)))));
}

#[test]
fn after_the_forced_move_the_same_request_is_out_of_turn() {
    let mut table = chess();
    let request = table.request("e2e5");
    for _ in 0..3 {
        illegal(table.submit(P0, request.clone()));
    }
    let report = wrong_turn(table.submit(P0, request));
    assert_eq!(report.your_last.unwrap().forced, Some(ForcedCause::IllegalMoves));
}

#[test]
fn a_legal_move_in_another_spelling_is_named_and_still_counts_as_illegal() {
    let mut table = chess();
    let hint = |report: &hall_core::TurnStatus| report.did_you_mean.map(|meant| meant.to_string());
    let first = illegal(table.try_move(P0, "Nf3"));
    assert_eq!((first.illegal_attempts, hint(&first).as_deref()), (1, Some("g1f3")));
    let second = illegal(table.try_move(P0, "E2E4"));
    assert_eq!((second.illegal_attempts, hint(&second).as_deref()), (2, Some("e2e4")));
    assert!(second.legal_moves.is_some());
    let third = illegal(table.try_move(P0, "Nf3"));
    assert!(third.applied.is_some(), "a hint spares no strike");
    assert_eq!(hint(&third), None, "the turn that it was for has been played");
    let other = illegal(table.try_move(P1, "e1g1"));
    assert_eq!(hint(&other), None);
}

#[test]
fn a_legal_move_with_white_space_around_it_is_named_and_still_counts_as_illegal() {
    let cases = [
        (" e2e4", Some("e2e4")),
        ("e2e4\r\n", Some("e2e4")),
        ("\u{a0}Nf3\t", Some("g1f3")),
        (" e2e5 ", None),
        ("e2 \u{2192} e4", None),
        ("\n", None),
    ];
    for (written, meant) in cases {
        let mut table = chess();
        let mut request = table.request("e2e4");
        request.choice = Some(Choice::Unparsable);
        request.signed.as_mut().unwrap().body = serde_json::json!({ "move": written }).to_string();
        let report = illegal(table.submit(P0, request));
        let hint = report.did_you_mean.map(|hint| hint.to_string());
        assert_eq!((report.illegal_attempts, hint.as_deref()), (1, meant), "{written:?}");
    }
}
