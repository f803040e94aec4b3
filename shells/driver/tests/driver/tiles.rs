//! Proofs from tiles equal those from all leaves, whatever was read before, with or without the rows of full tiles.

use crate::hall::TestHall;
use hall_driver::tables;
use hall_driver::{LogReader, LogTreeBuilder, TILE_WIDTH, read_log};
use hall_games::CATALOG;
use hall_journal::{Batch, Journal as _, KeyRange, MemoryJournal, MemoryStorage, Row, Table};
use hall_wire::Digest;
use hall_wire::merkle::{Frontier, Nodes, consistency_path, inclusion_path, leaf_hash, root};
use std::collections::BTreeMap;

/// Around the edges of tiles, and far enough for a full tile of level 1 and a hash of level 2.
const SIZES: [u64; 16] =
    [1, 2, 128, 255, 256, 257, 300, 511, 512, 513, 1_000, 65_280, 65_535, 65_536, 65_537, 66_100];
const MANY: u64 = 66_100;

fn leaf(number: u64) -> String {
    format!("leaf {number}")
}

/// Every perfect subtree, from all leaves, without any tile.
struct Whole(BTreeMap<(u32, u64), Digest>);

impl Whole {
    fn new() -> Self {
        let (mut frontier, mut nodes) = (Frontier::default(), BTreeMap::new());
        for number in 0..MANY {
            frontier.push(leaf_hash(leaf(number).as_bytes()), |height, index, node| {
                nodes.insert((height, index), node);
            });
        }
        Self(nodes)
    }
}

impl Nodes for Whole {
    type Error = (u32, u64);

    fn node(&self, height: u32, index: u64) -> Result<Digest, Self::Error> {
        self.0.get(&(height, index)).copied().ok_or((height, index))
    }
}

/// A log that grows in a journal.
struct Log {
    journal: MemoryJournal,
    growth: LogTreeBuilder,
}

impl Log {
    fn new() -> Self {
        Self { journal: MemoryJournal::open(&MemoryStorage::default()), growth: LogTreeBuilder::default() }
    }

    fn of(size: u64) -> Self {
        let mut log = Self::new();
        log.grow(size);
        log
    }

    /// Grows, some leaves at a time.
    fn grow(&mut self, size: u64) {
        while self.growth.size() < size {
            let mut rows = Vec::new();
            while self.growth.size() < size && rows.len() < 777 {
                let number = self.growth.size();
                self.growth.push(&leaf(number), number + 1, &mut rows);
            }
            self.write(rows);
        }
    }

    fn write(&mut self, rows: Vec<Row>) {
        self.journal.append(&Batch { records: Vec::new(), rows }).unwrap();
    }

    fn reader(&self) -> LogReader {
        read_log(self.journal.reader(), CATALOG).unwrap()
    }
}

/// The tree of this size is that of all leaves, whatever is asked of it.
fn is_that_of(log: &LogReader, whole: &Whole, size: u64) {
    assert_eq!(log.root(size).unwrap(), root(whole, size).unwrap(), "{size}");
    let places = [0, 1, 127, 128, 255, 256, 257, 511, size / 3, size / 2, size.saturating_sub(300), size - 1];
    for index in places.into_iter().filter(|index| *index < size) {
        let path = inclusion_path(whole, index, size).unwrap();
        assert_eq!(log.inclusion(index, size).unwrap(), path, "{index} in {size}");
        assert_eq!(log.leaf_hash(index, size).unwrap(), Some(whole.0[&(0, index)]), "{index} in {size}");
        let path = consistency_path(whole, index + 1, size).unwrap();
        assert_eq!(log.consistency(index + 1, size).unwrap(), path, "{} to {size}", index + 1);
    }
    for level in 0..4_u32 {
        let hashes = size >> (8 * level);
        for index in [0, 1, hashes / TILE_WIDTH / 2, hashes / TILE_WIDTH, hashes / TILE_WIDTH + 1] {
            let range = index * TILE_WIDTH..hashes.min((index + 1) * TILE_WIDTH);
            let expected: Vec<Digest> = range.map(|at| whole.0[&(8 * level, at)]).collect();
            assert_eq!(*log.tile(level, index, size).unwrap(), *expected, "{index} of {level} in {size}");
        }
    }
}

fn tiles_of(journal: &MemoryJournal) -> Vec<(Vec<u8>, Vec<u8>)> {
    journal.reader().rows(tables::LOG_TILES, KeyRange::all(), false, usize::MAX).unwrap()
}

fn deletions(table: Table, keys: impl Iterator<Item = Vec<u8>>) -> Vec<Row> {
    keys.map(|key| Row { table, key, value: None }).collect()
}

#[test]
fn proofs_match_the_full_tree_in_whatever_order_tree_sizes_are_requested() {
    let (whole, log) = (Whole::new(), Log::of(MANY));
    let (rising, falling) = (log.reader(), log.reader());
    for size in SIZES {
        is_that_of(&rising, &whole, size);
    }
    for size in SIZES.into_iter().rev() {
        is_that_of(&falling, &whole, size);
        is_that_of(&log.reader(), &whole, size);
    }
}

#[test]
fn a_long_lived_reader_follows_a_growing_log() {
    let (whole, mut log) = (Whole::new(), Log::new());
    let reader = log.reader();
    for (place, size) in SIZES.into_iter().enumerate() {
        log.grow(size);
        for earlier in &SIZES[..=place] {
            is_that_of(&reader, &whole, *earlier);
        }
        assert!(log.growth.root() == root(&whole, size).unwrap());
    }
}

#[test]
fn leaves_beyond_the_edge_of_a_tree_are_not_remembered() {
    let mut log = Log::of(TILE_WIDTH);
    let reader = log.reader();
    let edge = TILE_WIDTH - 56;
    let before = reader.tile(0, 0, edge).unwrap();
    assert_eq!(before.len(), usize::try_from(edge).unwrap());
    // Another history from there on.
    let mut other = LogTreeBuilder::default();
    let mut rows = Vec::new();
    for number in 0..TILE_WIDTH {
        let text = if number < edge { leaf(number) } else { format!("another {number}") };
        other.push(&text, number + 1, &mut rows);
    }
    log.write(rows);
    let after = reader.tile(0, 0, TILE_WIDTH).unwrap();
    assert_eq!(after[..before.len()], *before);
    assert_eq!(after.last(), Some(&leaf_hash(format!("another {}", TILE_WIDTH - 1).as_bytes())));
}

#[test]
fn a_log_without_rows_of_tiles_gives_the_same_proofs() {
    let (whole, mut log) = (Whole::new(), Log::of(MANY));
    let tiles = tiles_of(&log.journal);
    assert_eq!(tiles.len(), 258 + 1);
    log.write(deletions(tables::LOG_TILES, tiles.into_iter().map(|(key, _)| key)));
    let reader = log.reader();
    for size in SIZES {
        is_that_of(&reader, &whole, size);
    }
}

#[test]
fn a_full_tile_is_read_from_its_one_row() {
    let (whole, mut log) = (Whole::new(), Log::of(MANY));
    let hashes = |range: std::ops::Range<u64>| {
        deletions(tables::LOG_HASHES, range.map(|index| [&[0], index.to_be_bytes().as_slice()].concat()))
    };
    log.write(hashes(0..TILE_WIDTH));
    is_that_of(&log.reader(), &whole, MANY);
    is_that_of(&log.reader(), &whole, 200);
    // Those of the last tile, which is not full, have only separate rows.
    log.write(hashes(MANY - 1..MANY));
    log.reader().root(MANY).unwrap_err();
}

#[test]
fn an_invalid_tile_row_is_an_error_and_leaves_other_tiles_readable() {
    let mut log = Log::of(600);
    for length in [0, 32, 255 * 32, 256 * 32 - 1, 256 * 32 + 1, 257 * 32] {
        let key = tiles_of(&log.journal)[0].0.clone();
        log.write(vec![Row { table: tables::LOG_TILES, key, value: Some(vec![7; length]) }]);
        let error = log.reader().inclusion(3, 600).unwrap_err();
        assert!(error.to_string().contains("not a full tile"), "{length}: {error}");
        log.reader().leaf_hash(300, 600).unwrap();
    }
}

#[tokio::test]
async fn a_hall_without_tile_rows_gets_them_at_its_next_start_and_continues() {
    let mut hall = TestHall::new();
    for number in 0..280 {
        hall.register(&format!("agent{number}"), 9).await;
    }
    let size = hall.engine().read(hall_core::Hall::leaf_count).await.unwrap();
    assert!(size > 2 * TILE_WIDTH);
    let log = hall.engine().log().clone();
    let paths: Vec<_> = (0..size).map(|index| log.inclusion(index, size).unwrap()).collect();
    let written = tiles_of(&MemoryJournal::open(&hall.storage));
    assert_eq!(written.len() as u64, size / TILE_WIDTH);
    for missing in 0..written.len() {
        hall.running.stop().unwrap();
        let mut journal = MemoryJournal::open(&hall.storage);
        let rows = deletions(tables::LOG_TILES, written[missing..].iter().map(|(key, _)| key.clone()));
        journal.append(&Batch { records: Vec::new(), rows }).unwrap();
        drop(journal);
        hall = TestHall::on(hall.storage, hall.clock, 0);
        let tiles = tiles_of(&MemoryJournal::open(&hall.storage));
        assert!(tiles.starts_with(&written), "after the loss of those from {missing} on");
        let log = hall.engine().log();
        assert!((0..size).all(|index| log.inclusion(index, size).unwrap() == paths[index as usize]));
    }
    for number in 280..420 {
        hall.register(&format!("agent{number}"), 9).await;
    }
    let size = hall.engine().read(hall_core::Hall::leaf_count).await.unwrap();
    assert_eq!(tiles_of(&MemoryJournal::open(&hall.storage)).len() as u64, size / TILE_WIDTH);
}
