//! An ended game in a format of its field, or as JSON for every game (decision 13.9).

use super::pgn::{tags_of_end, tags_of_start};
use hall_core::Word;
use hall_core::rooms::{Room, RoomChange, RoomFact};
use hall_games::{Catalog, GameRecord, GameResult};
use hall_wire::{Handle, Notation, Player};
use serde::Serialize;

/// The format that every game has.
const JSON: &str = "json";

/// A game as JSON.
#[derive(Serialize)]
struct JsonRecord<'a> {
    game: Word,
    variant: Word,
    seats: Vec<JsonSeat<'a>>,
    moves: Vec<JsonMove>,
    chance: Vec<JsonAct<'a>>,
    result: &'a GameResult,
}

#[derive(Serialize)]
struct JsonSeat<'a> {
    player: Player,
    handle: &'a Handle,
}

#[derive(Serialize)]
struct JsonMove {
    turn_index: u32,
    player: Player,
    notation: Notation,
}

#[derive(Serialize)]
struct JsonAct<'a> {
    turn_index: u32,
    outcome: &'a str,
}

/// The formats in which an ended game can be written, the default first.
pub fn record_formats(room: &Room) -> Vec<&'static str> {
    let own = room.rules().map_or(&[][..], |rules| rules.describe().record_formats);
    own.iter().copied().chain([JSON]).collect()
}

/// Whether any game of the catalog, by any version of its rules, can be written in this format.
#[must_use]
pub fn is_format(catalog: &Catalog, format: &str) -> bool {
    format == JSON || catalog.versions().any(|game| game.describe().record_formats.contains(&format))
}

/// An ended game in one of its formats, from all its facts; `None` while it is live and in another format. `site` is
/// the address of the hall.
#[must_use]
pub fn record(room: &Room, facts: &[RoomFact], site: &str, format: &str) -> Option<String> {
    let result = room.result()?;
    if format == JSON {
        return Some(as_json(room, facts, result));
    }
    let mut tags = tags_of_start(room, site);
    tags.extend(tags_of_end(room, result));
    let (mut moves, mut chance) = (Vec::new(), Vec::new());
    for fact in facts {
        if let RoomChange::MovePlayed(resolution) = &fact.change {
            moves.extend(resolution.player.zip(resolution.notation));
        } else if let RoomChange::NatureActed { complete, .. } = &fact.change {
            chance.push((moves.len(), complete.clone()));
        }
    }
    let variant = room.variant().variant;
    let record = GameRecord {
        variant: variant.as_str(),
        tags: &tags,
        chance: &chance,
        ..GameRecord::of(&moves, result)
    };
    room.rules()?.record(format, &record)
}

fn as_json(room: &Room, facts: &[RoomFact], result: &GameResult) -> String {
    let acts = facts.iter().filter_map(|fact| {
        let RoomChange::NatureActed { turn_index, complete, .. } = &fact.change else { return None };
        Some(JsonAct { turn_index: *turn_index, outcome: complete })
    });
    let moves = room.turns().iter().filter_map(|turn| {
        let (player, notation) = turn.player.zip(turn.notation)?;
        Some(JsonMove { turn_index: turn.turn_index, player, notation })
    });
    let seats = room.players().zip(room.seats());
    let written = JsonRecord {
        game: room.variant().game,
        variant: room.variant().variant,
        seats: seats.map(|(player, seat)| JsonSeat { player, handle: &seat.seat.handle }).collect(),
        moves: moves.collect(),
        chance: acts.collect(),
        result,
    };
    serde_json::to_string(&written).unwrap_or_default()
}
