//! A witness's answers to honest and dishonest checkpoints.

use super::book::{Book, BookError, Verdict};
use super::request::Submission;
use super::store::Store;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_verify::note::{Note, VerifierKey};
use hall_wire::Digest;
use hall_wire::key::PrivateKey;
use hall_wire::merkle::{Frontier, Nodes, consistency_path, leaf_hash};
use hall_wire::note::{Checkpoint, verifier_key};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

const ORIGIN: &str = "hall.example";

/// A log that can be made to lie.
#[derive(Clone)]
struct Log {
    leaves: Vec<String>,
    key: PrivateKey,
}

struct Stored(BTreeMap<(u32, u64), Digest>);

impl Nodes for Stored {
    type Error = Infallible;

    fn node(&self, height: u32, index: u64) -> Result<Digest, Infallible> {
        Ok(self.0[&(height, index)])
    }
}

impl Log {
    fn of(leaves: usize) -> Self {
        let leaves = (0..leaves).map(|number| format!("leaf {number}")).collect();
        Self { leaves, key: PrivateKey::from_seed(&[1; 32]) }
    }

    fn public(&self) -> VerifierKey {
        VerifierKey::parse(&verifier_key(ORIGIN, &self.key.public())).unwrap()
    }

    fn tree(&self) -> (Frontier, Stored) {
        let (mut frontier, mut nodes) = (Frontier::default(), BTreeMap::new());
        for leaf in &self.leaves {
            frontier.push(leaf_hash(leaf.as_bytes()), |height, index, node| {
                nodes.insert((height, index), node);
            });
        }
        (frontier, Stored(nodes))
    }

    fn note(&self) -> String {
        let (tree, _) = self.tree();
        Checkpoint { origin: ORIGIN, size: tree.size(), root: tree.root() }.signed(&self.key)
    }

    /// The body that submits the newest checkpoint after `old`.
    fn submission(&self, old: u64) -> String {
        let (tree, nodes) = self.tree();
        let path = if old == 0 || old > tree.size() {
            Vec::new()
        } else {
            consistency_path(&nodes, old, tree.size()).unwrap()
        };
        let lines: String =
            path.iter().map(|hash| format!("{}\n", STANDARD.encode(hash.as_bytes()))).collect();
        format!("old {old}\n{lines}\n{}", self.note())
    }

    fn grown(&self, more: usize) -> Self {
        let mut grown = self.clone();
        grown.leaves.extend((0..more).map(|number| format!("more {number}")));
        grown
    }

    /// The same with another leaf at the front.
    fn forked(&self) -> Self {
        let mut forked = self.clone();
        forked.leaves[0] = "another history".to_owned();
        forked
    }
}

fn witness(folder: &Path, log: &Log) -> Book {
    try_witness(folder, log).unwrap_or_else(|error| panic!("{error}"))
}

fn try_witness(folder: &Path, log: &Log) -> Result<Book, BookError> {
    let key = PrivateKey::from_seed(&[7; 32]);
    Book::open("witness.example/w1", key, Store::open(folder).unwrap(), [log.public()])
}

fn add(book: &Book, body: &str) -> Verdict {
    book.add(&Submission::parse(body.as_bytes()).unwrap(), 1_700_000_000)
}

/// Asserts that the checkpoint was cosigned, and that the line verifies over it.
fn cosigned(book: &Book, log: &Log, old: u64) {
    let verdict = add(book, &log.submission(old));
    let Verdict::Cosigned(line) = verdict else { panic!("{verdict:?}") };
    let note = Note::parse(&format!("{}{line}", log.note())).unwrap();
    let at = note.verify(&VerifierKey::parse(&book.public()).unwrap()).unwrap().unwrap();
    assert_eq!(at.as_millis(), 1_700_000_000_000);
    let kept = book.newest(|origin| origin == ORIGIN).unwrap();
    assert_eq!(Note::parse(&kept).unwrap(), note, "what is kept is the log's line and ours");
}

#[test]
fn a_growing_log_is_cosigned_across_restarts_of_the_witness() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = Log::of(3);
    let mut old = 0;
    for more in [0, 0, 1, 4, 300, 0, 212] {
        log = log.grown(more);
        cosigned(&witness(folder.path(), &log), &log, old);
        old = log.tree().0.size();
    }
    let sizes: Vec<_> =
        witness(folder.path(), &log).logs().map(|(origin, size)| (origin.to_owned(), size)).collect();
    assert_eq!(sizes, [(ORIGIN.to_owned(), Some(520))]);
}

#[test]
fn a_submission_from_another_size_gets_the_cosigned_size() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(5);
    let book = witness(folder.path(), &log);
    assert_eq!(add(&book, &log.submission(3)), Verdict::Has(0));
    cosigned(&book, &log, 0);
    let grown = log.grown(4);
    for old in [0, 4, 6, 9] {
        assert_eq!(add(&book, &grown.submission(old)), Verdict::Has(5), "old {old}");
    }
    assert_eq!(add(&book, &Log::of(3).submission(0)), Verdict::Has(5), "a log that was rolled back");
    assert!(matches!(add(&book, &log.submission(6)), Verdict::Impossible(_)));
    cosigned(&book, &grown, 5);
}

#[test]
fn a_fork_is_refused_and_two_roots_of_one_size_are_kept_as_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(5);
    let book = witness(folder.path(), &log);
    cosigned(&book, &log, 0);
    let fork = log.forked();
    assert_eq!(add(&book, &fork.submission(5)), Verdict::OtherRoot);
    assert!(matches!(add(&book, &fork.grown(3).submission(5)), Verdict::Inconsistent(_)));
    let evidence = folder.path().join("evidence-1");
    let text = std::fs::read_to_string(&evidence).unwrap();
    assert_eq!(text.matches(&format!("\n{ORIGIN}\n5\n")).count(), 2, "{text}");
    assert_eq!(add(&book, &fork.submission(0)), Verdict::Has(5));
    assert!(!folder.path().join("evidence-2").exists(), "the same lie is kept once");
    cosigned(&book, &log.grown(1), 5);
}

#[test]
fn proofs_with_extra_or_missing_hashes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(5);
    let book = witness(folder.path(), &log);
    let hash = STANDARD.encode([0; 32]);
    let padded = |body: String| body.replacen("\n\n", &format!("\n{hash}\n\n"), 1);
    assert!(matches!(add(&book, &padded(log.submission(0))), Verdict::Inconsistent(_)));
    cosigned(&book, &log, 0);
    assert!(matches!(add(&book, &padded(log.submission(5))), Verdict::Inconsistent(_)));
    let grown = log.grown(2);
    assert!(matches!(add(&book, &padded(grown.submission(5))), Verdict::Inconsistent(_)));
    let bare = format!("old 5\n\n{}", grown.note());
    assert!(matches!(add(&book, &bare), Verdict::Inconsistent(_)));
    cosigned(&book, &grown, 5);
}

#[test]
fn a_tree_without_leaves_has_the_empty_root() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(0);
    let book = witness(folder.path(), &log);
    let wrong = Checkpoint { origin: ORIGIN, size: 0, root: Digest::from_bytes([3; 32]) }.signed(&log.key);
    assert!(matches!(add(&book, &format!("old 0\n\n{wrong}")), Verdict::Inconsistent(_)));
    cosigned(&book, &log, 0);
    cosigned(&book, &log.grown(2), 0);
}

#[test]
fn only_known_logs_and_keys_are_cosigned() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(5);
    let book = witness(folder.path(), &log);
    let stranger = Checkpoint { origin: "other.example", size: 1, root: Digest::of(b"r") }.signed(&log.key);
    assert_eq!(add(&book, &format!("old 0\n\n{stranger}")), Verdict::UnknownLog);
    let other = Log { key: PrivateKey::from_seed(&[2; 32]), ..log.clone() };
    assert!(matches!(add(&book, &other.submission(0)), Verdict::NotSigned(_)));
    // The signature of another text under the right name and id.
    let (text, _) =
        log.note().split_once("\n\n").map(|(text, line)| (text.to_owned(), line.to_owned())).unwrap();
    let (_, line) = log
        .grown(1)
        .note()
        .split_once("\n\n")
        .map(|(text, line)| (text.to_owned(), line.to_owned()))
        .unwrap();
    assert!(matches!(add(&book, &format!("old 0\n\n{text}\n\n{line}")), Verdict::NotSigned(_)));
    // Other lines beside the right one do not matter, and are not kept.
    let line = other.note().split_once("\n\n").map(|(_, line)| line.to_owned()).unwrap();
    let both = format!("old 0\n\n{}{line}", log.note());
    assert!(matches!(add(&book, &both), Verdict::Cosigned(_)));
    assert!(!book.newest(|_| true).unwrap().contains(line.trim_end()));
}

#[test]
fn only_one_of_two_simultaneous_submissions_is_cosigned() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(5);
    let book = Arc::new(witness(folder.path(), &log));
    cosigned(&book, &log, 0);
    let racing: Vec<_> = (1..=8)
        .map(|more| {
            let (book, body) = (Arc::clone(&book), log.grown(more).submission(5));
            std::thread::spawn(move || add(&book, &body))
        })
        .collect();
    let verdicts: Vec<Verdict> = racing.into_iter().map(|thread| thread.join().unwrap()).collect();
    let cosigned = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Cosigned(_))).count();
    assert_eq!(cosigned, 1, "{verdicts:?}");
    assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Cosigned(_) | Verdict::Has(6..=13))));
}

#[test]
fn a_checkpoint_that_cannot_be_stored_is_not_cosigned() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let log = Log::of(5);
    let book = witness(&state, &log);
    std::fs::remove_dir_all(&state).unwrap();
    assert_eq!(add(&book, &log.submission(0)), Verdict::NotKept);
    assert!(book.newest(|_| true).is_none());
    std::fs::create_dir(&state).unwrap();
    cosigned(&book, &log, 0);
}

#[test]
fn a_witness_does_not_start_on_files_that_it_did_not_write() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(5);
    cosigned(&witness(folder.path(), &log), &log, 0);
    let path = Store::open(folder.path()).unwrap().place(ORIGIN);
    let text = std::fs::read_to_string(&path).unwrap();
    for damaged in
        [text.replacen("\n5\n", "\n4\n", 1), String::new(), text.replacen(ORIGIN, "else.example", 1)]
    {
        std::fs::write(&path, damaged).unwrap();
        assert!(matches!(try_witness(folder.path(), &log), Err(BookError::Malformed { .. })));
    }
}

#[test]
fn two_witnesses_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let held = store.lock().unwrap();
    assert!(store.lock().is_err());
    drop(held);
    store.lock().unwrap();
}
