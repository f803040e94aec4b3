//! The hall's log keys: the current one and earlier ones.

use hall_driver::SignedCheckpoint;
use hall_wire::Signature;
use hall_wire::key::PrivateKey;
use hall_wire::note::{Checkpoint, key_name, verifier_key};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// A source of witnesses' cosignatures.
pub trait Cosignatures: Send + Sync {
    /// The signature lines, each ended, for the checkpoint of this size and text. Lines are only ever added, at the
    /// end.
    fn lines(&self, size: u64, text: &str) -> String;
}

/// Signs checkpoints and the official document.
///
/// Ed25519 signatures are deterministic, so no note is stored: a client that asks for an old checkpoint gets the note
/// that was published at the time, because the key of that time is kept.
pub struct LogSigner {
    /// The present key first.
    keys: RwLock<Vec<LogKey>>,
    /// The last note that was requested, with its size; a cache.
    last: RwLock<Option<(SignedCheckpoint, Arc<str>)>>,
    cosignatures: Option<Arc<dyn Cosignatures>>,
}

/// A key with its text in the log.
#[derive(Clone)]
struct LogKey {
    public: String,
    private: PrivateKey,
}

impl fmt::Debug for LogSigner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "LogSigner({})", self.public())
    }
}

impl LogSigner {
    /// A signer with one key, whose name is the origin of the log.
    #[must_use]
    pub fn new(origin: &str, key: PrivateKey) -> Self {
        let keys = vec![LogKey { public: verifier_key(origin, &key.public()), private: key }];
        Self { keys: RwLock::new(keys), last: RwLock::default(), cosignatures: None }
    }

    /// Adds the cosignatures of witnesses.
    #[must_use]
    pub fn cosigned(self, cosignatures: Arc<dyn Cosignatures>) -> Self {
        Self { cosignatures: Some(cosignatures), ..self }
    }

    /// Adds a key that was in force earlier, under the origin of that time.
    #[must_use]
    pub fn and_before(self, origin: &str, key: PrivateKey) -> Self {
        self.add(origin, key);
        self
    }

    /// Adds a key that is not the current one: it signs the notes of checkpoints taken under it, and nothing else. The
    /// key that is to follow is added before the journal names it, because a checkpoint under it is published at once.
    pub fn add(&self, origin: &str, key: PrivateKey) {
        let public = verifier_key(origin, &key.public());
        self.keys.write().unwrap_or_else(PoisonError::into_inner).push(LogKey { public, private: key });
    }

    /// Makes this key the current one.
    pub fn replace(&self, origin: &str, key: PrivateKey) {
        let public = verifier_key(origin, &key.public());
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|known| known.public != public);
        keys.insert(0, LogKey { public, private: key });
    }

    /// The present key as a note verifier key.
    #[must_use]
    pub fn public(&self) -> String {
        self.look(|keys| keys.first().map(|key| key.public.clone())).unwrap_or_default()
    }

    /// The name of the log, which is the name of its key.
    #[must_use]
    pub fn origin(&self) -> String {
        key_name(&self.public()).to_owned()
    }

    /// A signature by the present key.
    ///
    /// # Panics
    /// Never: a signer has at least one key.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        self.look(|keys| keys.first().map(|key| key.private.sign(message))).expect("a signer has a key")
    }

    /// The signed note of a checkpoint, with its cosignatures, as published. `None` if the key that was in force when
    /// it was taken is no longer available.
    #[must_use]
    pub fn note(&self, signed: &SignedCheckpoint) -> Option<Arc<str>> {
        let own = self.own_note(signed)?;
        let Some(cosignatures) = &self.cosignatures else { return Some(own) };
        let lines = cosignatures.lines(signed.head.size, &Self::text(signed));
        Some(if lines.is_empty() { own } else { format!("{own}{lines}").into() })
    }

    /// The text of a checkpoint, which is what is signed and cosigned.
    #[must_use]
    pub fn text(signed: &SignedCheckpoint) -> String {
        checkpoint(signed).text()
    }

    /// The note with the log's signature alone, as it is submitted to witnesses.
    #[must_use]
    pub fn own_note(&self, signed: &SignedCheckpoint) -> Option<Arc<str>> {
        let known = self.last.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, note)) = known.filter(|(last, _)| last == signed) {
            return Some(note);
        }
        let checkpoint = checkpoint(signed);
        let note: Arc<str> = self
            .look(|keys| {
                let key = keys.iter().find(|key| key.public == signed.key)?;
                Some(checkpoint.signed(&key.private))
            })?
            .into();
        *self.last.write().unwrap_or_else(PoisonError::into_inner) =
            Some((signed.clone(), Arc::clone(&note)));
        Some(note)
    }

    fn look<R>(&self, look: impl FnOnce(&[LogKey]) -> R) -> R {
        look(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn checkpoint(signed: &SignedCheckpoint) -> Checkpoint<'_> {
    Checkpoint { origin: key_name(&signed.key), size: signed.head.size, root: signed.head.root }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::LogHead;
    use hall_wire::{Digest, Timestamp};

    fn signed(size: u64, key: &str) -> SignedCheckpoint {
        let head = LogHead { at: Timestamp::from_millis(1), size, root: Digest::of(&size.to_be_bytes()) };
        SignedCheckpoint { head, key: key.to_owned() }
    }

    #[test]
    fn an_old_checkpoint_keeps_its_note_when_the_key_is_replaced() {
        let signer = LogSigner::new("hall.example", PrivateKey::from_seed(&[1; 32]));
        let first = signed(5, &signer.public());
        let note = signer.note(&first).unwrap();
        signer.replace("hall.example/2", PrivateKey::from_seed(&[2; 32]));
        assert_eq!(signer.origin(), "hall.example/2");
        let second = signer.note(&signed(6, &signer.public())).unwrap();
        assert!(second.starts_with("hall.example/2\n6\n"), "{second}");
        assert_eq!(signer.note(&first).unwrap(), note);
        assert_eq!(signer.note(&signed(5, "hall.example+00000000+AA==")), None);
    }

    #[test]
    fn a_key_that_is_to_follow_signs_nothing_but_checkpoints_taken_under_it() {
        let signer = LogSigner::new("hall.example", PrivateKey::from_seed(&[1; 32]));
        let (next, present) = (PrivateKey::from_seed(&[2; 32]), signer.public());
        let under_next = signed(6, &verifier_key("hall.example", &next.public()));
        assert_eq!(signer.note(&under_next), None);
        signer.add("hall.example", next.clone());
        let note = signer.note(&under_next);
        assert!(note.is_some());
        assert_eq!(signer.public(), present);
        signer.replace("hall.example", next);
        assert_eq!((signer.public(), signer.note(&under_next)), (under_next.key.clone(), note));
    }

    #[test]
    fn cosignatures_follow_the_signature_of_the_log_and_change_nothing_before_it() {
        struct Given;

        impl Cosignatures for Given {
            fn lines(&self, size: u64, text: &str) -> String {
                if size == 5 { format!("a line over {}\n", text.lines().count()) } else { String::new() }
            }
        }

        let key = || PrivateKey::from_seed(&[1; 32]);
        let alone = LogSigner::new("hall.example", key());
        let signer = LogSigner::new("hall.example", key()).cosigned(Arc::new(Given));
        let (five, six) = (signed(5, &signer.public()), signed(6, &signer.public()));
        let own = alone.note(&five).unwrap();
        for _ in 0..2 {
            assert_eq!(*signer.note(&five).unwrap(), *format!("{own}a line over 3\n"));
            assert_eq!(signer.own_note(&five).unwrap(), own);
            assert_eq!(signer.note(&six), alone.note(&six));
        }
    }
}
