//! The cosignatures that witnesses gave, in files beside the journal.
//!
//! They are no part of the hall's state: each is verified again before it is published, and to lose them costs nothing
//! but themselves. `cosignatures/N` in the data folder has one JSON line for each that was given for a checkpoint of
//! N · 1024 to N · 1024 + 1023 leaves, in the order in which they came.

use hall_http::Cosignatures;
use hall_verify::note::{Note, VerifierKey};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folder in the data folder.
const FOLDER: &str = "cosignatures";
/// Sizes of checkpoints that share a file.
const SIZES: u64 = 1_024;
/// Files whose lines are kept ready.
const READY: usize = 8;
/// The longest file that is read: many times what a dozen witnesses write into one.
const MOST_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The cosignatures of one hall.
pub(crate) struct KeptCosignatures {
    folder: PathBuf,
    /// What was used last stands last.
    ready: Mutex<VecDeque<(u64, Lines)>>,
}

/// The lines of one file, by size of the checkpoint.
type Lines = BTreeMap<u64, Vec<Given>>;

/// A cosignature as it was given.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Given {
    size: u64,
    key: String,
    line: String,
    /// Whether it was found to be that of `key` over the checkpoint.
    #[serde(skip)]
    verified: bool,
}

impl KeptCosignatures {
    /// Those in this data folder.
    pub(crate) fn of(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), ready: Mutex::default() }
    }

    /// Keeps the line that `key` gave for the checkpoint over `size` leaves; the first of each key counts. It is
    /// published from now on, also if it cannot be written.
    pub(crate) fn keep(&self, size: u64, key: &VerifierKey, line: &str) {
        let given = Given { size, key: key.to_string(), line: line.to_owned(), verified: false };
        let fresh = self.with(size, |lines| {
            let known = lines.entry(size).or_default();
            let fresh = known.iter().all(|known| known.key != given.key);
            if fresh {
                known.push(given.clone());
            }
            fresh
        });
        if fresh && let Err(error) = self.write(&given) {
            tracing::warn!(%error, size, "a cosignature cannot be written; it is lost with the next stop");
        }
    }

    fn write(&self, given: &Given) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(self.file(given.size))?;
        let mut bytes = serde_json::to_vec(given)?;
        bytes.push(b'\n');
        if ends_amid_a_line(&mut file)? {
            bytes.insert(0, b'\n');
        }
        file.write_all(&bytes)
    }

    /// What is known of the file of a size.
    fn with<R>(&self, size: u64, work: impl FnOnce(&mut Lines) -> R) -> R {
        let number = size / SIZES;
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let place = ready.iter().position(|(known, _)| *known == number);
        let (_, mut lines) =
            place.and_then(|place| ready.remove(place)).unwrap_or_else(|| (number, self.read(size)));
        let result = work(&mut lines);
        ready.push_back((number, lines));
        if ready.len() > READY {
            ready.pop_front();
        }
        result
    }

    /// The lines of a file; damaged ones are passed over.
    fn read(&self, size: u64) -> Lines {
        let mut lines = Lines::new();
        let mut text = Vec::new();
        let read =
            File::open(self.file(size)).and_then(|file| file.take(MOST_FILE_BYTES).read_to_end(&mut text));
        match read {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                tracing::warn!(%error, "cosignatures cannot be read");
            }
            Ok(_) | Err(_) => {}
        }
        for given in
            text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Given>(line).ok())
        {
            lines.entry(given.size).or_default().push(given);
        }
        lines
    }

    fn file(&self, size: u64) -> PathBuf {
        self.folder.join((size / SIZES).to_string())
    }

    /// Copies all that were written into the data folder `to`.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(crate) fn copy(&self, to: &Path) -> std::io::Result<()> {
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        std::fs::create_dir_all(to.join(FOLDER))?;
        for entry in entries {
            let entry = entry?;
            std::fs::copy(entry.path(), to.join(FOLDER).join(entry.file_name()))?;
        }
        Ok(())
    }
}

impl Cosignatures for KeptCosignatures {
    fn lines(&self, size: u64, text: &str) -> String {
        self.with(size, |lines| {
            let Some(given) = lines.get_mut(&size) else { return String::new() };
            given.retain_mut(|given| {
                given.verified = given.verified || given.verifies(text);
                given.verified
            });
            given.iter().map(|given| format!("{}\n", given.line)).collect()
        })
    }
}

impl Given {
    fn verifies(&self, text: &str) -> bool {
        let Ok(key) = VerifierKey::parse(&self.key) else { return false };
        let note = Note::parse(&format!("{text}\n{}\n", self.line));
        note.is_ok_and(|note| note.signatures().len() == 1 && note.verify(&key).is_ok())
    }
}

/// Whether a crash left half a line.
fn ends_amid_a_line(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::Digest;
    use hall_wire::key::PrivateKey;
    use hall_wire::note::{Checkpoint, cosignature_line, witness_key};

    fn text(size: u64) -> String {
        Checkpoint { origin: "hall.example", size, root: Digest::of(&size.to_be_bytes()) }.text()
    }

    /// The line of a witness for the checkpoint of a size, and its key.
    fn line(seed: u8, size: u64) -> (VerifierKey, String) {
        let key = PrivateKey::from_seed(&[seed; 32]);
        let name = format!("witness.example/{seed}");
        let line = cosignature_line(&name, &key, 1_700_000_000, &text(size));
        (VerifierKey::parse(&witness_key(&name, &key.public())).unwrap(), line.trim_end().to_owned())
    }

    fn keep(kept: &KeptCosignatures, seed: u8, size: u64) -> String {
        let (key, line) = line(seed, size);
        kept.keep(size, &key, &line);
        format!("{line}\n")
    }

    #[test]
    fn cosignatures_survive_a_restart_in_their_order_of_arrival() {
        let data = tempfile::tempdir().unwrap();
        let kept = KeptCosignatures::of(data.path());
        assert_eq!(kept.lines(7, &text(7)), "");
        let (one, two, far) = (keep(&kept, 1, 7), keep(&kept, 2, 7), keep(&kept, 1, 70_000));
        keep(&kept, 1, 7);
        for kept in [&kept, &KeptCosignatures::of(data.path())] {
            assert_eq!(kept.lines(7, &text(7)), format!("{one}{two}"));
            assert_eq!(kept.lines(70_000, &text(70_000)), far);
            assert_eq!(kept.lines(8, &text(8)), "");
        }
        let backup = tempfile::tempdir().unwrap();
        kept.copy(backup.path()).unwrap();
        assert_eq!(KeptCosignatures::of(backup.path()).lines(7, &text(7)), format!("{one}{two}"));
    }

    #[test]
    fn incomplete_and_invalid_lines_are_skipped() {
        let data = tempfile::tempdir().unwrap();
        let one = keep(&KeptCosignatures::of(data.path()), 1, 7);
        let file = data.path().join("cosignatures/0");
        let mut bytes = std::fs::read(&file).unwrap();
        let (key, foreign) = line(3, 8);
        let forged = serde_json::json!({ "size": 7, "key": key.to_string(), "line": foreign });
        bytes.extend_from_slice(format!("{forged}\n").as_bytes());
        bytes.extend_from_slice(br#"{"size":7,"ke"#);
        std::fs::write(&file, bytes).unwrap();
        let kept = KeptCosignatures::of(data.path());
        let two = keep(&kept, 2, 7);
        for kept in [&kept, &KeptCosignatures::of(data.path())] {
            assert_eq!(kept.lines(7, &text(7)), format!("{one}{two}"));
        }
    }

    #[test]
    fn files_beyond_the_cache_are_read_again() {
        let data = tempfile::tempdir().unwrap();
        let kept = KeptCosignatures::of(data.path());
        let sizes: Vec<u64> = (0..20).map(|number| number * SIZES + 5).collect();
        let lines: Vec<String> = sizes.iter().map(|size| keep(&kept, 1, *size)).collect();
        for (size, line) in sizes.iter().zip(&lines) {
            assert_eq!(kept.lines(*size, &text(*size)), *line);
        }
        assert_eq!(kept.ready.lock().unwrap().len(), READY);
    }
}
