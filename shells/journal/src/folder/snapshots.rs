//! Snapshots of state as files, named after their record numbers, so that the newest is found without opening any.

use crate::error::JournalError;
use crate::folder::files;
use crate::store::Snapshots;
use std::io;
use std::path::PathBuf;

const SUFFIX: &str = ".snapshot";

/// The folder with the snapshots.
#[derive(Debug)]
pub struct SnapshotFolder {
    path: PathBuf,
}

impl SnapshotFolder {
    pub(crate) const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Whether any snapshot was ever stored here, as far as files tell.
    pub(crate) fn is_empty(&self) -> Result<bool, JournalError> {
        Ok(self.newest_first()?.is_empty())
    }

    fn file_name(seq: u64) -> String {
        format!("{seq:020}{SUFFIX}")
    }

    /// Removes what a process that was killed has left. Only one writes at a time.
    fn remove_unfinished(&self) -> io::Result<()> {
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name();
            let whole = name.to_str().and_then(|name| name.strip_suffix(files::UNFINISHED));
            if whole.is_some_and(|name| name.starts_with('.') && name.ends_with(SUFFIX)) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn file(&self, seq: u64) -> PathBuf {
        self.path.join(Self::file_name(seq))
    }
}

impl Snapshots for SnapshotFolder {
    fn newest_first(&self) -> Result<Vec<u64>, JournalError> {
        let doing = || format!("listing {}", self.path.display());
        let entries = match std::fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(JournalError::io(doing())(error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let name = entry.map_err(JournalError::io(doing()))?.file_name();
            let digits = name.to_str().and_then(|name| name.strip_suffix(SUFFIX));
            // Only files that were named here are opened again.
            found.extend(
                digits.filter(|digits| digits.len() == 20).and_then(|digits| digits.parse::<u64>().ok()),
            );
        }
        found.sort_by(|a, b| b.cmp(a));
        Ok(found)
    }

    fn name(&self, seq: u64) -> String {
        self.file(seq).display().to_string()
    }

    fn read(&self, seq: u64) -> Result<Vec<u8>, JournalError> {
        std::fs::read(self.file(seq)).map_err(JournalError::io(format!("reading {}", self.name(seq))))
    }

    fn write(&self, seq: u64, parts: &[&[u8]]) -> Result<(), JournalError> {
        let doing = || format!("writing a snapshot to {}", self.path.display());
        files::create_folder(&self.path).map_err(JournalError::io(doing()))?;
        self.remove_unfinished().map_err(JournalError::io(doing()))?;
        files::write_whole(&self.path, &Self::file_name(seq), parts).map_err(JournalError::io(doing()))
    }

    fn remove(&self, seq: u64) -> Result<(), JournalError> {
        std::fs::remove_file(self.file(seq)).map_err(JournalError::io(format!("removing {}", self.name(seq))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Snapshot;
    use crate::store::snapshot::{decode, put};

    fn snapshot(seq: u64) -> Snapshot {
        Snapshot { seq, chain: [7; 32], tag: "state/1".to_owned(), bytes: vec![9; 100] }
    }

    #[test]
    fn every_flipped_bit_and_every_cut_of_a_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let snapshots = SnapshotFolder::new(folder.path().join("snapshots"));
        put(&snapshots, &snapshot(5), 2).unwrap();
        assert_eq!(snapshots.newest_first().unwrap(), [5]);
        let good = snapshots.read(5).unwrap();
        assert_eq!(decode(good.clone()), Some(snapshot(5)));
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(bad), None, "bit {bit}");
        }
        for length in 0..good.len() {
            assert_eq!(decode(good[..length].to_vec()), None, "length {length}");
        }
    }

    #[test]
    fn snapshots_that_broke_off_do_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("snapshots");
        let snapshots = SnapshotFolder::new(path.clone());
        put(&snapshots, &snapshot(1), 2).unwrap();
        std::fs::write(path.join(".00000000000000000003.snapshot.tmp"), b"half").unwrap();
        // It cannot take its place.
        std::fs::create_dir_all(path.join("00000000000000000004.snapshot/taken")).unwrap();
        put(&snapshots, &snapshot(4), 2).unwrap_err();
        std::fs::remove_dir_all(path.join("00000000000000000004.snapshot")).unwrap();
        let names = || path.read_dir().unwrap().count();
        assert_eq!(names(), 1);
        put(&snapshots, &snapshot(5), 2).unwrap();
        assert_eq!(names(), 2);
    }

    #[test]
    fn only_the_two_newest_snapshots_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let snapshots = SnapshotFolder::new(folder.path().join("snapshots"));
        assert!(snapshots.is_empty().unwrap());
        for seq in [1, 2, 10, 9] {
            put(&snapshots, &snapshot(seq), 2).unwrap();
        }
        assert_eq!(snapshots.newest_first().unwrap(), [10, 9]);
    }
}
