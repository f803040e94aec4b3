//! The keys of the hall.

use alloc::string::String;
use hall_wire::words;
use serde::{Deserialize, Serialize};

words!(
    /// What a key of the hall signs.
    KeyPurpose {
        /// Checkpoints of the log and the official document.
        Log = "log",
        /// Doorbell rings.
        Ring = "ring",
    }
);

/// Why a key of the hall is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyOccasion {
    /// A new key in the place of an old one.
    Rotation,
    /// The hall continues from a backup, and its log continues under another origin (decision 8.3).
    Restore,
}

/// The public keys under which the hall signs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HallKeys {
    /// The log key as a note verifier key.
    pub log: String,
    /// The ring key as `whpk_…`.
    pub ring: String,
}
