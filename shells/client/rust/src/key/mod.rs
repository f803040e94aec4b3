//! The key of an agent: who it is at one hall.

mod file;

use crate::origin::Origin;
use crate::randomness::{NoRandomness, Randomness};
use hall_wire::key::PrivateKey;
use hall_wire::text::encode_hex;
use hall_wire::{AgentId, PublicKey, Signature};
use std::fmt;
use std::io;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// The private key of an agent and the operator token beside it, bound to one hall.
///
/// The messages that an agent signs name no hall, so a hall that were shown a signature could use it at another
/// one. Therefore a key belongs to the hall it was made for, and a [`Client`](crate::Client) of another hall
/// refuses it.
///
/// # File format
/// One JSON object, mode 0600:
/// ```json
/// {
///   "format": "hall-key/1",
///   "hall": "https://hall.example",
///   "public_key": "64 lowercase hex digits",
///   "private_key": "64 lowercase hex digits, the seed of RFC 8032",
///   "operator_token": "8 to 256 characters, 64 hex digits when made here"
/// }
/// ```
#[derive(Clone)]
pub struct Key {
    hall: Origin,
    private: PrivateKey,
    operator_token: Zeroizing<String>,
}

/// Why a key cannot be read, kept or used.
#[derive(thiserror::Error)]
pub enum KeyError {
    /// The key was made for another hall.
    #[error(
        "this key belongs to {belongs_to} and is never used at {asked_for}; make another key for that hall"
    )]
    OtherHall {
        /// The hall in the key file.
        belongs_to: Origin,
        /// The hall it was to be used at.
        asked_for: Origin,
    },
    /// There is no file.
    #[error("no key file at {}", path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// A file is there already and is never overwritten: the key in it could not be had back.
    #[error("{} exists already and is not overwritten", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Others than the owner may read the file.
    #[error("{} can be read by others (mode {mode:o}); run: chmod 600 {}", path.display(), path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file is not a key file.
    #[error("{} is not a key file: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// An operator token must be 8 to 256 characters.
    #[error("an operator token has 8 to 256 characters")]
    Token,
    /// No randomness to make a key of.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

impl Key {
    /// Makes a new key and operator token for `hall`.
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn generate(hall: &Origin, randomness: &dyn Randomness) -> Result<Self, KeyError> {
        let mut seed = Zeroizing::new([0; 32]);
        let mut token = Zeroizing::new([0; 32]);
        randomness.fill(seed.as_mut_slice())?;
        randomness.fill(token.as_mut_slice())?;
        Ok(Self {
            hall: hall.clone(),
            private: PrivateKey::from_seed(&seed),
            operator_token: Zeroizing::new(encode_hex(token.as_slice())),
        })
    }

    /// The key with this seed, for tests with known vectors and for keys made elsewhere.
    ///
    /// # Errors
    /// [`KeyError::Token`] if the operator token has not 8 to 256 characters.
    pub fn from_seed(hall: &Origin, seed: &[u8; 32], operator_token: &str) -> Result<Self, KeyError> {
        if !(8..=256).contains(&operator_token.chars().count()) {
            return Err(KeyError::Token);
        }
        Ok(Self {
            hall: hall.clone(),
            private: PrivateKey::from_seed(seed),
            operator_token: Zeroizing::new(operator_token.to_owned()),
        })
    }

    /// The same key under another operator token: agents that share one are of one operator and are never
    /// paired with each other. The token counts at registration only.
    ///
    /// # Errors
    /// [`KeyError::Token`] if it has not 8 to 256 characters.
    pub fn with_operator_token(self, operator_token: &str) -> Result<Self, KeyError> {
        Self::from_seed(&self.hall, &Zeroizing::new(self.private.seed()), operator_token)
    }

    /// The hall it belongs to.
    #[must_use]
    pub const fn hall(&self) -> &Origin {
        &self.hall
    }

    /// The public half, which the hall knows.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        self.private.public()
    }

    /// The identifier that every hall gives an agent with this key.
    #[must_use]
    pub fn agent_id(&self) -> AgentId {
        AgentId::of_key(&self.public())
    }

    /// The operator token: a secret, sent once, at registration.
    #[must_use]
    pub fn operator_token(&self) -> &str {
        &self.operator_token
    }

    /// Signs `message`.
    #[must_use]
    pub fn sign(&self, message: &str) -> Signature {
        self.private.sign(message.as_bytes())
    }

    /// Makes sure that the key belongs to `hall`.
    ///
    /// # Errors
    /// [`KeyError::OtherHall`] if it does not.
    pub fn check_hall(&self, hall: &Origin) -> Result<(), KeyError> {
        if self.hall == *hall {
            return Ok(());
        }
        Err(KeyError::OtherHall { belongs_to: self.hall.clone(), asked_for: hall.clone() })
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Key({} at {})", self.public(), self.hall)
    }
}
