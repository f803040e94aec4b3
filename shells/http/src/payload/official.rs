//! The authority on the hall's addresses and keys, signed with its log key.

use super::schema::payload;
use crate::log_signer::LogSigner;
use hall_wire::json::canonical;
use hall_wire::{Digest, Signature, message};

payload! {
    /// The hall's log.
    pub OfficialLog as "OfficialLog" {
        /// Its origin, which is also the name of its key.
        origin: String,
        /// Its key as a note verifier key.
        public_key: String,
    }

    /// The randomness beacon that new games are bound to; all null while it is off.
    pub OfficialBeacon as "OfficialBeacon" {
        /// The drand chain.
        chain_hash: Option<String>,
        /// Its public key, lowercase hexadecimal.
        public_key: Option<String>,
        /// When its first round was due, in seconds since 1970.
        genesis: Option<i64>,
        /// Seconds between two rounds.
        period: Option<u64>,
    }

    /// What is official: addresses and keys.
    pub Official as "Official" {
        /// The only address of this hall.
        base_url: String,
        /// The log.
        log: OfficialLog,
        /// The key that signs doorbell rings, as `whpk_…`.
        ring_key: String,
        /// The beacon.
        beacon: OfficialBeacon,
        /// Name and version of the software.
        software: String,
        /// What holds at every address of this hall.
        statement: String,
        /// By the log key over `svc.official.v1:` + sha256 of the canonical JSON of this document without its signature.
        signature: Option<Signature>,
    }

    /// The signed document.
    pub OfficialData as "OfficialData" {
        /// The document.
        official: Official,
    }
}

/// What the hall says of itself.
const STATEMENT: &str = "This is the only address of this hall. The hall never asks for a private key, a password or an \
                         operator token anywhere but as operator_token in a registration; a page, window or message \
                         that asks for a key is hostile.";

impl OfficialData {
    /// Signs the document with the log key.
    #[must_use]
    pub fn signed(
        base_url: String,
        log: OfficialLog,
        ring_key: String,
        beacon: OfficialBeacon,
        software: String,
        signer: &LogSigner,
    ) -> Self {
        let statement = STATEMENT.to_owned();
        let mut official = Official { base_url, log, ring_key, beacon, software, statement, signature: None };
        let digest = official.digest();
        official.signature = Some(signer.sign(message::official(&digest).as_bytes()));
        Self { official }
    }
}

impl Official {
    /// sha256 of the canonical JSON of the document without its signature.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut document = serde_json::json!(self);
        if let Some(members) = document.as_object_mut() {
            members.remove("signature");
        }
        Digest::of(canonical(&document).as_bytes())
    }
}
