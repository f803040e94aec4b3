//! Every ended game, oldest first.

use super::lines::Refused;
use super::request::GameFormat;
use super::server::{Premises, Sink};
use hall_core::rooms::{Room, RoomFact};
use hall_driver::{Archive, ArchiveError};
use hall_http::payload::{ReplayRecord, pgn};
use hall_http::replay_log;
use hall_wire::GameId;
use serde_json::{Value, json};

/// Games listed, or facts read, at once.
const PAGE: usize = 256;

/// Sends every game that has ended.
pub(super) fn export(premises: &Premises, format: GameFormat, sink: &Sink) -> Result<Value, Refused> {
    let archive = premises.engine.archive();
    let mut games = all(archive).map_err(damaged)?;
    games.reverse();
    let (mut written, mut without_pgn) = (0_u64, 0_u64);
    for game in &games {
        let Some(room) = archive.ended_room(game).map_err(damaged)? else { continue };
        match item(premises, &room, format)? {
            Some(item) => {
                sink.item(item)?;
                written += 1;
            }
            None => without_pgn += 1,
        }
    }
    Ok(json!({ "games": written, "games_without_pgn": without_pgn }))
}

fn all(archive: &Archive) -> Result<Vec<GameId>, ArchiveError> {
    let mut games: Vec<GameId> = Vec::new();
    loop {
        let page = archive.ended_games(games.last().copied(), PAGE)?;
        if page.is_empty() {
            return Ok(games);
        }
        games.extend(page);
    }
}

/// One game as it is written; `None` if it has no such form.
fn item(premises: &Premises, room: &Room, format: GameFormat) -> Result<Option<Value>, Refused> {
    let (engine, site) = (&premises.engine, premises.base_url.as_str());
    match format {
        GameFormat::Pgn => Ok(pgn(room, site).map(Value::String)),
        GameFormat::Replay => {
            let facts = facts(engine.archive(), room).map_err(damaged)?;
            let log = replay_log(engine.log(), &premises.log.signer, room).map_err(damaged)?;
            let replay = serde_json::to_value(ReplayRecord::of(room, &facts, site, log));
            replay.map(Some).map_err(|error| Refused::new("INTERNAL", error.to_string()))
        }
    }
}

fn facts(archive: &Archive, room: &Room) -> Result<Vec<RoomFact>, ArchiveError> {
    let mut facts: Vec<RoomFact> = Vec::new();
    loop {
        let from = facts.last().map_or(1, |last| last.number + 1);
        let page = archive.room_facts(&room.id(), from, PAGE)?;
        if page.is_empty() {
            return Ok(facts);
        }
        facts.extend(page);
    }
}

fn damaged(error: impl std::fmt::Display) -> Refused {
    Refused::new("DAMAGED", error.to_string())
}
