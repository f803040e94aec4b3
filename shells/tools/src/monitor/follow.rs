//! One check of the log, and the invariants that every check verifies.
//!
//! Only what the log's key has signed speaks for the hall. Unsigned data may come from anybody on the path, so it is
//! not an answer and raises no alarm; leaves are compared with what was signed.

use super::log_client::{Bundle, LogClient, Unreachable};
use super::store::{Store, StoreError};
use hall_verify::note::{Checkpoint, Note, NoteProblem, VerifierKey};
use hall_verify::tile::{FULL_WIDTH, Level, Tile};
use hall_verify::tree::{Frontier, consistency, leaf_hash};
use hall_wire::message::key_succession;
use hall_wire::{Digest, Signature};
use serde_json::Value;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What a look has found.
#[derive(Debug)]
pub(crate) struct Update {
    /// New leaves with their indexes.
    pub(crate) leaves: Vec<(u64, String)>,
    /// Log keys that replaced others.
    pub(crate) keys: Vec<String>,
    /// Leaves in all, of which all were seen.
    pub(crate) size: u64,
    /// Whether the checkpoint covers more, for further looks.
    pub(crate) has_more: bool,
}

/// The hall has said what cannot be.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// What, in words.
    pub(crate) why: String,
    /// Where the evidence is.
    pub(crate) evidence: PathBuf,
}

/// Why a look has found nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MonitorError {
    /// The hall has said what cannot be.
    #[error("{}", _0.why)]
    Alarm(Alarm),
    /// The hall could not be asked; that proves nothing.
    #[error("{0}")]
    Unreachable(Unreachable),
    /// The folder cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How often a hall is asked that has answered with an earlier checkpoint than before.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// The most leaves that one look fetches, and holds in memory.
const AT_ONCE: u64 = 65_536;

/// A follower of a log.
#[derive(Debug)]
pub(crate) struct Follower {
    pub(super) client: LogClient,
    pub(super) store: Store,
    key: VerifierKey,
    /// Keys that follow it, each signed by the one before, in leaves that are still to be checked.
    successors: Vec<VerifierKey>,
    /// The newest note that was accepted, with what it says.
    last: Option<(String, Checkpoint)>,
    tree: Frontier,
    patience: Duration,
    /// The most leaves that one look fetches.
    pub(super) at_once: u64,
}

/// A checkpoint that was served.
struct Newest {
    text: String,
    /// Whether the log's key has signed it, or a successor.
    ours: bool,
    checkpoint: Checkpoint,
}

impl Follower {
    /// Continues from the stored state, or begins. A hall that answers with an earlier checkpoint than before is asked again
    /// for as long as `patience` says.
    ///
    /// # Errors
    /// What was kept cannot be read, its key is another than `given`, or the hall names no key at the first run.
    pub(crate) async fn begin(
        client: LogClient,
        store: Store,
        given: Option<VerifierKey>,
        patience: Duration,
    ) -> Result<Self, MonitorError> {
        let known = store.key()?.map(|text| key_of(&text)).transpose()?;
        let key = match (known, given) {
            (Some(known), Some(given)) if known != given => {
                let why =
                    format!("the folder follows the key {known}, not {given}; name another with --keep");
                return Err(MonitorError::Unreachable(why));
            }
            (Some(known), _) => known,
            (None, Some(given)) => given,
            (None, None) => key_of(&client.official_key().await.map_err(MonitorError::Unreachable)?)?,
        };
        store.keep_key(&key.to_string())?;
        let last = store.note()?.and_then(|note| {
            let checkpoint = Checkpoint::parse(Note::parse(&note).ok()?.text()).ok()?;
            Some((note, checkpoint))
        });
        let covered = last.as_ref().map_or(0, |(_, checkpoint)| checkpoint.size);
        let tree = store.tree(store.seen(covered)?)?;
        let successors = Vec::new();
        Ok(Self { client, store, key, successors, last, tree, patience, at_once: AT_ONCE })
    }

    /// The trusted key.
    pub(crate) const fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// Leaves seen so far.
    pub(crate) const fn size(&self) -> u64 {
        self.tree.size()
    }

    /// The watch list of an earlier run.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn watched(&self) -> Result<Option<String>, StoreError> {
        self.store.watched()
    }

    /// Stores the watch list.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep_watched(&self, watched: &str) -> Result<(), MonitorError> {
        Ok(self.store.keep_watched(watched)?)
    }

    /// Checks the newest checkpoint and every new leaf, or as many as a look fetches: the first of them are proved to be
    /// the beginning of the tree that was signed.
    ///
    /// # Errors
    /// An alarm, or the hall or the folder is not available.
    pub(crate) async fn look(&mut self) -> Result<Update, MonitorError> {
        let mut newest = self.newest().await?;
        // The key may be replaced once more while its successors are looked for.
        while !newest.ours {
            self.find_successors(&newest).await?;
            newest = self.newest().await?;
        }
        let Newest { text, checkpoint, .. } = newest;
        let note = Note::parse(&text).map_err(not_a_checkpoint)?;
        let size = checkpoint.size.min(self.size() + self.at_once);
        let has_more = size < checkpoint.size;
        let bundles = self.fetch(self.size(), size).await?;
        let seen = self.size();
        let new = || bundles.iter().flat_map(Bundle::leaves).filter(|(index, _)| *index >= seen);
        let mut keys = Vec::new();
        self.extend_succession(&mut keys, new().map(|(_, leaf)| leaf));
        // A key that was replaced a moment ago may still have signed this checkpoint.
        if !has_more && !std::iter::once(&self.key).chain(&keys).any(|key| note.verify(key).is_ok()) {
            return Err(self.signed_by_another(&note, &text).await);
        }
        self.as_before(&bundles, Some(&text))?;
        let mut tree = self.tree.clone();
        let hashes: Vec<Digest> = new().map(|(_, leaf)| leaf_hash(leaf)).collect();
        hashes.iter().for_each(|hash| tree.push_hash(*hash));
        let root = tree.root();
        let is_signed = if has_more {
            let path =
                self.client.consistency(size, checkpoint.size).await.map_err(MonitorError::Unreachable)?;
            consistency((size, &root), (checkpoint.size, &checkpoint.root), &path).is_ok()
        } else {
            root == checkpoint.root
        };
        if !is_signed {
            let why = "the leaves that are served do not make the root that was signed";
            return Err(self.alarm(why, Some(&text), &bundles));
        }
        self.proof(&checkpoint, &text).await?;
        let leaves: Result<Vec<_>, _> =
            new().map(|(index, leaf)| Ok((index, str::from_utf8(leaf)?.to_owned()))).collect();
        let leaves = leaves.map_err(|_: std::str::Utf8Error| {
            self.alarm("a leaf that was signed is no text", Some(&text), &bundles)
        })?;
        self.store.keep(&text, seen, &hashes)?;
        if let Some(key) = keys.last() {
            self.store.keep_key(&key.to_string())?;
            self.key = key.clone();
            self.successors.retain(|successor| !keys.contains(successor));
        }
        (self.tree, self.last) = (tree, Some((text, checkpoint)));
        Ok(Update { leaves, keys: keys.iter().map(VerifierKey::to_string).collect(), size, has_more })
    }

    /// The newest checkpoint; one of the log's key contradicts no earlier one. A hall on several machines may answer by one
    /// that does not have its last leaves yet, and is asked again for a while.
    async fn newest(&self) -> Result<Newest, MonitorError> {
        let began = Instant::now();
        loop {
            let newest = self.asked().await?;
            if !newest.ours || !self.is_behind(&newest)? {
                return Ok(newest);
            }
            if began.elapsed() >= self.patience {
                let why = "the log has become shorter: signed leaves are gone";
                return Err(self.alarm(why, Some(&newest.text), &[]));
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    async fn asked(&self) -> Result<Newest, MonitorError> {
        let text = self.client.note().await.map_err(MonitorError::Unreachable)?;
        let note = Note::parse(&text).map_err(not_a_checkpoint)?;
        let ours = match note.verify(&self.key) {
            Ok(_) => true,
            Err(NoteProblem::NotSigned { .. }) => self.successors.iter().any(|key| note.verify(key).is_ok()),
            Err(problem @ (NoteProblem::WrongSignature { .. } | NoteProblem::Malformed { .. })) => {
                return Err(MonitorError::Unreachable(format!("the checkpoint: {problem}")));
            }
        };
        let checkpoint = match Checkpoint::parse(note.text()) {
            Ok(checkpoint) => checkpoint,
            Err(problem) if ours => {
                let why = format!("the log's key has signed what cannot be followed: {problem}");
                return Err(self.alarm(&why, Some(&text), &[]));
            }
            Err(problem) => {
                return Err(MonitorError::Unreachable(format!(
                    "/log/checkpoint answers something else: {problem}"
                )));
            }
        };
        Ok(Newest { text, ours, checkpoint })
    }

    /// Looks for the key that has signed a checkpoint among those that follow the log's key in new leaves. Whether these
    /// leaves are in the log is not known yet, but each key is signed by the one before it. One bundle at a time is held in
    /// memory, however many the checkpoint says there are: anybody may have written it.
    async fn find_successors(
        &mut self,
        Newest { text, checkpoint, .. }: &Newest,
    ) -> Result<(), MonitorError> {
        let note = Note::parse(text).map_err(not_a_checkpoint)?;
        let (mut keys, seen) = (Vec::new(), self.size());
        for tile in tiles(seen, checkpoint.size) {
            let bundle = self.client.bundle(tile).await.map_err(MonitorError::Unreachable)?;
            let new = bundle.leaves().filter(|(index, _)| *index >= seen);
            self.extend_succession(&mut keys, new.map(|(_, leaf)| leaf));
            if keys.iter().any(|key| note.verify(key).is_ok()) {
                self.successors = keys;
                return Ok(());
            }
        }
        Err(self.signed_by_another(&note, text).await)
    }

    /// Whether a checkpoint of the log's key is an earlier one than the last; an alarm if it contradicts that, or leaves that
    /// were seen.
    fn is_behind(&self, Newest { text, checkpoint, .. }: &Newest) -> Result<bool, MonitorError> {
        let Some((_, last)) = self.last.as_ref().filter(|(_, last)| checkpoint.size <= last.size) else {
            return Ok(false);
        };
        let is_behind = checkpoint.size < last.size;
        let known = if !is_behind {
            Some(last.root)
        } else if checkpoint.size <= self.size() {
            Some(self.store.tree(checkpoint.size)?.root())
        } else {
            None
        };
        if known.is_none_or(|root| checkpoint.root == root) {
            return Ok(is_behind);
        }
        let why = "two checkpoints of one size have different roots";
        Err(self.alarm(why, Some(text), &[]))
    }

    /// What a note without the signature of the log's key shows: the hall has left its log if it names the key that
    /// has signed as its own; else anybody may have written the note.
    async fn signed_by_another(&self, note: &Note, text: &str) -> MonitorError {
        let named = match self.client.official_key().await {
            Ok(named) => named,
            Err(why) => return MonitorError::Unreachable(why),
        };
        match VerifierKey::parse(&named) {
            Ok(named) if named != self.key && note.verify(&named).is_ok() => {
                let why = format!(
                    "the checkpoint is not signed by the log's key, but by {named}, which the hall names now, though no signed \
                     leaf replaces the key"
                );
                self.alarm(&why, Some(text), &[])
            }
            Ok(_) | Err(_) => MonitorError::Unreachable(
                "/log/checkpoint answers a note that the log's key has not signed".to_owned(),
            ),
        }
    }

    /// The hall must be able to prove that its checkpoint continues the last one.
    async fn proof(&self, checkpoint: &Checkpoint, text: &str) -> Result<(), MonitorError> {
        let Some((_, last)) = self.last.as_ref().filter(|(_, last)| last.size < checkpoint.size) else {
            return Ok(());
        };
        let (old, new) = ((last.size, &last.root), (checkpoint.size, &checkpoint.root));
        let path = self.client.consistency(old.0, new.0).await.map_err(MonitorError::Unreachable)?;
        if consistency(old, new, &path).is_ok() {
            return Ok(());
        }
        let path: Vec<String> = path.iter().map(Digest::to_hex).collect();
        let why = format!("the consistency proof does not hold: {}", path.join(" "));
        Err(self.alarm(&why, Some(text), &[]))
    }

    /// The bundles that hold the leaves from `first` on, up to `size`.
    async fn fetch(&self, first: u64, size: u64) -> Result<Vec<Bundle>, MonitorError> {
        let mut bundles = Vec::new();
        for tile in tiles(first, size) {
            bundles.push(self.client.bundle(tile).await.map_err(MonitorError::Unreachable)?);
        }
        Ok(bundles)
    }

    /// Adds the successors of the log's key, or of the last of `keys`, in these leaves, each signed by its predecessor.
    fn extend_succession<'a>(&self, keys: &mut Vec<VerifierKey>, leaves: impl Iterator<Item = &'a [u8]>) {
        for leaf in leaves {
            let Ok(leaf) = serde_json::from_slice::<Value>(leaf) else { continue };
            let text = |name: &str| leaf.get(name).and_then(Value::as_str);
            if text("kind") != Some("key") || text("use") != Some("log") {
                continue;
            }
            let (Some(public), Some(signature)) = (text("public_key"), text("signature")) else { continue };
            let (Ok(next), Some(signature)) = (VerifierKey::parse(public), Signature::parse(signature))
            else {
                continue;
            };
            let present = keys.last().unwrap_or(&self.key);
            if present.public_key().verifies(key_succession("log", public).as_bytes(), &signature) {
                keys.push(next);
            }
        }
    }

    /// Writes the evidence: the notes, and the leaves as they were served.
    pub(super) fn alarm(&self, why: &str, note: Option<&str>, bundles: &[Bundle]) -> MonitorError {
        let before = self.last.as_ref().map_or("none\n", |(note, _)| note);
        let now = note.unwrap_or("none\n");
        let mut text =
            format!("{why}\n\nkey: {}\n\n--- accepted before\n{before}\n--- served now\n{now}", self.key);
        if let (Some(first), Some(last)) = (bundles.first(), bundles.last()) {
            text.push_str(&format!(
                "\n--- leaves served now\nleaves {} to {} are in the file of this name with .leaves appended, byte for byte as \
                 they were served: each leaf after its length in two bytes, big endian. The hashes of those that were accepted \
                 before are in the file hashes, 32 bytes each, from leaf 0 on.\n",
                first.first(),
                last.end() - 1,
            ));
        }
        let bodies: Vec<&[u8]> = bundles.iter().map(Bundle::body).collect();
        match self.store.evidence(&text, &bodies) {
            Ok(evidence) => MonitorError::Alarm(Alarm { why: why.to_owned(), evidence }),
            Err(error) => error.into(),
        }
    }
}

/// The tiles of the leaves from `first` on, up to `size`.
fn tiles(first: u64, size: u64) -> impl Iterator<Item = Tile> {
    let before = usize::try_from(first / u64::from(FULL_WIDTH)).unwrap_or(usize::MAX);
    let tiles = (first < size).then(|| Tile::of_tree(Level::Entries, size).skip(before));
    tiles.into_iter().flatten()
}

fn not_a_checkpoint(problem: NoteProblem) -> MonitorError {
    MonitorError::Unreachable(format!("/log/checkpoint answers something other than a checkpoint: {problem}"))
}

fn key_of(text: &str) -> Result<VerifierKey, MonitorError> {
    VerifierKey::parse(text).map_err(|problem| MonitorError::Unreachable(format!("the log key: {problem}")))
}
