//! Prints how much memory a live game of each variant takes in the core: `room_memory [TURNS]`, by default at turn 40, or
//! as far as a random game goes before that.
//!
//! What is counted is what the allocator has given and not got back; the facts of the games are not kept. The last column
//! is what is left of it when each turn is given 40 bytes.
#![expect(
    clippy::disallowed_methods,
    reason = "a program around the core, not the core: it reads its arguments and counts what is allocated"
)]

use hall_core::fixtures::{self, submission};
use hall_core::rooms::{NewGame, RoomFact, Rooms, Seat, start};
use hall_core::{Choice, Division, GameVariant, RoomCommand, SeasonId, Timing, Word};
use hall_games::{CATALOG, Game};
use hall_wire::roll::Seed;
use hall_wire::{AgentId, GameId, Handle, HomologationId, Span, Timestamp};
use peak_alloc::PeakAlloc;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const START: Timestamp = Timestamp::from_millis(1_795_211_400_000);
/// Games of each variant. Some end before they are counted.
const GAMES: u8 = 100;
/// What a turn may take, in bytes.
const BYTES_A_TURN: usize = 40;

fn main() {
    let turns = std::env::args().nth(1).map_or(40, |text| text.parse().expect("a number of turns"));
    println!("| game | variant | turns | bytes a game | without its turns |\n|---|---|---|---|---|");
    for game in CATALOG.iter() {
        for variant in game.describe().variant_ids() {
            let before = PeakAlloc.current_usage();
            let mut rooms = Rooms::default();
            let played: Vec<u32> =
                (0..GAMES).filter_map(|seed| play(&mut rooms, game, variant, seed, turns)).collect();
            let count = played.len().max(1);
            let each = PeakAlloc.current_usage().saturating_sub(before) / count;
            let mean = played.iter().map(|turns| usize::try_from(*turns).unwrap_or(0)).sum::<usize>() / count;
            let rest = each.saturating_sub(mean * BYTES_A_TURN);
            println!("| {} | {variant} | {mean} | {each} | {rest} |", game.describe().id);
        }
    }
}

/// Begins a game and plays random moves in it; how many turns were played. A game that ends on the way is archived.
fn play(rooms: &mut Rooms, game: &'static dyn Game, variant: &str, seed: u8, turns: u32) -> Option<u32> {
    let (id, mut random) = (GameId::from_bytes([seed + 1; 16]), Pcg64::seed_from_u64(u64::from(seed)));
    let word = |text| Word::parse(text).expect("a word");
    let described = game.describe();
    let seats = described.players_of(variant).expect("a variant of the game").min;
    let (facts, _) = start(NewGame {
        id,
        at: START,
        variant: GameVariant { game: word(described.id), variant: word(variant) },
        division: Division::Open,
        season: &SeasonId::parse("s1").expect("a season"),
        seats: (0..seats).map(seat).collect(),
        seed: Seed::from_bytes([seed; 32]),
        timing: Timing { move_time: Span::from_secs(60), side_time: None },
        beacon: None,
        game,
    });
    apply(rooms, facts);
    for second in 1.. {
        let room = rooms.find(&id)?;
        if room.result().is_some() {
            rooms.archive(&id);
            return None;
        }
        if room.turn_index() >= turns {
            return Some(room.turn_index());
        }
        let player = room.to_move().iter().next()?;
        let agent = room.seat(player)?.seat.agent;
        let legal = room.legal_moves(player);
        let chosen = legal.get(usize::try_from(random.next_u32()).unwrap_or(0) % legal.len())?;
        let asked = submission(id, room.turn_index(), Some(Choice::Notation(chosen.notation)));
        let now = START + Span::from_secs(second);
        let decision = rooms.decide(now, now, Some(&agent), &RoomCommand::Submit(asked));
        apply(rooms, decision.facts);
    }
    None
}

fn apply(rooms: &mut Rooms, facts: Vec<Arc<RoomFact>>) {
    facts.iter().for_each(|fact| rooms.apply(fact, &CATALOG));
}

fn seat(place: u8) -> Seat {
    let handle = format!("agent-{place}");
    Seat {
        agent: AgentId::of_key(&fixtures::key_of(&handle)),
        handle: Handle::parse(&handle).expect("a handle"),
        key: fixtures::key_of(&handle),
        homologation: HomologationId::from_bytes([place; 16]),
    }
}
