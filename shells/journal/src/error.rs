//! Errors, worded for the hall's operator.

use crate::table::Table;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// The place of damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DamagePlace {
    /// The record with this number.
    Record(u64),
    /// The row with this key.
    Row {
        /// The table of the row.
        table: Table,
        /// The key of the row.
        key: Vec<u8>,
    },
    /// Some part of a table that could not be read, so that no key can be named.
    Table(Table),
    /// The snapshot of this name.
    Snapshot(String),
    /// The store as a whole.
    Store,
}

impl fmt::Display for DamagePlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record(seq) => write!(out, "record {seq}"),
            Self::Row { table, key } => write!(out, "row {} of table {table}", key.escape_ascii()),
            Self::Table(table) => write!(out, "table {table}"),
            Self::Snapshot(name) => write!(out, "snapshot {name}"),
            Self::Store => out.write_str("the journal's store"),
        }
    }
}

/// One finding of damage: stored bytes that are not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What is damaged.
    pub place: DamagePlace,
    /// How it shows.
    pub what: String,
}

impl Damage {
    pub(crate) fn new(place: DamagePlace, what: impl Into<String>) -> Self {
        Self { place, what: what.into() }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.what)
    }
}

/// Why an operation on a journal failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum JournalError {
    /// An earlier append failed. What is on disk is unknown until the journal is opened again.
    #[error("an earlier append failed; the journal takes no more until it is opened again")]
    Poisoned,
    /// Another writer has taken over the journal. This one is stale: it must end and never write again. Nothing of the
    /// batch was written.
    #[error("another writer has taken the journal over")]
    Fenced,
    /// Nobody confirmed the append of a journal that several writers share: the batch may be durable, may be lost, and
    /// may be shown to readers and lost later. Only a writer that takes the journal over anew, this one or another,
    /// settles it. The journal must not be read for an answer before that.
    #[error(
        "whether the last append is durable is unknown ({what}); take the journal over again and only then read it"
    )]
    UnknownOutcome {
        /// What happened instead of a confirmation.
        what: String,
    },
    /// The batch is larger than [`crate::MAX_BATCH_BYTES`].
    #[error("a batch of {bytes} bytes is larger than the {most} bytes that fit")]
    BatchTooLarge {
        /// The size of the batch.
        bytes: usize,
        most: usize,
    },
    /// A key is longer than [`crate::MAX_KEY_BYTES`].
    #[error("a key of {bytes} bytes is longer than the {most} bytes that fit")]
    KeyTooLong {
        /// The length of the key.
        bytes: usize,
        most: usize,
    },
    /// Stored bytes are not what was written.
    #[error("damaged: {0}")]
    Damaged(Damage),
    /// A snapshot does not belong to this journal: the chain at its record differs.
    #[error("a snapshot at record {seq} does not fit the journal's chain there")]
    SnapshotForeign {
        /// The record that the snapshot claims to follow.
        seq: u64,
    },
    /// The operating system refused.
    #[error("{doing}: {source}")]
    Io {
        /// What was attempted.
        doing: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The store refused.
    #[error("{doing}: {what}")]
    Store {
        /// What was attempted.
        doing: &'static str,
        /// What the store said.
        what: String,
    },
    /// The store cannot be reached now. Reading again later is safe.
    #[error("{doing}: {what}")]
    Unreachable {
        /// What was attempted.
        doing: &'static str,
        what: String,
    },
}

impl JournalError {
    /// Whether reading again later may succeed by itself.
    #[must_use]
    pub const fn is_outage(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }

    pub(crate) fn damaged(place: DamagePlace, what: impl Into<String>) -> Self {
        Self::Damaged(Damage::new(place, what))
    }

    /// For `map_err`: names what was being done when the operating system refused.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

/// What every refusal to start ends with.
const ADVICE: &str = "The hall does not start, because acknowledged games could be missing. Keep this folder \
    as it is, and start from the newest backup instead (a folder made by `hall admin backup`).";

/// Why a data folder was not opened. Each message says what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum OpenError {
    /// Another process works in the folder.
    #[error("{} is in use by another hall (process {pid}). Stop that one first, or choose another `storage.path`.", path.display())]
    InUse {
        path: PathBuf,
        /// The process that holds the lock, or "unknown".
        pid: String,
    },
    /// There is no journal in the folder, and the caller did not ask to create one.
    #[error("{} holds no journal. Check the path.", path.display())]
    NoJournal { path: PathBuf },
    /// A part of the data folder is gone while another is there.
    #[error("{} is missing, but {} is there. {ADVICE}", missing.display(), present.display())]
    PartMissing {
        /// What is gone.
        missing: PathBuf,
        /// What shows that it was there once.
        present: PathBuf,
    },
    /// No slot of the head mark can be read.
    #[error("{}: nothing of the head mark can be read, so nobody knows where the journal must end. {ADVICE}", path.display())]
    MarkUnreadable {
        /// The file of the mark.
        path: PathBuf,
    },
    /// The journal ends before the mark.
    #[error(
        "the journal ends at record {found} (batch {found_batch}), but its head mark says that record {expected} \
         (batch {expected_batch}) was written and acknowledged. {ADVICE}"
    )]
    Behind {
        /// The last record that the journal holds.
        found: u64,
        /// The last batch that the journal holds.
        found_batch: u64,
        /// The record that it must reach.
        expected: u64,
        /// The batch that it must reach.
        expected_batch: u64,
    },
    /// The journal extends beyond what the mark allows: the two are not of the same time.
    #[error(
        "the journal holds batch {found_batch}, but its head mark stands at batch {expected_batch}; a crash explains \
         a distance of one only. The two files are not of the same time. {ADVICE}"
    )]
    Ahead {
        /// The last batch that the journal holds.
        found_batch: u64,
        /// The batch of the mark.
        expected_batch: u64,
    },
    /// Journal and mark disagree about the same point.
    #[error("journal and head mark disagree about the content up to record {seq}: {what}. {ADVICE}")]
    Diverged {
        /// The record in question.
        seq: u64,
        /// How it shows.
        what: &'static str,
    },
    /// A file of the store is damaged where no crash can have damaged it.
    #[error("{}: {what}. {ADVICE}", path.display())]
    StoreDamaged {
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The store could not be opened or read.
    #[error("the journal in {} cannot be read: {what}. {ADVICE}", path.display())]
    Unreadable {
        /// The folder of the store.
        path: PathBuf,
        /// What the store said.
        what: String,
    },
    /// The operating system refused.
    #[error("{}: {doing}: {source}. Check that the hall may read and write there and that the disk is not full.", path.display())]
    Io {
        /// What was attempted.
        doing: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl OpenError {
    /// For `map_err`: names what was being done to which path when the operating system refused.
    pub(crate) fn io(doing: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { doing, path, source }
    }
}
