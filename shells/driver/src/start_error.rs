//! Why a hall does not start, follow or lead.

use crate::ends::FillEndsError;
use crate::log::FillError;
use crate::recovery::RecoverError;
use hall_journal::JournalError;

/// Why a hall cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The state cannot be rebuilt from the journal.
    #[error(transparent)]
    Recover(#[from] RecoverError),
    /// The journal does not continue what was applied.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// The first facts cannot be written.
    #[error("the journal cannot be written: {0}")]
    Journal(#[from] JournalError),
    /// The data folder belongs to a hall with other keys.
    #[error("the keys in the data folder are not those that the journal names; put the right key files back")]
    OtherKeys,
    /// The tree of the log is not what was signed, or cannot be built.
    #[error(transparent)]
    Log(#[from] FillError),
    /// The tables of ended games cannot be read or completed.
    #[error(transparent)]
    Ends(#[from] FillEndsError),
    /// The writer's thread cannot be started.
    #[error("the writer cannot be started: {0}")]
    Thread(std::io::Error),
}

/// Why records cannot be followed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum FollowError {
    /// The journal cannot be read, or a record has a form that this version does not know.
    #[error(transparent)]
    Recover(#[from] RecoverError),
    /// The records are those of another history than the one that was applied.
    #[error(
        "record {seq} does not continue what this process has applied: the journal has lost records that were durable, \
         or is another one. Start again to build the state from the journal as it is."
    )]
    Diverged { seq: u64 },
    /// Records before these are missing.
    #[error("record {first} cannot be applied before record {wanted}")]
    Gap {
        /// The first record that there is.
        first: u64,
        /// The record that was wanted.
        wanted: u64,
    },
}
