//! What happened in each game of a recorded world, step by step, with the position after each step.

use crate::direct::Recording;
use crate::panics::caught;
use crate::replay::change;
use hall_core::rooms::{Room, RoomChange};
use hall_core::{Fact, Hall};
use hall_games::CATALOG;
use hall_wire::{GameId, Timestamp};
use std::collections::BTreeMap;

/// A change in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GameStep {
    /// The number of the decision in the world's command log, from 1.
    pub(super) step: u64,
    /// The number of its journal record.
    pub(super) record: u64,
    /// When it happened.
    pub(super) at: Timestamp,
    /// What changed, as `hall-sim replay` writes it, and the move in SAN.
    pub(super) text: String,
    /// The state string of the position, where the change led to a new one.
    pub(super) state: Option<String>,
}

/// The steps of each game, in their order.
pub(super) fn steps(recording: &Recording) -> BTreeMap<GameId, Vec<GameStep>> {
    let mut hall = Hall::new(CATALOG, hall_driver::docket_wording);
    let mut games: BTreeMap<GameId, Vec<GameStep>> = BTreeMap::new();
    for (step, observed) in (1..).zip(&recording.decided) {
        for fact in &observed.decision.facts {
            // Facts of a broken core may contradict one another; then the steps before them are shown.
            if caught(|| hall.apply(fact)).is_err() {
                return games;
            }
            let Some(in_room) = fact.in_room() else { continue };
            let room = hall.rooms().find(&in_room.game).map(AsRef::as_ref);
            let (text, state) = told(fact, &in_room.change, in_room.game, room, &hall);
            let step = GameStep { step, record: observed.seq, at: in_room.at, text, state };
            games.entry(in_room.game).or_default().push(step);
        }
    }
    games
}

fn told(
    fact: &Fact,
    what: &RoomChange,
    game: GameId,
    room: Option<&Room>,
    hall: &Hall,
) -> (String, Option<String>) {
    let text = change(fact, Some(game), hall);
    let state = || room.map(|room| room.position().state_string());
    match what {
        RoomChange::Started(_) => (text, state()),
        RoomChange::MovePlayed(_) => {
            let san = room.and_then(|room| room.turns().last()?.san);
            (san.map_or(text.clone(), |san| format!("{text} ({san})")), state())
        }
        RoomChange::NatureActed { .. } => (text, state()),
        RoomChange::StrikeGiven { .. }
        | RoomChange::MoveSealed { .. }
        | RoomChange::HallDeferred { .. }
        | RoomChange::Shown { .. }
        | RoomChange::SeatVacated { .. }
        | RoomChange::Ended { .. }
        | RoomChange::IllegalAttempted { .. }
        | RoomChange::DrawOffered { .. }
        | RoomChange::DrawDeclined { .. }
        | RoomChange::DeadlineExtended { .. }
        | RoomChange::PenaltyDeferred { .. }
        | RoomChange::BeaconSettled { .. } => (text, None),
    }
}
