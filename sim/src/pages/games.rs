//! The games of a recorded world, rebuilt from its facts.

use crate::direct::Recording;
use crate::panics::caught;
use hall_core::rooms::{Room, RoomChange};
use hall_core::{Fact, Hall};
use hall_games::CATALOG;
use hall_games::GameRecord;
use hall_wire::{GameId, Timestamp};
use std::collections::BTreeMap;

/// From when to when a game was played, by whom, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSpan {
    /// Which.
    pub game: GameId,
    /// The handles in seat order.
    pub handles: Vec<String>,
    /// When it began.
    pub began: Timestamp,
    /// When it ended, if it did.
    pub ended: Option<Timestamp>,
    /// Why it ended.
    pub reason: String,
    /// Turns resolved.
    pub turns: u32,
    /// When a strike fell, and for which seat.
    pub strikes: Vec<(Timestamp, usize)>,
}

/// The games in the order in which they began.
#[must_use]
pub fn games(recording: &Recording) -> Vec<GameSpan> {
    let mut games: BTreeMap<GameId, GameSpan> = BTreeMap::new();
    let facts = recording.decided.iter().flat_map(|observed| &observed.decision.facts);
    for fact in facts.filter_map(Fact::in_room) {
        if let RoomChange::Started(started) = &fact.change {
            let handles = started.seats.iter().map(|seat| seat.handle.to_string()).collect();
            let (began, reason) = (fact.at, String::new());
            let span = GameSpan {
                game: fact.game,
                handles,
                began,
                ended: None,
                reason,
                turns: 0,
                strikes: Vec::new(),
            };
            games.insert(fact.game, span);
        }
        let Some(span) = games.get_mut(&fact.game) else { continue };
        match &fact.change {
            RoomChange::MovePlayed(_) => span.turns += 1,
            RoomChange::StrikeGiven { player, .. } => span.strikes.push((fact.at, player.index())),
            RoomChange::Ended { result, .. } => {
                span.ended = Some(fact.at);
                result.reason.as_str().clone_into(&mut span.reason);
            }
            RoomChange::Started(_)
            | RoomChange::IllegalAttempted { .. }
            | RoomChange::DrawOffered { .. }
            | RoomChange::DrawDeclined { .. }
            | RoomChange::DeadlineExtended { .. }
            | RoomChange::PenaltyDeferred { .. }
            | RoomChange::MoveSealed { .. }
            | RoomChange::NatureActed { .. }
            | RoomChange::HallDeferred { .. }
            | RoomChange::Shown { .. }
            | RoomChange::SeatVacated { .. }
            | RoomChange::BeaconSettled { .. } => {}
        }
    }
    let mut spans: Vec<GameSpan> = games.into_values().collect();
    spans.sort_by_key(|span| (span.began, span.game));
    spans
}

/// The ended games as PGN, each with its identifier.
#[must_use]
pub fn pgns(recording: &Recording) -> Vec<(GameId, String)> {
    let mut hall = Hall::new(CATALOG, hall_driver::docket_wording);
    let (mut pgns, mut acts) = (Vec::new(), BTreeMap::<GameId, Vec<(usize, String)>>::new());
    for observed in &recording.decided {
        // Facts that a broken core has made may contradict one another: then the games up to there are shown.
        let applied = caught(|| observed.decision.facts.iter().for_each(|fact| hall.apply(fact)));
        if applied.is_err() {
            break;
        }
        for fact in observed.decision.facts.iter().filter_map(Fact::in_room) {
            if let RoomChange::NatureActed { complete, .. } = &fact.change {
                // A game that has the form of PGN draws nothing but its start.
                acts.entry(fact.game).or_default().push((0, complete.clone()));
            }
            if matches!(fact.change, RoomChange::Ended { .. }) {
                let acts = acts.remove(&fact.game).unwrap_or_default();
                let room = hall.rooms().find(&fact.game);
                let text = room.and_then(|room| pgn(room, &acts, recording.report.seed));
                pgns.extend(text.map(|text| (fact.game, text)));
            }
        }
    }
    pgns
}

fn pgn(room: &Room, acts: &[(usize, String)], seed: u64) -> Option<String> {
    let result = room.result()?;
    let game = room.rules()?;
    let moves: Vec<_> = room.turns().iter().filter_map(|turn| turn.player.zip(turn.notation)).collect();
    let (year, month, day) = room.started_at().utc_date();
    let handle =
        |seat: usize| room.seats().get(seat).map_or_else(String::new, |seat| seat.seat.handle.to_string());
    let tags = [
        ("Event", format!("Season {}, {} division", room.season(), room.division())),
        ("Site", format!("the world of seed {seed}")),
        ("Date", format!("{year:04}.{month:02}.{day:02}")),
        ("Round", "-".to_owned()),
        ("White", handle(0)),
        ("Black", handle(1)),
        ("Termination", result.reason.as_str().to_owned()),
        ("GameId", room.id().to_string()),
    ];
    game.record("pgn", &GameRecord { tags: &tags, chance: acts, ..GameRecord::of(&moves, result) })
}
