//! Prints what the answers of games cost, over seeded random games: `costs` compares all games with chess,
//! `costs GAME VARIANT [GAMES]` shows one, by default over 20 games.
//!
//! Costs are in microseconds of wall time: the median, and for one game the greatest too. `decision` is what a room asks in
//! one turn: the notations, the move, the outcome and the state string.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a program around the core, not the core: it reads its arguments and measures time"
)]

use hall_games::{CATALOG, CHESS, Chance, Game, STANDARD};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How many games are played of each.
const GAMES: u64 = 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |place: usize| arguments.get(place).map(String::as_str);
    let Some(id) = argument(0) else { return compare() };
    let game = CATALOG.find(id).expect("the first argument is a game of the catalog");
    let games = argument(2).map_or(GAMES, |text| text.parse().expect("a number of games"));
    let (mut costs, longest_save) = measure(game, argument(1).unwrap_or(STANDARD), games);
    for (what, taken) in &mut costs.0 {
        let (median, greatest) = (median(taken), taken.last().copied().unwrap_or_default());
        println!("{what:<12} {:>10.3} median {:>10.3} greatest", micros(median), micros(greatest));
    }
    println!("longest saved position: {longest_save} bytes");
}

/// Prints a line for each variant of each game: what a decision and a list of legal moves cost, and by how many times a
/// decision costs more than one of chess.
fn compare() {
    let (mut chess, _) = measure(&CHESS, STANDARD, GAMES);
    let unit = chess.median("decision");
    println!("| game | variant | decision | of chess | legal_moves |\n|---|---|---|---|---|");
    for game in CATALOG.iter() {
        let described = game.describe();
        for variant in described.variant_ids() {
            let (mut costs, _) = measure(game, variant, GAMES);
            let (decision, legal) = (costs.median("decision"), costs.median("legal_moves"));
            let ratio = micros(decision) / micros(unit);
            let (id, decision, legal) = (described.id, micros(decision), micros(legal));
            println!("| {id} | {variant} | {decision:.2} | {ratio:.2} | {legal:.2} |");
        }
    }
}

/// Plays so many games; the costs, and the length of the longest saved position.
fn measure(game: &dyn Game, variant: &str, games: u64) -> (Costs, usize) {
    let mut costs = Costs::default();
    let longest = (0..games).map(|seed| play_out(game, variant, seed, &mut costs)).max();
    (costs, longest.unwrap_or_default())
}

/// Nanoseconds as microseconds.
fn micros(nanos: u32) -> f64 {
    f64::from(nanos) / 1_000.0
}

/// The middle of these numbers, which are sorted for it.
fn median(of: &mut [u32]) -> u32 {
    of.sort_unstable();
    of.get(of.len() / 2).copied().unwrap_or_default()
}

/// What was asked, and the nanoseconds of each time.
#[derive(Default)]
struct Costs(Vec<(&'static str, Vec<u32>)>);

impl Costs {
    fn measure<T>(&mut self, what: &'static str, ask: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let answer = black_box(ask());
        self.add(what, begun.elapsed());
        answer
    }

    fn add(&mut self, what: &'static str, taken: Duration) {
        let nanos = u32::try_from(taken.as_nanos()).unwrap_or(u32::MAX);
        match self.0.iter_mut().find(|(known, _)| *known == what) {
            Some((_, all)) => all.push(nanos),
            None => self.0.push((what, vec![nanos])),
        }
    }

    fn median(&mut self, what: &str) -> u32 {
        self.0.iter_mut().find(|(known, _)| *known == what).map_or(0, |(_, taken)| median(taken))
    }
}

/// Dice of a seeded generator.
struct Dice<'a>(&'a mut Pcg64);

impl Chance for Dice<'_> {
    fn below(&mut self, n: u64) -> Option<u64> {
        u64::from(self.0.next_u32()).checked_rem(n)
    }
}

/// Plays one game and returns the length of its longest saved position.
fn play_out(game: &dyn Game, variant: &str, seed: u64, costs: &mut Costs) -> usize {
    let seats =
        game.describe().players_of(variant).expect("the second argument is a variant of the game").min;
    let mut position = game.open(variant, seats).expect("a variant is played by its number of seats");
    let mut random = Pcg64::seed_from_u64(seed);
    let mut longest_save = 0;
    loop {
        if position.awaits_nature() {
            costs.measure("act", || position.act(&mut Dice(&mut random))).expect("nature acts when it must");
            continue;
        }
        let Some(player) = position.to_move().iter().next() else { return longest_save };
        longest_save = longest_save.max(costs.measure("save", || position.save()).len());
        drop(costs.measure("clone", || position.clone_box()));
        drop(costs.measure("legal_moves", || position.legal_moves(player)));
        drop(costs.measure("public", || position.public()));
        drop(costs.measure("picture", || position.picture(false)));
        let begun = Instant::now();
        let notations = costs.measure("notations", || position.notations(player));
        let place = usize::try_from(random.next_u32()).unwrap_or(0) % notations.len();
        let chosen = notations.get(place).copied().expect("who is to move has a legal move");
        costs
            .measure("play", || position.play(player, &chosen, &mut Dice(&mut random)))
            .expect("a listed move is legal");
        drop(costs.measure("outcome", || position.outcome()));
        drop(costs.measure("state_string", || position.state_string()));
        costs.add("decision", begun.elapsed());
    }
}
