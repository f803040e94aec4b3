//! Where random bytes come from.

use std::fmt;

/// A source of random bytes: keys, operator tokens and the jitter of retries.
///
/// The default is the operating system's ([`SystemRandomness`]); a simulator injects a seeded one.
pub trait Randomness: Send + Sync + 'static {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// If the source has nothing to give; nothing is then made from what `bytes` holds.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness>;
}

/// The source of randomness failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRandomness(pub String);

/// The operating system's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        getrandom::fill(bytes).map_err(|error| NoRandomness(error.to_string()))
    }
}

impl fmt::Display for NoRandomness {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no random bytes: {}", self.0)
    }
}

impl std::error::Error for NoRandomness {}

/// A number below `bound` (0 for a bound of 0), for choices in which a slight bias does no harm.
pub(crate) fn below(randomness: &dyn Randomness, bound: u64) -> u64 {
    let mut bytes = [0; 8];
    // Jitter is a courtesy: without randomness every wait is the shortest one.
    if randomness.fill(&mut bytes).is_err() {
        return 0;
    }
    u64::from_le_bytes(bytes).checked_rem(bound).unwrap_or(0)
}
