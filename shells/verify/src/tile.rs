//! The layout in which a log is served raw: tlog-tiles of C2SP (decision 8.2).
//!
//! A tile is 256 hashes of one level, or the 256 leaves below such a tile; the last of each kind may hold fewer. A
//! tile's path names its level, its number in groups of three digits, and its width where that is not 256.

use core::fmt;
use hall_wire::Digest;

/// How many hashes or leaves a full tile holds.
pub const FULL_WIDTH: u16 = 256;

/// How many levels of the tree one level of tiles stands for.
pub const TILE_HEIGHT: u32 = 8;

/// The highest level that a tile can have: above it no tree of 2^64 leaves reaches.
pub const MAX_LEVEL: u8 = 7;

/// What a tile holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Leaves, in an entry bundle.
    Entries,
    /// Hashes of complete subtrees of 256^level leaves: level 0 holds the hashes of leaves.
    Hashes(u8),
}

/// One tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tile {
    level: Level,
    index: u64,
    width: u16,
}

/// Why bytes are not the tile that they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TileProblem {
    /// The bytes end inside a leaf or a hash, or there are fewer than the tile has.
    #[error("the tile ends too early")]
    Unfinished,
    /// More follows after the last leaf or hash.
    #[error("more follows after the tile's last entry")]
    Trailing,
}

impl Tile {
    /// The tile of this level and number with `width` hashes or leaves; `None` unless the level is at most
    /// [`MAX_LEVEL`] and the width 1 to 256.
    #[must_use]
    pub fn new(level: Level, index: u64, width: u16) -> Option<Self> {
        let known = match level {
            Level::Entries => true,
            Level::Hashes(level) => level <= MAX_LEVEL,
        };
        (known && (1..=FULL_WIDTH).contains(&width)).then_some(Self { level, index, width })
    }

    /// The tiles of one level that a tree of `size` leaves has, first to last; the last may be partial.
    pub fn of_tree(level: Level, size: u64) -> impl Iterator<Item = Self> {
        let hashes = match level {
            Level::Entries | Level::Hashes(0) => size,
            Level::Hashes(level) => size.checked_shr(TILE_HEIGHT * u32::from(level)).unwrap_or(0),
        };
        let tiles = hashes.div_ceil(u64::from(FULL_WIDTH));
        (0..tiles).filter_map(move |index| {
            let rest = hashes - index * u64::from(FULL_WIDTH);
            Self::new(level, index, u16::try_from(rest).unwrap_or(FULL_WIDTH).min(FULL_WIDTH))
        })
    }

    /// Reads the path of a tile, without the prefix that a log serves it under: `tile/0/x001/067.p/8`.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        let rest = path.strip_prefix("tile/")?;
        let (level, rest) = rest.split_once('/')?;
        let level = if level == "entries" { Level::Entries } else { Level::Hashes(level.parse().ok()?) };
        let (number, width) = match rest.split_once(".p/") {
            Some((number, width)) => (number, width.parse().ok()?),
            None => (rest, FULL_WIDTH),
        };
        let mut index: u64 = 0;
        for group in number.split('/') {
            let digits = group.strip_prefix('x').unwrap_or(group);
            index = index.checked_mul(1_000)?.checked_add(digits.parse().ok()?)?;
        }
        // Writing it back refuses every other spelling in one stroke.
        Self::new(level, index, width).filter(|tile| tile.to_string() == path)
    }

    /// What it holds.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Its number on its level, from 0.
    #[must_use]
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// How many hashes or leaves it holds, 1 to 256.
    #[must_use]
    pub const fn width(&self) -> u16 {
        self.width
    }

    /// Reads the leaves of an entry bundle: each is preceded by its length in two bytes, big endian.
    ///
    /// # Errors
    /// There are fewer or more leaves than the tile has.
    pub fn entries<'a>(&self, bytes: &'a [u8]) -> Result<Vec<&'a [u8]>, TileProblem> {
        let mut rest = bytes;
        let mut entries = Vec::with_capacity(usize::from(self.width));
        for _ in 0..self.width {
            let (length, after) = rest.split_first_chunk().ok_or(TileProblem::Unfinished)?;
            let length = usize::from(u16::from_be_bytes(*length));
            let (entry, after) = after.split_at_checked(length).ok_or(TileProblem::Unfinished)?;
            entries.push(entry);
            rest = after;
        }
        if rest.is_empty() { Ok(entries) } else { Err(TileProblem::Trailing) }
    }

    /// Reads the hashes of a tile.
    ///
    /// # Errors
    /// There are fewer or more hashes than the tile has.
    pub fn hashes(&self, bytes: &[u8]) -> Result<Vec<Digest>, TileProblem> {
        let (hashes, rest) = bytes.as_chunks::<32>();
        match hashes.len().cmp(&usize::from(self.width)) {
            core::cmp::Ordering::Less => Err(TileProblem::Unfinished),
            core::cmp::Ordering::Equal if rest.is_empty() => {
                Ok(hashes.iter().copied().map(Digest::from_bytes).collect())
            }
            core::cmp::Ordering::Equal | core::cmp::Ordering::Greater => Err(TileProblem::Trailing),
        }
    }
}

impl fmt::Display for Tile {
    /// The path: `tile/L/N` or `tile/entries/N`, and `.p/W` where the width is not 256.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            Level::Entries => out.write_str("tile/entries/")?,
            Level::Hashes(level) => write!(out, "tile/{level}/")?,
        }
        let mut groups = vec![self.index % 1_000];
        let mut rest = self.index / 1_000;
        while rest > 0 {
            groups.push(rest % 1_000);
            rest /= 1_000;
        }
        while let Some(group) = groups.pop() {
            let more = if groups.is_empty() { ("", "") } else { ("x", "/") };
            write!(out, "{}{group:03}{}", more.0, more.1)?;
        }
        if self.width == FULL_WIDTH { Ok(()) } else { write!(out, ".p/{}", self.width) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_match_the_layout() {
        for (level, index, width, path) in [
            (Level::Hashes(0), 0, 256, "tile/0/000"),
            (Level::Hashes(1), 5, 17, "tile/1/005.p/17"),
            (Level::Hashes(0), 1_234_067, 256, "tile/0/x001/x234/067"),
            (Level::Entries, 1_000, 1, "tile/entries/x001/000.p/1"),
            (Level::Entries, u64::MAX, 256, "tile/entries/x018/x446/x744/x073/x709/x551/615"),
        ] {
            let tile = Tile::new(level, index, width).unwrap();
            assert_eq!(tile.to_string(), path);
            assert_eq!(Tile::parse(path), Some(tile));
        }
    }

    #[test]
    fn other_spellings_of_a_path_are_refused() {
        for wrong in [
            "tile/0/0",
            "tile/0/1000",
            "tile/0/x000/001",
            "tile/00/000",
            "tile/8/000",
            "tile/0/000.p/256",
            "tile/0/000.p/0",
            "tile/0/000.p/01",
            "tile/0/001/002",
            "tile/0/x001/",
            "tile/entries/",
            "tile/-1/000",
            "tile/0/x999/x999/x999/x999/x999/x999/999",
            "tile/x/000",
            "/tile/0/000",
            "tile/0/+01",
        ] {
            assert_eq!(Tile::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_tree_has_its_full_tiles_and_at_most_one_partial_one() {
        let paths = |level, size| Tile::of_tree(level, size).map(|tile| tile.to_string()).collect::<Vec<_>>();
        assert_eq!(paths(Level::Entries, 0), Vec::<String>::new());
        assert_eq!(paths(Level::Hashes(0), 256), ["tile/0/000"]);
        assert_eq!(paths(Level::Hashes(0), 515), ["tile/0/000", "tile/0/001", "tile/0/002.p/3"]);
        assert_eq!(paths(Level::Hashes(1), 515), ["tile/1/000.p/2"]);
        assert_eq!(paths(Level::Hashes(2), 515), Vec::<String>::new());
    }

    #[test]
    fn a_bundle_holds_exactly_its_leaves() {
        let tile = Tile::new(Level::Entries, 0, 2).unwrap();
        let bytes = b"\x00\x02ab\x00\x00";
        assert_eq!(tile.entries(bytes), Ok(vec![&b"ab"[..], b""]));
        assert_eq!(tile.entries(&bytes[..5]), Err(TileProblem::Unfinished));
        assert_eq!(tile.entries(&bytes[..3]), Err(TileProblem::Unfinished));
        assert_eq!(tile.entries(b"\x00\x00\x00\x00\x00"), Err(TileProblem::Trailing));
    }

    #[test]
    fn a_tile_holds_exactly_its_hashes() {
        let tile = Tile::new(Level::Hashes(0), 0, 2).unwrap();
        let bytes: Vec<u8> = (0..64).collect();
        assert_eq!(tile.hashes(&bytes).unwrap().len(), 2);
        assert_eq!(tile.hashes(&bytes[..63]), Err(TileProblem::Unfinished));
        assert_eq!(tile.hashes(&[&bytes[..], b"x"].concat()), Err(TileProblem::Trailing));
        assert_eq!(tile.hashes(&[0; 96]), Err(TileProblem::Trailing));
    }

    proptest! {
        #[test]
        fn every_path_reads_back_and_matches_an_independent_writer(
            level in 0..8_u8, index in any::<u64>(), width in 1..=256_u16, entries in any::<bool>()
        ) {
            let level = if entries { Level::Entries } else { Level::Hashes(level) };
            let tile = Tile::new(level, index, width).unwrap();
            prop_assert_eq!(Tile::parse(&tile.to_string()), Some(tile));
        }

        #[test]
        fn arbitrary_paths_and_bytes_never_panic(path in "(tile/)?[0-9x/.p]{0,20}", bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Some(tile) = Tile::parse(&path) {
                prop_assert_eq!(tile.to_string(), path);
            }
            let tile = Tile::new(Level::Entries, 0, 3).unwrap();
            let _ = (tile.entries(&bytes), tile.hashes(&bytes));
        }
    }
}
