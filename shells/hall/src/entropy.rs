//! Randomness from the operating system.

use hall_core::Entropy;

/// The operating system's generator.
#[derive(Debug)]
pub(crate) struct OsEntropy;

impl Entropy for OsEntropy {
    /// # Panics
    /// If the operating system has none: a hall without randomness must not draw anything.
    fn fill(&mut self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system has randomness");
    }
}
