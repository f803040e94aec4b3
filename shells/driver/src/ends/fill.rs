//! Backfills the rows of ends and ratings that have none, in journals written before these tables existed.
//!
//! Rows are written in the order of the journal, and those of one record together. So the records whose rows are
//! missing are always the last ones, even if an earlier start was interrupted or an older release ran in between. A
//! start continues after the record of the last end that has a row, or after the snapshot that it started from,
//! whichever is later: this release wrote the snapshot and had completed the tables by then. So a start reads no more
//! records than the recovery of the state does, however long ago the last game ended.

use super::archive::{EndOrder, EndRange};
use super::{EndKey, rated_game, rows};
use crate::archive::{Archive, ArchiveError};
use crate::recovery::{RecoverError, decode};
use crate::tables::FactPlace;
use hall_core::desk::Rating;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{Fact, GameVariant};
use hall_journal::{Batch, Journal, JournalError, MAX_BATCH_BYTES, Row};
use hall_wire::{AgentId, HomologationId};
use std::collections::BTreeMap;

/// Records read at a time.
const PAGE: usize = 256;
/// Games of an agent read at a time to find its last rating.
const GAMES: usize = 64;

/// Why the tables cannot be completed.
#[derive(Debug, thiserror::Error)]
pub enum FillEndsError {
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A record cannot be read.
    #[error(transparent)]
    Record(#[from] RecoverError),
    /// A row is damaged or unknown.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// Completes the tables up to the end of the journal. `snapshot` is the record that the snapshot of this start ended
/// with.
pub(crate) fn fill(
    journal: &mut dyn Journal,
    archive: &Archive,
    snapshot: Option<u64>,
) -> Result<(), FillEndsError> {
    let last = archive.ends(EndRange::default(), EndOrder::NewestFirst, 1)?;
    let last = last.first().map_or(0, |last| last.key.place.record);
    let mut next = last.max(snapshot.unwrap_or(0)) + 1;
    let mut missing = Missing { archive, ratings: BTreeMap::new() };
    let mut batch = Batch::default();
    let mut rows = 0;
    loop {
        let records = archive.reader().records(next, PAGE)?;
        let Some(last) = records.last() else { break };
        next = last.seq + 1;
        for record in records {
            let entry = decode(record.seq, &record.bytes)?;
            for (fact, index) in entry.facts.iter().zip(0..) {
                let place = FactPlace { record: record.seq, index };
                batch.rows.extend(missing.rows_of(fact, place)?);
            }
            if batch.size() > MAX_BATCH_BYTES / 4 {
                rows += batch.rows.len();
                journal.append(&std::mem::take(&mut batch))?;
            }
        }
    }
    if !batch.is_empty() {
        rows += batch.rows.len();
        journal.append(&batch)?;
    }
    if rows > 0 {
        tracing::info!(rows, "ended games got rows in the order of their end");
    }
    Ok(())
}

struct Missing<'a> {
    archive: &'a Archive,
    /// The last rating of each entry that was read so far.
    ratings: BTreeMap<(HomologationId, GameVariant), Rating>,
}

impl Missing<'_> {
    fn rows_of(&mut self, fact: &Fact, place: FactPlace) -> Result<Vec<Row>, ArchiveError> {
        if let Some(RoomFact { game, at, change: RoomChange::Ended { .. }, .. }) = fact.in_room() {
            // A folder without the game's own row, which every release has written, cannot show the game anyway.
            let room = self.archive.ended_room(game)?;
            return Ok(room.map_or_else(Vec::new, |room| rows(EndKey { at: *at, place }, &room)));
        }
        let rated = rated_game(fact, |agent, entry, variant| self.before(agent, entry, variant));
        let Some((game, rated)) = rated.transpose()? else { return Ok(Vec::new()) };
        let after = |seat: &super::SeatRating| ((seat.homologation, rated.variant), seat.after);
        self.ratings.extend(rated.seats.iter().map(after));
        Ok(vec![rated.row(game)])
    }

    /// The rating that an entry has in a variant before the record that is read.
    fn before(
        &self,
        agent: &AgentId,
        entry: &HomologationId,
        variant: GameVariant,
    ) -> Result<Rating, ArchiveError> {
        if let Some(known) = self.ratings.get(&(*entry, variant)) {
            return Ok(*known);
        }
        let mut range = EndRange::default();
        loop {
            let ends = self.archive.ends_of(agent, range, EndOrder::NewestFirst, GAMES)?;
            for end in &ends {
                let rated = self.archive.rated_game(&end.game)?.filter(|rated| rated.variant == variant);
                let seats = rated.iter().flat_map(|rated| &rated.seats);
                if let Some(seat) = seats.into_iter().find(|seat| seat.homologation == *entry) {
                    return Ok(seat.after);
                }
            }
            let Some(oldest) = ends.last() else { return Ok(Rating::NEW) };
            range.before = Some(oldest.key);
        }
    }
}
