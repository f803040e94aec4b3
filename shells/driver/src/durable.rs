//! How far the journal is durable.

use hall_wire::Timestamp;

/// How far the journal is durable and applied here, and whether the writer has failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Durable {
    /// The number of the last such record.
    pub(crate) seq: u64,
    /// The core's clock after it: no earlier fact is later, and no later one earlier.
    pub(crate) at: Timestamp,
    /// The writer has failed: nothing more will become durable.
    pub(crate) failed: bool,
}

impl Durable {
    /// Everything that was ever written.
    pub(crate) const ALL: Self = Self { seq: u64::MAX, at: Timestamp::from_millis(i64::MAX), failed: false };
}
