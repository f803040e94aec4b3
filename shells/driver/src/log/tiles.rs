//! Tiles read from their rows, the last ones kept ready.

use super::{LogError, TILE_HEIGHT, TILE_WIDTH, hash_key};
use crate::recent::Recent;
use hall_journal::{JournalReader, KeyRange, Table};
use hall_wire::Digest;
use hall_wire::merkle::{Nodes, perfect_root};
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

/// Full tiles kept ready, of 8 KiB each.
const KEPT: usize = 512;

/// The tiles of the tree of the first `size` leaves.
pub(crate) struct Tiles<'a> {
    pub(super) reader: &'a dyn JournalReader,
    pub(super) kept: &'a KeptTiles,
    pub(super) size: u64,
}

/// Full tiles, which never change.
#[derive(Default)]
pub(crate) struct KeptTiles(Mutex<Recent<TileName, Arc<[Digest]>>>);

/// Level and index of a tile.
type TileName = (u32, u64);

impl<'a> Tiles<'a> {
    pub(crate) const fn new(reader: &'a dyn JournalReader, kept: &'a KeptTiles, size: u64) -> Self {
        Self { reader, kept, size }
    }

    /// Hashes that a level of tiles has.
    pub(super) fn level_size(&self, level: u32) -> u64 {
        self.size.checked_shr(level.saturating_mul(TILE_HEIGHT)).unwrap_or(0)
    }

    /// The hashes of a tile, as many as there are.
    ///
    /// # Errors
    /// A row is missing or damaged.
    pub(super) fn tile(&self, level: u32, index: u64) -> Result<Arc<[Digest]>, LogError> {
        let first = index.saturating_mul(TILE_WIDTH);
        let width = self.level_size(level).saturating_sub(first).min(TILE_WIDTH);
        let whole = width == TILE_WIDTH;
        let kept = || self.kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if whole && let Some(tile) = kept().get(&(level, index)) {
            return Ok(Arc::clone(tile));
        }
        let range = KeyRange {
            start: Bound::Included(hash_key(level, first)),
            end: Bound::Excluded(hash_key(level, first + width)),
        };
        let count = usize::try_from(width).unwrap_or(usize::MAX);
        let rows = self.reader.rows(Table::LogHashes, range, false, count)?;
        let hashes: Option<Arc<[Digest]>> =
            rows.iter().map(|(_, value)| value.first_chunk().copied().map(Digest::from_bytes)).collect();
        let tile = hashes.filter(|hashes| hashes.len() == count).ok_or(LogError::Missing { level, index })?;
        if whole {
            kept().put((level, index), Arc::clone(&tile), KEPT);
        }
        Ok(tile)
    }
}

impl Nodes for Tiles<'_> {
    type Error = LogError;

    fn node(&self, height: u32, index: u64) -> Result<Digest, LogError> {
        let (level, above) = (height / TILE_HEIGHT, height % TILE_HEIGHT);
        let first = index << above;
        let tile = self.tile(level, first / TILE_WIDTH)?;
        let missing = LogError::Missing { level, index: first / TILE_WIDTH };
        let Ok(from) = usize::try_from(first % TILE_WIDTH) else { return Err(missing) };
        tile.get(from..from + (1 << above)).and_then(perfect_root).ok_or(missing)
    }
}
