//! How a game begins.

use super::draft::turn_effects;
use super::event;
use super::fact::{BeaconStatus, BeaconTerms, OpenTurn, RoomChange, RoomFact, Seat, Started};
use super::room::{Beacon, Room, RoomState, SeatState};
use crate::decision::Effect;
use crate::fact::Fact;
use crate::names::{Board, Division, SeasonId, Word};
use crate::rules::{BeaconChain, Timing, limits};
use alloc::vec::Vec;
use hall_games::{Catalog, Game};
use hall_wire::draw::Seed;
use hall_wire::{GameId, Span, Timestamp};

/// What the desk has decided about a game that is to begin.
#[derive(Debug)]
pub struct NewGame<'a> {
    /// Its identifier.
    pub id: GameId,
    /// When it is formed.
    pub at: Timestamp,
    /// What is played.
    pub board: Board,
    /// In which division.
    pub division: Division,
    /// In which season.
    pub season: &'a SeasonId,
    /// By whom, in seat order.
    pub seats: Vec<Seat>,
    /// The secret seed.
    pub seed: Seed,
    /// With which clocks.
    pub timing: Timing,
    /// The beacon chain, unless it is off.
    pub beacon: Option<&'a BeaconChain>,
    /// The rules of the game.
    pub game: &'static dyn Game,
}

/// Begins a game: its first fact, and who is told.
///
/// # Panics
/// If the game cannot be set up for these seats; the desk pairs only what the catalog offers.
#[must_use]
pub fn start(new: NewGame<'_>) -> (Fact, Vec<Effect>) {
    let position = open_position(new.game, new.board, new.seats.len());
    let to_move = position.to_move();
    let fresh = |player| OpenTurn {
        player,
        started_at: new.at,
        move_deadline: new.at + new.timing.move_time,
        credit: Span::ZERO,
    };
    let beacon = new.beacon.map(|chain| BeaconTerms {
        chain_hash: chain.chain_hash,
        round: chain.round_at_or_after(new.at + limits::BEACON_LEAD),
    });
    let version = new.game.describe().ruleset_version;
    let started = Started {
        board: new.board,
        division: new.division,
        season: new.season.clone(),
        seats: new.seats,
        ruleset_version: Word::parse(version).expect("a rules version is a short word"),
        timing: new.timing,
        commitment: new.seed.commitment(&new.id),
        seed: new.seed,
        beacon,
        to_move,
        turns: to_move.iter().map(fresh).collect(),
    };
    let event = Some(event::started(new.id, new.at, &started));
    let room = room_of(new.id, new.at, &started, position);
    let effects = turn_effects(None, &room);
    let fact = RoomFact { game: new.id, number: 1, at: new.at, change: RoomChange::Started(started), event };
    (super::fact(fact), effects)
}

/// The room that the first fact of a game describes.
pub(super) fn open(fact: &RoomFact, catalog: &Catalog) -> Room {
    let RoomChange::Started(started) = &fact.change else {
        panic!("a game begins with its start");
    };
    let game = catalog.find(started.board.game.as_str()).expect("a started game is in the catalog");
    room_of(fact.game, fact.at, started, open_position(game, started.board, started.seats.len()))
}

fn open_position(game: &dyn Game, board: Board, seats: usize) -> alloc::boxed::Box<dyn hall_games::Position> {
    let seats = u8::try_from(seats).unwrap_or(u8::MAX);
    game.open(board.variant.as_str(), seats).expect("only what the catalog offers is played")
}

fn room_of(
    id: GameId,
    at: Timestamp,
    started: &Started,
    position: alloc::boxed::Box<dyn hall_games::Position>,
) -> Room {
    let seats = started.seats.iter().map(|seat| SeatState {
        seat: seat.clone(),
        remaining: started.timing.side_time,
        strikes: 0,
        illegal_attempts: 0,
        open: None,
        last: None,
    });
    let status = BeaconStatus::at_start(started.beacon.as_ref());
    let state = RoomState {
        id,
        board: started.board,
        division: started.division,
        season: started.season.clone(),
        ruleset_version: started.ruleset_version,
        timing: started.timing,
        seed: started.seed,
        commitment: started.commitment,
        beacon: Beacon { terms: started.beacon, status, randomness: None, signature: None },
        started_at: at,
        ended_at: None,
        turn_index: 0,
        seats: seats.collect(),
        draw_offer: None,
        held: None,
        result: None,
        last: None,
        turns: Vec::new(),
        gaps: Vec::new(),
        facts: 1,
        events: 1,
    };
    let mut room = Room { state, position };
    room.open(&started.turns);
    room
}
