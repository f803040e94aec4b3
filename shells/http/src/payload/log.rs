//! The log: checkpoints and proofs (decision 8.2).

use super::schema::payload;
use hall_driver::SignedCheckpoint;
use hall_wire::note::key_name;
use hall_wire::{Digest, Timestamp};

payload! {
    /// A signed checkpoint of the log.
    pub Checkpoint as "Checkpoint" {
        /// The signed note: exactly the text that verifiers read. Cosignatures of witnesses follow the log's own
        /// signature as they arrive.
        note: String,
        /// The name of the log.
        origin: String,
        /// Leaves.
        tree_size: u64,
        /// The root of the tree.
        root: Digest,
        /// The log's key as a note verifier key.
        public_key: String,
        /// When it was cut.
        created_at: Timestamp,
    }

    /// The newest checkpoint.
    pub CheckpointData as "CheckpointData" {
        /// The checkpoint.
        checkpoint: Checkpoint,
    }

    /// A proof that a tree of the log begins with a smaller one.
    pub ConsistencyData as "ConsistencyData" {
        /// Size of the smaller tree.
        from: u64,
        /// Size of the larger tree.
        to: u64,
        /// The consistency path of RFC 6962; empty where both are the same.
        path: Vec<Digest>,
    }

    /// A proof that the log holds a leaf.
    pub LeafProof as "LeafProof" {
        /// The newest checkpoint as a signed note.
        note: String,
        /// The leaf.
        leaf_index: u64,
        /// Its hash.
        leaf_hash: Digest,
        /// The inclusion path of RFC 6962, leaf to root.
        path: Vec<Digest>,
    }

    /// The proof.
    pub LeafProofData as "LeafProofData" {
        /// The proof.
        proof: LeafProof,
    }

    /// The leaf of an event.
    pub EventLeaf as "EventLeaf" {
        /// The event's number in its game.
        seq: u32,
        /// Its leaf.
        leaf_index: u64,
        /// The leaf's hash.
        leaf_hash: Digest,
        /// The inclusion path of RFC 6962, leaf to root.
        path: Vec<Digest>,
    }

    /// A proof that the log holds a game's events, as far as the newest checkpoint covers them.
    pub GameProof as "GameProof" {
        /// The newest checkpoint as a signed note.
        note: String,
        /// The events that it covers.
        leaves: Vec<EventLeaf>,
    }

    /// The proof.
    pub GameProofData as "GameProofData" {
        /// The proof.
        proof: GameProof,
    }
}

impl Checkpoint {
    /// A checkpoint with its note.
    #[must_use]
    pub fn of(signed: &SignedCheckpoint, note: &str) -> Self {
        Self {
            note: note.to_owned(),
            origin: key_name(&signed.key).to_owned(),
            tree_size: signed.head.size,
            root: signed.head.root,
            public_key: signed.key.clone(),
            created_at: signed.head.at,
        }
    }
}
