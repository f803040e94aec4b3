//! One look at the log: what must hold of it, whatever it was before.

use super::kept::{Kept, KeptError};
use super::served::{Served, Unreachable};
use hall_verify::note::{Checkpoint, Note, VerifierKey};
use hall_verify::tile::{FULL_WIDTH, Level, Tile};
use hall_verify::tree::{Frontier, consistency, leaf_hash};
use hall_wire::message::key_succession;
use hall_wire::{Digest, Signature};
use serde_json::Value;
use std::path::PathBuf;

/// What a look has shown.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// New leaves with their indexes.
    pub(crate) leaves: Vec<(u64, String)>,
    /// Log keys that took the place of others.
    pub(crate) keys: Vec<String>,
    /// Leaves in all; `None` before the first checkpoint.
    pub(crate) size: Option<u64>,
}

/// The hall has said what cannot be.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// What, in words.
    pub(crate) why: String,
    /// Where the evidence is.
    pub(crate) evidence: PathBuf,
}

/// Why a look has shown nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The hall has said what cannot be.
    #[error("{}", _0.why)]
    Alarm(Alarm),
    /// The hall could not be asked; that proves nothing.
    #[error("{0}")]
    Unreachable(Unreachable),
    /// What was kept cannot be read or written.
    #[error(transparent)]
    Kept(#[from] KeptError),
}

/// Who follows a log.
#[derive(Debug)]
pub(crate) struct Follower {
    served: Served,
    kept: Kept,
    key: VerifierKey,
    /// The newest note that was accepted, with what it says.
    last: Option<(String, Checkpoint)>,
    tree: Frontier,
}

impl Follower {
    /// Goes on from what was kept, or begins.
    ///
    /// # Errors
    /// What was kept cannot be read, its key is another than `given`, or the hall names no key at the first run.
    pub(crate) async fn begin(
        served: Served,
        kept: Kept,
        given: Option<VerifierKey>,
    ) -> Result<Self, Trouble> {
        let parse = |text: &str| {
            VerifierKey::parse(text)
                .map_err(|problem| Trouble::Unreachable(format!("the log key: {problem}")))
        };
        let known = kept.key()?.map(|text| parse(&text)).transpose()?;
        let key = match (known, given) {
            (Some(known), Some(given)) if known != given => {
                let why =
                    format!("the folder follows the key {known}, not {given}; name another with --keep");
                return Err(Trouble::Unreachable(why));
            }
            (Some(known), _) => known,
            (None, Some(given)) => given,
            (None, None) => parse(&served.official_key().await.map_err(Trouble::Unreachable)?)?,
        };
        kept.keep_key(&key.to_string())?;
        let last = kept.note()?.and_then(|note| {
            let checkpoint = Checkpoint::parse(Note::parse(&note).ok()?.text()).ok()?;
            Some((note, checkpoint))
        });
        let tree = kept.tree(last.as_ref().map_or(0, |(_, checkpoint)| checkpoint.size))?;
        Ok(Self { served, kept, key, last, tree })
    }

    /// The key that is believed.
    pub(crate) const fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// Leaves seen so far.
    pub(crate) const fn size(&self) -> u64 {
        self.tree.size()
    }

    /// Looks at the newest checkpoint and at every leaf that is new.
    ///
    /// # Errors
    /// An alarm, or the hall or the folder cannot be had.
    pub(crate) async fn look(&mut self) -> Result<Seen, Trouble> {
        let Some(text) = self.served.note().await.map_err(Trouble::Unreachable)? else {
            return match &self.last {
                None => Ok(Seen::default()),
                Some(_) => Err(self.alarm("a log that had checkpoints has none any more", None)),
            };
        };
        let note = Note::parse(&text);
        let checkpoint = note.as_ref().ok().and_then(|note| Checkpoint::parse(note.text()).ok());
        let (Ok(note), Some(checkpoint)) = (note, checkpoint) else {
            return Err(self.alarm("the checkpoint is no checkpoint", Some(&text)));
        };
        if let Some((_, last)) = &self.last {
            if checkpoint.size < last.size {
                return Err(
                    self.alarm("the log has become shorter: what was signed is taken back", Some(&text))
                );
            }
            if checkpoint.size == last.size && checkpoint.root != last.root {
                return Err(self.alarm("two checkpoints of one size have different roots", Some(&text)));
            }
        }
        let leaves = self.fetch(checkpoint.size).await?;
        let keys = self.succession(&leaves);
        let key = keys.last().unwrap_or(&self.key);
        // A key that was replaced a moment ago may have signed this checkpoint all the same.
        if note.verify(key).is_err() && note.verify(&self.key).is_err() {
            return Err(self.alarm("the checkpoint is not signed by the log's key", Some(&text)));
        }
        let mut tree = self.tree.clone();
        let hashes: Vec<Digest> = leaves.iter().map(|leaf| leaf_hash(leaf.as_bytes())).collect();
        hashes.iter().for_each(|hash| tree.push_hash(*hash));
        if tree.root() != checkpoint.root {
            return Err(
                self.alarm("the leaves that are served do not make the root that was signed", Some(&text))
            );
        }
        if let Some((_, last)) = self.last.as_ref().filter(|(_, last)| last.size < checkpoint.size) {
            let (old, new) = ((last.size, &last.root), (checkpoint.size, &checkpoint.root));
            let path = self.served.consistency(old.0, new.0).await.map_err(Trouble::Unreachable)?;
            if consistency(old, new, &path).is_err() {
                return Err(self.alarm("the consistency proof does not hold", Some(&text)));
            }
        }
        let from = self.tree.size();
        self.kept.keep(&text, from, &hashes)?;
        if let Some(key) = keys.last() {
            self.kept.keep_key(&key.to_string())?;
            self.key = key.clone();
        }
        let size = Some(checkpoint.size);
        (self.tree, self.last) = (tree, Some((text, checkpoint)));
        let keys = keys.iter().map(VerifierKey::to_string).collect();
        Ok(Seen { leaves: (from..).zip(leaves).collect(), keys, size })
    }

    /// The leaves beyond those that were seen, up to `size`.
    async fn fetch(&self, size: u64) -> Result<Vec<String>, Trouble> {
        let seen = self.tree.size();
        let first = seen / u64::from(FULL_WIDTH);
        let begun = usize::try_from(seen % u64::from(FULL_WIDTH)).unwrap_or(0);
        let mut leaves = Vec::new();
        let tiles = Tile::of_tree(Level::Entries, size).skip(usize::try_from(first).unwrap_or(usize::MAX));
        for (place, tile) in tiles.enumerate() {
            let skip = if place == 0 { begun } else { 0 };
            if usize::from(tile.width()) == skip {
                continue;
            }
            let entries = self.served.entries(&tile).await.map_err(Trouble::Unreachable)?;
            for entry in entries.into_iter().skip(skip) {
                let text = String::from_utf8(entry);
                leaves.push(text.map_err(|_| self.alarm("a leaf is no text", None))?);
            }
        }
        Ok(leaves)
    }

    /// The log keys that these leaves put in the place of the present one, each signed for by the one before it.
    fn succession(&self, leaves: &[String]) -> Vec<VerifierKey> {
        let mut keys: Vec<VerifierKey> = Vec::new();
        for leaf in leaves {
            let Ok(leaf) = serde_json::from_str::<Value>(leaf) else { continue };
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
        keys
    }

    /// Writes the evidence.
    fn alarm(&self, why: &str, note: Option<&str>) -> Trouble {
        let before = self.last.as_ref().map_or("none\n", |(note, _)| note);
        let now = note.unwrap_or("none\n");
        let text =
            format!("{why}\n\nkey: {}\n\n--- accepted before\n{before}\n--- served now\n{now}", self.key);
        match self.kept.evidence(&text) {
            Ok(evidence) => Trouble::Alarm(Alarm { why: why.to_owned(), evidence }),
            Err(error) => error.into(),
        }
    }
}
