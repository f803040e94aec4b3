//! Tiles read from their rows, with a cache of those used last.

use super::{LogError, TILE_HEIGHT, TILE_WIDTH, hash_key};
use crate::recent::Recent;
use crate::tables;
use hall_journal::{JournalReader, KeyRange};
use hall_wire::Digest;
use hall_wire::merkle::{Nodes, node_hash};
use std::ops::Bound;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Tiles kept ready, of at most 16 KiB each: 8 KiB of hashes, and as much again once a proof needed what is above them.
const MOST_KEPT: usize = 512;

/// The tiles of the tree of the first `size` leaves.
pub(crate) struct Tiles<'a> {
    reader: &'a dyn JournalReader,
    kept: &'a KeptTiles,
    size: u64,
}

/// What was read of tiles. A hash never changes once it is there, so what is kept serves every tree that has it,
/// smaller ones and larger ones.
#[derive(Default)]
pub(crate) struct KeptTiles(Mutex<Recent<TileName, Arc<Tile>>>);

/// Level and index of a tile.
type TileName = (u32, u64);

/// The hashes of a tile, or its first ones.
struct Tile {
    hashes: Arc<[Digest]>,
    /// The roots of the perfect subtrees over the hashes, by height.
    roots: OnceLock<Vec<Vec<Digest>>>,
}

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
        let width = self.width(level, index);
        if width == 0 {
            return Ok(Arc::default());
        }
        let tile = self.read(level, index, width)?;
        if tile.hashes.len() == width {
            return Ok(Arc::clone(&tile.hashes));
        }
        tile.hashes.get(..width).map(Arc::from).ok_or(LogError::Missing { level, index })
    }

    /// Hashes that a tile has.
    fn width(&self, level: u32, index: u64) -> usize {
        let first = index.saturating_mul(TILE_WIDTH);
        let width = self.level_size(level).saturating_sub(first).min(TILE_WIDTH);
        // At most that of a tile.
        usize::try_from(width).unwrap_or(usize::MAX)
    }

    /// What is known of a tile: at least its first `width` hashes.
    fn read(&self, level: u32, index: u64, width: usize) -> Result<Arc<Tile>, LogError> {
        let known = self.kept.find((level, index));
        if let Some(tile) = known.as_ref().filter(|tile| tile.hashes.len() >= width) {
            return Ok(Arc::clone(tile));
        }
        // A tile at the edge of this tree may be full in the journal. What lies beyond the edge is not kept: the journal of
        // several nodes may show what it loses when another server takes over.
        let hashes = match self.reader.row(tables::LOG_TILES, &hash_key(level, index))? {
            Some(row) => {
                let mut hashes = full_tile(&row)?;
                hashes.truncate(width);
                hashes
            }
            None => self.extended(level, index, known.map(|tile| tile.hashes.to_vec()), width)?,
        };
        let tile = Arc::new(Tile { hashes: hashes.into(), roots: OnceLock::new() });
        self.kept.keep((level, index), &tile);
        Ok(tile)
    }

    /// The first `width` hashes of a tile, of which the `known` ones are not read again, from a row each.
    fn extended(
        &self,
        level: u32,
        index: u64,
        known: Option<Vec<Digest>>,
        width: usize,
    ) -> Result<Vec<Digest>, LogError> {
        let missing = LogError::Missing { level, index };
        let mut hashes = known.unwrap_or_default();
        let first = index.saturating_mul(TILE_WIDTH);
        let key = |at: usize| u64::try_from(at).ok().and_then(|at| first.checked_add(at));
        let (Some(from), Some(to)) = (key(hashes.len()), key(width)) else { return Err(missing) };
        let start = Bound::Included(hash_key(level, from));
        let range = KeyRange { start, end: Bound::Excluded(hash_key(level, to)) };
        let count = width.saturating_sub(hashes.len());
        for (_, value) in self.reader.rows(tables::LOG_HASHES, range, false, count)? {
            let hash = value.first_chunk().ok_or(LogError::Form("a row of the tree has no hash"))?;
            hashes.push(Digest::from_bytes(*hash));
        }
        if hashes.len() == width { Ok(hashes) } else { Err(missing) }
    }
}

impl Nodes for Tiles<'_> {
    type Error = LogError;

    fn node(&self, height: u32, index: u64) -> Result<Digest, LogError> {
        let (level, above) = (height / TILE_HEIGHT, height % TILE_HEIGHT);
        let (name, within) = (index >> (TILE_HEIGHT - above), index % (TILE_WIDTH >> above));
        let missing = || LogError::Missing { level, index: name };
        let end = index.checked_add(1).map(|next| next << above);
        if end.is_none_or(|end| end > self.level_size(level)) {
            return Err(missing());
        }
        let tile = self.read(level, name, self.width(level, name))?;
        tile.root(above, within).ok_or_else(missing)
    }
}

impl KeptTiles {
    fn find(&self, name: TileName) -> Option<Arc<Tile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned()
    }

    /// Keeps a tile, unless more of it is kept already.
    fn keep(&self, name: TileName, tile: &Arc<Tile>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.get(&name).is_none_or(|known| known.hashes.len() < tile.hashes.len()) {
            kept.put(name, Arc::clone(tile), MOST_KEPT);
        }
    }
}

impl Tile {
    /// The root over `2^height` hashes, those after `index` times as many.
    fn root(&self, height: u32, index: u64) -> Option<Digest> {
        let index = usize::try_from(index).ok()?;
        if height == 0 {
            return self.hashes.get(index).copied();
        }
        let roots = self.roots.get_or_init(|| perfect_roots(&self.hashes));
        roots.get(usize::try_from(height).ok()?.checked_sub(1)?)?.get(index).copied()
    }
}

/// The roots of the perfect subtrees over some hashes, those of two hashes first.
fn perfect_roots(hashes: &[Digest]) -> Vec<Vec<Digest>> {
    let mut roots: Vec<Vec<Digest>> = Vec::new();
    loop {
        let below = roots.last().map_or(hashes, Vec::as_slice);
        let (pairs, _) = below.as_chunks();
        if pairs.is_empty() {
            return roots;
        }
        roots.push(pairs.iter().map(|[left, right]| node_hash(left, right)).collect());
    }
}

/// The hashes that the row of a full tile holds.
fn full_tile(row: &[u8]) -> Result<Vec<Digest>, LogError> {
    let (hashes, rest) = row.as_chunks();
    let whole = rest.is_empty() && u64::try_from(hashes.len()).is_ok_and(|count| count == TILE_WIDTH);
    if !whole {
        return Err(LogError::Form("the row of a tile is not a full tile"));
    }
    Ok(hashes.iter().copied().map(Digest::from_bytes).collect())
}
