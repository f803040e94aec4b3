//! Plays seeded random games of one variant and prints one JSON object for each, for somebody else's rules to follow.
//!
//! `lockstep GAME VARIANT [GAMES] [FIRST_SEED]`, by default 100 games from seed 0 on. Each line holds `game`, `variant`,
//! `seed`, `seats`, `result`, `records` (the game in each of its record formats) and `steps`. A step holds what is true before something happens: `state` (the state string),
//! `to_move`, `legal` (by player), `public` and `private` (by player); and what happens: `act`, the complete outcome of an act of
//! nature with `outcome`, its public part, or `moves`, the pairs of player and notation that were played, in seat order,
//! with `shown`, what they showed to all. The last step has neither.
//!
//! In games of even seeds every legal move is as likely as any other. In those of odd seeds players often choose the last
//! move of their list, which in some games is a word that ends something (`liar`, `pass`) and would be rare otherwise.
#![expect(
    clippy::disallowed_methods,
    reason = "a program around the core, not the core: it reads its arguments"
)]

use hall_games::{BySeat, CATALOG, Chance, Game, GameRecord, GameResult, Position};
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use serde_json::json;
use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |place: usize| arguments.get(place).map(String::as_str);
    let number = |place: usize, default: u64| {
        argument(place).map_or(default, |text| text.parse().expect("a number of games or a seed"))
    };
    let game =
        argument(0).and_then(|id| CATALOG.find(id)).expect("the first argument is a game of the catalog");
    let variant = argument(1).unwrap_or(hall_games::STANDARD);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let first = number(3, 0);
    for seed in first..first + number(2, 100) {
        writeln!(out, "{}", one_game(game, variant, seed))?;
    }
    out.flush()
}

/// Dice of a seeded generator.
struct Dice<'a>(&'a mut Pcg64);

impl Chance for Dice<'_> {
    fn below(&mut self, n: u64) -> Option<u64> {
        u64::from(self.0.next_u32()).checked_rem(n)
    }
}

fn one_game(game: &dyn Game, variant: &str, seed: u64) -> Value {
    let described = game.describe();
    let seats = described.players_of(variant).expect("the second argument is a variant of the game").min;
    let mut position = game.open(variant, seats).expect("a variant is played by its number of seats");
    let mut random = Pcg64::seed_from_u64(seed);
    let (mut steps, mut played, mut acts) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let mut step = before(&*position, seats);
        if position.awaits_nature() {
            let act = position.act(&mut Dice(&mut random)).expect("nature acts when it is its turn");
            acts.push((played.len(), act.complete.clone()));
            step.insert("act".into(), act.complete.into());
            step.insert("outcome".into(), act.outcome.into());
        } else if position.to_move().is_empty() {
            steps.push(step);
            break;
        } else {
            let chosen: Vec<(Player, Notation)> = position
                .to_move()
                .iter()
                .take(if described.simultaneous { usize::from(seats) } else { 1 })
                .map(|player| (player, choose(&*position, player, seed % 2 == 1, &mut random)))
                .collect();
            let mut shown = Vec::new();
            for (player, notation) in &chosen {
                let played = position.play(*player, notation, &mut Dice(&mut random));
                shown.extend(played.expect("a listed move is legal").shown);
            }
            step.insert("moves".into(), json!(chosen));
            played.extend(chosen);
            step.insert("shown".into(), json!(shown));
        }
        steps.push(step);
    }
    let result = result(&*position);
    let record = GameRecord { variant, chance: &acts, ..GameRecord::of(&played, &result) };
    let records: Map<String, Value> = described
        .record_formats
        .iter()
        .map(|format| ((*format).to_string(), json!(game.record(format, &record))))
        .collect();
    json!({
        "game": described.id, "variant": variant, "seed": seed, "seats": seats, "steps": steps,
        "result": result, "records": records,
    })
}

fn choose(position: &dyn Position, player: Player, likes_the_last: bool, random: &mut Pcg64) -> Notation {
    let legal = position.notations(player);
    if likes_the_last && random.next_u32().is_multiple_of(3) {
        return legal.last().copied().expect("who is to move has a legal move");
    }
    let place = usize::try_from(random.next_u32()).unwrap_or(0) % legal.len();
    legal.get(place).copied().expect("who is to move has a legal move")
}

fn before(position: &dyn Position, seats: u8) -> Map<String, Value> {
    let players = || (0..seats).map(Player::new);
    let by_player = |value: &dyn Fn(Player) -> Value| -> Map<String, Value> {
        players().map(|player| (player.to_string(), value(player))).collect()
    };
    let step = json!({
        "state": position.state_string(),
        "to_move": position.to_move().iter().collect::<Vec<_>>(),
        "legal": by_player(&|player| json!(position.notations(player))),
        "public": position.public(),
        "private": by_player(&|player| position.private(player)),
    });
    if let Value::Object(step) = step { step } else { Map::new() }
}

fn result(position: &dyn Position) -> GameResult {
    let mut result = GameResult::from(position.outcome().expect("a game without a move is over"));
    result.points = position.points(&result).map(BySeat);
    result
}
