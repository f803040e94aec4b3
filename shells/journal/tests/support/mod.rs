//! Shared by several test files: recognisable batches, and a full reading of a journal.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]
#![allow(dead_code, reason = "each test file uses its own part")]

use hall_journal::{
    Batch, FjallJournal, Head, Journal, JournalError, JournalReader, KeyRange, KeyValue, Options, Record,
    Row, Table,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Some tables.
pub(crate) mod tables {
    use hall_journal::Table;

    pub(crate) const GAMES: Table = Table::new(1, "games");
    pub(crate) const AGENT_GAMES: Table = Table::new(3, "agent_games");
    pub(crate) const HOMOLOGATIONS: Table = Table::new(4, "homologations");
    pub(crate) const DOCKET: Table = Table::new(5, "docket");
    pub(crate) const FEEDBACK: Table = Table::new(6, "feedback");
    pub(crate) const ALL: &[Table] = &[GAMES, AGENT_GAMES, HOMOLOGATIONS, DOCKET, FEEDBACK];
}

/// Few threads and little memory, as many journals are opened here.
pub(crate) fn options() -> Options {
    Options { cache_bytes: 1 << 20, workers: 1, memtable_bytes: 1 << 20 }
}

pub(crate) fn open(path: &Path) -> FjallJournal {
    FjallJournal::open(path, &options()).unwrap()
}

pub(crate) fn put(table: Table, key: &[u8], value: &[u8]) -> Row {
    Row { table, key: key.to_vec(), value: Some(value.to_vec()) }
}

pub(crate) fn delete(table: Table, key: &[u8]) -> Row {
    Row { table, key: key.to_vec(), value: None }
}

/// The n-th batch of a history: one to three records, rows that stay, one that changes and one that is deleted.
pub(crate) fn batch(n: u64) -> Batch {
    let records =
        (0..=n % 3).map(|part| format!("record {n}.{part} {}", "x".repeat(40)).into_bytes()).collect();
    let mut rows = vec![
        put(tables::GAMES, &n.to_be_bytes(), format!("game {n}").as_bytes()),
        put(tables::DOCKET, &(n * 2).to_be_bytes(), b"leaf"),
        put(tables::HOMOLOGATIONS, b"latest", &n.to_be_bytes()),
    ];
    if n > 1 {
        rows.push(delete(tables::DOCKET, &((n - 1) * 2).to_be_bytes()));
    }
    Batch { records, rows }
}

/// Appends batches `from..=to` of the history.
pub(crate) fn append(journal: &mut dyn Journal, from: u64, to: u64) -> Head {
    for n in from..=to {
        journal.append(&batch(n)).unwrap();
    }
    journal.head()
}

/// Everything that a reader shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) records: Vec<Record>,
    pub(crate) rows: Vec<(Table, Vec<KeyValue>)>,
}

pub(crate) fn content(reader: &dyn JournalReader) -> Result<Content, JournalError> {
    let records = reader.records(1, usize::MAX)?;
    let rows = tables::ALL
        .iter()
        .map(|table| Ok((*table, reader.rows(*table, KeyRange::all(), false, usize::MAX)?)));
    Ok(Content { records, rows: rows.collect::<Result<_, JournalError>>()? })
}

/// The content after each batch of the history, from none to `batches`, made by the memory journal.
pub(crate) fn history(batches: u64) -> Vec<Content> {
    let mut journal = hall_journal::MemoryJournal::new();
    let mut all = vec![content(&*journal.reader()).unwrap()];
    for n in 1..=batches {
        append(&mut journal, n, n);
        all.push(content(&*journal.reader()).unwrap());
    }
    all
}

/// The files of a folder at one moment, as a crash would leave them. The many trailing zeros of preallocated files are
/// kept only as a length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) files: BTreeMap<PathBuf, FileImage>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileImage {
    /// The bytes up to the last one that is not zero.
    pub(crate) bytes: Vec<u8>,
    pub(crate) length: usize,
}

impl Image {
    /// All files but the lock of the data folder.
    pub(crate) fn of(folder: &Path) -> Self {
        let mut image = Self::default();
        let mut folders = vec![PathBuf::new()];
        while let Some(inner) = folders.pop() {
            for entry in std::fs::read_dir(folder.join(&inner)).unwrap() {
                let name = inner.join(entry.unwrap().file_name());
                let path = folder.join(&name);
                if path.is_dir() {
                    folders.push(name);
                } else if name != Path::new(hall_journal::LOCK_FILE) {
                    image.files.insert(name, FileImage::of(&path));
                }
            }
        }
        image
    }

    /// A new folder with these files.
    pub(crate) fn restore(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, file) in &self.files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &file.bytes).unwrap();
            let written = std::fs::File::options().write(true).open(&path).unwrap();
            written.set_len(u64::try_from(file.length).unwrap()).unwrap();
        }
        folder
    }

    /// The same with one file changed.
    pub(crate) fn with(&self, name: &str, file: FileImage) -> Self {
        let mut changed = self.clone();
        changed.files.insert(PathBuf::from(name), file);
        changed
    }

    pub(crate) fn file(&self, name: &str) -> &FileImage {
        &self.files[Path::new(name)]
    }
}

impl FileImage {
    fn of(path: &Path) -> Self {
        let mut bytes = std::fs::read(path).unwrap();
        let length = bytes.len();
        // Whole blocks first: this is not optimised code, and most blocks are empty.
        while bytes.len() >= 4096 && bytes[bytes.len() - 4096..] == [0; 4096] {
            bytes.truncate(bytes.len() - 4096);
        }
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        Self { bytes, length }
    }

    /// The byte at `at`, counting the zeros that are not held.
    pub(crate) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The same with the bytes of `range` taken from another.
    pub(crate) fn mixed(&self, other: &Self, range: std::ops::Range<usize>) -> Self {
        let length = self.length.max(other.length);
        let used = self.bytes.len().max(other.bytes.len());
        let take = |at| if range.contains(&at) { other.byte(at) } else { self.byte(at) };
        Self { bytes: (0..used).map(take).collect(), length }
    }
}
