//! Signed notes, checkpoints and cosignatures, in the formats of C2SP (signed-note, tlog-checkpoint,
//! tlog-cosignature).
//!
//! A note is a text and signature lines. Lines of unknown keys are ignored, as the format demands; a line that
//! bears the name and the id of a known key and does not verify condemns the note. Decision 8.2 says which notes a
//! hall signs.

mod checkpoint;
mod key;

pub use checkpoint::{Checkpoint, CheckpointProblem};
pub use key::{Algorithm, KeyProblem, VerifierKey};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt;
use hall_wire::{Signature, Timestamp};

/// The longest note that is read, in bytes.
pub const MAX_NOTE_BYTES: usize = 1_000_000;

/// The most signature lines that are read.
pub const MAX_SIGNATURES: usize = 100;

/// What stands at the head of a signature line: an em dash and a space.
const DASH: &str = "\u{2014} ";

/// A text with signature lines, none of them verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<SignatureLine>,
}

/// One signature line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureLine {
    /// The name of the key.
    pub name: String,
    /// The id of the key: the first four bytes of a hash over name and key.
    pub key_id: [u8; 4],
    /// What the key made; its form depends on the algorithm of the key.
    pub signature: Vec<u8>,
}

/// Why a note is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteProblem {
    /// It is not a text with signature lines. `what` says which rule it breaks.
    #[error("it is not a signed note: {what}")]
    Malformed {
        /// The rule.
        what: &'static str,
    },
    /// No line bears the name and the id of the key.
    #[error("it bears no signature of {name}")]
    NotSigned {
        /// The name of the key.
        name: String,
    },
    /// A line bears the name and the id of the key, and its signature does not verify.
    #[error("it bears a wrong signature of {name}")]
    WrongSignature {
        /// The name of the key.
        name: String,
    },
}

impl Note {
    /// Reads a note.
    ///
    /// # Errors
    /// Which rule of the format it breaks.
    pub fn parse(note: &str) -> Result<Self, NoteProblem> {
        let malformed = |what| NoteProblem::Malformed { what };
        if note.len() > MAX_NOTE_BYTES {
            return Err(malformed("it is too long"));
        }
        if note.chars().any(|character| character < ' ' && character != '\n') {
            return Err(malformed("it holds control characters"));
        }
        let (before, lines) =
            note.rsplit_once("\n\n").ok_or_else(|| malformed("no empty line ends its text"))?;
        // The text keeps the line feed of its last line.
        let text = note.get(..=before.len()).ok_or_else(|| malformed("it has no text"))?;
        if before.is_empty() {
            return Err(malformed("it has no text"));
        }
        let lines = lines.strip_suffix('\n').ok_or_else(|| malformed("its last line is not ended"))?;
        let signatures: Option<Vec<_>> = lines.split('\n').map(SignatureLine::parse).collect();
        let signatures = signatures.ok_or_else(|| malformed("a signature line is malformed"))?;
        if signatures.len() > MAX_SIGNATURES {
            return Err(malformed("it has too many signatures"));
        }
        Ok(Self { text: text.to_owned(), signatures })
    }

    /// The signed text, its last line feed included.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every signature line, in order, verified or not.
    #[must_use]
    pub fn signatures(&self) -> &[SignatureLine] {
        &self.signatures
    }

    /// Checks that `key` has signed the text, and when, if its algorithm says so: the time of a cosignature as the
    /// witness dates it, in full seconds.
    ///
    /// # Errors
    /// No line of this key is there, or one of them is wrong.
    pub fn verify(&self, key: &VerifierKey) -> Result<Option<Timestamp>, NoteProblem> {
        let mut found = None;
        for line in self.signatures.iter().filter(|line| line.name == key.name() && line.key_id == key.id()) {
            let time = verify_line(&self.text, line, key)
                .ok_or_else(|| NoteProblem::WrongSignature { name: key.name().to_owned() })?;
            found.get_or_insert(time);
        }
        found.ok_or_else(|| NoteProblem::NotSigned { name: key.name().to_owned() })
    }
}

impl SignatureLine {
    fn parse(line: &str) -> Option<Self> {
        let (name, encoded) = line.strip_prefix(DASH)?.split_once(' ')?;
        let bytes = STANDARD.decode(encoded).ok()?;
        let (key_id, signature) = bytes.split_first_chunk()?;
        let sound = key::is_name(name) && !signature.is_empty();
        sound.then(|| Self { name: name.to_owned(), key_id: *key_id, signature: signature.to_vec() })
    }
}

impl fmt::Display for SignatureLine {
    /// The line as it stands in a note, without its line feed.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [self.key_id.as_slice(), &self.signature].concat();
        write!(out, "{DASH}{} {}", self.name, STANDARD.encode(bytes))
    }
}

/// The time of a verified signature, where its algorithm has one; `None` if it does not verify.
fn verify_line(text: &str, line: &SignatureLine, key: &VerifierKey) -> Option<Option<Timestamp>> {
    match key.algorithm() {
        Algorithm::Ed25519 => {
            let signature = Signature::from_bytes(line.signature.as_slice().try_into().ok()?);
            key.public_key().verifies(text.as_bytes(), &signature).then_some(None)
        }
        Algorithm::CosignatureV1 => {
            let (seconds, signature) = line.signature.split_first_chunk()?;
            let seconds = u64::from_be_bytes(*seconds);
            let signature = Signature::from_bytes(signature.try_into().ok()?);
            let millis = i64::try_from(seconds).ok()?.checked_mul(1_000)?;
            let message = format!("cosignature/v1\ntime {seconds}\n{text}");
            let time = Timestamp::from_millis(millis);
            key.public_key().verifies(message.as_bytes(), &signature).then_some(Some(time))
        }
    }
}
