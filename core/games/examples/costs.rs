//! Prints what the answers of a game cost: `costs GAME VARIANT [GAMES]`, by default over 20 seeded random games.
//!
//! Each line is one answer with its mean and its greatest cost in microseconds of wall time. `decision` is what a room asks
//! in one turn: the notations, the move, the outcome and the state string.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a program around the core, not the core: it reads its arguments and measures time"
)]

use hall_games::{CATALOG, Chance, Game};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |place: usize| arguments.get(place).map(String::as_str);
    let game =
        argument(0).and_then(|id| CATALOG.find(id)).expect("the first argument is a game of the catalog");
    let variant = argument(1).unwrap_or(hall_games::STANDARD);
    let games = argument(2).map_or(20, |text| text.parse().expect("a number of games"));
    let mut costs = Costs::default();
    let mut longest_save = 0;
    for seed in 0..games {
        longest_save = longest_save.max(play_out(game, variant, seed, &mut costs));
    }
    for (what, count, total, greatest) in &costs.0 {
        let mean = total / u128::from(*count).max(1);
        println!("{what:<12} {:>10.3} mean {:>10.3} greatest", micros(mean), micros(*greatest));
    }
    println!("longest saved position: {longest_save} bytes");
}

/// Nanoseconds as microseconds.
fn micros(nanos: u128) -> f64 {
    f64::from(u32::try_from(nanos).unwrap_or(u32::MAX)) / 1_000.0
}

/// What was asked, how often, and its nanoseconds: all together, and the most for one.
#[derive(Default)]
struct Costs(Vec<(&'static str, u64, u128, u128)>);

impl Costs {
    fn measure<T>(&mut self, what: &'static str, ask: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let answer = black_box(ask());
        self.add(what, begun.elapsed().as_nanos());
        answer
    }

    fn add(&mut self, what: &'static str, nanos: u128) {
        match self.0.iter_mut().find(|(known, ..)| *known == what) {
            Some((_, count, total, greatest)) => {
                *count += 1;
                *total += nanos;
                *greatest = (*greatest).max(nanos);
            }
            None => self.0.push((what, 1, nanos, nanos)),
        }
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
        costs.add("decision", begun.elapsed().as_nanos());
    }
}
