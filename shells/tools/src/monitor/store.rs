//! The folder in which a monitor keeps what it saw.
//!
//! | file | what it holds |
//! |---|---|
//! | `key` | the log key that is believed, as a note verifier key |
//! | `checkpoint` | the newest signed note that was accepted |
//! | `hashes` | the hash of every leaf that it covers and that was seen, 32 bytes each |
//! | `seen` | how many leaves were seen; without it all that the note covers |
//! | `next` | which full bundle of old leaves is read again next |
//! | `watched` | the watched agents and their games, by handle |
//! | `evidence-N` | what raised an alarm |
//! | `evidence-N.leaves` | the leaves that raised it, as they were served |
//!
//! `next` and `watched` can be rebuilt from the log: a folder without them is just as good.

use crate::atomic_file;
use hall_verify::tree::Frontier;
use hall_wire::Digest;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: std::io::Error },
    /// A file does not hold what was written there.
    #[error("{} does not hold what a monitor writes there; move the folder away to start over", path.display())]
    Malformed { path: PathBuf },
}

/// The folder.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// Opens the folder, which is made if it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder).map_err(io(folder))?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// The trusted key.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn key(&self) -> Result<Option<String>, StoreError> {
        Ok(self.text("key")?.map(|text| text.trim_end().to_owned()))
    }

    /// Trusts a key from now on.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep_key(&self, key: &str) -> Result<(), StoreError> {
        self.put("key", format!("{key}\n").as_bytes())
    }

    /// The newest note that was accepted.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn note(&self) -> Result<Option<String>, StoreError> {
        self.text("checkpoint")
    }

    /// The tree of the first `size` leaves.
    ///
    /// # Errors
    /// There are fewer.
    pub(crate) fn tree(&self, size: u64) -> Result<Frontier, StoreError> {
        let path = self.folder.join("hashes");
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(io(&path)(error)),
        };
        let (hashes, _) = bytes.as_chunks::<32>();
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let hashes = hashes.get(..size).ok_or(StoreError::Malformed { path })?;
        let mut tree = Frontier::new();
        hashes.iter().for_each(|hash| tree.push_hash(Digest::from_bytes(*hash)));
        Ok(tree)
    }

    /// How many of the leaves that a note covers were seen: all, unless it was followed in parts and not to its end.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn seen(&self, covered: u64) -> Result<u64, StoreError> {
        let seen = self.text("seen")?.and_then(|text| text.trim_end().parse().ok());
        Ok(seen.unwrap_or(covered).min(covered))
    }

    /// Keeps a note with the hashes of the leaves behind the first `from` that were seen. The note is written last, after
    /// everything that is kept with it.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep(&self, note: &str, from: u64, hashes: &[Digest]) -> Result<(), StoreError> {
        let path = self.folder.join("hashes");
        let append = || {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            // What an interrupted run left behind the last leaf that was seen is overwritten.
            file.set_len(from * 32)?;
            let bytes: Vec<u8> = hashes.iter().flat_map(|hash| *hash.as_bytes()).collect();
            file.write_all(&bytes)?;
            file.sync_all()
        };
        append().map_err(io(&path))?;
        let seen = from + u64::try_from(hashes.len()).unwrap_or(0);
        self.put("seen", format!("{seen}\n").as_bytes())?;
        self.put("checkpoint", note.as_bytes())
    }

    /// The hashes of `count` leaves from `first` on.
    ///
    /// # Errors
    /// There are fewer.
    pub(crate) fn hashes(&self, first: u64, count: usize) -> Result<Vec<Digest>, StoreError> {
        let path = self.folder.join("hashes");
        let mut bytes = vec![0; count * 32];
        let read = File::open(&path).and_then(|file| file.read_exact_at(&mut bytes, first * 32));
        match read {
            Ok(()) => Ok(bytes.as_chunks::<32>().0.iter().copied().map(Digest::from_bytes).collect()),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(StoreError::Malformed { path }),
            Err(error) => Err(io(&path)(error)),
        }
    }

    /// Which full bundle of old leaves is to be read again.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn next(&self) -> Result<u64, StoreError> {
        Ok(self.text("next")?.and_then(|text| text.trim_end().parse().ok()).unwrap_or(0))
    }

    /// Stores which bundle is read next.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep_next(&self, bundle: u64) -> Result<(), StoreError> {
        self.put("next", format!("{bundle}\n").as_bytes())
    }

    /// The watch list.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn watched(&self) -> Result<Option<String>, StoreError> {
        self.text("watched")
    }

    /// Stores the watch list.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep_watched(&self, watched: &str) -> Result<(), StoreError> {
        self.put("watched", watched.as_bytes())
    }

    /// Writes evidence into a new file, and the leaves that belong to it into another one beside it.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn evidence(&self, text: &str, leaves: &[&[u8]]) -> Result<PathBuf, StoreError> {
        for number in 1_u32.. {
            let path = self.folder.join(format!("evidence-{number}"));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    write(file, &[text.as_bytes()]).map_err(io(&path))?;
                    if !leaves.is_empty() {
                        let beside = path.with_extension("leaves");
                        File::create(&beside).and_then(|file| write(file, leaves)).map_err(io(&beside))?;
                    }
                    return Ok(path);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(io(&path)(error)),
            }
        }
        Err(StoreError::Malformed { path: self.folder.clone() })
    }

    fn text(&self, name: &str) -> Result<Option<String>, StoreError> {
        let path = self.folder.join(name);
        atomic_file::read_text(&path).map_err(io(&path))
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.folder.join(name);
        atomic_file::replace(&path, bytes).map_err(io(&path))
    }
}

fn write(mut file: File, parts: &[&[u8]]) -> std::io::Result<()> {
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.sync_all()
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |error| StoreError::Io { path, error }
}
