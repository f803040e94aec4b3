//! Plays seeded random games of chess and prints one JSON object for each, for a second chess library to check.
//!
//! `playouts [GAMES] [FIRST_SEED]`, by default 100 games from seed 0 on. Each line holds `moves`, and for every
//! half-move `legal`, `san` and `fens` (one more than moves: the last position too, where `legal` is empty if the
//! game is over), then `result` and `pgn`. Some games are broken off, so that unfinished PGN is checked as well.
//!
//! `playouts time [GAMES]` prints what one half-move costs instead.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a program around the core, not the core: it reads its arguments and measures time"
)]

use hall_games::{CHESS, Game, GameRecord, GameResult, LegalMove, NoChance, Position};
use hall_wire::{Notation, Player};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, default: u64| {
        arguments.get(place).map_or(default, |text| text.parse().expect("a number of games or a seed"))
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    if arguments.first().is_some_and(|word| word == "time") {
        return time_half_moves(&mut out, number(1, 200));
    }
    let first = number(1, 0);
    for seed in first..first + number(0, 100) {
        writeln!(out, "{}", one_game(seed))?;
    }
    out.flush()
}

/// What a random player prefers, so that all endings and all kinds of moves occur.
#[derive(Clone, Copy)]
enum Taste {
    Anything,
    /// Pawn moves, captures and castling: promotions, en passant, bare kings.
    Forward,
    /// Moves straight back: repetition.
    Back,
    /// Anything but pawn moves and captures: the fifty-move rule.
    Quiet,
}

impl Taste {
    fn of(seed: u64) -> Self {
        match seed % 8 {
            0 => Self::Back,
            1 => Self::Quiet,
            2..=4 => Self::Forward,
            _ => Self::Anything,
        }
    }

    fn likes(self, entry: &LegalMove, own_last: Option<&Notation>) -> bool {
        let stirring = ["pawn", "captures", "castles"].iter().any(|word| entry.summary.contains(word));
        match self {
            Self::Anything => true,
            Self::Forward => stirring,
            Self::Quiet => !stirring,
            Self::Back => own_last.is_some_and(|last| {
                let (from, to) = last.as_str().split_at(2);
                entry.notation.as_str() == [to, from].concat()
            }),
        }
    }
}

/// A game in the making.
struct Playout {
    random: Pcg64,
    taste: Taste,
    position: Box<dyn Position>,
    moves: Vec<Notation>,
}

impl Playout {
    fn new(seed: u64) -> Self {
        let position = CHESS.open("standard", 2).expect("chess is played by two");
        Self { random: Pcg64::seed_from_u64(seed), taste: Taste::of(seed), position, moves: Vec::new() }
    }

    /// The moves with their movers, White first.
    fn played(&self) -> Vec<(Player, Notation)> {
        [0, 1].map(Player::new).into_iter().cycle().zip(self.moves.iter().copied()).collect()
    }

    fn mover(&self) -> Option<Player> {
        self.position.to_move().iter().next()
    }

    /// Four times out of five a move to its taste, if there is one.
    fn choose(&mut self, legal: &[LegalMove]) -> Option<Notation> {
        let own_last = self.moves.len().checked_sub(2).and_then(|place| self.moves.get(place));
        let taste = self.taste;
        let mut liked: Vec<&LegalMove> = legal.iter().filter(|entry| taste.likes(entry, own_last)).collect();
        if liked.is_empty() || self.random.next_u32().is_multiple_of(5) {
            liked = legal.iter().collect();
        }
        let place = usize::try_from(self.random.next_u32()).ok()?.checked_rem(liked.len())?;
        liked.get(place).map(|entry| entry.notation)
    }
}

fn one_game(seed: u64) -> Value {
    let mut game = Playout::new(seed);
    // Every eleventh game is broken off, some before the first move.
    let most = if seed % 11 == 10 { usize::try_from(seed % 60).unwrap_or(0) } else { usize::MAX };
    let (mut legal_lists, mut sans, mut fens) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let legal = game.mover().map(|player| game.position.legal_moves(player)).unwrap_or_default();
        fens.push(game.position.state_string());
        legal_lists.push(legal.iter().map(|entry| entry.notation.to_string()).collect::<Vec<_>>());
        let choice = if game.moves.len() < most { game.choose(&legal) } else { None };
        let (Some(player), Some(notation)) = (game.mover(), choice) else { break };
        let played = game.position.play(player, &notation, &mut NoChance).expect("a listed move is legal");
        sans.push(played.san.expect("chess writes SAN").to_string());
        game.moves.push(notation);
    }
    let aborted = GameResult::aborted();
    let result = game.position.outcome().map_or(aborted, GameResult::from);
    let tags = [("Event", "Random game".to_string()), ("Round", seed.to_string())];
    json!({
        "seed": seed,
        "moves": game.moves,
        "legal": legal_lists,
        "san": sans,
        "fens": fens,
        "pgn": CHESS.record("pgn", &GameRecord { tags: &tags, ..GameRecord::of(&game.played(), &result) }),
        "result": result,
    })
}

/// Prints nanoseconds per half-move for the legal list, the move and the outcome together, and the size of what
/// is saved at the fortieth half-move.
fn time_half_moves(out: &mut impl Write, games: u64) -> io::Result<()> {
    let played: Vec<Vec<Notation>> = (0..games)
        .map(|seed| {
            let mut game = Playout::new(seed);
            while let Some(player) = game.mover() {
                let legal = game.position.legal_moves(player);
                let Some(notation) = game.choose(&legal) else { break };
                game.position.play(player, &notation, &mut NoChance).expect("a listed move is legal");
                game.moves.push(notation);
            }
            game.moves
        })
        .collect();
    let half_moves: usize = played.iter().map(Vec::len).sum();
    for round in 1..=3 {
        let begun = Instant::now();
        let mut listed = 0;
        for moves in &played {
            listed += replay(moves, true);
        }
        let whole = begun.elapsed();
        let begun = Instant::now();
        for moves in &played {
            replay(moves, false);
        }
        let playing = begun.elapsed();
        let count = u128::try_from(half_moves).expect("few enough");
        writeln!(
            out,
            "round {round}: {half_moves} half-moves, {} legal moves each, list + play + outcome {} ns, play + \
             outcome {} ns",
            listed / half_moves,
            whole.as_nanos() / count,
            playing.as_nanos() / count,
        )?;
    }
    out.flush()
}

/// Plays `moves` again as a room does; returns how many legal moves were listed.
fn replay(moves: &[Notation], list: bool) -> usize {
    let mut position = CHESS.open("standard", 2).expect("chess is played by two");
    let mut listed = 0;
    for (ply, notation) in moves.iter().enumerate() {
        let player = Player::new(if ply.is_multiple_of(2) { 0 } else { 1 });
        if list {
            listed += black_box(position.legal_moves(player)).len();
        }
        black_box(position.play(player, notation, &mut NoChance)).expect("it was legal before");
        black_box(position.outcome());
    }
    listed
}
