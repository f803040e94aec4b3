//! Random games: what must hold at every half-move, whatever is played.

use super::{P0, mover, notations, play, position, reason};
use crate::chess::CHESS;
use crate::{Game as _, NoChance, Position, Refused};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};
use proptest::prelude::*;

/// Beginnings from which random games reach castling, en passant, promotion, repetition and bare kings.
const BEGINNINGS: [&str; 5] = [
    super::OPENING,
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1",
    "8/2k5/8/8/8/8/5K2/6R1 w - - 90 70",
    "8/8/3k4/8/8/3K4/8/2n1B3 w - - 0 90",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_restored_game_continues_like_the_original(start in 0..BEGINNINGS.len(), choices in choices()) {
        let mut game = position(BEGINNINGS[start]);
        for choice in choices {
            let restored = CHESS.restore(&game.save()).unwrap();
            prop_assert_eq!(all_answers(&*restored), all_answers(&*game));
            let mut copy = game.clone();
            let Some(text) = chosen(&*game, choice) else { break };
            play(&mut *game, &text);
            let mut restored = restored;
            play(&mut *restored, &text);
            play(&mut *copy, &text);
            prop_assert_eq!(all_answers(&*restored), all_answers(&*game));
            prop_assert_eq!(all_answers(&*copy), all_answers(&*game));
        }
    }

    #[test]
    fn forgetting_old_positions_never_changes_when_the_game_ends(
        start in 0..BEGINNINGS.len(),
        choices in choices(),
    ) {
        let mut game = position(BEGINNINGS[start]);
        let mut never_forgets: BTreeMap<String, usize> = BTreeMap::new();
        for choice in choices {
            // The first four fields of the FEN are the position as repetition sees it.
            let fen = game.state_string();
            let fields: Vec<&str> = fen.split(' ').collect();
            let occurrences = never_forgets.entry(fields[..4].join(" ")).or_default();
            *occurrences += 1;
            let repeated = *occurrences >= 3;
            let slow = fields[4].parse::<u32>().unwrap() >= 100;
            match reason(&*game).as_str() {
                "checkmate" | "stalemate" | "insufficient_material" => {}
                "fifty_moves" => prop_assert!(slow, "{}", fen),
                "threefold_repetition" => prop_assert!(repeated && !slow, "{}", fen),
                other => prop_assert!(other == "-" && !repeated && !slow, "{} {}", fen, other),
            }
            let Some(text) = chosen(&*game, choice) else { break };
            play(&mut *game, &text);
        }
    }

    #[test]
    fn a_move_is_played_exactly_if_it_is_listed(choices in choices(), text in "[!-~]{1,16}|[a-h1-8qrbnQO-]{2,6}") {
        let mut game = position(super::OPENING);
        for choice in choices.into_iter().take(20) {
            let Some(legal) = chosen(&*game, choice) else { break };
            play(&mut *game, &legal);
        }
        let listed = notations(&*game).contains(&text);
        let before = game.save();
        let player = mover(&*game).unwrap_or(P0);
        let answer = game.play(player, &Notation::parse(&text).unwrap(), &mut NoChance);
        if listed {
            prop_assert!(answer.is_ok());
        } else {
            prop_assert_eq!(answer, Err(Refused::Illegal));
            prop_assert_eq!(game.save(), before);
        }
    }

    #[test]
    fn what_can_be_restored_is_what_would_be_saved(text in saved_or_like_it()) {
        if let Ok(restored) = CHESS.restore(&text) {
            prop_assert_eq!(restored.save(), text);
        }
    }
}

#[test]
fn the_random_games_meet_every_ending() {
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..40_u64 {
        for fen in BEGINNINGS {
            let mut game = position(fen);
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            while let Some(text) = chosen(&*game, next(&mut state)) {
                play(&mut *game, &text);
            }
            *met.entry(reason(&*game)).or_default() += 1;
        }
    }
    for word in ["checkmate", "stalemate", "fifty_moves", "threefold_repetition", "insufficient_material"] {
        assert!(met.contains_key(word), "{word} never happened: {met:?}");
    }
}

/// All that a room can ask of a position.
fn all_answers(position: &dyn Position) -> (String, Vec<(String, String)>, String, Vec<String>) {
    let legal = mover(position).map(|player| position.legal_moves(player)).unwrap_or_default();
    for player in [P0, Player::new(1)] {
        let listed: Vec<_> = position.legal_moves(player).iter().map(|entry| entry.notation).collect();
        assert_eq!(position.notations(player), listed, "one list in two forms");
    }
    (
        position.save(),
        legal.into_iter().map(|entry| (entry.notation.to_string(), entry.summary)).collect(),
        reason(position),
        alloc::vec![
            position.state_string(),
            serde_json::to_string(&position.public()).unwrap(),
            serde_json::to_string(&position.private(P0)).unwrap(),
            serde_json::to_string(&position.hidden()).unwrap(),
        ],
    )
}

/// The legal move that `choice` picks; every fourth choice goes back where repetition threatens.
fn chosen(position: &dyn Position, choice: u16) -> Option<String> {
    let legal = notations(position);
    let place = usize::from(choice).checked_rem(legal.len())?;
    legal.get(if choice.is_multiple_of(4) { place % 2 } else { place }).cloned()
}

/// A small generator, so that this test needs no luck.
fn next(state: &mut u64) -> u16 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 40).to_le_bytes().first_chunk().copied().map(u16::from_le_bytes).unwrap()
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..80)
}

/// Saved games with one character changed, and text that only looks like one.
fn saved_or_like_it() -> impl Strategy<Value = String> {
    let saved = (0..BEGINNINGS.len(), choices()).prop_map(|(start, choices)| {
        let mut game: Box<dyn Position> = position(BEGINNINGS[start]);
        for choice in choices.into_iter().take(12) {
            let Some(text) = chosen(&*game, choice) else { break };
            play(&mut *game, &text);
        }
        game.save()
    });
    let changed = (saved, any::<prop::sample::Index>(), "[ -~]").prop_map(|(saved, place, letter)| {
        let place = place.index(saved.len());
        String::from(&saved[..place]) + &letter + &saved[place + 1..]
    });
    prop_oneof![
        changed,
        "[ -~]{0,80}",
        "\\PC{0,40}",
        "[1-8pnbrqkPNBRQK/]{10,40} [wb] [KQkq-]{1,4} - [0-9]{1,3} [0-9]{1,2}(;[0-9a-f]{48}){0,3}"
    ]
}
