//! The moves that a text may mean, in the hall and in the reference: both must find the same.

use super::world::Dice;
use hall_games::{CATALOG, NoChance, Position};
use hall_sim::reference::{Chess, GameModel as _};
use hall_wire::{Notation, Player};

/// Positions with promotions, castling on both sides, and pieces with a common destination.
const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1",
    "1n2k1b1/P1P4P/8/b1N1N3/8/1B3B2/p1p4p/1N2K1N1 w - - 0 1",
    "4k3/1p1p1p2/8/2P1P3/2p1p3/8/1P1P1P2/4K3 b - - 0 1",
    "k7/8/1R3R2/4Q2Q/8/1b1R1R2/4P2Q/K7 w - - 0 1",
];

fn parsed(text: &str) -> Option<Notation> {
    Notation::parse(text)
}

/// Texts that may mean one of the legal moves: SAN and UCI, with letters lost, added and changed.
fn texts(position: &dyn Position, mover: Player, dice: &mut Dice) -> Vec<Notation> {
    let mut texts: Vec<String> =
        ["O-O", "0-0-0", "oo", "e1h1", "e1a1", "e8h8", "Kg1", "e4", "B2B4", "bc4", "Bc4", "♞"]
            .map(str::to_owned)
            .into();
    for legal in position.legal_moves(mover) {
        let uci = legal.notation.to_string();
        let mut after = position.clone_box();
        let played = after.play(mover, &legal.notation, &mut NoChance).expect("it is legal");
        let san = played.san.map(|san| san.to_string()).unwrap_or_default();
        let piece = legal.summary.chars().next().unwrap_or('p');
        texts.extend([
            san.to_uppercase(),
            san.to_lowercase(),
            san.replace(['+', '#', '='], ""),
            format!("{}{uci}", piece.to_uppercase()),
            format!("{}-{}", &uci[..2], &uci[2..]),
            uci[..4].to_owned(),
            format!("{piece}{}", &uci[2..]),
            format!("{}{}", &uci[1..], ["q", "N", ""][dice.below(3)]),
            san,
        ]);
    }
    texts.iter().filter_map(|text| parsed(text)).collect()
}

#[test]
fn hall_and_reference_read_the_same_move_in_every_spelling() {
    let (mut found, mut asked) = (0, 0);
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let fen = STARTS[dice.below(STARTS.len())];
        let mut position = CATALOG.find("chess").unwrap().restore(fen).unwrap();
        let mut reference = Chess::from_fen(fen).unwrap();
        for _ in 0..24 {
            let Some(mover) = position.to_move().iter().next() else { break };
            for text in texts(&*position, mover, &mut dice) {
                let meant = position.did_you_mean(mover, &text);
                assert_eq!(
                    meant,
                    reference.did_you_mean(mover, &text),
                    "{text} in {}",
                    position.state_string()
                );
                assert!(meant.is_none_or(|meant| position.notations(mover).contains(&meant)));
                asked += 1;
                found += usize::from(meant.is_some());
            }
            let legal = reference.notations(mover);
            let notation = legal[dice.below(legal.len())];
            reference.play(mover, &notation, &mut NoChance).unwrap();
            position.play(mover, &notation, &mut NoChance).unwrap();
        }
    }
    assert!(found > 10_000 && asked > found, "{found} of {asked} texts mean a move");
}
