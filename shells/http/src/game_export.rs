//! The export formats of an ended game: annotated PGN, and a line of NDJSON with the replay.

use crate::log_signer::LogSigner;
use crate::payload::{PgnSeat, ReplayRecord, annotated_pgn, record};
use crate::replay_log;
use hall_core::Withheld;
use hall_core::rooms::{Room, RoomFact};
use hall_driver::{Archive, ArchiveError, EndKey, Engine, LogError};
use hall_wire::Timestamp;
use serde::Serialize;

/// Facts read from disk at a time.
const EXPORTED_FACTS_AT_ONCE: usize = 256;

/// Why a game cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The game cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Its proof cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Facts of the game are missing.
    #[error("facts of a game are missing on disk")]
    Facts,
}

/// An ended game as annotated PGN; `None` for games without such a form. `cursor` becomes a tag.
///
/// # Errors
/// The game cannot be read.
pub fn game_pgn(
    engine: &Engine,
    room: &Room,
    site: &str,
    cursor: Option<EndKey>,
) -> Result<Option<String>, ExportError> {
    let archive = engine.archive();
    let rated = archive.rated_game(&room.id())?;
    let seats = room.seats().iter().map(|seat| {
        let seat = &seat.seat;
        let rating = rated.iter().flat_map(|rated| &rated.seats).find(|rated| rated.agent == seat.agent);
        // A text is withheld from the moment of the decision. That reveals nothing that is not durable.
        let withheld = engine.peek(|hall| hall.desk().is_withheld(&Withheld::Agent(seat.agent)));
        let entry = if withheld { None } else { archive.homologation(&seat.agent, &seat.homologation)? };
        Ok(PgnSeat {
            rating: rating.map(|rated| whole_points(rated.before.rating)),
            model: entry.map(|entry| entry.filing.model_id),
        })
    });
    let seats = seats.collect::<Result<Vec<_>, ArchiveError>>()?;
    let facts = game_facts(archive, room)?;
    Ok(annotated_pgn(room, &facts, &seats, site, cursor.map(|key| key.to_string())))
}

/// An ended game in another of its formats; `None` if it has no such format.
///
/// # Errors
/// The game cannot be read.
pub(crate) fn game_record(
    engine: &Engine,
    room: &Room,
    site: &str,
    format: &str,
) -> Result<Option<String>, ExportError> {
    Ok(record(room, &game_facts(engine.archive(), room)?, site, format))
}

/// Hundredths as whole points, half away from zero.
const fn whole_points(hundredths: i32) -> i32 {
    (hundredths + if hundredths < 0 { -50 } else { 50 }) / 100
}

/// A line of an export of replays.
#[derive(Debug, Serialize)]
pub struct ReplayLine {
    cursor: String,
    ended_at: Timestamp,
    replay: ReplayRecord,
}

impl ReplayLine {
    /// The line of the game that ended with `key`.
    #[must_use]
    pub fn of(key: EndKey, replay: ReplayRecord) -> Self {
        Self { cursor: key.to_string(), ended_at: key.ended_at(), replay }
    }
}

/// The replay of an ended game.
///
/// # Errors
/// The game or its proof cannot be read.
pub fn game_replay(
    engine: &Engine,
    signer: &LogSigner,
    room: &Room,
    site: &str,
) -> Result<ReplayRecord, ExportError> {
    let facts = game_facts(engine.archive(), room)?;
    let log = replay_log(engine.log(), signer, room)?;
    Ok(ReplayRecord::of(room, &facts, site, log))
}

/// Every fact of a game that `room` has seen.
pub(crate) fn game_facts(archive: &Archive, room: &Room) -> Result<Vec<RoomFact>, ExportError> {
    let mut facts: Vec<RoomFact> = Vec::new();
    loop {
        let next = facts.last().map_or(1, |fact| fact.number + 1);
        if next > room.fact_count() {
            return Ok(facts);
        }
        let more = archive.room_facts(&room.id(), next, EXPORTED_FACTS_AT_ONCE)?;
        if more.is_empty() {
            tracing::error!(game = %room.id(), next, "facts of a game are missing on disk");
            return Err(ExportError::Facts);
        }
        facts.extend(more.into_iter().take_while(|fact| fact.number <= room.fact_count()));
    }
}

#[cfg(test)]
mod tests {
    use super::whole_points;

    #[test]
    fn ratings_are_rounded_to_whole_points_half_away_from_zero() {
        for (hundredths, points) in [(150_000, 1500), (149_950, 1500), (149_949, 1499), (-50, -1), (-49, 0)] {
            assert_eq!(whole_points(hundredths), points);
        }
    }
}
