//! What a witness knows about its logs, and its answers to checkpoints (C2SP tlog-witness).
//!
//! **The invariant:** of each log, every checkpoint that was cosigned continues the one cosigned before it, and it is
//! on disk before the cosignature is released. One log is judged at a time by one thread.

use super::request::Submission;
use super::store::Store;
use hall_verify::note::{Checkpoint, Note, NoteProblem, VerifierKey};
use hall_verify::tree::{consistency, empty_root};
use hall_wire::key::PrivateKey;
use hall_wire::note::{cosignature_line, witness_key};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Why a witness does not start.
#[derive(Debug, thiserror::Error)]
pub(super) enum BookError {
    /// The folder cannot be used.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: std::io::Error },
    /// A file holds something else than was written there.
    #[error(
        "{} does not hold what a witness of this log writes there. Without it, a log could be cosigned that contradicts \
         what was cosigned before: put it back from a copy, or start over with another key and --state.",
        path.display()
    )]
    Malformed { path: PathBuf },
}

/// All logs of a witness.
pub(super) struct Book {
    name: String,
    key: PrivateKey,
    store: Store,
    logs: BTreeMap<String, Log>,
}

struct Log {
    keys: Vec<VerifierKey>,
    newest: Mutex<Option<NewestCheckpoint>>,
}

/// The newest checkpoint that was cosigned.
struct NewestCheckpoint {
    checkpoint: Checkpoint,
    note: String,
}

/// The answer to a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The checkpoint continues what was cosigned before: the line of the cosignature, ended.
    Cosigned(String),
    /// 400: the request is impossible.
    Impossible(String),
    /// 403: there is no signature of a known key, or it is wrong.
    NotSigned(String),
    /// 404: the log is not known here.
    UnknownLog,
    /// 409: the newest checkpoint that was cosigned has this size.
    Has(u64),
    /// 409: the newest checkpoint that was cosigned has this size, and another root.
    OtherRoot,
    /// 422: the proof does not show that the checkpoint continues it.
    Inconsistent(&'static str),
    /// 500: the checkpoint could not be stored.
    NotKept,
}

impl Book {
    /// A witness of the logs with these keys; several of one name are keys of one log.
    pub(super) fn open(
        name: &str,
        key: PrivateKey,
        store: Store,
        keys: impl IntoIterator<Item = VerifierKey>,
    ) -> Result<Self, BookError> {
        let mut of_logs: BTreeMap<String, Vec<VerifierKey>> = BTreeMap::new();
        for key in keys {
            of_logs.entry(key.name().to_owned()).or_default().push(key);
        }
        let own = VerifierKey::parse(&witness_key(name, &key.public())).ok();
        let mut logs = BTreeMap::new();
        for (origin, keys) in of_logs {
            let path = store.place(&origin);
            let note = store.note(&origin).map_err(|error| BookError::Io { path: path.clone(), error })?;
            let newest = note.map(|note| {
                let read = NewestCheckpoint::read(note, &origin, own.iter().chain(&keys));
                read.ok_or(BookError::Malformed { path })
            });
            logs.insert(origin, Log { keys, newest: Mutex::new(newest.transpose()?) });
        }
        Ok(Self { name: name.to_owned(), key, store, logs })
    }

    /// The public key that verifies the cosignatures.
    pub(super) fn public(&self) -> String {
        witness_key(&self.name, &self.key.public())
    }

    /// The names of the logs, each with the size that was cosigned last.
    pub(super) fn logs(&self) -> impl Iterator<Item = (&str, Option<u64>)> {
        self.logs.iter().map(|(origin, log)| {
            let newest = log.newest.lock().unwrap_or_else(PoisonError::into_inner);
            (origin.as_str(), newest.as_ref().map(|seen| seen.checkpoint.size))
        })
    }

    /// The newest checkpoint of a log that was cosigned, as a note with our line.
    pub(super) fn newest(&self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let (_, log) = self.logs.iter().find(|(origin, _)| is_wanted(origin))?;
        let newest = log.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.as_ref().map(|seen| seen.note.clone())
    }

    /// Judges a submission at `seconds` since 1970. What is cosigned is on disk when this returns.
    pub(super) fn add(&self, submitted: &Submission, seconds: u64) -> Verdict {
        let Submission { old, proof, note, checkpoint } = submitted;
        let Some(log) = self.logs.get(&checkpoint.origin) else { return Verdict::UnknownLog };
        let signed = match log.signatures(note) {
            Ok(lines) => lines,
            Err(problem) => return Verdict::NotSigned(problem.to_string()),
        };
        if *old > checkpoint.size {
            return Verdict::Impossible("the old size is greater than the checkpoint's".to_owned());
        }
        // Held until the new state is on disk, so that the state that was checked is the one that is replaced.
        let mut newest = log.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = newest.as_ref().map(|seen| &seen.checkpoint);
        if let Some(seen) = newest.as_ref() {
            self.compare(seen, note, checkpoint, &signed);
        }
        let has = seen.map_or(0, |seen| seen.size);
        if *old != has {
            return Verdict::Has(has);
        }
        if checkpoint.size == 0 && checkpoint.root != empty_root() {
            return Verdict::Inconsistent("a tree without leaves has another root");
        }
        if seen.is_some_and(|seen| seen.size == checkpoint.size && seen.root != checkpoint.root) {
            return Verdict::OtherRoot;
        }
        let root = seen.map_or_else(empty_root, |seen| seen.root);
        if consistency((has, &root), (checkpoint.size, &checkpoint.root), proof).is_err() {
            tracing::warn!(
                log = checkpoint.origin,
                has,
                size = checkpoint.size,
                "a signed checkpoint does not follow"
            );
            return Verdict::Inconsistent(
                "the proof does not show that it continues what was cosigned before",
            );
        }
        let line = cosignature_line(&self.name, &self.key, seconds, note.text());
        let cosigned = format!("{}\n{signed}{line}", note.text());
        if let Err(error) = self.store.keep(&checkpoint.origin, &cosigned) {
            tracing::error!(%error, log = checkpoint.origin, "a checkpoint could not be kept, so it is not cosigned");
            return Verdict::NotKept;
        }
        *newest = Some(NewestCheckpoint { checkpoint: checkpoint.clone(), note: cosigned });
        Verdict::Cosigned(line)
    }

    /// Keeps it as evidence if the log has signed two roots for one size.
    fn compare(&self, seen: &NewestCheckpoint, note: &Note, checkpoint: &Checkpoint, signed: &str) {
        if seen.checkpoint.size != checkpoint.size || seen.checkpoint.root == checkpoint.root {
            return;
        }
        let text = format!(
            "{} has signed two roots for {} leaves\n\n--- cosigned before\n{}\n--- submitted\n{}\n{signed}",
            checkpoint.origin,
            checkpoint.size,
            seen.note,
            note.text(),
        );
        match self.store.evidence(&text) {
            Ok(Some(path)) => {
                tracing::error!(log = checkpoint.origin, evidence = %path.display(), "ALARM: the log has forked");
            }
            Ok(None) => {}
            Err(error) => tracing::error!(%error, log = checkpoint.origin, "ALARM: the log has forked"),
        }
    }
}

impl Log {
    /// The lines of the log's keys, all of them verified; lines of other keys are skipped.
    fn signatures(&self, note: &Note) -> Result<String, NoteProblem> {
        let mut problem = None;
        let mut lines = String::new();
        for key in &self.keys {
            match note.verify(key) {
                Ok(_) => {
                    let own = |line: &&_| is_of(line, key);
                    lines.extend(note.signatures().iter().filter(own).map(|line| format!("{line}\n")));
                }
                Err(wrong @ (NoteProblem::WrongSignature { .. } | NoteProblem::Malformed { .. })) => {
                    return Err(wrong);
                }
                Err(absent @ NoteProblem::NotSigned { .. }) => problem = Some(absent),
            }
        }
        match problem {
            Some(absent) if lines.is_empty() => Err(absent),
            Some(_) | None => Ok(lines),
        }
    }
}

fn is_of(line: &hall_verify::note::SignatureLine, key: &VerifierKey) -> bool {
    line.name == key.name() && line.key_id == key.id()
}

impl NewestCheckpoint {
    /// The stored checkpoint, if one of the keys has signed it.
    fn read<'k>(note: String, origin: &str, mut keys: impl Iterator<Item = &'k VerifierKey>) -> Option<Self> {
        let read = Note::parse(&note).ok()?;
        let checkpoint = Checkpoint::parse(read.text()).ok().filter(|read| read.origin == origin)?;
        keys.any(|key| read.verify(key).is_ok()).then_some(Self { checkpoint, note })
    }
}
