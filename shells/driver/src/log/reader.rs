//! Reading the log: checkpoints, leaves, tiles and proofs.

use super::checkpoint_store::{CheckpointStore, StoreThread};
use super::newest::Newest;
use super::tiles::KeptTiles;
use super::{SignedCheckpoint, TILE_WIDTH, Tiles, hash_key};
use crate::archive::{Archive, ArchiveError};
use crate::tables::{self, FactPlace};
use hall_core::{Fact, KeyPurpose};
use hall_journal::{JournalError, JournalReader, KeyRange};
use hall_wire::merkle::{self, leaf_hash};
use hall_wire::{AgentId, Digest, GameId};
use std::io;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Why something of the log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The journal cannot be read, or what it read is damaged.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A record that holds a leaf cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A tile is not as large as the log says.
    #[error("tile {index} of level {level} of the log is not complete")]
    Missing {
        /// Level of tiles.
        level: u32,
        /// Which tile.
        index: u64,
    },
    /// A row is intact, but this version does not know its format, or its contents are impossible.
    #[error("the rows of the log do not fit together: {0}")]
    Form(&'static str),
}

impl LogError {
    /// Whether reading again later may succeed by itself.
    #[must_use]
    pub const fn is_outage(&self) -> bool {
        match self {
            Self::Journal(error) => error.is_outage(),
            Self::Archive(error) => error.is_outage(),
            Self::Missing { .. } | Self::Form(_) => false,
        }
    }
}

/// Where the leaf of an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafPlace {
    /// The event's number in its game.
    pub seq: u32,
    /// Index of its leaf in the log.
    pub leaf_index: u64,
}

/// The reading end of the log.
#[derive(Clone)]
pub struct LogReader {
    archive: Archive,
    kept: Arc<KeptTiles>,
    newest: Arc<Newest>,
    /// Stores checkpoints before they are published, if set.
    store: Arc<OnceLock<StoreThread>>,
    signing: Arc<Mutex<Signing>>,
}

/// Whether checkpoints are signed and published here. A process that knows that its journal was put back publishes none,
/// of other processes either: it would contradict what it has published before.
#[derive(Default)]
struct Signing {
    begun: bool,
    /// The newest checkpoint that was not published.
    withheld: Option<SignedCheckpoint>,
}

impl LogReader {
    /// A reader whose newest checkpoint has this size. `signing` tells whether later ones are published.
    ///
    /// # Errors
    /// The checkpoint's row is damaged or missing.
    pub(crate) fn new(archive: Archive, newest: Option<u64>, signing: bool) -> Result<Self, LogError> {
        let signing = Arc::new(Mutex::new(Signing { begun: signing, withheld: None }));
        let (kept, store) = (Arc::default(), Arc::default());
        let reader = Self { archive, kept, newest: Arc::default(), store, signing };
        if let Some(size) = newest {
            let row = reader.reader().row(tables::CHECKPOINTS, &size.to_be_bytes())?;
            let newest = row.ok_or(LogError::Form("the newest checkpoint has no row"))?;
            reader.newest.show(decode_checkpoint(&newest)?);
        }
        Ok(reader)
    }

    /// Whether checkpoints are signed and published.
    pub(crate) fn is_signing(&self) -> bool {
        self.lock_signing().begun
    }

    /// Signs and publishes checkpoints from now on; first the one that was withheld, if it is signed with the present
    /// `key`: one of an earlier name belongs to what was before.
    pub(crate) fn begin_signing(&self, key: Option<&str>) {
        let mut signing = self.lock_signing();
        signing.begun = true;
        if let Some(withheld) = signing.withheld.take().filter(|withheld| Some(&*withheld.key) == key) {
            self.store_and_show(withheld);
        }
    }

    fn lock_signing(&self) -> MutexGuard<'_, Signing> {
        self.signing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes a checkpoint that is durable, if any are published here.
    pub(crate) fn publish(&self, checkpoint: SignedCheckpoint) {
        let mut signing = self.lock_signing();
        if signing.begun {
            self.store_and_show(checkpoint);
        } else {
            signing.withheld = Some(checkpoint);
        }
    }

    fn store_and_show(&self, checkpoint: SignedCheckpoint) {
        match self.store.get() {
            Some(store) => store.pass(checkpoint),
            None => self.newest.show(checkpoint),
        }
    }

    /// From now on every checkpoint is passed to `store` before it is published, on a separate thread. A checkpoint
    /// that is already published is not passed on. Only the first store counts.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn store_before_publishing(&self, store: Box<dyn CheckpointStore>) -> io::Result<()> {
        let thread = StoreThread::start(store, &self.newest)?;
        // If a store was set already, the thread of this one ends with this scope.
        let _ = self.store.set(thread);
        Ok(())
    }

    /// The newest checkpoint; `None` before the first.
    #[must_use]
    pub fn newest(&self) -> Option<Arc<SignedCheckpoint>> {
        self.newest.checkpoint()
    }

    /// Waits until a checkpoint covers more than `size` leaves.
    pub async fn grown_beyond(&self, size: u64) -> u64 {
        self.newest.size().until(|newest| *newest > size).await
    }

    /// The first checkpoint over at least `size` leaves; `None` before there is one.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn first_covering(&self, size: u64) -> Result<Option<SignedCheckpoint>, LogError> {
        let newest = self.newest().map_or(0, |newest| newest.head.size);
        if newest < size {
            return Ok(None);
        }
        let range = KeyRange { start: Bound::Included(size.to_be_bytes().to_vec()), end: Bound::Unbounded };
        let rows = self.reader().rows(tables::CHECKPOINTS, range, false, 1)?;
        let Some((_, value)) = rows.first() else { return Ok(None) };
        Ok(Some(decode_checkpoint(value)?).filter(|checkpoint| checkpoint.head.size <= newest))
    }

    /// The text of a leaf; `None` where there is none.
    ///
    /// # Errors
    /// The journal is damaged.
    pub fn leaf(&self, index: u64) -> Result<Option<String>, LogError> {
        let Some(row) = self.reader().row(tables::LOG_HASHES, &hash_key(0, index))? else { return Ok(None) };
        let place = leaf_place(&row)?;
        let mut leaf = None;
        self.archive.visit_facts(&[place], |fact| {
            leaf = Some(leaf_of(fact, &row)?);
            Ok::<_, LogError>(())
        })?;
        Ok(leaf)
    }

    /// Where the leaves of a game's events stand that are among the first `size`, in the order of the events.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn leaves_of(&self, game: &GameId, size: u64) -> Result<Vec<LeafPlace>, LogError> {
        let rows =
            self.reader().rows(tables::GAME_FACTS, KeyRange::prefix(game.as_bytes()), false, usize::MAX)?;
        let indexes = rows.iter().filter_map(|(_, value)| FactPlace::leaf_index(value));
        let leaves = (1..).zip(indexes).map(|(seq, leaf_index)| LeafPlace { seq, leaf_index });
        Ok(leaves.take_while(|leaf| leaf.leaf_index < size).collect())
    }

    /// The keys of one purpose that the hall has published, oldest first.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn keys(&self, purpose: KeyPurpose) -> Result<Vec<String>, LogError> {
        super::keys::keys_of(self.reader(), purpose)
    }

    /// Where the leaf of an agent's registration stands.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn registration_of(&self, agent: &AgentId) -> Result<Option<u64>, LogError> {
        let row = self.reader().row(tables::REGISTRATIONS, agent.as_bytes())?;
        let index = |row: Vec<u8>| row.try_into().map(u64::from_be_bytes);
        row.map(index).transpose().map_err(|_| LogError::Form("not the index of a leaf"))
    }

    /// The inclusion path of a leaf in the tree of the first `size`.
    ///
    /// # Errors
    /// A row is damaged or missing.
    pub fn inclusion(&self, index: u64, size: u64) -> Result<Vec<Digest>, LogError> {
        merkle::inclusion_path(&self.tiles(size), index, size)
    }

    /// The consistency path between the trees of the first `from` and the first `to` leaves.
    ///
    /// # Errors
    /// A row is damaged or missing.
    pub fn consistency(&self, from: u64, to: u64) -> Result<Vec<Digest>, LogError> {
        merkle::consistency_path(&self.tiles(to), from, to)
    }

    /// The root of the tree of the first `size` leaves.
    ///
    /// # Errors
    /// A row is damaged or missing.
    pub fn root(&self, size: u64) -> Result<Digest, LogError> {
        merkle::root(&self.tiles(size), size)
    }

    /// The hash of a leaf among the first `size`; `None` where there is none.
    ///
    /// # Errors
    /// A row is damaged or missing.
    pub fn leaf_hash(&self, index: u64, size: u64) -> Result<Option<Digest>, LogError> {
        if index >= size {
            return Ok(None);
        }
        let tile = self.tiles(size).tile(0, index / TILE_WIDTH)?;
        Ok(usize::try_from(index % TILE_WIDTH).ok().and_then(|at| tile.get(at)).copied())
    }

    /// The hashes of a tile in the tree of the first `size` leaves, empty where it has none. A tile of fewer than
    /// [`TILE_WIDTH`] is the last of its level.
    ///
    /// # Errors
    /// A row is damaged or missing.
    pub fn tile(&self, level: u32, index: u64, size: u64) -> Result<Arc<[Digest]>, LogError> {
        self.tiles(size).tile(level, index)
    }

    /// The leaves of tile `index` of level 0 in the tree of the first `size`, as texts: the first `width` of them.
    ///
    /// # Errors
    /// A row or a record is damaged.
    pub fn entries(&self, index: u64, width: u64, size: u64) -> Result<Vec<String>, LogError> {
        let first = index.saturating_mul(TILE_WIDTH);
        let end = first.saturating_add(width.min(TILE_WIDTH)).min(size);
        if first >= end {
            return Ok(Vec::new());
        }
        let range =
            KeyRange { start: Bound::Included(hash_key(0, first)), end: Bound::Excluded(hash_key(0, end)) };
        let rows = self.reader().rows(tables::LOG_HASHES, range, false, usize::MAX)?;
        let places = rows.iter().map(|(_, row)| leaf_place(row)).collect::<Result<Vec<_>, _>>()?;
        let mut leaves = Vec::with_capacity(rows.len());
        self.archive.visit_facts(&places, |fact| {
            let row = rows.get(leaves.len()).map_or(&[][..], |(_, row)| row.as_slice());
            leaves.push(leaf_of(fact, row)?);
            Ok::<_, LogError>(())
        })?;
        Ok(leaves)
    }

    fn tiles(&self, size: u64) -> Tiles<'_> {
        Tiles::new(self.reader(), &self.kept, size)
    }

    fn reader(&self) -> &dyn JournalReader {
        &**self.archive.reader()
    }
}

fn decode_checkpoint(row: &[u8]) -> Result<SignedCheckpoint, LogError> {
    serde_json::from_slice(row).map_err(|_| LogError::Form("not a checkpoint"))
}

fn leaf_place(row: &[u8]) -> Result<FactPlace, LogError> {
    row.get(32..).and_then(FactPlace::decode).ok_or(LogError::Form("a leaf has no place in the journal"))
}

/// The leaf of a fact, which must have the hash of the row.
fn leaf_of(fact: Option<&Fact>, row: &[u8]) -> Result<String, LogError> {
    fact.and_then(Fact::leaf)
        .filter(|leaf| row.starts_with(leaf_hash(leaf.as_bytes()).as_bytes()))
        .map(str::to_owned)
        .ok_or(LogError::Form("the journal holds another leaf there"))
}
