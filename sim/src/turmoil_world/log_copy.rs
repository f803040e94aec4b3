//! A reader's copy of the hall's log: what checkpoints committed to, and what later checkpoints, tiles, bundles and paths
//! may say after that (G1, G4).

use super::library::Finding;
use hall_client::wire::Digest;
use hall_verify::note::{Checkpoint, Note, VerifierKey};
use hall_verify::tree::{Frontier, consistency, inclusion, leaf_hash};
use std::collections::BTreeMap;

/// Hashes of a full tile.
pub(super) const WIDTH: u64 = 256;
/// Bytes of a hash.
const HASH: usize = 32;

/// Which hashes of the tree a tile or a bundle has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogTile {
    pub(super) level: u32,
    pub(super) index: u64,
    pub(super) width: u64,
}

/// What was read of the log.
pub(super) struct LogCopy {
    keys: Vec<VerifierKey>,
    /// The hashes of the first leaves, in order.
    leaves: Vec<Digest>,
    /// The roots of checkpoints, by size.
    heads: BTreeMap<u64, Digest>,
    /// The size of the checkpoint that was read last.
    newest: u64,
}

impl LogCopy {
    /// Nothing yet, of a log with one of these keys.
    pub(super) const fn new(keys: Vec<VerifierKey>) -> Self {
        Self { keys, leaves: Vec::new(), heads: BTreeMap::new(), newest: 0 }
    }

    /// The size of the last checkpoint.
    pub(super) const fn newest(&self) -> u64 {
        self.newest
    }

    /// How many leaves are known.
    pub(super) fn known(&self) -> u64 {
        u64::try_from(self.leaves.len()).unwrap_or(u64::MAX)
    }

    /// The sizes of all checkpoints, ascending.
    pub(super) fn sizes(&self) -> Vec<u64> {
        self.heads.keys().copied().collect()
    }

    /// Takes a checkpoint that was just read. It is signed, never smaller than the one before (D7), the only one of its
    /// size (G4), and that of the known leaves (G1).
    pub(super) fn take_note(&mut self, note: &str) -> Result<(), Finding> {
        let head = self.head_of(note)?;
        if head.0 < self.newest {
            return Err((
                "D7",
                format!("a checkpoint of {} leaves, and before one of {}", head.0, self.newest),
            ));
        }
        self.newest = head.0;
        self.take_head(head)
    }

    fn take_head(&mut self, (size, root): (u64, Digest)) -> Result<(), Finding> {
        let known = *self.heads.entry(size).or_insert(root);
        if known != root {
            return Err(("G4", format!("two checkpoints of {size} leaves: {known} and {root}")));
        }
        self.judge_head(size)
    }

    /// Size and root of a note.
    fn head_of(&self, note: &str) -> Result<(u64, Digest), Finding> {
        let wrong = |why: String| ("G10", format!("{note:?}: {why}"));
        let note = Note::parse(note).map_err(|why| wrong(why.to_string()))?;
        if !self.keys.iter().any(|key| note.verify(key).is_ok()) {
            return Err(wrong("not signed by the log".to_owned()));
        }
        let head = Checkpoint::parse(note.text()).map_err(|why| wrong(why.to_string()))?;
        Ok((head.size, head.root))
    }

    /// Compares a checkpoint with the leaves, once all of its leaves are known.
    fn judge_head(&self, size: u64) -> Result<(), Finding> {
        let Some((root, leaves)) = self.heads.get(&size).zip(self.first(size)) else { return Ok(()) };
        let found = root_of(leaves);
        if found == *root {
            return Ok(());
        }
        Err(("G1", format!("the checkpoint of {size} leaves has the root {root}, and its leaves {found}")))
    }

    fn first(&self, size: u64) -> Option<&[Digest]> {
        self.leaves.get(..usize::try_from(size).ok()?)
    }

    /// The tile that has the next leaves below the newest checkpoint; none if all are known.
    pub(super) fn next_tile(&self) -> Option<LogTile> {
        let (index, missing) = (self.known() / WIDTH, self.newest.checked_sub(self.known())?);
        let width = self.newest.saturating_sub(index * WIDTH).min(WIDTH);
        (missing > 0).then_some(LogTile { level: 0, index, width })
    }

    /// Takes the bytes of a tile. What is known of the tree never changes (G1).
    pub(super) fn take_tile(&mut self, tile: LogTile, bytes: &[u8]) -> Result<(), Finding> {
        let hashes: Vec<Digest> = bytes
            .chunks_exact(HASH)
            .filter_map(|hash| hash.first_chunk())
            .map(|hash| Digest::from_bytes(*hash))
            .collect();
        if usize::try_from(tile.width).ok() != Some(hashes.len()) || !bytes.len().is_multiple_of(HASH) {
            return Err(("G1", format!("{tile:?} has {} bytes", bytes.len())));
        }
        let before = self.known();
        for (place, hash) in (tile.index * WIDTH..).zip(hashes) {
            match self.node(tile.level, place) {
                Some(known) if known != hash => {
                    return Err(("G1", format!("{tile:?}: the hash at {place} was {known} and is {hash}")));
                }
                None if tile.level == 0 && place == self.known() => self.leaves.push(hash),
                Some(_) | None => {}
            }
        }
        let grown = self.heads.range(before..=self.known()).map(|(size, _)| *size);
        grown.into_iter().try_for_each(|size| self.judge_head(size))
    }

    /// A hash of a tile, out of the leaves.
    fn node(&self, level: u32, place: u64) -> Option<Digest> {
        let below = WIDTH.checked_pow(level)?;
        let begin = usize::try_from(place.checked_mul(below)?).ok()?;
        let end = usize::try_from(place.checked_add(1)?.checked_mul(below)?).ok()?;
        Some(root_of(self.leaves.get(begin..end)?))
    }

    /// Takes the bytes of a bundle of leaves: they have the known hashes (G1).
    pub(super) fn take_bundle(&self, tile: LogTile, bytes: &[u8]) -> Result<(), Finding> {
        let leaves = entries(bytes).filter(|leaves| u64::try_from(leaves.len()) == Ok(tile.width));
        let Some(leaves) = leaves else {
            return Err(("G1", format!("the entries of {tile:?} are {} bytes", bytes.len())));
        };
        for (place, leaf) in (tile.index * WIDTH..).zip(leaves) {
            let hash = leaf_hash(leaf);
            if self.node(0, place).is_some_and(|known| known != hash) {
                return Err(("G1", format!("leaf {place} is {}", String::from_utf8_lossy(leaf))));
            }
        }
        Ok(())
    }

    /// Takes a leaf with its path below a checkpoint.
    pub(super) fn take_inclusion(
        &mut self,
        note: &str,
        (place, hash): (u64, Digest),
        path: &[Digest],
    ) -> Result<(), Finding> {
        let (size, root) = self.head_of(note)?;
        self.take_head((size, root))?;
        inclusion(place, size, &hash, path, &root)
            .map_err(|why| ("G1", format!("leaf {place} below {size} leaves: {why}")))?;
        let known = self.node(0, place).is_none_or(|known| known == hash);
        if known { Ok(()) } else { Err(("G1", format!("leaf {place} has the hash {hash} in its proof"))) }
    }

    /// Takes the path between two checkpoints that were read.
    pub(super) fn take_consistency(&self, from: u64, to: u64, path: &[Digest]) -> Result<(), Finding> {
        let heads = self.heads.get(&from).zip(self.heads.get(&to));
        let Some((first, second)) = heads else { return Ok(()) };
        consistency((from, first), (to, second), path)
            .map_err(|why| ("G1", format!("from {from} to {to} leaves: {why}")))
    }
}

fn root_of(leaves: &[Digest]) -> Digest {
    let mut frontier = Frontier::new();
    leaves.iter().for_each(|leaf| frontier.push_hash(*leaf));
    frontier.root()
}

/// The leaves of a bundle: each preceded by its length in two bytes.
fn entries(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut leaves = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
        let (leaf, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        leaves.push(leaf);
        bytes = rest;
    }
    bytes.is_empty().then_some(leaves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_http::LogSigner;
    use hall_wire::key::PrivateKey;

    fn leaf(number: u64) -> Vec<u8> {
        format!("{{\"leaf\":{number}}}").into_bytes()
    }

    fn hashes(range: std::ops::Range<u64>) -> Vec<u8> {
        range.flat_map(|number| *leaf_hash(&leaf(number)).as_bytes()).collect()
    }

    fn bundle(range: std::ops::Range<u64>) -> Vec<u8> {
        let entry = |number| {
            let leaf = leaf(number);
            [u16::try_from(leaf.len()).unwrap().to_be_bytes().as_slice(), &leaf].concat()
        };
        range.flat_map(entry).collect()
    }

    fn root(size: u64) -> Digest {
        root_of(&(0..size).map(|number| leaf_hash(&leaf(number))).collect::<Vec<_>>())
    }

    fn copy() -> LogCopy {
        let signer = LogSigner::new("hall.sim", PrivateKey::from_seed(&[1; 32]));
        LogCopy::new(vec![VerifierKey::parse(&signer.public()).unwrap()])
    }

    /// A copy that has read 300 leaves.
    fn read() -> LogCopy {
        let mut copy = copy();
        for size in [100, 300] {
            copy.newest = size;
            copy.take_head((size, root(size))).unwrap();
        }
        while let Some(tile) = copy.next_tile() {
            let begin = tile.index * WIDTH;
            copy.take_tile(tile, &hashes(begin..begin + tile.width)).unwrap();
        }
        copy
    }

    fn tile(level: u32, index: u64, width: u64) -> LogTile {
        LogTile { level, index, width }
    }

    fn name(found: Result<(), Finding>) -> Option<&'static str> {
        found.err().map(|(invariant, _)| invariant)
    }

    #[test]
    fn old_tiles_of_any_width_bundles_and_paths_of_the_same_tree_are_accepted() {
        let mut copy = read();
        assert_eq!((copy.known(), copy.next_tile(), copy.sizes()), (300, None, vec![100, 300]));
        assert_eq!(name(copy.take_tile(tile(0, 0, 37), &hashes(0..37))), None);
        assert_eq!(name(copy.take_tile(tile(0, 1, 44), &hashes(256..300))), None);
        assert_eq!(name(copy.take_tile(tile(1, 0, 1), root(256).as_bytes())), None);
        assert_eq!(name(copy.take_bundle(tile(0, 1, 3), &bundle(256..259))), None);
        assert_eq!(name(copy.take_consistency(300, 300, &[])), None);
    }

    #[test]
    fn every_change_of_the_tree_is_reported() {
        assert_eq!(name(read().take_head((100, root(99)))), Some("G4"), "two roots of one size");
        assert_eq!(name(read().take_head((200, root(199)))), Some("G1"), "not that of the leaves");
        assert_eq!(name(read().take_tile(tile(0, 0, 37), &hashes(1..38))), Some("G1"), "other leaves");
        assert_eq!(name(read().take_tile(tile(0, 0, 37), &hashes(0..36))), Some("G1"), "too few");
        assert_eq!(name(read().take_tile(tile(1, 0, 1), root(255).as_bytes())), Some("G1"), "a level above");
        assert_eq!(name(read().take_bundle(tile(0, 1, 3), &bundle(255..258))), Some("G1"), "other entries");
        assert_eq!(name(read().take_bundle(tile(0, 1, 3), &bundle(256..258))), Some("G1"), "too few");
        assert_eq!(name(read().take_consistency(100, 300, &[])), Some("G1"), "no path");
        let mut copy = copy();
        (copy.newest, copy.heads) = (5, BTreeMap::from([(5, root(4))]));
        assert_eq!(name(copy.take_tile(tile(0, 0, 5), &hashes(0..5))), Some("G1"), "its leaves come later");
    }

    #[test]
    fn an_unsigned_checkpoint_and_a_smaller_one_are_reported() {
        let mut copy = read();
        assert_eq!(name(copy.take_note("hall.sim\n5\nAAAA\n\n")), Some("G10"));
        assert_eq!(name(copy.take_inclusion("hall.sim\n", (0, root(1)), &[])), Some("G10"));
    }
}
