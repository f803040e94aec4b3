//! The first fact of a game, and the room that follows from it.

use crate::clock;
use crate::decision::Notice;
use crate::draft::Draft;
use crate::event;
use crate::fact::{BeaconStatus, BeaconTerms, RoomChange, RoomFact, Seat, Started};
use crate::label::{Division, GameVariant, SeasonId, Word};
use crate::limits;
use crate::notices;
use crate::room::{Beacon, Room, RoomState};
use crate::seat::SeatState;
use crate::timing::{BeaconChain, Timing};
use crate::turn_log::TurnLog;
use crate::unplayable::Unplayable;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_games::{Catalog, Game, Position};
use hall_wire::roll::Seed;
use hall_wire::{GameId, Timestamp};

/// What the desk has decided about a game that is to begin.
#[derive(Debug)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct NewGame<'a> {
    pub id: GameId,
    /// When it is formed.
    pub at: Timestamp,
    pub variant: GameVariant,
    /// The division that it counts for.
    pub division: Division,
    /// The season that it counts for.
    pub season: &'a SeasonId,
    /// The players, in seat order.
    pub seats: Vec<Seat>,
    pub seed: Seed,
    /// The clocks that it is played with.
    pub timing: Timing,
    /// The beacon chain, unless it is off.
    pub beacon: Option<&'a BeaconChain>,
    /// The rules of the game.
    pub game: &'static dyn Game,
}

/// Begins a game: makes its first facts (its start, and what nature does before anybody can move) and the notices for
/// the hall.
///
/// # Panics
/// If the game cannot be set up for these seats; the desk pairs only what the catalog offers.
#[must_use]
pub fn start(new: NewGame<'_>) -> (Vec<Arc<RoomFact>>, Vec<Notice>) {
    let position = open_position(new.game, new.variant, new.seats.len());
    let to_move = position.to_move();
    let beacon = new.beacon.map(|chain| BeaconTerms {
        chain_hash: chain.chain_hash,
        round: chain.round_at_or_after(new.at + limits::BEACON_LEAD),
    });
    let version = new.game.describe().ruleset_version;
    let started = Started {
        variant: new.variant,
        division: new.division,
        season: new.season.clone(),
        seats: new.seats,
        ruleset_version: Word::parse(version).expect("a rules version is a short word"),
        timing: new.timing,
        commitment: new.seed.commitment(&new.id),
        seed: new.seed,
        beacon,
        to_move,
        turns: clock::next_turns(&[], new.timing.move_time, None, to_move, new.at),
    };
    let event = Some(event::started(new.id, new.at, &started));
    let room = room_of(new.id, new.at, &started, Some(new.game), position);
    let fact = RoomFact { game: new.id, number: 1, at: new.at, change: RoomChange::Started(started), event };
    let mut draft = Draft::of(&room, new.at);
    draft.begin_turn();
    let notices = notices::turns(None, &draft.room);
    let facts = [Arc::new(fact)].into_iter().chain(draft.into_facts()).collect();
    (facts, notices)
}

/// The room that the first fact of a game describes.
pub(crate) fn open(fact: &RoomFact, catalog: &Catalog) -> Room {
    let RoomChange::Started(started) = &fact.change else {
        panic!("a game begins with its start");
    };
    let rules = catalog.find_version(started.variant.game.as_str(), started.ruleset_version.as_str());
    let seats = u8::try_from(started.seats.len()).unwrap_or(u8::MAX);
    let opened =
        rules.and_then(|rules| Some((rules, rules.open(started.variant.variant.as_str(), seats).ok()?)));
    match opened {
        Some((rules, position)) => room_of(fact.game, fact.at, started, Some(rules), position),
        None => room_of(fact.game, fact.at, started, None, Box::new(Unplayable::default())),
    }
}

fn open_position(game: &dyn Game, variant: GameVariant, seats: usize) -> Box<dyn Position> {
    let seats = u8::try_from(seats).unwrap_or(u8::MAX);
    game.open(variant.variant.as_str(), seats).expect("only what the catalog offers is played")
}

fn room_of(
    id: GameId,
    at: Timestamp,
    started: &Started,
    rules: Option<&'static dyn Game>,
    position: Box<dyn Position>,
) -> Room {
    let seats = started.seats.iter().map(|seat| SeatState {
        seat: seat.clone(),
        remaining: started.timing.side_time,
        strikes: 0,
        illegal_attempts: 0,
        open: None,
        last: None,
        sealed: None,
        vacancy: None,
    });
    let status = BeaconStatus::at_start(started.beacon.as_ref());
    let state = RoomState {
        id,
        variant: started.variant,
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
        deferred: None,
        result: None,
        last: None,
        turns: TurnLog::default(),
        hashes_taken: 0,
        hall_waits_since: None,
        gaps: Vec::new(),
        facts: 1,
        events: 1,
    };
    let mut room = Room { state, position, rules };
    room.open(&started.turns);
    room
}
