//! The mark of the newest checkpoint on another volume (`log.mark_path`): with it a data folder that was put back to an
//! older state is noticed, even when journal and head mark are older together (decision 8.3).
//!
//! The journal holds a checkpoint first, then the mark, and only then is the checkpoint published. So the mark is never
//! ahead of the journal and never behind what anybody was shown, whenever the hall crashes.

use hall_driver::{CheckpointStore, LogError, LogReader, SignedCheckpoint};
use hall_tools::atomic_file;
use hall_verify::note::Checkpoint;
use hall_wire::Digest;
use hall_wire::note::key_name;
use std::path::{Path, PathBuf};

/// Why the mark cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MarkError {
    /// The operating system refused.
    #[error(
        "the mark `log.mark_path` at {} cannot be read or written: {error}. Mount its volume, or make its folder.",
        path.display()
    )]
    Io { path: PathBuf, error: std::io::Error },
    /// The file holds something else.
    #[error(
        "{} (`log.mark_path`) does not hold what a hall writes there. If you know that the data folder is the newest, \
         move that file away; then the hall makes another one.", path.display()
    )]
    Malformed { path: PathBuf },
    /// The log cannot be compared with it.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// What the mark says of a data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The log continues what was marked.
    Continues,
    /// There is no mark yet.
    Unmarked,
    /// The log is not the marked one, or has become shorter; in words.
    RolledBack(String),
}

/// The mark in its file.
#[derive(Clone, Debug)]
pub(crate) struct CheckpointMark {
    path: PathBuf,
}

impl CheckpointMark {
    /// The mark at this path.
    pub(crate) fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// What was marked last.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub(crate) fn read(&self) -> Result<Option<Checkpoint>, MarkError> {
        let Some(text) = atomic_file::read_text(&self.path).map_err(|error| self.io(error))? else {
            return Ok(None);
        };
        let read = || {
            let mut marked = Checkpoint::parse(&text).ok()?;
            let check = marked.extensions.pop()?;
            (marked.extensions.is_empty() && check == check_line(&marked)).then_some(marked)
        };
        read().map(Some).ok_or_else(|| MarkError::Malformed { path: self.path.clone() })
    }

    /// Marks a checkpoint; when this returns, it is on disk.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self, checkpoint: &SignedCheckpoint) -> Result<(), MarkError> {
        self.put(checkpoint).map_err(|error| self.io(error))
    }

    /// Whether it can be used, before anything of a new hall is made.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else, or its folder is not there.
    pub(crate) fn check(&self) -> Result<(), MarkError> {
        self.read()?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        std::fs::read_dir(folder.unwrap_or_else(|| Path::new("."))).map(drop).map_err(|error| self.io(error))
    }

    fn put(&self, SignedCheckpoint { head, key }: &SignedCheckpoint) -> std::io::Result<()> {
        let origin = key_name(key).to_owned();
        let marked = Checkpoint { origin, size: head.size, root: head.root, extensions: Vec::new() };
        atomic_file::replace(&self.path, format!("{marked}{}\n", check_line(&marked)).as_bytes())
    }

    fn io(&self, error: std::io::Error) -> MarkError {
        MarkError::Io { path: self.path.clone(), error }
    }
}

impl CheckpointStore for CheckpointMark {
    fn store(&mut self, checkpoint: &SignedCheckpoint) -> std::io::Result<()> {
        self.put(checkpoint)
    }
}

/// Compares a log of `leaves` leaves with what was marked of it. `names` are those that it has had, the present one
/// last.
///
/// # Errors
/// The log cannot be read.
pub(crate) fn judge(
    marked: Option<&Checkpoint>,
    names: &[String],
    leaves: u64,
    log: &LogReader,
) -> Result<Standing, LogError> {
    let Some(Checkpoint { origin, size, root, .. }) = marked else { return Ok(Standing::Unmarked) };
    let Some(place) = names.iter().rposition(|name| name == origin) else {
        let why = format!(
            "a checkpoint of the log {origin} was signed, and this data folder knows no log of that name"
        );
        return Ok(Standing::RolledBack(why));
    };
    if place + 1 < names.len() {
        // A restore was accepted since then, under a name that nothing was signed under yet.
        return Ok(Standing::Continues);
    }
    let why = if *size > leaves {
        format!("a checkpoint over {size} leaves was signed, and this data folder has {leaves}")
    } else if log.root(*size)? == *root {
        return Ok(Standing::Continues);
    } else {
        format!("another tree of {size} leaves was signed than the one in this data folder")
    };
    Ok(Standing::RolledBack(why))
}

/// The line that shows a changed byte.
fn check_line(marked: &Checkpoint) -> String {
    let digest =
        Digest::of(format!("{}\n{}\n{}", marked.origin, marked.size, marked.root.to_hex()).as_bytes());
    format!("check {}", digest.to_hex().get(..8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::LogHead;
    use hall_wire::Timestamp;

    #[test]
    fn a_mark_holds_the_last_checkpoint_and_a_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hall.mark");
        let mark = CheckpointMark::at(&path);
        assert_eq!(mark.read().unwrap(), None);
        for size in [7, 12] {
            let head = LogHead { at: Timestamp::from_millis(1), size, root: Digest::of(b"root") };
            mark.write(&SignedCheckpoint { head, key: "hall.example/2+00000000+AA==".to_owned() }).unwrap();
            let marked = mark.read().unwrap().unwrap();
            assert_eq!(
                (marked.origin.as_str(), marked.size, marked.root),
                ("hall.example/2", size, Digest::of(b"root"))
            );
        }
        let written = std::fs::read(&path).unwrap();
        for place in 0..written.len() {
            let mut changed = written.clone();
            changed[place] = if changed[place] == b'1' { b'3' } else { b'1' };
            std::fs::write(&path, changed).unwrap();
            assert!(matches!(mark.read(), Err(MarkError::Malformed { .. })), "byte {place}");
        }
        let nowhere = CheckpointMark::at(&folder.path().join("unmounted/hall.mark"));
        assert!(nowhere.check().unwrap_err().to_string().contains("log.mark_path"));
        let head = LogHead { at: Timestamp::from_millis(1), size: 1, root: Digest::of(b"root") };
        let refused = nowhere.write(&SignedCheckpoint { head, key: String::new() }).unwrap_err().to_string();
        assert!(refused.contains("log.mark_path"), "{refused}");
    }
}
