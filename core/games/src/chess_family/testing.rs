//! What only the tests of the family share: SAN, PGN, summaries and counts by FEN.

use crate::testing::{checked_verdicts, count, mover, moves, reason, replay, restored, send};
use crate::{Game, GameRecord, GameResult, Position};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use hall_wire::Notation;

/// The SAN of one legal move.
pub(crate) fn san(position: &mut dyn Position, text: &str) -> String {
    send(position, text).unwrap().san.unwrap().to_string()
}

/// How the game ended: the reason, and the winner where there is one, as `explosion p0`.
pub(crate) fn ending(position: &dyn Position) -> String {
    let winner = position.outcome().and_then(|outcome| outcome.winners.iter().next());
    winner.map_or_else(|| reason(position), |winner| reason(position) + " " + &winner.to_string())
}

/// What is listed as the summary of `text`.
pub(crate) fn summary(position: &dyn Position, text: &str) -> String {
    let legal = position.legal_moves(mover(position).unwrap());
    legal.iter().find(|entry| entry.notation.as_str() == text).unwrap().summary.clone()
}

/// What `text` is taken for.
pub(crate) fn did_you_mean(position: &dyn Position, text: &str) -> Option<String> {
    let meant = position.did_you_mean(mover(position)?, &Notation::parse(text).unwrap());
    meant.map(|meant| meant.to_string())
}

/// Compares the counts of move sequences from depth 1 on.
pub(crate) fn assert_counts(game: &dyn Game, fen: &str, counts: &[usize]) {
    for (depth, expected) in (1..).zip(counts) {
        assert_eq!(count(&*restored(game, fen), depth), *expected, "{fen} at depth {depth}");
    }
}

/// The PGN of a game that began with `chance` and these moves, White's first.
pub(crate) fn pgn(game: &dyn Game, chance: &[(usize, String)], turns: &str, result: &GameResult) -> String {
    game.record("pgn", &GameRecord { chance, ..GameRecord::of(&moves(turns), result) }).unwrap()
}

/// The verdicts of the guide's examples, as `+e2e4 -Nf3`.
pub(crate) fn verdicts(game: &dyn Game) -> String {
    checked_verdicts(&game.how_to()).concat().join(" ")
}

/// Plays the guide's worked example again and compares all that it says; returns the word that says how it ends.
pub(crate) fn replayed_example(game: &dyn Game, mut position: Box<dyn Position>) -> String {
    let worked = &game.how_to()["worked_example"];
    replay(&mut *position, worked);
    assert!(worked["final"]["pgn"].as_str().unwrap().len() > 100);
    ending(&*position)
}
