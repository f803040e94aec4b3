//! What the tests of the family share: games are asked only what the room asks them, by FEN and by moves on the wire.

use crate::{Game, GameRecord, GameResult, NoChance, Played, Position, Refused};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

/// White.
pub(crate) const P0: Player = Player::new(0);
/// Black.
pub(crate) const P1: Player = Player::new(1);

/// The position of `fen`, its past forgotten.
pub(crate) fn position(game: &dyn Game, fen: &str) -> Box<dyn Position> {
    game.restore(fen).unwrap_or_else(|_| panic!("{fen} cannot be read"))
}

/// Who is to move; a game that is over has nobody.
pub(crate) fn mover(position: &dyn Position) -> Option<Player> {
    let set = position.to_move();
    assert!(set.iter().count() <= 1);
    set.iter().next()
}

/// Sends `text` for the player to move.
pub(crate) fn send(position: &mut dyn Position, text: &str) -> Result<Played, Refused> {
    let player = mover(position).unwrap_or(P0);
    position.play(player, &Notation::parse(text).unwrap(), &mut NoChance)
}

/// Plays legal moves, separated by spaces.
pub(crate) fn play(position: &mut dyn Position, moves: &str) {
    for text in moves.split(' ').filter(|text| !text.is_empty()) {
        assert!(send(position, text).is_ok(), "{text} in {}", position.state_string());
    }
}

/// The SAN of one legal move.
pub(crate) fn san(position: &mut dyn Position, text: &str) -> String {
    send(position, text).unwrap().san.unwrap().to_string()
}

/// The notations of the player to move.
pub(crate) fn notations(position: &dyn Position) -> Vec<String> {
    let legal = mover(position).map(|player| position.legal_moves(player)).unwrap_or_default();
    legal.iter().map(|entry| entry.notation.to_string()).collect()
}

/// The reason why the game is over, or `-`.
pub(crate) fn reason(position: &dyn Position) -> String {
    position.outcome().map_or_else(|| "-".to_string(), |outcome| outcome.reason.as_str().to_string())
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
pub(crate) fn meant(position: &dyn Position, text: &str) -> Option<String> {
    let meant = position.meant(mover(position)?, &Notation::parse(text).unwrap());
    meant.map(|meant| meant.to_string())
}

/// How many sequences of `depth` legal moves begin at `from`.
pub(crate) fn count(from: &dyn Position, depth: usize) -> usize {
    let Some(player) = mover(from) else { return 0 };
    let legal = from.notations(player);
    if depth == 1 {
        return legal.len();
    }
    let after = |notation| {
        let mut next = from.clone_box();
        next.play(player, notation, &mut NoChance).unwrap();
        count(&*next, depth - 1)
    };
    legal.iter().map(after).sum()
}

/// Compares the counts of move sequences from depth 1 on.
pub(crate) fn assert_counts(game: &dyn Game, fen: &str, counts: &[usize]) {
    for (depth, expected) in (1..).zip(counts) {
        assert_eq!(count(&*position(game, fen), depth), *expected, "{fen} at depth {depth}");
    }
}

/// The PGN of a game that began with `chance` and these moves, White's first.
pub(crate) fn pgn(game: &dyn Game, chance: &[(usize, String)], moves: &str, result: &GameResult) -> String {
    let notations = moves.split(' ').map(|text| Notation::parse(text).unwrap());
    let moves: Vec<_> = [P0, P1].into_iter().cycle().zip(notations).collect();
    game.record("pgn", &GameRecord { chance, ..GameRecord::of(&moves, result) }).unwrap()
}

/// The verdicts of the guide's examples, as `+e2e4 -Nf3`.
pub(crate) fn verdicts(game: &dyn Game) -> String {
    let guide = game.how_to();
    let entries = guide["examples"].as_array().unwrap().iter();
    let tries = entries.flat_map(|example| example["tries"].as_array().unwrap());
    let verdict = |entry: &hall_wire::json::Value| {
        let sign = if entry["accepted"] == true { "+" } else { "-" };
        String::from(sign) + entry["move"].as_str().unwrap()
    };
    tries.map(verdict).collect::<Vec<_>>().join(" ")
}

/// Plays the guide's worked example again and compares all that it says; returns the word that says how it ends.
pub(crate) fn replayed_example(game: &dyn Game, mut position: Box<dyn Position>) -> String {
    let guide = game.how_to();
    let worked = &guide["worked_example"];
    for turn in worked["turns"].as_array().unwrap() {
        assert_eq!(turn["state_string"], position.state_string());
        assert_eq!(turn["legal_moves"], serde_json::to_value(notations(&*position)).unwrap());
        play(&mut *position, turn["move"].as_str().unwrap());
    }
    assert_eq!(worked["final"]["state_string"], position.state_string());
    assert!(worked["final"]["pgn"].as_str().unwrap().len() > 100);
    ending(&*position)
}
