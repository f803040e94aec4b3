//! The growing edge of the tree, kept by the writer.

use super::tiles::Tiles;
use super::{LogError, TILE_HEIGHT, TILE_WIDTH, hash_key, leaf_value, tile_row};
use crate::tables::{self, FactPlace, fact_key, key_prefix};
use hall_core::{DeskFact, Fact, HallFact};
use hall_journal::Row;
use hall_wire::Digest;
use hall_wire::merkle::{Frontier, leaf_hash};

/// The edge of the tree after the last leaf that has rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeBuilder {
    frontier: Frontier,
    open: OpenTiles,
}

/// The hashes of the last tile of each level, as long as it is not full: fewer than [`TILE_WIDTH`] a level.
#[derive(Clone, Debug, Default)]
struct OpenTiles(Vec<Vec<Digest>>);

impl TreeBuilder {
    /// Continues after `frontier`; `tiles` are those of the same tree.
    ///
    /// # Errors
    /// A row is missing or damaged.
    pub(crate) fn after(frontier: Frontier, tiles: &Tiles<'_>) -> Result<Self, LogError> {
        let levels = (0..).map(|level| (level, tiles.level_size(level))).take_while(|(_, size)| *size > 0);
        let open = levels
            .map(|(level, size)| Ok(tiles.tile(level, size / TILE_WIDTH)?.to_vec()))
            .collect::<Result<_, LogError>>()?;
        Ok(Self { frontier, open: OpenTiles(open) })
    }

    /// Leaves so far.
    pub(crate) const fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// The root over them.
    pub(crate) fn root(&self) -> Digest {
        self.frontier.root()
    }

    /// Appends a leaf and adds the tree's new rows to `rows`. Returns the leaf's index.
    pub(crate) fn push(&mut self, leaf: &str, place: FactPlace, rows: &mut Vec<Row>) -> u64 {
        let Self { frontier, open } = self;
        let index = frontier.size();
        frontier.push(leaf_hash(leaf.as_bytes()), |height, index, hash| {
            if height % TILE_HEIGHT == 0 {
                let level = height / TILE_HEIGHT;
                let value = if height == 0 { leaf_value(&hash, place) } else { hash.as_bytes().to_vec() };
                let key = hash_key(level, index);
                rows.push(Row { table: tables::LOG_HASHES, key, value: Some(value) });
                rows.extend(open.push(level, index, hash));
            }
        });
        index
    }

    /// Adds a fact: its leaf, if it has one, and the rows by which it is found again go to `rows`.
    pub(crate) fn add(&mut self, fact: &Fact, place: FactPlace, rows: &mut Vec<Row>) {
        let index = fact.leaf().map(|leaf| self.push(leaf, place, rows));
        if let Fact::Room(fact) = fact {
            // A fact of a room is found through its place in the journal: writing it twice would double the cost of a move.
            let mut value = place.encode();
            value.extend(index.into_iter().flat_map(u64::to_be_bytes));
            let key = fact_key(&fact.game, fact.number);
            rows.push(Row { table: tables::GAME_FACTS, key, value: Some(value) });
        } else if let (Fact::Desk(DeskFact::AgentRegistered { agent, .. }), Some(index)) = (fact, index) {
            let (key, value) = (agent.as_bytes().to_vec(), Some(index.to_be_bytes().to_vec()));
            rows.push(Row { table: tables::REGISTRATIONS, key, value });
        } else if let (Fact::Hall(HallFact::KeyPublished { purpose, public_key, .. }), Some(index)) =
            (fact, index)
        {
            let key = [key_prefix(*purpose).as_slice(), &index.to_be_bytes()].concat();
            rows.push(Row { table: tables::KEYS, key, value: Some(public_key.clone().into_bytes()) });
        }
    }
}

impl OpenTiles {
    /// Adds the hash with this index to its level; returns the row of the tile if the hash fills one.
    fn push(&mut self, level: u32, index: u64, hash: Digest) -> Option<Row> {
        let at = usize::try_from(level).ok()?;
        if at == self.0.len() {
            // Levels begin one after the other.
            self.0.push(Vec::new());
        }
        let tile = self.0.get_mut(at)?;
        tile.push(hash);
        debug_assert_eq!(u64::try_from(tile.len()).ok(), Some(index % TILE_WIDTH + 1), "the tile has a gap");
        if !(index + 1).is_multiple_of(TILE_WIDTH) {
            return None;
        }
        let row = tile_row(level, index / TILE_WIDTH, tile);
        tile.clear();
        Some(row)
    }
}
